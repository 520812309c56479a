//! The machine with every limit, layer and verdict, the blocking loop, and the clocks.

use core::convert::Infallible;
use core::hint::black_box;
use core::num::NonZeroU8;

use relent::clock::{Joined, Sliced, Summed, Widen, from_fn};
use relent::guard::CostBudget;
use relent::rng::{self, Rng};
use relent::{CancelFlag, Clock, Deadline, Exponential, Failure, IdempotencyKey, Instant, Retry, Step, Verdict};

use super::any;
use crate::size::Noise;
use crate::unit::Unit;

pub(super) fn all<S: Unit>(noise: &mut Noise) {
    let Ok(retry) = Retry::new(Exponential::new(any::<S>())).try_with_max_attempts(black_box(9)) else { return };
    let retry = retry
        .with_max_elapsed(any())
        .with_max_hint(any())
        .with_hint_spread(any())
        .with_hints_clamped()
        .with_attempt_timeout(any());
    polled(black_box(&retry), noise);
    blocking(black_box(&retry), noise);
    clocks();
}

fn polled<S: Unit>(retry: &Retry<Exponential<S>>, noise: &mut Noise) {
    let now = || Instant::at(any::<S>());
    let flag = CancelFlag::new();
    flag.child().cancel(NonZeroU8::MIN);
    let mut budget = CostBudget::new(black_box(500));
    let mut run = retry
        .start(now())
        .deadline(Deadline::after(now(), any()))
        .cancel(&flag)
        .budget(&mut budget)
        .key(IdempotencyKey::new(noise));
    loop {
        match run.poll(now()) {
            Step::Attempt(attempt) | Step::TimedOut(attempt) => {
                black_box((attempt.number(), attempt.time_left(), attempt.allowance(), attempt.key()));
                if black_box(false) {
                    run.succeed(attempt);
                    continue;
                }
                let mut fallible = rng::try_from_fn(|| Ok::<u32, Infallible>(noise.next_u32()));
                _ = black_box(run.try_fail(attempt, now(), verdict(), &mut fallible));
            }
            Step::Wait(left) => _ = black_box(left),
            Step::InFlight => {}
            Step::Done => break,
        }
        run.retry_now();
        run.rebase(now());
        black_box((run.attempts(), run.elapsed(), run.is_done(), run.interrupted()));
    }
}

fn verdict<S: Unit>() -> Verdict<S> {
    match black_box(0) {
        0 => Verdict::Retry,
        1 => Verdict::NotBefore(any()),
        2 => Verdict::RetryAfter(any()),
        _ => Verdict::Permanent,
    }
}

fn blocking<S: Unit>(retry: &Retry<Exponential<S>>, noise: &mut Noise) {
    let mut world = Sliced::new(Summed::new(|delay: S| _ = black_box(delay)), any(), || _ = black_box(7));
    let done = retry.explicit().on(&mut world, &mut *noise).notify(|event| _ = black_box(event.next())).run_with(
        |attempt, lent| {
            black_box((attempt.number(), lent.rng.next_u32()));
            black_box(Err::<(), _>(Failure::new(5_u8, verdict())))
        },
    );
    black_box(done.is_ok());
    let mut joined = Joined::new(from_fn(any::<S>), &mut world);
    _ = black_box(retry.run(&mut joined, noise, || black_box(Err::<(), _>(5_u8))));
}

fn clocks() {
    black_box(Widen::<24, _>::down(|| black_box(5)).millis::<64_000_000>().now());
    black_box(Widen::<16, _>::up(|| black_box(5)).micros::<32_768>().now());
}
