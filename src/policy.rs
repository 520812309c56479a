//! The policies, and what a policy is.
//!
//! | policy | nominal interval of retry n | |
//! |---|---|---|
//! | [`Exponential`] | `initial · multiplier^(n−1)`, capped | the usual choice |
//! | [`Constant`] | the same | polling |
//! | [`Linear`] | `initial + step · (n−1)`, capped | |
//! | [`Fibonacci`] | `initial · F(n)`, capped: 1, 1, 2, 3, 5 … | gentler than doubling |
//! | [`Decorrelated`] | none: up to three times the last wait | AWS's "decorrelated jitter" |
//! | [`DrawOnce`] | the first wait, drawn, `· multiplier^(n−1)` | CoAP |
//! | [`Recursive`] | the last wait · multiplier, capped | DHCPv6 |
//! | [`Slots`] | none: whole slots, `0..=2^BE − 1` | CSMA-CA, Ethernet |
//! | [`Table`], an array, a slice | as listed, then the end | schedules from a standard |
//! | [`Zero`] | 0 | tests; an operation that blocks itself |
//! | [`Never`] | the end | switching retries off |
//!
//! Any of them can be bounded and joined: [`max_retries`](Policy::max_retries), [`at_most`](Policy::at_most),
//! [`at_least`](Policy::at_least), [`then`](Policy::then).

mod combinators;
mod constant;
mod decorrelated;
mod draw_once;
mod exponential;
mod fibonacci;
mod linear;
mod recursive;
mod shape;
mod slots;
mod table;

pub use combinators::{AtLeast, AtMost, Counted, MaxRetries, Then, ThenState};
pub use constant::{Constant, Never, Zero};
pub use decorrelated::{Decorrelated, Drawn};
pub use draw_once::{Chain, DrawOnce};
pub use exponential::{Exponential, Growth};
pub use fibonacci::{Fibonacci, Pair};
pub use linear::{Linear, Ramp};
pub use recursive::Recursive;
pub use slots::{Exponent, Slots};
pub use table::{Position, Table};

use rand_core::TryRng;

use crate::band::Band;
use crate::delays::Delays;
use crate::plan::Plan;
use crate::span::{Sealed, Span};

/// Settings that say, for every retry, between which two waits to draw.
///
/// A policy is a value: usually `Copy`, built in a `const`, kept in flash. What changes during a run is its `State`, made
/// by [`start`](Self::start), so one policy can serve any number of runs at once and nothing needs a reset.
///
/// # For users
///
/// The provided methods bound, join, list and preview policies; they work on `&policy` too.
///
/// # For implementers
///
/// Only `start` and `next` are required. The trait is not object-safe, as states differ in type. To choose a policy at run time,
/// write an enum, with an enum for the state; each method is one `match`:
///
/// ```
/// use relent::{Band, Constant, Exponential, Policy, policy::Growth};
///
/// #[derive(Clone, Copy)]
/// enum Pace { Steady(Constant), Growing(Exponential) }
///
/// impl Policy for Pace {
///     type Span = core::time::Duration;
///     type State = Growth;
///     fn start(&self) -> Growth {
///         match self {
///             Pace::Steady(_) => Growth::default(),
///             Pace::Growing(p) => p.start(),
///         }
///     }
///     fn next(&self, state: &mut Growth) -> Option<Band> {
///         match self {
///             Pace::Steady(p) => p.next(&mut p.start()),
///             Pace::Growing(p) => p.next(state),
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a policy",
    note = "for the same wait every time write `Constant::new(wait)`; for a list in a vector `Table::new(vector)`"
)]
pub trait Policy {
    /// How this policy measures time.
    type Span: Span;

    /// What one run remembers.
    type State: Copy;

    /// The state before the first retry.
    fn start(&self) -> Self::State;

    /// The band of the next retry; `None` ends the run.
    fn next(&self, state: &mut Self::State) -> Option<Band<Self::Span>>;

    /// Tells the policy what was drawn from the band it gave, for those whose next band depends on it. The ends of that band must
    /// not shrink when `delay` grows, or the best and worst case of a [`Plan`] would be wrong.
    #[inline]
    fn drawn(&self, state: &mut Self::State, delay: Self::Span) {
        _ = (state, delay);
    }

    /// The distance between possible waits, for a policy of whole slots: `lo`, `lo + grain`, `lo + 2·grain` … up to `hi`. `None` is every tick.
    #[inline]
    fn grain(&self, state: &Self::State) -> Option<Self::Span> {
        _ = state;
        None
    }

    /// Lets the intervals grow from the first again, after a hint from the other side. What counts (retries left, entries of a
    /// table) stays used.
    #[inline]
    fn restart_growth(&self, state: &mut Self::State) {
        _ = state;
    }

    /// The nominal interval of the next retry, before jitter, where the policy has one; for a [`Plan`].
    #[inline]
    fn nominal(&self, state: &Self::State) -> Option<Self::Span> {
        _ = state;
        None
    }

    /// Whether every band from now on is the same, so that a [`Plan`] can skip ahead. `false` is always right.
    #[inline]
    fn is_settled(&self, state: &Self::State) -> bool {
        _ = state;
        false
    }

    /// At most `n` retries, then the end.
    fn max_retries(self, n: u32) -> MaxRetries<Self>
    where
        Self: Sized,
    {
        MaxRetries::new(self, n)
    }

    /// Waits never above `limit`: bands are clipped before the draw.
    ///
    /// A policy that grows goes on growing behind it, until its whole band lies above `limit` and every wait is just that. For waits that
    /// still differ at the cap set the policy's own `with_max_delay`.
    ///
    /// ```
    /// use relent::{Band, Exponential, Policy};
    ///
    /// let doubling = Exponential::new(100_u32).with_multiplier(2.0);
    /// assert_eq!(doubling.at_most(300).plan().nth(3).unwrap().band(), Band::exactly(300));
    /// assert_eq!(doubling.with_max_delay(300).plan().nth(3).unwrap().band(), Band::new(150, 300));
    /// ```
    fn at_most(self, limit: Self::Span) -> AtMost<Self>
    where
        Self: Sized,
    {
        AtMost::new(self, limit)
    }

    /// Waits never below `floor`: bands are clipped before the draw.
    fn at_least(self, floor: Self::Span) -> AtLeast<Self>
    where
        Self: Sized,
    {
        AtLeast::new(self, floor)
    }

    /// This policy until it ends, then `next`.
    fn then<Q: Policy<Span = Self::Span>>(self, next: Q) -> Then<Self, Q>
    where
        Self: Sized,
    {
        Then::new(self, next)
    }

    /// The waits themselves, drawn one by one.
    fn delays<R>(self, rng: R) -> Delays<Self, R>
    where
        Self: Sized,
    {
        Delays::new(self, rng)
    }

    /// The schedule as a table, before anything is drawn.
    fn plan(self) -> Plan<Self>
    where
        Self: Sized,
    {
        Plan::new(self)
    }
}

impl<P: Policy + ?Sized> Policy for &P {
    type Span = P::Span;
    type State = P::State;

    #[inline]
    fn start(&self) -> P::State {
        (**self).start()
    }

    #[inline]
    fn next(&self, state: &mut P::State) -> Option<Band<P::Span>> {
        (**self).next(state)
    }

    #[inline]
    fn drawn(&self, state: &mut P::State, delay: P::Span) {
        (**self).drawn(state, delay);
    }

    #[inline]
    fn grain(&self, state: &P::State) -> Option<P::Span> {
        (**self).grain(state)
    }

    #[inline]
    fn restart_growth(&self, state: &mut P::State) {
        (**self).restart_growth(state);
    }

    #[inline]
    fn nominal(&self, state: &P::State) -> Option<P::Span> {
        (**self).nominal(state)
    }

    #[inline]
    fn is_settled(&self, state: &P::State) -> bool {
        (**self).is_settled(state)
    }
}

/// Draws a wait from the band that `policy` gave, on its grain, and tells it.
#[inline(always)]
pub(crate) fn draw<P: Policy + ?Sized, R: TryRng + ?Sized>(
    policy: &P,
    state: &mut P::State,
    band: Band<P::Span>,
    rng: &mut R,
) -> Result<<P::Span as Sealed>::Ticks, R::Error> {
    let delay = match policy.grain(state) {
        None => band.try_draw_ticks(rng)?,
        Some(grain) => band.try_draw_ticks_by(grain.to_ticks(), rng)?,
    };
    policy.drawn(state, Sealed::from_ticks(delay));
    Ok(delay)
}
