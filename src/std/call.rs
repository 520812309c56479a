//! One line for tools.

use core::time::Duration;

use super::{System, from_os};
use crate::gave_up::{Event, GaveUp};
use crate::policy::Policy;
use crate::retry::{Classify, DEFAULT_MAX_ELAPSED, Retry};

/// Calls `op` until it succeeds, waiting as `policy` says, for at most 15 minutes (the Go library's limit).
///
/// The clock is the system's, the wait `std::thread::sleep`, the seed the operating system's. Every error is worth a retry; for anything else
/// see [`Retry`].
///
/// # Errors
///
/// [`GaveUp`] with the operation's last error, the reason, the attempts and the time.
///
/// ```
/// use core::time::Duration;
/// use relent::{Exponential, GaveUp};
///
/// let mut calls = 0;
/// let answer = relent::retry(Exponential::new(Duration::from_micros(100)), || {
///     calls += 1;
///     if calls < 3 { Err("not yet") } else { Ok(calls) }
/// });
/// assert_eq!(answer.map_err(GaveUp::into_error), Ok(3));
/// ```
///
/// Inside a closure `?` leaves Rust guessing at the error type; one line tells it:
///
/// ```
/// # use relent::{Constant};
/// # use core::time::Duration;
/// let number = relent::retry(Constant::new(Duration::ZERO), || {
///     let number: u8 = "7".parse()?;
///     Ok::<_, std::num::ParseIntError>(number)
/// })?;
/// assert_eq!(number, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn retry<P, T, E>(policy: P, op: impl FnMut() -> Result<T, E>) -> Result<T, GaveUp<E>>
where
    P: Policy<Span = Duration>,
{
    Retry::new(policy).with_max_elapsed(DEFAULT_MAX_ELAPSED).call(op)
}

impl<P: Policy<Span = Duration>, K> Retry<P, K> {
    /// Calls `op` until it succeeds or there is a reason to stop, on the system's clock and seeded by the operating system.
    ///
    /// # Errors
    ///
    /// [`GaveUp`] with the operation's last error and the reason.
    ///
    /// ```
    /// use core::time::Duration;
    /// use relent::{Exponential, Retry};
    ///
    /// let retry = Retry::new(Exponential::new(Duration::from_micros(100))).with_max_attempts(3);
    /// let gave_up = retry.call(|| std::fs::read("/no/such/file")).unwrap_err();
    /// assert_eq!(gave_up.attempts(), 3);
    /// ```
    pub fn call<T, X>(&self, op: impl FnMut() -> Result<T, X>) -> Result<T, GaveUp<K::Error>>
    where
        K: Classify<X, Duration>,
    {
        self.run(System::new(), from_os(), op)
    }

    /// The same, telling `hook` of every failure: once per admitted retry, before the wait, and once on giving up.
    ///
    /// # Errors
    ///
    /// [`GaveUp`] with the operation's last error and the reason.
    ///
    /// ```
    /// use core::time::Duration;
    /// use relent::{Exponential, Next, Retry};
    ///
    /// let retry = Retry::new(Exponential::new(Duration::from_micros(100))).with_max_attempts(2);
    /// _ = retry.call_with(
    ///     || std::fs::read("/no/such/file"),
    ///     |event| match event.next() {
    ///         Next::Wait(delay) => eprintln!("{:?}, again in {delay:?}", event.error().kind()),
    ///         next => eprintln!("{:?}: {next:?}", event.error().kind()),
    ///     },
    /// );
    /// ```
    pub fn call_with<T, X>(
        &self,
        op: impl FnMut() -> Result<T, X>,
        hook: impl FnMut(&Event<'_, K::Error>),
    ) -> Result<T, GaveUp<K::Error>>
    where
        K: Classify<X, Duration>,
    {
        self.on(System::new(), from_os()).notify(hook).run(op)
    }
}
