//! A rate limiter: so many in so much time, with a burst (R12).
//!
//! The generic cell rate algorithm (ITU-T I.371): instead of a count of tokens it keeps how far the takers are ahead of the rate, in time. So nothing is
//! rounded away between two readings, and there is no timer that refills.

mod mark;

use core::error::Error;
use core::fmt;
use core::time::Duration;

use crate::clock::{Instant, Sleep};
use crate::config_error::ConfigError;
use crate::division::divided;
use crate::guard::Anchor;
use crate::span::{Span, Ticks};
use crate::verdict::Verdict;
use mark::{Mark, parts};

/// A limit of so many in so much time, `burst` of them at once after a rest.
///
/// ```text
/// takes n at `now`  if  debt(now) + n · interval ≤ burst · interval;   then debt grows by n · interval
/// debt(now + t) = max(0, debt(now) − t)
/// ```
///
/// For one in 10 s and a burst of 3, asked until it refuses:
///
/// | at, s | 0 | 10 | 25 | 30 | 1000 |
/// |---|---|---|---|---|---|
/// | taken | 3 | 1 | 1 | 1 | 3 |
///
/// The interval is kept exactly, as whole ticks and a fraction: three a second is three a second on a millisecond clock. It starts full; idle time never mints
/// more than the burst, nor does a clock that steps back. A burst whose time exceeds the span's longest is cut to that.
/// 40 bytes for `u32` ticks, 72 for `Duration`.
///
/// # Examples
///
/// ```
/// use relent::Instant;
/// use relent::guard::limiter::{Denied, RateLimiter};
///
/// let mut limiter = RateLimiter::every(100_u32).with_burst(2);
/// assert_eq!(limiter.check(Instant::at(0)), Ok(()));
/// assert_eq!(limiter.check(Instant::at(0)), Ok(()));
/// assert_eq!(limiter.check(Instant::at(30)), Err(Denied::NotYet(70)));
/// assert_eq!(limiter.check_n(3, Instant::at(30)), Err(Denied::Never));
/// assert_eq!(limiter.check(Instant::at(100)), Ok(()));
/// ```
#[derive(Debug)]
pub struct RateLimiter<S: Span = Duration> {
    interval: S,
    /// The rest of the interval, `part / of` of a tick; `part < of`.
    part: u32,
    of: u32,
    burst: u32,
    /// `burst · part / of`: whole ticks, and what is left over.
    burst_carry: u32,
    burst_part: u32,
    anchor: Anchor<S>,
    /// How far the takers are ahead of the rate.
    debt: Mark<S::Ticks>,
}

/// Not granted.
///
/// ```
/// use relent::{Verdict, guard::limiter::Denied};
///
/// assert_eq!(Verdict::from(Denied::NotYet(70_u32)), Verdict::NotBefore(70));
/// assert_eq!(Verdict::<u32>::from(Denied::Never), Verdict::Permanent);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Denied<S = Duration> {
    /// It is granted after this time, if nothing else is taken meanwhile.
    NotYet(S),
    /// More than is ever granted at once.
    Never,
}

impl<S: Span> From<Denied<S>> for Verdict<S> {
    fn from(denied: Denied<S>) -> Self {
        match denied {
            Denied::NotYet(span) => Self::NotBefore(span),
            Denied::Never => Self::Permanent,
        }
    }
}

impl<S> fmt::Display for Denied<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotYet(_) => "too soon under the limit",
            Self::Never => "more than the limit ever allows at once",
        })
    }
}

impl<S: fmt::Debug> Error for Denied<S> {}

impl<S: Span> RateLimiter<S> {
    /// One in every `interval`, and no burst: one at a time.
    ///
    /// An `interval` of zero limits nothing but how many are taken at once.
    pub const fn every(interval: S) -> Self {
        Self {
            interval,
            part: 0,
            of: 1,
            burst: 1,
            burst_carry: 0,
            burst_part: 0,
            anchor: Anchor::new(),
            debt: Mark::NONE,
        }
    }

    /// `count` in every `period`, and all of them at once after a rest. Where one constant is needed, use [`every`](Self::every).
    ///
    /// ```
    /// use relent::{Instant, guard::RateLimiter};
    ///
    /// let mut limiter = RateLimiter::per(3, 1_000_u32)?;
    /// let taken: Vec<_> = (0..=10_000).filter(|ms| limiter.check(Instant::at(*ms)).is_ok()).collect();
    /// assert_eq!(taken[..6], [0, 1, 2, 334, 667, 1_000]);
    /// assert_eq!(taken.len(), 3 + 10 * 3);
    /// # Ok::<(), relent::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `count` is 0.
    pub fn per(count: u32, period: S) -> Result<Self, ConfigError> {
        if count == 0 {
            return Err(ConfigError::new("count", "count must be at least 1"));
        }
        let (whole, rest) = divided(period.to_ticks(), S::Ticks::from_u64(u64::from(count)));
        // Below `count`.
        let part = u32::try_from(rest.to_u64()).unwrap_or(0);
        let limiter = Self { part, of: count, ..Self::every(S::from_ticks(whole)) };
        limiter.try_with_burst(count)
    }

    /// How many are granted at once after a rest.
    ///
    /// # Panics
    ///
    /// If it is 0: in a `const`, this does not compile.
    #[track_caller]
    pub const fn with_burst(self, burst: u32) -> Self {
        match self.try_with_burst(burst) {
            Ok(limiter) => limiter,
            Err(error) => error.panic(),
        }
    }

    /// As [`with_burst`](Self::with_burst), at run time.
    ///
    /// # Errors
    ///
    /// If `burst` is 0.
    pub const fn try_with_burst(mut self, burst: u32) -> Result<Self, ConfigError> {
        if burst == 0 {
            return Err(ConfigError::new("burst", "burst must be at least 1"));
        }
        self.burst = burst;
        (self.burst_carry, self.burst_part) = parts(self.part, self.of, burst);
        Ok(self)
    }

    /// Takes one at `now`.
    ///
    /// # Errors
    ///
    /// [`Denied::NotYet`], with the time until it would be granted; then nothing was taken.
    #[inline]
    pub fn check(&mut self, now: Instant<S>) -> Result<(), Denied<S>> {
        self.advance(now);
        self.take(Mark { whole: self.interval.to_ticks(), part: self.part })
    }

    /// Takes `n` at once, or none of them; none is always granted.
    ///
    /// # Errors
    ///
    /// [`Denied::NotYet`], or [`Denied::Never`] where `n` is more than the burst.
    pub fn check_n(&mut self, n: u32, now: Instant<S>) -> Result<(), Denied<S>> {
        if n > self.burst {
            return Err(Denied::Never);
        }
        self.advance(now);
        self.take(self.cost(n))
    }

    /// Takes one now or in advance, and says how long to wait before using it.
    ///
    /// Who takes in advance is in line: those who ask later wait longer.
    #[inline]
    pub fn reserve(&mut self, now: Instant<S>) -> S {
        self.advance(now);
        let cost = Mark { whole: self.interval.to_ticks(), part: self.part };
        let wait = self.wait_for(cost, self.debt);
        self.debt = self.debt.plus(cost, self.of);
        wait
    }

    /// Takes one, sleeping until it may be used; says how long that was.
    ///
    /// ```
    /// use relent::{guard::RateLimiter, testing::ManualClock};
    ///
    /// let clock = ManualClock::new();
    /// let mut limiter = RateLimiter::every(100_u32);
    /// let waits = [(); 3].map(|()| limiter.wait(&mut &clock));
    /// assert_eq!(waits, [0, 100, 100]);
    /// ```
    pub fn wait<W: Sleep<Span = S>>(&mut self, world: &mut W) -> S {
        let wait = self.reserve(world.now());
        if wait.to_ticks() > S::Ticks::ZERO {
            world.sleep(wait);
        }
        wait
    }

    /// After a restart of the timer: goes on from `now`, adding no time.
    pub fn rebase(&mut self, now: Instant<S>) {
        self.anchor.rebase(now);
    }

    /// How long until one would be granted, zero where it would be at `now`; takes nothing.
    pub fn ready_in(&self, now: Instant<S>) -> S {
        self.wait_for(self.cost(1), self.debt.after(self.anchor.passed(now)))
    }

    /// How long until `n` at once would be granted; takes nothing.
    ///
    /// # Errors
    ///
    /// [`Denied::Never`] where `n` is more than the burst.
    pub fn ready_in_n(&self, n: u32, now: Instant<S>) -> Result<S, Denied<S>> {
        if n > self.burst {
            return Err(Denied::Never);
        }
        if n == 0 {
            return Ok(S::from_ticks(S::Ticks::ZERO));
        }
        Ok(self.wait_for(self.cost(n), self.debt.after(self.anchor.passed(now))))
    }

    /// How many are granted at once after a rest.
    pub const fn burst(&self) -> u32 {
        self.burst
    }

    #[inline]
    fn advance(&mut self, now: Instant<S>) {
        let step = self.anchor.step(now);
        self.debt = self.debt.after(step);
    }

    #[inline]
    fn take(&mut self, cost: Mark<S::Ticks>) -> Result<(), Denied<S>> {
        let room = self.limit().minus(self.debt, self.of);
        if cost > room {
            return Err(Denied::NotYet(self.wait_for(cost, self.debt)));
        }
        self.debt = self.debt.plus(cost, self.of);
        Ok(())
    }

    /// How long until a debt leaves room for a cost, rounded up to a tick.
    fn wait_for(&self, cost: Mark<S::Ticks>, debt: Mark<S::Ticks>) -> S {
        // In this order nothing is lost where the sum would saturate; debt exceeds the limit only by reservations.
        let limit = self.limit();
        let ahead = cost.minus(limit.minus(debt, self.of), self.of).plus(debt.minus(limit, self.of), self.of);
        let up = if ahead.part > 0 { S::Ticks::ONE } else { S::Ticks::ZERO };
        S::from_ticks(ahead.whole.plus(up))
    }

    /// `burst · interval`
    #[inline]
    fn limit(&self) -> Mark<S::Ticks> {
        let carry = S::Ticks::from_u64(u64::from(self.burst_carry));
        Mark { whole: self.interval.to_ticks().times(self.burst).plus(carry), part: self.burst_part }
    }

    /// `n · interval`
    fn cost(&self, n: u32) -> Mark<S::Ticks> {
        let (carry, part) = parts(self.part, self.of, n);
        let carry = S::Ticks::from_u64(u64::from(carry));
        Mark { whole: self.interval.to_ticks().times(n).plus(carry), part }
    }
}
