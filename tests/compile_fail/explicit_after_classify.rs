//! Either a function says what an error means, or the operation does.
//!
//! expect: E0599
//! expect: explicit

use relent::{Constant, Retry, Verdict};

fn main() {
    let retry = Retry::new(Constant::new(1_u32)).classify(|_: &()| Verdict::Retry);
    #[cfg(not(right))]
    let retry = retry.explicit();
    _ = retry;
}
