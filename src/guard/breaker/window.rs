//! What trips a breaker: the last outcomes, and how many failures among them are too many (R11).

use crate::config_error::ConfigError;
use crate::span::{Sealed, Span};

/// What a closed breaker remembers of the outcomes, and whether they trip it.
///
/// | window | remembers | size for `u32` ticks |
/// |---|---|---|
/// | [`Consecutive`] | the failures in a row | 8 bytes |
/// | [`LastOutcomes`](super::LastOutcomes) | the last n outcomes, one bit each | 32 bytes and 4 for every 32 outcomes |
/// | [`LastSpan`](super::LastSpan) | the outcomes of the last so many buckets of time | 36 bytes and 8 a bucket |
///
/// A program makes one and hands it over; you do not implement it. It hears of every reported outcome, and decides on a failure only, since
/// only a failure trips.
pub trait Window<S: Span>: Copy + sealed::Sealed {
    /// So much time has passed since the last call.
    fn pass(&mut self, step: <S as Sealed>::Ticks);
    /// A call succeeded.
    fn success(&mut self);
    /// A call failed: whether this trips the breaker.
    fn failure(&mut self) -> bool;
    /// Forgets everything.
    fn clear(&mut self);
}

pub(super) mod sealed {
    pub trait Sealed {}
}

/// Trips on so many failures in a row; a success starts the count anew, an ignored outcome leaves it.
///
/// ```
/// use relent::guard::breaker::Consecutive;
///
/// const FIVE: Consecutive = Consecutive::new(5);
/// assert!(Consecutive::try_new(0).is_err());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Consecutive {
    limit: u32,
    row: u32,
}

impl Consecutive {
    /// Trips on `failures` in a row.
    ///
    /// # Panics
    ///
    /// If it is 0: in a `const`, this does not compile.
    #[track_caller]
    pub const fn new(failures: u32) -> Self {
        match Self::try_new(failures) {
            Ok(window) => window,
            Err(error) => error.panic(),
        }
    }

    /// As [`new`](Self::new), at run time.
    ///
    /// # Errors
    ///
    /// If `failures` is 0.
    pub const fn try_new(failures: u32) -> Result<Self, ConfigError> {
        if failures == 0 {
            return Err(ConfigError::new("failures", "failures must be at least 1"));
        }
        Ok(Self { limit: failures, row: 0 })
    }
}

impl sealed::Sealed for Consecutive {}

/// Five in a row.
impl Default for Consecutive {
    fn default() -> Self {
        Self::new(5)
    }
}

impl<S: Span> Window<S> for Consecutive {
    #[inline]
    fn pass(&mut self, _: S::Ticks) {}

    #[inline]
    fn success(&mut self) {
        self.row = 0;
    }

    #[inline]
    fn failure(&mut self) -> bool {
        self.row = self.row.saturating_add(1);
        self.row >= self.limit
    }

    fn clear(&mut self) {
        self.row = 0;
    }
}

/// How many failures among the outcomes of a window are too many.
///
/// ```text
/// trips: failures ≥ min_failures  and  outcomes ≥ min_volume  and  failures · denominator ≥ numerator · outcomes
/// ```
///
/// In whole numbers, so that 3 failures of 5 are exactly a rate of 0.6 and trip at it.
///
/// ```
/// use relent::guard::breaker::Threshold;
///
/// const HALF: Threshold = Threshold::rate(1, 2).with_min_volume(10);
/// assert!(HALF.trips(5, 10));
/// assert!(!HALF.trips(4, 9));
/// assert!(Threshold::rate(3, 5).trips(3, 5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold {
    min_failures: u32,
    min_volume: u32,
    numerator: u32,
    denominator: u32,
}

impl Threshold {
    /// A failure rate of at least `numerator / denominator`.
    ///
    /// # Panics
    ///
    /// If it is 0, above 1, or has the denominator 0: in a `const`, this does not compile.
    #[track_caller]
    pub const fn rate(numerator: u32, denominator: u32) -> Self {
        match Self::try_rate(numerator, denominator) {
            Ok(threshold) => threshold,
            Err(error) => error.panic(),
        }
    }

    /// As [`rate`](Self::rate), at run time.
    ///
    /// # Errors
    ///
    /// If the rate is 0, above 1, or has the denominator 0.
    pub const fn try_rate(numerator: u32, denominator: u32) -> Result<Self, ConfigError> {
        if numerator == 0 || numerator > denominator {
            return Err(ConfigError::new("rate", "rate must be above 0 and at most 1"));
        }
        Ok(Self { min_failures: 1, min_volume: 1, numerator, denominator })
    }

    /// So many failures, whatever the rate: "3 errors in 5 s".
    ///
    /// # Panics
    ///
    /// If it is 0: in a `const`, this does not compile.
    #[track_caller]
    pub const fn failures(failures: u32) -> Self {
        match Self::try_failures(failures) {
            Ok(threshold) => threshold,
            Err(error) => error.panic(),
        }
    }

    /// As [`failures`](Self::failures), at run time.
    ///
    /// # Errors
    ///
    /// If `failures` is 0.
    pub const fn try_failures(failures: u32) -> Result<Self, ConfigError> {
        if failures == 0 {
            return Err(ConfigError::new("failures", "failures must be at least 1"));
        }
        Ok(Self { min_failures: failures, min_volume: 1, numerator: 0, denominator: 1 })
    }

    /// Says nothing about fewer outcomes than this.
    pub const fn with_min_volume(mut self, outcomes: u32) -> Self {
        self.min_volume = outcomes;
        self
    }

    /// Says nothing about fewer failures than this.
    pub const fn with_min_failures(mut self, failures: u32) -> Self {
        self.min_failures = failures;
        self
    }

    /// Whether `failures` of `outcomes` trip.
    #[inline]
    #[expect(clippy::arithmetic_side_effects, reason = "a product of two u32 fits u64")]
    pub const fn trips(&self, failures: u32, outcomes: u32) -> bool {
        failures >= self.min_failures
            && outcomes >= self.min_volume
            && failures as u64 * self.denominator as u64 >= self.numerator as u64 * outcomes as u64
    }
}
