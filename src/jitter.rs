//! From a nominal interval to a band (R2).

use core::time::Duration;

use crate::band::Band;
use crate::factor::Factor;
use crate::span::{Span, Ticks};

/// How far a wait may lie from its nominal interval `n`.
///
/// | jitter | band | of 100 | seen in |
/// |---|---|---|---|
/// | `None` | `[n, n]` | [100, 100] | TCP's retransmission timer (RFC 6298) |
/// | `Full` | `[0, n]` | [0, 100] | AWS SDKs; best at spreading a crowd |
/// | `Equal` | `[n − ⌊n/2⌋, n]` | [50, 100] | where a floor matters too |
/// | `Spread(f)` | `[n − ⌊n·f⌋, n + ⌊n·f⌋]` | [50, 150] for 0.5 | Go's backoff library (0.5), gRPC (0.2) |
/// | `Absolute(j)` | `[n − j, n + j]` | [70, 130] for 30 | RFC 2131 (DHCP, ± 1 s) |
/// | `Additive(j)` | `[n, n + j]` | [100, 130] for 30 | never sooner than nominal |
///
/// Ends saturate at 0 and at the span's ceiling. Products are floored to the tick. Jitter never feeds back into the next
/// nominal interval.
///
/// # Examples
///
/// ```
/// use relent::{Band, Jitter};
///
/// assert_eq!(Jitter::spread(0.5).band(1687_u32), Band::new(844, 2530));
/// assert_eq!(Jitter::Equal.band(101_u32), Band::new(51, 101));
/// assert_eq!(Jitter::Absolute(200).band(100_u32), Band::new(0, 300));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Jitter<S = Duration> {
    /// `[n, n]`: exactly the nominal interval.
    None,
    /// `[0, n]`: anything up to it.
    Full,
    /// `[n − ⌊n/2⌋, n]`: at least half of it.
    Equal,
    /// `[n − ⌊n·f⌋, n + ⌊n·f⌋]`: a share to both sides.
    Spread(Factor),
    /// `[n − j, n + j]`: a fixed span to both sides.
    Absolute(S),
    /// `[n, n + j]`: a fixed span on top.
    Additive(S),
}

impl<S> Jitter<S> {
    /// [`Jitter::Spread`] by a share written as a decimal; 0.5 is ± 50 %.
    ///
    /// # Panics
    ///
    /// As [`Factor::new`]: in a `const`, a bad share does not compile.
    #[track_caller]
    pub const fn spread(share: f64) -> Self {
        Self::Spread(Factor::new(share))
    }
}

impl<S: Span> Jitter<S> {
    /// The band around a nominal interval.
    pub fn band(self, nominal: S) -> Band<S> {
        self.band_ticks(nominal.to_ticks())
    }

    #[inline(always)]
    pub(crate) fn band_ticks(self, n: S::Ticks) -> Band<S> {
        let (lo, hi) = self.ends(n);
        Band::from_ends(lo, hi)
    }

    /// The ends of the band around `n` ticks, to be clipped.
    #[inline(always)]
    pub(crate) fn ends(self, n: S::Ticks) -> (S::Ticks, S::Ticks) {
        let (below, above) = match self {
            Self::None => (S::Ticks::ZERO, S::Ticks::ZERO),
            Self::Full => (n, S::Ticks::ZERO),
            Self::Equal => (n.halved(), S::Ticks::ZERO),
            Self::Spread(share) => {
                let part = n.scaled(share);
                (part, part)
            }
            Self::Absolute(j) => (j.to_ticks(), j.to_ticks()),
            Self::Additive(j) => (S::Ticks::ZERO, j.to_ticks()),
        };
        (n.minus(below), n.plus(above))
    }
}
