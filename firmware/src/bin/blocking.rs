//! The blocking loop over an `embedded-hal` delay and no clock at all.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::fmt;

use firmware::board::{Out, delay};

fn run(out: &mut Out) -> fmt::Result {
    firmware::blocking::run(out, delay())
}

firmware::program!(run);
