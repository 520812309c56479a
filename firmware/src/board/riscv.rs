//! QEMU's `virt`, RV32IMAC.

pub use riscv_rt::entry;
pub use semihosting::process::exit;

use embedded_hal::delay::DelayNs;
use relent::Clock;
use relent::clock::Widen;
use riscv::delay::McycleDelay;
use riscv::register::{mcycle, minstret};

/// How often `mcycle` counts in a second, as far as these programs are concerned: the machine has no rate of its own.
const MCYCLE_HZ: u32 = 4_000_000;

/// Prints by semihosting.
pub fn print(text: &str) {
    semihosting::print!("{text}");
}

/// The time in milliseconds, by the lower half of `mcycle`.
pub fn clock() -> impl Clock<Span = u32> {
    Widen::<32, _>::up(|| mcycle::read().try_into().unwrap_or(u32::MAX)).millis::<MCYCLE_HZ>()
}

/// A delay that spins on `mcycle`.
pub fn delay() -> impl DelayNs {
    McycleDelay::new(MCYCLE_HZ)
}

/// Counts instructions: the machine has a register for it.
pub struct Stopwatch;

impl Stopwatch {
    /// Starts counting.
    pub fn start() -> Self {
        Self
    }

    /// A reading.
    pub fn instructions(&self) -> u32 {
        minstret::read().try_into().unwrap_or(u32::MAX)
    }

    /// The instructions since a reading.
    pub fn since(&self, earlier: u32) -> u32 {
        self.instructions().wrapping_sub(earlier)
    }
}

/// Only the Cortex-M boards look at their stack.
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
