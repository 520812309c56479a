//! A run with a deadline, and the two other ways to count a limit and a delay.
//!
//! The deadline rows of the parity with the Go library cenkalti/backoff v5.0.3 are here; cancellation, budget and key have files of their own.

mod rig;

use std::time::Duration;

use relent::{Constant, Deadline, Exponential, Instant, Jitter, Next, Reason, Retry, Step, Verdict};
use rig::{World, nothing_to_draw};

const SECOND: Duration = Duration::from_secs(1);
const MAX: Duration = Duration::MAX;
/// The longest span that ticks can say.
const CEILING: Duration = Duration::from_nanos(u64::MAX);

fn at(ticks: u32) -> Instant<u32> {
    Instant::at(ticks)
}

fn origin() -> Instant {
    Instant::at(Duration::ZERO)
}

/// Deadline 11 s, attempts of at most 4 s, 1 s between them; the operation uses all it is allowed.
#[test]
fn a16_an_attempt_is_allowed_no_more_than_what_is_left() {
    let world = World::new();
    let mut allowed = Vec::new();
    let gave_up = Retry::new(Constant::new(SECOND))
        .with_attempt_timeout(4 * SECOND)
        .on(&world, nothing_to_draw())
        .deadline(Deadline::after(origin(), 11 * SECOND))
        .run_with(|attempt, _| {
            let allowance = attempt.allowance().unwrap();
            allowed.push(allowance);
            world.call(allowance, Err::<(), _>("timed out"))
        })
        .unwrap_err();
    assert_eq!(allowed, [4, 4, 1].map(Duration::from_secs));
    assert_eq!(world.waits(), [SECOND; 2]);
    assert_eq!(gave_up.elapsed(), 11 * SECOND);
    assert_eq!(gave_up.reason(), Reason::Deadline { left: Duration::ZERO, delay: SECOND });
}

#[test]
fn a16_polled() {
    let retry = Retry::new(Constant::new(1_000_u32)).with_attempt_timeout(4_000);
    let mut run = retry.start(at(0)).deadline(Deadline::after(at(0), 11_000));
    let (mut now, mut allowed, mut waited) = (0, Vec::new(), Vec::new());
    let reason = loop {
        match run.poll(at(now)) {
            Step::Attempt(attempt) => {
                let allowance = attempt.allowance().unwrap();
                allowed.push(allowance);
                now += allowance;
                if let Next::GiveUp(reason) = run.fail(attempt, at(now), Verdict::Retry, &mut nothing_to_draw()) {
                    break reason;
                }
            }
            Step::Wait(left) => {
                waited.push(left);
                now += left;
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((allowed, waited, now), (vec![4_000, 4_000, 1_000], vec![1_000; 2], 11_000));
    assert_eq!(reason, Reason::Deadline { left: 0, delay: 1_000 });
}

#[test]
fn a16_nested_deadlines_take_the_smaller() {
    let (near, far) = (Deadline::after(at(0), 5_000), Deadline::after(at(0), 9_000));
    let part = far.within(at(0), 5_000);
    let calls = |deadlines: &[Deadline<u32>]| {
        let world = World::new();
        let retry = Retry::new(Constant::new(2_000_u32));
        let run = retry.on(&world, nothing_to_draw()).deadline(deadlines[0]).deadline(*deadlines.last().unwrap());
        let gave_up = run.run(|| world.call(0, Err::<(), _>("T"))).unwrap_err();
        (world.called_at(0), gave_up.reason())
    };
    let early = (vec![0, 2_000, 4_000], Reason::Deadline { left: 1_000, delay: 2_000 });
    assert_eq!(calls(&[near, far]), early);
    assert_eq!(calls(&[far, near]), early);
    assert_eq!(calls(&[part]), early);
    assert_eq!(calls(&[far]), (vec![0, 2_000, 4_000, 6_000, 8_000], Reason::Deadline { left: 1_000, delay: 2_000 }));
    // Of limit and deadline too.
    let world = World::new();
    let retry = Retry::new(Constant::new(2_000_u32)).with_max_elapsed(3_000);
    let run = retry.on(&world, nothing_to_draw()).deadline(far);
    let mut left = Vec::new();
    let gave_up = run.run_with(|attempt, _| {
        left.push(attempt.time_left());
        world.call(0, Err::<(), _>("T"))
    });
    assert_eq!(gave_up.unwrap_err().reason(), Reason::TimeLimit { limit: 3_000, delay: 2_000 });
    assert_eq!(left, [Some(3_000), Some(1_000)]);
}

#[test]
fn a14_a_deadline_at_the_end_of_time_is_none() {
    for (start, span) in [(Duration::ZERO, MAX), (1_000 * SECOND, MAX), (Duration::from_nanos(u64::MAX - 1), CEILING)] {
        let world = World::starting_at(start);
        let retry = Retry::new(Constant::new(3_600 * SECOND)).with_max_attempts(100);
        let run = retry.on(&world, nothing_to_draw()).deadline(Deadline::after(Instant::at(start), span));
        let gave_up = run.run(|| world.call(SECOND, Err::<(), _>("T"))).unwrap_err();
        assert_eq!((gave_up.reason(), world.calls()), (Reason::Attempts, 100));
    }
}

#[test]
fn a14_a_delay_at_the_maximum_does_not_pass_the_deadline_over() {
    for delay in [MAX, CEILING, Duration::from_nanos(i64::MAX as u64)] {
        let world = World::new();
        let retry = Retry::new(Constant::new(delay));
        let run = retry.on(&world, nothing_to_draw()).deadline(Deadline::after(origin(), SECOND));
        let gave_up = run.run(|| world.call(Duration::ZERO, Err::<(), _>("T"))).unwrap_err();
        assert_eq!(gave_up.reason(), Reason::Deadline { left: SECOND, delay: delay.min(CEILING) });
        assert_eq!((world.calls(), world.waits().len()), (1, 0));
    }
    let world = World::new();
    let retry = Retry::new(Constant::new(SECOND)).classify(|_: &&str| Verdict::RetryAfter(MAX));
    let run = retry.on(&world, nothing_to_draw()).deadline(Deadline::after(origin(), SECOND));
    let gave_up = run.run(|| world.call(Duration::ZERO, Err::<(), _>("A"))).unwrap_err();
    // The last tick before the deadline is the longest wait that ends before it.
    let left = Duration::from_nanos(999_999_999);
    assert_eq!(gave_up.reason(), Reason::HintTooLong { asked: CEILING, left });
}

#[test]
fn parity_success_is_success_past_the_deadline() {
    let world = World::new();
    let retry = Retry::new(Constant::new(SECOND));
    let run = retry.on(&world, nothing_to_draw()).deadline(Deadline::after(origin(), SECOND));
    assert_eq!(run.run(|| world.call(60 * SECOND, Ok::<_, ()>(7))), Ok(7));
}

#[test]
fn parity_the_deadline_is_looked_at_again_after_the_wait() {
    // Asleep from 0 to 2 s, awake at 6 s only: beyond the deadline of 5 s, within the limit of 5 s that was looked at before.
    let late = |run: &dyn Fn(&World<u32>) -> Reason<u32>| {
        let world = World::new().waking_late_by(4_000);
        (run(&world), world.calls(), world.waits())
    };
    let retry = Retry::new(Constant::new(2_000_u32)).with_max_attempts(2);
    let strict = late(&|world| {
        let mut told = Vec::new();
        let run = retry.on(world, nothing_to_draw()).notify(|event| told.push(event.next()));
        let run = run.deadline(Deadline::after(at(0), 5_000));
        let gave_up = run.run(|| world.call(0, Err::<(), _>("T"))).unwrap_err();
        assert_eq!((*gave_up.error(), gave_up.attempts(), gave_up.elapsed()), ("T", 1, 6_000));
        assert_eq!(told, [Next::Wait(2_000), Next::GiveUp(gave_up.reason())], "told of the wait, and of its end");
        gave_up.reason()
    });
    assert_eq!(strict, (Reason::Deadline { left: 0, delay: 0 }, 1, vec![2_000]));
    let lenient = late(&|world| {
        let run = retry.with_max_elapsed(5_000).run(world, nothing_to_draw(), || world.call(0, Err::<(), _>("T")));
        run.unwrap_err().reason()
    });
    assert_eq!(lenient, (Reason::Attempts, 2, vec![2_000]));
}

#[test]
fn strict_on_waking_to_the_tick() {
    // Told of 5 s exactly there is no time left; a tick earlier there is one.
    for (late, calls) in [(2_999, 2), (3_000, 1), (3_001, 1)] {
        let world = World::new().waking_late_by(late);
        let retry = Retry::new(Constant::new(2_000_u32)).with_max_attempts(2);
        let run = retry.on(&world, nothing_to_draw()).deadline(Deadline::after(at(0), 5_000));
        _ = run.run(|| world.call(0, Err::<(), _>("T")));
        assert_eq!(world.calls(), calls, "late by {late}");
    }
}

#[test]
fn parity_a_deadline_nearer_than_the_delay_stops_at_once() {
    // A wait that ends on the deadline leaves no time for the attempt: it is not waited either.
    for (delay, calls) in [(4_999_u32, 2), (5_000, 1), (5_001, 1)] {
        let world = World::new();
        let retry = Retry::new(Constant::new(delay)).with_max_attempts(2);
        let run = retry.on(&world, nothing_to_draw()).deadline(Deadline::after(at(0), 5_000));
        let gave_up = run.run(|| world.call(0, Err::<(), _>("T"))).unwrap_err();
        assert_eq!((world.calls(), world.waits().len()), (calls, calls - 1));
        let reason = Reason::Deadline { left: 5_000, delay };
        assert_eq!(gave_up.reason(), if calls == 2 { Reason::Attempts } else { reason });
        assert_eq!(gave_up.into_error(), "T");
    }
}

#[test]
fn parity_past_the_deadline_before_the_call_it_is_made_once() {
    let world = World::starting_at(100);
    let past = Deadline::after(at(0), 50);
    assert!(past.is_past(at(100)));
    let retry = Retry::new(Constant::new(0_u32));
    let mut allowed = None;
    let gave_up = retry
        .on(&world, nothing_to_draw())
        .deadline(past)
        .run_with(|attempt, _| {
            allowed = Some((attempt.time_left(), attempt.allowance()));
            world.call(0, Err::<(), _>("T"))
        })
        .unwrap_err();
    assert_eq!(gave_up.reason(), Reason::Deadline { left: 0, delay: 0 });
    assert_eq!(world.calls(), 1);
    assert_eq!(allowed, Some((Some(0), Some(1))), "a socket takes no time-out of 0");
}

#[test]
fn a_deadline_outlives_the_wrap_of_a_32_bit_clock() {
    let runs_from = |start: u32| {
        let world = World::starting_at(start);
        let retry = Retry::new(Constant::new(200_u32));
        let run = retry.on(&world, nothing_to_draw()).deadline(Deadline::after(at(start), 900));
        let gave_up = run.run(|| world.call(30, Err::<(), _>("T"))).unwrap_err();
        (world.called_at(start), gave_up.reason(), gave_up.elapsed())
    };
    // Reported at 30, 260, 490, 720: 180 are left, and 200 do not fit.
    let expected = (vec![0, 230, 460, 690], Reason::Deadline { left: 180, delay: 200 }, 720);
    for start in [0, 0xFFFF_FF00, 0xFFFF_FFFF, 0x7FFF_FF00, 0x8000_0000] {
        assert_eq!(runs_from(start), expected, "{start:#x}");
    }
}

#[test]
fn a_deadline_of_more_than_half_the_range_is_right_if_told_the_time() {
    let mut deadline = Deadline::after(at(7), u32::MAX);
    for quarter in 1..=3_u32 {
        let now = at(7_u32.wrapping_add(quarter << 30));
        deadline = deadline.advanced(now);
        assert_eq!(deadline.left(now), u32::MAX - (quarter << 30));
    }
    assert!(!deadline.is_past(at(5)));
    assert!(deadline.is_past(at(6)));
    // Where the clock steps back, nothing has passed.
    assert_eq!(deadline.left(at(3 << 30)), u32::MAX - (3 << 30));
}

#[test]
fn a_wake_beyond_the_deadline_is_seen_after_a_wait_longer_than_half_the_range() {
    let long = 0x9000_0000_u32;
    let world = World::new().waking_late_by(2_000);
    let retry = Retry::new(Constant::new(long));
    let run = retry.on(&world, nothing_to_draw()).deadline(Deadline::after(at(0), long + 1_000));
    let gave_up = run.run(|| world.call(0, Err::<(), _>("T"))).unwrap_err();
    assert_eq!((gave_up.reason(), gave_up.attempts()), (Reason::Deadline { left: 0, delay: 0 }, 1));
    assert_eq!(gave_up.elapsed(), long + 2_000);
}

/// A clock that never moves: what was slept is all that is known, and counts.
#[test]
fn with_a_clock_that_stands_still_the_waits_use_the_deadline_up() {
    struct Frozen(Vec<u32>);
    impl relent::Clock for Frozen {
        type Span = u32;
        fn now(&self) -> Instant<u32> {
            at(0)
        }
    }
    impl relent::Sleep for Frozen {
        fn sleep(&mut self, delay: u32) {
            self.0.push(delay);
        }
    }
    let mut world = Frozen(Vec::new());
    let retry = Retry::new(Constant::new(300_u32));
    let run = retry.on(&mut world, nothing_to_draw()).deadline(Deadline::after(at(0), 1_000));
    let gave_up = run.run(|| Err::<(), _>("T")).unwrap_err();
    assert_eq!((gave_up.reason(), gave_up.elapsed()), (Reason::Deadline { left: 100, delay: 300 }, 900));
    assert_eq!(world.0, [300; 3]);
}

#[test]
fn the_limit_counted_from_the_first_failure() {
    // Calls of 4 s, 1 s between them; failures at 4, 9, 14, 19 s, which are 0, 5, 10, 15 s after the first.
    let runs = |limit: u32, from_first: bool| {
        let world = World::new();
        let retry = Retry::new(Constant::new(1_000_u32)).with_max_elapsed(limit);
        let retry = if from_first { retry.with_max_elapsed_from_first_failure() } else { retry };
        let mut left = Vec::new();
        let run = retry.on(&world, nothing_to_draw());
        let gave_up = run.run_with(|attempt, _| {
            left.push(attempt.time_left().unwrap());
            world.call(4_000, Err::<(), _>("T"))
        });
        assert_eq!(gave_up.unwrap_err().reason(), Reason::TimeLimit { limit, delay: 1_000 });
        left
    };
    assert_eq!(runs(4_000, false), [4_000]);
    assert_eq!(runs(4_000, true), [4_000, 3_000]);
    assert_eq!(runs(6_000, false), [6_000, 1_000]);
    assert_eq!(runs(6_000, true), [6_000, 5_000, 0]);
    assert_eq!(runs(5_999, true), [5_999, 4_999]);
}

/// gRPC's connection backoff: the interval counts from the start of the attempt (doc/connection-backoff.md).
#[test]
fn delays_timed_from_the_start_of_the_attempt() {
    let world = World::new();
    let grpc = Exponential::new(1_000_u32).with_multiplier(1.6).with_max_interval(120_000).with_jitter(Jitter::None);
    let retry = Retry::new(grpc).with_max_attempts(5).with_delays_from_attempt_start();
    let costs = [300, 1_600, 5_000, 0, 0];
    _ = retry.run(&world, nothing_to_draw(), || world.call(costs[world.calls()], Err::<(), _>("refused")));
    // Nominal 1000, 1600, 2560, 4096: less 300, less 1600, less 5000 (nothing is left), less 0.
    assert_eq!(world.waits(), [700, 0, 0, 4_096]);
    assert_eq!(world.called_at(0), [0, 1_000, 2_600, 7_600, 11_696]);
}

#[test]
fn with_delays_from_the_attempt_hints_and_earliest_moments_still_count_from_the_failure() {
    for verdict in [Verdict::RetryAfter(2_000_u32), Verdict::NotBefore(2_000)] {
        let world = World::new();
        let retry = Retry::new(Constant::new(500_u32)).with_max_attempts(2).with_delays_from_attempt_start();
        let retry = retry.classify(move |_: &&str| verdict);
        _ = retry.run(&world, nothing_to_draw(), || world.call(300, Err::<(), _>("busy")));
        assert_eq!(world.waits(), [2_000]);
    }
}

#[test]
fn r10_a_lost_attempt_times_out_at_the_deadline_where_that_is_nearer() {
    let retry = Retry::new(Constant::new(10_u32)).with_attempt_timeout(400);
    let mut run = retry.start(at(0)).deadline(Deadline::after(at(0), 100));
    let Step::Attempt(lost) = run.poll(at(0)) else { panic!("the first is due") };
    assert_eq!(lost.allowance(), Some(100));
    assert_eq!(run.poll(at(99)), Step::InFlight);
    let Step::TimedOut(fresh) = run.poll(at(100)) else { panic!("no time is left") };
    // Lost once more: asked for again after a whole time-out, not at every look.
    drop(fresh);
    assert_eq!(run.poll(at(101)), Step::InFlight);
    let Step::TimedOut(fresh) = run.poll(at(500)) else { panic!("a time-out later") };
    let reason = Reason::Deadline { left: 0, delay: 10 };
    assert_eq!(run.fail(fresh, at(500), Verdict::Retry, &mut nothing_to_draw()), Next::GiveUp(reason));
}

#[test]
fn r5_nothing_is_slept_that_the_hook_has_left_no_time_for() {
    let clock = relent::testing::ManualClock::new();
    let mut told = Vec::new();
    let gave_up = Retry::new(Constant::new(400_u32))
        .on(&clock, nothing_to_draw())
        .deadline(Deadline::after(at(0), 1_000))
        .notify(|event| {
            told.push(event.next());
            clock.advance(700);
        })
        .run(|| Err::<(), _>("busy"))
        .unwrap_err();
    let late = Reason::Deadline { left: 0, delay: 0 };
    assert_eq!((gave_up.reason(), gave_up.elapsed(), clock.slept()), (late, 700, 0));
    assert_eq!(told, [Next::Wait(400), Next::GiveUp(late)]);
}
