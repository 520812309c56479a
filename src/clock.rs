//! Time and waiting, as the outside world provides them (R10), and small clocks of what the hardware has.
//!
//! | there is | use |
//! |---|---|
//! | a counter of 32 bits in the unit that you think in | [`from_fn`] |
//! | a counter of 16, 24 or 32 bits, up or down | [`Widen`] |
//! | a counter at some other rate | [`Scaled`] around it |
//! | spans in milliseconds, ticks of a timer | [`Rate`], at compile time |
//! | a delay and no clock | [`Summed`] |
//! | a clock here and a delay there | [`Joined`] |
//! | a watchdog that a long wait must feed | [`Sliced`] |
//! | an operating system (feature `std`) | `relent::System` |
//! | a test | [`ManualClock`](crate::testing::ManualClock) |
//!
//! # One context
//!
//! The clocks here keep their last reading in a `Cell`: they cannot be shared with an interrupt by accident. To share one on purpose,
//! put it in the critical section of your platform:
//!
//! ```
//! use critical_section::Mutex;
//! use relent::Clock;
//! use relent::clock::Widen;
//!
//! # fn read_counter() -> u32 { 5 }
//! static CLOCK: Mutex<Widen<24, fn() -> u32>> = Mutex::new(Widen::down(read_counter));
//!
//! let now = critical_section::with(|cs| CLOCK.borrow(cs).now());
//! # use critical_section as _;
//! # assert_eq!(now, relent::Instant::at(0));
//! ```
//!
//! Nothing here panics, but for [`Rate`] with a constant that does not fit.

mod from_fn;
mod instant;
mod joined;
mod rate;
mod ratio;
mod scaled;
mod sliced;
mod summed;
mod widen;

pub use from_fn::{FromFn, from_fn};
pub use instant::Instant;
pub use joined::Joined;
pub use rate::Rate;
pub use scaled::Scaled;
pub use sliced::Sliced;
pub use summed::Summed;
pub use widen::Widen;

use core::time::Duration;

use crate::span::{Sealed, Span, Ticks};

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
/// cannot make it loop for ever. (Where the sleeps on a clock that stands still add up to more than half its range, the clock looks ahead:
/// more time is counted than passed, and the run ends sooner.)
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not tell the time and wait",
    note = "lend a `ManualClock` as `&clock`, a timer as `&mut timer`; a clock and a delay apart make one with `clock::Joined`"
)]
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

/// Waits for at least `delay`, or until `interrupt` is set, also where the world comes back early without that.
///
/// A clock that shows no progress at all cannot tell, and is taken to have slept (it stands still, it stepped back, or the wait was longer than half
/// its range).
#[inline]
pub(crate) fn sleep_out<W: Sleep>(world: &mut W, delay: W::Span, interrupt: &dyn Interrupt) {
    let mut left = delay.to_ticks();
    let mut before = world.now();
    loop {
        world.sleep_unless(Sealed::from_ticks(left), interrupt);
        let now = world.now();
        let passed = now.ticks_since(before);
        left = left.minus(passed);
        if left == Ticks::ZERO || passed == Ticks::ZERO || interrupt.is_set() {
            return;
        }
        before = now;
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

/// Never set.
impl Interrupt for () {
    fn is_set(&self) -> bool {
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
