//! Ticks and durations cannot meet by accident: a limit.
//!
//! expect: E0308

use std::time::Duration;

use relent::{Exponential, Retry};

fn main() {
    let retry = Retry::new(Exponential::new(100_u32));
    #[cfg(not(right))]
    let retry = retry.with_max_elapsed(Duration::from_secs(1));
    #[cfg(right)]
    let retry = retry.with_max_elapsed(1_000);
    _ = (retry, Duration::ZERO);
}
