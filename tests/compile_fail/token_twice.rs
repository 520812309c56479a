//! An attempt is reported once.
//!
//! expect: E0382

use relent::{Constant, Instant, Retry, Step};

fn main() {
    let retry = Retry::new(Constant::new(1_u32));
    let mut run = retry.start(Instant::at(0));
    if let Step::Attempt(attempt) = run.poll(Instant::at(0)) {
        run.succeed(attempt);
        #[cfg(not(right))]
        run.succeed(attempt);
    }
}
