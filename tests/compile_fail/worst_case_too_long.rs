//! Waits that can outlast the budget do not compile.
//!
//! expect: E0080
//! expect: assertion failed

use relent::{Exponential, Retry};

const LINK: Retry<Exponential<u32>> = Retry::new(Exponential::new(100).with_max_interval(5_000)).with_max_attempts(6);
// 150 + 225 + 337 + 505 + 757
#[cfg(not(right))]
const _: () = assert!(LINK.worst_case_wait() < 1_974);
#[cfg(right)]
const _: () = assert!(LINK.worst_case_wait() <= 1_974);

fn main() {
    _ = LINK;
}
