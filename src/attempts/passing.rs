//! How time passes for a run, and what may end its waits (R10).

use super::{Attempts, Phase, SpanOf};
use crate::clock::{Instant, Sleep};
use crate::context::Context;
use crate::gave_up::Reason;
use crate::retry::Settings;
use crate::span::{Sealed, Ticks};

impl<C: Settings, X: Context<SpanOf<C>>> Attempts<C, X> {
    /// Waits out what `fail` said. A wait that was not called off counts in full, even if the clock says that less has passed
    /// (it stood still, stepped back, or the wait was longer than half its range).
    #[inline(always)]
    pub(crate) fn sleep<W: Sleep<Span = SpanOf<C>>>(&mut self, world: &mut W) {
        let delay = self.left;
        // The hook may have called the run off, or taken what was left for the wait.
        let called_off = self.context.is_cancelled();
        let time_left = self.context.time_left();
        if called_off || time_left.is_some() {
            let now = world.now();
            let no_time = time_left.is_some_and(|left| left.minus(now.ticks_since(self.last)) <= delay);
            if called_off || no_time {
                self.advance(now);
                self.phase = if called_off { Phase::Cancelled } else { Phase::Late };
                return;
            }
        }
        self.context.sleep(world, Sealed::from_ticks(delay));
        let now = world.now();
        if now.ticks_since(self.last) < delay && !self.context.is_cancelled() {
            self.context.pass(delay);
            self.elapsed = self.elapsed.plus(delay);
            let end = self.last.after_ticks(delay);
            // Of a wait longer than half the range the clock cannot say how far it was, but how late the wake came.
            let late = end.ticks_since(self.last) < delay && now != self.last;
            self.last = end;
            self.left = Ticks::ZERO;
            if late {
                self.advance(now);
            }
        } else {
            self.advance(now);
        }
        self.interrupt();
    }

    #[inline(always)]
    pub(super) fn advance(&mut self, now: Instant<SpanOf<C>>) {
        let step = now.ticks_since(self.last);
        if step > Ticks::ZERO {
            self.context.pass(step);
            self.last = now;
            self.elapsed = self.elapsed.plus(step);
            self.left = self.left.minus(step);
        }
    }

    /// Ends a wait that was called off, or that ended beyond the deadline. The first attempt is made in any case (R9).
    #[inline(always)]
    pub(super) fn interrupt(&mut self) {
        if self.phase != Phase::Waiting || self.made == 0 {
            return;
        }
        if self.context.is_cancelled() {
            self.phase = Phase::Cancelled;
        } else if self.left == Ticks::ZERO && self.context.time_left() == Some(Ticks::ZERO) {
            self.phase = Phase::Late;
        }
    }

    /// Why the run ended during a wait: called off, or woken beyond the deadline. `None` where it did not.
    ///
    /// [`poll`](Self::poll) answers [`Step::Done`](crate::Step::Done) then.
    pub fn interrupted(&self) -> Option<Reason<SpanOf<C>>> {
        match self.phase {
            Phase::Cancelled => Some(Reason::Cancelled),
            Phase::Late => {
                let zero = SpanOf::<C>::from_ticks(Ticks::ZERO);
                Some(Reason::Deadline { left: zero, delay: zero })
            }
            Phase::Waiting | Phase::InFlight | Phase::Done => None,
        }
    }

    /// Why the retry that was waited for is not made, whatever the wait ended with.
    #[inline(always)]
    pub(crate) fn stopped(&self) -> Option<Reason<SpanOf<C>>> {
        self.context.stopped(self.last)
    }
}
