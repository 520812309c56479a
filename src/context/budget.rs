//! A budget that many runs share.

use super::Context;
use crate::clock::Instant;
use crate::gave_up::Reason;
use crate::guard::budget::{Budget, FailureKind, Spent};
use crate::span::Span;

/// A run whose retries come out of a budget.
#[derive(Clone, Copy, Debug)]
pub struct WithBudget<B, X> {
    budget: B,
    /// What the latest retry of this run cost.
    last: Option<Spent>,
    inner: X,
}

impl<B, X> WithBudget<B, X> {
    pub(crate) fn new(budget: B, inner: X) -> Self {
        Self { budget, last: None, inner }
    }
}

impl<S: Span, B: Budget<S>, X: Context<S>> Context<S> for WithBudget<B, X> {
    type Inner = X;

    #[inline]
    fn inner(&self) -> &X {
        &self.inner
    }

    #[inline]
    fn inner_mut(&mut self) -> &mut X {
        &mut self.inner
    }

    #[inline]
    fn begin(&mut self, now: Instant<S>) {
        self.budget.on_call(now);
        self.inner.begin(now);
    }

    #[inline]
    fn failed(&mut self, kind: FailureKind, now: Instant<S>) {
        self.budget.on_failure(kind, now);
        self.inner.failed(kind, now);
    }

    #[inline]
    fn succeeded(&mut self, now: Instant<S>) {
        self.budget.on_success(self.last, now);
        self.inner.succeeded(now);
    }

    #[inline]
    fn refuse(&mut self, kind: FailureKind, now: Instant<S>) -> Option<Reason<S>> {
        // Of two budgets the inner is asked first, and keeps what it gave if the outer refuses.
        let refused = self.inner.refuse(kind, now);
        if refused.is_some() {
            return refused;
        }
        self.last = self.budget.try_spend(kind, now);
        if self.last.is_none() { Some(Reason::Budget) } else { None }
    }
}
