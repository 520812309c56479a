//! One link and its outages.

use core::fmt;

use rand_core::{Rng, TryRng};

use super::{LinkState, LinkStep, Reconnect};
use crate::attempts::{Attempt, Attempts, Next};
use crate::clock::Instant;
use crate::policy::Policy;
use crate::retry::{Always, Retry};
use crate::span::{Sealed, Ticks};
use crate::verdict::Verdict;

/// One link, driven by you: told what happened and what time it is, it says what to do. Made by [`Reconnect::start`] and its kin.
///
/// An outage is a run of [`Attempts`]; everything said there about tokens, time-outs and time holds here. A session that was up for less than
/// `stable_after` counts as a failed attempt of the outage before it, without the time it was up; losing one that was up for longer is the first failure of a new
/// outage.
///
/// For `Exponential` on a 32-bit target: 104 bytes for `u32`, 168 for `Duration`, settings not counted.
pub struct Link<'a, P: Policy, K = Always> {
    settings: &'a Reconnect<P, K>,
    attempts: Attempts<&'a Retry<P, K>>,
    /// The latest time told; never moves back.
    last: Instant<P::Span>,
    /// While up, the token of the attempt that succeeded: it stays in flight, and fails if the link drops too soon.
    session: Option<Attempt<P::Span>>,
    /// How much longer the link must be up to start anew.
    until_stable: TicksOf<P>,
    /// How much longer an event must wait for its attempt.
    spacing: TicksOf<P>,
    /// An event wants the next attempt.
    hurry: bool,
}

type TicksOf<P> = <<P as Policy>::Span as Sealed>::Ticks;

impl<'a, P: Policy, K> Link<'a, P, K> {
    pub(super) fn new(
        settings: &'a Reconnect<P, K>,
        attempts: Attempts<&'a Retry<P, K>>,
        now: Instant<P::Span>,
    ) -> Self {
        Self {
            settings,
            attempts,
            last: now,
            session: None,
            until_stable: Ticks::ZERO,
            spacing: Ticks::ZERO,
            hurry: false,
        }
    }

    /// Says what to do now. Each attempt is handed out once.
    pub fn poll(&mut self, now: Instant<P::Span>) -> LinkStep<P::Span> {
        use crate::attempts::Step;
        self.advance(now);
        if self.session.is_some() {
            return LinkStep::Up;
        }
        if self.hurry && self.spacing == Ticks::ZERO {
            self.hurry = false;
            if self.attempts.is_done() {
                self.attempts.restart(self.last);
            }
            self.attempts.retry_now();
        }
        match self.attempts.poll(now) {
            Step::Attempt(attempt) => {
                self.hurry = false;
                self.spacing = self.settings.min_spacing().to_ticks();
                LinkStep::Attempt(attempt)
            }
            Step::InFlight => LinkStep::InFlight,
            Step::TimedOut(attempt) => LinkStep::TimedOut(attempt),
            Step::Wait(left) if self.hurry => LinkStep::Wait(Sealed::from_ticks(left.to_ticks().min(self.spacing))),
            Step::Wait(left) => LinkStep::Wait(left),
            Step::Done if self.hurry => LinkStep::Wait(Sealed::from_ticks(self.spacing)),
            Step::Done => LinkStep::Down,
        }
    }

    /// Reports that the attempt succeeded: the link is up from now on. A token that timed out changes nothing.
    pub fn succeed(&mut self, attempt: Attempt<P::Span>, now: Instant<P::Span>) {
        self.advance(now);
        if self.attempts.holds(&attempt) {
            self.attempts.tell(self.last);
            self.until_stable = self.settings.stable_after().to_ticks();
            self.session = Some(attempt);
        }
    }

    /// Reports that the attempt failed.
    pub fn fail<R: Rng + ?Sized>(
        &mut self,
        attempt: Attempt<P::Span>,
        now: Instant<P::Span>,
        verdict: Verdict<P::Span>,
        rng: &mut R,
    ) -> Next<P::Span> {
        match self.try_fail(attempt, now, verdict, rng) {
            Ok(next) => next,
            Err((_, never)) => match never {},
        }
    }

    /// Reports that the attempt failed, with a generator that can fail too.
    ///
    /// # Errors
    ///
    /// The generator's own, with the token, which can be reported again.
    #[expect(clippy::type_complexity, reason = "the token and the generator's error, side by side")]
    pub fn try_fail<R: TryRng + ?Sized>(
        &mut self,
        attempt: Attempt<P::Span>,
        now: Instant<P::Span>,
        verdict: Verdict<P::Span>,
        rng: &mut R,
    ) -> Result<Next<P::Span>, (Attempt<P::Span>, R::Error)> {
        self.advance(now);
        let next = self.attempts.try_fail(attempt, now, verdict, rng)?;
        self.hold_off(verdict, next);
        Ok(next)
    }

    /// Reports that the link has dropped, and with a verdict what that means: `Retry`, or what the other side said when it closed.
    ///
    /// [`Next::Stale`] where the link was not up.
    pub fn lost<R: Rng + ?Sized>(
        &mut self,
        now: Instant<P::Span>,
        verdict: Verdict<P::Span>,
        rng: &mut R,
    ) -> Next<P::Span> {
        match self.try_lost(now, verdict, rng) {
            Ok(next) => next,
        }
    }

    /// Reports that the link has dropped, with a generator that can fail.
    ///
    /// # Errors
    ///
    /// The generator's own: the link still counts as up, and the loss can be reported again.
    pub fn try_lost<R: TryRng + ?Sized>(
        &mut self,
        now: Instant<P::Span>,
        verdict: Verdict<P::Span>,
        rng: &mut R,
    ) -> Result<Next<P::Span>, R::Error> {
        self.advance(now);
        let stable = self.is_stable();
        let Some(mut session) = self.session.take() else {
            return Ok(Next::Stale);
        };
        if stable {
            self.attempts.restart(self.last);
            session = self.attempts.begin();
        }
        match self.attempts.try_fail(session, self.last, verdict, rng) {
            Ok(next) => {
                self.hold_off(verdict, next);
                Ok(next)
            }
            Err((session, error)) => {
                self.session = Some(session);
                Err(error)
            }
        }
    }

    /// Makes the next attempt due, on a button or a carrier that was seen, but not sooner than `min_spacing` after the start of the last one, nor sooner
    /// than a verdict allowed (of a hint beyond `max_hint`, only so much is kept to). Growth goes on as if the wait had passed.
    ///
    /// A link that was given up begins a new outage. While an attempt is in flight, or the link is up, it changes nothing.
    ///
    /// ```
    /// use relent::reconnect::{LinkStep, Reconnect};
    /// use relent::{Constant, Instant, Retry, Verdict, testing::Script};
    ///
    /// let uplink = Reconnect::new(Retry::new(Constant::new(60_000_u32)), 30_000).with_min_spacing(2_000);
    /// let at = Instant::<u32>::at;
    /// let mut link = uplink.start(at(0));
    /// let LinkStep::Attempt(first) = link.poll(at(0)) else { panic!() };
    /// _ = link.fail(first, at(500), Verdict::Retry, &mut Script::new([0]));
    ///
    /// link.retry_now(at(700));
    /// assert_eq!(link.poll(at(700)), LinkStep::Wait(1_300));
    /// assert!(matches!(link.poll(at(2_000)), LinkStep::Attempt(_)));
    /// ```
    pub fn retry_now(&mut self, now: Instant<P::Span>) {
        self.advance(now);
        self.hurry = matches!(self.state(), LinkState::Waiting | LinkState::Down);
    }

    /// Takes `now` as the time of the last look without counting what lies between, after a timer was restarted.
    pub fn rebase(&mut self, now: Instant<P::Span>) {
        self.last = now;
        self.attempts.rebase(now);
    }

    /// Where the link stands.
    pub fn state(&self) -> LinkState {
        if self.session.is_some() {
            LinkState::Up
        } else if self.attempts.is_in_flight() {
            LinkState::Attempting
        } else if self.attempts.is_done() && !self.hurry {
            LinkState::Down
        } else {
            LinkState::Waiting
        }
    }

    /// Whether the link has been up for `stable_after`, as of the last time told: its next outage starts anew.
    pub fn is_stable(&self) -> bool {
        self.session.is_some() && self.until_stable == Ticks::ZERO
    }

    /// How many attempts of this outage have failed; 0 once the link is stable. What to keep over a reset, for [`Reconnect::resume`].
    pub fn failures(&self) -> u32 {
        if self.is_stable() {
            0
        } else {
            self.attempts.attempts().saturating_sub(u32::from(self.attempts.is_in_flight()))
        }
    }

    /// The settings.
    pub fn settings(&self) -> &'a Reconnect<P, K> {
        self.settings
    }

    /// An event must not do what a verdict forbids, also where the run ended with it. A hint is held to as far as the run would have.
    fn hold_off(&mut self, verdict: Verdict<P::Span>, next: Next<P::Span>) {
        let least = match (verdict, next) {
            (_, Next::Stale) | (Verdict::Retry | Verdict::Permanent, _) => return,
            (Verdict::NotBefore(earliest), _) => earliest.to_ticks(),
            // Less where the hint was clamped.
            (Verdict::RetryAfter(asked), Next::Wait(delay)) => asked.to_ticks().min(delay.to_ticks()),
            (Verdict::RetryAfter(asked), Next::GiveUp(_)) => {
                let longest = self.settings.retry().limits().max_hint();
                asked.to_ticks().min(longest.map_or(Ticks::MAX, Sealed::to_ticks))
            }
        };
        self.spacing = self.spacing.max(least);
    }

    fn advance(&mut self, now: Instant<P::Span>) {
        let step = now.ticks_since(self.last);
        if step > Ticks::ZERO {
            self.last = now;
            self.spacing = self.spacing.minus(step);
            if self.session.is_some() {
                self.until_stable = self.until_stable.minus(step);
                // The time that a link is up is no part of an outage.
                self.attempts.rebase(now);
            }
        }
    }
}

impl<P: Policy, K> fmt::Debug for Link<'_, P, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link")
            .field("state", &self.state())
            .field("stable", &self.is_stable())
            .field("failures", &self.failures())
            .finish_non_exhaustive()
    }
}
