//! Times in ticks and an exact fraction of a tick.

use crate::span::Ticks;

/// A time in ticks and a fraction of one, whose denominator is the limiter's `of`. Ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark<T> {
    pub(super) whole: T,
    pub(super) part: u32,
}

impl<T: Ticks> Mark<T> {
    pub(super) const NONE: Self = Self { whole: T::ZERO, part: 0 };

    #[inline]
    pub(super) fn plus(self, other: Self, of: u32) -> Self {
        let (carry, part) = sum(self.part, other.part, of);
        let whole = self.whole.plus(other.whole);
        Self { whole: if carry { whole.plus(T::ONE) } else { whole }, part }
    }

    /// Zero where `other` is more.
    #[inline]
    pub(super) fn minus(self, other: Self, of: u32) -> Self {
        if other >= self {
            return Self::NONE;
        }
        let whole = self.whole.minus(other.whole);
        match self.part.checked_sub(other.part) {
            Some(part) => Self { whole, part },
            // `part` of both is below `of`.
            None => Self { whole: whole.minus(T::ONE), part: of.saturating_sub(other.part).saturating_add(self.part) },
        }
    }

    /// What is left of a debt after so many ticks.
    #[inline]
    pub(super) fn after(self, step: T) -> Self {
        if step > self.whole { Self::NONE } else { Self { whole: self.whole.minus(step), part: self.part } }
    }
}

/// `(a + b) / of`, which is 0 or 1, and the rest; both are below `of`.
#[inline]
const fn sum(a: u32, b: u32, of: u32) -> (bool, u32) {
    let short = of.saturating_sub(b);
    if a >= short { (true, a.saturating_sub(short)) } else { (false, a.saturating_add(b)) }
}

/// `⌊n · part / of⌋` and the rest, by doubling; `part < of`.
pub(super) const fn parts(part: u32, of: u32, n: u32) -> (u32, u32) {
    let (mut carry, mut rest) = (0_u32, 0_u32);
    if part == 0 {
        return (carry, rest);
    }
    let mut bit = 1_u32 << 31;
    while bit > 0 {
        // No carry exceeds `n`.
        let (over, twice) = sum(rest, rest, of);
        (carry, rest) = (carry.saturating_mul(2).saturating_add(over as u32), twice);
        if n & bit != 0 {
            let (over, more) = sum(rest, part, of);
            (carry, rest) = (carry.saturating_add(over as u32), more);
        }
        bit >>= 1;
    }
    (carry, rest)
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn parts_are_the_quotient_and_the_rest() {
        for (part, of, n) in
            [(0, 1, 7), (1, 3, 10), (2, 3, u32::MAX), (u32::MAX - 1, u32::MAX, u32::MAX), (999, 1000, 0)]
        {
            let product = u64::from(part) * u64::from(n);
            let (carry, rest) = parts(part, of, n);
            assert_eq!((u64::from(carry), u64::from(rest)), (product / u64::from(of), product % u64::from(of)));
        }
    }
}
