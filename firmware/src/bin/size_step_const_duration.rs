//! The delay step in `Duration`, settings constant.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::time::Duration;

use firmware::relent::Exponential;

const POLICY: Exponential = Exponential::new(Duration::from_millis(100)).with_max_interval(Duration::from_secs(5));

firmware::step!(POLICY);
