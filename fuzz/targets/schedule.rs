//! Law: for any settings and any random words, every nominal interval, band and wait is the one that wide whole numbers and exact
//! fractions give (R1–R4); a wait lies in its band and takes one word, or none where there is nothing to draw.
//!
//! `cargo +nightly fuzz run schedule`; the law itself also runs as a test, over the corpus and over random bytes.

#![no_main]

#[path = "../../tests/laws/bytes.rs"]
mod bytes;
#[path = "../../tests/laws/schedule.rs"]
mod schedule;

libfuzzer_sys::fuzz_target!(|data: &[u8]| schedule::law(data));
