//! A circuit breaker in `u32`: asked, told, settings constant.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;

use firmware::relent::Instant;
use firmware::relent::guard::breaker::{Breaker, BreakerSettings, Consecutive, Outcome};
use firmware::size::{Now, other_work};

firmware::lean!(|noise| {
    let mut breaker = Breaker::new(BreakerSettings::new(3_000_u32), Consecutive::new(5));
    loop {
        match breaker.admit(Instant::at(Now::now())) {
            Ok(permit) => {
                let outcome = if black_box(true) { Outcome::Success } else { Outcome::Failure };
                breaker.record(permit, outcome, Instant::at(Now::now()), &mut noise);
            }
            Err(refused) => _ = black_box(refused.remaining()),
        }
        other_work();
    }
});
