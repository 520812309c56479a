//! The machine against a naive model of R5–R10: blocking and polled give the same calls, waits, reasons and times, on clocks that wrap; and on clocks
//! that step back, stand still or jump each still does what the model says.

#![allow(clippy::needless_pass_by_value, reason = "proptest hands over what it made")]

mod model;

use std::cell::{Cell, RefCell};
use std::time::Duration;

use model::bridge::{
    answer, at, exponential, limited, of, plain_settings, retry, ticks, verdict, verdicts, why, words,
};
use model::machine::{Answer, Plain, Run, Said, Shown, Token};
use model::{Ticked, spans};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use relent::{Attempt, Clock, Failure, Instant, Sleep, Step};

/// Ten times as many cases in a release build.
fn config(cases: u32) -> ProptestConfig {
    let cases = if cfg!(debug_assertions) { cases } else { 10 * cases };
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

/// What a run shows to the outside.
#[derive(Debug, Default, PartialEq)]
struct Trace {
    /// Number, time left, allowance.
    calls: Vec<(u32, Option<i128>, Option<i128>)>,
    answers: Vec<Answer>,
    /// At each report.
    elapsed: Vec<i128>,
    drawn: usize,
}

/// What happens outside in one round: the operation takes `cost` and says `said`, or is a success; then the wait takes `late` more than asked.
/// Where `jumps`, cost and wait are not what passes but any step of the clock.
#[derive(Clone, Debug)]
struct Round {
    cost: i128,
    said: Option<Said>,
    late: i128,
}

fn rounds<S: Ticked>() -> impl Strategy<Value = Vec<Round>> {
    let span = || spans::<S>().prop_map(|n| i128::from(n / 2));
    let round = (span(), option::weighted(0.95, verdicts::<S>()), option::weighted(0.3, span()));
    vec(round.prop_map(|(cost, said, late)| Round { cost, said, late: late.unwrap_or(0) }), 1..20)
}

/// How the clock moves during a wait.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ticking {
    /// By what was asked for, and perhaps more, never beyond half the range at once.
    Honestly,
    /// By `late`, whatever was asked for: not at all, back, or far ahead.
    Wildly,
}

impl Ticking {
    fn wait(self, range: i128, delay: i128, late: i128) -> i128 {
        match self {
            Self::Honestly if delay + late > range / 2 => delay,
            Self::Honestly => delay + late,
            Self::Wildly => late * 2,
        }
    }
}

fn by_the_model(plain: &Plain, rounds: &[Round], word_list: &[u64], start: i128, ticking: Ticking) -> Trace {
    let range = plain.ceiling + 1;
    let mut now = start;
    let mut run = Run::new(plain, word_list, now);
    let mut trace = Trace::default();
    for round in rounds {
        let token = run.begin();
        trace.calls.push((token.number, token.time_left, token.allowance));
        now = (now + round.cost).rem_euclid(range);
        let Some(said) = round.said else { break };
        let answer = run.fail(token, now, said);
        trace.answers.push(answer);
        trace.elapsed.push(run.elapsed);
        let Answer::Wait(delay) = answer else { break };
        now = (now + ticking.wait(range, delay, round.late)).rem_euclid(range);
        run.slept(now);
    }
    trace.drawn = run.drawn;
    trace
}

/// A world whose clock moves as the rounds say.
struct World<'a, S: Ticked> {
    now: Cell<i128>,
    rounds: &'a [Round],
    round: Cell<usize>,
    ticking: Ticking,
    waits: RefCell<Vec<i128>>,
    span: std::marker::PhantomData<S>,
}

impl<S: Ticked> Clock for World<'_, S> {
    type Span = S;
    fn now(&self) -> Instant<S> {
        at(self.now.get())
    }
}

impl<S: Ticked> Sleep for &World<'_, S> {
    fn sleep(&mut self, delay: S) {
        let late = self.rounds[self.round.get() - 1].late;
        self.waits.borrow_mut().push(ticks(delay));
        self.now.set(self.now.get() + self.ticking.wait(i128::from(S::ceiling()) + 1, ticks(delay), late));
    }
}

fn blocking<S: Ticked>(plain: &Plain, rounds: &[Round], word_list: &[u64], start: i128, ticking: Ticking) -> Trace {
    let world = World {
        now: Cell::new(start),
        rounds,
        round: Cell::new(0),
        ticking,
        waits: RefCell::default(),
        span: std::marker::PhantomData,
    };
    let drawn = Cell::new(0);
    let (mut calls, mut answers, mut elapsed) = (Vec::new(), Vec::new(), Vec::new());
    let settings = retry::<S>(plain).explicit();
    let run = settings.on(&world, words::<S>(word_list, &drawn)).notify(|event| {
        answers.push(answer(event.next()));
        elapsed.push(ticks(event.elapsed()));
    });
    let outcome = run.run_with(|attempt, _| {
        let n = world.round.get();
        // A script that has ended is a success, which leaves no trace.
        let Some(round) = rounds.get(n) else { return Ok(()) };
        world.round.set(n + 1);
        calls.push((attempt.number(), attempt.time_left().map(ticks), attempt.allowance().map(ticks)));
        world.now.set(world.now.get() + round.cost);
        round.said.map_or(Ok(()), |said| Err(Failure::new(n, verdict::<S>(said))))
    });
    if let Err(gave_up) = outcome {
        // The error of the last call, and the numbers of the last report.
        assert_eq!(answers.last(), Some(&Answer::GiveUp(why(gave_up.reason()))));
        assert_eq!(elapsed.last(), Some(&ticks(gave_up.elapsed())));
        assert_eq!((gave_up.attempts() as usize, *gave_up.error()), (calls.len(), calls.len() - 1));
    }
    let waits: Vec<_> =
        answers.iter().filter_map(|a| if let Answer::Wait(delay) = a { Some(*delay) } else { None }).collect();
    assert_eq!(*world.waits.borrow(), waits, "what was said is what was waited");
    Trace { calls, answers, elapsed, drawn: drawn.get() }
}

/// Polled on an honest clock, looked at at least every third of its range.
fn polled<S: Ticked>(plain: &Plain, rounds: &[Round], word_list: &[u64], start: i128) -> Trace {
    let range = plain.ceiling + 1;
    let drawn = Cell::new(0);
    let mut generator = words::<S>(word_list, &drawn);
    let settings = retry::<S>(plain);
    let mut run = settings.start(at(start));
    let mut now = start;
    let mut trace = Trace::default();
    for round in rounds {
        let Step::Attempt(attempt) = run.poll(at(now)) else { panic!("an attempt is due") };
        trace.calls.push((attempt.number(), attempt.time_left().map(ticks), attempt.allowance().map(ticks)));
        now += round.cost;
        let Some(said) = round.said else {
            run.succeed(attempt);
            assert_eq!(run.poll(at(now)), Step::Done);
            break;
        };
        let next = answer(run.fail(attempt, at(now), verdict(said), &mut generator));
        trace.answers.push(next);
        trace.elapsed.push(ticks(run.elapsed()));
        let Answer::Wait(delay) = next else {
            assert_eq!(run.poll(at(now)), Step::Done);
            break;
        };
        let mut left = delay;
        while left > 0 {
            assert_eq!(run.poll(at(now)), Step::Wait(of(left)));
            let step = left.min(range / 3);
            (now, left) = (now + step, left - step);
        }
        now += Ticking::Honestly.wait(range, delay, round.late) - delay;
    }
    drop(generator);
    trace.drawn = drawn.get();
    trace
}

fn three_ways<S: Ticked>(plain: Plain, rounds: Vec<Round>, word_list: Vec<u64>, start: u64) -> TestCaseResult {
    let start = i128::from(start);
    let model = by_the_model(&plain, &rounds, &word_list, start, Ticking::Honestly);
    prop_assert_eq!(&blocking::<S>(&plain, &rounds, &word_list, start, Ticking::Honestly), &model);
    prop_assert_eq!(&polled::<S>(&plain, &rounds, &word_list, start), &model);
    Ok(())
}

fn on_a_wild_clock<S: Ticked>(plain: Plain, rounds: Vec<Round>, word_list: Vec<u64>, start: u64) -> TestCaseResult {
    let start = i128::from(start);
    let rounds: Vec<_> = rounds.into_iter().map(|round| Round { cost: round.cost * 2, ..round }).collect();
    let model = by_the_model(&plain, &rounds, &word_list, start, Ticking::Wildly);
    prop_assert_eq!(blocking::<S>(&plain, &rounds, &word_list, start, Ticking::Wildly), model);
    Ok(())
}

/// One thing that may happen to a polled run.
#[derive(Clone, Debug)]
enum Event {
    Poll,
    /// Reports the newest token, or with `true` the oldest kept one.
    Fail(Said, bool),
    Succeed(bool),
    Drop,
    RetryNow,
    Rebase,
}

fn events<S: Ticked>() -> impl Strategy<Value = Vec<(u64, Event)>> {
    let event = prop_oneof![
        10 => Just(Event::Poll),
        6 => (verdicts::<S>(), proptest::bool::weighted(0.2)).prop_map(|(said, old)| Event::Fail(said, old)),
        1 => proptest::bool::weighted(0.8).prop_map(Event::Succeed),
        1 => Just(Event::Drop),
        1 => Just(Event::RetryNow),
        1 => Just(Event::Rebase),
    ];
    // The clock stands still more often than not; where it moves, it may be by any amount.
    vec((option::weighted(0.6, spans::<S>()).prop_map(|step| step.unwrap_or(0)), event), 1..60)
}

/// Whatever happens, in whatever order, on whatever clock, with late, lost and repeated tokens.
fn polled_as_it_comes<S: Ticked>(
    plain: Plain,
    events: Vec<(u64, Event)>,
    word_list: Vec<u64>,
    start: u64,
) -> TestCaseResult {
    let range = plain.ceiling + 1;
    let drawn = Cell::new(0);
    let mut generator = words::<S>(&word_list, &drawn);
    let settings = retry::<S>(&plain);
    let mut now = i128::from(start);
    let mut run = settings.start(at(now));
    let mut model = Run::new(&plain, &word_list, now);
    let mut tokens: Vec<(Attempt<S>, Token)> = Vec::new();
    for (step, event) in events {
        now = (now + i128::from(step)).rem_euclid(range);
        let take = |tokens: &mut Vec<_>, oldest: bool| {
            if oldest && !tokens.is_empty() { Some(tokens.remove(0)) } else { tokens.pop() }
        };
        match event {
            Event::Poll => {
                let shown = model.poll(now);
                match (run.poll(at(now)), shown) {
                    (Step::Attempt(attempt), Shown::Attempt(token))
                    | (Step::TimedOut(attempt), Shown::TimedOut(token)) => {
                        prop_assert_eq!(attempt.number(), token.number);
                        prop_assert_eq!(attempt.time_left().map(ticks), token.time_left);
                        prop_assert_eq!(attempt.allowance().map(ticks), token.allowance);
                        tokens.push((attempt, token));
                    }
                    (Step::Wait(left), Shown::Wait(expected)) => prop_assert_eq!(ticks(left), expected),
                    (Step::InFlight, Shown::InFlight) | (Step::Done, Shown::Done) => {}
                    (step, shown) => prop_assert!(false, "{step:?}, not {shown:?}"),
                }
            }
            Event::Fail(said, oldest) => {
                if let Some((attempt, token)) = take(&mut tokens, oldest) {
                    let next = run.fail(attempt, at(now), verdict(said), &mut generator);
                    prop_assert_eq!(answer(next), model.fail(token, now, said));
                }
            }
            Event::Succeed(oldest) => {
                if let Some((attempt, token)) = take(&mut tokens, oldest) {
                    run.succeed(attempt);
                    model.succeed(token);
                }
            }
            Event::Drop => drop(tokens.pop()),
            Event::RetryNow => {
                run.retry_now();
                model.retry_now();
            }
            Event::Rebase => {
                run.rebase(at(now));
                model.rebase(now);
            }
        }
        prop_assert_eq!((run.attempts(), ticks(run.elapsed())), (model.made, model.elapsed));
    }
    drop(generator);
    prop_assert_eq!(drawn.get(), model.drawn);
    Ok(())
}

/// No run waits for longer than the constant says, whatever is drawn, asked for (if that has a limit) and taken.
fn waits_beyond(plain: &Plain, mut rounds: Vec<Round>, words: &[u64], worst: i128) -> TestCaseResult {
    for said in rounds.iter_mut().filter_map(|round| round.said.as_mut()) {
        if matches!(said, Said::NotBefore(_)) || plain.max_hint.is_none() {
            *said = Said::Retry; // Not counted, as the documentation says.
        }
    }
    let trace = if plain.ceiling >> 32 == 0 {
        blocking::<u32>(plain, &rounds, words, 0, Ticking::Honestly)
    } else {
        blocking::<u64>(plain, &rounds, words, 0, Ticking::Honestly)
    };
    let waited: i128 =
        trace.answers.iter().map(|answer| if let Answer::Wait(delay) = answer { *delay } else { 0 }).sum();
    prop_assert!(waited.min(plain.ceiling) <= worst, "{waited}, and {worst} promised");
    Ok(())
}

macro_rules! no_run_waits_beyond_the_worst_case {
    ($name:ident, $span:ty) => {
        #[test]
        fn $name() {
            proptest!(config(500), |(mut plain in plain_settings::<$span>(), attempts in 1..20_u32,
                rounds in rounds::<$span>(), words in vec(any::<u64>(), 1..8))| {
                // The constant knows only of the attempts, not of what a policy around counts.
                (plain.max_attempts, plain.retries) = (Some(attempts), None);
                let worst = limited(exponential::<$span>(&plain), &plain).worst_case_wait();
                waits_beyond(&plain, rounds, &words, ticks(worst))?;
            });
        }
    };
}
no_run_waits_beyond_the_worst_case!(no_run_waits_beyond_the_worst_case_in_u32, u32);
no_run_waits_beyond_the_worst_case!(no_run_waits_beyond_the_worst_case_in_durations, Duration);

macro_rules! for_every_span {
    ($module:ident, $span:ty) => {
        mod $module {
            use super::*;

            #[test]
            fn blocking_and_polled_are_the_model() {
                proptest!(config(400), |(plain in plain_settings::<$span>(), rounds in rounds::<$span>(),
                    words in vec(any::<u64>(), 1..8), start in spans::<$span>())| three_ways::<$span>(plain, rounds, words, start)?);
            }

            #[test]
            fn blocking_on_a_wild_clock_is_the_model() {
                proptest!(config(300), |(plain in plain_settings::<$span>(), rounds in rounds::<$span>(),
                    words in vec(any::<u64>(), 1..8), start in spans::<$span>())| on_a_wild_clock::<$span>(plain, rounds, words, start)?);
            }

            #[test]
            fn polled_as_it_comes_is_the_model() {
                proptest!(config(500), |(plain in plain_settings::<$span>(), events in events::<$span>(),
                    words in vec(any::<u64>(), 1..8), start in spans::<$span>())| polled_as_it_comes::<$span>(plain, events, words, start)?);
            }
        }
    };
}
for_every_span!(u32_ticks, u32);
for_every_span!(u64_ticks, u64);
for_every_span!(durations, Duration);
