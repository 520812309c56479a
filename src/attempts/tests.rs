//! Where the counts of the machine end: places that no test can reach by making four thousand million attempts.

use super::{Next, Step};
use crate::clock::Instant;
use crate::gave_up::Reason;
use crate::policy::Constant;
use crate::retry::Retry;
use crate::rng;
use crate::verdict::Verdict;

const RETRY: Retry<Constant<u32>> = Retry::new(Constant::new(0));

fn now() -> Instant<u32> {
    Instant::at(0)
}

#[test]
fn the_number_of_attempts_saturates() {
    let mut run = RETRY.start(now());
    run.made = u32::MAX - 2;
    for expected in [u32::MAX - 1, u32::MAX, u32::MAX, u32::MAX] {
        let Step::Attempt(attempt) = run.poll(now()) else { panic!("no limit, so no end") };
        assert_eq!(attempt.number(), expected);
        assert_eq!(run.fail(attempt, now(), Verdict::Retry, &mut rng::from_fn(|| 0)), Next::Wait(0));
    }
}

#[test]
fn the_largest_limit_of_attempts_is_a_limit() {
    let retry = RETRY.with_max_attempts(u32::MAX);
    let mut run = retry.start(now());
    run.made = u32::MAX - 2;
    let mut last = None;
    for _ in 0..2 {
        let Step::Attempt(attempt) = run.poll(now()) else { panic!("it is not used up") };
        last = Some(run.fail(attempt, now(), Verdict::Retry, &mut rng::from_fn(|| 0)));
    }
    assert_eq!(last, Some(Next::GiveUp(Reason::Attempts)));
    assert_eq!(run.attempts(), u32::MAX);
}

#[test]
fn tokens_are_told_apart_when_their_serial_wraps() {
    let retry = RETRY.with_attempt_timeout(1);
    let mut run = retry.start(now());
    run.serial = u16::MAX - 1;
    let Step::Attempt(old) = run.poll(now()) else { panic!("the first is due") };
    assert_eq!(old.serial(), u16::MAX);
    let Step::TimedOut(fresh) = run.poll(Instant::at(1)) else { panic!("it timed out") };
    assert_eq!(fresh.serial(), 0);
    assert_eq!(run.fail(old, Instant::at(1), Verdict::Permanent, &mut rng::from_fn(|| 0)), Next::Stale);
    assert_eq!(run.fail(fresh, Instant::at(1), Verdict::Retry, &mut rng::from_fn(|| 0)), Next::Wait(0));
}
