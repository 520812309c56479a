//! The edges that need an operating system.

mod call;
mod cancel;
mod entropy;
mod shared;
mod system;
mod ticker;

pub use call::retry;
pub use cancel::CancelToken;
pub use entropy::{FromOs, from_os};
pub use shared::{Shared, SharedPermit};
pub use system::System;
pub use ticker::{TickReceiver, TickerThread};
