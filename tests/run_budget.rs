//! A run whose retries come out of a budget (R5, R12), and one whose attempts share a key.

mod rig;

use std::cell::{Cell, RefCell};

use relent::guard::budget::{Budget, FailureKind, Spent};
use relent::testing::{ManualClock, Script};
use relent::{CancelFlag, Constant, Deadline, IdempotencyKey, Instant, Never, Reason, Retry, Span, Step, Verdict};
use rig::nothing_to_draw;

fn at(ticks: u32) -> Instant<u32> {
    Instant::at(ticks)
}

/// A budget that writes down what it hears, and has so much to give.
#[derive(Default)]
struct Purse {
    left: Cell<u32>,
    heard: RefCell<Vec<Heard>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Heard {
    Call,
    Failure(FailureKind),
    Asked,
    Success(Option<Spent>),
}

impl Purse {
    fn with(left: u32) -> Self {
        Self { left: Cell::new(left), heard: RefCell::default() }
    }

    fn heard(&self) -> Vec<Heard> {
        self.heard.take()
    }
}

impl<S: Span> Budget<S> for &Purse {
    fn on_call(&mut self, _: Instant<S>) {
        self.heard.borrow_mut().push(Heard::Call);
    }
    fn on_failure(&mut self, kind: FailureKind, _: Instant<S>) {
        self.heard.borrow_mut().push(Heard::Failure(kind));
    }
    fn on_success(&mut self, last: Option<Spent>, _: Instant<S>) {
        self.heard.borrow_mut().push(Heard::Success(last));
    }
    fn try_spend(&mut self, _: FailureKind, _: Instant<S>) -> Option<Spent> {
        self.heard.borrow_mut().push(Heard::Asked);
        self.left.set(self.left.get().checked_sub(1)?);
        Some(Spent::new(self.left.get()))
    }
}

const TRANSIENT: Heard = Heard::Failure(FailureKind::Transient);

#[test]
fn r5_the_budget_is_told_every_verdict_and_asked_last() {
    // Whatever else stops the run, the failure is told and nothing is asked for.
    type Stop<'a> = (&'a str, &'a dyn Fn(&Purse) -> Reason<u32>, FailureKind);
    let fail = || Err::<(), _>("T");
    let clock = ManualClock::new();
    let retry = Retry::new(Constant::new(1_000_u32));
    let (flag, deadline) = (CancelFlag::new(), Deadline::after(at(0), 1_000));
    flag.cancel(1.try_into().unwrap());
    let stops: [Stop<'_>; 7] = [
        (
            "permanent",
            &|purse| {
                let retry = retry.classify(|_: &&str| Verdict::Permanent);
                retry.on(&clock, nothing_to_draw()).budget(purse).run(fail).unwrap_err().reason()
            },
            FailureKind::Permanent,
        ),
        (
            "cancelled",
            &|purse| {
                let run = retry.on(&clock, nothing_to_draw()).budget(purse).cancel(&flag);
                run.run(fail).unwrap_err().reason()
            },
            FailureKind::Transient,
        ),
        (
            "attempts",
            &|purse| {
                let retry = retry.with_max_attempts(1);
                retry.on(&clock, nothing_to_draw()).budget(purse).run(fail).unwrap_err().reason()
            },
            FailureKind::Transient,
        ),
        (
            "policy",
            &|purse| {
                let retry = Retry::new(Never::<u32>::new());
                retry.on(&clock, nothing_to_draw()).budget(purse).run(fail).unwrap_err().reason()
            },
            FailureKind::Transient,
        ),
        (
            "hint",
            &|purse| {
                let retry = retry.with_max_hint(10).classify(|_: &&str| Verdict::RetryAfter(20));
                retry.on(&clock, nothing_to_draw()).budget(purse).run(fail).unwrap_err().reason()
            },
            FailureKind::Throttled,
        ),
        (
            "time limit",
            &|purse| {
                let retry = retry.with_max_elapsed(999);
                retry.on(&clock, nothing_to_draw()).budget(purse).run(fail).unwrap_err().reason()
            },
            FailureKind::Transient,
        ),
        (
            "deadline",
            &|purse| {
                let run = retry.on(&clock, nothing_to_draw()).budget(purse).deadline(deadline);
                run.run(fail).unwrap_err().reason()
            },
            FailureKind::Transient,
        ),
    ];
    let mut reasons = Vec::new();
    for (name, stop, kind) in stops {
        let purse = Purse::with(9);
        reasons.push(stop(&purse));
        assert_eq!(purse.heard(), [Heard::Call, Heard::Failure(kind)], "{name}");
        assert_eq!(purse.left.get(), 9, "{name}");
    }
    assert_eq!(
        reasons,
        [
            Reason::Permanent,
            Reason::Cancelled,
            Reason::Attempts,
            Reason::PolicyEnded,
            Reason::HintTooLong { asked: 20, left: 10 },
            Reason::TimeLimit { limit: 999, delay: 1_000 },
            Reason::Deadline { left: 1_000, delay: 1_000 },
        ]
    );
}

#[test]
fn r12_the_budget_hears_all_of_a_call() {
    let purse = Purse::with(9);
    let (clock, mut calls) = (ManualClock::<u32>::new(), 0);
    let retry = Retry::new(Constant::new(1_000_u32));
    let mut run = |fails: u32| {
        calls = 0;
        retry.on(&clock, nothing_to_draw()).budget(&purse).run(|| {
            calls += 1;
            if calls <= fails { Err(calls) } else { Ok(()) }
        })
    };
    assert_eq!(run(0), Ok(()));
    assert_eq!(purse.heard(), [Heard::Call, Heard::Success(None)]);
    assert_eq!(run(2), Ok(()));
    // Success gives back what the latest retry has cost, which this purse numbers: 8, then 7.
    let asked = [TRANSIENT, Heard::Asked];
    let heard = [[Heard::Call].as_slice(), &asked, &asked, &[Heard::Success(Some(Spent::new(7)))]].concat();
    assert_eq!(purse.heard(), heard);
    // The next call starts with none of its own.
    assert_eq!(run(0), Ok(()));
    assert_eq!(purse.heard(), [Heard::Call, Heard::Success(None)]);
    // Used up: told, asked, refused.
    purse.left.set(0);
    let gave_up = run(9).unwrap_err();
    assert_eq!((gave_up.reason(), gave_up.attempts(), gave_up.into_error()), (Reason::Budget, 1, 1));
    assert_eq!(purse.heard(), [Heard::Call, TRANSIENT, Heard::Asked]);
}

#[test]
fn a_key_is_drawn_once_and_is_the_same_for_every_attempt() {
    let clock = ManualClock::<u32>::new();
    let mut script = Script::new([11, 22, 33, 44]);
    let expected = IdempotencyKey::new(&mut script.clone());
    let mut keys = Vec::new();
    let retry = Retry::new(Constant::new(10_u32)).with_max_attempts(4);
    _ = retry.on(&clock, &mut script).keyed().run_with(|attempt, _| {
        keys.push(attempt.key());
        Err::<(), _>("T")
    });
    assert_eq!(keys, [Some(expected); 4]);
    // Polled, and after a time-out too.
    let retry = retry.with_attempt_timeout(5);
    let mut run = retry.start(at(0)).key(expected);
    let Step::Attempt(first) = run.poll(at(0)) else { panic!("due at once") };
    let Step::TimedOut(again) = run.poll(at(5)) else { panic!("timed out") };
    assert_eq!([first.key(), again.key()], [Some(expected); 2]);
    // Without one there is none, and another run draws another.
    let mut without = Vec::new();
    _ = retry.on(&clock, Script::new([0])).run_with(|attempt, _| {
        without.push(attempt.key());
        Err::<(), _>("T")
    });
    assert_eq!(without, [None; 4]);
    _ = retry.on(&clock, &mut script).keyed().run_with(|attempt, _| {
        assert_ne!(attempt.key(), Some(expected));
        Ok::<_, ()>(())
    });
}

/// R12: each kind of retry has its price, and the run knows which attempts took all their time.
#[test]
fn r12_an_attempt_that_took_its_whole_time_is_charged_as_a_time_out() {
    let retry = Retry::new(Constant::new(1_u32)).with_max_attempts(5).with_attempt_timeout(50);
    let script = [
        (49, Verdict::Retry, FailureKind::Transient),
        (50, Verdict::Retry, FailureKind::Timeout),
        (60, Verdict::RetryAfter(7), FailureKind::Throttled),
        (50, Verdict::NotBefore(7), FailureKind::Throttled),
        (90, Verdict::Permanent, FailureKind::Permanent),
    ];
    let told = script.map(|(.., kind)| kind);
    let failures = |heard: Vec<Heard>| {
        let kinds =
            heard.into_iter().filter_map(|heard| if let Heard::Failure(kind) = heard { Some(kind) } else { None });
        kinds.collect::<Vec<_>>()
    };

    let (clock, purse) = (ManualClock::new(), Purse::with(9));
    let by_index = retry.classify(|index: &usize| script[*index].1);
    let mut calls = 0;
    let run = by_index.on(&clock, nothing_to_draw()).budget(&purse);
    _ = run.run(|| {
        clock.advance(script[calls].0);
        calls += 1;
        Err::<(), _>(calls - 1)
    });
    assert_eq!(failures(purse.heard()), told);

    // A time-out that the machine reports itself, and a token that is reported late without being polled.
    let mut run = retry.start(at(0)).budget(&purse);
    let Step::Attempt(_lost) = run.poll(at(0)) else { panic!("the first is due") };
    let Step::TimedOut(fresh) = run.poll(at(50)) else { panic!("it took too long") };
    _ = run.fail(fresh, at(50), Verdict::Retry, &mut nothing_to_draw());
    let Step::Attempt(late) = run.poll(at(51)) else { panic!("the second is due") };
    _ = run.fail(late, at(101), Verdict::Retry, &mut nothing_to_draw());
    assert_eq!(failures(purse.heard()), [FailureKind::Timeout, FailureKind::Timeout]);
}
