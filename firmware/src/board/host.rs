//! The workstation.

use core::cell::Cell;

use embedded_hal::delay::DelayNs;
use relent::Clock;
use relent::clock::Widen;

/// Prints to standard output.
pub fn print(text: &str) {
    std::print!("{text}");
}

/// A clock that is a quarter of a millisecond later at every look, on a counter of 24 bits that runs down.
pub fn clock() -> impl Clock<Span = u32> {
    let counter = Cell::new(0_u32);
    let look = move || {
        counter.set(counter.get().wrapping_sub(1_000));
        counter.get()
    };
    Widen::<24, _>::down(look).millis::<4_000_000>()
}

/// A delay that takes no time.
pub fn delay() -> impl DelayNs {
    struct NoTime;
    impl DelayNs for NoTime {
        fn delay_ns(&mut self, _: u32) {}
    }
    NoTime
}

/// The workstation does not count instructions.
pub struct Stopwatch;

impl Stopwatch {
    /// Starts counting.
    pub fn start() -> Self {
        Self
    }

    /// A reading.
    pub fn instructions(&self) -> u32 {
        0
    }

    /// The instructions since a reading.
    pub fn since(&self, earlier: u32) -> u32 {
        self.instructions() - earlier
    }
}

/// The workstation does not look at its stack.
pub struct StackGauge;

impl StackGauge {
    /// Nothing to set up.
    pub fn start() -> Self {
        Self
    }

    /// Only calls `work`.
    pub fn deepest(&mut self, work: impl FnOnce()) -> u32 {
        work();
        0
    }
}
