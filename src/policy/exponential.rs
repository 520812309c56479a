//! The exponential policy (R1, R2, R3).

use core::time::Duration;

use super::Policy;
use super::shape::{self, Shape, shape_setters};
use crate::band::Band;
use crate::config_error::ConfigError;
use crate::factor::Factor;
use crate::jitter::Jitter;
use crate::span::{Span, Ticks};

/// Intervals that grow by a factor, with jitter, up to a cap.
///
/// ```text
/// cap        = min(max_interval, max_delay)
/// nominal(1) = min(initial, cap)
/// nominal(n) = min(⌊nominal(n−1) · multiplier⌋, cap)     n = 1 for the first retry
/// band(n)    = jitter around nominal(n), clipped to max_delay
/// ```
///
/// [`Exponential::default()`], in seconds (initial 0.5, ×1.5, ± 50 %, `max_interval` 60):
///
/// | retry | nominal | band |
/// |---|---|---|
/// | 1 | 0.5 | [0.25, 0.75] |
/// | 2 | 0.75 | [0.375, 1.125] |
/// | 3 | 1.125 | [0.562, 1.688] |
/// | 4 | 1.688 | [0.844, 2.531] |
/// | 5 | 2.531 | [1.266, 3.797] |
/// | 6 | 3.797 | [1.898, 5.695] |
/// | 7 | 5.695 | [2.848, 8.543] |
/// | 8 | 8.543 | [4.271, 12.814] |
/// | 9 | 12.814 | [6.407, 19.222] |
///
/// (rounded to the millisecond here; nanoseconds are computed) and from the 13th on 60, [30, 90]: `max_interval` bounds the nominal
/// interval, as in the Go library whose defaults these are (cenkalti/backoff v5). [`with_max_delay`](Self::with_max_delay) bounds the
/// wait itself.
///
/// # Rounding
///
/// Down to a tick, at every step. A multiplier of 1 is exact identity; above 1 an interval grows by at least one tick until the
/// cap, so 1 ms × 1.5 does not stay 1 ms. An initial interval of 0 stays 0, and one above the cap is the cap. Growth
/// saturates at the span's ceiling.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use relent::{Band, Exponential, Policy};
///
/// let seconds = |s: f64| Duration::from_secs_f64(s);
/// let rows: Vec<_> = Exponential::default().plan().take(13).collect();
/// for (row, (nominal, lo, hi)) in rows.iter().zip([
///     (0.5, 0.25, 0.75),
///     (0.75, 0.375, 1.125),
///     (1.125, 0.562, 1.688),
///     (1.688, 0.844, 2.531),
///     (2.531, 1.266, 3.797),
///     (3.797, 1.898, 5.695),
///     (5.695, 2.848, 8.543),
///     (8.543, 4.271, 12.814),
///     (12.814, 6.407, 19.222),
/// ]) {
///     let near = |a: Duration, b: f64| a.abs_diff(seconds(b)) <= Duration::from_micros(500);
///     assert!(near(row.nominal().unwrap(), nominal) && near(row.band().lo(), lo) && near(row.band().hi(), hi));
/// }
/// assert_eq!(rows[12].nominal(), Some(seconds(60.0)));
/// assert_eq!(rows[12].band(), Band::new(seconds(30.0), seconds(90.0)));
///
/// // In ticks of a millisecond, the published whole numbers.
/// let ticks = Exponential::new(500_u32).plan().map(|row| row.nominal().unwrap());
/// assert_eq!(ticks.take(9).collect::<Vec<_>>(), [500, 750, 1125, 1687, 2530, 3795, 5692, 8538, 12807]);
/// ```
///
/// A plain number is not a span:
///
/// ```compile_fail
/// let policy: relent::Exponential = relent::Exponential::new(500);
/// ```
///
/// A multiplier below 1 would make the waits shrink, and does not compile in a `const`:
///
/// ```compile_fail
/// use relent::Exponential;
/// const P: Exponential<u32> = Exponential::new(500).with_multiplier(0.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "ExponentialBackoff")]
pub struct Exponential<S: Span = Duration> {
    initial_interval: S,
    multiplier: Factor,
    shape: Shape<S>,
}

impl<S: Span> Exponential<S> {
    /// Grows from `initial_interval` by ×1.5, ± 50 %, without caps.
    #[doc(alias = "min_delay")]
    pub const fn new(initial_interval: S) -> Self {
        Self { initial_interval, multiplier: Factor::THREE_HALVES, shape: Shape::new(Jitter::Spread(Factor::HALF)) }
    }

    /// Sets by how much an interval grows, as a decimal. For constants; [`try_with_multiplier`](Self::try_with_multiplier) is for run time.
    ///
    /// # Panics
    ///
    /// If `multiplier` is NaN, below 1, or 2³² and more: in a `const`, this does not compile.
    #[doc(alias = "factor")]
    #[track_caller]
    pub const fn with_multiplier(self, multiplier: f64) -> Self {
        match self.try_with_multiplier(shape::multiplier(multiplier)) {
            Ok(policy) => policy,
            Err(error) => error.panic(),
        }
    }

    /// Sets by how much an interval grows.
    ///
    /// # Errors
    ///
    /// If `multiplier` is below 1.
    ///
    /// ```
    /// use relent::{Exponential, Factor};
    ///
    /// let policy = Exponential::new(100_u32).try_with_multiplier(Factor::ratio(8, 5)?)?;
    /// let error = policy.try_with_multiplier(Factor::ratio(1, 2)?).unwrap_err();
    /// assert_eq!(error.to_string(), "multiplier must be at least 1");
    /// # Ok::<(), relent::ConfigError>(())
    /// ```
    pub const fn try_with_multiplier(mut self, multiplier: Factor) -> Result<Self, ConfigError> {
        if !multiplier.is_at_least_one() {
            return Err(ConfigError::new("multiplier", "multiplier must be at least 1"));
        }
        self.multiplier = multiplier;
        Ok(self)
    }

    shape_setters!(max_interval);
    shape_setters!(max_delay);
    shape_setters!(jitter);

    /// The first nominal interval.
    pub const fn initial_interval(&self) -> S {
        self.initial_interval
    }

    /// By how much an interval grows.
    pub const fn multiplier(&self) -> Factor {
        self.multiplier
    }
}

/// The defaults of the Go library: 500 ms, ×1.5, ± 50 %, at most 60 s before jitter.
impl Default for Exponential {
    fn default() -> Self {
        Self::new(Duration::from_millis(500)).with_max_interval(Duration::from_secs(60))
    }
}

/// Where an exponential run stands: three words.
///
/// The last band is kept, so that a delay at the cap costs no more than its draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth<S: Span = Duration> {
    /// The nominal interval of the next retry; 0 when `band` is the last one for good.
    growing: S::Ticks,
    band: Band<S>,
}

/// The state of a policy that always waits 0, for an enum of policies that has a variant without growth.
impl<S: Span> Default for Growth<S> {
    fn default() -> Self {
        Self { growing: S::Ticks::ZERO, band: Band::from_ends(S::Ticks::ZERO, S::Ticks::ZERO) }
    }
}

impl<S: Span> Policy for Exponential<S> {
    type Span = S;
    type State = Growth<S>;

    #[inline(always)]
    fn start(&self) -> Growth<S> {
        Growth { growing: self.shape.cap(self.initial_interval.to_ticks()), band: self.shape.band_of_zero() }
    }

    #[inline(always)]
    fn next(&self, state: &mut Growth<S>) -> Option<Band<S>> {
        let nominal = state.growing;
        if nominal != S::Ticks::ZERO {
            let cap = self.shape.ceiling();
            state.band = self.shape.band_below_cap(nominal);
            state.growing = if nominal == cap || self.multiplier.is_one() {
                S::Ticks::ZERO
            } else {
                nominal.scaled(self.multiplier).max(nominal.wrapping_plus(S::Ticks::ONE)).min(cap)
            };
        }
        Some(state.band)
    }

    #[inline]
    fn restart_growth(&self, state: &mut Growth<S>) {
        *state = self.start();
    }

    fn nominal(&self, state: &Growth<S>) -> Option<S> {
        let initial = self.initial_interval.to_ticks();
        let settles_at_initial = self.multiplier.is_one() || initial == S::Ticks::ZERO;
        let nominal = match state.growing {
            growing if growing != S::Ticks::ZERO => growing,
            _ if settles_at_initial => self.shape.cap(initial),
            _ => self.shape.ceiling(),
        };
        Some(S::from_ticks(nominal))
    }

    #[inline]
    fn is_settled(&self, state: &Growth<S>) -> bool {
        state.growing == S::Ticks::ZERO
    }
}
