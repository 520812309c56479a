//! A link that is kept up, through sessions long and short, resets and events, on a clock that wraps.

use core::fmt::{self, Write};

use relent::reconnect::{LinkStep, Reconnect};
use relent::rng::Rng;
use relent::seed::Seed;
use relent::{Band, Exponential, Instant, Next, Retry, Verdict};

use super::Hash;
use crate::unit::Unit;

const FIRST_BOOT: u32 = 7;

/// One line: the waits of 200 turns.
pub(super) fn all<S: Unit>(out: &mut impl Write) -> fmt::Result {
    let uplink = Reconnect::new(
        Retry::new(Exponential::new(S::of(100)).with_max_interval(S::of(5_000)))
            .with_max_attempts(12)
            .with_attempt_timeout(S::of(250)),
        S::of(900),
    )
    .with_min_spacing(S::of(400));
    let seed = Seed::from_id(b"self-test").with_noise(&[3, 1, 4]);
    let mut rng = seed.with_boot(FIRST_BOOT).xoshiro128();
    let mut hash = Hash::new();
    let mut downs = 0;
    let mut now = Instant::at(S::of(u32::MAX - 10_000));
    let mut link = uplink.start_after(now, Band::new(S::of(0), S::of(2_000)), &mut rng);
    for turn in 0..200_u32 {
        let mut attempt = None;
        let next = match link.poll(now) {
            LinkStep::Attempt(handed) => {
                attempt = Some(handed);
                None
            }
            LinkStep::TimedOut(handed) => Some(link.fail(handed, now, Verdict::Retry, &mut rng)),
            LinkStep::InFlight => {
                now = now.after(S::of(50));
                None
            }
            LinkStep::Wait(left) => {
                hash.add(left.count());
                if turn % 10 == 9 {
                    link.retry_now(now);
                } else {
                    now = now.after(left);
                }
                None
            }
            LinkStep::Up => {
                now = now.after(S::of(rng.next_u32() >> 21));
                Some(link.lost(now, Verdict::Retry, &mut rng))
            }
            LinkStep::Down => {
                downs += 1;
                now = now.after(S::of(60_000));
                link.retry_now(now);
                None
            }
        };
        if let Some(attempt) = attempt {
            now = now.after(S::of(40));
            match rng.next_u32() >> 29 {
                0 | 1 => link.succeed(attempt, now),
                2 => {} // the interrupt is lost
                3 => _ = link.fail(attempt, now, Verdict::RetryAfter(S::of(700)), &mut rng),
                _ => _ = link.fail(attempt, now, Verdict::Retry, &mut rng),
            }
        }
        if let Some(Next::Wait(delay)) = next {
            hash.add(delay.count());
        }
        if turn % 50 == 49 {
            rng = seed.with_boot(FIRST_BOOT + turn).xoshiro128();
            link = uplink.resume(now, link.failures(), &mut rng);
        }
        hash.add(link.failures().into());
    }
    writeln!(out, "{} link {hash} given up {downs}", S::NAME)
}
