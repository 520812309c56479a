//! Giving up: the operation's own error, and why (R9).

use core::error::Error;
use core::fmt;
use core::time::Duration;

use crate::attempts::Next;
use crate::span::Span;

/// Why a run ended without success.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason<S = Duration> {
    /// The error was classified as permanent.
    Permanent,
    /// As many attempts were made as allowed.
    Attempts,
    /// The policy gives no more retries.
    PolicyEnded,
    /// The wait would have ended beyond `max_elapsed`.
    TimeLimit {
        /// `max_elapsed`.
        limit: S,
        /// The wait that did not fit.
        delay: S,
    },
    /// The other side asked for a longer wait than there is time for.
    HintTooLong {
        /// What it asked for.
        asked: S,
        /// What was left of `max_elapsed` or the deadline, or `max_hint` where that is less.
        left: S,
    },
    /// The run was called off; the token knows the cause.
    Cancelled,
    /// The wait would not have ended before the deadline; both are 0 where that was found only after the hook or on waking.
    Deadline {
        /// What was left until the deadline.
        left: S,
        /// The wait that did not fit.
        delay: S,
    },
    /// The budget had no retry to spend.
    Budget,
    /// The breaker opened meanwhile.
    BreakerOpen {
        /// What remains of its cooldown; 0 where that is over and the trials are for others to make.
        remaining: S,
    },
}

impl<S: fmt::Debug> fmt::Display for Reason<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Permanent => f.write_str("trying again cannot help"),
            Self::Attempts => f.write_str("attempts used up"),
            Self::PolicyEnded => f.write_str("no retries left in the policy"),
            Self::TimeLimit { limit, delay } => {
                write!(f, "a wait of {delay:.3?} would pass the time limit of {limit:?}")
            }
            Self::HintTooLong { asked, left } => {
                write!(f, "asked to wait {asked:?}, with {left:.3?} left")
            }
            Self::Cancelled => f.write_str("cancelled"),
            Self::Deadline { left, delay } => {
                write!(f, "a wait of {delay:.3?} would pass the deadline, {left:.3?} away")
            }
            Self::Budget => f.write_str("retry budget used up"),
            Self::BreakerOpen { remaining } => write!(f, "the breaker is open for {remaining:.3?} more"),
        }
    }
}

/// The operation's last error, unchanged, with the reason for stopping.
///
/// It displays as the error and the reason, and is an [`Error`] for every error that can be displayed, so `?` turns it into `Box<dyn Error>` and the like.
/// [`into_error`](Self::into_error) is the bare error again.
///
/// ```
/// use relent::{Constant, Reason, Retry, testing::{ManualClock, Script}};
///
/// let retry = Retry::new(Constant::new(10_u32)).with_max_attempts(3);
/// let gave_up = retry.run(&ManualClock::new(), Script::new([0]), || Err::<(), _>("busy")).unwrap_err();
/// assert_eq!(gave_up.to_string(), "busy (gave up after 3 attempts in 20: attempts used up)");
/// assert_eq!((gave_up.reason(), gave_up.attempts(), gave_up.elapsed()), (Reason::Attempts, 3, 20));
/// assert_eq!(gave_up.into_error(), "busy");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GaveUp<E, S = Duration> {
    error: E,
    reason: Reason<S>,
    attempts: u32,
    elapsed: S,
}

impl<E, S: Span> GaveUp<E, S> {
    #[inline]
    pub(crate) fn new(error: E, reason: Reason<S>, attempts: u32, elapsed: S) -> Self {
        Self { error, reason, attempts, elapsed }
    }

    /// The operation's last error.
    pub fn error(&self) -> &E {
        &self.error
    }

    /// The operation's last error, bare.
    pub fn into_error(self) -> E {
        self.error
    }

    /// Why there was no other attempt.
    pub fn reason(&self) -> Reason<S> {
        self.reason
    }

    /// How many calls were made, the first included; saturates.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    /// The time from the start to giving up: at the report of the last failure, or in the wait after it; saturates.
    pub fn elapsed(&self) -> S {
        self.elapsed
    }
}

impl<E: fmt::Display, S: fmt::Debug> fmt::Display for GaveUp<E, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { error, reason, attempts, elapsed } = self;
        let s = if *attempts == 1 { "" } else { "s" };
        write!(f, "{error} (gave up after {attempts} attempt{s} in {elapsed:.3?}: {reason})")
    }
}

impl<E: fmt::Debug + fmt::Display, S: fmt::Debug> Error for GaveUp<E, S> {}

/// What a notification hook is told: once per admitted retry, before the wait, and once on giving up.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'a, E, S: Span = Duration> {
    error: &'a E,
    attempt: u32,
    elapsed: S,
    next: Next<S>,
}

impl<'a, E, S: Span> Event<'a, E, S> {
    #[inline]
    pub(crate) fn new(error: &'a E, attempt: u32, elapsed: S, next: Next<S>) -> Self {
        Self { error, attempt, elapsed, next }
    }

    /// What the operation failed with.
    pub fn error(&self) -> &'a E {
        self.error
    }

    /// Which attempt failed: 1 is the first call.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The time from the start to this failure.
    pub fn elapsed(&self) -> S {
        self.elapsed
    }

    /// What follows: a wait or the end.
    pub fn next(&self) -> Next<S> {
        self.next
    }
}
