//! A count of health that failures lower and successes raise; retries only in its upper half (R12).

use super::{Budget, FailureKind, Spent};
use crate::clock::Instant;
use crate::config_error::ConfigError;
use crate::span::Span;

/// Retries while more than half of the tokens are left: the throttling of gRPC (proposal A6, "Throttling Retry Attempts and Hedged RPCs").
///
/// ```text
/// each failure that is not permanent:  tokens = max(tokens − 1, 0)
/// each success:                        tokens = min(tokens + numerator / denominator, max_tokens)
/// a retry is allowed while             tokens > max_tokens / 2
/// ```
///
/// A retry itself costs nothing: what is charged are the failures, the last of a call and those of calls that are never repeated too. Counted in
/// `1 / denominator` of a token, so exact. It starts full, and time plays no part.
///
/// With 10 tokens and 1/10, failures in a row from the start:
///
/// | failures | 0 | 1 | 4 | 5 | 10 | then successes until a retry is allowed |
/// |---|---|---|---|---|---|---|
/// | tokens | 10 | 9 | 6 | 5 | 0 | 51 |
/// | allowed | yes | yes | yes | no | no | |
///
/// ```
/// use relent::Instant;
/// use relent::guard::budget::{Budget, FailureKind, ThrottleBudget};
///
/// let mut budget = ThrottleBudget::new(10, 1, 10);
/// let now = Instant::at(0_u32);
/// for _ in 0..5 {
///     budget.on_failure(FailureKind::Transient, now);
/// }
/// assert_eq!(budget.try_spend(FailureKind::Transient, now), None);
/// budget.on_success(None, now);
/// assert!(budget.try_spend(FailureKind::Transient, now).is_some());
/// ```
#[derive(Clone, Debug)]
pub struct ThrottleBudget {
    numerator: u32,
    denominator: u32,
    /// Both in `1 / denominator` of a token.
    max: u64,
    balance: u64,
}

impl ThrottleBudget {
    /// So many tokens, and `numerator / denominator` of one for each success.
    ///
    /// # Panics
    ///
    /// If `max_tokens` or `denominator` is 0: in a `const`, this does not compile.
    #[track_caller]
    pub const fn new(max_tokens: u32, numerator: u32, denominator: u32) -> Self {
        match Self::try_new(max_tokens, numerator, denominator) {
            Ok(budget) => budget,
            Err(error) => error.panic(),
        }
    }

    /// As [`new`](Self::new), at run time.
    ///
    /// # Errors
    ///
    /// If `max_tokens` or `denominator` is 0.
    #[expect(clippy::arithmetic_side_effects, reason = "a product of two u32 fits u64")]
    pub const fn try_new(max_tokens: u32, numerator: u32, denominator: u32) -> Result<Self, ConfigError> {
        if max_tokens == 0 {
            return Err(ConfigError::new("max_tokens", "max_tokens must be at least 1"));
        }
        if denominator == 0 {
            return Err(ConfigError::new("ratio", "ratio must not have the denominator 0"));
        }
        let max = max_tokens as u64 * denominator as u64;
        Ok(Self { numerator, denominator, max, balance: max })
    }

    /// Whether a retry is allowed.
    pub const fn is_allowed(&self) -> bool {
        // More than half, without doubling what may be large.
        self.balance > self.max.saturating_sub(self.balance)
    }
}

impl<S: Span> Budget<S> for ThrottleBudget {
    #[inline]
    fn on_failure(&mut self, kind: FailureKind, _: Instant<S>) {
        if kind != FailureKind::Permanent {
            self.balance = self.balance.saturating_sub(u64::from(self.denominator));
        }
    }

    #[inline]
    fn on_success(&mut self, _: Option<Spent>, _: Instant<S>) {
        self.balance = self.balance.saturating_add(u64::from(self.numerator)).min(self.max);
    }

    #[inline]
    fn try_spend(&mut self, kind: FailureKind, _: Instant<S>) -> Option<Spent> {
        (kind != FailureKind::Permanent && self.is_allowed()).then_some(Spent(0))
    }
}
