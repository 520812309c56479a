//! A verdict needs an error to be about.
//!
//! expect: E0061

use relent::Failure;

fn main() {
    #[cfg(not(right))]
    let failure: Failure<&str, u32> = Failure::permanent();
    #[cfg(right)]
    let failure: Failure<&str, u32> = Failure::permanent("fatal");
    _ = failure;
}
