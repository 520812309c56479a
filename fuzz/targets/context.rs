//! Law: with deadlines, a moment of cancellation and a budget, on a counter that wraps, in a world that wakes late and sometimes without
//! reason, the blocking loop and the polled machine do what a naive model does that keeps absolute times (R5, R9, R10).
//!
//! `cargo +nightly fuzz run context`; the law itself also runs as a test, over the corpus and over random bytes.

#![no_main]

#[path = "../../tests/laws/bytes.rs"]
mod bytes;
#[path = "../../tests/laws/context.rs"]
mod context;

libfuzzer_sys::fuzz_target!(|data: &[u8]| context::law(data));
