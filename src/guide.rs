//! Longer texts, whose examples are compiled and run like all the others.

#[doc = include_str!("../docs/firmware.md")]
pub mod firmware {}
