//! Law: for any limits and any script of polls, reports, losses, hints and clock readings, backwards and wrapping, the machine and the
//! blocking loop do what a naive model does that keeps absolute times (R5–R10).
//!
//! `cargo +nightly fuzz run machine`; the law itself also runs as a test, over the corpus and over random bytes.

#![no_main]

#[path = "../../tests/laws/bytes.rs"]
mod bytes;
#[path = "../../tests/laws/machine.rs"]
mod machine;

libfuzzer_sys::fuzz_target!(|data: &[u8]| machine::law(data));
