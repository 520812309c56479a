//! A generator seeded by the operating system.

use std::collections::hash_map::RandomState;

use core::convert::Infallible;
use core::hash::BuildHasher;

use rand_core::{Rng, SeedableRng, TryRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A xoshiro256++ generator that asks the operating system for its seed when the first word is drawn.
///
/// An operation that succeeds at once costs no system call. Where the operating system gives no entropy, the seed is that of the standard library's hash maps,
/// which differs from process to process and from call to call.
///
/// ```
/// use relent::rng::{self, Rng};
///
/// assert_ne!(rng::from_os().next_u64(), rng::from_os().next_u64());
/// ```
pub fn from_os() -> FromOs {
    FromOs { seeded: None }
}

/// Made by [`from_os`]. Two of them never share a sequence, so it is not `Clone`.
#[derive(Debug)]
pub struct FromOs {
    seeded: Option<Xoshiro256PlusPlus>,
}

impl FromOs {
    #[inline]
    fn generator(&mut self) -> &mut Xoshiro256PlusPlus {
        self.seeded.get_or_insert_with(seeded)
    }
}

#[cold]
fn seeded() -> Xoshiro256PlusPlus {
    let mut seed = [0; 32];
    match getrandom::fill(&mut seed) {
        Ok(()) => Xoshiro256PlusPlus::from_seed(seed),
        Err(_) => Xoshiro256PlusPlus::seed_from_u64(RandomState::new().hash_one(0)),
    }
}

impl TryRng for FromOs {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.generator().next_u32())
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.generator().next_u64())
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
        self.generator().fill_bytes(dst);
        Ok(())
    }
}
