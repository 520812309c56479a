//! Ticks at the pace of a policy.

use core::fmt;

use rand_core::Rng;

use crate::clock::{self, Instant, Interrupt, Sleep};
use crate::policy::{self, Policy};
use crate::span::{Sealed, Ticks};

/// A blocking iterator of ticks: the first at once, each next one when the policy's wait since the last was *taken* is over.
///
/// ```text
/// tick(1) = now;   tick(n+1) = max(taken(n) + wait(n), when it is asked for)
/// ```
///
/// The policy is asked when a tick is taken, so the interval runs from there. Work that takes longer than the wait gets the next tick at once, but
/// never two: none pile up. It ends when the policy ends, when [stopped](Self::stop), and during a wait when its token is set.
///
/// | constant 1 s, work of 2.5 s | 1 | 2 | 3 | 4 |
/// |---|---|---|---|---|
/// | taken at | 0 | 2.5 | 5 | 7.5 s |
///
/// ```
/// use relent::{Clock, Instant, Ticker, testing::{ManualClock, Script}};
///
/// let clock = ManualClock::new();
/// let ticks = Ticker::new([1_000_u32, 2_000, 3_000], &clock, Script::new([0]));
/// assert_eq!(ticks.collect::<Vec<_>>(), [0, 1_000, 3_000, 6_000].map(Instant::at));
/// ```
pub struct Ticker<P: Policy, W, R, T = ()> {
    policy: P,
    state: P::State,
    world: W,
    rng: R,
    token: T,
    /// What the next tick waits for; `None` when there is none.
    next: Option<Next<P>>,
}

/// When the last tick was taken, and the wait from there; the first is due at once.
struct Next<P: Policy> {
    taken: Instant<P::Span>,
    delay: P::Span,
}

impl<P: Policy, W: Sleep<Span = P::Span>, R: Rng> Ticker<P, W, R> {
    /// Ticks at the pace of `policy`, in `world`.
    pub fn new(policy: P, world: W, rng: R) -> Self {
        let next = Next { taken: world.now(), delay: Sealed::from_ticks(Ticks::ZERO) };
        Self { state: policy.start(), policy, world, rng, token: (), next: Some(next) }
    }

    /// Ends the ticks when `token` is set, during a wait too if the world can be woken.
    pub fn until<T: Interrupt>(self, token: T) -> Ticker<P, W, R, T> {
        let Self { policy, state, world, rng, next, .. } = self;
        Ticker { policy, state, world, rng, token, next }
    }
}

impl<P: Policy, W, R, T> Ticker<P, W, R, T> {
    /// No more ticks. Stopping twice is harmless.
    pub fn stop(&mut self) {
        self.next = None;
    }
}

impl<P: Policy, W: Sleep<Span = P::Span>, R: Rng, T: Interrupt> Iterator for Ticker<P, W, R, T> {
    /// When the tick was taken.
    type Item = Instant<P::Span>;

    fn next(&mut self) -> Option<Instant<P::Span>> {
        let Next { taken, delay } = self.next.take()?;
        let passed = self.world.now().ticks_since(taken);
        let left = delay.to_ticks().minus(passed);
        if left > Ticks::ZERO {
            clock::sleep_out(&mut self.world, Sealed::from_ticks(left), &self.token);
        }
        if self.token.is_set() {
            return None;
        }
        let taken = self.world.now();
        self.next = self.policy.next(&mut self.state).map(|band| {
            let delay = match policy::draw(&self.policy, &mut self.state, band, &mut self.rng) {
                Ok(delay) => Sealed::from_ticks(delay),
            };
            Next { taken, delay }
        });
        Some(taken)
    }
}

impl<P: Policy, W, R, T> fmt::Debug for Ticker<P, W, R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticker").field("ended", &self.next.is_none()).finish_non_exhaustive()
    }
}
