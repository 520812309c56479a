//! The latest clock reading of a guard, and the steps from it (R10).

use crate::clock::Instant;
use crate::span::{Span, Ticks};

/// The latest reading; it never moves backwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor<S: Span> {
    latest: Option<Instant<S>>,
}

impl<S: Span> Anchor<S> {
    /// No reading yet: the first one starts the count.
    pub(crate) const fn new() -> Self {
        Self { latest: None }
    }

    /// The ticks since the latest reading, which moves to `now`.
    #[inline]
    pub(crate) fn step(&mut self, now: Instant<S>) -> S::Ticks {
        let step = self.passed(now);
        if step > S::Ticks::ZERO || self.latest.is_none() {
            self.latest = Some(now);
        }
        step
    }

    /// After a restart of the timer: `now` is the latest reading, and no time has passed.
    pub(crate) fn rebase(&mut self, now: Instant<S>) {
        self.latest = Some(now);
    }

    /// The ticks since the latest reading, changing nothing.
    #[inline]
    pub(crate) fn passed(&self, now: Instant<S>) -> S::Ticks {
        self.latest.map_or(S::Ticks::ZERO, |latest| now.ticks_since(latest))
    }
}

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
    use super::{Anchor, divided};
    use crate::clock::Instant;

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

    #[test]
    fn a_step_back_stands_still_until_it_is_made_up() {
        let mut anchor = Anchor::new();
        let steps = [100_u32, 110, 50, 105, 111].map(|t| anchor.step(Instant::at(t)));
        assert_eq!(steps, [0, 10, 0, 0, 1]);
    }
}
