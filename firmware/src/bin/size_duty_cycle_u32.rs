//! A duty cycle of 1 % in `u32`.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;

use firmware::relent::Instant;
use firmware::relent::guard::DutyCycle;
use firmware::size::{Now, other_work};

firmware::lean!(|noise| {
    let mut band = DutyCycle::<u32>::ONE_PERCENT;
    loop {
        black_box(band.admit(black_box(62), Instant::at(Now::now())).is_ok());
        other_work();
    }
});
