//! Half a minute in the life of a radio link, in a super-loop on the board's own counter.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::fmt;

use firmware::board::{Out, clock};

fn run(out: &mut Out) -> fmt::Result {
    firmware::radio::run(out, &clock(), 45_000)
}

firmware::program!(run);
