//! The blocking loop where there is a delay and no clock.
//!
//! The operation waits on the same delay, and draws from the same generator, that the retry waits on and draws from. What has passed is the
//! sum of the waits, so what this prints is the same everywhere.

use core::fmt::{self, Write};

use embedded_hal::delay::DelayNs;
use relent::hal::Millis;
use relent::rng::Rng;
use relent::seed::Seed;
use relent::{Exponential, Retry, Sleep, Verdict};

/// Ticks are milliseconds.
const JOIN: Retry<Exponential<u32>> =
    Retry::new(Exponential::new(100).with_max_interval(1_000)).with_max_attempts(6).with_max_elapsed(3_000);
const _: () = assert!(JOIN.worst_case_wait() <= 3_000);

/// How long the radio settles after a change of channel.
const SETTLE_MS: u32 = 5;

#[derive(Clone, Copy, Debug)]
enum Refusal {
    NoAnswer,
    Full,
    WrongKey,
}

/// Joins three networks: one that answers in the end, one that is full for a while, one that knows us not.
///
/// # Errors
///
/// Those of `out`.
pub fn run(out: &mut impl Write, mut delay: impl DelayNs) -> fmt::Result {
    use Refusal::{Full, NoAnswer, WrongKey};
    let mut rng = Seed::from_id(b"node 7").with_boot(1).xoshiro128();
    join(out, "far", &mut delay, &mut rng, &[NoAnswer, NoAnswer, NoAnswer])?;
    join(out, "busy", &mut delay, &mut rng, &[Full, NoAnswer, Full])?;
    join(out, "foreign", &mut delay, &mut rng, &[NoAnswer, WrongKey])?;
    join(out, "silent", &mut delay, &mut rng, &[NoAnswer, NoAnswer, NoAnswer, NoAnswer, NoAnswer, NoAnswer, NoAnswer])
}

fn join(out: &mut impl Write, name: &str, delay: impl DelayNs, rng: impl Rng, refusals: &[Refusal]) -> fmt::Result {
    writeln!(out, "{name}")?;
    let retry = JOIN.classify(|refusal| match refusal {
        Refusal::NoAnswer => Verdict::Retry,
        Refusal::Full => Verdict::RetryAfter(400),
        Refusal::WrongKey => Verdict::Permanent,
    });
    let mut refusals = refusals.iter().copied();
    let joined = retry.on(Millis::new(delay), rng).run_with(|attempt, lent| {
        let channel = lent.rng.next_u32() >> 28;
        lent.world.sleep(SETTLE_MS);
        let answer = refusals.next().map_or(Ok(channel), Err);
        _ = writeln!(out, "  attempt {} on channel {channel}: {answer:?}", attempt.number());
        answer
    });
    match joined {
        Ok(channel) => writeln!(out, "  joined on channel {channel}"),
        Err(gave_up) => writeln!(
            out,
            "  {:?} after {} attempts and {} ms: {:?}",
            gave_up.error(),
            gave_up.attempts(),
            gave_up.elapsed(),
            gave_up.reason()
        ),
    }
}
