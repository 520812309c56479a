//! Looking at a breaker, which never changes it (R11).

use core::fmt;

use super::{Breaker, BreakerSettings, Permit, State};
use crate::clock::Instant;
use crate::span::{Span, Ticks};

impl<S: Span, W, O> Breaker<S, W, O> {
    /// The state at `now`; asking changes nothing.
    ///
    /// `HalfOpen` as soon as the cooldown is over, whether or not a trial was asked for.
    pub fn state(&self, now: Instant<S>) -> State {
        if self.state == State::Open && self.left <= self.anchor.passed(now) { State::HalfOpen } else { self.state }
    }

    /// What remains of the cooldown at `now`, zero where it is not open; asking changes nothing.
    pub fn remaining(&self, now: Instant<S>) -> S {
        let left = if self.state == State::Open { self.left } else { S::Ticks::ZERO };
        S::from_ticks(left.minus(self.anchor.passed(now)))
    }

    /// Whether the call under `permit` may be repeated: it is closed, or still awaits this trial. Asking changes nothing.
    ///
    /// `false` for a call that was let through before it opened: while half-open, a repeat would be a trial that nobody permitted.
    ///
    /// ```
    /// use relent::guard::breaker::{Breaker, BreakerSettings, Consecutive};
    /// use relent::{Instant, rng};
    ///
    /// let mut breaker = Breaker::new(BreakerSettings::new(500_u32), Consecutive::new(1));
    /// let (slow, failed) = (breaker.admit(Instant::at(0)).unwrap(), breaker.admit(Instant::at(0)).unwrap());
    /// breaker.failure(failed, Instant::at(0), &mut rng::from_fn(|| 0));
    /// assert!(!breaker.stands(&slow, Instant::at(500)));
    /// let trial = breaker.admit(Instant::at(500)).unwrap();
    /// assert!(breaker.stands(&trial, Instant::at(600)));
    /// ```
    pub fn stands(&self, permit: &Permit, now: Instant<S>) -> bool {
        match self.state {
            State::Closed => true,
            State::Open => false,
            State::HalfOpen => self.trials.awaits(permit.ticket, self.anchor.passed(now)),
        }
    }

    /// How many trials are out.
    pub fn trials_out(&self) -> usize {
        self.trials.out()
    }

    /// What it is set to.
    pub const fn settings(&self) -> &BreakerSettings<S> {
        &self.settings
    }

    /// What it remembers of the outcomes.
    pub const fn window(&self) -> &W {
        &self.window
    }
}

impl<S: Span, W: fmt::Debug, O> fmt::Debug for Breaker<S, W, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Breaker")
            .field("state", &self.state)
            .field("left", &self.left)
            .field("cooldown", &self.cooldown)
            .field("successes", &self.successes)
            .field("trials_out", &self.trials_out())
            .field("window", &self.window)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
