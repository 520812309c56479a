//! The workstation.

/// Prints to standard output.
pub fn print(text: &str) {
    std::print!("{text}");
}
