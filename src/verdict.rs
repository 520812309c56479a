//! What a failure means, said once per failure (R6).

use core::error::Error;
use core::fmt;
use core::time::Duration;

use crate::span::{Span, Ticks};

/// What to do about one failure.
///
/// | verdict | the wait | the policy's growth |
/// |---|---|---|
/// | `Retry` | drawn from the policy's band | goes on |
/// | `NotBefore(s)` | the band shifted to start at `s`, if it starts sooner; same width | goes on |
/// | `RetryAfter(s)` | `s`, never shortened | starts anew; `RetryAfter(0)` is `Retry` |
/// | `Permanent` | none: give up | |
///
/// `RetryAfter` is for a peer that says when to come back (HTTP `Retry-After`, gRPC pushback, CoAP Max-Age);
/// `NotBefore` for what must not happen sooner: a duty cycle, a rate limit, an open breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict<S = Duration> {
    /// Worth another attempt, when the policy says.
    Retry,
    /// Worth another attempt, but not sooner than this from now.
    NotBefore(S),
    /// Worth another attempt in just this time, as the other side asks.
    RetryAfter(S),
    /// Trying again cannot help.
    Permanent,
}

impl<S: Span> Verdict<S> {
    /// A hint given as a moment, such as an HTTP date: `RetryAfter` the time from `server_now` to `at`.
    ///
    /// Both are on the *server's* clock (the response's own `Date`, since the local clock may be wrong), as spans since any
    /// common origin. Without `server_now`, or with an `at` that has passed, there is no hint: `Retry`.
    ///
    /// ```
    /// use core::time::Duration;
    /// use relent::Verdict;
    ///
    /// let clock = |h: u64, m: u64, s: u64| Duration::from_secs(3600 * h + 60 * m + s);
    /// let at = clock(11, 55, 30);
    /// assert_eq!(Verdict::retry_at(at, Some(clock(11, 55, 0))), Verdict::RetryAfter(clock(0, 0, 30)));
    /// assert_eq!(Verdict::retry_at(at, Some(clock(12, 0, 0))), Verdict::Retry);
    /// assert_eq!(Verdict::retry_at(at, None), Verdict::Retry);
    /// ```
    pub fn retry_at(at: S, server_now: Option<S>) -> Self {
        match server_now {
            Some(now) if at > now => Self::RetryAfter(S::from_ticks(at.to_ticks().minus(now.to_ticks()))),
            _ => Self::Retry,
        }
    }

    /// Asks `error` and then each link of its [`source`](Error::source) chain; the first answer counts, and `Retry` where
    /// no link has one.
    ///
    /// So a permanent error is found however deep it is wrapped.
    ///
    /// ```
    /// use std::io;
    /// use relent::Verdict;
    ///
    /// fn judge(error: &(dyn std::error::Error + 'static)) -> Verdict {
    ///     Verdict::from_chain(error, |link| {
    ///         let io = link.downcast_ref::<io::Error>()?;
    ///         (io.kind() == io::ErrorKind::PermissionDenied).then_some(Verdict::Permanent)
    ///     })
    /// }
    /// assert_eq!(judge(&io::Error::from(io::ErrorKind::PermissionDenied)), Verdict::Permanent);
    /// assert_eq!(judge(&std::fmt::Error), Verdict::Retry);
    /// ```
    pub fn from_chain(
        error: &(dyn Error + 'static),
        mut ask: impl FnMut(&(dyn Error + 'static)) -> Option<Self>,
    ) -> Self {
        let mut link = Some(error);
        while let Some(error) = link {
            if let Some(verdict) = ask(error) {
                return verdict;
            }
            link = error.source();
        }
        Self::Retry
    }
}

/// An error together with its [`Verdict`]: what an operation returns under [`Retry::explicit`](crate::Retry::explicit).
///
/// `?` makes any error a transient one; the other kinds are said by name. What comes back in the end is the bare error.
///
/// ```
/// use relent::{Failure, Verdict};
///
/// fn parse(text: &str) -> Result<u8, Failure<std::num::ParseIntError>> {
///     if text.len() > 3 {
///         return text.parse().map_err(Failure::permanent);
///     }
///     Ok(text.parse()?)
/// }
/// assert_eq!(parse("2x").unwrap_err().verdict(), Verdict::Retry);
/// assert_eq!(parse("2000").unwrap_err().verdict(), Verdict::Permanent);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failure<E, S = Duration> {
    error: E,
    verdict: Verdict<S>,
}

impl<E, S> Failure<E, S> {
    /// An error and what to do about it.
    #[inline]
    pub const fn new(error: E, verdict: Verdict<S>) -> Self {
        Self { error, verdict }
    }

    /// Worth another attempt, when the policy says.
    #[inline]
    pub const fn transient(error: E) -> Self {
        Self::new(error, Verdict::Retry)
    }

    /// Worth another attempt, but not sooner than `span` from now.
    #[inline]
    pub const fn not_before(error: E, span: S) -> Self {
        Self::new(error, Verdict::NotBefore(span))
    }

    /// Worth another attempt in just `span`, as the other side asks.
    #[inline]
    pub const fn retry_after(error: E, span: S) -> Self {
        Self::new(error, Verdict::RetryAfter(span))
    }

    /// Trying again cannot help.
    #[inline]
    pub const fn permanent(error: E) -> Self {
        Self::new(error, Verdict::Permanent)
    }

    /// The operation's error.
    pub const fn error(&self) -> &E {
        &self.error
    }

    /// The operation's error, without the verdict.
    pub fn into_error(self) -> E {
        self.error
    }

    /// What to do about it.
    pub const fn verdict(&self) -> Verdict<S>
    where
        S: Copy,
    {
        self.verdict
    }

    /// The error and the verdict.
    #[inline]
    pub fn into_parts(self) -> (E, Verdict<S>) {
        (self.error, self.verdict)
    }
}

impl<E, S> From<E> for Failure<E, S> {
    #[inline]
    fn from(error: E) -> Self {
        Self::transient(error)
    }
}

impl<E: fmt::Display, S> fmt::Display for Failure<E, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}
