//! `relent` on microcontrollers: what the programs in `src/bin` share.
//!
//! The text of each program is compiled for the host too, so that what a board prints can be compared with what a workstation does.
#![cfg_attr(target_os = "none", no_std)]

pub mod blocking;
pub mod board;
pub mod footprint;
pub mod icount;
pub mod radio;
pub mod reach;
pub mod selftest;
pub mod size;
pub mod unit;

pub use relent;
