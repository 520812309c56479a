//! The edges that need an operating system.

mod call;
mod cancel;
mod entropy;
mod shared;
mod system;

pub use call::retry;
pub use cancel::CancelToken;
pub use entropy::{FromOs, from_os};
pub use shared::{Shared, SharedPermit};
pub use system::System;
