//! A factor that is none is refused in a constant, by name.
//!
//! expect: E0080
//! expect: factor must not be negative

use relent::Jitter;

#[cfg(not(right))]
const SPREAD: Jitter<u32> = Jitter::spread(-0.5);
#[cfg(right)]
const SPREAD: Jitter<u32> = Jitter::spread(0.0);

fn main() {
    _ = SPREAD;
}
