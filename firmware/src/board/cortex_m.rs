//! Three Cortex-M boards: M0, M3, M4F.

pub use cortex_m_rt::entry;
pub use semihosting::process::exit;

/// Prints by semihosting.
pub fn print(text: &str) {
    semihosting::print!("{text}");
}
