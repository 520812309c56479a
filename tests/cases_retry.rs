//! Reports about the retry loops of other libraries, as cases: A11, A12, A14–A16, A18, A20, A21, A23, X14, and the kind of fault behind each.

mod rig;

use std::time::Duration;

use relent::testing::Script;
use relent::{
    Clock, Constant, Decorrelated, DrawOnce, Exponential, Failure, GaveUp, Instant, Jitter, Never, Next, Policy,
    Reason, Recursive, Retry, Step, Verdict,
};
use rig::{World, nothing_to_draw};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
/// What the longest `Duration` counts as: `u64::MAX` ns.
const CEILING: Duration = Duration::from_nanos(u64::MAX);

fn s(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn doubling() -> Exponential {
    Exponential::new(SECOND).with_multiplier(2.0).with_jitter(Jitter::None)
}

fn fixed(seconds: u64) -> Retry<Constant> {
    Retry::new(Constant::new(s(seconds)))
}

/// Runs a script of verdicts, each with its number as the error; after its end the operation gives `Ok`.
fn play<P: Policy<Span = Duration>>(
    world: &World<Duration>,
    retry: Retry<P>,
    cost: Duration,
    script: &[Verdict],
) -> Result<usize, GaveUp<usize>> {
    retry.explicit().run(world, nothing_to_draw(), || {
        let n = world.calls();
        world.call(cost, script.get(n).map_or(Ok(n), |verdict| Err(Failure::new(n, *verdict))))
    })
}

const T: Verdict = Verdict::Retry;

fn a(hint: Duration) -> Verdict {
    Verdict::RetryAfter(hint)
}

#[test]
fn a11_the_limit_is_looked_at_with_the_delay_known() {
    let world = World::new();
    let gave_up = play(&world, Retry::new(doubling()).with_max_elapsed(s(5)), s(0), &[T; 9]).unwrap_err();
    assert_eq!(world.called_at(s(0)), [0, 1, 3].map(s));
    assert_eq!(world.waits(), [1, 2].map(s));
    assert_eq!((gave_up.elapsed(), gave_up.attempts()), (s(3), 3));
    assert_eq!(gave_up.reason(), Reason::TimeLimit { limit: s(5), delay: s(4) });
}

#[test]
fn a11_no_wait_ends_beyond_the_limit() {
    for limit in 0..40 {
        for cost in 0..4 {
            let world = World::new();
            _ = play(&world, Retry::new(doubling()).with_max_elapsed(s(limit)), s(cost), &[T; 99]);
            assert!(world.called_at(s(0)).last() <= Some(&s(limit)), "limit {limit}, cost {cost}");
        }
    }
}

#[test]
fn a12_slow_operations_count() {
    let world = World::new();
    let gave_up = play(&world, fixed(1).with_max_elapsed(s(12)), s(4), &[T; 99]).unwrap_err();
    assert_eq!((gave_up.attempts(), gave_up.elapsed()), (3, s(14)));
    assert_eq!(world.waits(), [s(1), s(1)]);
}

#[test]
fn a14_elapsed_plus_delay_does_not_overflow() {
    let world = World::new();
    let forever = Retry::new(Constant::new(Duration::MAX)).with_max_elapsed(s(1));
    let gave_up = play(&world, forever, s(0), &[T; 9]).unwrap_err();
    assert_eq!(gave_up.reason(), Reason::TimeLimit { limit: s(1), delay: CEILING });
    assert_eq!((world.calls(), world.waits()), (1, vec![]));

    let world = World::new();
    let gave_up = play(&world, fixed(1).with_max_elapsed(s(1)), s(0), &[a(Duration::MAX)]).unwrap_err();
    assert_eq!(gave_up.reason(), Reason::HintTooLong { asked: CEILING, left: s(1) });
    assert_eq!((world.calls(), world.waits()), (1, vec![]));
}

#[test]
fn a14_a_limit_that_cannot_be_represented_is_none() {
    // The clock stands just before its end, and the limit is the longest there is.
    let world = World::starting_at(CEILING);
    let retry = fixed(3_600).with_max_elapsed(Duration::MAX);
    assert_eq!(play(&world, retry, s(1), &[T; 500]), Ok(500));
    assert_eq!(world.waits(), [s(3_600); 500]);
}

#[test]
fn a14_elapsed_saturates_at_the_ceiling() {
    let world = World::new();
    let retry = Retry::new(Constant::new(Duration::MAX)).with_max_attempts(4);
    let gave_up = play(&world, retry, s(1), &[T; 9]).unwrap_err();
    assert_eq!((gave_up.elapsed(), gave_up.attempts()), (CEILING, 4));
    assert_eq!(world.waits(), [CEILING; 3]);
    // After a sum like that, every limit is passed.
    let retry = Retry::new(Constant::new(CEILING / 2)).with_max_elapsed(CEILING);
    let world = World::new();
    let gave_up = play(&world, retry, s(1), &[T; 9]).unwrap_err();
    assert_eq!((gave_up.attempts(), world.waits().len()), (2, 1));
}

#[test]
fn a15_none_zero_and_counts() {
    let calls = |retry: Retry<Constant>, script: &[Verdict]| {
        let world = World::new();
        let result = play(&world, retry, s(0), script);
        (world.calls(), world.waits().len(), result.is_ok())
    };
    assert_eq!(calls(fixed(1), &vec![T; 10_000]), (10_001, 10_000, true));
    assert_eq!(calls(fixed(1).with_max_elapsed(s(0)), &[T]), (1, 0, false));
    assert_eq!(calls(fixed(1).with_max_attempts(1), &[T]), (1, 0, false));
    assert_eq!(calls(fixed(1).with_max_retries(0), &[T]), (1, 0, false));
    assert_eq!(calls(fixed(1).with_max_attempts(3), &[T; 9]), (3, 2, false));
    assert_eq!(calls(fixed(1).with_max_retries(3), &[T; 9]), (4, 3, false));
    // A delay of zero is no way around a limit of zero.
    assert_eq!(calls(fixed(0).with_max_elapsed(s(0)), &[T; 9]), (1, 0, false));
}

#[test]
fn a15_a_limit_of_zero_leaves_a_plan_without_rows() {
    assert_eq!(fixed(0).with_max_elapsed(s(0)).plan().count(), 0);
    assert_eq!(fixed(0).with_max_elapsed(Duration::from_nanos(1)).plan().take(9).count(), 9);
}

#[test]
fn a15_no_attempt_at_all_is_refused() {
    let error = fixed(1).try_with_max_attempts(0).unwrap_err();
    assert_eq!((error.field(), error.to_string().as_str()), ("max_attempts", "max_attempts must be at least 1"));
    let panic = std::panic::catch_unwind(|| fixed(1).with_max_attempts(0)).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>().unwrap(), "max_attempts must be at least 1");
}

#[test]
fn a15_the_largest_counts_do_not_wrap() {
    assert_eq!(fixed(1).with_max_retries(u32::MAX).limits().max_attempts().unwrap().get(), u32::MAX);
    assert_eq!(fixed(1).with_max_attempts(u32::MAX).limits().max_attempts().unwrap().get(), u32::MAX);
    assert_eq!(fixed(1).with_max_attempts(1).plan().count(), 0);
    assert_eq!(fixed(1).with_max_retries(3).plan().count(), 3);
}

#[test]
fn a16_an_attempt_is_allowed_no_more_than_is_left() {
    let world = World::new();
    let retry = fixed(1).with_max_elapsed(s(11)).with_attempt_timeout(s(4));
    let mut allowances = Vec::new();
    let run = retry.on(&world, nothing_to_draw());
    let gave_up = run.run_with(|attempt, _| {
        let allowance = attempt.allowance().unwrap();
        allowances.push(allowance);
        world.call(allowance, Err::<(), _>("T"))
    });
    assert_eq!(allowances, [4, 4, 1].map(s));
    assert_eq!(world.waits(), [1, 1].map(s));
    assert_eq!(gave_up.unwrap_err().elapsed(), s(11));
}

#[test]
fn a16_an_allowance_is_never_zero() {
    // A socket takes no time-out of zero. The third attempt begins at the limit itself.
    let world = World::new();
    let run_with = fixed(1).with_max_elapsed(s(2));
    let mut seen = Vec::new();
    _ = run_with.on(&world, nothing_to_draw()).run_with(|attempt, _| {
        seen.push((attempt.number(), attempt.time_left(), attempt.allowance()));
        world.call(s(0), Err::<(), _>("T"))
    });
    let tick = Duration::from_nanos(1);
    assert_eq!(seen, [(1, Some(s(2)), Some(s(2))), (2, Some(s(1)), Some(s(1))), (3, Some(s(0)), Some(tick))]);
}

#[test]
fn a16_what_is_left_counts_from_the_first_failure_where_the_limit_does() {
    // Calls of 10 s: reported at 10, then 21 and 32, which is 0, 11 and 22 after the first failure.
    let world = World::new();
    let retry = fixed(1).with_max_elapsed(s(20)).with_max_elapsed_from_first_failure();
    let mut left = Vec::new();
    let gave_up = retry.on(&world, nothing_to_draw()).run_with(|attempt, _| {
        left.push(attempt.time_left());
        world.call(s(10), Err::<(), _>("T"))
    });
    assert_eq!(left, [20, 19, 8].map(|n| Some(s(n))));
    assert_eq!(gave_up.unwrap_err().elapsed(), s(32));
}

#[test]
fn a18_a_long_hint_stops_with_both_numbers() {
    let script = [a(30 * MINUTE)];
    let world = World::new();
    let gave_up = play(&world, fixed(1).with_max_elapsed(15 * MINUTE), s(0), &script).unwrap_err();
    assert_eq!(gave_up.reason(), Reason::HintTooLong { asked: 30 * MINUTE, left: 15 * MINUTE });
    assert_eq!((world.calls(), world.waits(), gave_up.into_error()), (1, vec![], 0));

    let world = World::new();
    let clamped = fixed(1).with_max_elapsed(15 * MINUTE).with_hints_clamped();
    assert_eq!(play(&world, clamped, s(0), &script), Ok(1));
    assert_eq!((world.calls(), world.waits()), (2, vec![15 * MINUTE]));

    let world = World::new();
    assert_eq!(play(&world, fixed(1), s(0), &script), Ok(1));
    assert_eq!(world.waits(), [30 * MINUTE]);
}

#[test]
fn a18_what_is_left_is_counted_from_the_report() {
    let world = World::new();
    let gave_up = play(&world, fixed(1).with_max_elapsed(s(60)), s(10), &[T, a(s(40))]).unwrap_err();
    assert_eq!(gave_up.reason(), Reason::HintTooLong { asked: s(40), left: s(39) });
    let world = World::new();
    assert_eq!(play(&world, fixed(1).with_max_elapsed(s(60)), s(10), &[T, a(s(39))]), Ok(2), "equality is allowed");
}

#[test]
fn a18_max_hint_is_a_limit_of_its_own() {
    let world = World::new();
    let gave_up = play(&world, fixed(1).with_max_hint(s(20)), s(0), &[a(s(20)), a(s(21))]).unwrap_err();
    assert_eq!(gave_up.reason(), Reason::HintTooLong { asked: s(21), left: s(20) });
    assert_eq!(world.waits(), [s(20)]);
    let world = World::new();
    assert_eq!(play(&world, fixed(1).with_max_hint(s(20)).with_hints_clamped(), s(0), &[a(s(21)), T]), Ok(2));
    assert_eq!(world.waits(), [s(20), s(1)]);
}

#[test]
fn a20_a_hint_of_zero_or_in_the_past_is_no_hint() {
    let clock = |h: u64, m: u64, sec: u64| s(3_600 * h + 60 * m + sec);
    let past = Verdict::retry_at(clock(11, 54, 0), Some(clock(11, 55, 0)));
    let none = Verdict::retry_at(clock(11, 55, 30), None);
    let world = World::new();
    assert_eq!(play(&world, fixed(2), s(0), &[a(s(0)), past, none]), Ok(3));
    assert_eq!(world.waits(), [2, 2, 2].map(s));
    // The difference is taken on the server's clock: the local one says 12:00:00 and is not asked.
    assert_eq!(Verdict::retry_at(clock(11, 55, 30), Some(clock(11, 55, 0))), a(s(30)));
}

#[test]
fn a20_no_hint_leaves_the_growth_alone() {
    let world = World::new();
    _ = play(&world, Retry::new(doubling()), s(0), &[T, a(s(0)), T]);
    assert_eq!(world.waits(), [1, 2, 4].map(s));
}

#[test]
fn a21_the_error_comes_back_bare_on_every_path() {
    for attempts in [Some(1), Some(2), None] {
        let retry = attempts.map_or(fixed(1), |n| fixed(1).with_max_attempts(n)).explicit();
        let world = World::new();
        let gave_up =
            retry.run(&world, nothing_to_draw(), || world.call(s(0), Err::<(), _>(Failure::permanent("dummy"))));
        let gave_up = gave_up.unwrap_err();
        assert_eq!((world.calls(), gave_up.reason()), (1, Reason::Permanent));
        assert_eq!(gave_up.into_error(), "dummy");
    }
    let world = World::new();
    let gave_up = play(&world, fixed(9).with_max_attempts(2), s(0), &[a(s(1)); 2]).unwrap_err();
    assert_eq!((gave_up.attempts(), gave_up.reason()), (2, Reason::Attempts));
    assert_eq!(gave_up.into_error(), 1, "the error of the last call");
}

#[test]
fn a21_every_reason_hands_back_the_last_error() {
    let cases: [(Retry<Constant>, &[Verdict]); 5] = [
        (fixed(1), &[T, T, Verdict::Permanent]),
        (fixed(1).with_max_attempts(3), &[T; 9]),
        (fixed(1).with_max_elapsed(s(2)), &[T; 9]),
        (fixed(1).with_max_elapsed(s(5)), &[T, T, a(s(4))]),
        (fixed(1).with_max_hint(s(5)), &[T, T, a(s(6))]),
    ];
    for (retry, script) in cases {
        let gave_up = play(&World::new(), retry, s(0), script).unwrap_err();
        assert_eq!((gave_up.attempts(), *gave_up.error()), (3, 2), "{:?}", gave_up.reason());
    }
    let ended = Retry::new([s(1), s(1)]);
    let gave_up = play(&World::new(), ended, s(0), &[T; 9]).unwrap_err();
    assert_eq!((gave_up.attempts(), gave_up.reason(), gave_up.into_error()), (3, Reason::PolicyEnded, 2));
}

#[test]
fn a23_no_wait_after_the_last_attempt_and_the_hook_hears_the_end() {
    let wait = (1, "e1", Next::Wait(s(2)));
    let end = (2, "e2", Next::GiveUp(Reason::Attempts));
    for (second, heard) in [(Err("e2"), vec![wait, end]), (Ok(()), vec![wait])] {
        let world = World::new();
        let mut told = Vec::new();
        let retry = fixed(2).with_max_attempts(2);
        let run = retry.on(&world, nothing_to_draw());
        let run = run.notify(|event| told.push((event.attempt(), *event.error(), event.next())));
        _ = run.run(|| {
            let result = if world.calls() == 0 { Err("e1") } else { second };
            world.call(s(0), result)
        });
        assert_eq!(told, heard);
        assert_eq!((world.waits(), world.now()), (vec![s(2)], Instant::at(s(2))));
    }
}

#[test]
fn a23_a_success_says_which_attempt_it_was() {
    let world = World::new();
    let retry = fixed(2).with_max_attempts(2);
    let number = retry.on(&world, nothing_to_draw()).run_with(|attempt, _| match attempt.number() {
        1 => Err("T"),
        n => Ok(n),
    });
    assert_eq!(number, Ok(2));
}

#[test]
fn x14_a_second_call_starts_again_at_attempt_one() {
    let retry = Retry::new(doubling()).with_max_attempts(3).with_max_elapsed(s(4));
    let world = World::new();
    for run in 1..=2 {
        let mut told = Vec::new();
        let gave_up = retry
            .on(&world, nothing_to_draw())
            .notify(|event| told.push((event.attempt(), event.elapsed())))
            .run(|| world.call(s(0), Err::<(), _>("T")));
        assert_eq!(told, [(1, s(0)), (2, s(1)), (3, s(3))], "run {run}");
        assert_eq!(gave_up.unwrap_err().reason(), Reason::Attempts);
    }
    assert_eq!(world.waits(), [1, 2, 1, 2].map(s));
}

/// What is waited with these verdicts, each draw the longest, when every attempt fails.
fn waits<P: Policy<Span = Duration>>(policy: P, verdicts: &[Verdict]) -> Vec<Duration> {
    let mut rng = Script::new([u64::MAX]);
    let retry = Retry::new(policy);
    let mut run = retry.start(Instant::at(Duration::ZERO));
    let mut now = Duration::ZERO;
    let mut waits = Vec::new();
    for verdict in verdicts {
        let Step::Attempt(attempt) = run.poll(Instant::at(now)) else { panic!("{waits:?}") };
        let Next::Wait(wait) = run.fail(attempt, Instant::at(now), *verdict, &mut rng) else { break };
        waits.push(wait);
        now += wait;
    }
    waits
}

#[test]
fn r6_a_hint_restarts_the_growth_behind_every_combinator() {
    const R: Verdict = Verdict::Retry;
    let verdicts = [R, R, R, a(s(50)), R, R];
    let seconds = |waits: Vec<Duration>| waits.iter().map(Duration::as_secs).collect::<Vec<_>>();
    let grown = [1, 2, 4, 50, 1, 2];
    assert_eq!(seconds(waits(doubling(), &verdicts)), grown);
    assert_eq!(seconds(waits(DrawOnce::new(s(1), s(1)), &verdicts)), grown);
    assert_eq!(seconds(waits(Recursive::new(s(1)).with_growth(2.0, 0.0), &verdicts)), grown);
    let borrowed = &doubling();
    assert_eq!(seconds(waits(borrowed, &verdicts)), grown);
    assert_eq!(seconds(waits(doubling().at_most(s(99)), &verdicts)), grown);
    assert_eq!(seconds(waits(doubling().at_least(s(1)), &verdicts)), grown);
    assert_eq!(seconds(waits(doubling().then(Never::new()), &verdicts)), grown);
    assert_eq!(seconds(waits(Never::new().then(doubling()), &verdicts)), grown);
    // What counts stays used: six retries, the hint among them.
    assert_eq!(seconds(waits(doubling().max_retries(5), &verdicts)), grown[..5]);
}

#[test]
fn r2_every_combinator_passes_on_what_was_drawn() {
    let verdicts = [Verdict::Retry; 4];
    let tripling = Decorrelated::new(s(1));
    let grown = [s(3), s(9), s(27), s(81)];
    assert_eq!(waits(tripling, &verdicts), grown);
    let borrowed = &tripling;
    assert_eq!(waits(borrowed, &verdicts), grown);
    assert_eq!(waits(tripling.at_most(s(99)), &verdicts), grown);
    assert_eq!(waits(tripling.at_least(s(1)), &verdicts), grown);
    assert_eq!(waits(tripling.max_retries(9), &verdicts), grown);
    assert_eq!(waits(tripling.then(Never::new()), &verdicts), grown);
    assert_eq!(waits(Never::new().then(tripling), &verdicts), grown);
}
