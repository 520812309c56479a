//! A factor that is none is refused in a constant, by name.
//!
//! expect: E0080
//! expect: factor must be below 2^32

use relent::Jitter;

#[cfg(not(right))]
const SPREAD: Jitter<u32> = Jitter::spread(f64::INFINITY);
#[cfg(right)]
const SPREAD: Jitter<u32> = Jitter::spread(1.0);

fn main() {
    _ = SPREAD;
}
