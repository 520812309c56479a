//! A link kept up in a super-loop, in `u32`, settings in flash.
#![cfg_attr(target_os = "none", no_std, no_main)]

use firmware::relent::reconnect::{LinkStep, Reconnect};
use firmware::relent::{Exponential, Instant, Retry, Verdict};
use firmware::size::{Now, abort, finished, other_work, send};

static UPLINK: Reconnect<Exponential<u32>> =
    Reconnect::new(Retry::new(Exponential::new(100).with_max_interval(5_000)).with_attempt_timeout(2_000), 30_000);

firmware::lean!(|noise| {
    let now = || Instant::at(Now::now());
    let mut link = UPLINK.start(now());
    let mut sent = None;
    loop {
        match link.poll(now()) {
            LinkStep::Attempt(attempt) => {
                send();
                sent = Some(attempt);
            }
            LinkStep::InFlight => {
                if let Some(result) = finished()
                    && let Some(attempt) = sent.take()
                {
                    match result {
                        Ok(()) => link.succeed(attempt, now()),
                        Err(()) => _ = link.fail(attempt, now(), Verdict::Retry, &mut noise),
                    }
                }
            }
            LinkStep::TimedOut(attempt) => {
                abort();
                sent = None;
                _ = link.fail(attempt, now(), Verdict::Retry, &mut noise);
            }
            LinkStep::Up => {
                if finished().is_some() {
                    _ = link.lost(now(), Verdict::Retry, &mut noise);
                }
            }
            LinkStep::Wait(_) => {}
            LinkStep::Down => link.retry_now(now()),
        }
        other_work();
    }
});
