//! Waits that grow from the last one drawn.

use core::time::Duration;

use super::{Chain, Policy, shape};
use crate::band::Band;
use crate::config_error::ConfigError;
use crate::factor::Factor;
use crate::jitter::Jitter;
use crate::span::{Span, Ticks};

/// Each wait is a multiple of the last one *drawn*, more or less a share of that.
///
/// ```text
/// band(1) = initial ± ⌊initial · spread⌋
/// band(n) = wait(n−1) · multiplier ± ⌊wait(n−1) · spread⌋                     multiplier 2, spread 0.1
/// ```
///
/// With a cap, an end that would lie beyond it lies around it instead:
///
/// ```text
/// lo = min(lo, cap − ⌊cap · spread⌋),   hi = cap + ⌊cap · spread⌋ where hi > cap
/// ```
///
/// These are the retransmissions of DHCPv6 (RFC 8415, 15: `RT = (2 + RAND) · RTprev`, and `(1 + RAND) · MRT` where that is above `MRT`, each with a
/// `RAND` of its own between −0.1 and 0.1). REQUEST, `IRT` 1 s and `MRT` 30 s, in milliseconds:
///
/// | retry | band, whatever was drawn |
/// |---|---|
/// | 1 | [900, 1100] |
/// | 2 | [1710, 2310] |
/// | 3 | [3249, 4851] |
/// | 5 | [11 729, 21 393] |
/// | 7 and on | [27 000, 33 000] |
///
/// The ends are those of the RFC; between them the draw is uniform, also where a part of the band lies beyond the cap. Products are rounded down to the tick.
///
/// ```
/// use relent::{Policy, Recursive, testing::Script};
///
/// const REQUEST: Recursive<u32> = Recursive::new(1_000).with_max_interval(30_000);
/// let shortest = REQUEST.delays(Script::new([0]));
/// assert_eq!(shortest.take(4).collect::<Vec<_>>(), [900, 1_710, 3_249, 6_174]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recursive<S: Span = Duration> {
    initial_interval: S,
    multiplier: Factor,
    spread: Factor,
    max_interval: S,
    never_early: bool,
}

impl<S: Span> Recursive<S> {
    /// From `initial_interval` on, twice the last wait, more or less a tenth of it, without a cap.
    pub const fn new(initial_interval: S) -> Self {
        Self {
            initial_interval,
            multiplier: Factor::TWO,
            spread: Factor::TENTH,
            max_interval: S::CEILING,
            never_early: false,
        }
    }

    /// Sets how far a wait may lie from its nominal interval, as a share of the last wait. For constants;
    /// [`try_with_growth`](Self::try_with_growth) is for run time.
    ///
    /// # Panics
    ///
    /// If a factor is none, `multiplier` is below 1 or `spread` above 1: in a `const`, this does not compile.
    #[track_caller]
    pub const fn with_growth(self, multiplier: f64, spread: f64) -> Self {
        match self.try_with_growth(shape::multiplier(multiplier), Factor::new(spread)) {
            Ok(policy) => policy,
            Err(error) => error.panic(),
        }
    }

    /// Sets by how much a wait grows, and how far it may lie from that.
    ///
    /// # Errors
    ///
    /// If `multiplier` is below 1 or `spread` above 1.
    pub const fn try_with_growth(mut self, multiplier: Factor, spread: Factor) -> Result<Self, ConfigError> {
        if !multiplier.is_at_least_one() {
            return Err(ConfigError::new("multiplier", "multiplier must be at least 1"));
        }
        // A larger share would make the shortest wait shrink when the last one was longer.
        if spread.is_at_least_one() && !spread.is_one() {
            return Err(ConfigError::new("spread", "spread must be at most 1"));
        }
        self.multiplier = multiplier;
        self.spread = spread;
        Ok(self)
    }

    /// Caps the interval before the spread: 30 s ± a tenth reaches 33 s.
    pub const fn with_max_interval(mut self, cap: S) -> Self {
        self.max_interval = cap;
        self
    }

    /// The first wait is longer than the initial interval, as RFC 8415 (18.2.1) has it for SOLICIT.
    pub const fn with_first_never_early(mut self) -> Self {
        self.never_early = true;
        self
    }

    /// The first nominal interval.
    pub const fn initial_interval(&self) -> S {
        self.initial_interval
    }

    /// By how much a wait grows.
    pub const fn multiplier(&self) -> Factor {
        self.multiplier
    }

    /// How far a wait may lie from its nominal interval, as a share of the last one.
    pub const fn spread(&self) -> Factor {
        self.spread
    }

    /// Whether the first wait is longer than the initial interval.
    pub const fn first_is_never_early(&self) -> bool {
        self.never_early
    }

    /// The cap on the nominal interval; the span's ceiling where none was set.
    pub const fn max_interval(&self) -> S {
        self.max_interval
    }
}

impl<S: Span> Policy for Recursive<S> {
    type Span = S;
    type State = Chain<S>;

    #[inline]
    fn start(&self) -> Chain<S> {
        Chain::START
    }

    fn next(&self, state: &mut Chain<S>) -> Option<Band<S>> {
        let cap = self.max_interval.to_ticks();
        let around_cap: Band<S> = Jitter::Spread(self.spread).band_ticks(cap);
        let (lo, hi) = if let (Some(last), Some(nominal)) = (state.last(), state.grown(self.multiplier)) {
            let part = last.scaled(self.spread);
            (nominal.minus(part), nominal.plus(part))
        } else {
            let initial = self.initial_interval.to_ticks();
            let part = initial.scaled(self.spread);
            let lo = if self.never_early { initial.plus(S::Ticks::ONE) } else { initial.minus(part) };
            (lo, initial.plus(part))
        };
        let hi = if hi > cap { around_cap.hi_ticks() } else { hi };
        Some(Band::from_ends(lo.min(around_cap.lo_ticks()), hi))
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
