//! A delay where there is no clock.

use core::fmt;

use super::{Clock, Instant, Sleep};
use crate::span::Span;

/// A world made of a delay alone: the time is the sum of the delays asked for.
///
/// For parts without a free timer. Time limits then count waits only, as nothing tells how long an operation took.
///
/// ```
/// use relent::clock::Summed;
/// use relent::{Constant, Retry, testing::Script};
///
/// let mut spun = 0_u64;
/// let busy_wait = Summed::new(|ms: u32| spun += u64::from(ms) * 1_000);
/// let retry = Retry::new(Constant::new(200)).with_max_elapsed(900);
/// let gave_up = retry.run(busy_wait, Script::new([0]), || Err::<(), _>("no answer")).unwrap_err();
/// assert_eq!((gave_up.attempts(), gave_up.elapsed(), spun), (5, 800, 800_000));
/// ```
pub struct Summed<F, S: Span> {
    wait: F,
    now: Instant<S>,
}

impl<S: Span, F: FnMut(S)> Summed<F, S> {
    /// Waits by calling `wait`, which returns after what it is given or later.
    pub const fn new(wait: F) -> Self {
        Self { wait, now: Instant::ORIGIN }
    }
}

impl<S: Span, F> Clock for Summed<F, S> {
    type Span = S;

    #[inline]
    fn now(&self) -> Instant<S> {
        self.now
    }
}

impl<S: Span, F: FnMut(S)> Sleep for Summed<F, S> {
    #[inline]
    fn sleep(&mut self, delay: S) {
        (self.wait)(delay);
        self.now = self.now.after(delay);
    }
}

impl<F, S: Span> fmt::Debug for Summed<F, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Summed").field("now", &self.now).finish_non_exhaustive()
    }
}
