//! Without the feature `std` nothing is seeded by itself.
//!
//! expect: E0599
//! expect: call

use relent::testing::{ManualClock, Script};
use relent::{Constant, Retry};

fn main() {
    let retry = Retry::new(Constant::new(std::time::Duration::ZERO));
    #[cfg(not(right))]
    let _ = retry.call(|| Ok::<_, ()>(1));
    #[cfg(right)]
    let _ = retry.run(&ManualClock::new(), Script::new([0]), || Ok::<_, ()>(1));
}
