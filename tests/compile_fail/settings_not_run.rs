//! Settings that are made and not run are warned of.
//!
//! expect: settings do nothing until they are run

#![deny(unused_must_use)]

use relent::{Constant, Retry};

fn main() {
    let retry = Retry::new(Constant::new(1_u32));
    #[cfg(not(right))]
    retry.with_max_attempts(3);
    #[cfg(right)]
    drop(retry.with_max_attempts(3));
}
