//! The waits of a policy, drawn one by one.

use rand_core::Rng;

use crate::policy::{self, Policy};
use crate::span::Sealed;

/// An iterator of drawn waits, for those who write the loop themselves; made by [`Policy::delays`].
///
/// [`Retry`](crate::Retry) does more with less: time limits, hints, reasons. Those who know the Go library find `next_backoff` and `reset`.
///
/// It is not `Clone`: a copy of the generator would draw the same waits again.
///
/// ```
/// use relent::{Exponential, Policy, testing::Script};
///
/// let mut delays = Exponential::new(100_u32).with_multiplier(2.0).delays(Script::units([0.5]));
/// assert_eq!(delays.next_backoff(), Some(100));
/// assert_eq!(delays.next_backoff(), Some(200));
/// delays.reset();
/// assert_eq!(delays.next(), Some(100));
/// ```
#[derive(Debug)]
pub struct Delays<P: Policy, R> {
    policy: P,
    state: P::State,
    rng: R,
}

impl<P: Policy, R> Delays<P, R> {
    /// The waits of `policy`, drawn with `rng`.
    pub fn new(policy: P, rng: R) -> Self {
        Self { state: policy.start(), policy, rng }
    }

    /// Begins the schedule again; the generator goes on.
    pub fn reset(&mut self) {
        self.state = self.policy.start();
    }

    /// The next wait; `None` when the policy has ended.
    #[doc(alias = "NextBackOff")]
    #[inline(always)]
    pub fn next_backoff(&mut self) -> Option<P::Span>
    where
        R: Rng,
    {
        let band = self.policy.next(&mut self.state)?;
        match policy::draw(&self.policy, &mut self.state, band, &mut self.rng) {
            Ok(delay) => Some(Sealed::from_ticks(delay)),
        }
    }
}

impl<P: Policy, R: Rng> Iterator for Delays<P, R> {
    type Item = P::Span;

    #[inline(always)]
    fn next(&mut self) -> Option<P::Span> {
        self.next_backoff()
    }
}
