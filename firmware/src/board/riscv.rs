//! QEMU's `virt`, RV32IMAC.

pub use riscv_rt::entry;
pub use semihosting::process::exit;

use riscv::register::minstret;

/// Prints by semihosting.
pub fn print(text: &str) {
    semihosting::print!("{text}");
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
    pub fn new() -> Self {
        Self
    }

    /// Only calls `work`.
    pub fn deepest(&mut self, work: impl FnOnce()) -> u32 {
        work();
        0
    }
}
