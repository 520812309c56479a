//! A clock made of a closure.

use core::fmt;

use super::{Clock, Instant};
use crate::span::Span;

/// A clock made of a closure that gives the span since its origin: raw ticks of a counter as wide as the span, say.
///
/// For counters of fewer bits there is [`Widen`](super::Widen).
///
/// ```
/// use core::cell::Cell;
/// use relent::clock::from_fn;
/// use relent::{Clock, Instant};
///
/// let ticks = Cell::new(0xFFFF_FFFF_u32);
/// let clock = from_fn(|| ticks.get());
/// let before = clock.now();
/// ticks.set(4);
/// assert_eq!(clock.now().since(before), 5);
/// ```
pub const fn from_fn<S: Span, F: Fn() -> S>(read: F) -> FromFn<F> {
    FromFn { read }
}

/// Made by [`from_fn`].
#[derive(Clone, Copy)]
pub struct FromFn<F> {
    read: F,
}

impl<S: Span, F: Fn() -> S> Clock for FromFn<F> {
    type Span = S;

    #[inline]
    fn now(&self) -> Instant<S> {
        Instant::at((self.read)())
    }
}

impl<F> fmt::Debug for FromFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromFn").finish_non_exhaustive()
    }
}
