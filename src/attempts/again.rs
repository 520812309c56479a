//! Runs that begin otherwise than with an attempt at once.

use rand_core::Rng;

use super::Attempts;
use crate::clock::Instant;
use crate::policy::{self, Policy};
use crate::retry::Retry;

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
