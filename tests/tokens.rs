//! Limiter and budgets (R12): cases by number, and the law over random scripts.

#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers in tests")]

mod laws;

use core::time::Duration;

use proptest::prelude::*;
use relent::guard::RateLimiter;
use relent::guard::budget::{Budget, CostBudget, FailureKind, RatioBudget, Spent, ThrottleBudget};
use relent::guard::limiter::Denied;
use relent::testing::ManualClock;
use relent::{Instant, Sleep, Verdict};

use FailureKind::{Permanent, Throttled, Timeout, Transient};

fn at(t: u32) -> Instant<u32> {
    Instant::at(t)
}

fn taken(limiter: &mut RateLimiter<u32>, now: u32) -> u32 {
    (0..100).take_while(|_| limiter.check(at(now)).is_ok()).count() as u32
}

#[test]
fn a37_a_fraction_of_a_retry_is_a_fraction() {
    for (numerator, expected) in [(6, 6), (3, 3), (10, 10), (0, 0)] {
        let mut budget = RatioBudget::new(numerator, 10);
        let now = at(0);
        for _ in 0..10 {
            budget.on_call(now);
        }
        let granted = (0..10).filter(|_| budget.try_spend(Transient, now).is_some()).count();
        assert_eq!(granted, expected, "{numerator}/10");
    }
}

#[test]
fn a37_deposits_of_a_tenth_lose_nothing_in_ten_thousand() {
    let now = at(0);
    let mut saved_up = RatioBudget::new(1, 10).with_ceiling(5_000);
    let mut as_they_come = RatioBudget::new(1, 10);
    let mut granted = 0;
    for _ in 0..10_000 {
        saved_up.on_call(now);
        as_they_come.on_call(now);
        granted += u32::from(as_they_come.try_spend(Transient, now).is_some());
    }
    assert_eq!(granted, 1_000);
    assert_eq!((0..10_000).filter(|_| saved_up.try_spend(Transient, now).is_some()).count(), 1_000);
}

#[test]
fn a39_a_long_rest_neither_overflows_nor_floods() {
    const YEAR: u64 = 365 * 86_400;
    for rest in [Duration::from_secs(43_200), Duration::from_secs(100 * YEAR)] {
        let mut limiter = RateLimiter::per(10, Duration::from_secs(1)).unwrap();
        let start = Instant::at(Duration::ZERO);
        assert_eq!(limiter.check_n(10, start), Ok(()));
        assert_eq!(limiter.check(start), Err(Denied::NotYet(Duration::from_millis(100))));
        let later = start.after(rest);
        assert_eq!(limiter.ready_in_n(10, later), Ok(Duration::ZERO));
        assert_eq!(limiter.check_n(11, later), Err(Denied::Never));
        for _ in 0..10 {
            assert_eq!(limiter.check(later), Ok(()));
        }
        assert_eq!(limiter.check(later), Err(Denied::NotYet(Duration::from_millis(100))));
    }
}

#[test]
fn a39_the_whole_range_is_told_in_halves() {
    // A reading of u64::MAX ns after one of 0 is one tick back (R10), and mints nothing; heard of on the way, it is a rest as any.
    let end = Instant::at(Duration::from_nanos(u64::MAX));
    let start = Instant::at(Duration::ZERO);
    let mut limiter = RateLimiter::per(10, Duration::from_secs(1)).unwrap();
    assert_eq!(limiter.check_n(10, start), Ok(()));
    assert!(limiter.check(end).is_err());
    let mut limiter = RateLimiter::per(10, Duration::from_secs(1)).unwrap();
    assert_eq!(limiter.check_n(10, start), Ok(()));
    assert_eq!(limiter.check_n(0, Instant::at(Duration::from_nanos(u64::MAX / 2))), Ok(()));
    assert_eq!((0..100).filter(|_| limiter.check(end).is_ok()).count(), 10);
}

#[test]
fn a40_a_step_back_mints_nothing_and_is_made_up() {
    let mut limiter = RateLimiter::every(1_000_u32).with_burst(3);
    assert_eq!(limiter.check_n(3, at(100_000)), Ok(()));
    assert_eq!(limiter.check(at(89_000)), Err(Denied::NotYet(1_000)));
    assert_eq!(limiter.check(at(100_500)), Err(Denied::NotYet(500)));
    assert_eq!(limiter.check(at(101_000)), Ok(()));
    assert_eq!(limiter.check(at(101_000)), Err(Denied::NotYet(1_000)));
}

#[test]
fn x05_the_remainder_is_kept() {
    let mut limiter = RateLimiter::every(10_000_u32).with_burst(10);
    assert_eq!(limiter.check_n(10, at(0)), Ok(()));
    assert_eq!(taken(&mut limiter, 25_000), 2);
    assert_eq!(taken(&mut limiter, 29_000), 0);
    assert_eq!(taken(&mut limiter, 30_000), 1);
}

#[test]
fn x17_asking_when_spends_nothing_and_waiting_spends_one() {
    let clock = ManualClock::starting_at(at(0));
    let mut limiter = RateLimiter::every(100_u32);
    for _ in 0..10 {
        assert_eq!(limiter.ready_in(at(0)), 0);
    }
    assert_eq!(limiter.wait(&mut &clock), 0);
    for _ in 0..10 {
        assert_eq!(limiter.ready_in(at(30)), 70);
        assert_eq!(limiter.ready_in_n(2, at(30)), Err(Denied::Never));
    }
    clock.advance(30);
    assert_eq!(limiter.wait(&mut &clock), 70);
    assert_eq!((clock.slept(), clock.sleeps()), (70, 1));
    assert_eq!(limiter.ready_in(at(100)), 100);
}

#[test]
fn never_is_another_answer_than_not_now() {
    let mut limiter = RateLimiter::every(10_u32).with_burst(3);
    assert_eq!(limiter.check_n(4, at(0)), Err(Denied::Never));
    assert_eq!(limiter.check_n(3, at(0)), Ok(()));
    let denied = limiter.check_n(3, at(5)).unwrap_err();
    assert_eq!(denied, Denied::NotYet(25));
    assert_eq!(Verdict::from(denied), Verdict::NotBefore(25));
    assert_eq!(limiter.check_n(0, at(5)), Ok(()));
}

#[test]
fn a_reservation_is_a_place_in_line() {
    let mut limiter = RateLimiter::every(100_u32);
    assert_eq!([0, 0, 0, 50].map(|t| limiter.reserve(at(t))), [0, 100, 200, 250]);
    assert_eq!(limiter.check(at(399)), Err(Denied::NotYet(1)));
    assert_eq!(limiter.check(at(400)), Ok(()));
}

#[test]
fn a_clock_that_stands_still_does_not_hold_the_waiter() {
    struct Stuck;
    impl relent::Clock for Stuck {
        type Span = u32;
        fn now(&self) -> Instant<u32> {
            at(7)
        }
    }
    impl Sleep for Stuck {
        fn sleep(&mut self, _: u32) {}
    }
    let mut limiter = RateLimiter::every(100_u32);
    assert_eq!([(); 3].map(|()| limiter.wait(&mut Stuck)), [0, 100, 200]);
}

#[test]
fn months_on_a_wrapping_counter() {
    // One an hour; asked every seven hours for a year: the counter wraps seven times.
    let hour = 3_600_000_u32;
    let mut limiter = RateLimiter::every(hour).with_burst(5);
    let mut now = 0xFFFF_0000_u32;
    assert_eq!(taken(&mut limiter, now), 5);
    for _ in 0..365 * 24 / 7 {
        now = now.wrapping_add(hour.wrapping_mul(3));
        assert_eq!(taken(&mut limiter, now), 3);
        now = now.wrapping_add(hour.wrapping_mul(4));
        assert_eq!(taken(&mut limiter, now), 4);
    }
}

#[test]
fn extreme_limits_neither_panic_nor_flood() {
    let mut limiter = RateLimiter::every(u32::MAX).with_burst(u32::MAX);
    assert_eq!(limiter.check(at(0)), Ok(()));
    assert_eq!(limiter.check(at(1_000)), Err(Denied::NotYet(u32::MAX - 1_000)));
    let mut limiter = RateLimiter::per(u32::MAX, Duration::MAX).unwrap();
    assert_eq!(limiter.check_n(u32::MAX, Instant::at(Duration::ZERO)), Ok(()));
    let mut free = RateLimiter::every(0_u32).with_burst(2);
    assert_eq!(taken(&mut free, 0), 100);
    assert_eq!(free.check_n(3, at(0)), Err(Denied::Never));
    let mut line = RateLimiter::every(u32::MAX);
    assert_eq!([0, 0, 0].map(|t| line.reserve(at(t))), [0, u32::MAX, u32::MAX]);
    assert_eq!(RateLimiter::per(0, 1_u32).unwrap_err().field(), "count");
    assert_eq!(RateLimiter::every(1_u32).try_with_burst(0).unwrap_err().field(), "burst");
}

#[test]
fn a_ratio_budget_starts_with_its_reserve_and_saves_up_to_its_ceiling() {
    let mut budget = RatioBudget::new(1, 2).with_ceiling(3).with_reserve(RateLimiter::every(500_u32).with_burst(2));
    let mut granted = |calls: u32, now: u32| {
        (0..calls).for_each(|_| budget.on_call(at(now)));
        (0..100).take_while(|_| budget.try_spend(Transient, at(now)).is_some()).count()
    };
    assert_eq!(granted(0, 0), 2);
    assert_eq!(granted(3, 0), 1);
    assert_eq!(granted(1, 0), 1, "the half that was left and the half of this call");
    assert_eq!(granted(1_000, 0), 3);
    assert_eq!(granted(0, 86_400_000), 2);
    assert_eq!(granted(0, 86_400_499), 0);
    assert_eq!(granted(0, 86_400_500), 1);
}

#[test]
fn three_per_second_with_first_tries_included() {
    let mut budget = RateLimiter::per(3, 1_000_u32).unwrap();
    // Five calls in one instant: three of them use it up, the others are made all the same, and none is repeated.
    for _ in 0..5 {
        budget.on_call(at(0));
    }
    assert_eq!(budget.try_spend(Transient, at(0)), None);
    assert_eq!(budget.try_spend(Transient, at(333)), None);
    assert_eq!(budget.try_spend(Transient, at(334)), Some(Spent::new(1)));
    assert_eq!(budget.try_spend(Permanent, at(1_000)), None);
}

#[test]
fn a_success_gives_back_what_the_last_retry_of_its_call_cost() {
    let now = at(0);
    let mut budget = CostBudget::new(500);
    let first = budget.try_spend(Timeout, now);
    let last = budget.try_spend(Transient, now);
    assert_eq!((first.map(Spent::tokens), last.map(Spent::tokens), budget.tokens()), (Some(10), Some(5), 485));
    budget.on_success(last, now);
    assert_eq!(budget.tokens(), 490);
    budget.on_success(None, now);
    assert_eq!(budget.tokens(), 491);
    // 500 / 14 = 35 retries, and a throttled one for what is left: 500 - 490 = 10 = 2 * 5.
    let mut budget = CostBudget::AWS_2026;
    assert_eq!((0..100).filter(|_| budget.try_spend(Transient, now).is_some()).count(), 35);
    assert_eq!((0..100).filter(|_| budget.try_spend(Throttled, now).is_some()).count(), 2);
    assert_eq!(budget.tokens(), 0);
}

#[test]
fn the_throttle_charges_every_transient_failure_and_spends_nothing_itself() {
    let now = at(0);
    let mut budget = ThrottleBudget::new(10, 1, 10);
    for kind in [Transient, Timeout, Permanent, Throttled, Transient] {
        budget.on_failure(kind, now);
        assert!(<ThrottleBudget as Budget<u32>>::try_spend(&mut budget, Transient, now).is_some());
    }
    budget.on_failure(Transient, now);
    assert!(!budget.is_allowed(), "5 of 10 is half, not more");
    for _ in 0..5 {
        budget.on_failure(Transient, now);
    }
    let successes = (1..1_000).find(|_| {
        budget.on_success(None, now);
        budget.is_allowed()
    });
    assert_eq!(successes, Some(51));
}

#[test]
fn a_verdict_says_the_kind() {
    let kinds = [Verdict::Retry, Verdict::NotBefore(1_u32), Verdict::RetryAfter(1), Verdict::Permanent];
    assert_eq!(kinds.each_ref().map(FailureKind::from), [Transient, Throttled, Throttled, Permanent]);
}

#[test]
fn sizes_are_what_the_docs_say() {
    assert_eq!((size_of::<RateLimiter<u32>>(), size_of::<RateLimiter>()), (40, 72));
    assert_eq!(size_of::<CostBudget>(), 24);
    assert_eq!(size_of::<ThrottleBudget>(), 24);
    assert!(size_of::<RatioBudget<u32>>() <= 72);
}

#[test]
fn the_law_holds_over_random_bytes() {
    laws::over_random_bytes(40_000, 300, laws::tokens::law);
}

proptest! {
    #[test]
    fn matches_the_model(data in proptest::collection::vec(any::<u8>(), 0..200)) {
        laws::tokens::law(&data);
    }
}
