//! The machine in a super-loop, in `u32`, settings by a reference that the optimiser cannot see through.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;

use firmware::relent::{Exponential, Retry};

static LINK: Retry<Exponential<u32>> = Retry::new(Exponential::new(100).with_max_interval(5_000)).with_max_attempts(6);

firmware::machine!(black_box(&LINK));
