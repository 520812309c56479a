//! What a guard costs, beside `governor` in the same run: `cargo bench --bench guards`.
//!
//! Each line is the best of 51 rounds of 200 000; the marks are those of the design.

use std::hint::black_box;
use std::num::NonZeroU32;
use std::time::{Duration, Instant as Wall};

use governor::clock::FakeRelativeClock;
use governor::{Quota, RateLimiter as Governor};
use relent::guard::breaker::{
    Breaker, BreakerSettings, Consecutive, LastOutcomes, LastSpan, Outcome, Threshold, Window,
};
use relent::guard::budget::{Budget, CostBudget, FailureKind, RatioBudget, ThrottleBudget};
use relent::guard::{DutyCycle, RateLimiter};
use relent::rng::{Rng, SeedableRng, Xoshiro256PlusPlus};
use relent::testing::ManualClock;
use relent::{Clock, Instant, Shared, Span};

const ROUNDS: u32 = 51;
const CALLS: u32 = 200_000;

/// Nanoseconds a call.
fn time(mut call: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Wall::now();
        for _ in 0..CALLS {
            call();
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS));
    }
    best
}

fn row(name: &str, ns: f64, mark: Option<f64>) {
    match mark {
        Some(mark) => {
            let verdict = if ns <= mark { "within" } else { "ABOVE" };
            println!("{name:<52} {ns:>7.2} ns   {verdict} the mark of {mark} ns");
        }
        None => println!("{name:<52} {ns:>7.2} ns"),
    }
}

/// Which outcomes come is drawn beforehand: one in eight fails, so that the predictor cannot learn it.
fn outcomes() -> Vec<Outcome> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    (0..4096).map(|_| if rng.next_u32() % 8 == 0 { Outcome::Failure } else { Outcome::Success }).collect()
}

fn admit_and_record<S: Span, W: Window<S>>(window: W, cooldown: S, tick: S) -> f64 {
    let clock = ManualClock::<S>::new();
    let mut breaker = Breaker::new(BreakerSettings::new(cooldown), window);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let outcomes = outcomes();
    let mut at = 0;
    time(|| {
        at = (at + 1) & 4095;
        let now = black_box(clock.now());
        if let Ok(permit) = breaker.admit(now) {
            breaker.record(permit, outcomes[at], now, &mut rng);
        }
        clock.advance(tick);
    })
}

fn main() {
    println!("breaker, admit + record");
    let never = Threshold::rate(1, 1).with_min_volume(20);
    let (second, tick) = (Duration::from_secs(1), Duration::from_micros(1));
    row("  consecutive, Duration", admit_and_record(Consecutive::new(1_000), second, tick), Some(10.0));
    row("  consecutive, u32 ticks", admit_and_record(Consecutive::new(1_000), 1_000_u32, 1), Some(10.0));
    row(
        "  last 100 outcomes, Duration",
        admit_and_record(LastOutcomes::<4>::new(100, never), second, tick),
        Some(15.0),
    );
    let buckets = LastSpan::<Duration, 10>::new(second, never);
    row("  last 10 s in ten buckets, Duration", admit_and_record(buckets, second, tick), Some(15.0));
    let buckets = LastSpan::<u32, 10>::new(1_000, never);
    row("  last 10 s in ten buckets, u32 ticks", admit_and_record(buckets, 1_000, 1), Some(15.0));

    println!("limiter, a check that is granted; the clock moves before each");
    let step = Duration::from_nanos(10);
    let fake = FakeRelativeClock::default();
    let quota = Quota::with_period(step).unwrap().allow_burst(NonZeroU32::new(1_000).unwrap());
    let governor = Governor::direct_with_clock(quota, fake.clone());
    let theirs = time(|| {
        fake.advance(step);
        assert!(black_box(governor.check()).is_ok());
    });
    let clock = ManualClock::new();
    let mut limiter = RateLimiter::every(step).with_burst(1_000);
    let ours = time(|| {
        clock.advance(step);
        assert!(black_box(limiter.check(clock.now())).is_ok());
    });
    compare(ours, theirs);
    let shared = Shared::new(RateLimiter::every(step).with_burst(1_000));
    let clock = ManualClock::new();
    let locked = time(|| {
        clock.advance(step);
        assert!(black_box(shared.check(clock.now())).is_ok());
    });
    row("  relent, shared by a mutex, one thread", locked, None);
    println!("{:<52} {:>7.2} ×", "  ratio", locked / theirs);

    println!("limiter, a check that is refused; the clock moves before each");
    let fake = FakeRelativeClock::default();
    let quota = Quota::with_period(Duration::from_secs(3_600)).unwrap();
    let governor = Governor::direct_with_clock(quota, fake.clone());
    assert!(governor.check().is_ok());
    let tick = Duration::from_nanos(1);
    let theirs = time(|| {
        fake.advance(tick);
        assert!(black_box(governor.check()).is_err());
    });
    let clock = ManualClock::new();
    let mut limiter = RateLimiter::every(Duration::from_secs(3_600));
    assert!(limiter.check(clock.now()).is_ok());
    let ours = time(|| {
        clock.advance(tick);
        assert!(black_box(limiter.check(clock.now())).is_err());
    });
    compare(ours, theirs);

    println!("the rest, without a mark");
    let mut limiter = RateLimiter::per(3, 1_000_u32).unwrap();
    let mut now = Instant::at(0_u32);
    let fractions = time(|| {
        now = now.after(334);
        assert!(black_box(limiter.check(now)).is_ok());
    });
    row("  limiter, three a second, u32 ticks", fractions, None);
    row("  budget by ratio: call, failure, retry", budget(RatioBudget::new(1, 1)), None);
    row("  budget by cost: call, failure, retry, success", budget(CostBudget::new(500)), None);
    row("  budget by throttle: call, failure, retry, success", budget(ThrottleBudget::new(10, 1, 1)), None);
    let mut band = DutyCycle::<u32>::ONE_PERCENT;
    let mut now = Instant::at(0_u32);
    let duty = time(|| {
        now = now.after(1_000);
        assert!(black_box(band.admit(10, now)).is_ok());
    });
    row("  duty cycle, u32 ticks", duty, None);
    let shared = Shared::new(Breaker::default());
    let now = Instant::at(Duration::ZERO);
    let locked = time(|| shared.admit(black_box(now)).unwrap().success(now));
    row("  shared breaker, admit + success, one thread", locked, None);
}

fn compare(ours: f64, theirs: f64) {
    row("  governor, fake clock", theirs, None);
    row("  relent, manual clock", ours, None);
    let ratio = ours / theirs;
    let verdict = if ratio <= 1.2 { "within" } else { "ABOVE" };
    println!("{:<52} {ratio:>7.2} ×    {verdict} the mark of 1.2 ×", "  ratio");
}

fn budget(mut budget: impl Budget<u32>) -> f64 {
    let now = Instant::at(0);
    time(|| {
        let budget = black_box(&mut budget);
        budget.on_call(now);
        budget.on_failure(FailureKind::Transient, now);
        let spent = budget.try_spend(FailureKind::Transient, now);
        budget.on_success(black_box(spent), now);
    })
}
