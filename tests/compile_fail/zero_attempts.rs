//! No attempt at all is not a setting.
//!
//! expect: E0080
//! expect: max_attempts must be at least 1

use relent::{Exponential, Retry};

#[cfg(not(right))]
const NONE: Retry<Exponential<u32>> = Retry::new(Exponential::new(100)).with_max_attempts(0);
#[cfg(right)]
const NONE: Retry<Exponential<u32>> = Retry::new(Exponential::new(100)).with_max_attempts(1);

fn main() {
    _ = NONE;
}
