//! A budget of so many retries per call, with a reserve (R12).

use core::time::Duration;

use super::{Budget, FailureKind, Spent};
use crate::clock::Instant;
use crate::config_error::ConfigError;
use crate::guard::RateLimiter;
use crate::span::Span;

/// Retries as a share of the calls, and a few more per second so that a quiet client may retry at all.
///
/// ```text
/// each call:   balance = min(balance + numerator, ceiling · denominator)
/// each retry:  one from the reserve, else balance = balance − denominator, else refused
/// ```
///
/// Counted in `1 / denominator` of a retry, so any sum of deposits is exact: 6 retries for 10 calls at 6/10, 1000 for 10 000 at 1/10.
///
/// Deposits do not expire, but no more than the ceiling is ever saved up (100 retries unless set). It starts with
/// its reserve, and that is refilled as its [`RateLimiter`] says, never beyond its burst. 64 bytes for `u32` ticks.
///
/// ```
/// use relent::Instant;
/// use relent::guard::RateLimiter;
/// use relent::guard::budget::{Budget, FailureKind, RatioBudget};
///
/// // A retry for every ten calls, and one every 500 ms in any case.
/// let mut budget = RatioBudget::new(1, 10).with_reserve(RateLimiter::every(500_u32));
/// let now = Instant::at(0);
/// assert!(budget.try_spend(FailureKind::Transient, now).is_some());
/// assert!(budget.try_spend(FailureKind::Transient, now).is_none());
/// for _ in 0..10 {
///     budget.on_call(now);
/// }
/// assert!(budget.try_spend(FailureKind::Transient, now).is_some());
/// ```
#[derive(Debug)]
pub struct RatioBudget<S: Span = Duration> {
    numerator: u32,
    denominator: u32,
    ceiling: u32,
    /// In `1 / denominator` of a retry.
    balance: u64,
    reserve: Option<RateLimiter<S>>,
}

impl<S: Span> RatioBudget<S> {
    /// `numerator / denominator` retries per call, without a reserve.
    ///
    /// # Panics
    ///
    /// If `denominator` is 0: in a `const`, this does not compile.
    #[track_caller]
    pub const fn new(numerator: u32, denominator: u32) -> Self {
        match Self::try_new(numerator, denominator) {
            Ok(budget) => budget,
            Err(error) => error.panic(),
        }
    }

    /// As [`new`](Self::new), at run time.
    ///
    /// # Errors
    ///
    /// If `denominator` is 0.
    pub const fn try_new(numerator: u32, denominator: u32) -> Result<Self, ConfigError> {
        if denominator == 0 {
            return Err(ConfigError::new("ratio", "ratio must not have the denominator 0"));
        }
        Ok(Self { numerator, denominator, ceiling: 100, balance: 0, reserve: None })
    }

    /// The most retries that calls can save up.
    pub const fn with_ceiling(mut self, retries: u32) -> Self {
        self.ceiling = retries;
        self
    }

    /// Retries that need no calls: used first, since they come back by themselves.
    pub const fn with_reserve(self, reserve: RateLimiter<S>) -> Self {
        let Self { numerator, denominator, ceiling, balance, reserve: _ } = self;
        Self { numerator, denominator, ceiling, balance, reserve: Some(reserve) }
    }

    /// What the calls have saved up, without the reserve: so many parts, and how many of them make a retry.
    pub const fn saved(&self) -> (u64, u32) {
        (self.balance, self.denominator)
    }
}

impl<S: Span> Budget<S> for RatioBudget<S> {
    #[inline]
    #[expect(clippy::arithmetic_side_effects, reason = "a product of two u32 fits u64")]
    fn on_call(&mut self, _: Instant<S>) {
        let most = u64::from(self.ceiling) * u64::from(self.denominator);
        self.balance = self.balance.saturating_add(u64::from(self.numerator)).min(most);
    }

    #[inline]
    fn try_spend(&mut self, kind: FailureKind, now: Instant<S>) -> Option<Spent> {
        if kind == FailureKind::Permanent {
            return None;
        }
        if let Some(reserve) = &mut self.reserve
            && reserve.check(now).is_ok()
        {
            return Some(Spent(1));
        }
        self.balance = self.balance.checked_sub(u64::from(self.denominator))?;
        Some(Spent(1))
    }
}
