//! Intervals that grow by the same step.

use core::time::Duration;

use super::Policy;
use super::shape::{Shape, shape_setters};
use crate::band::Band;
use crate::jitter::Jitter;
use crate::span::{Span, Ticks};

/// Intervals that grow by a fixed step up to a cap; without jitter unless one is set.
///
/// ```text
/// nominal(n) = min(initial + step · (n−1), max_interval, max_delay)
/// ```
///
/// | retry | `Linear::new(10_000, 10_000)` |
/// |---|---|
/// | 1 | 10 000 |
/// | 2 | 20 000 |
/// | 3 | 30 000 |
///
/// Saturates at the span's ceiling.
///
/// ```
/// use relent::{Linear, Policy, testing::Script};
///
/// let policy = Linear::new(10_000_u32, 10_000).with_max_interval(25_000);
/// assert_eq!(policy.delays(Script::new([0])).take(4).collect::<Vec<_>>(), [10_000, 20_000, 25_000, 25_000]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear<S: Span = Duration> {
    initial_interval: S,
    step: S,
    shape: Shape<S>,
}

impl<S: Span> Linear<S> {
    /// Grows from `initial_interval` by `step`.
    pub const fn new(initial_interval: S, step: S) -> Self {
        Self { initial_interval, step, shape: Shape::new(Jitter::None) }
    }

    shape_setters!(max_interval);
    shape_setters!(max_delay);
    shape_setters!(jitter);

    /// The first nominal interval.
    pub const fn initial_interval(&self) -> S {
        self.initial_interval
    }

    /// By how much an interval grows.
    pub const fn step(&self) -> S {
        self.step
    }
}

/// Where a linear run stands: the nominal interval of the next retry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ramp<S: Span = Duration> {
    nominal: S::Ticks,
}

impl<S: Span> Policy for Linear<S> {
    type Span = S;
    type State = Ramp<S>;

    #[inline]
    fn start(&self) -> Ramp<S> {
        Ramp { nominal: self.shape.cap(self.initial_interval.to_ticks()) }
    }

    #[inline]
    fn next(&self, state: &mut Ramp<S>) -> Option<Band<S>> {
        let band = self.shape.band(state.nominal);
        state.nominal = self.shape.cap(state.nominal.plus(self.step.to_ticks()));
        Some(band)
    }

    #[inline]
    fn restart_growth(&self, state: &mut Ramp<S>) {
        *state = self.start();
    }

    fn nominal(&self, state: &Ramp<S>) -> Option<S> {
        Some(S::from_ticks(state.nominal))
    }

    fn is_settled(&self, state: &Ramp<S>) -> bool {
        state.nominal == self.shape.cap(state.nominal.plus(self.step.to_ticks()))
    }
}
