//! On a counter that wraps, "later" has no meaning.
//!
//! expect: E0369

use relent::Instant;

fn main() {
    let (a, b) = (Instant::at(1_u32), Instant::at(2_u32));
    #[cfg(not(right))]
    let later = a < b;
    #[cfg(right)]
    let later = b.since(a) > 0;
    _ = (a, b, later);
}
