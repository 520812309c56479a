//! One call through a breaker, whose permit cannot be lost (R11).

use core::error::Error;
use core::fmt;
use core::time::Duration;

use rand_core::Rng;

use super::{Breaker, Observer, Outcome, Permit, Refused, Window};
use crate::clock::Clock;
use crate::span::Span;

/// Why a call through a breaker gave no value: it was not made, or the operation's own error.
///
/// ```
/// use relent::guard::breaker::{CallError, Refused, State};
///
/// let error: CallError<&str, u32> = CallError::Refused(Refused::new(State::Open, 10));
/// assert_eq!(error.to_string(), "the breaker is open");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallError<E, S = Duration> {
    /// The call was not made.
    Refused(Refused<S>),
    /// The call was made and failed.
    Failed(E),
}

impl<E: fmt::Display, S> fmt::Display for CallError<E, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display, S: fmt::Debug> Error for CallError<E, S> {}

impl<S: Span, W: Window<S>, O: Observer<S>> Breaker<S, W, O> {
    /// Makes one call if it is let through; `Err` is a failure.
    ///
    /// An operation that panics gives its permit back, as ignored.
    ///
    /// # Errors
    ///
    /// The refusal, or the operation's own error.
    ///
    /// ```
    /// use core::time::Duration;
    /// use relent::guard::breaker::{Breaker, BreakerSettings, CallError, Consecutive};
    /// use relent::{rng, testing::ManualClock};
    ///
    /// let clock = ManualClock::new();
    /// let mut rng = rng::from_fn(|| 0);
    /// let mut breaker = Breaker::new(BreakerSettings::new(Duration::from_secs(3)), Consecutive::new(1));
    /// let failed = breaker.call(&clock, &mut rng, || Err::<(), _>("down"));
    /// assert_eq!(failed, Err(CallError::Failed("down")));
    /// let refused = breaker.call(&clock, &mut rng, || Ok::<_, &str>(()));
    /// assert!(matches!(refused, Err(CallError::Refused(_))));
    /// clock.advance(Duration::from_secs(3));
    /// assert_eq!(breaker.call(&clock, &mut rng, || Ok::<_, &str>(7)), Ok(7));
    /// ```
    pub fn call<C, R, T, E>(
        &mut self,
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

    /// As [`call`](Self::call), with `judge` to say which errors are failures.
    ///
    /// # Errors
    ///
    /// The refusal, or the operation's own error.
    pub fn call_with<C, R, T, E>(
        &mut self,
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
        let mut held = Held { breaker: self, permit: Some(permit) };
        let result = op();
        let outcome = result.as_ref().err().map_or(Outcome::Success, judge);
        if let Some(permit) = held.permit.take() {
            held.breaker.record(permit, outcome, clock.now(), rng);
        }
        result.map_err(CallError::Failed)
    }
}

/// Gives the permit back where the operation unwinds.
struct Held<'a, S: Span, W: Window<S>, O: Observer<S>> {
    breaker: &'a mut Breaker<S, W, O>,
    permit: Option<Permit>,
}

impl<S: Span, W: Window<S>, O: Observer<S>> Drop for Held<'_, S, W, O> {
    fn drop(&mut self) {
        if let Some(permit) = self.permit.take() {
            self.breaker.ignore(permit);
        }
    }
}
