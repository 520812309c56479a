//! What a link answers.

use core::time::Duration;

use crate::attempts::Attempt;
use crate::span::Span;

/// What to do now: the answer of [`Link::poll`](super::Link::poll).
#[must_use = "an attempt that is not taken stays in flight"]
#[derive(Debug, PartialEq)]
pub enum LinkStep<S: Span = Duration> {
    /// Start connecting now, and keep the token to report it.
    Attempt(Attempt<S>),
    /// Connecting, and not reported yet.
    InFlight,
    /// Nothing to do for so long; coming back sooner is safe.
    Wait(S),
    /// The attempt has not been reported within its time-out: abort it and report it with this fresh token. The old one is inert.
    TimedOut(Attempt<S>),
    /// The link is up: report it when it drops.
    Up,
    /// Given up. Only [`retry_now`](super::Link::retry_now) begins again.
    Down,
}

/// Where a link stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkState {
    /// Given up.
    Down,
    /// Between two attempts, or before the first.
    Waiting,
    /// An attempt is in flight.
    Attempting,
    /// Connected.
    Up,
}
