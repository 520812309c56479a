//! Moments on a clock that may wrap (R10).

use core::fmt;
use core::time::Duration;

use crate::span::{Span, Ticks};

/// A moment: a count of ticks from an origin of the clock's choosing, which may wrap.
///
/// Moments have no order, since on a wrapping counter "later" has none. There is only the distance [`since`](Self::since)
/// an earlier one:
///
/// ```text
/// later.since(earlier) = (later − earlier) mod 2ᵏ, and 0 where that is more than half the range
/// ```
///
/// | span | wraps after | half the range |
/// |---|---|---|
/// | `u32` milliseconds | 49.7 days | 24.8 days |
/// | `u32` microseconds | 71.6 min | 35.8 min |
/// | [`Duration`] | 584 years | 292 years |
///
/// Zero for the upper half is what keeps a clock that steps back from looking like one that jumped ahead by weeks. The price:
/// on a raw counter a step back by `d` and a jump ahead by `2ᵏ − d` cannot be told apart, so a clock must be looked at once in
/// every half range.
///
/// # Examples
///
/// ```
/// use relent::Instant;
///
/// let before_the_wrap = Instant::at(0xFFFF_FF00_u32);
/// assert_eq!(Instant::at(0x0000_0220).since(before_the_wrap), 800);
/// assert_eq!(before_the_wrap.since(Instant::at(0x0000_0220)), 0);
/// assert_eq!(before_the_wrap.after(800), Instant::at(0x0000_0220));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Instant<S: Span = Duration> {
    ticks: S::Ticks,
}

impl<S: Span> Instant<S> {
    /// Where a clock of our own making starts.
    pub(crate) const ORIGIN: Self = Self { ticks: S::Ticks::ZERO };

    /// The moment `since_origin` after the clock's origin.
    #[inline]
    pub fn at(since_origin: S) -> Self {
        Self { ticks: since_origin.to_ticks() }
    }

    /// The time from `earlier` to this moment; zero where `earlier` is the later one.
    #[inline]
    pub fn since(self, earlier: Self) -> S {
        S::from_ticks(self.ticks_since(earlier))
    }

    /// This moment and `span` more, wrapping around where the clock does.
    #[inline]
    pub fn after(self, span: S) -> Self {
        self.after_ticks(span.to_ticks())
    }

    /// What [`at`](Self::at) was given.
    #[cfg(feature = "defmt-1")]
    pub(crate) fn since_origin(self) -> S {
        S::from_ticks(self.ticks)
    }

    #[inline]
    pub(crate) fn ticks_since(self, earlier: Self) -> S::Ticks {
        self.ticks.since(earlier.ticks)
    }

    #[inline]
    pub(crate) fn after_ticks(self, ticks: S::Ticks) -> Self {
        Self { ticks: self.ticks.wrapping_plus(ticks) }
    }
}

impl<S: Span> fmt::Debug for Instant<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Instant({:?})", S::from_ticks(self.ticks))
    }
}
