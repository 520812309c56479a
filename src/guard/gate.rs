//! Breakers and limiters as a run goes through them: owned, lent or shared.

use rand_core::Rng;

use super::RateLimiter;
use super::breaker::{Breaker, Observer, Outcome, Permit, Refused, Window};
use super::limiter::Denied;
use crate::clock::Instant;
use crate::span::Span;

/// A breaker that a run can go through: `&mut Breaker`, `&Shared<Breaker>`.
pub trait Gate<S: Span> {
    /// Leave for one call.
    ///
    /// # Errors
    ///
    /// While it is open, and half-open with all permits out.
    fn admit(&mut self, now: Instant<S>) -> Result<Permit, Refused<S>>;

    /// `None` while the call under `permit` may be repeated ([`Breaker::stands`]); what remains of the cooldown otherwise. Changes nothing.
    fn refusal(&self, permit: &Permit, now: Instant<S>) -> Option<S>;

    /// Reports how the call went.
    fn record<R: Rng + ?Sized>(&mut self, permit: Permit, outcome: Outcome, now: Instant<S>, rng: &mut R);

    /// Gives the permit back where the operation unwinds.
    fn give_back(&mut self, permit: Permit);
}

impl<S: Span, W: Window<S>, O: Observer<S>> Gate<S> for &mut Breaker<S, W, O> {
    fn admit(&mut self, now: Instant<S>) -> Result<Permit, Refused<S>> {
        Breaker::admit(self, now)
    }

    fn refusal(&self, permit: &Permit, now: Instant<S>) -> Option<S> {
        (!self.stands(permit, now)).then(|| self.remaining(now))
    }

    fn record<R: Rng + ?Sized>(&mut self, permit: Permit, outcome: Outcome, now: Instant<S>, rng: &mut R) {
        Breaker::record(self, permit, outcome, now, rng);
    }

    fn give_back(&mut self, permit: Permit) {
        self.ignore(permit);
    }
}

/// A limiter that a run can go through: `&mut RateLimiter`, `&Shared<RateLimiter>`, or `()` for none.
pub trait Limit<S: Span> {
    /// Takes one.
    ///
    /// # Errors
    ///
    /// If there is none to take now, or ever.
    fn take(&mut self, now: Instant<S>) -> Result<(), Denied<S>>;
}

impl<S: Span> Limit<S> for () {
    fn take(&mut self, _: Instant<S>) -> Result<(), Denied<S>> {
        Ok(())
    }
}

impl<S: Span> Limit<S> for &mut RateLimiter<S> {
    fn take(&mut self, now: Instant<S>) -> Result<(), Denied<S>> {
        self.check(now)
    }
}
