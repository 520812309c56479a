//! The system's clock and `std::thread::sleep`.

use std::thread;
use std::time;

use core::time::Duration;

use crate::clock::{Clock, Instant, Interrupt, Sleep};

/// The monotonic clock of the operating system and `std::thread::sleep`.
///
/// Its origin is the moment it is made, so it is made once per run and lent. Sleeping less than asked is impossible: a sleep that ends early by
/// the clock is gone on with, and one longer than the platform can do at once is done in pieces of at most a day.
///
/// ```
/// use core::time::Duration;
/// use relent::{Clock, Sleep, System};
///
/// let mut system = System::new();
/// let before = system.now();
/// system.sleep(Duration::from_millis(1));
/// assert!(system.now().since(before) >= Duration::from_millis(1));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct System {
    origin: time::Instant,
}

impl System {
    /// A clock that starts now.
    pub fn new() -> Self {
        Self { origin: time::Instant::now() }
    }
}

impl Default for System {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for System {
    type Span = Duration;

    fn now(&self) -> Instant {
        Instant::at(self.origin.elapsed())
    }
}

impl Sleep for System {
    fn sleep(&mut self, delay: Duration) {
        let start = time::Instant::now();
        while let Some(left) = remaining(delay, start.elapsed()) {
            thread::sleep(left);
        }
    }

    /// Comes back at once when a `CancelToken` is set, and within 10 ms for a flag that cannot wake anybody.
    fn sleep_unless(&mut self, delay: Duration, interrupt: &dyn Interrupt) {
        let start = time::Instant::now();
        while let Some(left) = remaining(delay, start.elapsed()).filter(|_| !interrupt.is_set()) {
            if !interrupt.block(left) {
                thread::sleep(left.min(GLANCE));
            }
        }
    }
}

/// How often a flag is looked at that cannot wake anybody.
const GLANCE: Duration = Duration::from_millis(10);

/// The longest single sleep: every platform can do a day.
const PIECE: Duration = Duration::from_secs(86_400);

/// How long to sleep next; `None` when `delay` is over.
fn remaining(delay: Duration, elapsed: Duration) -> Option<Duration> {
    let left = delay.checked_sub(elapsed).filter(|left| !left.is_zero())?;
    Some(left.min(PIECE))
}

#[cfg(test)]
mod tests {
    use super::{PIECE, remaining};
    use core::time::Duration;

    #[test]
    fn long_sleeps_are_split_and_short_ones_finished() {
        let second = Duration::from_secs(1);
        assert_eq!(remaining(Duration::MAX, Duration::ZERO), Some(PIECE));
        assert_eq!(remaining(PIECE + second, PIECE), Some(second));
        assert_eq!(remaining(second, Duration::from_millis(999)), Some(Duration::from_millis(1)));
        assert_eq!(remaining(second, second), None);
        assert_eq!(remaining(second, second * 2), None);
        assert_eq!(remaining(Duration::ZERO, Duration::ZERO), None);
    }
}
