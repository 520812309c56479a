//! Schedules written out.

use core::marker::PhantomData;
use core::time::Duration;

use super::Policy;
use super::shape::{Shape, shape_setters};
use crate::band::Band;
use crate::jitter::Jitter;
use crate::span::Span;

/// Intervals from a list, with jitter; after the last, the end, or the last for ever.
///
/// ```text
/// nominal(n) = min(entries[n−1], max_delay)
/// ```
///
/// The entries are anything that can be borrowed as a slice: an array, a `&'static` slice, a vector with or without a heap.
/// A bare array or slice is a policy too, without jitter.
///
/// ```
/// use relent::{Jitter, Policy, Table, testing::Script};
///
/// // 200 ms, 1 s, 4 s, 15 s, then 15 s for ever, each at least half.
/// let policy = Table::new([200_u32, 1_000, 4_000, 15_000]).with_jitter(Jitter::Equal).repeat_last();
/// let shortest = policy.delays(Script::units([0.0]));
/// assert_eq!(shortest.take(6).collect::<Vec<_>>(), [100, 500, 2_000, 7_500, 7_500, 7_500]);
///
/// let bare = [200_u32, 1_000];
/// assert_eq!(bare.delays(Script::new([0])).collect::<Vec<_>>(), [200, 1_000]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Table<T, S: Span = Duration> {
    entries: T,
    repeat_last: bool,
    shape: Shape<S>,
    span: PhantomData<S>,
}

impl<S: Span, T: AsRef<[S]>> Table<T, S> {
    /// These intervals, then the end.
    pub const fn new(entries: T) -> Self {
        Self { entries, repeat_last: false, shape: Shape::new(Jitter::None), span: PhantomData }
    }

    /// The last interval again and again instead of the end. A table without entries ends all the same.
    pub const fn repeat_last(mut self) -> Self {
        self.repeat_last = true;
        self
    }

    shape_setters!(max_delay);
    shape_setters!(jitter);

    /// The intervals.
    pub fn entries(&self) -> &[S] {
        self.entries.as_ref()
    }

    fn entry(&self, at: usize) -> Option<S> {
        let entries = self.entries();
        match entries.get(at) {
            None if self.repeat_last => entries.last().copied(),
            entry => entry.copied(),
        }
    }
}

/// Where a run through a table stands: the number of entries used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    used: usize,
}

impl<S: Span, T: AsRef<[S]>> Policy for Table<T, S> {
    type Span = S;
    type State = Position;

    #[inline]
    fn start(&self) -> Position {
        Position::default()
    }

    #[inline]
    fn next(&self, state: &mut Position) -> Option<Band<S>> {
        let entry = self.entry(state.used)?;
        state.used = state.used.saturating_add(1);
        Some(self.shape.band(entry.to_ticks()))
    }

    fn nominal(&self, state: &Position) -> Option<S> {
        self.entry(state.used).map(|entry| S::from_ticks(self.shape.cap(entry.to_ticks())))
    }

    fn is_settled(&self, state: &Position) -> bool {
        // The last entry, and every place after it, are alike where it repeats.
        self.repeat_last && state.used.saturating_add(1) >= self.entries().len()
    }
}

impl<S: Span> Policy for [S] {
    type Span = S;
    type State = Position;

    #[inline]
    fn start(&self) -> Position {
        Position::default()
    }

    #[inline]
    fn next(&self, state: &mut Position) -> Option<Band<S>> {
        let entry = self.get(state.used)?;
        state.used = state.used.saturating_add(1);
        Some(Band::exactly(*entry))
    }

    fn nominal(&self, state: &Position) -> Option<S> {
        self.get(state.used).copied()
    }
}

impl<S: Span, const N: usize> Policy for [S; N] {
    type Span = S;
    type State = Position;

    #[inline]
    fn start(&self) -> Position {
        Position::default()
    }

    #[inline]
    fn next(&self, state: &mut Position) -> Option<Band<S>> {
        self.as_slice().next(state)
    }

    fn nominal(&self, state: &Position) -> Option<S> {
        self.as_slice().nominal(state)
    }
}
