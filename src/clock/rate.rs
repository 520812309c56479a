//! Spans in human units as ticks of a timer, worked out at compile time.

use super::ratio::Ratio;
use crate::config_error::ConfigError;

/// A timer that counts `HZ` ticks in a second: turns milliseconds into its ticks, rounding up.
///
/// ```text
/// millis(ms) = ⌈ms · HZ / 1000⌉
/// ```
///
/// | `HZ` | 1 ms | 250 ms | longest `u32` |
/// |---|---|---|---|
/// | 1 000 | 1 | 250 | 49.7 days |
/// | 32 768 | 33 | 8192 | 36.4 h |
/// | 64 000 000 | 64 000 | 16 000 000 | 67 s |
///
/// Rounding up, as a wait must not be shorter than it says. In a `const` everything folds; at run time it takes multiplications, and no
/// division.
///
/// ```
/// use relent::clock::Rate;
/// use relent::{Exponential, Retry};
///
/// type Rtc = Rate<32_768>;
/// const LINK: Retry<Exponential<u32>> =
///     Retry::new(Exponential::new(Rtc::millis(250)).with_max_interval(Rtc::seconds(60))).with_max_attempts(6);
///
/// assert_eq!(LINK.policy().initial_interval(), 8_192);
/// assert_eq!(Rtc::millis(1), 33); // 32.768
/// assert_eq!(Rtc::micros(1), 1); // 0.032768
/// ```
///
/// What does not fit 32 bits does not compile in a `const`:
///
/// ```compile_fail
/// const TOO_LONG: u32 = relent::clock::Rate::<64_000_000>::seconds(68);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate<const HZ: u32>;

/// The three forms of one unit: for constants, checked, and in 64 bits.
macro_rules! unit {
    ($unit:literal, $per_second:literal, $name:ident, $try_name:ident, $name_u64:ident) => {
        #[doc = concat!("The ticks in so many ", $unit, ", rounded up. For constants.")]
        ///
        /// # Panics
        ///
        /// If they do not fit 32 bits: in a `const`, this does not compile.
        #[track_caller]
        #[inline]
        pub const fn $name(span: u32) -> u32 {
            match Self::$try_name(span) {
                Ok(ticks) => ticks,
                Err(error) => error.panic(),
            }
        }

        #[doc = concat!("The ticks in so many ", $unit, ", rounded up.")]
        ///
        /// # Errors
        ///
        /// If they do not fit 32 bits.
        #[inline]
        #[expect(clippy::cast_possible_truncation, reason = "it has just been compared")]
        pub const fn $try_name(span: u32) -> Result<u32, ConfigError> {
            let ticks = Self::$name_u64(span);
            if ticks > u32::MAX as u64 {
                return Err(ConfigError::new("ticks", "ticks must be below 2^32"));
            }
            Ok(ticks as u32)
        }

        #[doc = concat!("The ticks in so many ", $unit, ", rounded up, in 64 bits, which is always enough.")]
        #[inline]
        pub const fn $name_u64(span: u32) -> u64 {
            let (ticks, rest) = Ratio::<$per_second, HZ>::apply(span, 0);
            if rest > 0 { ticks.saturating_add(1) } else { ticks }
        }
    };
}

impl<const HZ: u32> Rate<HZ> {
    unit!("seconds", 1, seconds, try_seconds, seconds_u64);
    unit!("milliseconds", 1_000, millis, try_millis, millis_u64);
    unit!("microseconds", 1_000_000, micros, try_micros, micros_u64);
}
