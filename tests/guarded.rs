//! Limiter, breaker and retry composed: who is asked when, and what the breaker hears.

mod rig;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use relent::guard::RateLimiter;
use relent::guard::breaker::{Breaker, BreakerSettings, Consecutive, Refused, State};
use relent::guard::budget::{Budget, CostBudget, FailureKind};
use relent::guard::limiter::Denied;
use relent::guard::{Gate, Limit};
use relent::{CancelFlag, Clock, Constant, Deadline, GaveUp, GuardedError, Instant, Reason, Retry, Verdict};
use rig::{World, nothing_to_draw};

const RETRY: Retry<Constant<u32>> = Retry::new(Constant::new(100)).with_max_attempts(3);
const COOLDOWN: u32 = 5_000;

fn at(ticks: u32) -> Instant<u32> {
    Instant::at(ticks)
}

fn after(failures: u32) -> Breaker<u32> {
    Breaker::new(BreakerSettings::new(COOLDOWN), Consecutive::new(failures))
}

/// A breaker that is open since 0.
fn open() -> Breaker<u32> {
    let mut breaker = after(1);
    let permit = breaker.admit(at(0)).unwrap();
    breaker.failure(permit, at(0), &mut nothing_to_draw());
    breaker
}

fn gave_up<T: std::fmt::Debug, E: std::fmt::Debug>(result: Result<T, GuardedError<E, u32>>) -> GaveUp<E, u32> {
    match result {
        Err(GuardedError::GaveUp(gave_up)) => gave_up,
        other => panic!("{other:?}"),
    }
}

/// Breaker and limiter that write down when they are asked.
struct Noted<'a, T>(&'a str, &'a RefCell<Vec<String>>, T);

impl<T> Noted<'_, T> {
    fn note(&self, what: &str) {
        self.1.borrow_mut().push(format!("{} {what}", self.0));
    }
}

impl<G: Gate<u32>> Gate<u32> for Noted<'_, G> {
    fn admit(&mut self, now: Instant<u32>) -> Result<relent::guard::breaker::Permit, Refused<u32>> {
        self.note("admit");
        self.2.admit(now)
    }
    fn refusal(&self, permit: &relent::guard::breaker::Permit, now: Instant<u32>) -> Option<u32> {
        self.note("look");
        self.2.refusal(permit, now)
    }
    fn record<R: relent::rng::Rng + ?Sized>(
        &mut self,
        permit: relent::guard::breaker::Permit,
        outcome: relent::guard::breaker::Outcome,
        now: Instant<u32>,
        rng: &mut R,
    ) {
        self.note(&format!("{outcome:?} at {now:?}"));
        self.2.record(permit, outcome, now, rng);
    }
    fn give_back(&mut self, permit: relent::guard::breaker::Permit) {
        self.note("give back");
        self.2.give_back(permit);
    }
}

impl<L: Limit<u32>> Limit<u32> for Noted<'_, L> {
    fn take(&mut self, now: Instant<u32>) -> Result<(), Denied<u32>> {
        self.note("take");
        self.2.take(now)
    }
}

struct NotedBudget<'a>(&'a RefCell<Vec<String>>);

impl Budget<u32> for NotedBudget<'_> {
    fn try_spend(&mut self, _: FailureKind, _: Instant<u32>) -> Option<relent::guard::budget::Spent> {
        self.0.borrow_mut().push("budget".into());
        Some(relent::guard::budget::Spent::new(1))
    }
}

/// Runs with all layers, notes who is asked, and gives the notes and how it ended.
fn noted(answers: &[Result<(), &'static str>], verdict: Verdict<u32>) -> Vec<String> {
    let (log, world) = (RefCell::new(Vec::new()), World::new());
    let (mut breaker, mut limiter) = (after(9), RateLimiter::every(1));
    let retry = RETRY.classify(move |_: &&str| verdict);
    let run = retry.on(&world, nothing_to_draw()).budget(NotedBudget(&log));
    let guarded = run.guarded(Noted("breaker", &log, &mut breaker)).limiter(Noted("limiter", &log, &mut limiter));
    _ = guarded.run(|| {
        log.borrow_mut().push("call".into());
        world.call(10, answers[world.calls().min(answers.len() - 1)])
    });
    log.take()
}

#[test]
fn the_layers_are_asked_from_outside_in_and_the_breaker_hears_one_outcome() {
    let retries = ["breaker look", "budget", "breaker look", "call"];
    let begin = ["limiter take", "breaker admit", "call"];
    let thrice = [&begin[..], &retries, &retries].concat();
    let down = noted(&[Err("down")], Verdict::Retry);
    assert_eq!(down, [&thrice[..], &["breaker Failure at Instant(230)"]].concat());
    let late = noted(&[Err("down"), Err("down"), Ok(())], Verdict::Retry);
    assert_eq!(late, [&thrice[..], &["breaker Success at Instant(230)"]].concat());
    let at_once = noted(&[Ok(())], Verdict::Retry);
    assert_eq!(at_once, [&begin[..], &["breaker Success at Instant(10)"]].concat());
    let permanent = noted(&[Err("no such thing")], Verdict::Permanent);
    assert_eq!(permanent, [&begin[..], &["breaker Ignored at Instant(10)"]].concat());
}

#[test]
fn a_limiters_refusal_does_not_use_a_half_open_trial() {
    let (world, mut breaker) = (World::starting_at(COOLDOWN), open());
    let mut limiter = RateLimiter::every(1_000);
    limiter.check(at(COOLDOWN)).unwrap();
    let run = RETRY.on(&world, nothing_to_draw()).guarded(&mut breaker).limiter(&mut limiter);
    assert_eq!(run.run(|| world.call(0, Ok::<_, &str>(()))), Err(GuardedError::Limited(Denied::NotYet(1_000))));
    assert_eq!((world.calls(), breaker.trials_out(), breaker.state(at(COOLDOWN))), (0, 0, State::HalfOpen));
    // The trial is still there for the next.
    world.clock.advance(1_000);
    let run = RETRY.on(&world, nothing_to_draw()).guarded(&mut breaker).limiter(&mut limiter);
    assert_eq!(run.run(|| world.call(0, Ok::<_, &str>(7))), Ok(7));
    assert_eq!(breaker.state(at(COOLDOWN + 1_000)), State::Closed);
}

#[test]
fn a_breakers_refusal_calls_and_spends_nothing() {
    let (world, mut breaker, mut budget) = (World::starting_at(2_000), open(), CostBudget::new(10));
    let run = RETRY.on(&world, nothing_to_draw()).budget(&mut budget).guarded(&mut breaker);
    let refused = run.run(|| world.call(0, Err::<(), _>("down"))).unwrap_err();
    assert_eq!(refused, GuardedError::Refused(Refused::new(State::Open, 3_000)));
    assert_eq!((refused.to_string(), refused.into_error()), ("the breaker is open".into(), None));
    assert_eq!((world.calls(), budget.tokens()), (0, 10));
}

/// A run through a breaker, and why it ends.
type Ends<'a> = (&'a dyn Fn(&mut Breaker<u32>) -> GaveUp<&'static str, u32>, Reason<u32>);

#[test]
fn permanent_and_cancelled_say_nothing_about_the_other_side() {
    let (world, flag) = (World::new(), CancelFlag::new());
    flag.cancel(1.try_into().unwrap());
    let mut breaker = after(1);
    let permanent = RETRY.classify(|_: &&str| Verdict::Permanent);
    for _ in 0..3 {
        let run = permanent.on(&world, nothing_to_draw()).guarded(&mut breaker);
        assert_eq!(gave_up(run.run(|| world.call(0, Err::<(), _>("no")))).reason(), Reason::Permanent);
        let run = RETRY.on(&world, nothing_to_draw()).cancel(&flag).guarded(&mut breaker);
        assert_eq!(gave_up(run.run(|| world.call(0, Err::<(), _>("down")))).reason(), Reason::Cancelled);
        assert_eq!(breaker.state(world.now()), State::Closed);
    }
    // As a trial it is given back, so the next is let in.
    let mut breaker = open();
    world.clock.set(at(COOLDOWN));
    let run = permanent.on(&world, nothing_to_draw()).guarded(&mut breaker);
    assert_eq!(gave_up(run.run(|| world.call(0, Err::<(), _>("no")))).reason(), Reason::Permanent);
    assert_eq!((breaker.state(world.now()), breaker.trials_out()), (State::HalfOpen, 0));
    // Every other end is a failure: attempts, limit, deadline, budget.
    let world = World::new();
    let fail = || world.call(0, Err::<(), _>("down"));
    let past = Deadline::after(at(0), 0);
    let limited = RETRY.with_max_elapsed(0);
    let ends: [Ends<'_>; 4] = [
        (&|b| gave_up(RETRY.on(&world, nothing_to_draw()).guarded(b).run(fail)), Reason::Attempts),
        (
            &|b| gave_up(limited.on(&world, nothing_to_draw()).guarded(b).run(fail)),
            Reason::TimeLimit { limit: 0, delay: 100 },
        ),
        (
            &|b| gave_up(RETRY.on(&world, nothing_to_draw()).deadline(past).guarded(b).run(fail)),
            Reason::Deadline { left: 0, delay: 100 },
        ),
        (
            &|b| gave_up(RETRY.on(&world, nothing_to_draw()).budget(CostBudget::new(0)).guarded(b).run(fail)),
            Reason::Budget,
        ),
    ];
    for (end, reason) in ends {
        let mut breaker = after(1);
        assert_eq!(end(&mut breaker).reason(), reason);
        assert_eq!(breaker.state(world.now()), State::Open, "{reason}");
    }
}

#[test]
fn an_operation_that_panics_gives_the_permit_back() {
    let (world, mut breaker) = (World::starting_at(COOLDOWN), open());
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        let run = RETRY.on(&world, nothing_to_draw()).guarded(&mut breaker);
        run.run(|| -> Result<(), &str> { panic!("as the test wants") })
    }));
    assert!(unwound.is_err());
    assert_eq!((breaker.state(world.now()), breaker.trials_out()), (State::HalfOpen, 0));
    let run = RETRY.on(&world, nothing_to_draw()).guarded(&mut breaker);
    assert_eq!(run.run(|| Ok::<_, &str>(7)), Ok(7), "the only permit was there to take");
}

#[test]
fn a_trial_is_one_call_with_its_retries() {
    let (world, mut breaker) = (World::starting_at(COOLDOWN), open());
    let mut run = |answers: [Result<u32, &'static str>; 3]| {
        let before = world.calls();
        let run = RETRY.on(&world, nothing_to_draw()).guarded(&mut breaker);
        run.run(|| world.call(0, answers[world.calls() - before]))
    };
    // Two failures of a trial are not yet its outcome.
    assert_eq!(run([Err("starting"), Err("starting"), Ok(7)]), Ok(7));
    assert_eq!(run([Err("down"); 3]).unwrap_err().into_error(), Some("down"));
    // Three failed attempts of one call are one failure.
    let mut breaker = after(2);
    let run = RETRY.on(&world, nothing_to_draw()).guarded(&mut breaker);
    assert_eq!(gave_up(run.run(|| Err::<(), _>("down"))).attempts(), 3);
    assert_eq!(breaker.state(world.now()), State::Closed);
}

#[cfg(feature = "std")]
mod shared {
    use super::*;
    use relent::testing::ManualClock;
    use relent::{Next, Shared};

    /// Another caller of the same breaker trips it.
    fn trip(breaker: &Shared<Breaker<u32>>, now: Instant<u32>) {
        breaker.admit(now).unwrap().failure(now, &mut nothing_to_draw());
    }

    #[test]
    fn a_breaker_opened_by_others_meanwhile_stops_the_retry_and_no_budget_is_spent() {
        let (world, breaker, mut budget) = (World::new(), Shared::new(after(1)), CostBudget::new(500));
        let mut told = Vec::new();
        let run = RETRY.on(&world, nothing_to_draw()).notify(|event| told.push(event.next()));
        let run = run.budget(&mut budget).guarded(&breaker);
        let gave_up = gave_up(run.run(|| {
            let error = world.call(40, Err::<(), _>("down"));
            if world.calls() == 2 {
                trip(&breaker, world.now());
            }
            error
        }));
        let reason = Reason::BreakerOpen { remaining: COOLDOWN };
        assert_eq!((gave_up.reason(), gave_up.attempts(), gave_up.elapsed()), (reason, 2, 180));
        assert_eq!(gave_up.into_error(), "down");
        assert_eq!(told, [Next::Wait(100), Next::GiveUp(reason)]);
        assert_eq!(budget.tokens(), 500 - 5, "paid for the one retry that was made");
        assert_eq!(reason.to_string(), "the breaker is open for 5000 more");
    }

    #[test]
    fn a_breaker_opened_by_others_during_the_wait_stops_the_retry_on_waking() {
        let (world, breaker) = (World::new(), Shared::new(after(1)));
        let mut told = Vec::new();
        let run = RETRY.on(&world, nothing_to_draw()).notify(|event| {
            told.push(event.next());
            if told.len() == 1 {
                trip(&breaker, at(10));
            }
        });
        let gave_up = gave_up(run.guarded(&breaker).run(|| world.call(10, Err::<(), _>("down"))));
        let reason = Reason::BreakerOpen { remaining: COOLDOWN - 100 };
        assert_eq!((gave_up.reason(), gave_up.attempts()), (reason, 1));
        assert_eq!(told, [Next::Wait(100), Next::GiveUp(reason)]);
    }

    #[test]
    fn while_half_open_only_its_trials_are_tried_again() {
        // Let through while closed; opened by others, and the cooldown is over when the wait is: the trials are for others to make.
        let slow = Retry::new(Constant::new(2 * COOLDOWN)).with_max_attempts(2);
        let (world, breaker) = (World::new(), Shared::new(after(1)));
        let run = slow.on(&world, nothing_to_draw()).notify(|event| {
            if event.next() == Next::Wait(2 * COOLDOWN) {
                trip(&breaker, at(0));
            }
        });
        let ended = gave_up(run.guarded(&breaker).run(|| world.call(0, Err::<(), _>("down"))));
        assert_eq!((ended.reason(), ended.attempts()), (Reason::BreakerOpen { remaining: 0 }, 1));
        assert_eq!(breaker.state(world.now()), State::HalfOpen);
        // A trial is tried again, as long as it is awaited: one cooldown, unless set otherwise.
        let ended = gave_up(slow.on(&world, nothing_to_draw()).guarded(&breaker).run(|| Err::<(), _>("down")));
        assert_eq!((ended.reason(), ended.attempts()), (Reason::BreakerOpen { remaining: 0 }, 1));
        let awaited = BreakerSettings::new(COOLDOWN).with_reclaim_after(3 * COOLDOWN);
        let breaker = Shared::new(Breaker::new(awaited, Consecutive::new(1)));
        trip(&breaker, world.now());
        world.clock.advance(COOLDOWN);
        let before = world.calls();
        let run = slow.on(&world, nothing_to_draw()).guarded(&breaker);
        assert_eq!(run.run(|| world.call(0, if world.calls() - before < 1 { Err("down") } else { Ok(7) })), Ok(7));
        assert_eq!(breaker.state(world.now()), State::Closed);
        // And once it has closed again everybody is.
        let run = slow.on(&world, nothing_to_draw()).notify(|event| {
            if event.attempt() == 1 {
                trip(&breaker, world.now());
                let later = world.now().after(COOLDOWN);
                breaker.admit(later).unwrap().success(later);
            }
        });
        assert_eq!(gave_up(run.guarded(&breaker).run(|| Err::<(), _>("down"))).attempts(), 2);
    }

    #[test]
    fn an_operation_that_panics_gives_a_shared_permit_back() {
        let (clock, breaker) = (ManualClock::starting_at(at(COOLDOWN)), Shared::new(open()));
        let limiter = Shared::new(RateLimiter::every(1).with_burst(2));
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            let run = RETRY.on(&clock, nothing_to_draw()).guarded(&breaker).limiter(&limiter);
            run.run(|| -> Result<(), &str> { panic!("as the test wants") })
        }));
        assert!(unwound.is_err());
        assert_eq!(breaker.with(|b| b.trials_out()), 0);
        let run = RETRY.on(&clock, nothing_to_draw()).guarded(&breaker).limiter(&limiter);
        assert_eq!(run.run(|| Ok::<_, &str>(7)), Ok(7));
        assert_eq!(breaker.state(clock.now()), State::Closed);
        assert!(limiter.check(clock.now()).is_err(), "both calls were counted");
    }

    #[test]
    fn the_lock_is_not_held_while_the_operation_runs() {
        let (clock, breaker) = (ManualClock::new(), Shared::new(after(1)));
        let run = RETRY.on(&clock, nothing_to_draw()).guarded(&breaker);
        // The operation calls through the same breaker.
        assert_eq!(
            run.run(|| breaker.call(&clock, &mut nothing_to_draw(), || Ok::<_, &str>(7)).map_err(|_| "inner")),
            Ok(7)
        );
    }
}
