//! The machine in a super-loop, in `Duration`, settings constant.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::time::Duration;

use firmware::relent::{Exponential, Retry};

const LINK: Retry = Retry::new(Exponential::new(Duration::from_millis(100)).with_max_interval(Duration::from_secs(5)))
    .with_max_attempts(6);

firmware::machine!(LINK);
