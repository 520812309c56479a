//! What a schedule can cost, known before anything is drawn.

use core::time::Duration;

use crate::band::Band;
use crate::policy::Policy;
use crate::span::{Span, Ticks};

/// One row of a [`Plan`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanRow<S: Span = Duration> {
    retry: u32,
    nominal: Option<S>,
    band: Band<S>,
    best: S::Ticks,
    worst: S::Ticks,
    depends_on_draws: bool,
}

impl<S: Span> PlanRow<S> {
    /// Which retry: 1 is the first.
    pub const fn retry(&self) -> u32 {
        self.retry
    }

    /// The interval before jitter, where the policy has one.
    pub const fn nominal(&self) -> Option<S> {
        self.nominal
    }

    /// The shortest and the longest wait before this retry, whatever was drawn before.
    pub const fn band(&self) -> Band<S> {
        self.band
    }

    /// The sum of the shortest waits up to and including this one; saturates.
    pub fn best(&self) -> S {
        S::from_ticks(self.best)
    }

    /// The sum of the longest waits up to and including this one; saturates.
    pub fn worst(&self) -> S {
        S::from_ticks(self.worst)
    }

    /// The mean of that sum, rounded down; `None` from where the bands depend on what was drawn.
    pub fn mean(&self) -> Option<S> {
        (!self.depends_on_draws).then(|| S::from_ticks(self.best.plus(self.worst.minus(self.best).halved())))
    }
}

/// The schedule of a policy as a table; made by [`Policy::plan`] and [`Retry::plan`](crate::Retry::plan).
///
/// | retry | nominal | band | best | worst | mean |
/// |---|---|---|---|---|---|
/// | 1 | 500 | [250, 750] | 250 | 750 | 500 |
/// | 2 | 750 | [375, 1125] | 625 | 1875 | 1250 |
/// | 3 | 1125 | [563, 1687] | 1188 | 3562 | 2375 |
///
/// For a policy whose bands depend on what was drawn, the band is from the shortest to the longest that any draws can lead to.
///
/// An unlimited policy makes an endless plan; `nth` skips at once over the part where the policy says that nothing changes any more
/// ([`Policy::is_settled`]), however far.
///
/// ```
/// use relent::{Exponential, Policy};
///
/// let row = Exponential::new(500_u32).plan().nth(2).unwrap();
/// assert_eq!((row.retry(), row.nominal(), row.best(), row.worst(), row.mean()), (3, Some(1125), 1188, 3562, Some(2375)));
///
/// let capped = Exponential::new(500_u32).with_max_interval(60_000);
/// assert_eq!(capped.plan().nth(u32::MAX as usize - 1).unwrap().nominal(), Some(60_000));
/// ```
#[derive(Clone, Debug)]
pub struct Plan<P: Policy> {
    policy: P,
    /// The state after always drawing the shortest wait, and the longest.
    shortest: P::State,
    longest: P::State,
    retry: u32,
    max_retries: u32,
    best: <P::Span as crate::span::Sealed>::Ticks,
    worst: <P::Span as crate::span::Sealed>::Ticks,
    max_best: P::Span,
    depends_on_draws: bool,
}

impl<P: Policy> Plan<P> {
    /// The schedule of `policy`.
    pub fn new(policy: P) -> Self {
        Self::within(policy, u32::MAX, crate::span::Sealed::CEILING)
    }

    /// The schedule up to so many retries, and while it can be reached within a time limit.
    pub(crate) fn within(policy: P, max_retries: u32, max_elapsed: P::Span) -> Self {
        let state = policy.start();
        Self {
            policy,
            shortest: state,
            longest: state,
            retry: 0,
            max_retries,
            best: Ticks::ZERO,
            worst: Ticks::ZERO,
            max_best: max_elapsed,
            depends_on_draws: false,
        }
    }

    /// Passes over up to `n` rows at once where all of them are alike; how many it passed.
    fn skip_settled(&mut self, n: usize) -> Option<usize> {
        if !(self.policy.is_settled(&self.shortest) && self.policy.is_settled(&self.longest)) {
            return Some(0);
        }
        let n = u32::try_from(n).unwrap_or(u32::MAX).min(self.max_retries.saturating_sub(self.retry));
        let lo = self.policy.next(&mut { self.shortest })?.lo_ticks();
        let hi = self.policy.next(&mut { self.longest })?.hi_ticks();
        self.retry = self.retry.saturating_add(n);
        self.best = self.best.plus(lo.times(n));
        self.worst = self.worst.plus(hi.times(n));
        usize::try_from(n).ok()
    }
}

impl<P: Policy> Iterator for Plan<P> {
    type Item = PlanRow<P::Span>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.retry == self.max_retries {
            return None;
        }
        let nominal = self.policy.nominal(&self.shortest);
        let shortest = self.policy.next(&mut self.shortest)?;
        let longest = self.policy.next(&mut self.longest)?;
        self.depends_on_draws |= shortest != longest;
        self.policy.drawn(&mut self.shortest, shortest.lo());
        self.policy.drawn(&mut self.longest, longest.hi());
        self.retry = self.retry.saturating_add(1);
        self.best = self.best.plus(shortest.lo_ticks());
        self.worst = self.worst.plus(longest.hi_ticks());
        if self.best > crate::span::Sealed::to_ticks(self.max_best) {
            self.max_retries = self.retry;
            return None;
        }
        Some(PlanRow {
            retry: self.retry,
            nominal: if self.depends_on_draws { None } else { nominal },
            band: Band::from_ends(shortest.lo_ticks(), longest.hi_ticks()),
            best: self.best,
            worst: self.worst,
            depends_on_draws: self.depends_on_draws,
        })
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        let mut left = n;
        while left > 0 {
            match self.skip_settled(left)? {
                0 => {
                    self.next()?;
                    left = left.saturating_sub(1);
                }
                passed => left = left.saturating_sub(passed),
            }
        }
        self.next()
    }
}
