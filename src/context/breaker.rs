//! A breaker that others may open meanwhile.

use super::Context;
use crate::clock::Instant;
use crate::gave_up::Reason;
use crate::guard::Gate;
use crate::guard::breaker::Permit;
use crate::guard::budget::FailureKind;
use crate::span::Span;

/// A run that ends when a breaker opens; the layer behind [`Guarded`](crate::Guarded).
#[derive(Clone, Copy, Debug)]
pub struct WithBreaker<'a, G, X> {
    pub(crate) gate: &'a G,
    pub(crate) permit: Option<&'a Permit>,
    pub(crate) inner: X,
}

impl<S: Span, G: Gate<S>, X: Context<S>> Context<S> for WithBreaker<'_, G, X> {
    type Inner = X;

    #[inline]
    fn inner(&self) -> &X {
        &self.inner
    }

    #[inline]
    fn inner_mut(&mut self) -> &mut X {
        &mut self.inner
    }

    /// Looked at before the budget, so that nothing is spent on a retry that is not made.
    #[inline]
    fn refuse(&mut self, kind: FailureKind, now: Instant<S>) -> Option<Reason<S>> {
        let refused = self.stopped(now);
        if refused.is_some() { refused } else { self.inner.refuse(kind, now) }
    }

    #[inline]
    fn stopped(&self, now: Instant<S>) -> Option<Reason<S>> {
        let remaining = self.gate.refusal(self.permit?, now)?;
        Some(Reason::BreakerOpen { remaining })
    }
}
