//! A window over the last so many buckets of time (R11).

use core::time::Duration;

use super::window::{Threshold, Window, sealed};
use crate::division::divided;
use crate::span::{Span, Ticks};

/// The outcomes of the last `BUCKETS` buckets of time; trips as its [`Threshold`] says.
///
/// Time is cut into buckets from the first reading on, and anew whenever the breaker closes. The present bucket and the `BUCKETS − 1` before it count, so with `T = BUCKETS · bucket`
/// an outcome counts until its age is `T − bucket` at least, and never once it is `T`.
///
/// ```
/// use core::time::Duration;
/// use relent::guard::breaker::{LastSpan, Threshold};
///
/// // Half of the calls of the last 10 s, if there were 20.
/// const RECENT: LastSpan<Duration, 10> = LastSpan::new(Duration::from_secs(1), Threshold::rate(1, 2).with_min_volume(20));
/// assert_eq!(RECENT.failures(), 0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LastSpan<S: Span = Duration, const BUCKETS: usize = 10> {
    threshold: Threshold,
    bucket: S,
    /// Ticks since the present bucket began.
    into: S::Ticks,
    /// The present bucket; below `BUCKETS`.
    present: usize,
    total: Count,
    counts: [Count; BUCKETS],
}

#[derive(Clone, Copy, Debug)]
struct Count {
    failures: u32,
    outcomes: u32,
}

impl Count {
    const NONE: Self = Self { failures: 0, outcomes: 0 };

    #[inline]
    fn add(&mut self, failed: bool) {
        self.failures = self.failures.saturating_add(failed.into());
        self.outcomes = self.outcomes.saturating_add(1);
    }
}

impl<S: Span, const BUCKETS: usize> LastSpan<S, BUCKETS> {
    /// `BUCKETS` buckets of length `bucket`.
    pub const fn new(bucket: S, threshold: Threshold) -> Self {
        const { assert!(BUCKETS > 0, "a window has at least one bucket") };
        Self { threshold, bucket, into: S::Ticks::ZERO, present: 0, total: Count::NONE, counts: [Count::NONE; BUCKETS] }
    }

    /// How many failures were in the window when it last heard of anything.
    pub const fn failures(&self) -> u32 {
        self.total.failures
    }

    /// How many outcomes were in the window when it last heard of anything.
    pub const fn outcomes(&self) -> u32 {
        self.total.outcomes
    }

    #[inline]
    fn push(&mut self, failed: bool) {
        // No more than the total can count, so that it stays the sum of its parts.
        if self.total.outcomes < u32::MAX
            && let Some(count) = self.counts.get_mut(self.present)
        {
            count.add(failed);
            self.total.add(failed);
        }
    }

    /// Goes on by `step`, out of the present bucket.
    #[cold]
    fn roll(&mut self, step: S::Ticks) {
        let bucket = self.bucket.to_ticks();
        let mut step = step.minus(bucket.minus(self.into));
        self.next();
        for _ in 1..BUCKETS {
            if step < bucket {
                self.into = step;
                return;
            }
            step = step.minus(bucket);
            self.next();
        }
        self.into = divided(step, bucket).1;
    }

    /// Moves to the next bucket and empties it.
    fn next(&mut self) {
        self.present = self.present.saturating_add(1);
        if self.present == BUCKETS {
            self.present = 0;
        }
        if let Some(count) = self.counts.get_mut(self.present) {
            self.total.failures = self.total.failures.saturating_sub(count.failures);
            self.total.outcomes = self.total.outcomes.saturating_sub(count.outcomes);
            *count = Count::NONE;
        }
    }
}

impl<S: Span, const BUCKETS: usize> sealed::Sealed for LastSpan<S, BUCKETS> {}

impl<S: Span, const BUCKETS: usize> Window<S> for LastSpan<S, BUCKETS> {
    #[inline]
    fn pass(&mut self, step: S::Ticks) {
        let into = self.into.plus(step);
        if into < self.bucket.to_ticks() {
            self.into = into;
        } else {
            self.roll(step);
        }
    }

    #[inline]
    fn success(&mut self) {
        self.push(false);
    }

    #[inline]
    fn failure(&mut self) -> bool {
        self.push(true);
        self.threshold.trips(self.total.failures, self.total.outcomes)
    }

    fn clear(&mut self) {
        self.into = S::Ticks::ZERO;
        self.counts = [Count::NONE; BUCKETS];
        self.total = Count::NONE;
    }
}
