//! `fugit` 0.6 durations as spans (feature `fugit-06`).
//!
//! `Duration<u32, NOM, DENOM>` and `Duration<u64, NOM, DENOM>` count ticks of `NOM / DENOM` s in 32 or 64 bits; milliseconds and microseconds are
//! different types, so that they cannot meet by accident. The crate's own [`Instant`](crate::Instant) is used with them, as an instant of a wrapping counter has
//! no order.
//!
//! ```
//! use fugit::{ExtU32, MillisDurationU32};
//! use relent::{Exponential, Instant, Retry};
//!
//! type Ms = MillisDurationU32;
//! const LINK: Retry<Exponential<Ms>> =
//!     Retry::new(Exponential::new(Ms::from_ticks(250)).with_max_interval(Ms::from_secs(60))).with_max_attempts(6);
//!
//! let run = LINK.start(Instant::at(7_000.millis()));
//! assert_eq!(run.elapsed(), Ms::from_millis(0));
//! ```
//!
//! ```compile_fail
//! # use fugit::{MicrosDurationU32, MillisDurationU32};
//! # use relent::Exponential;
//! let policy = Exponential::new(MillisDurationU32::from_millis(250)).with_max_interval(MicrosDurationU32::from_secs(60));
//! ```

use ::fugit::Duration;

use crate::span::{Sealed, Span};

macro_rules! fugit_span {
    ($t:ident) => {
        impl<const NOM: u64, const DENOM: u64> Span for Duration<$t, NOM, DENOM> {}

        impl<const NOM: u64, const DENOM: u64> Sealed for Duration<$t, NOM, DENOM> {
            type Ticks = $t;
            const ZERO: Self = Self::from_ticks(0);
            const CEILING: Self = Self::from_ticks($t::MAX);
            const PER_SECOND: Option<u32> = per_second(NOM, DENOM);

            #[inline]
            fn to_ticks(self) -> $t {
                self.as_ticks()
            }

            #[inline]
            fn from_ticks(ticks: $t) -> Self {
                Self::from_ticks(ticks)
            }
        }
    };
}

fugit_span!(u32);
fugit_span!(u64);

/// The ticks in a second, where they are a whole number of 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "it has just been compared")]
const fn per_second(nom: u64, denom: u64) -> Option<u32> {
    match (denom.checked_div(nom), denom.checked_rem(nom)) {
        (Some(hz), Some(0)) if hz <= u32::MAX as u64 => Some(hz as u32),
        _ => None,
    }
}
