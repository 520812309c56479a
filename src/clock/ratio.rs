//! Multiplying by a fixed ratio, exactly, without dividing at run time.

/// Counts in `1/FROM` s, turned into counts in `1/TO` s.
pub(super) struct Ratio<const FROM: u32, const TO: u32>;

impl<const FROM: u32, const TO: u32> Ratio<FROM, TO> {
    const COMMON: u32 = {
        assert!(FROM > 0 && TO > 0, "a rate must be at least 1 Hz");
        let (mut a, mut b) = (FROM, TO);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    const NUM: u32 = TO / Self::COMMON;
    const DEN: u32 = {
        let den = FROM / Self::COMMON;
        assert!(den < 1 << 30, "a rate must be below 2^30 Hz, or share a factor with the other one");
        den
    };
    const WHOLE: u32 = Self::NUM / Self::DEN;
    /// The rest of the quotient in 2⁻³², rounded down.
    const FRACTION: u64 = (((Self::NUM % Self::DEN) as u64) << 32) / Self::DEN as u64;

    /// `⌊(n · TO + carry) / FROM⌋`, and what is left over as the next `carry`. The carry is counted in parts of a whole that only this
    /// ratio knows; it starts at 0.
    #[inline]
    #[expect(clippy::arithmetic_side_effects, reason = "the bounds are beside the lines")]
    #[expect(clippy::cast_possible_truncation, reason = "the remainder is computed modulo 2^32, which it is below")]
    pub(super) const fn apply(n: u32, carry: u32) -> (u64, u32) {
        // At most (2^32 - 1)² + 2^32 - 1, and at most 2 are added below.
        let mut whole = n as u64 * Self::WHOLE as u64 + ((n as u64 * Self::FRACTION) >> 32);
        // FRACTION is short by less than 2^-32, so the guess is short by less than 2; with the carry, less than 3 · DEN is left.
        let mut rest =
            n.wrapping_mul(Self::NUM).wrapping_add(carry).wrapping_sub((whole as u32).wrapping_mul(Self::DEN));
        // Twice at most, and written out: of a loop the compiler makes a division.
        if rest >= Self::DEN {
            rest -= Self::DEN;
            whole += 1;
        }
        if rest >= Self::DEN {
            rest -= Self::DEN;
            whole += 1;
        }
        (whole, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::Ratio;

    fn matches_division<const FROM: u32, const TO: u32>() {
        let mut words = (0..40).map(|k| 1_u32 << (k % 32)).chain([0, 3, u32::MAX, u32::MAX - 1, 0x89AB_CDEF]);
        let mut carry = 0;
        let (mut told, mut given) = (0_u128, 0_u128);
        for n in words.by_ref() {
            let (whole, rest) = Ratio::<FROM, TO>::apply(n, carry);
            carry = rest;
            told += u128::from(n);
            given += u128::from(whole);
            assert_eq!(given, told * u128::from(TO) / u128::from(FROM), "{n} at {FROM} -> {TO}");
        }
    }

    #[test]
    fn the_sum_of_the_steps_is_the_scaled_sum() {
        matches_division::<64_000_000, 1_000>();
        matches_division::<32_768, 1_000>();
        matches_division::<32_768, 1_000_000>();
        matches_division::<48_000_001, 1_000_000>();
        matches_division::<1, 1_000_000_000>();
        matches_division::<1_073_741_823, 1>();
        matches_division::<1_073_741_823, { u32::MAX }>();
        matches_division::<1_000, 1_000>();
        matches_division::<4_000_000_000, 1_000>();
    }
}
