//! The law of the machine (R5–R10): whatever is polled, reported, lost or late, on a counter that wraps and steps back, it does what a
//! naive model does that keeps absolute times.

#[path = "machine/blocking.rs"]
mod blocking;
#[path = "machine/model.rs"]
mod model;

use core::cell::Cell;
use core::time::Duration;

use relent::policy::MaxRetries;
use relent::rng::{self, Rng};
use relent::{Attempt, Attempts, Band, Exponential, Instant, Jitter, Next, Retry, Settings, Step, Verdict};

use super::bytes::Bytes;
use model::{Model, Phase, Unit};

/// Panics if the law is broken, never otherwise.
pub(crate) fn law(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    match bytes.below(3) {
        0 => choose::<u32>(&mut bytes),
        1 => choose::<u64>(&mut bytes),
        _ => choose::<Duration>(&mut bytes),
    }
}

fn choose<S: Unit>(bytes: &mut Bytes) {
    // Mostly small, so that one script meets many limits.
    let mut span = |often: u64| {
        let ticks = match bytes.below(8) {
            0 => 0,
            small if small <= often => bytes.below(256),
            _ => bytes.number(),
        };
        S::of(ticks.into())
    };
    let (initial, max_interval) = (span(6), span(4));
    let [elapsed, hint, spread, timeout] = [0; 4].map(|_| span(6));
    let jitter = bytes.below(3);
    let max_retries = 1 + bytes.below(20) as u32;
    let policy = Exponential::new(initial).with_multiplier(2.0).with_max_interval(max_interval);
    let policy = policy.with_jitter([Jitter::None, Jitter::Full, Jitter::Equal][jitter as usize]);
    let mut retry = Retry::new(MaxRetries::new(policy, max_retries));
    let mut model = Model {
        bits: S::BITS,
        initial: initial.ticks(),
        max_interval: max_interval.ticks(),
        jitter,
        max_retries,
        max_attempts: None,
        max_elapsed: None,
        max_hint: None,
        clamp: false,
        spread: None,
        timeout: None,
        from_first_failure: false,
        from_attempt_start: false,
        start: 0,
        now: 0,
        counter: (3 << S::BITS) - i128::from(bytes.below(512)),
        begun: 0,
        first_failure: None,
        made: 0,
        used: 0,
        grown: 0,
        phase: Phase::WaitingUntil(0),
    };
    let set = bytes.below(256);
    if set & 1 != 0 {
        let max = 1 + bytes.below(12) as u32;
        retry = retry.with_max_attempts(max);
        model.max_attempts = Some(max);
    }
    if set & 2 != 0 {
        retry = retry.with_max_elapsed(elapsed);
        model.max_elapsed = Some(elapsed.ticks());
    }
    if set & 4 != 0 {
        retry = retry.with_max_hint(hint);
        model.max_hint = Some(hint.ticks());
    }
    if set & 8 != 0 {
        retry = retry.with_hints_clamped();
        model.clamp = true;
    }
    if set & 16 != 0 {
        retry = retry.with_hint_spread(spread);
        model.spread = Some(spread.ticks());
    }
    if set & 32 != 0 {
        retry = retry.with_attempt_timeout(timeout);
        model.timeout = Some(timeout.ticks());
    }
    if set & 64 != 0 {
        retry = retry.with_max_elapsed_from_first_failure();
        model.from_first_failure = true;
    }
    if set & 128 != 0 {
        retry = retry.with_delays_from_attempt_start();
        model.from_attempt_start = true;
    }
    let origin = Instant::at(S::of(model.counter));
    match bytes.below(3) {
        0 => polled(bytes, retry.start(origin), model),
        1 => {
            let splay = S::of(bytes.below(256).into());
            model.phase = Phase::WaitingUntil(splay.ticks());
            polled(bytes, retry.start_after(origin, Band::exactly(splay), &mut none()), model);
        }
        _ => blocking::law(bytes, &retry.explicit(), model),
    }
}

fn none() -> impl Rng {
    rng::from_fn(|| unreachable!("nothing to draw"))
}

fn verdict<S: Unit>(bytes: &mut Bytes) -> Verdict<S> {
    let kind = bytes.below(16);
    let span = S::of(match kind {
        0..8 => 0,
        8 | 9 => bytes.number().into(),
        _ => bytes.below(256).into(),
    });
    match kind {
        0..7 => Verdict::Retry,
        7 => Verdict::Permanent,
        _ if kind & 1 == 0 => Verdict::RetryAfter(span),
        _ => Verdict::NotBefore(span),
    }
}

/// A generator of 32-bit words that are all alike, and how many were drawn.
fn constant(word: u32, drawn: &Cell<u32>) -> impl Rng {
    rng::from_fn(move || {
        drawn.set(drawn.get() + 1);
        word
    })
}

/// One word of a span's width out of `constant`, and how many of its calls that takes.
fn widened<S: Unit>(word: u32) -> (i128, u32) {
    let word = i128::from(word);
    if S::BITS == 32 { (word, 1) } else { (word << 32 | word, 2) }
}

fn word(bytes: &mut Bytes) -> u32 {
    (bytes.below(256) as u32).wrapping_mul(0x0101_0101)
}

fn polled<S: Unit, C: Settings>(bytes: &mut Bytes, mut run: Attempts<C>, mut model: Model)
where
    C::Policy: relent::Policy<Span = S>,
{
    let half = 1 << (S::BITS - 1);
    let mut counter = model.counter;
    let mut live: Option<Attempt<S>> = None;
    let mut stale: Vec<Attempt<S>> = Vec::new();
    while let Some(op) = bytes.next() {
        let now = Instant::at(S::of(counter));
        let argument = op >> 3;
        match op & 7 {
            0 | 1 => {
                // It must be told the time once in every half range, and what it was told last can be just as far ahead.
                let step = if argument == 31 { i128::from(bytes.number()) } else { argument.into() };
                counter = (counter + step).min(model.counter + half);
            }
            2 => counter = (counter - i128::from(argument)).max(model.counter - half + 1),
            3 | 4 => {
                let step = run.poll(now);
                model.tell(counter);
                match (step, model.phase) {
                    (Step::Attempt(attempt), Phase::WaitingUntil(due)) => {
                        assert!(model.now >= due);
                        model.begin();
                        check(&attempt, &model);
                        stale.extend(live.replace(attempt));
                    }
                    (Step::Wait(left), Phase::WaitingUntil(due)) => assert_eq!(left.ticks(), due - model.now),
                    (Step::InFlight, Phase::InFlightSince(at)) => {
                        assert!(model.timeout.is_none_or(|timeout| model.now - at < timeout));
                    }
                    (Step::TimedOut(attempt), Phase::InFlightSince(at)) => {
                        assert!(model.timeout.is_some_and(|timeout| model.now - at >= timeout));
                        model.phase = Phase::InFlightSince(model.now);
                        check(&attempt, &model);
                        stale.extend(live.replace(attempt));
                    }
                    (Step::Done, Phase::Done) => {}
                    (step, _) => panic!("{step:?}"),
                }
            }
            5 => {
                let verdict = verdict(bytes);
                let word = word(bytes);
                let drawn = Cell::new(0);
                let Some(attempt) = live.take() else { continue };
                let (wide, calls) = widened::<S>(word);
                if argument == 0 {
                    // A generator that fails takes nothing but the token, and gives that back.
                    let before = format!("{run:?}");
                    let mut broken = rng::try_from_fn(|| Err::<u32, _>(core::fmt::Error));
                    match run.try_fail(attempt, now, verdict, &mut broken) {
                        Err((attempt, _)) => {
                            assert_eq!(format!("{run:?}"), before);
                            live = Some(attempt);
                        }
                        Ok(next) => {
                            model.tell(counter);
                            assert_eq!((next, 0), model.failed(verdict, wide));
                        }
                    }
                    continue;
                }
                let next = run.fail(attempt, now, verdict, &mut constant(word, &drawn));
                model.tell(counter);
                let (expected, words) = model.failed(verdict, wide);
                assert_eq!((next, drawn.get()), (expected, words * calls));
            }
            6 => match argument {
                // One that timed out changes nothing.
                0..8 => {
                    let Some(attempt) = stale.pop() else { continue };
                    assert_eq!(run.fail(attempt, now, verdict(bytes), &mut none()), Next::Stale);
                }
                8..16 => stale.pop().into_iter().for_each(|attempt| run.succeed(attempt)),
                // Lost.
                16..20 => live = None,
                20 => {
                    let Some(attempt) = live.take() else { continue };
                    run.succeed(attempt);
                    model.phase = Phase::Done;
                }
                _ => {}
            },
            _ => match argument {
                0..4 => {
                    counter = i128::from(bytes.number()) + (1 << S::BITS);
                    run.rebase(Instant::at(S::of(counter)));
                    model.rebase(counter);
                }
                4..8 => {
                    run.retry_now();
                    if let Phase::WaitingUntil(due) = &mut model.phase {
                        *due = (*due).min(model.now);
                    }
                }
                _ => {}
            },
        }
        assert_eq!(run.attempts(), model.made);
        assert_eq!(run.elapsed().ticks(), model.elapsed());
        assert_eq!(run.is_done(), model.phase == Phase::Done);
    }
}

fn check<S: Unit>(attempt: &Attempt<S>, model: &Model) {
    assert_eq!(attempt.number(), model.made);
    assert_eq!(attempt.time_left().map(S::ticks), model.time_left());
    let allowance = match (model.timeout, model.time_left()) {
        (Some(timeout), Some(left)) => Some(timeout.min(left)),
        (timeout, left) => timeout.or(left),
    };
    assert_eq!(attempt.allowance().map(S::ticks), allowance.map(|ticks| ticks.max(1)));
}
