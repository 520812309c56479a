//! The token for one attempt.

use core::fmt;
use core::time::Duration;

use crate::idempotency::IdempotencyKey;
use crate::span::{Span, Ticks};

/// One attempt: the token to report it with, and what its operation may want to know.
///
/// It is not `Clone`: an attempt is reported once. One that is lost stays in flight, until the attempt time-out if there is one. A token carries
/// the number of its hand-out, modulo 2¹⁶, but not which run it belongs to: report it to the run that it came from.
#[must_use = "report it with `succeed` or `fail`, or the attempt stays in flight"]
#[derive(PartialEq)]
pub struct Attempt<S: Span = Duration> {
    number: u32,
    serial: u16,
    time_left: Option<S::Ticks>,
    timeout: Option<S::Ticks>,
    key: Option<IdempotencyKey>,
}

impl<S: Span> Attempt<S> {
    #[inline]
    pub(super) fn new(
        number: u32,
        serial: u16,
        time_left: Option<S::Ticks>,
        timeout: Option<S::Ticks>,
        key: Option<IdempotencyKey>,
    ) -> Self {
        Self { number, serial, time_left, timeout, key }
    }

    #[inline]
    pub(super) fn serial(&self) -> u16 {
        self.serial
    }

    /// Which attempt: 1 is the first call.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// How much of `max_elapsed` or the deadline was left when this attempt was handed out; `None` without either.
    pub fn time_left(&self) -> Option<S> {
        self.time_left.map(S::from_ticks)
    }

    /// How long the operation may take: the attempt time-out or the time left, whichever is less; `None` without either.
    ///
    /// At least one tick, as a socket takes no time-out of 0: fit for `TcpStream::set_read_timeout`.
    ///
    /// | attempt time-out | time left | allowance |
    /// |---|---|---|
    /// | 4 s | 11 s | 4 s |
    /// | 4 s | 1 s | 1 s |
    /// | 4 s | 0 | one tick |
    /// | | 11 s | 11 s |
    /// | 4 s | | 4 s |
    pub fn allowance(&self) -> Option<S> {
        let ticks = match (self.timeout, self.time_left) {
            (Some(timeout), Some(left)) => timeout.min(left),
            (timeout, left) => timeout.or(left)?,
        };
        Some(S::from_ticks(ticks.max(S::Ticks::ONE)))
    }

    /// The key that all attempts of the run share; `None` unless it was given one.
    pub fn key(&self) -> Option<IdempotencyKey> {
        self.key
    }
}

impl<S: Span> fmt::Debug for Attempt<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt")
            .field("number", &self.number)
            .field("time_left", &self.time_left())
            .field("allowance", &self.allowance())
            .finish_non_exhaustive()
    }
}
