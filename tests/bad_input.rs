//! What should not happen, and does: wrong numbers, odd order, broken generators, clocks that stand still, tokens that are late or lost.
//!
//! Never a panic, a hang, or a wait outside its band. (Reporting a token twice does not compile: `compile_fail.rs`.)

mod rig;

use std::fmt;
use std::panic::catch_unwind;
use std::time::Duration;

use relent::rng::{self, Rng};
use relent::testing::{ManualClock, Script};
use relent::{
    Attempt, Band, Constant, Decorrelated, Exponential, Factor, Fibonacci, Instant, Jitter, Linear, Next, Policy,
    Reason, Retry, Sleep, Step, Table, Verdict,
};
use rig::{World, nothing_to_draw};

fn at(ticks: u32) -> Instant<u32> {
    Instant::at(ticks)
}

fn due<C: relent::Settings<Policy: Policy<Span = u32>>>(run: &mut relent::Attempts<C>, now: u32) -> Attempt<u32> {
    match run.poll(at(now)) {
        Step::Attempt(attempt) => attempt,
        other => panic!("no attempt is due: {other:?}"),
    }
}

/// The text of a panic.
fn panic_of<T>(f: impl FnOnce() -> T + std::panic::UnwindSafe) -> String {
    match catch_unwind(f) {
        Ok(_) => "no panic".into(),
        Err(payload) => *payload.downcast::<String>().unwrap(),
    }
}

#[test]
fn a_bad_factor_is_refused_by_name() {
    for (value, rule) in [
        (f64::NAN, "factor must be a number"),
        (-1.0, "factor must not be negative"),
        (-f64::MIN_POSITIVE, "factor must not be negative"),
        (f64::NEG_INFINITY, "factor must not be negative"),
        (f64::INFINITY, "factor must be below 2^32"),
        (4_294_967_296.0, "factor must be below 2^32"),
        (f64::MAX, "factor must be below 2^32"),
    ] {
        let error = Factor::try_new(value).unwrap_err();
        assert_eq!((error.field(), error.to_string().as_str()), ("factor", rule), "{value}");
        assert_eq!(panic_of(|| Factor::new(value)), rule);
        assert_eq!(panic_of(|| Jitter::<u32>::spread(value)), rule);
        let rule = if value > 1.0 { "multiplier must be below 2^32" } else { "multiplier must be at least 1" };
        assert_eq!(panic_of(|| Exponential::new(1_u32).with_multiplier(value)), rule);
        assert_eq!(panic_of(|| Decorrelated::new(1_u32).with_multiplier(value)), rule);
    }
    assert_eq!(Factor::ratio(1, 0).unwrap_err().to_string(), "factor must not have the denominator 0");
    // The last that are none of these.
    for value in [-0.0, f64::MIN_POSITIVE, 4_294_967_295.999_999] {
        assert!(Factor::try_new(value).is_ok(), "{value}");
    }
}

#[test]
fn a_multiplier_below_one_is_refused_by_name() {
    let rule = "multiplier must be at least 1";
    for value in [0.0, 0.5, 0.999_999_999, 1.0 - f64::EPSILON] {
        let error = Exponential::new(1_u32).try_with_multiplier(Factor::new(value)).unwrap_err();
        assert_eq!((error.field(), error.to_string().as_str()), ("multiplier", rule));
        assert_eq!(Decorrelated::new(1_u32).try_with_multiplier(Factor::new(value)).unwrap_err().to_string(), rule);
        assert_eq!(panic_of(|| Exponential::new(1_u32).with_multiplier(value)), rule);
    }
}

#[test]
fn of_bounds_in_odd_order_the_tighter_wins() {
    let exponential = Exponential::new(1_000_u32);
    let band = |policy: Exponential<u32>| policy.plan().next().unwrap().band();
    assert_eq!(band(exponential.with_max_interval(100)), Band::new(50, 150), "initial above the cap");
    assert_eq!(band(exponential.with_max_interval(900).with_max_delay(10)), Band::new(5, 10));
    assert_eq!(band(exponential.with_max_interval(10).with_max_delay(900)), Band::new(5, 15));
    let floor_above_cap = exponential.at_least(500).at_most(10);
    assert_eq!(floor_above_cap.plan().next().unwrap().band(), Band::exactly(10));
    assert_eq!(Band::new(9_u32, 3), Band::exactly(3));
    assert_eq!(Decorrelated::new(100_u32).with_max_delay(7).plan().next().unwrap().band(), Band::exactly(7));

    // A time-out beyond the limit, and a hint limit beyond the limit.
    let retry = Retry::new(Constant::new(1_u32)).with_max_elapsed(10).with_attempt_timeout(99).with_max_hint(99);
    let mut run = retry.start(at(0));
    let attempt = due(&mut run, 0);
    assert_eq!(attempt.allowance(), Some(10));
    let next = run.fail(attempt, at(0), Verdict::RetryAfter(50), &mut nothing_to_draw());
    assert_eq!(next, Next::GiveUp(Reason::HintTooLong { asked: 50, left: 10 }));
}

#[test]
fn the_longest_span_everywhere() {
    let (max, ceiling) = (Duration::MAX, Duration::from_nanos(u64::MAX));
    let policy = Exponential::new(max).with_multiplier(4e9).with_max_interval(max).with_max_delay(max);
    let retry = Retry::new(policy.with_jitter(Jitter::Absolute(max)))
        .with_max_elapsed(max)
        .with_attempt_timeout(max)
        .with_max_hint(max);
    let retry = retry.with_hint_spread(max).with_max_attempts(u32::MAX);
    assert_eq!(retry.worst_case_wait(), ceiling);
    for verdict in [Verdict::Retry, Verdict::NotBefore(max), Verdict::RetryAfter(max), Verdict::Permanent] {
        let mut run = retry.start(Instant::at(max));
        let Step::Attempt(attempt) = run.poll(Instant::at(max)) else { panic!() };
        assert_eq!(attempt.allowance(), Some(ceiling));
        match run.fail(attempt, Instant::at(max), verdict, &mut Script::new([u64::MAX])) {
            Next::Wait(delay) => assert_eq!(delay, ceiling),
            next => assert_eq!(next, Next::GiveUp(Reason::Permanent)),
        }
    }
}

#[test]
fn the_last_retry_number_has_a_row() {
    let last = u32::MAX as usize - 1;
    let policy = Exponential::new(Duration::from_secs(1)).with_max_interval(Duration::from_secs(60));
    let mut rows = policy.plan();
    let row = rows.nth(last).unwrap();
    assert_eq!((row.retry(), row.nominal()), (u32::MAX, Some(Duration::from_secs(60))));
    assert!(rows.next().is_none());
    assert_eq!(Constant::new(2_u64).plan().nth(last).unwrap().worst(), 2 * u64::from(u32::MAX));
    assert_eq!(Constant::new(2_u32).plan().nth(last).unwrap().worst(), u32::MAX);
    assert!(
        Retry::new(policy).with_max_retries(u32::MAX).plan().nth(last).is_none(),
        "u32::MAX calls are one retry less"
    );
}

#[derive(Debug)]
struct NoEntropy;

impl fmt::Display for NoEntropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no entropy")
    }
}

impl std::error::Error for NoEntropy {}

/// A failed draw leaves the run as it was: what follows is what would have followed without it.
fn survives_a_failing_generator<P: Policy<Span = u32> + Copy>(policy: P) {
    let retry = Retry::new(policy).with_hint_spread(50);
    for verdict in [Verdict::Retry, Verdict::NotBefore(7), Verdict::RetryAfter(7)] {
        let (mut broken, mut sound) = (retry.start(at(0)), retry.start(at(0)));
        for now in [10, 10_000, 20_000, 30_000] {
            let (mut token, other) = (due(&mut broken, now), due(&mut sound, now));
            let before = format!("{broken:?}");
            for _ in 0..3 {
                let mut generator = rng::try_from_fn(|| Err(NoEntropy));
                let (same, _) = broken.try_fail(token, at(now + 5), verdict, &mut generator).unwrap_err();
                token = same;
                assert_eq!(format!("{broken:?}"), before, "not even the time was taken over");
            }
            let mut words = [Script::units([0.4]), Script::units([0.4])];
            let next = broken.fail(token, at(now + 5), verdict, &mut words[0]);
            assert_eq!(next, sound.fail(other, at(now + 5), verdict, &mut words[1]));
            assert_eq!((broken.elapsed(), broken.attempts()), (sound.elapsed(), sound.attempts()));
            broken.retry_now();
            sound.retry_now();
        }
    }
}

#[test]
fn a_generator_that_fails_changes_nothing() {
    survives_a_failing_generator(Exponential::new(1_000));
    survives_a_failing_generator(Decorrelated::new(1_000));
    survives_a_failing_generator(Linear::new(1_000, 10).with_jitter(Jitter::Full));
    survives_a_failing_generator(Fibonacci::new(1_000).with_jitter(Jitter::Equal));
    survives_a_failing_generator(Table::new([100, 200, 300, 400]).with_jitter(Jitter::Full));
    survives_a_failing_generator(
        Constant::new(100).with_jitter(Jitter::Full).max_retries(1).then(Exponential::new(1_000)),
    );
}

#[test]
fn a_generator_that_fails_is_not_missed_where_nothing_is_drawn() {
    let retry = Retry::new(Constant::new(5_u32)).with_max_attempts(2);
    let mut generator = rng::try_from_fn(|| Err::<u32, _>(NoEntropy));
    let mut run = retry.start(at(0));
    let attempt = due(&mut run, 0);
    assert_eq!(run.try_fail(attempt, at(0), Verdict::Retry, &mut generator).unwrap(), Next::Wait(5));
    let attempt = due(&mut run, 5);
    let next = run.try_fail(attempt, at(5), Verdict::Retry, &mut generator).unwrap();
    assert_eq!(next, Next::GiveUp(Reason::Attempts), "the end needs no word");
}

/// With all zeros every wait is the lower end of its band, with all ones the upper.
fn ends_of<P: Policy<Span = u32> + Copy>(policy: P, shortest: [u32; 4], longest: [u32; 4]) {
    let waits = |word: u32| policy.delays(rng::from_fn(move || word)).take(4).collect::<Vec<_>>();
    assert_eq!((waits(0), waits(u32::MAX)), (shortest.into(), longest.into()));
}

#[test]
fn a_generator_that_is_stuck_stays_in_the_band() {
    ends_of(Exponential::new(100), [50, 75, 113, 169], [150, 225, 337, 505]);
    ends_of(Constant::new(100).with_jitter(Jitter::Full), [0; 4], [100; 4]);
    ends_of(Decorrelated::new(100), [100; 4], [300, 900, 2_700, 8_100]);
    ends_of(Linear::new(100, 10).with_jitter(Jitter::Additive(5)), [100, 110, 120, 130], [105, 115, 125, 135]);
    let whole = Constant::new(0).with_jitter(Jitter::Additive(u32::MAX));
    ends_of(whole, [0; 4], [u32::MAX; 4]);
}

#[test]
fn a_stuck_generator_ends_a_run_all_the_same() {
    for word in [0, u32::MAX] {
        let world = World::<u32>::new();
        let retry = Retry::new(Exponential::new(100)).with_max_attempts(5).with_max_elapsed(1_000_000);
        let gave_up = retry.run(&world, rng::from_fn(|| word), || world.call(1, Err::<(), _>("down"))).unwrap_err();
        assert_eq!((gave_up.attempts(), world.waits().len()), (5, 4));
    }
}

/// A world whose clock never moves, and one whose clock runs backwards.
struct Stuck {
    now: u32,
    back: u32,
}

impl relent::Clock for Stuck {
    type Span = u32;
    fn now(&self) -> Instant<u32> {
        at(self.now)
    }
}

impl Sleep for Stuck {
    fn sleep(&mut self, _: u32) {
        self.now = self.now.wrapping_sub(self.back);
    }
}

#[test]
fn a_clock_that_stands_still_or_runs_back_does_not_retry_for_ever() {
    for back in [0, 1, 1_000] {
        let retry = Retry::new(Constant::new(100)).with_max_elapsed(1_000);
        let mut calls = 0;
        let gave_up = retry.run(Stuck { now: 5, back }, nothing_to_draw(), || {
            calls += 1;
            assert!(calls < 100, "this does not end");
            Err::<(), _>("down")
        });
        // Ten waits of 100, counted as slept.
        assert_eq!((gave_up.unwrap_err().elapsed(), calls), (1_000, 11));
    }
}

#[test]
fn a_lost_token_stays_in_flight_without_a_time_out() {
    let retry = Retry::new(Constant::new(100_u32)).with_max_elapsed(1_000);
    let mut run = retry.start(at(0));
    drop(due(&mut run, 0));
    for now in (0..4_000_000).step_by(1_000) {
        assert_eq!(run.poll(at(now)), Step::InFlight);
    }
    assert_eq!((run.attempts(), run.is_done()), (1, false));
}

#[test]
fn a_lost_token_is_recovered_by_the_time_out_again_and_again() {
    let retry = Retry::new(Constant::new(100_u32)).with_attempt_timeout(50);
    let mut run = retry.start(at(0));
    drop(due(&mut run, 0));
    for round in 1..=100 {
        assert_eq!(run.poll(at(round * 50 - 1)), Step::InFlight);
        let Step::TimedOut(token) = run.poll(at(round * 50)) else { panic!("round {round}") };
        assert_eq!(token.number(), 1, "it is still the same attempt");
    }
}

#[test]
fn a_late_token_is_inert() {
    let retry = Retry::new(Constant::new(100_u32)).with_attempt_timeout(50);
    for late_success in [true, false] {
        let mut run = retry.start(at(0));
        let old = due(&mut run, 0);
        let Step::TimedOut(fresh) = run.poll(at(50)) else { panic!() };
        if late_success {
            run.succeed(old);
        } else {
            assert_eq!(run.fail(old, at(51), Verdict::Permanent, &mut nothing_to_draw()), Next::Stale);
        }
        assert!(matches!(run.poll(at(51)), Step::InFlight), "the fresh token counts");
        assert_eq!(run.fail(fresh, at(52), Verdict::Retry, &mut nothing_to_draw()), Next::Wait(100));
        assert_eq!(run.attempts(), 1);
    }
}

#[test]
fn a_token_of_another_run_or_of_before_changes_nothing_once_it_is_over() {
    let retry = Retry::new(Constant::new(100_u32));
    let (mut one, mut other) = (retry.start(at(0)), retry.start(at(0)));
    let (mine, theirs) = (due(&mut one, 0), due(&mut other, 0));
    one.succeed(mine);
    one.succeed(theirs);
    assert_eq!(one.poll(at(1)), Step::Done);
    let next = other.fail(retry.start(at(0)).into_first(), at(1), Verdict::Permanent, &mut nothing_to_draw());
    assert_eq!(next, Next::GiveUp(Reason::Permanent), "a token says which attempt, not which run");
}

/// The first token of a run.
trait First {
    fn into_first(self) -> Attempt<u32>;
}

impl<C: relent::Settings<Policy: Policy<Span = u32>>> First for relent::Attempts<C> {
    fn into_first(mut self) -> Attempt<u32> {
        due(&mut self, 0)
    }
}

#[test]
fn a_time_out_of_zero_is_no_loop() {
    let retry = Retry::new(Constant::new(0_u32)).with_attempt_timeout(0).with_max_attempts(3);
    let mut run = retry.start(at(0));
    let mut steps = 0;
    loop {
        steps += 1;
        assert!(steps < 20, "this does not end");
        match run.poll(at(0)) {
            Step::Attempt(attempt) => assert_eq!(attempt.allowance(), Some(1)),
            Step::TimedOut(attempt) => _ = run.fail(attempt, at(0), Verdict::Retry, &mut nothing_to_draw()),
            Step::InFlight | Step::Wait(_) => {}
            Step::Done => break,
        }
    }
    assert_eq!(run.attempts(), 3);
}

#[test]
fn a_clock_that_jumps_ahead_makes_the_next_attempt_due_once() {
    let clock = ManualClock::<u32>::new();
    let retry = Retry::new(Constant::new(100));
    let mut run = retry.start(relent::Clock::now(&clock));
    let attempt = due(&mut run, 0);
    assert_eq!(run.fail(attempt, at(0), Verdict::Retry, &mut nothing_to_draw()), Next::Wait(100));
    let attempt = due(&mut run, 1 << 30);
    assert_eq!(attempt.number(), 2, "no attempts are made up for");
    assert_eq!(run.poll(at(1 << 30)), Step::InFlight);
}

#[test]
fn a_generator_can_be_behind_a_pointer() {
    let mut script = Script::units([0.5]);
    let mut dynamic: Box<dyn Rng> = Box::new(&mut script);
    assert_eq!(Band::new(0_u32, 99).draw(&mut dynamic), 50);
    let unsized_one: &mut dyn Rng = &mut *dynamic;
    assert_eq!(Band::new(0_u32, 99).draw(unsized_one), 50);
}
