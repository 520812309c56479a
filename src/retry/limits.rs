//! When to stop (R6, R7, R8).

use core::num::NonZeroU32;

use crate::band::Band;
use crate::gave_up::Reason;
use crate::span::{Span, Ticks};

/// The limits of a [`Retry`](crate::Retry); each is absent unless it was set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits<S: Span> {
    pub(crate) max_attempts: Option<NonZeroU32>,
    pub(crate) max_elapsed: Option<S>,
    pub(crate) max_hint: Option<S>,
    pub(crate) hint_spread: Option<S>,
    pub(crate) clamp_hints: bool,
    pub(crate) attempt_timeout: Option<S>,
    pub(crate) from_first_failure: bool,
    pub(crate) from_attempt_start: bool,
}

impl<S: Span> Limits<S> {
    pub(crate) const NONE: Self = Self {
        max_attempts: None,
        max_elapsed: None,
        max_hint: None,
        hint_spread: None,
        clamp_hints: false,
        attempt_timeout: None,
        from_first_failure: false,
        from_attempt_start: false,
    };

    /// How many calls at most, the first included.
    pub const fn max_attempts(&self) -> Option<NonZeroU32> {
        self.max_attempts
    }

    /// How long after the start a wait may end.
    pub const fn max_elapsed(&self) -> Option<S> {
        self.max_elapsed
    }

    /// The longest hint that is followed.
    pub const fn max_hint(&self) -> Option<S> {
        self.max_hint
    }

    /// How much longer than a hint a wait may be.
    pub const fn hint_spread(&self) -> Option<S> {
        self.hint_spread
    }

    /// Whether a hint that is too long is cut instead of ending the run.
    pub const fn hints_are_clamped(&self) -> bool {
        self.clamp_hints
    }

    /// How long one attempt may take.
    pub const fn attempt_timeout(&self) -> Option<S> {
        self.attempt_timeout
    }

    /// Whether `max_elapsed` counts from the first failure instead of the start.
    pub const fn counts_from_first_failure(&self) -> bool {
        self.from_first_failure
    }

    /// Whether the policy's delays count from the start of the attempt instead of its failure.
    pub const fn delays_from_attempt_start(&self) -> bool {
        self.from_attempt_start
    }

    /// The band of a wait that the other side asked for: not below `asked`, and above it by at most the spread, as far as
    /// there is time for that. `Err` where there is not even time for what was asked.
    #[inline(always)]
    pub(crate) fn hint(
        &self,
        asked: S::Ticks,
        elapsed: S::Ticks,
        before_deadline: Option<S::Ticks>,
    ) -> Result<Band<S>, Reason<S>> {
        let time_left = self.max_elapsed.map_or(S::Ticks::MAX, |limit| limit.to_ticks().minus(elapsed));
        let time_left = before_deadline.map_or(time_left, |left| left.min(time_left));
        let allowed = self.max_hint.map_or(time_left, |limit| limit.to_ticks().min(time_left));
        if asked > allowed && (!self.clamp_hints || allowed == S::Ticks::ZERO) {
            return Err(Reason::HintTooLong { asked: S::from_ticks(asked), left: S::from_ticks(allowed) });
        }
        let lo = asked.min(allowed);
        let spread = self.hint_spread.map_or(S::Ticks::ZERO, S::to_ticks);
        Ok(Band::from_ends(lo, lo.plus(spread).min(time_left)))
    }
}
