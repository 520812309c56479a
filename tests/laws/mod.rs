//! Laws over byte strings. A fuzz target includes one by its path beside `bytes`; the tests run them over random bytes.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "cut out of bytes"
)]

pub(crate) mod breaker;
pub(crate) mod bytes;
pub(crate) mod context;
pub(crate) mod machine;
pub(crate) mod schedule;
pub(crate) mod tokens;

use relent::rng::{Rng, SeedableRng, Xoshiro256PlusPlus};

/// Runs a law over `count` random byte strings of up to `longest` bytes.
pub(crate) fn over_random_bytes(count: u32, longest: usize, law: fn(&[u8])) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x5EED);
    let mut data = vec![0; longest];
    for _ in 0..count {
        let length = rng.next_u32() as usize % longest;
        rng.fill_bytes(&mut data[..length]);
        law(&data[..length]);
    }
}
