//! The machine, through every verdict and limit, on a clock that wraps.

use core::fmt::{self, Write};

use relent::{Exponential, Instant, Next, Reason, Retry, Step, Verdict};

use super::{Hash, SEEDS};
use crate::unit::Unit;

/// One line: the decisions and waits of 200 failures per seed, run after run.
pub(super) fn all<S: Unit>(out: &mut impl Write) -> fmt::Result {
    let retry = Retry::new(Exponential::new(S::of(100)).with_max_interval(S::of(5_000)))
        .with_max_attempts(9)
        .with_max_elapsed(S::of(60_000))
        .with_max_hint(S::of(9_000))
        .with_hint_spread(S::of(500))
        .with_attempt_timeout(S::of(250));
    let mut hash = Hash::new();
    let mut gave_up = 0;
    for seed in SEEDS {
        let mut rng = S::generator(seed);
        // The clock starts a little before a 32-bit counter wraps.
        let mut now = Instant::at(S::of(u32::MAX - 10_000));
        let mut run = retry.start(now);
        for turn in 0..200_u32 {
            now = now.after(S::of(turn % 7));
            let attempt = loop {
                match run.poll(now) {
                    Step::Attempt(attempt) | Step::TimedOut(attempt) => break attempt,
                    Step::Wait(left) => now = now.after(left),
                    Step::InFlight => now = now.after(S::of(50)),
                    Step::Done => run = retry.start(now),
                }
            };
            hash.add(attempt.number().into());
            now = now.after(S::of(40));
            let verdict = match turn % 29 {
                5 | 17 => Verdict::RetryAfter(S::of(3_000)),
                11 => Verdict::NotBefore(S::of(700)),
                23 => Verdict::RetryAfter(S::of(8_900)),
                27 => Verdict::RetryAfter(S::of(9_001)),
                28 => Verdict::Permanent,
                8 => continue, // the interrupt is lost: the next look times out
                _ => Verdict::Retry,
            };
            match run.fail(attempt, now, verdict, &mut rng) {
                Next::Wait(delay) => hash.add(delay.count()),
                Next::GiveUp(reason) => {
                    gave_up += 1;
                    hash.add(number(reason));
                }
                Next::Stale => hash.add(u64::MAX),
            }
            hash.add(run.elapsed().count());
        }
    }
    writeln!(out, "{} machine {hash} gave up {gave_up}", S::NAME)
}

fn number<S: Unit>(reason: Reason<S>) -> u64 {
    match reason {
        Reason::Permanent => 1,
        Reason::Attempts => 2,
        Reason::PolicyEnded => 3,
        Reason::TimeLimit { delay, .. } => 4 + delay.count(),
        Reason::HintTooLong { left, .. } => 5 + left.count(),
        _ => 6,
    }
}
