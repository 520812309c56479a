//! The blocking loop: the only place that touches clock, wait and generator together.

use core::fmt;

use rand_core::Rng;

use crate::attempts::{Attempt, Attempts, Next};
use crate::clock::{Interrupt, Sleep};
use crate::context::{Context, Deadline, WithBudget, WithCancel, WithDeadline, WithKey};
use crate::gave_up::{Event, GaveUp};
use crate::guard::Gate;
use crate::guard::budget::Budget;
use crate::guarded::Guarded;
use crate::idempotency::IdempotencyKey;
use crate::policy::Policy;
use crate::retry::{Classify, Retry};
use crate::span::Span;

impl<P: Policy, K> Retry<P, K> {
    /// Calls `op` until it succeeds or there is a reason to stop, waiting in between.
    ///
    /// `world` tells the time and waits: a timer, [`System`](crate::System), a [`&ManualClock`](crate::testing::ManualClock). Both it and `rng`
    /// can be lent as `&mut`. The operation is called at least once.
    ///
    /// # Errors
    ///
    /// [`GaveUp`] with the operation's last error and the reason.
    ///
    /// ```
    /// use core::time::Duration;
    /// use relent::{Exponential, Retry, testing::{ManualClock, Script}};
    ///
    /// let clock = ManualClock::new();
    /// let mut calls = 0;
    /// let answer = Retry::new(Exponential::new(Duration::from_secs(1))).run(&clock, Script::units([0.5]), || {
    ///     calls += 1;
    ///     if calls < 3 { Err("not yet") } else { Ok(calls) }
    /// });
    /// assert_eq!(answer.unwrap(), 3);
    /// assert_eq!(clock.slept(), Duration::from_millis(1000 + 1500));
    /// ```
    pub fn run<W, R, T, X>(
        &self,
        world: W,
        rng: R,
        op: impl FnMut() -> Result<T, X>,
    ) -> Result<T, GaveUp<K::Error, P::Span>>
    where
        W: Sleep<Span = P::Span>,
        R: Rng,
        K: Classify<X, P::Span>,
    {
        self.on(world, rng).run(op)
    }

    /// Prepares a run in `world`, whose time counts from here, and to which things can be added that belong to one run only: a hook ([`Run::notify`]), and the layers
    /// of the module [`context`](crate::context).
    pub fn on<W: Sleep<Span = P::Span>, R>(&self, world: W, rng: R) -> Run<'_, P, K, W, R> {
        Run { attempts: self.start(world.now()), retry: self, world, rng, hook: Silent }
    }
}

/// A run that is prepared but not begun; made by [`Retry::on`].
#[must_use = "it does nothing until `run` or `run_with`"]
pub struct Run<'a, P: Policy, K, W, R, H = Silent, X = ()> {
    pub(crate) retry: &'a Retry<P, K>,
    pub(crate) attempts: Attempts<&'a Retry<P, K>, X>,
    pub(crate) world: W,
    pub(crate) rng: R,
    pub(crate) hook: H,
}

impl<'a, P: Policy, K, W, R, X> Run<'a, P, K, W, R, Silent, X> {
    /// Tells `hook` of every failure: once per admitted retry, before the wait, and once on giving up.
    ///
    /// What it takes counts as elapsed time.
    ///
    /// ```
    /// use relent::{Constant, Next, Reason, Retry, testing::{ManualClock, Script}};
    ///
    /// let mut log = Vec::new();
    /// let retry = Retry::new(Constant::new(2_000_u32)).with_max_attempts(2);
    /// _ = retry
    ///     .on(&ManualClock::new(), Script::new([0]))
    ///     .notify(|event| log.push((event.attempt(), event.next())))
    ///     .run(|| Err::<(), _>("busy"));
    /// assert_eq!(log, [(1, Next::Wait(2_000)), (2, Next::GiveUp(Reason::Attempts))]);
    /// ```
    pub fn notify<E, F: FnMut(&Event<'_, E, P::Span>)>(self, hook: F) -> Run<'a, P, K, W, R, Notify<F>, X> {
        let Self { retry, attempts, world, rng, .. } = self;
        Run { retry, attempts, world, rng, hook: Notify(hook) }
    }
}

impl<'a, P: Policy, K, W, R, H, X: Context<P::Span>> Run<'a, P, K, W, R, H, X> {
    /// Adds a deadline: no wait that does not end before it, and no retry beyond it. Of several the nearest counts.
    pub fn deadline(self, deadline: Deadline<P::Span>) -> Run<'a, P, K, W, R, H, WithDeadline<P::Span, X>> {
        let Self { retry, attempts, world, rng, hook } = self;
        Run { retry, attempts: attempts.deadline(deadline), world, rng, hook }
    }

    /// Lets `token` call the run off: looked at when a failure is reported and after every wait. A token that can wake a world that can be
    /// woken (`CancelToken` and `System`) ends a wait at once. Of several tokens only the last added wakes: make it a child of the other.
    pub fn cancel<T: Interrupt>(self, token: T) -> Run<'a, P, K, W, R, H, WithCancel<T, X>> {
        let Self { retry, attempts, world, rng, hook } = self;
        Run { retry, attempts: attempts.cancel(token), world, rng, hook }
    }

    /// Draws a key that all attempts of the run carry ([`Attempt::key`]), so that the other side can tell a repeat from a new request.
    ///
    /// ```
    /// use relent::{Constant, Retry, testing::{ManualClock, Script}};
    ///
    /// let mut keys = Vec::new();
    /// let retry = Retry::new(Constant::new(10_u32)).with_max_attempts(2);
    /// _ = retry.on(&ManualClock::new(), Script::new([1, 2])).keyed().run_with(|attempt, _| {
    ///     keys.push(attempt.key().unwrap().to_string());
    ///     Err::<(), _>("timed out")
    /// });
    /// assert_eq!(keys[0], keys[1]);
    /// ```
    pub fn keyed(self) -> Run<'a, P, K, W, R, H, WithKey<X>>
    where
        R: Rng,
    {
        let Self { retry, attempts, world, mut rng, hook } = self;
        let key = IdempotencyKey::new(&mut rng);
        Run { retry, attempts: attempts.key(key), world, rng, hook }
    }

    /// Makes the run only if `breaker` lets it through, and ends it when that opens.
    pub fn guarded<G: Gate<P::Span>>(self, breaker: G) -> Guarded<'a, P, K, W, R, H, X, G> {
        Guarded::new(self, breaker)
    }

    /// Takes retries out of `budget`, which many runs share; it is told every verdict and asked last, so nothing is spent on a retry that is not
    /// made.
    ///
    /// ```
    /// use relent::{Constant, Reason, Retry, guard::RateLimiter, testing::{ManualClock, Script}};
    ///
    /// let mut three_an_hour = RateLimiter::per(3, 3_600_000_u32)?;
    /// let gave_up = Retry::new(Constant::new(1_000_u32))
    ///     .on(&ManualClock::new(), Script::new([0]))
    ///     .budget(&mut three_an_hour)
    ///     .run(|| Err::<(), _>("busy"))
    ///     .unwrap_err();
    /// assert_eq!((gave_up.reason(), gave_up.attempts()), (Reason::Budget, 3));
    /// # Ok::<(), relent::ConfigError>(())
    /// ```
    pub fn budget<B: Budget<P::Span>>(self, budget: B) -> Run<'a, P, K, W, R, H, WithBudget<B, X>> {
        let Self { retry, attempts, world, rng, hook } = self;
        Run { retry, attempts: attempts.budget(budget), world, rng, hook }
    }
}

impl<P: Policy, K, W: Sleep<Span = P::Span>, R: Rng, H, X: Context<P::Span>> Run<'_, P, K, W, R, H, X> {
    /// Calls `op` until it succeeds or there is a reason to stop.
    ///
    /// # Errors
    ///
    /// [`GaveUp`] with the operation's last error and the reason.
    pub fn run<T, Y>(self, mut op: impl FnMut() -> Result<T, Y>) -> Result<T, GaveUp<K::Error, P::Span>>
    where
        K: Classify<Y, P::Span>,
        H: Hook<K::Error, P::Span>,
    {
        self.run_with(|_, _| op())
    }

    /// Calls `op` until it succeeds or there is a reason to stop, telling it which attempt this is and lending it the world and the generator.
    ///
    /// For an operation that waits on the same timer or draws from the same generator.
    ///
    /// # Errors
    ///
    /// [`GaveUp`] with the operation's last error and the reason.
    ///
    /// ```
    /// use relent::{Constant, Retry, Sleep, rng::Rng, testing::{ManualClock, Script}};
    ///
    /// let retry = Retry::new(Constant::new(100_u32)).with_max_attempts(3);
    /// let clock = ManualClock::new();
    /// let sent = retry.on(&clock, Script::units([0.25])).run_with(|attempt, lent| {
    ///     lent.world.sleep(5); // the radio settles
    ///     let channel = lent.rng.next_u32() >> 28;
    ///     if attempt.number() < 3 { Err("no answer") } else { Ok(channel) }
    /// });
    /// assert_eq!(sent.unwrap(), 4);
    /// assert_eq!(clock.slept(), 3 * 5 + 2 * 100);
    /// ```
    #[inline]
    pub fn run_with<T, Y>(
        mut self,
        op: impl FnMut(&Attempt<P::Span>, Lent<'_, W, R>) -> Result<T, Y>,
    ) -> Result<T, GaveUp<K::Error, P::Span>>
    where
        K: Classify<Y, P::Span>,
        H: Hook<K::Error, P::Span>,
    {
        self.drive(op)
    }

    #[inline]
    pub(crate) fn drive<T, Y>(
        &mut self,
        mut op: impl FnMut(&Attempt<P::Span>, Lent<'_, W, R>) -> Result<T, Y>,
    ) -> Result<T, GaveUp<K::Error, P::Span>>
    where
        K: Classify<Y, P::Span>,
        H: Hook<K::Error, P::Span>,
    {
        let attempts = &mut self.attempts;
        loop {
            let attempt = attempts.begin();
            let error = match op(&attempt, Lent { world: &mut self.world, rng: &mut self.rng }) {
                Ok(value) => {
                    attempts.succeed(attempt);
                    return Ok(value);
                }
                Err(error) => error,
            };
            let (error, verdict) = self.retry.classifier().classify(error).into_parts();
            let next = attempts.fail(attempt, self.world.now(), verdict, &mut self.rng);
            self.hook.tell(&Event::new(&error, attempts.attempts(), attempts.elapsed(), next));
            if let Next::GiveUp(reason) = next {
                return Err(attempts.gave_up(error, reason));
            }
            attempts.sleep(&mut self.world);
            if let Some(reason) = attempts.interrupted().or_else(|| attempts.stopped()) {
                self.hook.tell(&Event::new(&error, attempts.attempts(), attempts.elapsed(), Next::GiveUp(reason)));
                return Err(attempts.gave_up(error, reason));
            }
        }
    }
}

impl<P: Policy, K, W, R, H, X> fmt::Debug for Run<'_, P, K, W, R, H, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").finish_non_exhaustive()
    }
}

/// What [`Run::run_with`] lends to the operation.
#[derive(Debug)]
pub struct Lent<'a, W, R> {
    /// The clock and the wait.
    pub world: &'a mut W,
    /// The generator.
    pub rng: &'a mut R,
}

/// Who is told of failures. You do not implement it: [`Run::notify`] takes a closure.
pub trait Hook<E, S: Span>: sealed::Sealed {
    /// Tells of a failure.
    fn tell(&mut self, event: &Event<'_, E, S>);
}

/// Nobody is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl<E, S: Span> Hook<E, S> for Silent {
    #[inline]
    fn tell(&mut self, _: &Event<'_, E, S>) {}
}

/// A closure is told; set by [`Run::notify`].
#[derive(Clone, Copy)]
pub struct Notify<F>(F);

impl<E, S: Span, F: FnMut(&Event<'_, E, S>)> Hook<E, S> for Notify<F> {
    #[inline]
    fn tell(&mut self, event: &Event<'_, E, S>) {
        (self.0)(event);
    }
}

impl<F> fmt::Debug for Notify<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notify").finish_non_exhaustive()
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Silent {}
    impl<F> Sealed for super::Notify<F> {}
}
