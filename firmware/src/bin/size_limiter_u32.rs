//! A rate limiter in `u32`: one in 334 ticks, three at once.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;

use firmware::relent::Instant;
use firmware::relent::guard::RateLimiter;
use firmware::size::{Now, other_work};

firmware::lean!(|noise| {
    let mut limiter = RateLimiter::every(334_u32).with_burst(3);
    loop {
        black_box(limiter.check(Instant::at(Now::now())).is_ok());
        other_work();
    }
});
