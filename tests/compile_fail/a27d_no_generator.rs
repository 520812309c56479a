//! Without a generator there is no run: no seed is hidden anywhere.
//!
//! expect: E0061

use relent::testing::{ManualClock, Script};
use relent::{Constant, Retry};

fn main() {
    let retry = Retry::new(Constant::new(1_u32));
    #[cfg(not(right))]
    let _ = retry.run(&ManualClock::new(), || Ok::<_, ()>(1));
    #[cfg(right)]
    let _ = retry.run(&ManualClock::new(), Script::new([0]), || Ok::<_, ()>(1));
}
