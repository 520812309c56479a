//! An attempt that is handed out and dropped in the same line is warned of.
//!
//! expect: unused
//! expect: an attempt that is not taken stays in flight

#![deny(unused_must_use)]

use relent::{Constant, Instant, Retry};

fn main() {
    let retry = Retry::new(Constant::new(1_u32));
    let mut run = retry.start(Instant::at(0));
    #[cfg(not(right))]
    run.poll(Instant::at(0));
    #[cfg(right)]
    drop(run.poll(Instant::at(0)));
}
