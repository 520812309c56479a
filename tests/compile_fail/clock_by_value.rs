//! A clock that is shared is lent.
//!
//! expect: E0277
//! expect: does not tell the time and wait

use relent::testing::{ManualClock, Script};
use relent::{Constant, Retry};

fn main() {
    let clock = ManualClock::new();
    let retry = Retry::new(Constant::new(500_u32)).with_max_attempts(1);
    #[cfg(not(right))]
    let world = clock;
    #[cfg(right)]
    let world = &clock;
    let done: Result<(), relent::GaveUp<&str, u32>> = retry.run(world, Script::new([0]), || Err("busy"));
    _ = done;
}
