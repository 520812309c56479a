//! The policies whose interval never changes.

use core::marker::PhantomData;
use core::time::Duration;

use super::Policy;
use super::shape::{Shape, shape_setters};
use crate::band::Band;
use crate::jitter::Jitter;
use crate::span::Span;

/// The same interval every time; without jitter unless one is set.
///
/// ```text
/// nominal(n) = min(interval, max_delay)
/// ```
///
/// ```
/// use relent::{Constant, Jitter, Policy, testing::Script};
///
/// let fixed = Constant::new(100_u32);
/// assert_eq!(fixed.delays(Script::new([0])).take(3).collect::<Vec<_>>(), [100, 100, 100]);
///
/// let jittered = fixed.with_jitter(Jitter::Absolute(200));
/// assert_eq!(jittered.delays(Script::units([0.0, 0.25, 0.5, 0.75])).take(4).collect::<Vec<_>>(), [0, 75, 150, 225]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "Fixed")]
pub struct Constant<S: Span = Duration> {
    interval: S,
    shape: Shape<S>,
}

impl<S: Span> Constant<S> {
    /// Always `interval`.
    pub const fn new(interval: S) -> Self {
        Self { interval, shape: Shape::new(Jitter::None) }
    }

    shape_setters!(max_delay);
    shape_setters!(jitter);

    /// The interval.
    pub const fn interval(&self) -> S {
        self.interval
    }
}

impl<S: Span> Policy for Constant<S> {
    type Span = S;
    type State = ();

    #[inline]
    fn start(&self) {}

    #[inline]
    fn next(&self, (): &mut ()) -> Option<Band<S>> {
        Some(self.shape.band(self.interval.to_ticks()))
    }

    fn nominal(&self, (): &()) -> Option<S> {
        Some(S::from_ticks(self.shape.cap(self.interval.to_ticks())))
    }

    fn is_settled(&self, (): &()) -> bool {
        true
    }
}

/// No waiting at all: the next attempt at once.
///
/// ```
/// use core::time::Duration;
/// use relent::{Policy, Zero, testing::Script};
///
/// let mut delays = Zero::<Duration>::new().delays(Script::new([0]));
/// assert_eq!(delays.next(), Some(Duration::ZERO));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zero<S: Span = Duration>(PhantomData<S>);

impl<S: Span> Zero<S> {
    /// Always 0.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<S: Span> Default for Zero<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Span> Policy for Zero<S> {
    type Span = S;
    type State = ();

    #[inline]
    fn start(&self) {}

    #[inline]
    fn next(&self, (): &mut ()) -> Option<Band<S>> {
        Some(Band::from_ends(crate::span::Ticks::ZERO, crate::span::Ticks::ZERO))
    }

    fn nominal(&self, (): &()) -> Option<S> {
        Some(S::from_ticks(crate::span::Ticks::ZERO))
    }

    fn is_settled(&self, (): &()) -> bool {
        true
    }
}

/// No retry: the first failure is the last.
///
/// ```
/// use core::time::Duration;
/// use relent::{Never, Policy};
///
/// assert_eq!(Never::<Duration>::new().plan().next(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(alias = "Stop")]
pub struct Never<S: Span = Duration>(PhantomData<S>);

impl<S: Span> Never<S> {
    /// Ends at once.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<S: Span> Default for Never<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Span> Policy for Never<S> {
    type Span = S;
    type State = ();

    #[inline]
    fn start(&self) {}

    #[inline]
    fn next(&self, (): &mut ()) -> Option<Band<S>> {
        None
    }

    fn is_settled(&self, (): &()) -> bool {
        true
    }
}
