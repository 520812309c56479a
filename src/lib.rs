//! Retry and backoff, from a Cortex-M0 to a server.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
// Constant settings fold away only where the code that reads them is inlined: the whole machine on a Cortex-M0 takes
// less than half the flash that way, and a step less than a third.
#![allow(clippy::inline_always)]
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

// L0: words.
mod band;
pub mod clock;
mod config_error;
mod division;
mod factor;
mod span;
mod verdict;

// L1: pure arithmetic.
mod delays;
mod jitter;
mod plan;
pub mod policy;
pub mod rng;
pub mod testing;

// L2: machines, with `now` as an argument.
mod attempts;
pub mod context;
mod gave_up;
pub mod guard;
mod idempotency;
mod retry;

// L3: the blocking loop.
mod guarded;
mod run;
mod ticker;

// L4: edges.
#[cfg(feature = "std")]
mod std;

#[cfg(test)]
mod exhaustive;

pub use attempts::{Attempt, Attempts, Next, Step};
pub use band::Band;
pub use clock::{Clock, Instant, Interrupt, Sleep};
pub use config_error::ConfigError;
pub use context::{CancelFlag, Deadline};
pub use delays::Delays;
pub use factor::Factor;
pub use gave_up::{Event, GaveUp, Reason};
pub use guarded::{Guarded, GuardedError};
pub use idempotency::{IdempotencyKey, ParseKeyError, Seen, Use};
pub use jitter::Jitter;
pub use plan::{Plan, PlanRow};
pub use policy::{
    Constant, Decorrelated, DrawOnce, Exponential, Fibonacci, Linear, Never, Policy, Recursive, Slots, Table, Zero,
};
pub use retry::{Always, By, Classify, Explicit, Limits, Retry, Settings};
pub use run::{Hook, Lent, Notify, Run, Silent};
pub use span::Span;
#[cfg(feature = "std")]
pub use std::{CancelToken, Shared, SharedPermit, System, TickReceiver, TickerThread, retry};
pub use ticker::Ticker;
pub use verdict::{Failure, Verdict};

/// The README's code is compiled and run.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
