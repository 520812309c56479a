//! Policies around policies: bounded, clipped, joined.

use super::Policy;
use crate::band::Band;

/// At most `n` retries of another policy; see [`Policy::max_retries`].
///
/// ```
/// use relent::{Constant, Policy, testing::Script};
///
/// let twice = Constant::new(5_u32).max_retries(2);
/// assert_eq!(twice.delays(Script::new([0])).collect::<Vec<_>>(), [5, 5]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaxRetries<P> {
    policy: P,
    retries: u32,
}

impl<P: Policy> MaxRetries<P> {
    /// At most `retries` of `policy`; for a `const`.
    pub const fn new(policy: P, retries: u32) -> Self {
        Self { policy, retries }
    }
}

/// A state with the retries that are left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted<T> {
    inner: T,
    left: u32,
}

impl<P: Policy> Policy for MaxRetries<P> {
    type Span = P::Span;
    type State = Counted<P::State>;

    #[inline]
    fn start(&self) -> Self::State {
        Counted { inner: self.policy.start(), left: self.retries }
    }

    #[inline]
    fn next(&self, state: &mut Self::State) -> Option<Band<P::Span>> {
        state.left = state.left.checked_sub(1)?;
        self.policy.next(&mut state.inner)
    }

    #[inline]
    fn drawn(&self, state: &mut Self::State, delay: P::Span) {
        self.policy.drawn(&mut state.inner, delay);
    }

    #[inline]
    fn grain(&self, state: &Self::State) -> Option<P::Span> {
        self.policy.grain(&state.inner)
    }

    #[inline]
    fn restart_growth(&self, state: &mut Self::State) {
        self.policy.restart_growth(&mut state.inner);
    }

    fn nominal(&self, state: &Self::State) -> Option<P::Span> {
        self.policy.nominal(&state.inner)
    }
}

/// Waits of another policy, never above a limit; see [`Policy::at_most`].
///
/// ```
/// use relent::{Constant, Jitter, Policy, testing::Script};
///
/// // [50, 150] is clipped to [50, 120] before the draw.
/// let policy = Constant::new(100_u32).with_jitter(Jitter::spread(0.5)).at_most(120);
/// assert_eq!(policy.delays(Script::units([0.0, 0.5])).take(2).collect::<Vec<_>>(), [50, 85]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtMost<P: Policy> {
    policy: P,
    limit: P::Span,
}

impl<P: Policy> AtMost<P> {
    /// Never above `limit`; for a `const`.
    pub const fn new(policy: P, limit: P::Span) -> Self {
        Self { policy, limit }
    }
}

/// Waits of another policy, never below a floor; see [`Policy::at_least`].
///
/// ```
/// use relent::{Exponential, Jitter, Policy, testing::Script};
///
/// let policy = Exponential::new(1_u32).with_multiplier(2.0).with_jitter(Jitter::None).at_least(3);
/// assert_eq!(policy.delays(Script::new([0])).take(4).collect::<Vec<_>>(), [3, 3, 4, 8]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtLeast<P: Policy> {
    policy: P,
    floor: P::Span,
}

impl<P: Policy> AtLeast<P> {
    /// Never below `floor`; for a `const`.
    pub const fn new(policy: P, floor: P::Span) -> Self {
        Self { policy, floor }
    }
}

/// A policy that clips the bands of another, and is otherwise it.
macro_rules! clipping {
    ($name:ident, $field:ident, $pick:ident) => {
        impl<P: Policy> Policy for $name<P> {
            type Span = P::Span;
            type State = P::State;

            #[inline]
            fn start(&self) -> P::State {
                self.policy.start()
            }

            #[inline]
            fn next(&self, state: &mut P::State) -> Option<Band<P::Span>> {
                Some(self.policy.next(state)?.$pick(self.$field))
            }

            #[inline]
            fn drawn(&self, state: &mut P::State, delay: P::Span) {
                self.policy.drawn(state, delay);
            }

            #[inline]
            fn grain(&self, state: &P::State) -> Option<P::Span> {
                self.policy.grain(state)
            }

            #[inline]
            fn restart_growth(&self, state: &mut P::State) {
                self.policy.restart_growth(state);
            }

            fn nominal(&self, state: &P::State) -> Option<P::Span> {
                Some(Band::exactly(self.policy.nominal(state)?).$pick(self.$field).lo())
            }

            fn is_settled(&self, state: &P::State) -> bool {
                self.policy.is_settled(state)
            }
        }
    };
}

clipping!(AtMost, limit, at_most);
clipping!(AtLeast, floor, at_least);

/// One policy until it ends, then another; see [`Policy::then`].
///
/// ```
/// use relent::{Constant, Policy, testing::Script};
///
/// // Three quick ones, then every minute.
/// let policy = Constant::new(1_u32).max_retries(3).then(Constant::new(60));
/// assert_eq!(policy.delays(Script::new([0])).take(5).collect::<Vec<_>>(), [1, 1, 1, 60, 60]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Then<P, Q> {
    first: P,
    second: Q,
}

impl<P: Policy, Q: Policy<Span = P::Span>> Then<P, Q> {
    /// `first`, then `second`; for a `const`.
    pub const fn new(first: P, second: Q) -> Self {
        Self { first, second }
    }
}

/// The states of two policies, one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThenState<T, U> {
    first: T,
    second: U,
    first_ended: bool,
}

impl<P: Policy, Q: Policy<Span = P::Span>> Policy for Then<P, Q> {
    type Span = P::Span;
    type State = ThenState<P::State, Q::State>;

    #[inline]
    fn start(&self) -> Self::State {
        ThenState { first: self.first.start(), second: self.second.start(), first_ended: false }
    }

    #[inline]
    fn next(&self, state: &mut Self::State) -> Option<Band<P::Span>> {
        if !state.first_ended {
            if let Some(band) = self.first.next(&mut state.first) {
                return Some(band);
            }
            state.first_ended = true;
        }
        self.second.next(&mut state.second)
    }

    #[inline]
    fn drawn(&self, state: &mut Self::State, delay: P::Span) {
        if state.first_ended {
            self.second.drawn(&mut state.second, delay);
        } else {
            self.first.drawn(&mut state.first, delay);
        }
    }

    #[inline]
    fn grain(&self, state: &Self::State) -> Option<P::Span> {
        if state.first_ended { self.second.grain(&state.second) } else { self.first.grain(&state.first) }
    }

    #[inline]
    fn restart_growth(&self, state: &mut Self::State) {
        if state.first_ended {
            self.second.restart_growth(&mut state.second);
        } else {
            self.first.restart_growth(&mut state.first);
        }
    }

    fn nominal(&self, state: &Self::State) -> Option<P::Span> {
        let first_goes_on = !state.first_ended && self.first.next(&mut { state.first }).is_some();
        if first_goes_on { self.first.nominal(&state.first) } else { self.second.nominal(&state.second) }
    }

    fn is_settled(&self, state: &Self::State) -> bool {
        state.first_ended && self.second.is_settled(&state.second)
    }
}
