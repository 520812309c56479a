//! A window over the last n outcomes, one bit each (R11).

use super::window::{Threshold, Window, sealed};
use crate::config_error::ConfigError;
use crate::span::Span;

/// The last outcomes, at most `32 · WORDS` of them; trips as its [`Threshold`] says.
///
/// The minimum volume should not be above the length: such a window never trips.
///
/// ```
/// use relent::guard::breaker::{LastOutcomes, Threshold};
///
/// // 60 % of the last 50, as soon as there are 10.
/// const RECENT: LastOutcomes<2> = LastOutcomes::new(50, Threshold::rate(3, 5).with_min_volume(10));
/// assert_eq!(RECENT.failures(), 0);
/// ```
///
/// ```compile_fail
/// # use relent::guard::breaker::{LastOutcomes, Threshold};
/// const TOO_LONG: LastOutcomes<2> = LastOutcomes::new(65, Threshold::rate(3, 5));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LastOutcomes<const WORDS: usize> {
    threshold: Threshold,
    length: u32,
    /// Where the next outcome goes, and the oldest is; below `length`.
    next: u32,
    filled: u32,
    failures: u32,
    /// A set bit is a failure.
    ring: [u32; WORDS],
}

impl<const WORDS: usize> LastOutcomes<WORDS> {
    /// The last `length` outcomes.
    ///
    /// # Panics
    ///
    /// If `length` is 0 or above `32 · WORDS`: in a `const`, this does not compile.
    #[track_caller]
    pub const fn new(length: u32, threshold: Threshold) -> Self {
        match Self::try_new(length, threshold) {
            Ok(window) => window,
            Err(error) => error.panic(),
        }
    }

    /// As [`new`](Self::new), at run time.
    ///
    /// # Errors
    ///
    /// If `length` is 0 or above `32 · WORDS`.
    pub const fn try_new(length: u32, threshold: Threshold) -> Result<Self, ConfigError> {
        if length == 0 || length as usize > WORDS.saturating_mul(32) {
            return Err(ConfigError::new("length", "length must be from 1 to 32 times the words"));
        }
        Ok(Self { threshold, length, next: 0, filled: 0, failures: 0, ring: [0; WORDS] })
    }

    /// How many failures are in the window.
    pub const fn failures(&self) -> u32 {
        self.failures
    }

    /// How many outcomes are in the window.
    pub const fn outcomes(&self) -> u32 {
        self.filled
    }

    #[inline]
    fn push(&mut self, failed: bool) {
        let bit = 1_u32 << (self.next & 31);
        let Some(word) = self.ring.get_mut((self.next >> 5) as usize) else { return };
        // A place that was not filled yet holds no failure.
        let oldest_failed = *word & bit != 0;
        *word = if failed { *word | bit } else { *word & !bit };
        self.failures = self.failures.saturating_add(failed.into()).saturating_sub(oldest_failed.into());
        self.next = self.next.saturating_add(1);
        if self.next == self.length {
            self.next = 0;
        }
        if self.filled < self.length {
            self.filled = self.filled.saturating_add(1);
        }
    }
}

impl<const WORDS: usize> sealed::Sealed for LastOutcomes<WORDS> {}

impl<S: Span, const WORDS: usize> Window<S> for LastOutcomes<WORDS> {
    #[inline]
    fn pass(&mut self, _: S::Ticks) {}

    #[inline]
    fn success(&mut self) {
        self.push(false);
    }

    #[inline]
    fn failure(&mut self) -> bool {
        self.push(true);
        self.threshold.trips(self.failures, self.filled)
    }

    fn clear(&mut self) {
        self.ring = [0; WORDS];
        self.next = 0;
        self.filled = 0;
        self.failures = 0;
    }
}
