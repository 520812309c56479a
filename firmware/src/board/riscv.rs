//! QEMU's `virt`, RV32IMAC.

pub use riscv_rt::entry;
pub use semihosting::process::exit;

/// Prints by semihosting.
pub fn print(text: &str) {
    semihosting::print!("{text}");
}
