//! Retry and backoff, from a Cortex-M0 to a server.
//!
//! An operation has just failed: *try again? when? and when to stop?*
//!
//! ```
//! use relent::{Exponential, GaveUp};
//!
//! # fn fetch() -> Result<u32, std::io::Error> { Ok(7) }
//! # #[cfg(feature = "std")] {
//! let page = relent::retry(Exponential::default(), fetch).map_err(GaveUp::into_error)?;
//! # assert_eq!(page, 7);
//! # }
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Five ideas
//!
//! 1. A [`Policy`] says a [`Band`] for every retry, the shortest and the longest wait; the generator picks within it. So what a whole
//!    schedule can cost is known before anything is drawn: [`Plan`].
//! 2. Settings are values, usually a `const`; a run has its own state. Nothing is shared by accident, nothing needs a reset.
//! 3. One machine, [`Attempts`], holds the rules. It is told what happened and what time it is, and says what to do; the blocking loop drives it, and so can you.
//! 4. One [`Verdict`] on each failure: retry, not before, retry after, permanent.
//! 5. The world comes in as arguments: time ([`Clock`]), waiting ([`Sleep`]), randomness ([`rng`]), cancellation. No hidden seed, no hidden clock.
//!
//! # Where to look
//!
//! | you want | look at |
//! |---|---|
//! | to retry a closure in a tool | [`retry`], [`Retry::call`], [`Retry::call_with`] (feature `std`) |
//! | to say which errors are worth it | [`Retry::classify`], [`Retry::explicit`] with [`Failure`] |
//! | to follow a server's `Retry-After` | [`Verdict::RetryAfter`], [`Verdict::retry_at`] |
//! | limits on attempts and time | [`Retry::with_max_attempts`], [`Retry::with_max_elapsed`] |
//! | a deadline, cancellation, a budget for one run | [`Retry::on`], module [`context`] |
//! | to choose intervals | [`Exponential`] and the module [`policy`], [`Jitter`] |
//! | to see a schedule | [`Policy::plan`], [`Retry::plan`], [`Retry::worst_case_wait`](Retry#method.worst_case_wait) |
//! | a loop that must not block | [`Retry::start`], [`Attempts::poll`], [`Step`] |
//! | your own clock and timer | [`Clock`], [`Sleep`], [`Retry::run`] |
//! | a breaker, a limiter, a budget | module [`guard`], [`Run::guarded`] |
//! | ticks at the pace of a policy | [`Ticker`] |
//! | to make repeats harmless | [`IdempotencyKey`], [`Seen`] |
//! | a link that is kept up | [`Reconnect`] |
//! | clocks and seeds for firmware | modules [`clock`], [`seed`], and the guide [`guide::firmware`] |
//! | tests without sleeping | module [`testing`] |
//!
//! # No surprises
//!
//! After construction there is no heap, no panic, no float, no `unsafe`, no division by a variable; on the `u32` path no 64-bit division either. Arithmetic saturates, and
//! the documentation of each item says in which direction it rounds. The same seed gives the same schedule on every target and at every
//! optimisation level.
//!
//! `with_*` are for constants: a wrong number does not compile in a `const`, and panics elsewhere. `try_with_*`, [`Factor::try_new`] and [`Factor::ratio`] are for
//! numbers that come at run time, and return a [`ConfigError`] that names the field and the rule.
//!
//! # Features
//!
//! Additive, and none changes what another part does.
//!
//! | feature | |
//! |---|---|
//! | `std` (default) | the system's clock, sleep and entropy; `CancelToken`, `Shared`, ticks from a thread |
//! | `embedded-hal-1` | `hal::Millis`, `hal::Micros`: a `DelayNs` as the wait |
//! | `fugit-06` | `fugit` durations as spans |
//! | `embassy-time-05` | `embassy_time::Duration` as a span, `embassy::Embassy` as the clock |
//! | `defmt-1` | `defmt::Format` for every public value |
//! | `serde` | settings from and to files, with durations such as `"1m 30s"` |
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
pub mod reconnect;
mod retry;
pub mod seed;

// L3: the blocking loop.
mod guarded;
mod run;
mod ticker;

// L4: edges.
#[cfg(feature = "defmt-1")]
pub mod defmt;
#[cfg(feature = "embassy-time-05")]
pub mod embassy;
#[cfg(feature = "fugit-06")]
pub mod fugit;
pub mod guide;
#[cfg(feature = "embedded-hal-1")]
pub mod hal;
#[cfg(feature = "serde")]
pub mod serde;
#[cfg(feature = "std")]
mod std;

#[cfg(test)]
mod exhaustive;

pub use attempts::{Attempt, Attempts, Next, Step};
pub use band::Band;
#[doc(inline)]
pub use clock::{Clock, Instant, Interrupt, Sleep};
pub use config_error::ConfigError;
#[doc(inline)]
pub use context::{CancelFlag, Deadline};
pub use delays::Delays;
pub use factor::Factor;
pub use gave_up::{Event, GaveUp, Reason};
pub use guarded::{Guarded, GuardedError};
pub use idempotency::{IdempotencyKey, ParseKeyError, Seen, Use};
pub use jitter::Jitter;
pub use plan::{Plan, PlanRow};
#[doc(inline)]
pub use policy::{
    Constant, Decorrelated, DrawOnce, Exponential, Fibonacci, Linear, Never, Policy, Recursive, Slots, Table, Zero,
};
#[doc(inline)]
pub use reconnect::Reconnect;
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
