//! Keeping a link up: retries that know how long the last connection held.
//!
//! ```text
//!            due             succeed
//! waiting ────────▶ attempting ────────▶ up
//!   ▲  ▲              │ fail              │ lost
//!   │  └──────────────┤◀──────────────────┘
//!   │ retry_now       │ no more
//!   └────────────── down
//! ```
//!
//! Nothing here panics.

mod link;
mod step;

pub use link::Link;
pub use step::{LinkState, LinkStep};

use rand_core::Rng;

use crate::band::Band;
use crate::clock::Instant;
use crate::policy::{Exponential, Policy};
use crate::retry::{Always, Retry};
use crate::span::Sealed;

/// Everything about keeping a link up that is decided beforehand.
///
/// | | |
/// |---|---|
/// | the [`Retry`] | waits between attempts, the attempt time-out, and when to give up, if ever |
/// | `stable_after` | a link that was up for so long starts the next outage from the first interval; one that drops sooner goes on growing |
/// | [`with_min_spacing`](Self::with_min_spacing) | how soon after an attempt an event from outside can cause another |
///
/// So a link that comes up and drops at once, for want of a licence or of current, does not reconnect every second for ever:
///
/// | sessions last, with waits of 1 s, ×2 and `stable_after` 30 s | waits before reconnecting, s |
/// |---|---|
/// | 1 s each | 1, 2, 4, 8 … |
/// | 1 s, 1 s, 1 s, then a minute, then 1 s | 1, 2, 4, 1, 2 |
///
/// It is a value, usually a `const`. Time is told as ticks that may wrap; a link may stay up for years on a 32-bit millisecond counter, if it is polled
/// at least once in every half range (24.8 days).
///
/// # Examples
///
/// ```
/// use relent::reconnect::{LinkStep, Reconnect};
/// use relent::{Exponential, Instant, Jitter, Next, Retry, Verdict, testing::Script};
///
/// const POLICY: Exponential<u32> = Exponential::new(1_000).with_multiplier(2.0).with_jitter(Jitter::None);
/// const UPLINK: Reconnect<Exponential<u32>> =
///     Reconnect::new(Retry::new(POLICY.with_max_interval(60_000)).with_attempt_timeout(5_000), 30_000);
///
/// let at = Instant::<u32>::at;
/// let mut rng = Script::new([0]);
/// let mut link = UPLINK.start(at(0));
///
/// let LinkStep::Attempt(join) = link.poll(at(0)) else { panic!() };
/// link.succeed(join, at(200));
/// assert_eq!(link.poll(at(700)), LinkStep::Up);
///
/// // It held for a second only: the growth goes on.
/// assert_eq!(link.lost(at(1_200), Verdict::Retry, &mut rng), Next::Wait(1_000));
/// let LinkStep::Attempt(join) = link.poll(at(2_200)) else { panic!() };
/// link.succeed(join, at(2_300));
/// assert_eq!(link.lost(at(3_300), Verdict::Retry, &mut rng), Next::Wait(2_000));
///
/// // It held for a minute: the growth starts anew.
/// let LinkStep::Attempt(join) = link.poll(at(5_300)) else { panic!() };
/// link.succeed(join, at(5_400));
/// assert_eq!(link.lost(at(65_400), Verdict::Retry, &mut rng), Next::Wait(1_000));
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "settings do nothing until they are started"]
pub struct Reconnect<P: Policy = Exponential, K = Always> {
    retry: Retry<P, K>,
    stable_after: P::Span,
    min_spacing: P::Span,
}

impl<P: Policy, K> Reconnect<P, K> {
    /// Retries as `retry` says, and starts anew once the link was up for `stable_after`. With 0, every success starts anew.
    pub const fn new(retry: Retry<P, K>, stable_after: P::Span) -> Self {
        Self { retry, stable_after, min_spacing: P::Span::ZERO }
    }

    /// An event from outside causes no attempt sooner than `spacing` after the start of the last one. 0 unless set.
    pub const fn with_min_spacing(mut self, spacing: P::Span) -> Self {
        self.min_spacing = spacing;
        self
    }

    /// Waits, limits, and what errors mean.
    pub const fn retry(&self) -> &Retry<P, K> {
        &self.retry
    }

    /// How long a link must be up to start anew.
    pub const fn stable_after(&self) -> P::Span {
        self.stable_after
    }

    /// The least time from the start of an attempt to one that an event causes.
    pub const fn min_spacing(&self) -> P::Span {
        self.min_spacing
    }

    /// A link whose first attempt is due at once.
    pub fn start(&self, now: Instant<P::Span>) -> Link<'_, P, K> {
        Link::new(self, self.retry.start(now), now)
    }

    /// A link whose first attempt is due after a wait drawn from `band`, so that a thousand devices switched on together do not attempt
    /// together (a splay).
    pub fn start_after<R: Rng + ?Sized>(
        &self,
        now: Instant<P::Span>,
        band: Band<P::Span>,
        rng: &mut R,
    ) -> Link<'_, P, K> {
        Link::new(self, self.retry.start_after(now, band, rng), now)
    }

    /// A link that goes on after a reset, a brown-out say, with [`Link::failures`] as kept in memory that survives it.
    ///
    /// The first attempt comes after the wait of that retry, so a device whose own attempt pulls its supply down does not do that over and over at the
    /// pace of its boot loader. With 0 this is [`start`](Self::start). A count beyond 1024 makes no further difference to the growth.
    ///
    /// ```
    /// use relent::reconnect::{LinkStep, Reconnect};
    /// use relent::{Exponential, Instant, Jitter, Retry, testing::Script};
    ///
    /// let policy = Exponential::new(1_000_u32).with_multiplier(2.0).with_jitter(Jitter::None);
    /// let uplink = Reconnect::new(Retry::new(policy), 30_000);
    /// let mut link = uplink.resume(Instant::at(0), 4, &mut Script::new([0]));
    /// assert_eq!(link.poll(Instant::at(0)), LinkStep::Wait(8_000));
    /// assert_eq!(link.failures(), 4);
    /// ```
    pub fn resume<R: Rng + ?Sized>(&self, now: Instant<P::Span>, failures: u32, rng: &mut R) -> Link<'_, P, K> {
        let mut attempts = self.retry.start(now);
        attempts.resume(failures, now, rng);
        Link::new(self, attempts, now)
    }
}
