//! Long division, for the few places that divide by what a user sets (R13).

use crate::span::Ticks;

/// `⌊n / d⌋` and `n mod d`, by doubling and taking away: no division is linked. Zeros for a `d` of zero.
pub(crate) fn divided<T: Ticks>(n: T, d: T) -> (T, T) {
    if d == T::ZERO {
        return (T::ZERO, T::ZERO);
    }
    let (mut quotient, mut rest, mut part) = (T::ZERO, n, d);
    while part <= rest.halved() {
        part = part.plus(part);
    }
    while part >= d {
        quotient = quotient.plus(quotient);
        if part <= rest {
            rest = rest.minus(part);
            quotient = quotient.plus(T::ONE);
        }
        part = part.halved();
    }
    (quotient, rest)
}

#[cfg(test)]
mod tests {
    use super::divided;

    #[test]
    fn long_division_divides() {
        for n in 0..=255_u8 {
            assert_eq!(divided(n, 0), (0, 0));
            for d in 1..=255_u8 {
                assert_eq!(divided(n, d), (n / d, n % d), "{n} / {d}");
            }
        }
        assert_eq!(divided(u64::MAX, 1_000_000_007), (u64::MAX / 1_000_000_007, u64::MAX % 1_000_000_007));
        assert_eq!(divided(u32::MAX, 1), (u32::MAX, 0));
    }
}
