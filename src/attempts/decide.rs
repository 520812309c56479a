//! Again or stop: the order of checks (R5), and the shape of the wait (R6).

use rand_core::TryRng;

use super::{Attempts, SpanOf, StateOf, TicksOf};
use crate::context::Context;
use crate::gave_up::Reason;
use crate::guard::budget::FailureKind;
use crate::policy::{self, Policy};
use crate::retry::Settings;
use crate::span::{Sealed, Ticks};
use crate::verdict::Verdict;

type Decision<C> = Result<TicksOf<C>, Reason<SpanOf<C>>>;

impl<C: Settings, X: Context<SpanOf<C>>> Attempts<C, X> {
    /// The delay before the next attempt, or why there is none (R5), `step` after the last look. Nothing of the machine changes.
    #[inline(always)]
    pub(super) fn decide<R: TryRng + ?Sized>(
        &self,
        state: &mut StateOf<C>,
        step: TicksOf<C>,
        verdict: Verdict<SpanOf<C>>,
        rng: &mut R,
    ) -> Result<Decision<C>, R::Error> {
        let policy = self.settings.policy();
        let limits = self.settings.limits();
        if let Verdict::Permanent = verdict {
            return Ok(Err(Reason::Permanent));
        }
        if self.context.is_cancelled() {
            return Ok(Err(Reason::Cancelled));
        }
        if limits.max_attempts.is_some_and(|max| self.made >= max.get()) {
            return Ok(Err(Reason::Attempts));
        }
        let Some(band) = policy.next(state) else {
            return Ok(Err(Reason::PolicyEnded));
        };
        let elapsed = self.elapsed.plus(step);
        let counted = self.counted(elapsed);
        let until_deadline = self.context.time_left().map(|left| left.minus(step));
        let delay = match verdict {
            Verdict::RetryAfter(asked) if asked.to_ticks() > Ticks::ZERO => {
                policy.restart_growth(state);
                // A wait must end before the deadline, not on it.
                let before_deadline = until_deadline.map(|left| left.minus(Ticks::ONE));
                match limits.hint(asked.to_ticks(), counted, before_deadline) {
                    Ok(band) => band.try_draw_ticks(rng)?,
                    Err(reason) => return Ok(Err(reason)),
                }
            }
            verdict => {
                let delay = policy::draw(policy, state, band, rng)?;
                match verdict {
                    // The whole band moves, so the place drawn in it moves along.
                    Verdict::NotBefore(earliest) => delay.plus(earliest.to_ticks().minus(band.lo_ticks())),
                    _ if limits.from_attempt_start => delay.minus(elapsed.minus(self.begun)),
                    _ => delay,
                }
            }
        };
        if let Some(limit) = limits.max_elapsed {
            let ticks = limit.to_ticks();
            if ticks == Ticks::ZERO || counted > ticks || delay > ticks.minus(counted) {
                return Ok(Err(Reason::TimeLimit { limit, delay: Sealed::from_ticks(delay) }));
            }
        }
        if let Some(left) = until_deadline.filter(|left| delay >= *left) {
            return Ok(Err(Reason::Deadline { left: Sealed::from_ticks(left), delay: Sealed::from_ticks(delay) }));
        }
        Ok(Ok(delay))
    }

    /// What a budget is told: a transient failure that took as long as an attempt may is a time-out.
    #[inline(always)]
    pub(super) fn kind(&self, verdict: Verdict<SpanOf<C>>) -> FailureKind {
        let took = self.elapsed.minus(self.begun);
        let timed_out = self.settings.limits().attempt_timeout.is_some_and(|timeout| took >= timeout.to_ticks());
        match FailureKind::from(&verdict) {
            FailureKind::Transient if timed_out => FailureKind::Timeout,
            kind => kind,
        }
    }

    /// What `max_elapsed` is compared with: all of `elapsed`, or what came after the first failure.
    #[inline(always)]
    pub(super) fn counted(&self, elapsed: TicksOf<C>) -> TicksOf<C> {
        match (self.settings.limits().from_first_failure, self.made) {
            (true, 0 | 1) => Ticks::ZERO,
            (true, _) => elapsed.minus(self.first_failure),
            (false, _) => elapsed,
        }
    }
}
