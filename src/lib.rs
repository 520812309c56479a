//! Retry and backoff, from a Cortex-M0 to a server.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::float_arithmetic,
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::std_instead_of_core,
        clippy::alloc_instead_of_core
    )
)]

mod band;
mod clock;
mod config_error;
mod factor;
pub mod rng;
mod span;
pub mod testing;
mod verdict;

pub use band::Band;
pub use clock::{Clock, Instant, Sleep};
pub use config_error::ConfigError;
pub use factor::Factor;
pub use span::Span;
pub use verdict::{Failure, Verdict};
