//! Law: on a counter that wraps and steps back, limiter and budgets grant just what exact fractions grant, and a refusal spends nothing
//! (R12).
//!
//! `cargo +nightly fuzz run tokens`; the law itself also runs as a test, over the corpus and over random bytes.

#![no_main]

#[path = "../../tests/laws/bytes.rs"]
mod bytes;
#[path = "../../tests/laws/tokens.rs"]
mod tokens;

libfuzzer_sys::fuzz_target!(|data: &[u8]| tokens::law(data));
