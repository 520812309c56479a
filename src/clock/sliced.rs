//! Long waits in slices.

use core::fmt;

use super::{Clock, Instant, Interrupt, Sleep};
use crate::span::{Sealed, Ticks};

/// A world whose waits are cut into slices, with a call before each: to feed a watchdog, to read a narrow counter often enough.
///
/// A wait of `delay` makes `⌈delay / slice⌉` calls, and one where `delay` is 0. The slices add up to just what was asked. A slice of 0
/// counts as one tick. A wait that can be called off ends after the slice in which it was.
///
/// ```
/// use relent::clock::Sliced;
/// use relent::{Sleep, testing::ManualClock};
///
/// let clock = ManualClock::new();
/// let mut fed = Vec::new();
/// let mut world = Sliced::new(&clock, 500_u32, || fed.push(clock.slept()));
/// world.sleep(1_200);
/// assert_eq!(clock.slept(), 1_200);
/// assert_eq!(fed, [0, 500, 1_000]);
/// ```
pub struct Sliced<W: Clock, F> {
    world: W,
    slice: W::Span,
    before_each: F,
}

impl<W: Sleep, F: FnMut()> Sliced<W, F> {
    /// Waits in `world`, never longer than `slice` at once, calling `before_each` slice.
    pub const fn new(world: W, slice: W::Span, before_each: F) -> Self {
        Self { world, slice, before_each }
    }

    /// Waits piece by piece while `wait` says to go on.
    fn pieces(&mut self, delay: W::Span, mut wait: impl FnMut(&mut W, W::Span) -> bool) {
        let slice = self.slice.to_ticks().max(Ticks::ONE);
        let mut left = delay.to_ticks();
        loop {
            (self.before_each)();
            let go_on = wait(&mut self.world, W::Span::from_ticks(left.min(slice)));
            left = left.minus(slice);
            if left == Ticks::ZERO || !go_on {
                return;
            }
        }
    }
}

impl<W: Clock, F> Clock for Sliced<W, F> {
    type Span = W::Span;

    #[inline]
    fn now(&self) -> Instant<W::Span> {
        self.world.now()
    }
}

impl<W: Sleep, F: FnMut()> Sleep for Sliced<W, F> {
    fn sleep(&mut self, delay: W::Span) {
        self.pieces(delay, |world, piece| {
            world.sleep(piece);
            true
        });
    }

    fn sleep_unless(&mut self, delay: W::Span, interrupt: &dyn Interrupt) {
        self.pieces(delay, |world, piece| {
            world.sleep_unless(piece, interrupt);
            !interrupt.is_set()
        });
    }
}

impl<W: Clock + fmt::Debug, F> fmt::Debug for Sliced<W, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sliced").field("world", &self.world).field("slice", &self.slice).finish_non_exhaustive()
    }
}
