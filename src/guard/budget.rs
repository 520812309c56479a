//! Retry budgets: how many retries all calls together may make (R12).
//!
//! A retry helps where failures are rare; where everything fails it only multiplies the load. A budget is shared by all calls to one place and
//! stops retrying when too much of it fails.

mod cost;
mod ratio;
mod throttle;

use core::time::Duration;

use crate::clock::Instant;
use crate::guard::RateLimiter;
use crate::span::Span;
use crate::verdict::Verdict;

pub use cost::CostBudget;
pub use ratio::RatioBudget;
pub use throttle::ThrottleBudget;

/// Something that is told how all calls go, and asked before each retry.
///
/// | budget | a retry is allowed while | seen in |
/// |---|---|---|
/// | [`RatioBudget`] | retries stay below a share of the calls, and a reserve per second | Finagle, linkerd, tower |
/// | [`CostBudget`] | the bucket holds what this kind of retry costs | AWS SDKs |
/// | [`ThrottleBudget`] | more than half of the tokens are left | gRPC |
/// | [`RateLimiter`] | so many attempts in so much time, first ones included | |
///
/// # For implementers
///
/// Whoever drives a retry calls, in this order:
///
/// 1. [`on_call`](Self::on_call) once, before the first attempt;
/// 2. [`on_failure`](Self::on_failure) for every failed attempt, the last included, and those of calls that may not be repeated;
/// 3. [`try_spend`](Self::try_spend) as the last check before a retry is admitted, so that nothing is spent on one that is not made;
/// 4. [`on_success`](Self::on_success) with what the latest retry of *this call* spent.
///
/// `try_spend` that returns `None` must change nothing. Only it has to be written.
pub trait Budget<S: Span = Duration> {
    /// A call begins: its first attempt is about to be made, whatever is left.
    fn on_call(&mut self, now: Instant<S>) {
        _ = now;
    }

    /// An attempt failed.
    fn on_failure(&mut self, kind: FailureKind, now: Instant<S>) {
        _ = (kind, now);
    }

    /// A call succeeded; `last` is what its latest retry spent, `None` where the first attempt did it.
    fn on_success(&mut self, last: Option<Spent>, now: Instant<S>) {
        _ = (last, now);
    }

    /// Spends a retry after a failure of this kind; `None` means there is none to spend.
    fn try_spend(&mut self, kind: FailureKind, now: Instant<S>) -> Option<Spent>;
}

/// What kind of failure is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// Worth another attempt.
    Transient,
    /// No answer in time: what a run makes of a transient failure that took as long as its attempt time-out.
    Timeout,
    /// The other side, or a guard, said when to come back.
    Throttled,
    /// Not worth another attempt.
    Permanent,
}

/// `Retry` is transient, and the two verdicts that name a time are throttled. Who knows of a time-out says so instead, as a run does.
impl<S> From<&Verdict<S>> for FailureKind {
    fn from(verdict: &Verdict<S>) -> Self {
        match verdict {
            Verdict::Retry => Self::Transient,
            Verdict::NotBefore(_) | Verdict::RetryAfter(_) => Self::Throttled,
            Verdict::Permanent => Self::Permanent,
        }
    }
}

/// What a retry has cost, in the budget's own tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spent(u32);

impl Spent {
    /// For budgets of your own.
    pub const fn new(tokens: u32) -> Self {
        Self(tokens)
    }

    /// The tokens.
    pub const fn tokens(self) -> u32 {
        self.0
    }
}

impl<S: Span, B: Budget<S> + ?Sized> Budget<S> for &mut B {
    fn on_call(&mut self, now: Instant<S>) {
        (**self).on_call(now);
    }

    fn on_failure(&mut self, kind: FailureKind, now: Instant<S>) {
        (**self).on_failure(kind, now);
    }

    fn on_success(&mut self, last: Option<Spent>, now: Instant<S>) {
        (**self).on_success(last, now);
    }

    fn try_spend(&mut self, kind: FailureKind, now: Instant<S>) -> Option<Spent> {
        (**self).try_spend(kind, now)
    }
}

/// So many attempts in so much time, first ones included.
///
/// A first attempt is made in any case; it takes one where there is one to take, and goes into no debt.
///
/// ```
/// use relent::Instant;
/// use relent::guard::budget::{Budget, FailureKind};
/// use relent::guard::RateLimiter;
///
/// let mut three_a_second = RateLimiter::per(3, 1_000_u32)?;
/// let now = Instant::at(0);
/// three_a_second.on_call(now);
/// let retries = (0..10).filter(|_| three_a_second.try_spend(FailureKind::Transient, now).is_some());
/// assert_eq!(retries.count(), 2);
/// # Ok::<(), relent::ConfigError>(())
/// ```
impl<S: Span> Budget<S> for RateLimiter<S> {
    fn on_call(&mut self, now: Instant<S>) {
        _ = self.check(now);
    }

    fn try_spend(&mut self, kind: FailureKind, now: Instant<S>) -> Option<Spent> {
        (kind != FailureKind::Permanent && self.check(now).is_ok()).then_some(Spent(1))
    }
}
