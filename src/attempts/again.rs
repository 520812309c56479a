//! Runs that begin otherwise than with an attempt at once, and runs that begin again.

use rand_core::Rng;

use super::{Attempt, Attempts, Phase, SpanOf};
use crate::clock::Instant;
use crate::policy::{self, Policy};
use crate::retry::{Retry, Settings};
use crate::span::Ticks;
use crate::verdict::Verdict;

impl<P: Policy, K> Retry<P, K> {
    /// Starts a run whose first attempt too is due only after a wait that the policy gives, as in CSMA-CA: attempt `n` comes after the
    /// policy's `n`-th wait.
    ///
    /// A policy that gives no wait at all still gets its one attempt, at once.
    ///
    /// ```
    /// use relent::{Instant, Next, Retry, Step, Verdict, testing::Script};
    ///
    /// let mut rng = Script::new([0]);
    /// let retry = Retry::new([10_u32, 20]);
    /// let mut run = retry.start_waiting(Instant::at(0), &mut rng);
    /// assert_eq!(run.poll(Instant::at(0)), Step::Wait(10));
    /// let Step::Attempt(first) = run.poll(Instant::at(10)) else { panic!() };
    /// assert_eq!(run.fail(first, Instant::at(10), Verdict::Retry, &mut rng), Next::Wait(20));
    /// ```
    pub fn start_waiting<R: Rng + ?Sized>(&self, now: Instant<P::Span>, rng: &mut R) -> Attempts<&Self> {
        let mut attempts = Attempts::new(self, now);
        if let Some(band) = self.policy().next(&mut attempts.state) {
            attempts.left = match policy::draw(self.policy(), &mut attempts.state, band, rng) {
                Ok(delay) => delay,
            };
        }
        attempts
    }
}

/// No policy is worth more steps than these; it bounds what a garbled count can cost.
const MOST_SKIPPED: u32 = 1_024;

impl<C: Settings> Attempts<C> {
    /// Begins a new run in place. The tokens of the old one are stale.
    pub(crate) fn restart(&mut self, now: Instant<SpanOf<C>>) {
        self.state = self.settings.policy().start();
        self.last = now;
        self.elapsed = Ticks::ZERO;
        self.left = Ticks::ZERO;
        self.begun = Ticks::ZERO;
        self.first_failure = Ticks::ZERO;
        self.made = 0;
        self.serial = self.serial.wrapping_add(1);
        self.phase = Phase::Waiting;
    }

    /// Goes on as if so many attempts had been made, the last of them failing just now.
    pub(crate) fn resume<R: Rng + ?Sized>(&mut self, failures: u32, now: Instant<SpanOf<C>>, rng: &mut R) {
        let Some(before) = failures.checked_sub(1) else { return };
        for _ in 0..before.min(MOST_SKIPPED) {
            let policy = self.settings.policy();
            if policy.is_settled(&self.state) {
                break;
            }
            let Some(band) = policy.next(&mut self.state) else { break };
            match policy::draw(policy, &mut self.state, band, rng) {
                Ok(_) => {}
            }
        }
        self.made = before;
        let attempt = self.begin();
        _ = self.fail(attempt, now, Verdict::Retry, rng);
    }

    /// Whether an attempt was handed out and not reported.
    pub(crate) fn is_in_flight(&self) -> bool {
        self.phase == Phase::InFlight
    }

    /// Whether `attempt` is the one in flight.
    pub(crate) fn holds(&self, attempt: &Attempt<SpanOf<C>>) -> bool {
        self.is_live(attempt)
    }

    /// Counts the time up to `now`.
    pub(crate) fn tell(&mut self, now: Instant<SpanOf<C>>) {
        self.advance(now);
    }
}
