//! 200 delays of every policy and jitter, for each of three seeds, in each span, hashed (R4: same seed, same schedule); then the machine, a link and the guards.

mod guards;
mod link;
mod machine;
mod policies;

use core::fmt::{self, Write};
use core::hint::black_box;

use relent::rng::{Rng, SeedableRng, Xoshiro128PlusPlus, Xoshiro256PlusPlus};
use relent::{Factor, Policy};

use crate::unit::Unit;

const SEEDS: [u64; 3] = [42, 0, 0x1234_5678_9ABC_DEF0];
const DELAYS: usize = 200;

/// Prints one line per policy, jitter and span, and per guard.
///
/// # Errors
///
/// Those of `out`.
pub fn run(out: &mut impl Write) -> fmt::Result {
    generators(out)?;
    factors(out)?;
    policies::all::<u32>(out)?;
    policies::all::<u64>(out)?;
    policies::all::<core::time::Duration>(out)?;
    machine::all::<u32>(out)?;
    machine::all::<u64>(out)?;
    machine::all::<core::time::Duration>(out)?;
    link::all::<u32>(out)?;
    link::all::<u64>(out)?;
    link::all::<core::time::Duration>(out)?;
    guards::all::<u32>(out)?;
    guards::all::<u64>(out)?;
    guards::all::<core::time::Duration>(out)
}

fn generators(out: &mut impl Write) -> fmt::Result {
    let mut small = Xoshiro128PlusPlus::seed_from_u64(42);
    let mut large = Xoshiro256PlusPlus::seed_from_u64(42);
    let words = [small.next_u32(), small.next_u32(), small.next_u32(), small.next_u32()];
    writeln!(out, "xoshiro128++ {words:?}")?;
    writeln!(out, "xoshiro256++ {}", large.next_u64())
}

/// Floats are read in whole numbers, so soft floats and hard ones cannot differ.
fn factors(out: &mut impl Write) -> fmt::Result {
    let mut hash = Hash::new();
    for float in [0.0, 1e-20, 0.1, 0.2, 1.0 / 3.0, 0.5, 1.0, 1.05, 1.1, 1.2, 1.5, 2.0, 3.7, 1e6, 4_294_967_295.5] {
        match Factor::try_new(black_box(float)) {
            Ok(factor) => {
                for n in [1_u64, 10, 999, 1_000_000_007, u64::MAX] {
                    hash.add(factor.of_u64(n));
                }
            }
            Err(_) => hash.add(u64::MAX),
        }
    }
    writeln!(out, "factors {hash}")
}

/// Draws, hashes and prints. A policy that ends is started again.
fn schedule<P: Policy<Span: Unit>>(out: &mut impl Write, name: &str, jitter: &str, policy: &P) -> fmt::Result {
    let mut hash = Hash::new();
    let mut sum = 0_u64;
    for seed in SEEDS {
        let mut rng = P::Span::generator(seed);
        let mut delays = policy.delays(&mut rng);
        for _ in 0..DELAYS {
            if let Some(delay) = delays.next() {
                hash.add(delay.count());
                sum = sum.wrapping_add(delay.count());
            } else {
                hash.add(u64::MAX);
                delays.reset();
            }
        }
    }
    writeln!(out, "{} {name} {jitter} {hash} sum {sum}", P::Span::NAME)
}

/// FNV-1a, 64 bits.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    fn add(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
