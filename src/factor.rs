//! Fixed-point factors that compute what was written (R1a).

use core::fmt;

use crate::config_error::ConfigError;

/// A number from 0 to below 2³², as written in decimal: a multiplier, or a share of a span.
///
/// `n · factor` is floored to a whole tick, and what is written is what is computed:
/// ×1.2 of 10 ticks is 12, and 0.2 of 1 s is 200 000 000 ns. (Plain 32.32 fixed point gives 11 and
/// 199 999 999, since 0.2 has no finite binary form.)
///
/// # Representation
///
/// A 32-bit integer part and a 64-bit fraction *rounded up*. A float is first read as the shortest
/// decimal of at most nine places that stands for the same float. With `k` decimal places,
///
/// | span | `⌊n · factor⌋` is exact while |
/// |---|---|
/// | `Duration`, `u64` | `n · 10ᵏ < 2⁶⁴` (two places: up to 5.8 years of nanoseconds) |
/// | `u32` (uses the upper 32 fraction bits, rounded up) | `n · 10ᵏ < 2³²` (two places: up to 11.9 h of milliseconds) |
///
/// and above that at most `n / 2⁶⁴` or `n / 2³²`, less than one tick, too much. The same holds for [`ratio`](Self::ratio), with
/// the denominator for 10ᵏ.
///
/// # Examples
///
/// ```
/// use relent::Factor;
///
/// const HALF: Factor = Factor::new(0.5);
/// assert_eq!(HALF, Factor::ratio(1, 2)?);
/// assert_eq!(Factor::new(1.2).of_u64(10), 12);
/// assert_eq!(Factor::new(0.2).of_u64(1_000_000_000), 200_000_000);
/// assert!(Factor::try_new(f64::NAN).is_err());
/// # Ok::<(), relent::ConfigError>(())
/// ```
///
/// A constant that is no factor does not compile:
///
/// ```compile_fail
/// const F: relent::Factor = relent::Factor::new(-0.5);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factor {
    whole: u32,
    /// The fraction in 2⁻⁶⁴, in halves so that the struct has no padding and the 32-bit path no shift.
    upper: u32,
    lower: u32,
}

impl Factor {
    /// 0: nothing of it.
    pub const ZERO: Self = Self { whole: 0, upper: 0, lower: 0 };
    /// 1: exactly the same.
    pub const ONE: Self = Self { whole: 1, upper: 0, lower: 0 };
    /// 2, the multiplier of [`DrawOnce::new`](crate::DrawOnce::new) and [`Recursive::new`](crate::Recursive::new).
    pub(crate) const TWO: Self = Self { whole: 2, upper: 0, lower: 0 };
    /// 1/10, the spread of [`Recursive::new`](crate::Recursive::new).
    pub(crate) const TENTH: Self = Self { whole: 0, upper: 0x1999_9999, lower: 0x9999_999A };
    /// 3, the multiplier of [`Decorrelated::new`](crate::Decorrelated::new).
    pub(crate) const THREE: Self = Self { whole: 3, upper: 0, lower: 0 };
    /// 3/2, the multiplier of [`Exponential::new`](crate::Exponential::new).
    pub(crate) const THREE_HALVES: Self = Self { whole: 1, upper: 1 << 31, lower: 0 };
    /// 1/2, the spread of [`Exponential::new`](crate::Exponential::new).
    pub(crate) const HALF: Self = Self { whole: 0, upper: 1 << 31, lower: 0 };

    /// The factor that `value` is written as. For constants; [`try_new`](Self::try_new) is for run time.
    ///
    /// # Panics
    ///
    /// If `value` is NaN, negative, or 2³² and more: in a `const`, this does not compile.
    #[track_caller]
    pub const fn new(value: f64) -> Self {
        match Self::try_new(value) {
            Ok(factor) => factor,
            Err(error) => error.panic(),
        }
    }

    /// The factor that `value` is written as.
    ///
    /// # Errors
    ///
    /// If `value` is NaN, negative, or 2³² and more (infinity included).
    pub const fn try_new(value: f64) -> Result<Self, ConfigError> {
        if value.is_nan() {
            return Err(ConfigError::new("factor", "factor must be a number"));
        }
        // Also true of -0.0, which is the same as 0.
        if value == 0.0 {
            return Ok(Self::ZERO);
        }
        if value < 0.0 {
            return Err(ConfigError::new("factor", "factor must not be negative"));
        }
        if value >= 4_294_967_296.0 {
            return Err(ConfigError::new("factor", "factor must be below 2^32"));
        }
        Ok(read(value))
    }

    /// The factor `numerator / denominator`, without floats.
    ///
    /// # Errors
    ///
    /// If `denominator` is 0.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "the denominator is not 0; a remainder shifted by 32 fits 64 bits"
    )]
    pub const fn ratio(numerator: u32, denominator: u32) -> Result<Self, ConfigError> {
        if denominator == 0 {
            return Err(ConfigError::new("factor", "factor must not have the denominator 0"));
        }
        let whole = numerator / denominator;
        let d = denominator as u64;
        let upper = ((numerator % denominator) as u64) << 32;
        let lower = (upper % d) << 32;
        let fraction = ((upper / d) << 32) | (lower / d);
        // Rounding up cannot carry into the integer part: a remainder is left only where the
        // fraction is at most 1 - 1/d, and 1/d > 2^-64.
        let fraction = if lower.is_multiple_of(d) { fraction } else { fraction.saturating_add(1) };
        Ok(Self::from_parts(whole, fraction))
    }

    #[expect(clippy::cast_possible_truncation, reason = "takes the two halves apart")]
    pub(crate) const fn from_parts(whole: u32, fraction: u64) -> Self {
        Self { whole, upper: (fraction >> 32) as u32, lower: fraction as u32 }
    }

    /// The integer part, and the fraction in 2⁻⁶⁴.
    #[cfg(feature = "serde")]
    pub(crate) const fn to_parts(self) -> (u32, u64) {
        (self.whole, self.fraction())
    }

    /// The integer part, and the fraction in billionths, rounded down to what was written.
    #[expect(clippy::arithmetic_side_effects, reason = "a fraction times 10^9 fits 94 bits, and shifted down 30")]
    #[expect(clippy::cast_possible_truncation, reason = "below 10^9")]
    pub(crate) const fn to_decimal(self) -> (u32, u32) {
        (self.whole, ((self.fraction() as u128 * 1_000_000_000) >> 64) as u32)
    }

    const fn fraction(self) -> u64 {
        ((self.upper as u64) << 32) | self.lower as u64
    }

    /// Whether this is 1 or more, so that a multiplication never shrinks.
    pub(crate) const fn is_at_least_one(self) -> bool {
        self.whole >= 1
    }

    /// Whether this is exactly 1.
    #[inline]
    pub(crate) const fn is_one(self) -> bool {
        self.whole == 1 && self.upper == 0 && self.lower == 0
    }

    /// `⌊n · factor⌋` of a `u32`, saturating.
    ///
    /// ```
    /// # use relent::Factor;
    /// assert_eq!(Factor::new(1.5).of_u32(1687), 2530);
    /// ```
    #[inline]
    pub const fn of_u32(self, n: u32) -> u32 {
        self.scale_u32(n)
    }

    /// `⌊n · factor⌋` of a `u64`, saturating.
    #[inline]
    pub const fn of_u64(self, n: u64) -> u64 {
        self.scale_u64(n)
    }

    #[inline(always)]
    #[expect(clippy::arithmetic_side_effects, reason = "(2^32 - 1)² + 2^32 - 1 < 2^64")]
    #[expect(clippy::cast_possible_truncation, reason = "the upper half is 0")]
    pub(crate) const fn scale_u32(self, n: u32) -> u32 {
        // Saturating is right at the top too: a fraction above 1 - 2^-32 gives n - 1 either way.
        let fraction = self.upper.saturating_add((self.lower != 0) as u32);
        let product = n as u64 * self.whole as u64 + ((n as u64 * fraction as u64) >> 32);
        if product >> 32 == 0 { product as u32 } else { u32::MAX }
    }

    #[inline]
    #[expect(clippy::arithmetic_side_effects, reason = "(2^64 - 1)² < 2^128")]
    pub(crate) const fn scale_u64(self, n: u64) -> u64 {
        let part = ((n as u128 * self.fraction() as u128) >> 64) as u64;
        // Most shares are below 1, and need no more.
        if self.whole == 0 { part } else { n.saturating_mul(self.whole as u64).saturating_add(part) }
    }
}

/// Reads a positive float below 2³² as the shortest decimal that gives it, else as the binary it is.
///
/// `value = mantissa · 2^-shift` exactly, and everything below is in integers.
#[expect(clippy::arithmetic_side_effects, reason = "bounds beside the lines")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounds beside the lines")]
const fn read(value: f64) -> Factor {
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let mantissa = if exponent == 0 { fraction } else { fraction | (1 << 52) };
    // value < 2^32, so the exponent of the last bit is at most 31 - 52.
    let shift = (1075 - if exponent == 0 { 1 } else { exponent }) as u32; // 21..=1074

    // Below 2^-64 a product with any span is less than one tick; the fraction is rounded up to its last bit.
    if shift >= 64 + 53 {
        return Factor::from_parts(0, 1);
    }
    let m = mantissa as u128; // < 2^53

    let mut places = 0;
    let mut ten = 1_u128; // 10^places < 2^30
    while places <= 9 {
        let exact = m * ten; // value · 10^places · 2^shift < 2^83
        let decimal = (exact + (1 << (shift - 1))) >> shift; // the nearest whole number; shifted back it is < 2^117
        if reads_back(decimal << shift, exact, ten, mantissa, exponent) {
            let (whole, rest) = divided(decimal, ten);
            let (fraction, rest) = divided(rest << 64, ten);
            return Factor::from_parts(whole as u32, fraction as u64 + (rest != 0) as u64);
        }
        places += 1;
        ten *= 10;
    }
    let whole = m >> shift;
    let rest = m & ((1 << shift) - 1);
    let fraction = if shift <= 64 {
        rest << (64 - shift)
    } else {
        let cut = shift - 64;
        (rest >> cut) + (rest & ((1 << cut) - 1) != 0) as u128
    };
    Factor::from_parts(whole as u32, fraction as u64)
}

/// Quotient and remainder by `d`, which is not 0: said so that no panic is linked where the optimiser cannot see it.
const fn divided(n: u128, d: u128) -> (u128, u128) {
    match (n.checked_div(d), n.checked_rem(d)) {
        (Some(quotient), Some(rest)) => (quotient, rest),
        _ => (0, 0),
    }
}

/// Whether the decimal `decimal / (ten · 2^shift)` is nearest to the float `exact / (ten · 2^shift)`
/// among all floats, whose last bit is worth `ten` here.
#[expect(clippy::arithmetic_side_effects, reason = "both are below 2^127")]
const fn reads_back(decimal: u128, exact: u128, ten: u128, mantissa: u64, exponent: i32) -> bool {
    let distance = decimal.abs_diff(exact);
    // Just below a power of two the floats lie twice as close.
    let step = if decimal < exact && mantissa == 1 << 52 && exponent > 1 { ten / 2 } else { ten };
    distance * 2 < step || (distance * 2 == step && mantissa.is_multiple_of(2))
}

impl fmt::Debug for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Factor({self})")
    }
}

/// In decimal, to at most nine places, rounded down to what was written.
impl fmt::Display for Factor {
    #[expect(clippy::arithmetic_side_effects, reason = "divided by a constant")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, mut decimals) = self.to_decimal();
        let mut width = 9;
        while width > 0 && decimals.is_multiple_of(10) {
            decimals /= 10;
            width -= 1;
        }
        if width == 0 { write!(f, "{whole}") } else { write!(f, "{whole}.{decimals:0width$}") }
    }
}

#[cfg(test)]
mod tests {
    use super::Factor;

    #[test]
    fn floats_are_read_as_they_are_written() {
        // Worked out by hand: ⌈0.2 · 2^64⌉, ⌈0.1 · 2^64⌉.
        assert_eq!(Factor::new(1.2), Factor::from_parts(1, 3_689_348_814_741_910_324));
        assert_eq!(Factor::new(0.1), Factor::from_parts(0, 1_844_674_407_370_955_162));
        assert_eq!(Factor::new(3.0), Factor::from_parts(3, 0));
        assert_eq!(Factor::new(0.000_000_001), Factor::ratio(1, 1_000_000_000).unwrap());
        // The shortest decimal of the nearest float, as Python prints it.
        assert_eq!(Factor::new(4_000_000_000.123_456_7).to_string(), "4000000000.1234565");
        assert_eq!(Factor::new(f64::MIN_POSITIVE).fraction(), 1);
        assert_eq!(Factor::new(5e-324).fraction(), 1);
    }

    #[test]
    fn every_decimal_of_four_places_equals_its_ratio() {
        for n in 0..=100_000_u32 {
            assert_eq!(Factor::new(f64::from(n) / 10_000.0), Factor::ratio(n, 10_000).unwrap(), "{n}");
        }
    }

    #[test]
    fn the_constants_are_what_they_say() {
        assert_eq!(Factor::TWO, Factor::new(2.0));
        assert_eq!(Factor::TENTH, Factor::new(0.1));
    }

    #[test]
    fn a_third_is_the_binary_that_it_is() {
        assert_eq!(Factor::new(1.0 / 3.0).of_u64(3), 0);
        assert_eq!(Factor::ratio(1, 3).unwrap().of_u64(3), 1);
        assert_eq!(Factor::new(1.0 - f64::EPSILON / 2.0).of_u32(u32::MAX), u32::MAX - 1);
    }

    #[test]
    fn products_saturate() {
        assert_eq!(Factor::new(4e9).of_u32(2), u32::MAX);
        assert_eq!(Factor::new(1.5).of_u64(u64::MAX), u64::MAX);
        assert_eq!(Factor::ONE.of_u64(u64::MAX), u64::MAX);
        assert_eq!(Factor::ZERO.of_u64(u64::MAX), 0);
    }

    #[test]
    fn display_shows_what_was_written() {
        for (factor, text) in [(1.5, "1.5"), (0.1, "0.1"), (2.0, "2"), (1.05, "1.05"), (0.000_000_001, "0.000000001")] {
            assert_eq!(Factor::new(factor).to_string(), text);
        }
    }
}
