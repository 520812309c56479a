//! What a breaker is set to: how long it stays open, and how it tries again (R11).

use core::time::Duration;

use crate::band::Band;
use crate::config_error::ConfigError;
use crate::factor::Factor;
use crate::jitter::Jitter;
use crate::span::{Span, Ticks};

/// How long a breaker stays open, and what it lets through before it closes again.
///
/// ```text
/// cooldown(1) = cooldown,   cooldown(n + 1) = min(cooldown(n) · growth, max_cooldown)
/// drawn from jitter.band(cooldown(n))
/// ```
///
/// `n` counts the trips since it was last closed. With 10 s, ×2, at most 60 s and no jitter:
///
/// | trip | 1 | 2 | 3 | 4 | 5 |
/// |---|---|---|---|---|---|
/// | stays open, s | 10 | 20 | 40 | 60 | 60 |
///
/// Every setting but the first cooldown has a default: growth 1, no cap, no jitter, one permit, one success, reclaimed after one cooldown.
///
/// ```
/// use relent::guard::breaker::BreakerSettings;
///
/// const LINK: BreakerSettings<u32> = BreakerSettings::new(10_000).with_growth(2.0).with_max_cooldown(60_000).with_permits(2);
/// assert_eq!(LINK.permits(), 2);
/// ```
///
/// ```compile_fail
/// # use relent::guard::breaker::BreakerSettings;
/// const NOBODY: BreakerSettings<u32> = BreakerSettings::new(10_000).with_permits(0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BreakerSettings<S: Span = Duration> {
    cooldown: S,
    max_cooldown: S,
    growth: Factor,
    jitter: Jitter<S>,
    permits: u8,
    successes: u32,
    reclaim: Reclaim<S>,
}

/// When the permit of a trial that was never reported is taken back.
#[derive(Clone, Copy, Debug)]
enum Reclaim<S> {
    Cooldown,
    After(S),
    Never,
}

/// The most trials that can be out at once.
pub(super) const MAX_PERMITS: usize = 8;

impl<S: Span> BreakerSettings<S> {
    /// Open for `cooldown` after each trip, then one trial at a time, and closed by one success.
    pub const fn new(cooldown: S) -> Self {
        Self {
            cooldown,
            max_cooldown: S::CEILING,
            growth: Factor::ONE,
            jitter: Jitter::None,
            permits: 1,
            successes: 1,
            reclaim: Reclaim::Cooldown,
        }
    }

    /// Each trip without a closing between makes the cooldown so many times longer, by one tick at least.
    ///
    /// # Panics
    ///
    /// If it is below 1 or no [`Factor`]: in a `const`, this does not compile.
    #[track_caller]
    pub const fn with_growth(self, growth: f64) -> Self {
        match self.try_with_growth(Factor::new(growth)) {
            Ok(settings) => settings,
            Err(error) => error.panic(),
        }
    }

    /// As [`with_growth`](Self::with_growth), at run time.
    ///
    /// # Errors
    ///
    /// If `growth` is below 1.
    pub const fn try_with_growth(mut self, growth: Factor) -> Result<Self, ConfigError> {
        if !growth.is_at_least_one() {
            return Err(ConfigError::new("growth", "growth must be at least 1"));
        }
        self.growth = growth;
        Ok(self)
    }

    /// The longest cooldown, before the jitter.
    pub const fn with_max_cooldown(mut self, max_cooldown: S) -> Self {
        self.max_cooldown = max_cooldown;
        self
    }

    /// Draws each cooldown from a band around it, so that a fleet does not come back at once. The cap holds before the jitter.
    pub const fn with_jitter(mut self, jitter: Jitter<S>) -> Self {
        self.jitter = jitter;
        self
    }

    /// How many trials may be out at once while half-open: 1 to 8.
    ///
    /// # Panics
    ///
    /// If it is 0 or above 8: in a `const`, this does not compile.
    #[track_caller]
    pub const fn with_permits(self, permits: u8) -> Self {
        match self.try_with_permits(permits) {
            Ok(settings) => settings,
            Err(error) => error.panic(),
        }
    }

    /// As [`with_permits`](Self::with_permits), at run time.
    ///
    /// # Errors
    ///
    /// If `permits` is 0 or above 8.
    pub const fn try_with_permits(mut self, permits: u8) -> Result<Self, ConfigError> {
        if permits == 0 || permits as usize > MAX_PERMITS {
            return Err(ConfigError::new("permits", "permits must be from 1 to 8"));
        }
        self.permits = permits;
        Ok(self)
    }

    /// How many trials must succeed before it closes.
    ///
    /// # Panics
    ///
    /// If it is 0: in a `const`, this does not compile.
    #[track_caller]
    pub const fn with_successes(self, successes: u32) -> Self {
        match self.try_with_successes(successes) {
            Ok(settings) => settings,
            Err(error) => error.panic(),
        }
    }

    /// As [`with_successes`](Self::with_successes), at run time.
    ///
    /// # Errors
    ///
    /// If `successes` is 0.
    pub const fn try_with_successes(mut self, successes: u32) -> Result<Self, ConfigError> {
        if successes == 0 {
            return Err(ConfigError::new("successes", "successes must be at least 1"));
        }
        self.successes = successes;
        Ok(self)
    }

    /// Takes the permit of a trial back when it was not reported for so long, instead of one cooldown: choose longer than a call can take.
    ///
    /// A report that comes later still changes nothing.
    pub const fn with_reclaim_after(mut self, span: S) -> Self {
        self.reclaim = Reclaim::After(span);
        self
    }

    /// Never takes a permit back: a trial whose permit is lost then keeps the breaker half-open for ever.
    pub const fn without_reclaim(mut self) -> Self {
        self.reclaim = Reclaim::Never;
        self
    }

    /// How many trials may be out at once.
    pub const fn permits(&self) -> u8 {
        self.permits
    }

    /// How many trials must succeed before it closes.
    pub const fn successes(&self) -> u32 {
        self.successes
    }

    /// The cooldown of the first trip, before the jitter.
    pub(super) fn first(&self) -> S::Ticks {
        self.cooldown.to_ticks().min(self.max_cooldown.to_ticks())
    }

    /// The cooldown of the next trip, before the jitter (R1).
    pub(super) fn grown(&self, cooldown: S::Ticks) -> S::Ticks {
        if self.growth.is_one() || cooldown == S::Ticks::ZERO {
            return cooldown;
        }
        cooldown.scaled(self.growth).max(cooldown.plus(S::Ticks::ONE)).min(self.max_cooldown.to_ticks())
    }

    pub(super) fn band(&self, cooldown: S::Ticks) -> Band<S> {
        self.jitter.band_ticks(cooldown)
    }

    /// How long a trial may go unreported, at least a tick; `MAX` is for ever.
    pub(super) fn lifetime(&self, cooldown: S::Ticks) -> S::Ticks {
        let span = match self.reclaim {
            Reclaim::Cooldown => cooldown,
            Reclaim::After(span) => span.to_ticks(),
            Reclaim::Never => S::Ticks::MAX,
        };
        span.max(S::Ticks::ONE)
    }
}
