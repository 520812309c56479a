//! Law: whatever is asked, reported, lost or late, on a counter that wraps and steps back, the breaker does what a naive model does that
//! keeps absolute times and all outcomes (R11).
//!
//! `cargo +nightly fuzz run breaker`; the law itself also runs as a test, over the corpus and over random bytes.

#![no_main]

#[path = "../../tests/laws/breaker.rs"]
mod breaker;
#[path = "../../tests/laws/bytes.rs"]
mod bytes;

libfuzzer_sys::fuzz_target!(|data: &[u8]| breaker::law(data));
