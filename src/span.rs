//! Lengths of time, and the whole numbers behind them (R1, R10, R13).
//!
//! Users write [`Duration`], or plain `u32` / `u64` ticks where the hardware counts; the arithmetic
//! below the surface sees only whole ticks. Nothing here panics.

use core::fmt::Debug;
use core::time::Duration;

use rand_core::TryRng;

use crate::factor::Factor;

/// A length of time: [`Duration`], or a count of ticks as `u32` or `u64`.
///
/// | span | tick | longest |
/// |---|---|---|
/// | [`Duration`] | 1 ns | 584 years (`u64::MAX` ns); a longer one counts as this |
/// | `u64` | yours | `u64::MAX` ticks |
/// | `u32` | yours | `u32::MAX` ticks: 49.7 days of milliseconds |
///
/// A policy, a clock and a retry that work together have the same span, so milliseconds and
/// microseconds cannot meet by accident where the two are different types.
///
/// The trait is sealed: it has no methods to call, and cannot be implemented elsewhere.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a span of time",
    label = "expected a `Duration`, or ticks as `u32` or `u64`",
    note = "for 500 ms write `Duration::from_millis(500)`; for hardware ticks write `500_u32`"
)]
pub trait Span: Sealed + Copy + PartialOrd + Debug + Send + Sync + 'static {}

/// What a span is made of. Public in a private module: callers cannot name it.
pub trait Sealed: Copy {
    /// The whole number that counts the ticks.
    type Ticks: Ticks;
    /// No time at all.
    const ZERO: Self;
    /// The longest span that the arithmetic tells apart.
    const CEILING: Self;
    /// How many ticks make a second, where the type says so.
    const PER_SECOND: Option<u32> = None;
    /// The ticks in this span, `Ticks::MAX` where there are more.
    fn to_ticks(self) -> Self::Ticks;
    /// The span of so many ticks.
    fn from_ticks(ticks: Self::Ticks) -> Self;
}

/// A whole number of ticks, with the few operations that the crate needs. Sums and products saturate.
pub trait Ticks: Copy + Ord + Debug + Send + Sync + 'static {
    const ZERO: Self;
    const ONE: Self;
    const MAX: Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, n: u32) -> Self;
    fn halved(self) -> Self;
    /// `⌊self · factor⌋`.
    fn scaled(self, factor: Factor) -> Self;
    /// A position on a wrapping counter, moved forward.
    fn wrapping_plus(self, other: Self) -> Self;
    /// The difference where `other` is not the greater.
    fn wrapping_minus(self, other: Self) -> Self;
    /// The distance from `earlier` on a wrapping counter; zero where it is more than half the range (R10).
    fn since(self, earlier: Self) -> Self;
    /// `⌊word · (self + 1) / 2^k⌋`, a position in `0..=self` (R4).
    fn pick(self, word: Self) -> Self;
    /// One random word of `k` bits.
    fn word<R: TryRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error>;
    fn to_u64(self) -> u64;
    fn from_u64(n: u64) -> Self;
}

/// `wide` holds `2^k · 2^k`; `word` is how the generator is asked for `k` bits.
macro_rules! ticks {
    ($(#[$attr:meta])* $t:ident, $wide:ident, $k:literal, $scaled:expr, $word:expr) => {
        $(#[$attr])*
        impl Ticks for $t {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const MAX: Self = $t::MAX;
            #[inline]
            fn plus(self, other: Self) -> Self {
                self.saturating_add(other)
            }
            #[inline]
            fn minus(self, other: Self) -> Self {
                self.saturating_sub(other)
            }
            #[inline]
            fn times(self, n: u32) -> Self {
                self.saturating_mul($t::try_from(n).unwrap_or($t::MAX))
            }
            #[inline]
            fn halved(self) -> Self {
                self >> 1
            }
            #[inline(always)]
            fn scaled(self, factor: Factor) -> Self {
                $scaled(factor, self)
            }
            #[inline]
            fn wrapping_plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline]
            fn wrapping_minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline]
            fn since(self, earlier: Self) -> Self {
                let ahead = self.wrapping_sub(earlier);
                if ahead > 1 << ($k - 1) { 0 } else { ahead }
            }
            #[inline]
            #[expect(clippy::arithmetic_side_effects, reason = "(2^k - 1)² + 2^k - 1 = (2^k - 1) · 2^k, which fits twice the width and leaves k bits")]
            fn pick(self, word: Self) -> Self {
                // For 128 bits the added word would cost a second multiplication, for 64 bits it costs an addition.
                match self.checked_add(1) {
                    Some(positions) if $k == 64 => (($wide::from(word) * $wide::from(positions)) >> $k) as $t,
                    None if $k == 64 => word,
                    _ => (($wide::from(word) * $wide::from(self) + $wide::from(word)) >> $k) as $t,
                }
            }
            #[inline]
            fn word<R: TryRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
                $word(rng)
            }
            #[inline]
            fn to_u64(self) -> u64 {
                u64::from(self)
            }
            #[inline]
            fn from_u64(n: u64) -> Self {
                $t::try_from(n).unwrap_or($t::MAX)
            }
        }
        $(#[$attr])*
        impl Span for $t {}
        $(#[$attr])*
        impl Sealed for $t {
            type Ticks = $t;
            const ZERO: Self = 0;
            const CEILING: Self = $t::MAX;
            #[inline]
            fn to_ticks(self) -> Self {
                self
            }
            #[inline]
            fn from_ticks(ticks: Self) -> Self {
                ticks
            }
        }
    };
}

ticks!(u32, u64, 32, Factor::scale_u32, TryRng::try_next_u32);
#[rustfmt::skip]
ticks!(u64, u128, 64, Factor::scale_u64, TryRng::try_next_u64);

// Small enough to try every value: the proofs in `exhaustive.rs` run the same generic code over these.
ticks!(
    #[cfg(test)]
    u8,
    u16,
    8,
    |f: Factor, n: u8| u8::from_u64(u64::from(f.scale_u32(u32::from(n)))),
    |rng: &mut R| TryRng::try_next_u32(rng).map(|w| (w >> 24) as u8)
);
ticks!(
    #[cfg(test)]
    u16,
    u32,
    16,
    |f: Factor, n: u16| u16::from_u64(u64::from(f.scale_u32(u32::from(n)))),
    |rng: &mut R| TryRng::try_next_u32(rng).map(|w| (w >> 16) as u16)
);

impl Span for Duration {}

impl Sealed for Duration {
    type Ticks = u64;
    const ZERO: Self = Duration::ZERO;
    const CEILING: Self = Duration::from_nanos(u64::MAX);
    const PER_SECOND: Option<u32> = Some(1_000_000_000);

    #[inline]
    fn to_ticks(self) -> u64 {
        nanos(self)
    }

    #[inline]
    fn from_ticks(ticks: u64) -> Self {
        Duration::from_nanos(ticks)
    }
}

/// The nanoseconds in a duration, `u64::MAX` where there are more.
#[inline]
pub(crate) const fn nanos(span: Duration) -> u64 {
    match span.as_secs().checked_mul(1_000_000_000) {
        Some(whole) => whole.saturating_add(span.subsec_nanos() as u64),
        None => u64::MAX,
    }
}
