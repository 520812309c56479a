//! Time and waiting, as the outside world provides them (R10).

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

/// Something that tells the time.
///
/// # For implementers
///
/// `now` should not go back, but may wrap at the width of `Span`, and is never trusted further than
/// [`Instant::since`] describes. Convert to ticks rounding down here, and up where you wait.
pub trait Clock {
    /// How this clock measures: its tick and its width.
    type Span: Span;

    /// The time now.
    fn now(&self) -> Instant<Self::Span>;
}

impl<C: Clock + ?Sized> Clock for &C {
    type Span = C::Span;

    #[inline]
    fn now(&self) -> Instant<C::Span> {
        (**self).now()
    }
}

impl<C: Clock + ?Sized> Clock for &mut C {
    type Span = C::Span;

    #[inline]
    fn now(&self) -> Instant<C::Span> {
        (**self).now()
    }
}

/// Something that tells the time and can wait: the world in which a blocking retry lives.
///
/// # For implementers
///
/// `sleep` returns after `delay` or later, never before: round up to what the timer can do, and wait in pieces where it
/// cannot do so much at once. The retry loop counts `delay` as passed even if `now` says less, so a clock that stands still
/// cannot make it loop for ever.
pub trait Sleep: Clock {
    /// Waits for at least `delay`.
    fn sleep(&mut self, delay: Self::Span);

    /// Waits for at least `delay`, or until `interrupt` is set.
    ///
    /// As provided it waits to the end. One that can be woken should come back soon after the interrupt is set, and never sooner than
    /// `delay` without that.
    #[inline]
    fn sleep_unless(&mut self, delay: Self::Span, interrupt: &dyn Interrupt) {
        _ = interrupt;
        self.sleep(delay);
    }
}

/// Something from outside that ends a wait: a [`CancelFlag`](crate::CancelFlag), or a flag of your own.
pub trait Interrupt {
    /// Whether it is set. Once set it stays so.
    fn is_set(&self) -> bool;

    /// Blocks until it is set, or for `at_most`; `false` if it cannot block, and has not.
    fn block(&self, at_most: Duration) -> bool {
        _ = at_most;
        false
    }
}

impl<T: Interrupt + ?Sized> Interrupt for &T {
    fn is_set(&self) -> bool {
        (**self).is_set()
    }

    fn block(&self, at_most: Duration) -> bool {
        (**self).block(at_most)
    }
}

impl<W: Sleep + ?Sized> Sleep for &mut W {
    #[inline]
    fn sleep(&mut self, delay: W::Span) {
        (**self).sleep(delay);
    }

    #[inline]
    fn sleep_unless(&mut self, delay: W::Span, interrupt: &dyn Interrupt) {
        (**self).sleep_unless(delay, interrupt);
    }
}
