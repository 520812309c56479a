//! No generator comes with a seed of its own.
//!
//! expect: E0599
//! expect: default

use relent::rng::{SeedableRng, Xoshiro256PlusPlus};

fn main() {
    #[cfg(not(right))]
    let generator = Xoshiro256PlusPlus::default();
    #[cfg(right)]
    let generator = Xoshiro256PlusPlus::seed_from_u64(1);
    _ = generator;
    _ = Xoshiro256PlusPlus::from_seed;
}
