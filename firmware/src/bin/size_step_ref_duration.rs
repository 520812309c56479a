//! The delay step in `Duration`, settings by a reference that the optimiser cannot see through.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;
use core::time::Duration;

use firmware::relent::Exponential;

static POLICY: Exponential = Exponential::new(Duration::from_millis(100)).with_max_interval(Duration::from_secs(5));

firmware::step!(black_box(&POLICY));
