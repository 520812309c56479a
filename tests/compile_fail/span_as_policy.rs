//! A span is not a policy, and the message says what is.
//!
//! expect: E0277
//! expect: `u32` is not a policy
//! expect: for the same wait every time write `Constant::new(wait)`

use relent::Retry;
#[cfg(right)]
use relent::{Always, Constant};

#[cfg(not(right))]
fn main() {
    _ = Retry::new(500_u32);
}

#[cfg(right)]
fn main() {
    let _: Retry<Constant<u32>, Always> = Retry::new(Constant::new(500_u32));
}
