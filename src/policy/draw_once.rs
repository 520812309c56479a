//! One draw, and from there on exactly.

use core::time::Duration;

use super::Policy;
use super::shape::{self, grown};
use crate::band::Band;
use crate::config_error::ConfigError;
use crate::factor::Factor;
use crate::span::Span;

/// The first wait is drawn, and each later one is exactly a multiple of the one before.
///
/// ```text
/// band(1) = [lo, hi]
/// wait(n) = min(⌊wait(n−1) · multiplier⌋, max_delay)       multiplier 2
/// ```
///
/// CoAP's confirmable messages (RFC 7252, 4.2 and 4.8: `ACK_TIMEOUT` 2 s, `ACK_RANDOM_FACTOR` 1.5, `MAX_RETRANSMIT` 4), in seconds:
///
/// | retry | wait |
/// |---|---|
/// | 1 | [2, 3] |
/// | 2 | [4, 6] |
/// | 3 | [8, 12] |
/// | 4 | [16, 24] |
///
/// Rounded down to a tick at each step; above ×1 a wait grows by at least one tick, but 0 stays 0. Takes one random word in all.
/// After a hint it draws anew.
///
/// ```
/// use relent::{DrawOnce, Policy, testing::Script};
///
/// const COAP: DrawOnce<u32> = DrawOnce::new(2_000, 3_000);
/// let mut rng = Script::units([0.25]);
/// assert_eq!(COAP.delays(&mut rng).take(4).collect::<Vec<_>>(), [2_250, 4_500, 9_000, 18_000]);
/// assert_eq!(rng.drawn(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawOnce<S: Span = Duration> {
    lo: S,
    hi: S,
    multiplier: Factor,
    max_delay: S,
}

impl<S: Span> DrawOnce<S> {
    /// The first wait between `lo` and `hi`, both included, then doubled; where `hi` is below `lo`, it wins.
    pub const fn new(lo: S, hi: S) -> Self {
        Self { lo, hi, multiplier: Factor::TWO, max_delay: S::CEILING }
    }

    /// Sets by how much a wait grows, as a decimal. For constants; [`try_with_multiplier`](Self::try_with_multiplier) is for run time.
    ///
    /// # Panics
    ///
    /// If `multiplier` is NaN, below 1, or 2³² and more: in a `const`, this does not compile.
    #[track_caller]
    pub const fn with_multiplier(self, multiplier: f64) -> Self {
        match self.try_with_multiplier(shape::multiplier(multiplier)) {
            Ok(policy) => policy,
            Err(error) => error.panic(),
        }
    }

    /// Sets by how much a wait grows.
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

    /// Caps the wait; the first band before the draw.
    pub const fn with_max_delay(mut self, cap: S) -> Self {
        self.max_delay = cap;
        self
    }

    /// The shortest first wait.
    pub const fn lo(&self) -> S {
        self.lo
    }

    /// The longest first wait.
    pub const fn hi(&self) -> S {
        self.hi
    }

    /// By how much a wait grows.
    pub const fn multiplier(&self) -> Factor {
        self.multiplier
    }

    /// The cap on the wait; the span's ceiling where none was set.
    pub const fn max_delay(&self) -> S {
        self.max_delay
    }
}

/// Where a run stands whose waits follow from the last one drawn; nothing was drawn yet in the beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chain<S: Span = Duration> {
    last: Option<S::Ticks>,
}

impl<S: Span> Chain<S> {
    pub(super) const START: Self = Self { last: None };

    pub(super) fn after(delay: S) -> Self {
        Self { last: Some(delay.to_ticks()) }
    }

    pub(super) fn last(&self) -> Option<S::Ticks> {
        self.last
    }

    /// The last wait times `multiplier`, longer by a tick at least unless one of them says to stay; `None` before the first.
    #[inline]
    pub(super) fn grown(&self, multiplier: Factor) -> Option<S::Ticks> {
        self.last.map(|last| grown(last, multiplier))
    }
}

impl<S: Span> Policy for DrawOnce<S> {
    type Span = S;
    type State = Chain<S>;

    #[inline]
    fn start(&self) -> Chain<S> {
        Chain::START
    }

    #[inline]
    fn next(&self, state: &mut Chain<S>) -> Option<Band<S>> {
        let band = match state.grown(self.multiplier) {
            None => Band::new(self.lo, self.hi),
            Some(wait) => Band::from_ends(wait, wait),
        };
        Some(band.at_most(self.max_delay))
    }

    #[inline]
    fn drawn(&self, state: &mut Chain<S>, delay: S) {
        *state = Chain::after(delay);
    }

    #[inline]
    fn restart_growth(&self, state: &mut Chain<S>) {
        *state = Chain::START;
    }
}
