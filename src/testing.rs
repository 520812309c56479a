//! A clock that moves when told and a generator that says what was written: tests of retry code without sleeping.
//!
//! ```
//! use core::time::Duration;
//! use relent::{Exponential, Jitter, Retry, testing::{ManualClock, Script}};
//!
//! let clock = ManualClock::new();
//! let retry = Retry::new(Exponential::new(Duration::from_secs(1)).with_multiplier(2.0).with_jitter(Jitter::Full));
//! let mut answers = [Err("busy"), Err("busy"), Ok(7)].into_iter();
//! let seven = retry.run(&clock, Script::units([0.5, 0.75]), || answers.next().unwrap());
//! assert_eq!(seven.unwrap(), 7);
//! assert_eq!(clock.slept(), Duration::from_millis(500 + 1500));
//! ```

use core::cell::Cell;
use core::convert::Infallible;
use core::fmt;
use core::time::Duration;

use rand_core::TryRng;

use crate::clock::{Clock, Instant, Sleep};
use crate::span::{Span, Ticks};

/// A clock that stands still until it is moved; sleeping moves it by just what was asked.
///
/// It is shared by reference: `&ManualClock` is a [`Sleep`], so the operation can let time pass with [`advance`](Self::advance) while
/// the retry holds it.
pub struct ManualClock<S: Span = Duration> {
    now: Cell<Instant<S>>,
    slept: Cell<S::Ticks>,
    sleeps: Cell<u32>,
}

impl<S: Span> ManualClock<S> {
    /// A clock at its origin.
    pub fn new() -> Self {
        Self::starting_at(Instant::at(S::from_ticks(S::Ticks::ZERO)))
    }

    /// A clock that shows `now`, just before it wraps, say.
    pub fn starting_at(now: Instant<S>) -> Self {
        Self { now: Cell::new(now), slept: Cell::new(S::Ticks::ZERO), sleeps: Cell::new(0) }
    }

    /// Lets `span` pass.
    pub fn advance(&self, span: S) {
        self.now.set(self.now.get().after(span));
    }

    /// Makes the clock show `now`, be it earlier or later.
    pub fn set(&self, now: Instant<S>) {
        self.now.set(now);
    }

    /// The sum of all sleeps asked for.
    pub fn slept(&self) -> S {
        S::from_ticks(self.slept.get())
    }

    /// How many sleeps were asked for.
    pub fn sleeps(&self) -> u32 {
        self.sleeps.get()
    }
}

impl<S: Span> Default for ManualClock<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Span> fmt::Debug for ManualClock<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManualClock")
            .field("now", &self.now.get())
            .field("slept", &self.slept())
            .field("sleeps", &self.sleeps())
            .finish()
    }
}

impl<S: Span> Clock for ManualClock<S> {
    type Span = S;

    #[inline]
    fn now(&self) -> Instant<S> {
        self.now.get()
    }
}

impl<S: Span> Sleep for &ManualClock<S> {
    #[inline]
    fn sleep(&mut self, delay: S) {
        self.advance(delay);
        self.slept.set(self.slept.get().plus(delay.to_ticks()));
        self.sleeps.set(self.sleeps.get().saturating_add(1));
    }
}

/// A generator that gives the words of a list, over and over, and counts them.
///
/// A 32-bit word is the upper half of the listed one, so [`units`](Self::units) means the same for every span.
///
/// ```
/// use relent::rng::Rng;
/// use relent::testing::Script;
///
/// let mut script = Script::units([0.25]);
/// assert_eq!(script.next_u32(), 0x4000_0000);
/// assert_eq!(script.next_u64(), 0x4000_0000_0000_0000);
/// assert_eq!(script.drawn(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Script<const N: usize> {
    words: [u64; N],
    drawn: usize,
}

impl<const N: usize> Script<N> {
    /// These words, then again from the first. An empty list gives zeros.
    pub const fn new(words: [u64; N]) -> Self {
        Self { words, drawn: 0 }
    }

    /// The words `⌊u · 2⁶⁴⌋`, for `u` in `[0, 1)`: the place in the band at which each draw falls. Less counts as 0 and more as the last word.
    #[expect(clippy::float_arithmetic, reason = "for tests; a scripted draw is written as a share")]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float cast saturates, as documented"
    )]
    pub fn units(units: [f64; N]) -> Self {
        Self::new(units.map(|u| (u * 18_446_744_073_709_551_616.0) as u64))
    }

    /// How many words were drawn so far.
    pub const fn drawn(&self) -> usize {
        self.drawn
    }

    fn word(&mut self) -> u64 {
        let word = self.drawn.checked_rem(N).and_then(|at| self.words.get(at));
        self.drawn = self.drawn.saturating_add(1);
        word.copied().unwrap_or(0)
    }
}

impl<const N: usize> TryRng for Script<N> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.word() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.word())
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
        rand_core::utils::fill_bytes_via_next_word(dst, || self.try_next_u64())
    }
}
