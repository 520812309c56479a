//! What the machine answers.

use core::time::Duration;

use super::Attempt;
use crate::gave_up::Reason;
use crate::span::Span;

/// What to do now: the answer of [`Attempts::poll`](super::Attempts::poll).
#[must_use = "an attempt that is not taken stays in flight"]
#[derive(Debug, PartialEq)]
pub enum Step<S: Span = Duration> {
    /// Start the operation now, and keep the token to report it.
    Attempt(Attempt<S>),
    /// The operation was started and is not reported yet.
    InFlight,
    /// Nothing to do for so long; coming back sooner is safe.
    Wait(S),
    /// The attempt has not been reported within its time-out: abort it and report it with this fresh token. The old one is inert.
    TimedOut(Attempt<S>),
    /// The run is over: it succeeded or gave up.
    Done,
}

/// What follows from a failure: the answer of [`Attempts::fail`](super::Attempts::fail).
#[must_use = "it says whether there will be another attempt"]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next<S: Span = Duration> {
    /// Another attempt after this wait.
    Wait(S),
    /// No more.
    GiveUp(Reason<S>),
    /// The token was not the one in flight; nothing has changed. Only for those who keep tokens beyond their time-out.
    Stale,
}
