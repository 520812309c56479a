//! A span of each kind, for text that is written once for all three.

use core::time::Duration;

use relent::Span;
use relent::rng::{Rng, SeedableRng, Xoshiro128PlusPlus, Xoshiro256PlusPlus};

/// Scales small numbers up, so that 64-bit spans leave 32 bits.
const WIDE: u64 = 1_000_003;

/// A span, its name, its scale, and its generator: 32-bit parts use the small one.
pub trait Unit: Span {
    /// What it is called.
    const NAME: &'static str;

    /// What schedules of it are drawn with.
    type Generator: Rng + SeedableRng;

    /// A small number, scaled.
    fn of(n: u32) -> Self;

    /// Its ticks.
    fn count(self) -> u64;

    /// The generator of this seed.
    fn generator(seed: u64) -> Self::Generator {
        Self::Generator::seed_from_u64(seed)
    }
}

impl Unit for u32 {
    const NAME: &'static str = "u32";
    type Generator = Xoshiro128PlusPlus;

    fn of(n: u32) -> Self {
        n
    }

    fn count(self) -> u64 {
        self.into()
    }
}

impl Unit for u64 {
    const NAME: &'static str = "u64";
    type Generator = Xoshiro256PlusPlus;

    fn of(n: u32) -> Self {
        u64::from(n) * WIDE
    }

    fn count(self) -> u64 {
        self
    }
}

impl Unit for Duration {
    const NAME: &'static str = "Duration";
    type Generator = Xoshiro256PlusPlus;

    fn of(n: u32) -> Self {
        Duration::from_nanos(u64::from(n) * WIDE)
    }

    fn count(self) -> u64 {
        self.as_secs().wrapping_mul(1_000_000_000).wrapping_add(self.subsec_nanos().into())
    }
}
