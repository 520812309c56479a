//! The machine in a super-loop, in `u64`, settings constant.
#![cfg_attr(target_os = "none", no_std, no_main)]

use firmware::relent::{Exponential, Retry};

const LINK: Retry<Exponential<u64>> = Retry::new(Exponential::new(100).with_max_interval(5_000)).with_max_attempts(6);

firmware::machine!(LINK);
