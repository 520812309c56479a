//! The spans are a closed set.
//!
//! expect: E0277

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Fortnights(u8);

#[cfg(not(right))]
impl relent::Span for Fortnights {}

fn main() {
    _ = Fortnights(1);
}
