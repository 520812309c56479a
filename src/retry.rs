//! The settings of a retry: a policy, its limits, and what counts as what (R5–R8).

mod classify;
mod limits;
mod settings;
mod worst_case;

pub use classify::{Always, By, Classify, Explicit};
pub use limits::Limits;
pub use settings::Settings;

use core::num::NonZeroU32;
use core::time::Duration;

use rand_core::Rng;

use crate::attempts::Attempts;
use crate::band::Band;
use crate::clock::Instant;
use crate::config_error::ConfigError;
use crate::plan::Plan;
use crate::policy::{Exponential, Policy};
use crate::span::{Sealed, Ticks};
use crate::verdict::Verdict;

/// Everything about a retry that is decided beforehand: the policy, the limits, the meaning of errors.
///
/// | setting | without it | counts |
/// |---|---|---|
/// | [`with_max_attempts`](Self::with_max_attempts) | as many as the policy gives | calls, the first included |
/// | [`with_max_elapsed`](Self::with_max_elapsed) | no limit | operations and waits, when a failure is reported |
/// | [`with_max_hint`](Self::with_max_hint) | as long as the other side asks | one hint |
/// | [`with_attempt_timeout`](Self::with_attempt_timeout) | an attempt takes as long as it takes | one attempt |
/// | [`classify`](Self::classify), [`explicit`](Self::explicit) | every error is worth a retry | |
///
/// The order of checks when a failure is reported is always: permanent, cancelled, attempts used up, the policy has ended, the verdict
/// shapes the wait, time limit, deadline, budget. So nothing is ever waited for after the last attempt.
///
/// It is a value, usually a `const`: any number of runs can use it at once. (`classify` and `explicit` come last and are not `const`: keep the rest in one, and
/// write `LINK.classify(f)` where it is run.) [`Retry::new`] sets no limit; [`Retry::default`] has the Go
/// library's defaults, 15 minutes among them.
///
/// # Three ways to run it
///
/// | | who loops | for |
/// |---|---|---|
/// | `retry.call(op)` (feature `std`) | relent, on the system's clock, seeded by the system | tools |
/// | [`retry.run(world, rng, op)`](Self::run) | relent, on your clock and generator | firmware that may block, tests |
/// | [`retry.start(now)`](Self::start) | you | super-loops, interrupts, async |
///
/// # Examples
///
/// ```
/// use relent::{Exponential, Retry, testing::{ManualClock, Script}};
///
/// // Ticks are milliseconds. A wrong number does not compile, nor do waits that could outlast half a minute.
/// const LINK: Retry<Exponential<u32>> = Retry::new(Exponential::new(100).with_max_interval(5_000)).with_max_attempts(6);
/// const _: () = assert!(LINK.worst_case_wait() < 30_000);
///
/// let clock = ManualClock::new();
/// let gave_up = LINK.run(&clock, Script::units([0.5]), || Err::<(), _>("no carrier")).unwrap_err();
/// assert_eq!(gave_up.error(), &"no carrier");
/// assert_eq!(gave_up.attempts(), 6);
/// assert_eq!(clock.slept(), 100 + 150 + 225 + 337 + 505);
/// ```
///
/// No attempt at all is not a setting:
///
/// ```compile_fail
/// use relent::{Exponential, Retry};
/// const R: Retry<Exponential<u32>> = Retry::new(Exponential::new(100)).with_max_attempts(0);
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "settings do nothing until they are run"]
pub struct Retry<P: Policy = Exponential, K = Always> {
    policy: P,
    limits: Limits<P::Span>,
    classifier: K,
}

impl<P: Policy> Retry<P> {
    /// Retries as `policy` says, without limits of its own; every error is worth a retry.
    pub const fn new(policy: P) -> Self {
        Self { policy, limits: Limits::NONE, classifier: Always }
    }

    /// Lets a function say what each error means.
    ///
    /// It is asked once per failure. To ask each link of an error's `source()` chain, see [`Verdict::from_chain`].
    ///
    /// ```
    /// use relent::{Constant, Reason, Retry, Verdict, testing::{ManualClock, Script}};
    ///
    /// #[derive(Debug)]
    /// enum Refusal { Busy, Never, Later(u32) }
    ///
    /// let retry = Retry::new(Constant::new(10_u32)).classify(|refusal| match refusal {
    ///     Refusal::Busy => Verdict::Retry,
    ///     Refusal::Later(ticks) => Verdict::RetryAfter(*ticks),
    ///     Refusal::Never => Verdict::Permanent,
    /// });
    /// let clock = ManualClock::new();
    /// let mut answers = [Refusal::Busy, Refusal::Later(500), Refusal::Never].into_iter();
    /// let gave_up = retry.run(&clock, Script::new([0]), || Err::<(), _>(answers.next().unwrap())).unwrap_err();
    /// assert_eq!(gave_up.reason(), Reason::Permanent);
    /// assert_eq!(clock.slept(), 510);
    /// ```
    pub fn classify<E, F: Fn(&E) -> Verdict<P::Span>>(self, f: F) -> Retry<P, By<F>> {
        Retry { policy: self.policy, limits: self.limits, classifier: By(f) }
    }

    /// Lets the operation say what each error means, by returning `Result<_, Failure<E>>`.
    ///
    /// `?` on a plain error makes it transient. What comes back in the end is the bare error. Where every `?` is on a [`Failure`](crate::Failure) and nothing else names the
    /// error, Rust is left guessing; end the closure with `Ok::<_, Failure<ParseIntError>>(value)`, say.
    ///
    /// ```
    /// use relent::{Constant, Failure, Retry, testing::{ManualClock, Script}};
    ///
    /// let retry = Retry::new(Constant::new(10_u32)).explicit();
    /// let gave_up = retry.run(&ManualClock::new(), Script::new([0]), || {
    ///     let number: u8 = "7".parse()?;
    ///     let other: u8 = "seven".parse().map_err(Failure::permanent)?;
    ///     Ok(number + other)
    /// });
    /// assert_eq!(gave_up.unwrap_err().attempts(), 1);
    /// ```
    pub fn explicit(self) -> Retry<P, Explicit> {
        Retry { policy: self.policy, limits: self.limits, classifier: Explicit }
    }
}

/// The Go library's defaults: [`Exponential::default`] for at most 15 minutes.
impl Default for Retry {
    fn default() -> Self {
        Self::new(Exponential::default()).with_max_elapsed(DEFAULT_MAX_ELAPSED)
    }
}

/// The time limit of [`Retry::default`] and of the free function `retry`: 15 minutes, as in the Go library.
pub(crate) const DEFAULT_MAX_ELAPSED: Duration = Duration::from_secs(15 * 60);

impl<P: Policy, K> Retry<P, K> {
    /// At most so many calls, the first included. For constants; [`try_with_max_attempts`](Self::try_with_max_attempts) is for run time.
    ///
    /// # Panics
    ///
    /// If `attempts` is 0: in a `const`, this does not compile.
    #[doc(alias = "max_times")]
    #[doc(alias = "max_tries")]
    #[track_caller]
    pub const fn with_max_attempts(mut self, attempts: u32) -> Self {
        match checked_attempts(attempts) {
            Ok(attempts) => self.limits.max_attempts = Some(attempts),
            Err(error) => error.panic(),
        }
        self
    }

    /// At most so many calls, the first included.
    ///
    /// # Errors
    ///
    /// If `attempts` is 0.
    pub fn try_with_max_attempts(mut self, attempts: u32) -> Result<Self, ConfigError> {
        self.limits.max_attempts = Some(checked_attempts(attempts)?);
        Ok(self)
    }

    /// At most so many calls after the first: `with_max_attempts(retries + 1)`.
    pub const fn with_max_retries(mut self, retries: u32) -> Self {
        self.limits.max_attempts = Some(NonZeroU32::MIN.saturating_add(retries));
        self
    }

    /// No wait that would end more than `limit` after the start.
    ///
    /// Looked at when a failure is reported: operations and waits count, and `elapsed + delay > limit` gives up without waiting.
    /// A retry that was admitted is made, even if the wake comes late. A limit of 0 means one call. Time is what the clock says: one that stepped back
    /// counts only the waits until it has caught up.
    ///
    /// ```
    /// use relent::{Reason, Retry, testing::{ManualClock, Script}};
    ///
    /// // Calls at 0, 1 and 3 s; the next would be at 7 s.
    /// let retry = Retry::new([1_000_u32, 2_000, 4_000]).with_max_elapsed(5_000);
    /// let gave_up = retry.run(&ManualClock::new(), Script::new([0]), || Err::<(), _>("busy")).unwrap_err();
    /// assert_eq!(gave_up.reason(), Reason::TimeLimit { limit: 5_000, delay: 4_000 });
    /// assert_eq!((gave_up.attempts(), gave_up.elapsed()), (3, 3_000));
    /// ```
    #[doc(alias = "total_delay")]
    #[doc(alias = "max_elapsed_time")]
    pub const fn with_max_elapsed(mut self, limit: P::Span) -> Self {
        self.limits.max_elapsed = Some(limit);
        self
    }

    /// Takes a time limit away again, that of [`Retry::default`] say.
    pub const fn without_max_elapsed(mut self) -> Self {
        self.limits.max_elapsed = None;
        self
    }

    /// Gives up ([`HintTooLong`](crate::Reason::HintTooLong)) when the other side asks for more than `limit`.
    ///
    /// ```
    /// use relent::{Constant, Reason, Retry, Verdict, testing::{ManualClock, Script}};
    ///
    /// let clock = ManualClock::new();
    /// let retry = Retry::new(Constant::new(10_u32)).with_max_attempts(2).with_max_hint(500).classify(|asked| Verdict::RetryAfter(*asked));
    /// let gave_up = retry.run(&clock, Script::new([0]), || Err::<(), _>(900)).unwrap_err();
    /// assert_eq!((gave_up.reason(), clock.slept()), (Reason::HintTooLong { asked: 900, left: 500 }, 0));
    /// // Or no more than that is waited.
    /// _ = retry.with_hints_clamped().run(&clock, Script::new([0]), || Err::<(), _>(900));
    /// assert_eq!(clock.slept(), 500);
    /// ```
    pub const fn with_max_hint(mut self, limit: P::Span) -> Self {
        self.limits.max_hint = Some(limit);
        self
    }

    /// Waits only as long as `max_hint` and `max_elapsed` allow when the other side asks for more, instead of giving up.
    ///
    /// Where no time is left at all, it gives up all the same.
    pub const fn with_hints_clamped(mut self) -> Self {
        self.limits.clamp_hints = true;
        self
    }

    /// Waits up to `spread` longer than the other side asks, so that not everybody comes back in the same moment.
    pub const fn with_hint_spread(mut self, spread: P::Span) -> Self {
        self.limits.hint_spread = Some(spread);
        self
    }

    /// How long one attempt may take.
    ///
    /// The polled machine hands a fresh token out after that, or at the deadline where that is nearer ([`Step::TimedOut`](crate::Step::TimedOut)); a
    /// blocking operation finds it as [`Attempt::allowance`](crate::Attempt::allowance), and has to keep it itself.
    ///
    /// ```
    /// use relent::{Constant, Instant, Retry, Step};
    ///
    /// let retry = Retry::new(Constant::new(10_u32)).with_attempt_timeout(500);
    /// let mut run = retry.start(Instant::at(0));
    /// let Step::Attempt(lost) = run.poll(Instant::at(0)) else { panic!() };
    /// assert_eq!(lost.allowance(), Some(500));
    /// assert!(matches!(run.poll(Instant::at(499)), Step::InFlight));
    /// assert!(matches!(run.poll(Instant::at(500)), Step::TimedOut(_)));
    /// ```
    pub const fn with_attempt_timeout(mut self, timeout: P::Span) -> Self {
        self.limits.attempt_timeout = Some(timeout);
        self
    }

    /// Lets `max_elapsed` count from the first failure instead of the start, so that a slow first call does not use it up.
    pub const fn with_max_elapsed_from_first_failure(mut self) -> Self {
        self.limits.from_first_failure = true;
        self
    }

    /// Lets the policy's delays count from the start of the attempt that failed, as gRPC's connection backoff does: what the attempt took is
    /// taken off. Hints and `NotBefore` still count from the failure.
    ///
    /// ```
    /// use relent::{Constant, Retry, testing::{ManualClock, Script}};
    ///
    /// let clock = ManualClock::new();
    /// let retry = Retry::new(Constant::new(1_000_u32)).with_max_attempts(2).with_delays_from_attempt_start();
    /// _ = retry.run(&clock, Script::new([0]), || {
    ///     clock.advance(300);
    ///     Err::<(), _>("refused")
    /// });
    /// assert_eq!(clock.slept(), 700);
    /// ```
    pub const fn with_delays_from_attempt_start(mut self) -> Self {
        self.limits.from_attempt_start = true;
        self
    }

    /// The policy.
    pub const fn policy(&self) -> &P {
        &self.policy
    }

    /// The limits.
    pub const fn limits(&self) -> &Limits<P::Span> {
        &self.limits
    }

    pub(crate) const fn classifier(&self) -> &K {
        &self.classifier
    }

    /// The schedule as a table: as many rows as there can be retries, without hints.
    ///
    /// It ends with `max_attempts`, and where even the shortest waits are beyond `max_elapsed`.
    pub fn plan(&self) -> Plan<&P> {
        let retries = self.limits.max_attempts.map_or(u32::MAX, |attempts| attempts.get().saturating_sub(1));
        match self.limits.max_elapsed {
            // One call (R7), even where there is nothing to wait for.
            Some(limit) if limit.to_ticks() == Ticks::ZERO => Plan::within(&self.policy, 0, limit),
            limit => Plan::within(&self.policy, retries, limit.unwrap_or(P::Span::CEILING)),
        }
    }

    /// Starts a run that you drive: the first attempt is due at once.
    pub fn start(&self, now: Instant<P::Span>) -> Attempts<&Self> {
        Attempts::new(self, now)
    }

    /// Starts a run that you drive, with the settings in it.
    pub fn into_attempts(self, now: Instant<P::Span>) -> Attempts<Self> {
        Attempts::new(self, now)
    }

    /// Starts a run whose first attempt is due after a wait drawn from `band`, so that a thousand devices switched on together do not
    /// attempt together (a splay). The wait counts as elapsed time.
    ///
    /// ```
    /// use relent::{Band, Constant, Instant, Retry, Step, testing::Script};
    ///
    /// let retry = Retry::new(Constant::new(1_000_u32));
    /// let mut run = retry.start_after(Instant::at(0), Band::new(0, 4_000), &mut Script::units([0.25]));
    /// assert!(matches!(run.poll(Instant::at(0)), Step::Wait(1_000)));
    /// assert!(matches!(run.poll(Instant::at(1_000)), Step::Attempt(_)));
    /// ```
    pub fn start_after<R: Rng + ?Sized>(
        &self,
        now: Instant<P::Span>,
        band: Band<P::Span>,
        rng: &mut R,
    ) -> Attempts<&Self> {
        Attempts::new_after(self, now, band.draw(rng))
    }
}

impl<P: Policy, F> Retry<P, By<F>> {
    /// What the function given to [`classify`](Retry::classify) says of `error`: for a run that you drive.
    pub fn verdict<E>(&self, error: &E) -> Verdict<P::Span>
    where
        F: Fn(&E) -> Verdict<P::Span>,
    {
        (self.classifier.0)(error)
    }
}

const fn checked_attempts(attempts: u32) -> Result<NonZeroU32, ConfigError> {
    match NonZeroU32::new(attempts) {
        Some(attempts) => Ok(attempts),
        None => Err(ConfigError::new("max_attempts", "max_attempts must be at least 1")),
    }
}

impl<P: Policy, K> Settings for Retry<P, K> {
    type Policy = P;

    #[inline]
    fn policy(&self) -> &P {
        &self.policy
    }

    #[inline]
    fn limits(&self) -> &Limits<P::Span> {
        &self.limits
    }
}
