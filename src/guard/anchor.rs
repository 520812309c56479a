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

#[cfg(test)]
mod tests {
    use super::Anchor;
    use crate::clock::Instant;

    #[test]
    fn a_step_back_stands_still_until_it_is_made_up() {
        let mut anchor = Anchor::new();
        let steps = [100_u32, 110, 50, 105, 111].map(|t| anchor.step(Instant::at(t)));
        assert_eq!(steps, [0, 10, 0, 0, 1]);
    }
}
