//! `embassy-time`: its durations as spans, its clock and its blocking wait, on its mock driver.

#![cfg(feature = "embassy-time-05")]

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use critical_section as _;
use embassy_time::{Duration, MockDriver, TICK_HZ, Timer};
use relent::embassy::Embassy;
use relent::testing::Script;
use relent::{Clock, Exponential, Instant, Jitter, Next, Policy, Retry, Sleep, Step, Verdict};

const JOIN: Retry<Exponential<Duration>> =
    Retry::new(Exponential::new(Duration::from_millis(500)).with_multiplier(2.0).with_jitter(Jitter::None))
        .with_max_attempts(4);

fn millis(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The mock clock is one for the whole process, so that the tests of it are one.
#[test]
fn a_task_awaits_what_the_machine_says() {
    assert_eq!(TICK_HZ, 1_000_000);
    let started = Embassy.now();
    let mut waits = Vec::new();
    let mut task = pin!(async {
        let mut run = JOIN.start(Embassy.now());
        loop {
            match run.poll(Embassy.now()) {
                Step::Attempt(attempt) => {
                    Timer::after(millis(20)).await;
                    match run.fail(attempt, Embassy.now(), Verdict::Retry, &mut Script::new([0])) {
                        Next::Wait(wait) => waits.push(wait),
                        next => return next,
                    }
                }
                Step::Wait(left) => Timer::after(left).await,
                other => panic!("{other:?}"),
            }
        }
    });
    let mut context = Context::from_waker(Waker::noop());
    let next = loop {
        match task.as_mut().poll(&mut context) {
            Poll::Ready(next) => break next,
            Poll::Pending => MockDriver::get().advance(millis(1)),
        }
    };
    assert_eq!(next, Next::GiveUp(relent::Reason::Attempts));
    assert_eq!(waits, [500, 1_000, 2_000].map(millis));
    assert_eq!(Embassy.now().since(started), millis(3_500 + 4 * 20));

    // No wait returns at once, without a look at the clock.
    let before = Embassy.now();
    { Embassy }.sleep(Duration::from_ticks(0));
    assert_eq!(Embassy.now(), before);
}

#[test]
fn durations_count_ticks_and_saturate() {
    let policy = Exponential::new(Duration::from_ticks(3)).with_jitter(Jitter::None);
    let ticks: Vec<_> = policy.delays(Script::new([0])).take(4).map(|span| span.as_ticks()).collect();
    assert_eq!(ticks, [3, 4, 6, 9]);
    assert_eq!(Exponential::new(Duration::MAX).delays(Script::new([u64::MAX])).next(), Some(Duration::MAX));
    let (early, late) = (Instant::at(Duration::from_ticks(u64::MAX)), Instant::at(Duration::from_ticks(4)));
    assert_eq!(late.since(early), Duration::from_ticks(5));
}
