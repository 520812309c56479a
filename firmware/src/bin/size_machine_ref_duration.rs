//! The machine in a super-loop, in `Duration`, settings by a reference that the optimiser cannot see through.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;
use core::time::Duration;

use firmware::relent::{Exponential, Retry};

static LINK: Retry = Retry::new(Exponential::new(Duration::from_millis(100)).with_max_interval(Duration::from_secs(5)))
    .with_max_attempts(6);

firmware::machine!(black_box(&LINK));
