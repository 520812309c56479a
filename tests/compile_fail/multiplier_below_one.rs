//! Intervals that shrink are refused in a constant.
//!
//! expect: E0080
//! expect: multiplier must be at least 1

use relent::Exponential;

#[cfg(not(right))]
const SHRINKING: Exponential<u32> = Exponential::new(100).with_multiplier(0.5);
#[cfg(right)]
const SHRINKING: Exponential<u32> = Exponential::new(100).with_multiplier(1.0);

fn main() {
    _ = SHRINKING;
}
