//! The moment after which an answer is of no use.

use core::time::Duration;

use super::Context;
use crate::clock::Instant;
use crate::span::{Sealed, Span, Ticks};

/// A moment after which nothing is begun any more.
///
/// | | [`max_elapsed`](crate::Retry::with_max_elapsed) | deadline |
/// |---|---|---|
/// | belongs to | the settings, from the start of each run | one run, or a request with several of them |
/// | a wait that ends just on it | is made | is not: there would be no time left |
/// | woken late, beyond it | the retry is made | gives up |
///
/// It is kept as the time left at a moment, so it survives a wrapping clock, if looked at by [`advanced`](Self::advanced) (which a run does by itself)
/// once in every half range. A deadline that cannot be represented saturates: 584 years for [`Duration`].
///
/// ```
/// use relent::{Deadline, Instant};
///
/// let request = Deadline::after(Instant::at(0xFFFF_FFF0_u32), 100);
/// let now = Instant::at(0x10); // 32 ticks later, beyond the wrap
/// assert_eq!(request.left(now), 68);
/// assert_eq!(request.within(now, 1_000).left(now), 68);
/// assert_eq!(request.within(now, 10).left(now), 10);
/// assert!(request.is_past(Instant::at(0x54)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deadline<S: Span = Duration> {
    at: Instant<S>,
    left: S::Ticks,
}

impl<S: Span> Deadline<S> {
    /// `span` from `now`.
    pub fn after(now: Instant<S>, span: S) -> Self {
        Self { at: now, left: span.to_ticks() }
    }

    /// How much time is left; 0 when it is past.
    pub fn left(&self, now: Instant<S>) -> S {
        S::from_ticks(self.left_ticks(now))
    }

    /// Whether no time is left.
    pub fn is_past(&self, now: Instant<S>) -> bool {
        self.left_ticks(now) == S::Ticks::ZERO
    }

    /// The nearer of this deadline and `span` from `now`: for a part of the work.
    pub fn within(&self, now: Instant<S>, span: S) -> Self {
        Self { at: now, left: self.left_ticks(now).min(span.to_ticks()) }
    }

    /// The same deadline, told the time: to be kept for longer than half the clock's range.
    pub fn advanced(&self, now: Instant<S>) -> Self {
        Self { at: now, left: self.left_ticks(now) }
    }

    pub(crate) fn left_ticks(&self, now: Instant<S>) -> S::Ticks {
        self.left.minus(now.ticks_since(self.at))
    }
}

/// A run with a deadline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithDeadline<S: Span, X> {
    pub(super) left: S::Ticks,
    pub(super) inner: X,
}

impl<S: Span, X> WithDeadline<S, X> {
    pub(crate) fn new(deadline: Deadline<S>, now: Instant<S>, inner: X) -> Self {
        Self { left: deadline.left_ticks(now), inner }
    }
}

impl<S: Span, X: Context<S>> Context<S> for WithDeadline<S, X> {
    type Inner = X;

    #[inline]
    fn inner(&self) -> &X {
        &self.inner
    }

    #[inline]
    fn inner_mut(&mut self) -> &mut X {
        &mut self.inner
    }

    #[inline]
    fn pass(&mut self, step: <S as Sealed>::Ticks) {
        self.left = self.left.minus(step);
        self.inner.pass(step);
    }

    #[inline]
    fn time_left(&self) -> Option<<S as Sealed>::Ticks> {
        Some(self.inner.time_left().map_or(self.left, |left| left.min(self.left)))
    }
}
