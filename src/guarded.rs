//! Limiter, breaker, retry, attempt time-out: composed.

use core::error::Error;
use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;

use rand_core::Rng;

use crate::attempts::Attempt;
use crate::clock::Sleep;
use crate::context::{Context, WithBreaker};
use crate::gave_up::{GaveUp, Reason};
use crate::guard::breaker::{Outcome, Permit, Refused};
use crate::guard::limiter::Denied;
use crate::guard::{Gate, Limit};
use crate::policy::Policy;
use crate::retry::Classify;
use crate::run::{Hook, Lent, Run};
use crate::span::Span;

/// Why a guarded run gave no value.
#[derive(Clone, Debug, PartialEq)]
pub enum GuardedError<E, S: Span = Duration> {
    /// The limiter denied it; the operation was not called.
    Limited(Denied<S>),
    /// The breaker refused it; the operation was not called.
    Refused(Refused<S>),
    /// It was made and given up.
    GaveUp(GaveUp<E, S>),
}

impl<E, S: Span> GuardedError<E, S> {
    /// The operation's last error, if it was called.
    pub fn into_error(self) -> Option<E> {
        match self {
            Self::GaveUp(gave_up) => Some(gave_up.into_error()),
            Self::Limited(_) | Self::Refused(_) => None,
        }
    }
}

impl<E: fmt::Display, S: Span> fmt::Display for GuardedError<E, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limited(denied) => denied.fmt(f),
            Self::Refused(refused) => refused.fmt(f),
            Self::GaveUp(gave_up) => gave_up.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display, S: Span> Error for GuardedError<E, S> {}

/// A run behind a breaker, and a limiter if one is given; made by [`Run::guarded`].
///
/// ```text
/// limiter → breaker → retry → attempt time-out → the operation
/// ```
///
/// The order, from outside, and why:
///
/// 1. The **limiter** first: a call that comes too soon must not use up one of a half-open breaker's trials.
/// 2. The **breaker** around the retry, not in it: one call is one outcome, so three tries of one request do not count as three failures, and while it is
///    open nothing is tried. It is looked at again before each retry, before the wait and after it: when it has opened meanwhile, through others, the rest
///    is not tried, nor while it is half-open unless this call is one of its trials.
/// 3. The **retry**, with its deadline, and its budget asked last.
/// 4. The **time-out** around each attempt, since a deadline for all would let the first attempt hang through it.
///
/// To wait for the limiter instead of being denied, call [`RateLimiter::wait`](crate::guard::RateLimiter::wait) before the run, or on the lent world before each attempt.
///
/// With plain closures the same is `breaker.call(…, || retry.run(…))`, without the look before each retry. A breaker *inside* the retry
/// (`retry.run(…, || breaker.call(…))`, a refusal classified as `Verdict::from(refused)`, which is `NotBefore`) counts attempts, and waits for the cooldown instead
/// of failing at once: right for firmware that has nothing better to do.
///
/// # Polled
///
/// There is no such value around [`Attempts`](crate::Attempts): a breaker that many runs share cannot be lent to one of them from poll to poll. Its
/// parts borrow nothing; ask them where the loop hands an attempt out, and report once at the end:
///
/// ```
/// use relent::guard::breaker::{Breaker, BreakerSettings, Consecutive, State};
/// use relent::{Constant, Instant, Retry, Step, Verdict, testing::Script};
///
/// let retry = Retry::new(Constant::new(100_u32)).with_max_attempts(3);
/// let mut breaker: Breaker<u32> = Breaker::new(BreakerSettings::new(5_000), Consecutive::new(1));
/// let mut rng = Script::new([0]);
///
/// let (permit, other) = (breaker.admit(Instant::at(0))?, breaker.admit(Instant::at(0))?);
/// let mut run = retry.start(Instant::at(0));
/// let Step::Attempt(first) = run.poll(Instant::at(0)) else { panic!() };
/// _ = run.fail(first, Instant::at(10), Verdict::Retry, &mut rng);
/// breaker.failure(other, Instant::at(50), &mut rng); // another run opens it
///
/// // Before each retry: not while it is open, nor half-open for others.
/// assert!(!breaker.stands(&permit, Instant::at(110)));
/// breaker.failure(permit, Instant::at(110), &mut rng); // from before: changes nothing
/// assert_eq!(breaker.remaining(Instant::at(110)), 4_940);
/// # Ok::<(), relent::guard::breaker::Refused<u32>>(())
/// ```
///
/// # What the breaker hears
///
/// One outcome: a success, a failure when the run gave up, and `Ignored` where that says nothing about the other side (permanent, or
/// cancelled). A permit cannot be lost: an operation that panics gives it back.
///
/// # Examples
///
/// ```
/// use relent::guard::breaker::{Breaker, BreakerSettings, Consecutive};
/// use relent::{Constant, GuardedError, Reason, Retry, testing::{ManualClock, Script}};
///
/// let clock = ManualClock::new();
/// let retry = Retry::new(Constant::new(100_u32)).with_max_attempts(3);
/// let mut breaker = Breaker::new(BreakerSettings::new(5_000), Consecutive::new(2));
/// let mut calls = 0;
/// let mut ask = |answer: Result<u32, &'static str>| {
///     retry.on(&clock, Script::new([0])).guarded(&mut breaker).run(|| {
///         calls += 1;
///         answer
///     })
/// };
///
/// // Two calls of three attempts each are two failures.
/// assert!(matches!(ask(Err("down")), Err(GuardedError::GaveUp(_))));
/// assert!(matches!(ask(Err("down")), Err(GuardedError::GaveUp(_))));
/// assert!(matches!(ask(Ok(7)), Err(GuardedError::Refused(_))));
/// clock.advance(5_000);
/// assert_eq!(ask(Ok(7)), Ok(7));
/// assert_eq!(calls, 7);
/// ```
#[must_use = "it does nothing until `run` or `run_with`"]
pub struct Guarded<'a, P: Policy, K, W, R, H, X, G, L = ()> {
    run: Run<'a, P, K, W, R, H, X>,
    gate: G,
    limit: L,
}

impl<'a, P: Policy, K, W, R, H, X, G> Guarded<'a, P, K, W, R, H, X, G> {
    pub(crate) fn new(run: Run<'a, P, K, W, R, H, X>, gate: G) -> Self {
        Self { run, gate, limit: () }
    }

    /// Puts a limiter in front of the breaker: asked once per call.
    pub fn limiter<L: Limit<P::Span>>(self, limit: L) -> Guarded<'a, P, K, W, R, H, X, G, L> {
        Guarded { run: self.run, gate: self.gate, limit }
    }
}

impl<P, K, W, R, H, X, G, L> Guarded<'_, P, K, W, R, H, X, G, L>
where
    P: Policy,
    W: Sleep<Span = P::Span>,
    R: Rng,
    X: Context<P::Span>,
    G: Gate<P::Span>,
    L: Limit<P::Span>,
{
    /// Calls `op` if limiter and breaker let it through, until it succeeds or there is a reason to stop.
    ///
    /// # Errors
    ///
    /// The limiter's or breaker's refusal, or [`GaveUp`].
    pub fn run<T, Y>(self, mut op: impl FnMut() -> Result<T, Y>) -> Result<T, GuardedError<K::Error, P::Span>>
    where
        K: Classify<Y, P::Span>,
        H: Hook<K::Error, P::Span>,
    {
        self.run_with(|_, _| op())
    }

    /// The same, telling `op` which attempt this is and lending it the world and the generator.
    ///
    /// # Errors
    ///
    /// The limiter's or breaker's refusal, or [`GaveUp`].
    pub fn run_with<T, Y>(
        mut self,
        op: impl FnMut(&Attempt<P::Span>, Lent<'_, W, R>) -> Result<T, Y>,
    ) -> Result<T, GuardedError<K::Error, P::Span>>
    where
        K: Classify<Y, P::Span>,
        H: Hook<K::Error, P::Span>,
    {
        let now = self.run.world.now();
        self.limit.take(now).map_err(GuardedError::Limited)?;
        let permit = self.gate.admit(now).map_err(GuardedError::Refused)?;
        let mut held = Held { gate: self.gate, permit: Some(permit), span: PhantomData };
        let Run { retry, attempts, world, rng, hook } = self.run;
        let (gate, permit) = (&held.gate, held.permit.as_ref());
        let attempts = attempts.map_context(|inner| WithBreaker { gate, permit, inner });
        let mut run = Run { retry, attempts, world, rng, hook };
        let result = run.drive(op);
        let Run { world, mut rng, .. } = run;
        let outcome = match result.as_ref().map_err(GaveUp::reason) {
            Ok(_) => Outcome::Success,
            Err(Reason::Permanent | Reason::Cancelled) => Outcome::Ignored,
            Err(_) => Outcome::Failure,
        };
        if let Some(permit) = held.permit.take() {
            held.gate.record(permit, outcome, world.now(), &mut rng);
        }
        result.map_err(GuardedError::GaveUp)
    }
}

impl<P: Policy, K, W, R, H, X, G, L> fmt::Debug for Guarded<'_, P, K, W, R, H, X, G, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guarded").finish_non_exhaustive()
    }
}

/// Gives the permit back where the operation unwinds.
struct Held<S: Span, G: Gate<S>> {
    gate: G,
    permit: Option<Permit>,
    span: PhantomData<S>,
}

impl<S: Span, G: Gate<S>> Drop for Held<S, G> {
    fn drop(&mut self) {
        if let Some(permit) = self.permit.take() {
            self.gate.give_back(permit);
        }
    }
}
