//! Guards shared by threads: the counts hold whoever comes when, and a panic loses nothing.

#![cfg(feature = "std")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use relent::guard::RateLimiter;
use relent::guard::breaker::{
    Breaker, BreakerSettings, Consecutive, LastOutcomes, Outcome, State, Threshold, Transition,
};
use relent::guard::budget::{Budget, CostBudget, FailureKind, RatioBudget};
use relent::rng::{Rng, SeedableRng, Xoshiro128PlusPlus};
use relent::testing::ManualClock;
use relent::{Instant, Jitter, Shared, SharedPermit, rng};

const THREADS: u32 = 8;

fn at(t: u32) -> Instant<u32> {
    Instant::at(t)
}

fn none() -> impl Rng {
    rng::from_fn(|| panic!("nothing to draw"))
}

/// Runs `work` on all threads at once, each with its own generator.
fn hammer(work: impl Fn(Xoshiro128PlusPlus) + Sync) {
    thread::scope(|scope| {
        for n in 0..THREADS {
            let work = &work;
            scope.spawn(move || work(Xoshiro128PlusPlus::seed_from_u64(n.into())));
        }
    });
}

#[test]
fn no_more_trials_are_out_than_there_are_permits() {
    let settings = BreakerSettings::new(100_u32).with_permits(3).with_successes(u32::MAX);
    let breaker = Shared::new(Breaker::new(settings, Consecutive::new(1)));
    breaker.admit(at(0)).unwrap().failure(at(0), &mut none());
    let (out, trials) = (AtomicU32::new(0), AtomicU32::new(0));
    // Frozen at the end of the cooldown: no permit is taken back for its age.
    hammer(|mut rng| {
        for _ in 0..20_000 {
            let Ok(permit) = breaker.admit(at(100)) else { continue };
            assert!(out.fetch_add(1, Ordering::SeqCst) < 3);
            trials.fetch_add(1, Ordering::SeqCst);
            if rng.next_u32() % 8 == 0 {
                thread::yield_now();
            }
            out.fetch_sub(1, Ordering::SeqCst);
            match rng.next_u32() & 3 {
                0 => permit.success(at(100)),
                1 => permit.record(Outcome::Ignored, at(100), &mut none()),
                2 => drop(permit),
                _ => {
                    let unwound = catch_unwind(AssertUnwindSafe(|| {
                        let _held = permit;
                        std::panic::resume_unwind(Box::new(()));
                    }));
                    assert!(unwound.is_err());
                }
            }
        }
    });
    assert!(trials.into_inner() > 1_000);
    let breaker = breaker.into_inner();
    assert_eq!((breaker.state(at(100)), breaker.trials_out()), (State::HalfOpen, 0));
}

#[test]
fn transitions_alternate_however_the_threads_mix() {
    let seen = std::sync::Mutex::new(Vec::new());
    let window = LastOutcomes::<1>::new(8, Threshold::rate(1, 2).with_min_volume(4));
    let observer = |t: Transition<u32>| seen.lock().unwrap().push(t);
    let breaker = Shared::new(Breaker::new(BreakerSettings::new(50_u32), window).with_observer(observer));
    let time = AtomicU32::new(0);
    hammer(|mut rng| {
        for _ in 0..20_000 {
            let now = at(time.fetch_add(1, Ordering::SeqCst));
            if let Ok(permit) = breaker.admit(now) {
                let outcome = if rng.next_u32() & 1 == 0 { Outcome::Success } else { Outcome::Failure };
                permit.record(outcome, now, &mut none());
            }
        }
    });
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    assert!(seen.len() > 100);
    let mut state = State::Closed;
    for transition in seen {
        state = match (state, transition) {
            (State::Closed | State::HalfOpen, Transition::Opened(50)) => State::Open,
            (State::Open, Transition::HalfOpened) => State::HalfOpen,
            (State::HalfOpen, Transition::Closed) => State::Closed,
            other => panic!("{other:?}"),
        };
    }
}

#[test]
fn a_limiter_grants_its_burst_once_and_serves_waiters_in_line() {
    let limiter = Shared::new(RateLimiter::every(10_u32).with_burst(1_000));
    let granted = AtomicU32::new(0);
    hammer(|_| {
        for _ in 0..1_000 {
            granted.fetch_add(u32::from(limiter.check(at(0)).is_ok()), Ordering::SeqCst);
        }
    });
    assert_eq!(granted.into_inner(), 1_000);
    let waits = std::sync::Mutex::new(Vec::new());
    hammer(|_| {
        let clock = ManualClock::starting_at(at(0));
        let wait = limiter.wait(&mut &clock);
        waits.lock().unwrap().push(wait);
    });
    let mut waits = waits.into_inner().unwrap();
    waits.sort_unstable();
    assert_eq!(waits, [10, 20, 30, 40, 50, 60, 70, 80]);
    assert_eq!(limiter.check_n(2_000, at(0)), Err(relent::guard::limiter::Denied::Never));
}

#[test]
fn a_budget_is_never_overspent() {
    let budget = Shared::new(RatioBudget::<u32>::new(1, 4).with_ceiling(u32::MAX));
    let retries = AtomicU32::new(0);
    hammer(|_| {
        let mut budget = &budget;
        for _ in 0..10_000 {
            budget.on_call(at(0));
            budget.on_failure(FailureKind::Transient, at(0));
            let spent = budget.try_spend(FailureKind::Transient, at(0));
            retries.fetch_add(u32::from(spent.is_some()), Ordering::SeqCst);
            if spent.is_some() {
                budget.on_success(spent, at(0));
            }
        }
    });
    assert_eq!(retries.into_inner(), THREADS * 10_000 / 4);
    let costs = Shared::new(CostBudget::new(500));
    hammer(|_| {
        let mut costs = &costs;
        for _ in 0..10_000 {
            let spent = costs.try_spend(FailureKind::Timeout, at(0));
            if spent.is_some() {
                costs.on_success(spent, at(0));
            }
        }
    });
    assert_eq!(costs.with(|budget| budget.tokens()), 500);
}

#[test]
fn a_call_that_panics_gives_its_permit_back_and_others_go_on() {
    let clock = ManualClock::starting_at(at(0));
    let breaker = Shared::new(Breaker::new(BreakerSettings::new(10_u32), Consecutive::new(1)));
    breaker.admit(at(0)).unwrap().failure(at(0), &mut none());
    clock.advance(10);
    let call = || breaker.call(&clock, &mut none(), || -> Result<(), ()> { std::panic::resume_unwind(Box::new(())) });
    assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
    assert_eq!(breaker.with(|b| b.trials_out()), 0);
    assert!(breaker.call(&clock, &mut none(), || Ok::<_, ()>(())).is_ok());
    assert_eq!(breaker.state(at(10)), State::Closed);
}

#[test]
fn an_observer_that_panics_leaves_the_breaker_in_order() {
    let observer = |t: Transition<u32>| assert_eq!(t, Transition::Closed, "as this test wants it");
    let breaker = Shared::new(Breaker::new(BreakerSettings::new(10_u32), Consecutive::new(1)).with_observer(observer));
    let permit = breaker.admit(at(0)).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| permit.failure(at(0), &mut none()))).is_err());
    assert_eq!((breaker.state(at(3)), breaker.remaining(at(3))), (State::Open, 7));
}

#[test]
fn a_generator_that_panics_leaves_the_breaker_in_order() {
    let settings = BreakerSettings::new(10_u32).with_growth(2.0).with_jitter(Jitter::Full);
    let breaker = Shared::new(Breaker::new(settings, Consecutive::new(1)));
    let mut highest = rng::from_fn(|| u32::MAX);
    let fails = |now, permit: SharedPermit<'_, u32, Consecutive, ()>| {
        let mut broken = rng::from_fn(|| panic!("as this test wants it"));
        assert!(catch_unwind(AssertUnwindSafe(|| permit.failure(now, &mut broken))).is_err());
    };
    fails(at(0), breaker.admit(at(0)).unwrap());
    assert_eq!(breaker.state(at(0)), State::Closed);
    breaker.admit(at(0)).unwrap().failure(at(0), &mut highest);
    assert_eq!(breaker.remaining(at(0)), 10);
    fails(at(10), breaker.admit(at(10)).unwrap());
    assert_eq!((breaker.state(at(10)), breaker.with(|b| b.trials_out())), (State::HalfOpen, 0));
    breaker.admit(at(10)).unwrap().failure(at(10), &mut highest);
    assert_eq!(breaker.remaining(at(10)), 20, "the cooldown has grown once");
}
