//! A factor that is none is refused in a constant, by name.
//!
//! expect: E0080
//! expect: factor must be a number

use relent::Jitter;

#[cfg(not(right))]
const SPREAD: Jitter<u32> = Jitter::spread(f64::NAN);
#[cfg(right)]
const SPREAD: Jitter<u32> = Jitter::spread(0.5);

fn main() {
    _ = SPREAD;
}
