//! `embassy-time` 0.5: its durations as spans, and its clock (feature `embassy-time-05`).
//!
//! An async task drives the machine itself, and awaits a timer for what [`Step::Wait`](crate::Step::Wait) carries; `examples/embassy.rs` does that:
//!
//! ```
//! use embassy_time::{Duration, Timer};
//! use relent::embassy::Embassy;
//! use relent::{Clock, Exponential, Next, Retry, Step, Verdict, rng::Rng};
//! # use critical_section as _;
//!
//! const JOIN: Retry<Exponential<Duration>> = Retry::new(Exponential::new(Duration::from_millis(500))).with_max_attempts(6);
//!
//! async fn join<E>(rng: &mut impl Rng, mut radio: impl AsyncFnMut() -> Result<(), E>) -> Result<(), E> {
//!     let mut run = JOIN.start(Embassy.now());
//!     loop {
//!         match run.poll(Embassy.now()) {
//!             Step::Attempt(attempt) | Step::TimedOut(attempt) => match radio().await {
//!                 Ok(()) => return Ok(()),
//!                 Err(error) => if let Next::GiveUp(_) = run.fail(attempt, Embassy.now(), Verdict::Retry, rng) {
//!                     return Err(error);
//!                 },
//!             },
//!             Step::Wait(left) => Timer::after(left).await,
//!             Step::InFlight | Step::Done => unreachable!("the attempt is reported before the next poll"),
//!         }
//!     }
//! }
//! ```

use ::embassy_time::{Duration, TICK_HZ, block_for};

use crate::clock::{Clock, Instant, Sleep};
use crate::span::{Sealed, Span};

impl Span for Duration {}

impl Sealed for Duration {
    type Ticks = u64;
    const ZERO: Self = Duration::MIN;
    const CEILING: Self = Duration::MAX;
    #[expect(clippy::cast_possible_truncation, reason = "it has just been compared")]
    const PER_SECOND: Option<u32> = if TICK_HZ <= u32::MAX as u64 { Some(TICK_HZ as u32) } else { None };

    #[inline]
    fn to_ticks(self) -> u64 {
        self.as_ticks()
    }

    #[inline]
    fn from_ticks(ticks: u64) -> Self {
        Duration::from_ticks(ticks)
    }
}

/// The clock of `embassy-time`, and its blocking wait.
///
/// The wait is a busy one, for code outside of tasks; within one, await a timer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Embassy;

impl Clock for Embassy {
    type Span = Duration;

    #[inline]
    fn now(&self) -> Instant<Duration> {
        Instant::at(Duration::from_ticks(::embassy_time::Instant::now().as_ticks()))
    }
}

/// The longest single wait, so that its end can always be told on the clock.
const PIECE: u64 = u32::MAX as u64;

impl Sleep for Embassy {
    fn sleep(&mut self, delay: Duration) {
        let mut left = delay.as_ticks();
        while left > 0 {
            block_for(Duration::from_ticks(left.min(PIECE)));
            left = left.saturating_sub(PIECE);
        }
    }
}
