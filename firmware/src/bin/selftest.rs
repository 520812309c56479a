//! The schedules of every policy, hashed: the same on every target, at every optimisation level.
#![cfg_attr(target_os = "none", no_std, no_main)]

firmware::program!(firmware::selftest::run);
