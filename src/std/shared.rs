//! Guards for many threads (R11, R12).

use core::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rand_core::Rng;

use crate::clock::{Clock, Instant, Sleep};
use crate::guard::breaker::{Breaker, CallError, Observer, Outcome, Permit, Refused, State, Window};
use crate::guard::budget::{Budget, FailureKind, Spent};
use crate::guard::limiter::{Denied, RateLimiter};
use crate::guard::{Gate, Limit};
use crate::span::Span;

/// A guard behind a mutex: the same questions, asked by reference, from any thread.
///
/// The lock is held for a question only, never while a call is made or waited for. A thread that panics with it in hand can only do so in the generator, which is asked
/// before anything is opened, in an observer, which is told when all is done, or in [`with`](Self::with); so a poisoned lock is taken as any other.
///
/// Observer and generator are called under the lock: one that asks the same guard waits for itself, for ever.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use relent::guard::breaker::{Breaker, BreakerSettings, Consecutive, State};
/// use relent::{Shared, System, rng};
///
/// static BREAKER: Shared<Breaker> = Shared::new(Breaker::new(BreakerSettings::new(Duration::from_secs(3)), Consecutive::new(5)));
///
/// let system = System::new();
/// let answer = BREAKER.call(&system, &mut rng::from_os(), || Ok::<_, std::io::Error>(7));
/// assert_eq!(answer.unwrap(), 7);
/// ```
///
/// A budget is shared by lending the loop a reference to it:
///
/// ```
/// use relent::guard::budget::{Budget, CostBudget, FailureKind};
/// use relent::{Instant, Shared};
///
/// let shared = Shared::new(CostBudget::new(10));
/// let mut lent = &shared;
/// assert!(lent.try_spend(FailureKind::Transient, Instant::at(0_u32)).is_some());
/// assert_eq!(shared.with(|budget| budget.tokens()), 5);
/// ```
pub struct Shared<T> {
    guard: Mutex<T>,
}

impl<T> Shared<T> {
    /// Puts a guard behind a mutex.
    pub const fn new(guard: T) -> Self {
        Self { guard: Mutex::new(guard) }
    }

    /// Does something with the guard while no other thread can: for what has no shorter form here.
    pub fn with<R>(&self, ask: impl FnOnce(&mut T) -> R) -> R {
        ask(&mut self.lock())
    }

    /// The guard alone.
    pub fn into_inner(self) -> T {
        self.guard.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lock().fmt(f)
    }
}

impl<S: Span, W: Window<S>, O: Observer<S>> Shared<Breaker<S, W, O>> {
    /// As [`Breaker::admit`]; the permit goes back by itself.
    ///
    /// # Errors
    ///
    /// While open, and while half-open with all permits out.
    pub fn admit(&self, now: Instant<S>) -> Result<SharedPermit<'_, S, W, O>, Refused<S>> {
        let permit = self.lock().admit(now)?;
        Ok(SharedPermit { breaker: self, permit: Some(permit) })
    }

    /// As [`Breaker::call`]; other threads are not held up by the call.
    ///
    /// # Errors
    ///
    /// The refusal, or the operation's own error.
    pub fn call<C, R, T, E>(
        &self,
        clock: &C,
        rng: &mut R,
        op: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, CallError<E, S>>
    where
        C: Clock<Span = S> + ?Sized,
        R: Rng + ?Sized,
    {
        self.call_with(clock, rng, |_| Outcome::Failure, op)
    }

    /// As [`Breaker::call_with`]; other threads are not held up by the call.
    ///
    /// # Errors
    ///
    /// The refusal, or the operation's own error.
    pub fn call_with<C, R, T, E>(
        &self,
        clock: &C,
        rng: &mut R,
        judge: impl FnOnce(&E) -> Outcome,
        op: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, CallError<E, S>>
    where
        C: Clock<Span = S> + ?Sized,
        R: Rng + ?Sized,
    {
        let permit = self.admit(clock.now()).map_err(CallError::Refused)?;
        let result = op();
        let outcome = result.as_ref().err().map_or(Outcome::Success, judge);
        permit.record(outcome, clock.now(), rng);
        result.map_err(CallError::Failed)
    }

    /// As [`Breaker::state`].
    pub fn state(&self, now: Instant<S>) -> State {
        self.lock().state(now)
    }

    /// As [`Breaker::remaining`].
    pub fn remaining(&self, now: Instant<S>) -> S {
        self.lock().remaining(now)
    }
}

/// Leave for one call; dropped unreported, by a panic too, it goes back as ignored.
#[must_use = "a permit is spent by reporting how the call went"]
pub struct SharedPermit<'a, S: Span, W: Window<S>, O: Observer<S>> {
    breaker: &'a Shared<Breaker<S, W, O>>,
    permit: Option<Permit>,
}

impl<S: Span, W: Window<S>, O: Observer<S>> SharedPermit<'_, S, W, O> {
    /// Reports a call that worked.
    pub fn success(mut self, now: Instant<S>) {
        if let Some(permit) = self.permit.take() {
            self.breaker.lock().success(permit, now);
        }
    }

    /// Reports a call that failed, at `now`.
    pub fn failure<R: Rng + ?Sized>(self, now: Instant<S>, rng: &mut R) {
        self.record(Outcome::Failure, now, rng);
    }

    /// Reports a call whose outcome is a value.
    pub fn record<R: Rng + ?Sized>(mut self, outcome: Outcome, now: Instant<S>, rng: &mut R) {
        if let Some(permit) = self.permit.take() {
            self.breaker.lock().record(permit, outcome, now, rng);
        }
    }
}

impl<S: Span, W: Window<S>, O: Observer<S>> Drop for SharedPermit<'_, S, W, O> {
    fn drop(&mut self) {
        if let Some(permit) = self.permit.take() {
            self.breaker.lock().ignore(permit);
        }
    }
}

impl<S: Span, W: Window<S>, O: Observer<S>> fmt::Debug for SharedPermit<'_, S, W, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedPermit").field("permit", &self.permit).finish_non_exhaustive()
    }
}

impl<S: Span> Shared<RateLimiter<S>> {
    /// As [`RateLimiter::check`].
    ///
    /// # Errors
    ///
    /// [`Denied::NotYet`]; then nothing was taken.
    pub fn check(&self, now: Instant<S>) -> Result<(), Denied<S>> {
        self.lock().check(now)
    }

    /// As [`RateLimiter::check_n`].
    ///
    /// # Errors
    ///
    /// [`Denied::NotYet`], or [`Denied::Never`] where `n` is more than the burst.
    pub fn check_n(&self, n: u32, now: Instant<S>) -> Result<(), Denied<S>> {
        self.lock().check_n(n, now)
    }

    /// As [`RateLimiter::ready_in`].
    pub fn ready_in(&self, now: Instant<S>) -> S {
        self.lock().ready_in(now)
    }

    /// As [`RateLimiter::wait`]; the threads that wait are served in the order in which they came.
    pub fn wait<W: Sleep<Span = S>>(&self, world: &mut W) -> S {
        let wait = self.lock().reserve(world.now());
        if wait > S::from_ticks(crate::span::Ticks::ZERO) {
            world.sleep(wait);
        }
        wait
    }
}

impl<S: Span, W: Window<S>, O: Observer<S>> Gate<S> for &Shared<Breaker<S, W, O>> {
    fn admit(&mut self, now: Instant<S>) -> Result<Permit, Refused<S>> {
        self.lock().admit(now)
    }

    fn refusal(&self, permit: &Permit, now: Instant<S>) -> Option<S> {
        let breaker = self.lock();
        (!breaker.stands(permit, now)).then(|| breaker.remaining(now))
    }

    fn record<R: Rng + ?Sized>(&mut self, permit: Permit, outcome: Outcome, now: Instant<S>, rng: &mut R) {
        self.lock().record(permit, outcome, now, rng);
    }

    fn give_back(&mut self, permit: Permit) {
        self.lock().ignore(permit);
    }
}

impl<S: Span> Limit<S> for &Shared<RateLimiter<S>> {
    fn take(&mut self, now: Instant<S>) -> Result<(), Denied<S>> {
        self.check(now)
    }
}

impl<S: Span, B: Budget<S>> Budget<S> for &Shared<B> {
    fn on_call(&mut self, now: Instant<S>) {
        self.lock().on_call(now);
    }

    fn on_failure(&mut self, kind: FailureKind, now: Instant<S>) {
        self.lock().on_failure(kind, now);
    }

    fn on_success(&mut self, last: Option<Spent>, now: Instant<S>) {
        self.lock().on_success(last, now);
    }

    fn try_spend(&mut self, kind: FailureKind, now: Instant<S>) -> Option<Spent> {
        self.lock().try_spend(kind, now)
    }
}
