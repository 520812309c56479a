//! What the Go library cenkalti/backoff v5.0.3 does when it retries, row by row, and where this crate differs on purpose: the order of
//! checks and what comes back.
//!
//! Deadlines, cancellation and the ticker are tested with those. "The value of failed calls" has no row: an `Err` has none.

mod rig;

use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::time::Duration;

use relent::{Band, Constant, Exponential, Jitter, Never, Next, Policy, Reason, Retry, Verdict};
use rig::{World, nothing_to_draw};

const SECOND: Duration = Duration::from_secs(1);

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn us(n: u64) -> Duration {
    Duration::from_micros(n)
}

/// The error of call n, and a world to fail in.
struct Calls {
    world: World<Duration>,
    made: Cell<u32>,
}

impl Calls {
    fn new() -> Self {
        Self { world: World::new(), made: Cell::new(0) }
    }

    /// Fails with its number, having taken `cost`.
    fn fail<T>(&self, cost: Duration) -> Result<T, u32> {
        self.made.set(self.made.get() + 1);
        self.world.call(cost, Err(self.made.get()))
    }
}

/// A constant policy that counts how often it is asked.
#[derive(Clone, Copy)]
struct Asked<'a>(&'a Cell<u32>, Constant);

impl Policy for Asked<'_> {
    type Span = Duration;
    type State = ();
    fn start(&self) {}
    fn next(&self, state: &mut ()) -> Option<Band> {
        self.0.set(self.0.get() + 1);
        self.1.next(state)
    }
}

#[test]
fn success_is_success_even_past_the_limit() {
    let world = World::new();
    let retry = Retry::new(Constant::new(SECOND)).with_max_elapsed(ms(1500));
    let value =
        retry.run(&world, nothing_to_draw(), || world.call(ms(400), if world.calls() < 1 { Err(()) } else { Ok(7) }));
    assert_eq!(value, Ok(7));
    let value = retry.run(&world, nothing_to_draw(), || world.call(60 * SECOND, Ok::<_, ()>(8)));
    assert_eq!(value, Ok(8));
}

#[test]
fn the_limit_is_not_looked_at_again_after_the_wait() {
    let world = World::new().waking_late_by(10 * SECOND);
    let retry = Retry::new(Constant::new(SECOND)).with_max_elapsed(2 * SECOND);
    let value = retry.run(&world, nothing_to_draw(), || {
        let made = world.calls();
        world.call(Duration::ZERO, if made < 1 { Err("down") } else { Ok(made) })
    });
    assert_eq!(value, Ok(1));
    assert_eq!(world.called_at(Duration::ZERO), [Duration::ZERO, 11 * SECOND]);
}

#[test]
fn tries_used_up() {
    for tries in 1..=3 {
        let (calls, asked) = (Calls::new(), Cell::new(0));
        let retry = Retry::new(Asked(&asked, Constant::new(SECOND))).with_max_attempts(tries);
        let gave_up = retry.run(&calls.world, nothing_to_draw(), || calls.fail::<()>(Duration::ZERO)).unwrap_err();
        assert_eq!((gave_up.reason(), gave_up.attempts(), *gave_up.error()), (Reason::Attempts, tries, tries));
        assert_eq!((calls.made.get(), asked.get()), (tries, tries - 1));
    }
}

#[derive(Debug)]
struct Outer(Option<Box<Outer>>, &'static str);

impl fmt::Display for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.1)
    }
}

impl Error for Outer {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.as_deref().map(|inner| inner as _)
    }
}

#[test]
fn permanent_plain_or_wrapped_stops_and_comes_back_unchanged() {
    let plain = || Outer(None, "fatal");
    let once = || Outer(Some(Box::new(plain())), "once");
    let twice = || Outer(Some(Box::new(once())), "twice");
    let errors: [(&dyn Fn() -> Outer, &str); 3] = [(&plain, "fatal"), (&once, "once"), (&twice, "twice")];
    for (error, text) in errors {
        for tries in [None, Some(1), Some(5)] {
            let retry = Retry::new(Constant::new(SECOND));
            let retry = tries.map_or(retry, |n| retry.with_max_attempts(n));
            let retry = retry.classify(|error: &Outer| {
                Verdict::from_chain(error, |link| (link.to_string() == "fatal").then_some(Verdict::Permanent))
            });
            let world = World::new();
            let gave_up =
                retry.run(&world, nothing_to_draw(), || world.call(SECOND, Err::<(), _>(error()))).unwrap_err();
            assert_eq!((gave_up.reason(), gave_up.attempts(), world.calls()), (Reason::Permanent, 1, 1));
            assert_eq!(gave_up.into_error().1, text, "the outer text is not lost");
        }
    }
    // Joined with others: the classifier sees the whole error.
    let retry = Retry::new(Constant::new(SECOND))
        .classify(|all: &Vec<&str>| if all.contains(&"fatal") { Verdict::Permanent } else { Verdict::Retry });
    let gave_up = retry.run(&World::new(), nothing_to_draw(), || Err::<(), _>(vec!["slow", "fatal"])).unwrap_err();
    assert_eq!(gave_up.into_error(), ["slow", "fatal"]);
}

#[test]
fn permanent_around_nothing_cannot_be_written() {
    // A verdict needs an error: a value is a success whatever the classifier thinks of errors.
    let retry = Retry::new(Constant::new(SECOND)).classify(|(): &()| Verdict::Permanent);
    assert_eq!(retry.run(&World::new(), nothing_to_draw(), || Ok(1)), Ok(1));
}

#[test]
fn the_policy_saying_stop_wins_over_a_hint() {
    let retry = Retry::new(Never::new()).classify(|_: &u32| Verdict::RetryAfter(SECOND));
    let calls = Calls::new();
    let gave_up = retry.run(&calls.world, nothing_to_draw(), || calls.fail::<()>(Duration::ZERO)).unwrap_err();
    assert_eq!((gave_up.reason(), gave_up.into_error(), calls.world.waits().len()), (Reason::PolicyEnded, 1, 0));
}

/// The waits of an unjittered default policy whose third failure has this verdict.
fn waits_with(third: Verdict) -> Vec<Duration> {
    let retry = Retry::new(Exponential::default().with_jitter(Jitter::None)).with_max_attempts(6);
    let calls = Calls::new();
    let retry = retry.classify(|&n| if n == 3 { third } else { Verdict::Retry });
    _ = retry.run(&calls.world, nothing_to_draw(), || calls.fail::<()>(Duration::ZERO));
    calls.world.waits()
}

#[test]
fn a_hint_replaces_the_delay_and_restarts_the_growth() {
    assert_eq!(waits_with(Verdict::RetryAfter(30 * SECOND)), [ms(500), ms(750), ms(30_000), ms(500), ms(750)]);
}

#[test]
fn a_hint_of_zero_is_no_hint() {
    let without = [ms(500), ms(750), ms(1125), us(1_687_500), us(2_531_250)];
    assert_eq!(waits_with(Verdict::RetryAfter(Duration::ZERO)), without);
    assert_eq!(waits_with(Verdict::Retry), without);
}

#[test]
fn a_huge_hint_stops_with_both_numbers_and_never_wraps() {
    let retry = Retry::new(Constant::new(SECOND)).with_max_elapsed(60 * SECOND);
    let retry = retry.classify(|_: &u32| Verdict::RetryAfter(Duration::MAX));
    let calls = Calls::new();
    let gave_up = retry.run(&calls.world, nothing_to_draw(), || calls.fail::<()>(SECOND)).unwrap_err();
    let ceiling = Duration::from_nanos(u64::MAX);
    assert_eq!(gave_up.reason(), Reason::HintTooLong { asked: ceiling, left: 59 * SECOND });
    assert_eq!(calls.made.get(), 1);
    assert_eq!(waits_with(Verdict::RetryAfter(Duration::MAX))[2], ceiling);
}

/// How many calls are made under a limit, with an operation and a hook that take their time.
fn calls_within(limit: Option<Duration>, delay: Duration, cost: Duration, hook: Duration) -> (u32, Vec<Next>) {
    let calls = Calls::new();
    let mut told = Vec::new();
    let retry = Retry::new(Constant::new(delay)).with_max_attempts(1_000);
    let retry = limit.map_or(retry, |limit| retry.with_max_elapsed(limit));
    let run = retry.on(&calls.world, nothing_to_draw()).notify(|event| {
        told.push(event.next());
        calls.world.clock.advance(hook);
    });
    _ = run.run(|| calls.fail::<()>(cost));
    assert_eq!(calls.world.waits().len() + 1, told.len(), "told once per wait, and once of the end");
    (calls.made.get(), told)
}

#[test]
fn the_limit_is_strict_and_counts_everything() {
    let zero = Duration::ZERO;
    assert_eq!(calls_within(Some(Duration::from_nanos(2_999_999_999)), SECOND, zero, zero).0, 3);
    assert_eq!(calls_within(Some(3 * SECOND), SECOND, zero, zero).0, 4);
    assert_eq!(calls_within(Some(3 * SECOND), SECOND, SECOND, zero).0, 2);
    assert_eq!(calls_within(Some(3 * SECOND), SECOND, zero, SECOND).0, 3, "what the hook takes counts too");
    let (_, told) = calls_within(Some(SECOND), SECOND, zero, zero);
    assert_eq!(told, [Next::Wait(SECOND), Next::GiveUp(Reason::TimeLimit { limit: SECOND, delay: SECOND })]);
}

#[test]
fn no_limit_is_the_absence_of_one_and_zero_means_one_call() {
    let zero = Duration::ZERO;
    assert_eq!(calls_within(None, SECOND, zero, zero).0, 1_000);
    assert_eq!(calls_within(Some(zero), SECOND, zero, zero).0, 1);
    assert_eq!(calls_within(Some(zero), zero, zero, zero).0, 1);
}

#[test]
fn a_delay_at_the_integer_maximum_does_not_pass_the_limit_over() {
    for delay in [Duration::MAX, Duration::from_nanos(u64::MAX), Duration::from_nanos(i64::MAX as u64)] {
        assert_eq!(calls_within(Some(60 * SECOND), delay, SECOND, Duration::ZERO).0, 1);
    }
}

#[test]
fn the_default_limit_is_fifteen_minutes_in_retry_default_only() {
    let limit = Retry::default().limits().max_elapsed();
    assert_eq!(limit, Some(15 * 60 * SECOND));
    assert_eq!(Retry::new(Exponential::default()).limits().max_elapsed(), None);
    let calls = |delay| calls_within(limit, delay, Duration::ZERO, Duration::ZERO).0;
    assert_eq!(calls(5 * 60 * SECOND), 4);
    assert_eq!(calls(15 * 60 * SECOND), 2);
    assert_eq!(calls(15 * 60 * SECOND + Duration::from_nanos(1)), 1);
}

#[test]
fn the_hook_is_told_once_per_retry_before_the_wait_and_once_of_the_end() {
    let calls = Calls::new();
    let mut told = Vec::new();
    let retry = Retry::new(Constant::new(2 * SECOND)).with_max_attempts(3);
    let run = retry.on(&calls.world, nothing_to_draw()).notify(|event| {
        told.push((*event.error(), event.attempt(), event.elapsed(), event.next(), calls.world.waits().len()));
    });
    _ = run.run(|| calls.fail::<()>(SECOND));
    assert_eq!(
        told,
        [
            (1, 1, SECOND, Next::Wait(2 * SECOND), 0),
            (2, 2, 4 * SECOND, Next::Wait(2 * SECOND), 1),
            (3, 3, 7 * SECOND, Next::GiveUp(Reason::Attempts), 2),
        ]
    );
}
