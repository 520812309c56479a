//! What the policies share: two caps, two names (R3), and the jitter between them.

use crate::band::Band;
use crate::config_error::ConfigError;
use crate::factor::Factor;
use crate::jitter::Jitter;
use crate::span::{Span, Ticks};

/// `max_interval` bounds the nominal interval; `max_delay` bounds the band, and so the nominal interval too: one far above it would leave
/// of the band nothing but the cap. The span's ceiling stands for "no cap", as they are the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape<S: Span> {
    pub(super) max_interval: S,
    pub(super) max_delay: S,
    pub(super) jitter: Jitter<S>,
}

impl<S: Span> Shape<S> {
    pub(super) const fn new(jitter: Jitter<S>) -> Self {
        Self { max_interval: S::CEILING, max_delay: S::CEILING, jitter }
    }

    /// The band around a nominal interval, which is capped first.
    #[inline]
    pub(super) fn band(&self, nominal: S::Ticks) -> Band<S> {
        self.band_below_cap(self.cap(nominal))
    }

    /// The band around a nominal interval that is not above the cap.
    #[inline(always)]
    pub(super) fn band_below_cap(&self, nominal: S::Ticks) -> Band<S> {
        let (lo, hi) = self.jitter.ends(nominal);
        Band::from_ends(lo, hi.min(self.max_delay.to_ticks()))
    }

    /// The band around 0, without the code for all the others.
    #[inline(always)]
    pub(super) fn band_of_zero(&self) -> Band<S> {
        let hi = match self.jitter {
            Jitter::Absolute(j) | Jitter::Additive(j) => j.to_ticks(),
            Jitter::None | Jitter::Full | Jitter::Equal | Jitter::Spread(_) => S::Ticks::ZERO,
        };
        Band::from_ends(S::Ticks::ZERO, hi.min(self.max_delay.to_ticks()))
    }

    #[inline]
    pub(super) fn cap(&self, nominal: S::Ticks) -> S::Ticks {
        nominal.min(self.ceiling())
    }

    /// The largest nominal interval: the tighter of the caps.
    #[inline(always)]
    pub(super) fn ceiling(&self) -> S::Ticks {
        self.max_interval.to_ticks().min(self.max_delay.to_ticks())
    }
}

/// `⌊last · multiplier⌋`, longer than `last` by a tick at least unless one of them says to stay (R1).
#[inline]
pub(super) fn grown<T: Ticks>(last: T, multiplier: Factor) -> T {
    if last == T::ZERO || multiplier.is_one() {
        return last;
    }
    last.scaled(multiplier).max(last.plus(T::ONE))
}

/// A multiplier as it is written in a constant, refused by its own name.
#[track_caller]
pub(super) const fn multiplier(value: f64) -> Factor {
    if value.is_nan() || value < 1.0 {
        ConfigError::new("multiplier", "multiplier must be at least 1").panic();
    }
    match Factor::try_new(value) {
        Ok(factor) => factor,
        Err(_) => ConfigError::new("multiplier", "multiplier must be below 2^32").panic(),
    }
}

/// The setters and getters of a policy with a `shape`, the same words in all of them.
macro_rules! shape_setters {
    (max_interval) => {
        /// Caps the nominal interval. Jitter comes on top: 60 s ± 50 % reaches 90 s. See [`with_max_delay`](Self::with_max_delay)
        /// for the other rule.
        pub const fn with_max_interval(mut self, cap: S) -> Self {
            self.shape.max_interval = cap;
            self
        }

        /// The cap on the nominal interval; the span's ceiling where none was set.
        pub const fn max_interval(&self) -> S {
            self.shape.max_interval
        }
    };
    (jitter) => {
        /// Sets how far a wait may lie from its nominal interval.
        pub const fn with_jitter(mut self, jitter: Jitter<S>) -> Self {
            self.shape.jitter = jitter;
            self
        }

        /// How far a wait may lie from its nominal interval.
        pub const fn jitter(&self) -> Jitter<S> {
            self.shape.jitter
        }
    };
    (max_delay) => {
        /// Caps the wait itself, and the nominal interval with it. The band is clipped *before* the draw, so waits at the cap still
        /// differ and do not pile up on it: 60 s ± 50 % becomes [30 s, 60 s]. (Only [`Jitter::Additive`] has nothing below the nominal
        /// interval to draw from: leave it room with a `max_interval` as much smaller.)
        #[doc(alias = "max_backoff")]
        pub const fn with_max_delay(mut self, cap: S) -> Self {
            self.shape.max_delay = cap;
            self
        }

        /// The cap on the wait; the span's ceiling where none was set.
        pub const fn max_delay(&self) -> S {
            self.shape.max_delay
        }
    };
}
pub(super) use shape_setters;
