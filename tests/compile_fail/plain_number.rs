//! A plain number is not a span, and the message says what to write.
//!
//! expect: E0277
//! expect: is not a span of time
//! expect: for 500 ms write `Duration::from_millis(500)`

use std::time::Duration;

use relent::Exponential;

fn main() {
    #[cfg(not(right))]
    let policy = Exponential::new(500);
    #[cfg(right)]
    let policy = Exponential::new(Duration::from_millis(500));
    _ = policy;
}
