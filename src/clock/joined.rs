//! A clock from here and a wait from there.

use super::{Clock, Instant, Interrupt, Sleep};

/// A clock and a wait as one world. What the wait says of the time is not asked.
///
/// ```
/// use core::cell::Cell;
/// use relent::clock::{Joined, Summed, from_fn};
/// use relent::{Constant, Retry, testing::Script};
///
/// let counter = Cell::new(0_u32);
/// let clock = from_fn(|| counter.get());
/// let wait = Summed::new(|ticks: u32| counter.set(counter.get() + ticks + 3)); // always 3 ticks late
/// let retry = Retry::new(Constant::new(100)).with_max_attempts(4);
/// let gave_up = retry.run(Joined::new(clock, wait), Script::new([0]), || Err::<(), _>("busy")).unwrap_err();
/// assert_eq!(gave_up.elapsed(), 3 * 103);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Joined<C, W> {
    clock: C,
    wait: W,
}

impl<C: Clock, W: Sleep<Span = C::Span>> Joined<C, W> {
    /// The time of `clock`, the waits of `wait`. Both can be lent as `&mut`.
    pub const fn new(clock: C, wait: W) -> Self {
        Self { clock, wait }
    }
}

impl<C: Clock, W> Clock for Joined<C, W> {
    type Span = C::Span;

    #[inline]
    fn now(&self) -> Instant<C::Span> {
        self.clock.now()
    }
}

impl<C: Clock, W: Sleep<Span = C::Span>> Sleep for Joined<C, W> {
    #[inline]
    fn sleep(&mut self, delay: C::Span) {
        self.wait.sleep(delay);
    }

    #[inline]
    fn sleep_unless(&mut self, delay: C::Span, interrupt: &dyn Interrupt) {
        self.wait.sleep_unless(delay, interrupt);
    }
}
