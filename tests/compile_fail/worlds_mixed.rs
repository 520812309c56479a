//! Ticks and durations cannot meet by accident: a clock.
//!
//! expect: E0271

use std::time::Duration;

use relent::testing::{ManualClock, Script};
use relent::{Constant, Retry};

fn main() {
    let retry = Retry::new(Constant::new(100_u32));
    #[cfg(not(right))]
    let clock = ManualClock::<Duration>::new();
    #[cfg(right)]
    let clock = ManualClock::<u32>::new();
    let _ = retry.run(&clock, Script::new([0]), || Ok::<_, ()>(Duration::ZERO));
}
