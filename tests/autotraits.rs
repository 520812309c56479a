//! Which values may cross threads, be pinned, and survive a caught panic: a promise, as taking one away breaks callers.

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::time::Duration;

use relent::policy::{AtLeast, AtMost, Counted, Drawn, Growth, MaxRetries, Pair, Position, Ramp, Then, ThenState};
use relent::testing::{ManualClock, Script};
use relent::*;

const fn everything<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe>() {}
const fn sendable<T: Send + Unpin + UnwindSafe>() {}
const fn copies<T: Copy>() {}

macro_rules! all {
    ($check:ident: $($t:ty),* $(,)?) => {
        $($check::<$t>();)*
    };
}

macro_rules! promises {
    ($S:ty) => {
        // Words.
        all!(everything: Band<$S>, Jitter<$S>, Instant<$S>, Verdict<$S>, Failure<String, $S>, Reason<$S>, Next<$S>);
        all!(copies: Band<$S>, Jitter<$S>, Instant<$S>, Verdict<$S>, Reason<$S>, Next<$S>);
        // Policies and their states.
        all!(everything: Exponential<$S>, Constant<$S>, Linear<$S>, Fibonacci<$S>, Decorrelated<$S>, Zero<$S>, Never<$S>);
        all!(copies: Exponential<$S>, Constant<$S>, Linear<$S>, Fibonacci<$S>, Decorrelated<$S>, Zero<$S>, Never<$S>);
        all!(everything: Table<Vec<$S>, $S>, AtMost<Constant<$S>>, AtLeast<Constant<$S>>, MaxRetries<Constant<$S>>);
        all!(everything: Then<Constant<$S>, Zero<$S>>, Growth<$S>, Ramp<$S>, Pair<$S>, Drawn<$S>);
        all!(everything: Delays<Constant<$S>, Script<1>>, Plan<Exponential<$S>>, PlanRow<$S>);
        // Settings, runs, outcomes.
        all!(everything: Retry<Exponential<$S>>, Retry<Exponential<$S>, Explicit>, Limits<$S>);
        all!(copies: Retry<Exponential<$S>>, Retry<Exponential<$S>, Explicit>, Limits<$S>);
        all!(everything: Attempts<Retry<Exponential<$S>>>, Attempts<&'static Retry<Exponential<$S>>>);
        all!(everything: Attempt<$S>, Step<$S>, GaveUp<String, $S>, Event<'static, String, $S>);
        all!(sendable: Run<'static, Exponential<$S>, Always, (), (), Silent>, ManualClock<$S>);
    };
}

const _: () = {
    promises!(u32);
    promises!(u64);
    promises!(Duration);
    everything::<Factor>();
    everything::<ConfigError>();
    everything::<Position>();
    everything::<Counted<()>>();
    everything::<ThenState<(), ()>>();
    everything::<Script<4>>();
    everything::<Always>();
    everything::<Explicit>();
    copies::<Factor>();
};

#[cfg(feature = "std")]
const _: () = {
    everything::<System>();
    sendable::<rng::FromOs>();
};

#[test]
fn a_run_crosses_threads() {
    let mut run = Retry::new(Constant::new(5_u32)).into_attempts(Instant::at(0));
    let Step::Attempt(attempt) = run.poll(Instant::at(0)) else { panic!() };
    let next = std::thread::spawn(move || run.fail(attempt, Instant::at(1), Verdict::Retry, &mut Script::new([0])));
    assert_eq!(next.join().unwrap(), Next::Wait(5));
}

#[test]
fn settings_are_shared_by_threads_without_a_lock() {
    static SETTINGS: Retry<Exponential<u32>> = Retry::new(Exponential::new(100)).with_max_attempts(4);
    let attempts = || {
        std::thread::spawn(|| {
            SETTINGS.run(&ManualClock::new(), Script::units([0.5]), || Err::<(), _>(())).unwrap_err().attempts()
        })
    };
    let threads: Vec<_> = (0..4).map(|_| attempts()).collect();
    assert!(threads.into_iter().all(|thread| thread.join().unwrap() == 4));
}
