//! Randomness is not replayed by a copy.
//!
//! expect: E0599
//! expect: clone

use relent::testing::Script;
use relent::{Constant, Policy};

fn main() {
    let delays = Constant::new(1_u32).delays(Script::new([0]));
    #[cfg(not(right))]
    let mut again = delays.clone();
    #[cfg(right)]
    let mut again = delays;
    _ = again.next();
}
