//! A circuit breaker: stops calling what keeps failing, and tries it again with care (R11).
//!
//! | state | admits | leaves it |
//! |---|---|---|
//! | closed | every call | when a failure fills the [`Window`] |
//! | open | nothing | when the cooldown is over |
//! | half-open | a few trials at once | closed by enough successes, open by one failure |
//!
//! Nothing here panics, but for the constructors of constants.

mod buckets;
mod call;
mod look;
mod outcomes;
mod permit;
mod settings;
mod trials;
mod window;

use core::time::Duration;

use rand_core::Rng;

use crate::clock::Instant;
use crate::guard::Anchor;
use crate::span::{Span, Ticks};
use trials::Trials;

pub use buckets::LastSpan;
pub use call::CallError;
pub use outcomes::LastOutcomes;
pub use permit::{Observer, Outcome, Permit, Refused, State, Transition};
pub use settings::BreakerSettings;
pub use window::{Consecutive, Threshold, Window};

/// A circuit breaker.
///
/// `admit` before each call; report how it went with `success`, `failure`, `ignore`, or have both done by [`call`](Self::call).
/// [`Breaker::default`] opens for 3 s after 5 failures in a row.
///
/// Only a failure draws (its cooldown, where a jitter is set); without one no word is taken from the generator.
///
/// | 32-bit target | `u32` | `Duration` |
/// |---|---|---|
/// | `Breaker<S, Consecutive>`, settings included | 152 bytes | 248 bytes |
///
/// # Examples
///
/// ```
/// use relent::guard::breaker::{Breaker, BreakerSettings, Consecutive, State};
/// use relent::{Instant, rng};
///
/// const LINK: BreakerSettings<u32> = BreakerSettings::new(10_000);
/// let mut breaker = Breaker::new(LINK, Consecutive::new(2));
/// let mut rng = rng::from_fn(|| 0);
/// let at = Instant::<u32>::at;
///
/// for t in [0, 1_000] {
///     let permit = breaker.admit(at(t)).unwrap();
///     breaker.failure(permit, at(t), &mut rng);
/// }
/// assert_eq!(breaker.admit(at(4_000)).unwrap_err().remaining(), 7_000);
/// assert_eq!(breaker.state(at(11_000)), State::HalfOpen);
///
/// let trial = breaker.admit(at(11_000)).unwrap();
/// assert!(breaker.admit(at(11_500)).is_err());
/// breaker.success(trial, at(12_000));
/// assert_eq!(breaker.state(at(12_000)), State::Closed);
/// ```
///
/// In a `static`, behind the lock that the platform has: `critical_section::Mutex<RefCell<_>>` in firmware, `std::sync::Mutex` here.
///
/// ```
/// use relent::Instant;
/// use relent::guard::breaker::{Breaker, BreakerSettings, Consecutive};
/// use std::sync::Mutex;
///
/// static LINK: Mutex<Breaker<u32>> = Mutex::new(Breaker::new(BreakerSettings::new(10_000), Consecutive::new(5)));
///
/// let permit = LINK.lock().unwrap().admit(Instant::at(0)).unwrap();
/// // … the call, without holding the lock …
/// LINK.lock().unwrap().success(permit, Instant::at(40));
/// ```
pub struct Breaker<S: Span = Duration, W = Consecutive, O = ()> {
    settings: BreakerSettings<S>,
    window: W,
    observer: O,
    anchor: Anchor<S>,
    /// `Open` until the first trial is let through, however long ago the cooldown was over.
    state: State,
    /// What is left of the cooldown while open.
    left: S::Ticks,
    /// The present cooldown, before its jitter.
    cooldown: S::Ticks,
    /// Trials that succeeded since it half-opened.
    successes: u32,
    /// The number on the permits of this closed phase, or on the latest trial; never 0.
    ticket: u32,
    trials: Trials<S>,
}

impl<S: Span, W: Window<S>> Breaker<S, W> {
    /// A closed breaker.
    pub const fn new(settings: BreakerSettings<S>, window: W) -> Self {
        Self::assemble(settings, window, ())
    }

    /// With an observer of its transitions.
    ///
    /// ```
    /// use relent::guard::breaker::{Breaker, BreakerSettings, Consecutive, Transition};
    /// use relent::{Instant, rng};
    ///
    /// let mut seen = Vec::new();
    /// let mut breaker = Breaker::new(BreakerSettings::new(500_u32), Consecutive::new(1)).with_observer(|t| seen.push(t));
    /// let permit = breaker.admit(Instant::at(0)).unwrap();
    /// breaker.failure(permit, Instant::at(0), &mut rng::from_fn(|| 0));
    /// drop(breaker);
    /// assert_eq!(seen, [Transition::Opened(500)]);
    /// ```
    pub const fn with_observer<O: Observer<S>>(self, observer: O) -> Breaker<S, W, O> {
        Breaker::assemble(self.settings, self.window, observer)
    }
}

impl<S: Span, W: Window<S>, O> Breaker<S, W, O> {
    const fn assemble(settings: BreakerSettings<S>, window: W, observer: O) -> Self {
        Self {
            settings,
            window,
            observer,
            anchor: Anchor::new(),
            state: State::Closed,
            left: S::Ticks::ZERO,
            cooldown: S::Ticks::ZERO,
            successes: 0,
            ticket: 1,
            trials: Trials::new(),
        }
    }
}

impl<S: Span, W: Window<S>, O: Observer<S>> Breaker<S, W, O> {
    /// Asks for leave to make a call at `now`.
    ///
    /// # Errors
    ///
    /// While open, and while half-open with all permits out.
    #[inline]
    pub fn admit(&mut self, now: Instant<S>) -> Result<Permit, Refused<S>> {
        self.advance(now);
        if self.state == State::Closed {
            return Ok(Permit { ticket: self.ticket });
        }
        self.admit_trial()
    }

    /// Reports a call that worked.
    #[inline]
    #[expect(clippy::needless_pass_by_value, reason = "reporting spends the permit")]
    pub fn success(&mut self, permit: Permit, now: Instant<S>) {
        self.advance(now);
        if self.state != State::Closed {
            self.trial_success(permit.ticket);
        } else if permit.ticket == self.ticket {
            self.window.success();
        }
    }

    /// Reports a call that failed, at `now`: the cooldown counts from here.
    #[inline]
    #[expect(clippy::needless_pass_by_value, reason = "reporting spends the permit")]
    pub fn failure<R: Rng + ?Sized>(&mut self, permit: Permit, now: Instant<S>, rng: &mut R) {
        self.advance(now);
        let trips = match self.state {
            State::Closed => permit.ticket == self.ticket && self.window.failure(),
            _ => self.trials.give_back(permit.ticket),
        };
        if trips {
            self.open(rng);
        }
    }

    /// Gives the permit of a call back that says nothing about the other side.
    #[inline]
    #[expect(clippy::needless_pass_by_value, reason = "reporting spends the permit")]
    pub fn ignore(&mut self, permit: Permit) {
        self.trials.give_back(permit.ticket);
    }

    /// Reports a call whose outcome is a value.
    #[inline]
    pub fn record<R: Rng + ?Sized>(&mut self, permit: Permit, outcome: Outcome, now: Instant<S>, rng: &mut R) {
        match outcome {
            Outcome::Success => self.success(permit, now),
            Outcome::Failure => self.failure(permit, now, rng),
            Outcome::Ignored => self.ignore(permit),
        }
    }

    /// Closes it and forgets all outcomes; permits that are out change nothing any more.
    pub fn reset(&mut self) {
        let was = self.state;
        self.window.clear();
        self.renumber(State::Closed);
        if was != State::Closed {
            self.observer.changed(Transition::Closed);
        }
    }

    /// After a restart of the timer: goes on from `now`, adding no time.
    pub fn rebase(&mut self, now: Instant<S>) {
        self.anchor.rebase(now);
    }

    /// Adds the time since the latest reading to all that waits for it.
    #[inline]
    fn advance(&mut self, now: Instant<S>) {
        let step = self.anchor.step(now);
        if self.state == State::Closed { self.window.pass(step) } else { self.advance_trials(step) }
    }

    // The rare paths stay out of line: inlined into each of the questions they would double the code.
    #[inline(never)]
    fn advance_trials(&mut self, step: S::Ticks) {
        self.left = self.left.minus(step);
        self.trials.pass(step);
    }

    #[inline(never)]
    fn trial_success(&mut self, ticket: u32) {
        if self.state == State::HalfOpen && self.trials.give_back(ticket) {
            self.successes = self.successes.saturating_add(1);
            if self.successes >= self.settings.successes() {
                self.reset();
            }
        }
    }

    #[inline(never)]
    fn admit_trial(&mut self) -> Result<Permit, Refused<S>> {
        if self.state == State::Open {
            if self.left > S::Ticks::ZERO {
                return Err(Refused::new(State::Open, S::from_ticks(self.left)));
            }
            self.successes = 0;
            self.renumber(State::HalfOpen);
            self.observer.changed(Transition::HalfOpened);
        }
        let ticket = next(self.ticket);
        let lifetime = self.settings.lifetime(self.cooldown);
        if self.trials.take(self.settings.permits(), ticket, lifetime) {
            self.ticket = ticket;
            return Ok(Permit { ticket });
        }
        Err(Refused::new(State::HalfOpen, S::from_ticks(S::Ticks::ZERO)))
    }

    #[inline(never)]
    fn open<R: Rng + ?Sized>(&mut self, rng: &mut R) {
        let cooldown = match self.state {
            State::Closed => self.settings.first(),
            _ => self.settings.grown(self.cooldown),
        };
        let drawn = self.settings.band(cooldown).draw(rng);
        self.cooldown = cooldown;
        self.left = drawn.to_ticks();
        self.renumber(State::Open);
        self.observer.changed(Transition::Opened(drawn));
    }

    /// Enters a state in which no permit from before counts.
    fn renumber(&mut self, state: State) {
        self.state = state;
        self.ticket = next(self.ticket);
        self.trials.clear();
    }
}

/// 3 s after 5 failures in a row, the plain form.
impl Default for Breaker {
    fn default() -> Self {
        Self::new(BreakerSettings::new(Duration::from_secs(3)), Consecutive::default())
    }
}

/// The number after `ticket`, passing over 0.
const fn next(ticket: u32) -> u32 {
    match ticket.wrapping_add(1) {
        0 => 1,
        next => next,
    }
}
