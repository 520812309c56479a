//! Breaker, budgets, limiter, airtime, and the table of keys.

use core::hint::black_box;

use relent::guard::airtime::Stage;
use relent::guard::breaker::{BreakerSettings, Consecutive, LastOutcomes, LastSpan, Outcome, Threshold, Window};
use relent::guard::budget::FailureKind;
use relent::guard::{Airtime, Breaker, Budget, CostBudget, DutyCycle, RateLimiter, RatioBudget, ThrottleBudget};
use relent::{Factor, IdempotencyKey, Instant, Jitter, Seen};

use super::any;
use crate::size::Noise;
use crate::unit::Unit;

pub(super) fn all<S: Unit>(noise: &mut Noise) {
    breakers::<S>(noise);
    budgets::<S>();
    limits::<S>();
    keys::<S>(noise);
}

fn breakers<S: Unit>(noise: &mut Noise) {
    let (Ok(growth), Ok(threshold)) =
        (Factor::ratio(black_box(3), black_box(2)), Threshold::try_rate(black_box(3), black_box(5)))
    else {
        return;
    };
    let settings = BreakerSettings::new(any::<S>()).with_max_cooldown(any()).with_jitter(Jitter::Spread(growth));
    let Ok(settings) = settings.try_with_growth(growth).and_then(|s| s.try_with_permits(black_box(2))) else { return };
    if let Ok(row) = Consecutive::try_new(black_box(5)) {
        breaker(&mut Breaker::new(settings, row), noise);
    }
    if let Ok(outcomes) = LastOutcomes::<4>::try_new(black_box(100), threshold) {
        breaker(&mut Breaker::new(settings, outcomes), noise);
    }
    breaker(&mut Breaker::new(settings, LastSpan::<S, 10>::new(any(), threshold)), noise);
}

fn breaker<S: Unit, W: Window<S>>(breaker: &mut Breaker<S, W>, noise: &mut Noise) {
    let breaker = black_box(breaker);
    let now = || Instant::at(any::<S>());
    for outcome in black_box([Outcome::Success, Outcome::Failure, Outcome::Ignored]) {
        if let Ok(permit) = breaker.admit(now()) {
            breaker.record(permit, outcome, now(), noise);
        }
    }
    breaker.rebase(now());
    black_box((breaker.state(now()), breaker.remaining(now())));
    breaker.reset();
}

fn budgets<S: Unit>() {
    budget::<S>(CostBudget::new(black_box(500)));
    if let Ok(throttle) = ThrottleBudget::try_new(black_box(100), black_box(1), black_box(10)) {
        budget::<S>(throttle);
    }
    if let (Ok(ratio), Ok(reserve)) =
        (RatioBudget::try_new(black_box(1), black_box(10)), RateLimiter::per(black_box(10), any::<S>()))
    {
        budget(ratio.with_reserve(reserve));
    }
    budget(RateLimiter::every(any::<S>()));
}

fn budget<S: Unit>(mut budget: impl Budget<S>) {
    let budget = black_box(&mut budget);
    let now = || Instant::at(any::<S>());
    budget.on_call(now());
    for kind in
        black_box([FailureKind::Transient, FailureKind::Timeout, FailureKind::Throttled, FailureKind::Permanent])
    {
        budget.on_failure(kind, now());
        let spent = budget.try_spend(kind, now());
        budget.on_success(spent, now());
    }
}

fn limits<S: Unit>() {
    let now = || Instant::at(any::<S>());
    if let Ok(mut limiter) = RateLimiter::every(any::<S>()).try_with_burst(black_box(3)) {
        _ = black_box((limiter.check(now()), limiter.check_n(black_box(2), now()), limiter.reserve(now())));
        _ = black_box((limiter.ready_in(now()), limiter.ready_in_n(black_box(2), now())));
        limiter.rebase(now());
    }
    let mut duty = DutyCycle::<S>::new(black_box(99));
    _ = black_box((duty.admit(any(), now()), duty.remaining(now())));
    let mut airtime =
        Airtime::new([Stage::new(any::<S>(), any()), Stage::new(any(), any()).with_silence(black_box(9))]);
    _ = black_box((airtime.admit(any(), now()), airtime.ready_in(any(), now())));
    airtime.restart(now());
}

fn keys<S: Unit>(noise: &mut Noise) {
    let mut seen: Seen<u8, 4, S> = Seen::new(any());
    for _ in 0..black_box(5) {
        let key = IdempotencyKey::new(noise);
        black_box(seen.record(key, black_box(7), Instant::at(any())));
        black_box(seen.get(&key, Instant::at(any())));
        black_box(seen.forget(&key));
    }
}
