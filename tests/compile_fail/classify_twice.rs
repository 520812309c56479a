//! A classifier cannot be replaced without a word.
//!
//! expect: E0599
//! expect: classify

use relent::{Constant, Retry, Verdict};

fn main() {
    let retry = Retry::new(Constant::new(1_u32)).classify(|_: &()| Verdict::Retry);
    #[cfg(not(right))]
    let retry = retry.classify(|_: &()| Verdict::Permanent);
    _ = retry;
}
