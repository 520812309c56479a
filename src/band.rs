//! The two columns of every backoff table, and the only place that draws between them (R2, R4).

use core::fmt;
use core::time::Duration;

use rand_core::{Rng, TryRng};

use crate::division::divided;
use crate::span::{Span, Ticks};

/// The shortest and the longest wait that a policy allows before one retry; `lo <= hi` always.
///
/// A wait is drawn uniformly over every tick of `lo..=hi`:
///
/// ```text
/// lo + ⌊w · (hi − lo + 1) / 2ᵏ⌋      w: one random word of k bits; k = 32 for 32-bit ticks, else 64
/// ```
///
/// No rejection loop and no modulo, so a draw takes one word (none where `lo == hi`), the same time
/// for every word, and gives the same wait on every machine. Over a band of `n` ticks the chance of a tick is off
/// 1/n by less than `2⁻ᵏ`.
///
/// # Examples
///
/// ```
/// use relent::{Band, testing::Script};
///
/// let band = Band::new(250_u32, 749);
/// assert_eq!(band.draw(&mut Script::units([0.0])), 250);
/// assert_eq!(band.draw(&mut Script::units([0.5])), 500);
/// assert_eq!(band.draw(&mut Script::new([u64::MAX])), 749);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Band<S: Span = Duration> {
    /// `lo + width` never overflows.
    lo: S::Ticks,
    width: S::Ticks,
}

impl<S: Span> Band<S> {
    /// From `lo` to `hi`, both included; where `hi` is below `lo`, it wins: exactly `hi`.
    #[inline]
    pub fn new(lo: S, hi: S) -> Self {
        Self::from_ends(lo.to_ticks(), hi.to_ticks())
    }

    /// Exactly `span`, drawn without a random word.
    #[inline]
    pub fn exactly(span: S) -> Self {
        Self { lo: span.to_ticks(), width: S::Ticks::ZERO }
    }

    #[inline]
    pub(crate) fn from_ends(lo: S::Ticks, hi: S::Ticks) -> Self {
        let lo = lo.min(hi);
        Self { lo, width: hi.wrapping_minus(lo) }
    }

    /// The shortest wait.
    #[inline]
    pub fn lo(&self) -> S {
        S::from_ticks(self.lo)
    }

    /// The longest wait.
    #[inline]
    pub fn hi(&self) -> S {
        S::from_ticks(self.hi_ticks())
    }

    #[inline]
    pub(crate) fn lo_ticks(&self) -> S::Ticks {
        self.lo
    }

    #[inline]
    pub(crate) fn hi_ticks(&self) -> S::Ticks {
        self.lo.wrapping_plus(self.width)
    }

    /// The part not above `limit`; exactly `limit` where all of it is.
    ///
    /// ```
    /// # use relent::Band;
    /// assert_eq!(Band::new(50_u32, 150).at_most(100), Band::new(50, 100));
    /// assert_eq!(Band::new(50_u32, 150).at_most(20), Band::exactly(20));
    /// ```
    #[inline]
    pub fn at_most(self, limit: S) -> Self {
        self.at_most_ticks(limit.to_ticks())
    }

    #[inline]
    pub(crate) fn at_most_ticks(self, limit: S::Ticks) -> Self {
        Self::from_ends(self.lo, self.hi_ticks().min(limit))
    }

    /// The part not below `floor`; exactly `floor` where all of it is.
    ///
    /// ```
    /// # use relent::Band;
    /// assert_eq!(Band::new(50_u32, 150).at_least(100), Band::new(100, 150));
    /// assert_eq!(Band::new(50_u32, 150).at_least(200), Band::exactly(200));
    /// ```
    #[inline]
    pub fn at_least(self, floor: S) -> Self {
        let floor = floor.to_ticks();
        Self::from_ends(self.lo.max(floor), self.hi_ticks().max(floor))
    }

    /// Draws a wait: uniform over every tick, one random word, none where `lo == hi`.
    #[inline]
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> S {
        match self.try_draw(rng) {
            Ok(span) => span,
        }
    }

    /// Draws a wait from a generator that can fail, such as a hardware one.
    ///
    /// # Errors
    ///
    /// The generator's own.
    #[inline]
    pub fn try_draw<R: TryRng + ?Sized>(&self, rng: &mut R) -> Result<S, R::Error> {
        self.try_draw_ticks(rng).map(S::from_ticks)
    }

    #[inline]
    pub(crate) fn try_draw_ticks<R: TryRng + ?Sized>(&self, rng: &mut R) -> Result<S::Ticks, R::Error> {
        if self.width == S::Ticks::ZERO {
            return Ok(self.lo);
        }
        let word = S::Ticks::word(rng)?;
        Ok(self.lo.wrapping_plus(self.width.pick(word)))
    }

    /// Draws one of `lo, lo + grain, lo + 2·grain …` up to `hi`; every tick where `grain` is 0.
    ///
    /// ```text
    /// lo + grain · ⌊w · (⌊(hi − lo) / grain⌋ + 1) / 2ᵏ⌋
    /// ```
    pub(crate) fn try_draw_ticks_by<R: TryRng + ?Sized>(
        &self,
        grain: S::Ticks,
        rng: &mut R,
    ) -> Result<S::Ticks, R::Error> {
        let beyond_last = divided(self.width, grain).1;
        let whole_slots = Self { lo: S::Ticks::ZERO, width: self.width.minus(beyond_last) };
        if whole_slots.width == S::Ticks::ZERO {
            return Ok(self.lo);
        }
        // Every slot is as many ticks wide, so the slot that a tick lies in is as uniform as the tick.
        let all_ticks = Self { width: whole_slots.width.plus(grain.minus(S::Ticks::ONE)), ..whole_slots };
        let drawn = all_ticks.try_draw_ticks(rng)?;
        Ok(self.lo.plus(drawn.minus(divided(drawn, grain).1)))
    }
}

impl<S: Span> fmt::Debug for Band<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:?}, {:?}]", self.lo(), self.hi())
    }
}
