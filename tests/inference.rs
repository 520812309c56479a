//! The surface as users write it: the code of the documentation, compiled, without annotations where Rust can do without.
//!
//! Most of this fails by not compiling.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use relent::testing::{ManualClock, Script};
use relent::{
    Clock, Constant, Exponential, Factor, Failure, GaveUp, Instant, Jitter, Next, Policy, Reason, Retry, Sleep, Step,
    Verdict, rng,
};

/// Settings in flash; ticks are milliseconds.
const LINK: Retry<Exponential<u32>> = Retry::new(Exponential::new(100).with_max_interval(5_000)).with_max_attempts(6);
const _: () = assert!(LINK.worst_case_wait() < 30_000);

/// Every setter is `const`, and the worst case of the longest run is one product.
const FULL: Retry<Exponential> = Retry::new(
    Exponential::new(Duration::from_millis(100))
        .with_multiplier(1.6)
        .with_max_interval(Duration::from_secs(5))
        .with_max_delay(Duration::from_secs(6))
        .with_jitter(Jitter::spread(0.2)),
)
.with_max_attempts(u32::MAX)
.with_max_elapsed(Duration::from_secs(60))
.with_max_hint(Duration::from_secs(30))
.with_hint_spread(Duration::from_secs(1))
.with_hints_clamped()
.with_attempt_timeout(Duration::from_secs(4));
const _: () = assert!(FULL.worst_case_within(Duration::from_secs(60)));
const _: () = assert!(!FULL.worst_case_within(Duration::from_secs(59)));
const FOREVER: Retry<Exponential<u32>> =
    Retry::new(Exponential::new(100).with_max_interval(5_000)).with_max_attempts(u32::MAX);
const _: () = assert!(FOREVER.worst_case_wait() == u32::MAX);

#[derive(Debug, PartialEq)]
enum Refusal {
    Busy,
    Later(Duration),
    Never,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl Error for Refusal {}

#[cfg(feature = "std")]
mod with_std {
    use super::*;

    /// The one place that sleeps for real: nothing at all.
    const AT_ONCE: Constant = Constant::new(Duration::ZERO);

    #[test]
    fn a_tool() -> Result<(), std::io::Error> {
        fn fetch(file: &str) -> Result<String, std::io::Error> {
            std::fs::read_to_string(file)
        }
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let page = relent::retry(Exponential::default(), || fetch(file)).map_err(GaveUp::into_error)?;
        assert!(page.contains("relent"));
        Ok(())
    }

    #[test]
    fn a_question_mark_in_a_bare_closure_takes_one_line() -> Result<(), Box<dyn Error>> {
        let number = relent::retry(AT_ONCE, || {
            let number: u8 = "7".parse()?;
            Ok::<_, std::num::ParseIntError>(number)
        })?;
        assert_eq!(number, 7);
        Ok(())
    }

    #[test]
    fn the_defaults_need_no_type() {
        let mut calls = 0;
        let answer = Retry::default().call(|| {
            calls += 1;
            Ok::<_, Refusal>(calls)
        });
        assert_eq!(answer, Ok(1));
    }

    #[test]
    fn call_and_call_with() {
        let retry = Retry::new(AT_ONCE).with_max_attempts(2);
        assert_eq!(retry.call(|| Err::<(), _>(Refusal::Busy)).unwrap_err().attempts(), 2);
        let mut log = Vec::new();
        _ = retry.call_with(
            || Err::<(), _>(Refusal::Busy),
            |event| log.push(format!("{}: {:?}", event.error(), event.next())),
        );
        assert_eq!(log, ["Busy: Wait(0ns)", "Busy: GiveUp(Attempts)"]);
    }
}

/// A world as firmware has one: a timer that tells the time and waits, lent as `&mut`.
struct Timer(u32);

impl Clock for Timer {
    type Span = u32;
    fn now(&self) -> Instant<u32> {
        Instant::at(self.0)
    }
}

impl Sleep for Timer {
    fn sleep(&mut self, delay: u32) {
        self.0 += delay;
    }
}

struct Radio {
    silent_for: u32,
}

impl Radio {
    fn join(&mut self) -> Result<(), &'static str> {
        match self.silent_for.checked_sub(1) {
            None => Ok(()),
            Some(left) => {
                self.silent_for = left;
                Err("no answer")
            }
        }
    }
}

#[test]
fn firmware_that_blocks() -> Result<(), GaveUp<&'static str, u32>> {
    let (mut timer, mut radio) = (Timer(0), Radio { silent_for: 2 });
    let mut rng = rng::from_fn(|| 1 << 31);
    LINK.run(&mut timer, &mut rng, || radio.join())?;
    assert_eq!(timer.0, 100 + 150);
    LINK.run(timer, rng, || radio.join())
}

#[test]
fn firmware_that_must_not_block() {
    let verdict = |_: &&str| Verdict::Retry;
    let (clock, mut rng) = (ManualClock::<u32>::new(), Script::units([0.5]));
    let mut radio = Radio { silent_for: 2 };
    let mut join = LINK.start(clock.now());
    let (mut sent, mut waits) = (None, Vec::new());
    loop {
        match join.poll(clock.now()) {
            Step::Attempt(a) => sent = Some(a),
            Step::InFlight => {
                if let Some(a) = sent.take() {
                    match radio.join() {
                        Ok(()) => join.succeed(a),
                        Err(e) => _ = join.fail(a, clock.now(), verdict(&e), &mut rng),
                    }
                }
            }
            Step::Wait(left) => {
                waits.push(left);
                clock.advance(left);
            }
            Step::TimedOut(a) => _ = join.fail(a, clock.now(), Verdict::Retry, &mut rng),
            Step::Done => break,
        }
    }
    assert_eq!(waits, [100, 150]);
    assert!(join.is_done());
}

#[test]
fn the_machine_can_own_its_settings() {
    struct Device {
        join: relent::Attempts<Retry<Exponential<u32>>>,
    }
    static SETTINGS: Retry<Exponential<u32>> = LINK;
    let mut device = Device { join: LINK.into_attempts(Instant::at(0)) };
    assert!(matches!(device.join.poll(Instant::at(0)), Step::Attempt(_)));
    // And a borrowed one has a name too, for a struct field that borrows from flash.
    let mut run: relent::Attempts<&'static Retry<Exponential<u32>>> = SETTINGS.start(Instant::at(0));
    assert!(matches!(run.poll(Instant::at(0)), Step::Attempt(_)));
}

#[test]
fn classify_infers_the_error() {
    let clock = ManualClock::new();
    let retry = Retry::new(Exponential::default()).classify(|e| match e {
        Refusal::Busy => Verdict::Retry,
        Refusal::Later(span) => Verdict::RetryAfter(*span),
        Refusal::Never => Verdict::Permanent,
    });
    let mut answers = [Refusal::Later(Duration::from_secs(9)), Refusal::Busy, Refusal::Never].into_iter();
    let gave_up = retry.run(&clock, Script::units([0.5]), || Err::<(), _>(answers.next().unwrap())).unwrap_err();
    assert_eq!((gave_up.reason(), gave_up.into_error()), (Reason::Permanent, Refusal::Never));
    assert_eq!(clock.slept(), Duration::from_millis(9_000 + 500));
    assert_eq!(retry.verdict(&Refusal::Busy), Verdict::Retry);
}

#[test]
fn classify_takes_a_function_and_limits_come_before_or_after() {
    fn judge(e: &Refusal) -> Verdict {
        if *e == Refusal::Never { Verdict::Permanent } else { Verdict::Retry }
    }
    let one = Retry::new(Constant::new(Duration::from_secs(1))).with_max_attempts(2).classify(judge);
    let other = Retry::new(Constant::new(Duration::from_secs(1))).classify(judge).with_max_attempts(2);
    for retry in [one, other] {
        let gave_up = retry.run(&ManualClock::new(), Script::new([0]), || Err::<(), _>(Refusal::Busy)).unwrap_err();
        assert_eq!(gave_up.attempts(), 2);
    }
}

#[test]
fn a_question_mark_inside_explicit_is_transient() {
    let retry = Retry::new(Constant::new(1_u32)).with_max_attempts(3).explicit();
    let gave_up = retry.run(&ManualClock::new(), Script::new([0]), || {
        let number: u8 = "seven".parse()?;
        Ok(number)
    });
    assert_eq!(gave_up.unwrap_err().attempts(), 3);
    let gave_up = retry.run(&ManualClock::new(), Script::new([0]), || {
        let number: u8 = "seven".parse().map_err(Failure::permanent)?;
        Ok(number)
    });
    let error: std::num::ParseIntError = gave_up.unwrap_err().into_error();
    assert_eq!(error, "seven".parse::<u8>().unwrap_err());
}

#[test]
fn giving_up_is_an_error_for_question_marks() {
    fn run() -> Result<u32, GaveUp<Refusal, u32>> {
        LINK.run(&ManualClock::new(), Script::units([0.5]), || Err(Refusal::Busy))
    }
    fn boxed() -> Result<u32, Box<dyn Error>> {
        Ok(run()?)
    }
    fn send() -> Result<u32, Box<dyn Error + Send + Sync>> {
        Ok(run()?)
    }
    fn any() -> anyhow::Result<u32> {
        Ok(run()?)
    }
    let text = "Busy (gave up after 6 attempts in 1317: attempts used up)";
    assert_eq!(boxed().unwrap_err().to_string(), text);
    assert_eq!(send().unwrap_err().to_string(), text);
    assert_eq!(any().unwrap_err().to_string(), text);
    // Out of the box again, with everything in it.
    let gave_up = any().unwrap_err().downcast::<GaveUp<Refusal, u32>>().unwrap();
    assert_eq!((gave_up.reason(), gave_up.into_error()), (Reason::Attempts, Refusal::Busy));
}

#[test]
fn the_operations_error_may_be_anything() {
    // Not `Error`, not `Debug`, not `'static`, not `Clone`.
    struct Bare<'a>(&'a str);
    let text = String::from("bare");
    let retry = Retry::new(Constant::new(1_u32)).with_max_attempts(2);
    let Err(gave_up) = retry.run(&ManualClock::new(), Script::new([0]), || Err::<(), _>(Bare(&text))) else { panic!() };
    assert_eq!(gave_up.into_error().0, "bare");
    let boxed = retry.run(&ManualClock::new(), Script::new([0]), || Err::<(), Box<dyn Error>>("boxed".into()));
    assert_eq!(boxed.unwrap_err().into_error().to_string(), "boxed");
    let any = retry.run(&ManualClock::new(), Script::new([0]), || Err::<(), _>(anyhow::anyhow!("any")));
    assert_eq!(any.unwrap_err().into_error().to_string(), "any");
}

#[test]
fn hooks_and_lent_worlds_infer() {
    let (mut timer, mut rng) = (Timer(0), Script::units([0.5]));
    let mut told = 0;
    let answer = LINK.on(&mut timer, &mut rng).notify(|event| told += event.attempt()).run_with(|attempt, lent| {
        lent.world.sleep(3);
        _ = rng::Rng::next_u32(lent.rng);
        if attempt.number() < 3 { Err(Refusal::Busy) } else { Ok(attempt.number()) }
    });
    assert_eq!((answer.unwrap(), told, timer.0), (3, 1 + 2, 9 + 100 + 150));
}

#[test]
fn policies_compose_as_values_and_by_reference() {
    const QUICK_THEN_SLOW: Exponential<u32> = Exponential::new(1_000);
    let policy = Constant::new(10).max_retries(2).then(QUICK_THEN_SLOW.at_most(1_200)).at_least(11);
    let tops = |rows: Vec<relent::PlanRow<u32>>| rows.iter().map(|row| row.band().hi()).collect::<Vec<_>>();
    assert_eq!(tops((&policy).plan().take(4).collect()), [11, 11, 1_200, 1_200]);
    assert_eq!(tops(policy.plan().take(4).collect()), [11, 11, 1_200, 1_200]);
    // An array, a slice, a vector.
    assert_eq!([1_u32, 2].plan().count(), 2);
    assert_eq!([1_u32, 2].as_slice().plan().count(), 2);
    assert_eq!(relent::Table::new(vec![1_u32, 2]).plan().count(), 2);
}

#[test]
fn factors_are_made_at_run_time_without_floats() -> Result<(), relent::ConfigError> {
    let policy = Exponential::new(100_u32)
        .try_with_multiplier(Factor::ratio(8, 5)?)?
        .with_jitter(Jitter::Spread(Factor::ratio(1, 5)?));
    assert_eq!(policy.plan().nth(1).map(|row| (row.nominal(), row.band().lo())), Some((Some(160), 128)));
    Ok(())
}

#[test]
fn next_matches_by_name() {
    let mut run = LINK.start(Instant::at(0));
    let Step::Attempt(attempt) = run.poll(Instant::at(0)) else { panic!() };
    match run.fail(attempt, Instant::at(0), Verdict::Retry, &mut Script::units([0.5])) {
        Next::Wait(delay) => assert_eq!(delay, 100),
        Next::GiveUp(reason) => panic!("{reason}"),
        Next::Stale => panic!("nothing timed out"),
    }
}
