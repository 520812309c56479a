//! Generators of random words: re-exports, and bridges from what the hardware has.
//!
//! The crate owns no generator and hides no seed: a fleet of devices that share a seed retries in step. Every function that
//! draws takes the generator as an argument.
//!
//! | where | use |
//! |---|---|
//! | a 32-bit part | [`Xoshiro128PlusPlus`], 16 bytes, seeded from something that differs between devices |
//! | elsewhere | [`Xoshiro256PlusPlus`], 32 bytes |
//! | a hardware generator, or a HAL on an older `rand_core` | [`from_fn`], [`try_from_fn`] |
//! | a program with an operating system (feature `std`) | `from_os`, which `relent::retry` and `Retry::call` use |

use core::convert::Infallible;
use core::error::Error;
use core::fmt;

#[cfg(feature = "std")]
pub use crate::std::{FromOs, from_os};
pub use rand_core::{Rng, SeedableRng, TryRng};
pub use rand_xoshiro::{Xoshiro128PlusPlus, Xoshiro256PlusPlus};

/// A generator made of a closure that gives one 32-bit word.
///
/// A 64-bit word takes two calls, the lower half first.
///
/// ```
/// use relent::{Band, rng};
///
/// // A HAL of your own, or one that speaks another version of `rand_core`.
/// let mut counter = 0x9E37_79B9_u32;
/// let mut generator = rng::from_fn(|| {
///     counter = counter.wrapping_mul(747_796_405).wrapping_add(1);
///     counter
/// });
/// let wait = Band::new(10_u32, 20).draw(&mut generator);
/// assert!((10..=20).contains(&wait));
/// ```
pub fn from_fn<F: FnMut() -> u32>(word: F) -> FromFn<F> {
    FromFn { word }
}

/// A generator made of a closure that gives one 32-bit word or fails, as a hardware generator may.
///
/// ```
/// use relent::{Band, rng};
///
/// let mut broken = rng::try_from_fn(|| Err::<u32, _>(std::io::Error::other("no entropy")));
/// assert!(Band::new(10_u32, 20).try_draw(&mut broken).is_err());
/// ```
pub fn try_from_fn<E: Error, F: FnMut() -> Result<u32, E>>(word: F) -> TryFromFn<F> {
    TryFromFn { word }
}

/// Made by [`from_fn`].
#[derive(Clone)]
pub struct FromFn<F> {
    word: F,
}

impl<F: FnMut() -> u32> TryRng for FromFn<F> {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.word)())
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        rand_core::utils::next_u64_via_u32(self)
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
        rand_core::utils::fill_bytes_via_next_word(dst, || self.try_next_u32())
    }
}

impl<F> fmt::Debug for FromFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromFn").finish_non_exhaustive()
    }
}

/// Made by [`try_from_fn`].
#[derive(Clone)]
pub struct TryFromFn<F> {
    word: F,
}

impl<E: Error, F: FnMut() -> Result<u32, E>> TryRng for TryFromFn<F> {
    type Error = E;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, E> {
        (self.word)()
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, E> {
        rand_core::utils::next_u64_via_u32(self)
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), E> {
        rand_core::utils::fill_bytes_via_next_word(dst, || self.try_next_u32())
    }
}

impl<F> fmt::Debug for TryFromFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TryFromFn").finish_non_exhaustive()
    }
}
