//! Waits that depend on the last one drawn.

use core::time::Duration;

use super::Policy;
use super::shape::{self, grown};
use crate::band::Band;
use crate::config_error::ConfigError;
use crate::factor::Factor;
use crate::span::Span;

/// Each wait is drawn between a base and a multiple of the last wait.
///
/// ```text
/// band(n) = [base, min(max_delay, ⌊multiplier · wait(n−1)⌋)]      wait(0) = base, multiplier 3
/// ```
///
/// | retry | band of base 100, `max_delay` 10 000, if every wait is the longest |
/// |---|---|
/// | 1 | [100, 300] |
/// | 2 | [100, 900] |
/// | 3 | [100, 2700] |
/// | 4 | [100, 8100] |
/// | 5 | [100, 10 000] |
///
/// Rounded down to a tick; above ×1 the upper end lies at least one tick above the last wait, so a base of 1 tick × 1.5 does not stay there.
/// A base of 0 stays 0.
///
/// The formula is that of "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015). There the cap is applied after the draw,
/// so that most late waits are the cap itself; here it clips the band.
///
/// ```
/// use relent::{Decorrelated, Policy, testing::Script};
///
/// let policy = Decorrelated::new(100_u32).with_max_delay(10_000);
/// let longest = policy.delays(Script::new([u64::MAX]));
/// assert_eq!(longest.take(5).collect::<Vec<_>>(), [300, 900, 2700, 8100, 10_000]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decorrelated<S: Span = Duration> {
    base: S,
    multiplier: Factor,
    max_delay: S,
}

impl<S: Span> Decorrelated<S> {
    /// Between `base` and three times the last wait.
    pub const fn new(base: S) -> Self {
        Self { base, multiplier: Factor::THREE, max_delay: S::CEILING }
    }

    /// Sets how far above the last wait the next may lie, as a decimal. For constants; [`try_with_multiplier`](Self::try_with_multiplier) is for
    /// run time.
    ///
    /// # Panics
    ///
    /// If `multiplier` is NaN, below 1, or 2³² and more: in a `const`, this does not compile.
    ///
    /// ```
    /// use relent::{Decorrelated, Policy, testing::Script};
    ///
    /// const POLICY: Decorrelated<u32> = Decorrelated::new(100).with_multiplier(2.0);
    /// assert_eq!(POLICY.delays(Script::new([u64::MAX])).take(3).collect::<Vec<_>>(), [200, 400, 800]);
    /// ```
    #[track_caller]
    pub const fn with_multiplier(self, multiplier: f64) -> Self {
        match self.try_with_multiplier(shape::multiplier(multiplier)) {
            Ok(policy) => policy,
            Err(error) => error.panic(),
        }
    }

    /// Sets how far above the last wait the next may lie.
    ///
    /// # Errors
    ///
    /// If `multiplier` is below 1.
    pub const fn try_with_multiplier(mut self, multiplier: Factor) -> Result<Self, ConfigError> {
        if !multiplier.is_at_least_one() {
            return Err(ConfigError::new("multiplier", "multiplier must be at least 1"));
        }
        self.multiplier = multiplier;
        Ok(self)
    }

    /// Caps the wait, before the draw.
    pub const fn with_max_delay(mut self, cap: S) -> Self {
        self.max_delay = cap;
        self
    }

    /// The shortest wait.
    pub const fn base(&self) -> S {
        self.base
    }

    /// How far above the last wait the next may lie.
    pub const fn multiplier(&self) -> Factor {
        self.multiplier
    }

    /// The cap on the wait; the span's ceiling where none was set.
    pub const fn max_delay(&self) -> S {
        self.max_delay
    }
}

/// Where a decorrelated run stands: the last wait drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn<S: Span = Duration> {
    last: S::Ticks,
}

impl<S: Span> Policy for Decorrelated<S> {
    type Span = S;
    type State = Drawn<S>;

    #[inline]
    fn start(&self) -> Drawn<S> {
        Drawn { last: self.base.to_ticks() }
    }

    #[inline]
    fn next(&self, state: &mut Drawn<S>) -> Option<Band<S>> {
        let hi = grown(state.last, self.multiplier).min(self.max_delay.to_ticks());
        Some(Band::from_ends(self.base.to_ticks(), hi))
    }

    #[inline]
    fn drawn(&self, state: &mut Drawn<S>, delay: S) {
        state.last = delay.to_ticks();
    }

    #[inline]
    fn restart_growth(&self, state: &mut Drawn<S>) {
        *state = self.start();
    }
}
