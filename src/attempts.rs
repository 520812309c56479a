//! The machine that holds the rules: it is told what happened and what time it is, and says what to do (R5–R10).

mod again;
mod attempt;
mod decide;
mod layers;
mod passing;
mod step;
#[cfg(test)]
mod tests;

pub use attempt::Attempt;
pub use step::{Next, Step};

use core::fmt;

use rand_core::{Rng, TryRng};

use crate::clock::Instant;
use crate::context::Context;
use crate::gave_up::{GaveUp, Reason};
use crate::policy::Policy;
use crate::retry::Settings;
use crate::span::{Sealed, Ticks};
use crate::verdict::Verdict;

type SpanOf<C> = <<C as Settings>::Policy as Policy>::Span;
type TicksOf<C> = <SpanOf<C> as Sealed>::Ticks;
type StateOf<C> = <<C as Settings>::Policy as Policy>::State;

/// One run of a [`Retry`](crate::Retry), driven by you: for super-loops, interrupts, async.
///
/// It does no input or output, reads no clock, owns no generator. [`poll`](Self::poll) says what to do now, and hands out each attempt once as
/// a token; you start the operation, and report the token with [`succeed`](Self::succeed) or [`fail`](Self::fail) when you know how it went,
/// be it much later. The blocking loop drives this same machine.
///
/// ```text
///            poll: due            fail: another try
/// waiting ──────────────▶ in flight ──────────────▶ waiting
///    ▲                        │ succeed, or fail: no more
///    │ start                  ▼
///                           done
/// ```
///
/// # Time
///
/// Told a time, the machine adds the step since the last one to `elapsed` and takes it from what is left of the wait. A clock that steps back counts
/// as standing still. So a wait of any length and any number of wraps come out right, if the machine is told the time at least
/// once in every half range of the clock (see [`Instant`]). `elapsed` saturates at the span's ceiling.
///
/// # Size
///
/// For `Exponential`, with the settings borrowed, on a 32-bit target: 44 bytes for `u32`, 80 for `Duration`. Layers of context come on top.
///
/// # Examples
///
/// A radio that is told to join now, and answers later:
///
/// ```
/// use relent::{Exponential, Instant, Jitter, Next, Retry, Step, Verdict, testing::Script};
///
/// let retry = Retry::new(Exponential::new(1_000_u32).with_multiplier(2.0).with_jitter(Jitter::None)).with_max_attempts(3);
/// let mut rng = Script::new([0]);
/// let mut join = retry.start(Instant::at(0));
///
/// let Step::Attempt(first) = join.poll(Instant::at(0)) else { panic!() };
/// assert!(matches!(join.poll(Instant::at(10)), Step::InFlight));
/// assert_eq!(join.fail(first, Instant::at(40), Verdict::Retry, &mut rng), Next::Wait(1_000));
///
/// assert!(matches!(join.poll(Instant::at(1_000)), Step::Wait(40)));
/// let Step::Attempt(second) = join.poll(Instant::at(1_040)) else { panic!() };
/// join.succeed(second);
/// assert!(matches!(join.poll(Instant::at(1_041)), Step::Done));
/// ```
pub struct Attempts<C: Settings, X = ()> {
    settings: C,
    context: X,
    state: StateOf<C>,
    /// The latest time told; never moves back.
    last: Instant<SpanOf<C>>,
    elapsed: TicksOf<C>,
    /// What is left of the wait, or of the attempt's time-out.
    left: TicksOf<C>,
    /// When the attempt in flight was handed out, and the first failure reported, as `elapsed`.
    begun: TicksOf<C>,
    first_failure: TicksOf<C>,
    made: u32,
    /// Which token is the live one.
    serial: u16,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    InFlight,
    Done,
    /// Called off during a wait.
    Cancelled,
    /// Woken beyond the deadline.
    Late,
}

impl<C: Settings> Attempts<C> {
    pub(crate) fn new(settings: C, now: Instant<SpanOf<C>>) -> Self {
        let state = settings.policy().start();
        Self {
            settings,
            context: (),
            state,
            last: now,
            elapsed: Ticks::ZERO,
            left: Ticks::ZERO,
            begun: Ticks::ZERO,
            first_failure: Ticks::ZERO,
            made: 0,
            serial: 0,
            phase: Phase::Waiting,
        }
    }

    pub(crate) fn new_after(settings: C, now: Instant<SpanOf<C>>, delay: SpanOf<C>) -> Self {
        let mut attempts = Self::new(settings, now);
        attempts.left = delay.to_ticks();
        attempts
    }
}

impl<C: Settings, X: Context<SpanOf<C>>> Attempts<C, X> {
    /// Says what to do now.
    ///
    /// Each attempt is handed out once; until it is reported the answer is [`Step::InFlight`]. What [`Step::Wait`] carries is what is left,
    /// for an alarm, a `WFI` or an async timer; it is safe to come back sooner.
    #[inline(always)]
    pub fn poll(&mut self, now: Instant<SpanOf<C>>) -> Step<SpanOf<C>> {
        self.advance(now);
        self.interrupt();
        match self.phase {
            Phase::Done | Phase::Cancelled | Phase::Late => Step::Done,
            Phase::Waiting if self.left > Ticks::ZERO => Step::Wait(Sealed::from_ticks(self.left)),
            Phase::Waiting => Step::Attempt(self.begin()),
            Phase::InFlight if self.left == Ticks::ZERO && self.settings.limits().attempt_timeout.is_some() => {
                Step::TimedOut(self.hand_out())
            }
            Phase::InFlight => Step::InFlight,
        }
    }

    /// Reports that the attempt succeeded: the run is over.
    ///
    /// A token that timed out, or of another run that is not in flight, changes nothing.
    #[inline(always)]
    #[expect(clippy::needless_pass_by_value, reason = "the token is spent")]
    pub fn succeed(&mut self, attempt: Attempt<SpanOf<C>>) {
        if self.is_live(&attempt) {
            self.phase = Phase::Done;
            self.context.succeeded(self.last);
        }
    }

    /// Reports that the attempt failed, and decides: this is the only place where "again or stop" is decided.
    ///
    /// The order of checks: permanent, cancelled, attempts used up, the policy has ended, the verdict shapes the wait, time limit, deadline, budget. A token that
    /// timed out changes nothing: [`Next::Stale`].
    #[inline(always)]
    pub fn fail<R: Rng + ?Sized>(
        &mut self,
        attempt: Attempt<SpanOf<C>>,
        now: Instant<SpanOf<C>>,
        verdict: Verdict<SpanOf<C>>,
        rng: &mut R,
    ) -> Next<SpanOf<C>> {
        match self.try_fail(attempt, now, verdict, rng) {
            Ok(next) => next,
            Err((_, never)) => match never {},
        }
    }

    /// Reports that the attempt failed, with a generator that can fail too.
    ///
    /// # Errors
    ///
    /// The generator's own, with the token: the machine is as it was, and the token can be reported again, with another generator
    /// perhaps.
    ///
    /// ```
    /// use relent::{Exponential, Instant, Next, Retry, Step, Verdict, rng, testing::Script};
    ///
    /// let retry = Retry::new(Exponential::new(100_u32));
    /// let mut run = retry.start(Instant::at(0));
    /// let Step::Attempt(attempt) = run.poll(Instant::at(0)) else { panic!() };
    /// let mut broken = rng::try_from_fn(|| Err::<u32, _>(std::fmt::Error));
    /// let (attempt, _) = run.try_fail(attempt, Instant::at(5), Verdict::Retry, &mut broken).unwrap_err();
    /// assert_eq!(run.fail(attempt, Instant::at(5), Verdict::Retry, &mut Script::new([0])), Next::Wait(50));
    /// ```
    #[inline(always)]
    #[expect(clippy::type_complexity, reason = "the token and the generator's error, side by side")]
    pub fn try_fail<R: TryRng + ?Sized>(
        &mut self,
        attempt: Attempt<SpanOf<C>>,
        now: Instant<SpanOf<C>>,
        verdict: Verdict<SpanOf<C>>,
        rng: &mut R,
    ) -> Result<Next<SpanOf<C>>, (Attempt<SpanOf<C>>, R::Error)> {
        if !self.is_live(&attempt) {
            return Ok(Next::Stale);
        }
        let step = now.ticks_since(self.last);
        let mut state = self.state;
        let decision = match self.decide(&mut state, step, verdict, rng) {
            Ok(decision) => decision,
            Err(error) => return Err((attempt, error)),
        };
        self.advance(now);
        let kind = self.kind(verdict);
        self.context.failed(kind, self.last);
        if self.made == 1 {
            self.first_failure = self.elapsed;
        }
        let decision = match decision {
            Ok(delay) => self.context.refuse(kind, self.last).map_or(Ok(delay), Err),
            decision => decision,
        };
        Ok(match decision {
            Ok(delay) => {
                self.state = state;
                self.left = delay;
                self.phase = Phase::Waiting;
                Next::Wait(Sealed::from_ticks(delay))
            }
            Err(reason) => {
                self.phase = Phase::Done;
                Next::GiveUp(reason)
            }
        })
    }

    /// Ends the current wait, on a button or a carrier that came back: the next attempt is due. Growth goes on as if the wait had
    /// passed. While an attempt is in flight, or after the end, it changes nothing.
    pub fn retry_now(&mut self) {
        if self.phase == Phase::Waiting {
            self.left = Ticks::ZERO;
        }
    }

    /// Takes `now` as the time of the last look without counting what lies between, after a timer was restarted.
    ///
    /// ```
    /// use relent::{Constant, Instant, Retry, Step, testing::Script, Verdict};
    ///
    /// let retry = Retry::new(Constant::new(100_u32));
    /// let mut run = retry.start(Instant::at(7_000));
    /// let Step::Attempt(attempt) = run.poll(Instant::at(7_000)) else { panic!() };
    /// _ = run.fail(attempt, Instant::at(7_000), Verdict::Retry, &mut Script::new([0]));
    /// run.rebase(Instant::at(0));
    /// assert!(matches!(run.poll(Instant::at(30)), Step::Wait(70)));
    /// ```
    pub fn rebase(&mut self, now: Instant<SpanOf<C>>) {
        self.last = now;
    }

    /// How many attempts were handed out; saturates.
    pub fn attempts(&self) -> u32 {
        self.made
    }

    /// How much time the machine was told of since the start; saturates.
    pub fn elapsed(&self) -> SpanOf<C> {
        Sealed::from_ticks(self.elapsed)
    }

    /// Whether the run is over.
    pub fn is_done(&self) -> bool {
        !matches!(self.phase, Phase::Waiting | Phase::InFlight)
    }

    /// The settings.
    pub fn settings(&self) -> &C {
        &self.settings
    }

    /// What the blocking loop hands back, for a loop of your own: `error` with `reason` and this run's numbers.
    pub fn gave_up<E>(&self, error: E, reason: Reason<SpanOf<C>>) -> GaveUp<E, SpanOf<C>> {
        GaveUp::new(error, reason, self.made, self.elapsed())
    }

    /// Hands the next attempt out, due or not.
    #[inline(always)]
    pub(crate) fn begin(&mut self) -> Attempt<SpanOf<C>> {
        if self.made == 0 {
            self.context.begin(self.last);
        }
        self.phase = Phase::InFlight;
        self.begun = self.elapsed;
        self.made = self.made.saturating_add(1);
        self.hand_out()
    }

    /// Makes a fresh token, which makes older ones stale, and winds the time-out.
    #[inline(always)]
    fn hand_out(&mut self) -> Attempt<SpanOf<C>> {
        let limits = self.settings.limits();
        self.serial = self.serial.wrapping_add(1);
        let timeout = limits.attempt_timeout.map(SpanOf::<C>::to_ticks);
        self.left = match (timeout, self.context.time_left()) {
            // What is lost is asked for at the deadline, and after that once in every time-out.
            (Some(timeout), Some(deadline)) if deadline > Ticks::ZERO => timeout.min(deadline),
            (timeout, _) => timeout.unwrap_or(Ticks::ZERO),
        };
        let time_left = limits.max_elapsed.map(|limit| limit.to_ticks().minus(self.counted(self.elapsed)));
        let time_left = match (time_left, self.context.time_left()) {
            (Some(limit), Some(deadline)) => Some(limit.min(deadline)),
            (limit, deadline) => limit.or(deadline),
        };
        Attempt::new(self.made, self.serial, time_left, timeout, self.context.key())
    }

    #[inline(always)]
    fn is_live(&self, attempt: &Attempt<SpanOf<C>>) -> bool {
        self.phase == Phase::InFlight && attempt.serial() == self.serial
    }
}

impl<C: Settings, X> fmt::Debug for Attempts<C, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempts")
            .field("phase", &self.phase)
            .field("attempts", &self.made)
            .field("elapsed", &SpanOf::<C>::from_ticks(self.elapsed))
            .field("left", &SpanOf::<C>::from_ticks(self.left))
            .finish_non_exhaustive()
    }
}
