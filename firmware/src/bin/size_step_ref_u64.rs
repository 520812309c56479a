//! The delay step in `u64`, settings by a reference that the optimiser cannot see through.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;

use firmware::relent::Exponential;

static POLICY: Exponential<u64> = Exponential::new(100).with_max_interval(5_000);

firmware::step!(black_box(&POLICY));
