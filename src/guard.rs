//! What keeps a retry from doing harm: breaker, budgets, limiter, airtime (R10–R13).
//!
//! | guard | asks | refuses with |
//! |---|---|---|
//! | [`Breaker`] | is the other side worth a call at all? | [`Refused`](breaker::Refused), then `NotBefore` |
//! | [`RateLimiter`] | is it too soon for one more? | [`Denied`](limiter::Denied): not yet, or never |
//! | [`Budget`]: [`RatioBudget`], [`CostBudget`], [`ThrottleBudget`] | may one more *retry* be spent? | nothing to wait for: give up |
//! | [`Airtime`], [`DutyCycle`] | may the radio be on the air for so long? | [`Denied`](limiter::Denied) |
//!
//! Each is a plain value that is told the time and what happened: it reads no clock, draws only from a generator that is lent, and can stand
//! in a `static` behind whatever lock the platform has. None of them panics or allocates.
//!
//! # Time
//!
//! A guard keeps what is *left* of each of its times, and takes off the steps of the clock as it hears of them. So a raw 32-bit counter of milliseconds
//! may wrap any number of times, if the guard is asked at least once in every half range (24.8 days). A clock that steps back counts as
//! standing still until it is past the latest reading again. `rebase` is for a timer that was restarted.

pub mod airtime;
mod anchor;
pub mod breaker;
pub mod budget;
mod gate;
pub mod limiter;

pub use airtime::{Airtime, DutyCycle};
pub use breaker::Breaker;
pub use budget::{Budget, CostBudget, RatioBudget, ThrottleBudget};
pub use gate::{Gate, Limit};
pub use limiter::RateLimiter;

pub(crate) use anchor::Anchor;
