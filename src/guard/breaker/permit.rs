//! What passes between a breaker and its users: permits, outcomes, refusals, transitions (R11).

use core::error::Error;
use core::fmt;
use core::time::Duration;

use crate::span::Span;
use crate::verdict::Verdict;

/// Leave for one call, spent by reporting how it went.
///
/// It borrows nothing, so a call may be reported much later. A breaker hands out numbers, and a permit whose number is no longer awaited (the
/// breaker has opened or closed since, or the permit was taken back) changes nothing. Dropping one loses it: as a trial it is
/// taken back after one cooldown, or as [set](super::BreakerSettings::with_reclaim_after).
#[must_use = "a permit is spent by reporting how the call went"]
#[derive(Debug)]
pub struct Permit {
    pub(super) ticket: u32,
}

/// How a permitted call went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It worked: ends a run of failures, and counts towards closing.
    Success,
    /// It failed in a way that says something about the other side.
    Failure,
    /// It says nothing about the other side (a bad request, a cancelled call): only gives the permit back.
    Ignored,
}

/// Whether calls are let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// All of them.
    Closed,
    /// None, until the cooldown is over.
    Open,
    /// A few trials at a time.
    HalfOpen,
}

/// A change of state, as the observer hears of it.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transition<S = Duration> {
    /// A failure tripped it: open for this cooldown.
    Opened(S),
    /// The first trial after a cooldown was let through.
    HalfOpened,
    /// Enough trials succeeded, or it was reset.
    Closed,
}

/// Something that is told of transitions: any `FnMut(Transition<S>)`, or `()` for nobody.
pub trait Observer<S> {
    /// The breaker has just changed state.
    fn changed(&mut self, transition: Transition<S>);
}

impl<S> Observer<S> for () {
    #[inline]
    fn changed(&mut self, _: Transition<S>) {}
}

impl<S, F: FnMut(Transition<S>)> Observer<S> for F {
    #[inline]
    fn changed(&mut self, transition: Transition<S>) {
        self(transition);
    }
}

/// The breaker let the call not through; becomes [`Verdict::NotBefore`] what remains of the cooldown.
///
/// ```
/// use relent::Verdict;
/// use relent::guard::breaker::{Refused, State};
///
/// let refused = Refused::new(State::Open, 1_200_u32);
/// assert_eq!(refused.to_string(), "the breaker is open");
/// assert_eq!(Verdict::from(refused), Verdict::NotBefore(1_200));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Refused<S = Duration> {
    state: State,
    remaining: S,
}

impl<S: Copy> Refused<S> {
    /// For tests, and for guards of your own.
    pub const fn new(state: State, remaining: S) -> Self {
        Self { state, remaining }
    }

    /// `Open`, or `HalfOpen` with all permits out.
    pub const fn state(&self) -> State {
        self.state
    }

    /// What remains of the cooldown; zero while half-open, since a trial may be reported at any moment.
    pub const fn remaining(&self) -> S {
        self.remaining
    }
}

impl<S: Span> From<Refused<S>> for Verdict<S> {
    fn from(refused: Refused<S>) -> Self {
        Self::NotBefore(refused.remaining)
    }
}

impl<S> fmt::Display for Refused<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.state {
            State::HalfOpen => "the breaker is half-open and its trials are out",
            _ => "the breaker is open",
        })
    }
}

impl<S: fmt::Debug> Error for Refused<S> {}
