//! `embedded-hal` 1.0 delays as the wait (feature `embedded-hal-1`).
//!
//! A delay tells no time, so the time of these worlds is the sum of the waits asked for. Where there is a clock as well, [`Joined`](crate::clock::Joined) takes the
//! wait from here and the time from there.
//!
//! The unit is in the type: [`Millis`] counts `u32` or `u64` milliseconds and [`Micros`] microseconds; both take a [`Duration`] too, and round it up to the
//! unit. Waits of more than 32 bits are done in pieces. Nothing here panics.

use core::fmt;
use core::time::Duration;

use embedded_hal::delay::DelayNs;

use crate::clock::{Clock, Instant, Sleep};
use crate::span::Span;

/// A span that can be counted in milliseconds and microseconds. Public in a private module: callers cannot name it.
pub trait Countable: Span {
    /// The milliseconds in it, rounded up, and their span.
    fn millis(self) -> (u64, Self);
    /// The microseconds in it, rounded up, and their span.
    fn micros(self) -> (u64, Self);
}

macro_rules! countable {
    ($t:ty) => {
        /// A count in the unit of the type that waits.
        impl Countable for $t {
            #[inline]
            fn millis(self) -> (u64, Self) {
                (u64::from(self), self)
            }

            #[inline]
            fn micros(self) -> (u64, Self) {
                (u64::from(self), self)
            }
        }
    };
}

countable!(u32);
countable!(u64);

impl Countable for Duration {
    fn millis(self) -> (u64, Self) {
        let millis =
            self.as_secs().saturating_mul(1_000).saturating_add(self.subsec_nanos().div_ceil(1_000_000).into());
        (millis, Duration::from_millis(millis))
    }

    fn micros(self) -> (u64, Self) {
        let micros =
            self.as_secs().saturating_mul(1_000_000).saturating_add(self.subsec_nanos().div_ceil(1_000).into());
        (micros, Duration::from_micros(micros))
    }
}

macro_rules! world {
    ($(#[$doc:meta])* $name:ident, $unit:ident, $delay:ident) => {
        $(#[$doc])*
        pub struct $name<D, S: Span = u32> {
            delay: D,
            now: Instant<S>,
        }

        impl<D: DelayNs, S: Countable> $name<D, S> {
            /// Waits with `delay`, which can be lent as `&mut`.
            pub const fn new(delay: D) -> Self {
                Self { delay, now: Instant::ORIGIN }
            }
        }

        impl<D, S: Span> Clock for $name<D, S> {
            type Span = S;

            #[inline]
            fn now(&self) -> Instant<S> {
                self.now
            }
        }

        impl<D: DelayNs, S: Countable> Sleep for $name<D, S> {
            fn sleep(&mut self, delay: S) {
                let (mut left, counted) = delay.$unit();
                while left > 0 {
                    let piece = u32::try_from(left).unwrap_or(u32::MAX);
                    self.delay.$delay(piece);
                    left = left.saturating_sub(u64::from(piece));
                }
                self.now = self.now.after(counted);
            }
        }

        impl<D, S: Span> fmt::Debug for $name<D, S> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("now", &self.now).finish_non_exhaustive()
            }
        }
    };
}

world! {
    /// A world in milliseconds: `delay_ms` is the wait.
    ///
    /// ```
    /// use embedded_hal::delay::DelayNs;
    /// use relent::hal::Millis;
    /// use relent::{Exponential, Jitter, Retry, testing::Script};
    ///
    /// # struct Delay(u64);
    /// # impl DelayNs for Delay {
    /// #     fn delay_ns(&mut self, ns: u32) { self.0 += u64::from(ns); }
    /// #     fn delay_ms(&mut self, ms: u32) { self.0 += u64::from(ms) * 1_000_000; }
    /// # }
    /// # let mut delay = Delay(0);
    /// const JOIN: Retry<Exponential<u32>> =
    ///     Retry::new(Exponential::new(100).with_multiplier(2.0).with_jitter(Jitter::None)).with_max_attempts(4);
    ///
    /// let joined = JOIN.run(Millis::new(&mut delay), Script::new([0]), || Err::<(), _>("no answer"));
    /// assert_eq!(joined.unwrap_err().elapsed(), 700);
    /// # assert_eq!(delay.0, 700_000_000);
    /// ```
    Millis, millis, delay_ms
}

world! {
    /// A world in microseconds: `delay_us` is the wait.
    ///
    /// ```
    /// use core::time::Duration;
    /// use relent::hal::Micros;
    /// use relent::{Clock, Instant, Sleep};
    ///
    /// # struct Delay(u64);
    /// # impl embedded_hal::delay::DelayNs for Delay {
    /// #     fn delay_ns(&mut self, ns: u32) { self.0 += u64::from(ns); }
    /// # }
    /// # let mut delay = Delay(0);
    /// let mut world = Micros::new(&mut delay);
    /// world.sleep(Duration::from_nanos(1_500));
    /// assert_eq!(world.now(), Instant::at(Duration::from_micros(2)));
    /// # assert_eq!(delay.0, 2_000);
    /// ```
    Micros, micros, delay_us
}
