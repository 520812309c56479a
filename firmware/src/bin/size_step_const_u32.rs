//! The delay step in `u32`, settings constant.
#![cfg_attr(target_os = "none", no_std, no_main)]

use firmware::relent::Exponential;

const POLICY: Exponential<u32> = Exponential::new(100).with_max_interval(5_000);

firmware::step!(POLICY);
