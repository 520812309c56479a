//! Intervals that grow as the Fibonacci numbers.

use core::time::Duration;

use super::Policy;
use super::shape::{Shape, shape_setters};
use crate::band::Band;
use crate::jitter::Jitter;
use crate::span::{Span, Ticks};

/// Each interval is the sum of the two before it, up to a cap; without jitter unless one is set.
///
/// ```text
/// nominal(n) = min(initial · F(n), max_interval, max_delay)      F = 1, 1, 2, 3, 5, 8, 13 …
/// ```
///
/// In the long run ×1.618, the first two retries alike.
///
/// ```
/// use relent::{Fibonacci, Policy, testing::Script};
///
/// let policy = Fibonacci::new(100_u32).with_max_interval(1_000);
/// assert_eq!(policy.delays(Script::new([0])).take(8).collect::<Vec<_>>(), [100, 100, 200, 300, 500, 800, 1000, 1000]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fibonacci<S: Span = Duration> {
    initial_interval: S,
    shape: Shape<S>,
}

impl<S: Span> Fibonacci<S> {
    /// Grows from `initial_interval`.
    pub const fn new(initial_interval: S) -> Self {
        Self { initial_interval, shape: Shape::new(Jitter::None) }
    }

    shape_setters!(max_interval);
    shape_setters!(max_delay);
    shape_setters!(jitter);

    /// The first and second nominal interval.
    pub const fn initial_interval(&self) -> S {
        self.initial_interval
    }
}

/// Where a Fibonacci run stands: the nominal interval of the next retry and of the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<S: Span = Duration> {
    last: S::Ticks,
    nominal: S::Ticks,
}

impl<S: Span> Policy for Fibonacci<S> {
    type Span = S;
    type State = Pair<S>;

    #[inline]
    fn start(&self) -> Pair<S> {
        Pair { last: S::Ticks::ZERO, nominal: self.initial_interval.to_ticks() }
    }

    #[inline]
    fn next(&self, state: &mut Pair<S>) -> Option<Band<S>> {
        let Pair { last, nominal } = *state;
        *state = Pair { last: nominal, nominal: nominal.plus(last) };
        Some(self.shape.band(nominal))
    }

    #[inline]
    fn restart_growth(&self, state: &mut Pair<S>) {
        *state = self.start();
    }

    fn nominal(&self, state: &Pair<S>) -> Option<S> {
        Some(S::from_ticks(self.shape.cap(state.nominal)))
    }

    fn is_settled(&self, state: &Pair<S>) -> bool {
        state.nominal == S::Ticks::ZERO || state.nominal >= self.shape.ceiling()
    }
}
