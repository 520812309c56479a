//! A bucket of tokens from which retries are paid by kind (R12).

use super::{Budget, FailureKind, Spent};
use crate::clock::Instant;
use crate::span::Span;

/// A bucket from which each retry takes what its kind costs, and into which each success puts something back.
///
/// A success puts back what the latest retry of that call took, and the refill (1) where the call needed none; never beyond the capacity. It starts
/// full, and time plays no part.
///
/// | | capacity | transient | time-out | throttled | refill |
/// |---|---|---|---|---|---|
/// | [`CostBudget::new`]`(500)`, the AWS SDKs' standard mode before 2026 | 500 | 5 | 10 | 5 | 1 |
/// | [`CostBudget::AWS_2026`] | 500 | 14 | 14 | 5 | 1 |
///
/// 24 bytes.
///
/// ```
/// use relent::Instant;
/// use relent::guard::budget::{Budget, CostBudget, FailureKind};
///
/// let mut budget = CostBudget::new(12);
/// let now = Instant::at(0_u32);
/// let paid = budget.try_spend(FailureKind::Timeout, now);
/// assert_eq!(budget.tokens(), 2);
/// assert_eq!(budget.try_spend(FailureKind::Transient, now), None);
/// budget.on_success(paid, now);
/// assert_eq!(budget.tokens(), 12);
/// ```
#[derive(Clone, Debug)]
pub struct CostBudget {
    capacity: u32,
    transient: u32,
    timeout: u32,
    throttled: u32,
    refill: u32,
    tokens: u32,
}

impl CostBudget {
    /// What the AWS SDKs do by default from November 2026 (AWS Developer Tools blog, "Updated default retry behavior").
    pub const AWS_2026: Self = Self::new(500).with_costs(14, 14, 5);

    /// So many tokens; a retry costs 5, after a time-out 10, and a success without one puts 1 back.
    pub const fn new(capacity: u32) -> Self {
        Self { capacity, transient: 5, timeout: 10, throttled: 5, refill: 1, tokens: capacity }
    }

    /// What a retry costs after a transient failure, a time-out, a request to come back later.
    ///
    /// A cost above the capacity is never paid: no such retry.
    pub const fn with_costs(mut self, transient: u32, timeout: u32, throttled: u32) -> Self {
        self.transient = transient;
        self.timeout = timeout;
        self.throttled = throttled;
        self
    }

    /// What a call that needed no retry puts in.
    pub const fn with_refill(mut self, refill: u32) -> Self {
        self.refill = refill;
        self
    }

    /// The tokens left.
    pub const fn tokens(&self) -> u32 {
        self.tokens
    }
}

impl<S: Span> Budget<S> for CostBudget {
    #[inline]
    fn on_success(&mut self, last: Option<Spent>, _: Instant<S>) {
        let back = last.map_or(self.refill, Spent::tokens);
        self.tokens = self.tokens.saturating_add(back).min(self.capacity);
    }

    #[inline]
    fn try_spend(&mut self, kind: FailureKind, _: Instant<S>) -> Option<Spent> {
        let cost = match kind {
            FailureKind::Transient => self.transient,
            FailureKind::Timeout => self.timeout,
            FailureKind::Throttled => self.throttled,
            FailureKind::Permanent => return None,
        };
        self.tokens = self.tokens.checked_sub(cost)?;
        Some(Spent(cost))
    }
}
