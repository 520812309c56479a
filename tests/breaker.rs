//! The circuit breaker (R11): cases by number, and the law over random scripts.

#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers in tests")]

mod laws;

use core::cell::RefCell;
use core::time::Duration;

use proptest::prelude::*;
use relent::guard::breaker::{
    Breaker, BreakerSettings, CallError, Consecutive, LastOutcomes, LastSpan, Permit, State, Threshold, Transition,
};
use relent::testing::{ManualClock, Script};
use relent::{Factor, Instant, Jitter, Verdict, rng};

fn at(t: u32) -> Instant<u32> {
    Instant::at(t)
}

fn sec(s: f64) -> Instant {
    Instant::at(Duration::from_secs_f64(s))
}

/// No jitter, no draw: taking a word is a fault.
fn none() -> impl rng::Rng {
    rng::from_fn(|| panic!("nothing to draw"))
}

const TEN: BreakerSettings<u32> = BreakerSettings::new(10_000);

/// Opened by one failure at `t`.
fn opened(settings: BreakerSettings<u32>, t: u32) -> Breaker<u32> {
    let mut breaker = Breaker::new(settings, Consecutive::new(1));
    let permit = breaker.admit(at(t)).unwrap();
    breaker.failure(permit, at(t), &mut none());
    breaker
}

#[test]
fn a31_an_ignored_trial_gives_its_permit_back() {
    let mut breaker = opened(TEN, 0);
    let trial = breaker.admit(at(10_000)).unwrap();
    breaker.ignore(trial);
    assert_eq!(breaker.state(at(10_001)), State::HalfOpen);
    assert_eq!(breaker.trials_out(), 0);
    let trial = breaker.admit(at(10_001)).unwrap();
    breaker.success(trial, at(10_002));
    assert_eq!(breaker.state(at(10_002)), State::Closed);
}

#[test]
fn a33_half_open_lets_only_the_permits_in() {
    // The trial takes 15 s, longer than the cooldown, and is still awaited.
    let mut breaker = opened(TEN.with_reclaim_after(60_000), 0);
    let trial = breaker.admit(at(10_000)).unwrap();
    assert_eq!(breaker.admit(at(10_000)).unwrap_err().state(), State::HalfOpen);
    assert!(breaker.admit(at(10_000)).is_err());
    breaker.failure(trial, at(25_000), &mut none());
    let refused = breaker.admit(at(34_999)).unwrap_err();
    assert_eq!((refused.state(), refused.remaining()), (State::Open, 1));
    assert_eq!(Verdict::from(refused), Verdict::NotBefore(1));
    assert!(breaker.admit(at(35_000)).is_ok());
}

#[test]
fn a34_only_failures_in_a_row_are_consecutive() {
    let mut breaker = Breaker::new(TEN, Consecutive::new(2));
    for (t, failed) in [true, false, true, false, true].into_iter().enumerate() {
        let now = at(t as u32);
        let permit = breaker.admit(now).unwrap();
        if failed { breaker.failure(permit, now, &mut none()) } else { breaker.success(permit, now) }
    }
    assert_eq!(breaker.state(at(5)), State::Closed);
    let permit = breaker.admit(at(5)).unwrap();
    breaker.failure(permit, at(5), &mut none());
    assert_eq!(breaker.state(at(5)), State::Open);
}

#[test]
fn a35_old_buckets_are_not_counted_after_a_pause() {
    let never = Threshold::failures(100);
    let fail = |breaker: &mut Breaker<Duration, LastSpan>, t: f64| {
        let permit = breaker.admit(sec(t)).unwrap();
        breaker.failure(permit, sec(t), &mut none());
    };
    let fresh =
        || Breaker::new(BreakerSettings::new(Duration::from_secs(3)), LastSpan::new(Duration::from_secs(1), never));
    let mut breaker = fresh();
    for n in 0..10 {
        fail(&mut breaker, 0.5 + f64::from(n));
    }
    assert_eq!(breaker.window().failures(), 10);
    fail(&mut breaker, 20.5);
    assert_eq!(breaker.window().failures(), 1);
    // Exactly one window later, and exactly two: the old one is out, the new one is in.
    for later in [10.0, 20.0] {
        let mut breaker = fresh();
        fail(&mut breaker, 0.5);
        fail(&mut breaker, 0.5 + later);
        assert_eq!((breaker.window().failures(), breaker.window().outcomes()), (1, 1));
    }
}

#[test]
fn x07_the_minimum_volume_is_not_for_trials() {
    let window = LastOutcomes::<1>::new(20, Threshold::rate(1, 2).with_min_volume(10));
    let mut breaker = Breaker::new(TEN, window);
    for _ in 0..10 {
        assert_eq!(breaker.state(at(0)), State::Closed);
        let permit = breaker.admit(at(0)).unwrap();
        breaker.failure(permit, at(0), &mut none());
    }
    assert_eq!(breaker.state(at(0)), State::Open);
    let trial = breaker.admit(at(10_000)).unwrap();
    breaker.failure(trial, at(10_000), &mut none());
    assert_eq!(breaker.state(at(10_000)), State::Open);
}

#[test]
fn x08_a_result_from_before_changes_nothing() {
    for success in [true, false] {
        let mut breaker = Breaker::new(TEN, Consecutive::new(1));
        let slow = breaker.admit(at(0)).unwrap();
        let quick = breaker.admit(at(0)).unwrap();
        breaker.failure(quick, at(0), &mut none());
        let trial = breaker.admit(at(10_000)).unwrap();
        if success {
            breaker.success(slow, at(10_001));
        } else {
            breaker.failure(slow, at(10_001), &mut none());
        }
        assert_eq!(breaker.state(at(10_001)), State::HalfOpen);
        assert_eq!(breaker.trials_out(), 1);
        breaker.success(trial, at(10_002));
        assert_eq!(breaker.state(at(10_002)), State::Closed);
    }
}

#[test]
fn x09_three_errors_in_five_seconds_and_not_in_six() {
    let start = 100_000;
    for (times, state) in [([-6, -1, 0], State::Closed), ([-4, -1, 0], State::Open)] {
        let window = LastSpan::<u32, 5>::new(1_000, Threshold::failures(3));
        let mut breaker = Breaker::new(TEN, window);
        for t in times {
            let now = at((start + t * 1_000) as u32);
            let permit = breaker.admit(now).unwrap();
            breaker.failure(permit, now, &mut none());
        }
        assert_eq!(breaker.state(at(start as u32)), state, "{times:?}");
    }
}

#[test]
fn x16_the_cooldown_doubles_up_to_its_limit_and_starts_anew_once_closed() {
    let mut breaker = opened(TEN.with_growth(2.0).with_max_cooldown(60_000), 0);
    let mut t = 11_000;
    for next in [31_000, 71_000, 131_000, 191_000] {
        let trial = breaker.admit(at(t)).unwrap();
        breaker.failure(trial, at(t), &mut none());
        assert!(breaker.admit(at(next - 1)).is_err());
        t = next;
    }
    let trial = breaker.admit(at(t)).unwrap();
    breaker.success(trial, at(t));
    let permit = breaker.admit(at(t)).unwrap();
    breaker.failure(permit, at(t), &mut none());
    assert_eq!(breaker.remaining(at(t)), 10_000);
}

#[test]
fn the_plain_form_opens_for_three_seconds_after_five_failures() {
    let mut breaker = Breaker::default();
    for _ in 0..5 {
        assert_eq!(breaker.state(sec(1.0)), State::Closed);
        let permit = breaker.admit(sec(1.0)).unwrap();
        breaker.failure(permit, sec(1.0), &mut none());
    }
    assert_eq!(breaker.remaining(sec(1.0)), Duration::from_secs(3));
    assert!(breaker.admit(sec(3.999)).is_err());
    assert!(breaker.admit(sec(4.0)).is_ok());
}

#[test]
fn a_rate_trips_at_exactly_the_threshold_and_only_on_a_failure() {
    // The rate is 3/4 after the first four, but the minimum is five and the fifth succeeds: 3/5 trips only with the next failure.
    let mut breaker = Breaker::new(TEN, LastOutcomes::<1>::new(5, Threshold::rate(3, 5).with_min_volume(5)));
    for failed in [false, true, true, true, false] {
        let permit = breaker.admit(at(0)).unwrap();
        if failed { breaker.failure(permit, at(0), &mut none()) } else { breaker.success(permit, at(0)) }
    }
    assert_eq!(breaker.window().failures(), 3);
    assert_eq!(breaker.state(at(0)), State::Closed);
    let permit = breaker.admit(at(0)).unwrap();
    breaker.failure(permit, at(0), &mut none());
    assert_eq!(breaker.state(at(0)), State::Open);
}

#[test]
fn looking_changes_nothing() {
    let breaker = opened(TEN, 0);
    for t in [0, 5_000, 10_000, 4_000_000_000, 9_999] {
        let _ = (breaker.state(at(t)), breaker.remaining(at(t)));
    }
    assert_eq!(breaker.remaining(at(9_000)), 1_000);
    assert_eq!(breaker.state(at(10_000)), State::HalfOpen);
    assert_eq!(breaker.state(at(9_999)), State::Open);
}

#[test]
fn a_lost_permit_is_taken_back_after_one_cooldown_and_its_late_report_is_void() {
    let mut breaker = opened(TEN, 0);
    let lost = breaker.admit(at(10_000)).unwrap();
    assert!(breaker.admit(at(19_999)).is_err());
    let trial = breaker.admit(at(20_000)).unwrap();
    breaker.failure(lost, at(20_001), &mut none());
    assert_eq!(breaker.state(at(20_001)), State::HalfOpen);
    breaker.success(trial, at(20_002));
    assert_eq!(breaker.state(at(20_002)), State::Closed);
}

#[test]
fn each_lost_permit_has_its_own_time() {
    let mut breaker = opened(TEN.with_permits(2).with_successes(100), 0);
    let _lost: Permit = breaker.admit(at(10_000)).unwrap();
    for t in (11_000..20_000).step_by(1_000) {
        let trial = breaker.admit(at(t)).unwrap();
        assert!(breaker.admit(at(t)).is_err());
        breaker.success(trial, at(t));
    }
    let _one = breaker.admit(at(20_000)).unwrap();
    let _two = breaker.admit(at(20_000)).unwrap();
    assert!(breaker.admit(at(20_000)).is_err());
}

#[test]
fn without_reclaim_a_lost_permit_is_awaited_for_ever() {
    let mut breaker = opened(TEN.without_reclaim(), 0);
    let lost = breaker.admit(at(10_000)).unwrap();
    let mut t = 10_000_u32;
    for _ in 0..20 {
        t = t.wrapping_add(1 << 31);
        assert!(breaker.admit(at(t)).is_err());
    }
    breaker.success(lost, at(t));
    assert_eq!(breaker.state(at(t)), State::Closed);
}

#[test]
fn a_breaker_that_opened_weeks_ago_on_a_wrapping_counter_is_right() {
    // 60 days of milliseconds; the counter wraps after 49.7. Asked once a day.
    let day = 86_400_000_u32;
    let mut breaker = opened(BreakerSettings::new(3_000_000_000), 4_000_000_000);
    let mut now = 4_000_000_000_u32;
    for _ in 0..34 {
        now = now.wrapping_add(day);
        assert!(breaker.admit(at(now)).is_err());
    }
    // 34 days are 2 937 600 000 ms.
    assert_eq!(breaker.remaining(at(now)), 62_400_000);
    for _ in 0..26 {
        now = now.wrapping_add(day);
        assert_eq!(breaker.state(at(now)), State::HalfOpen);
        let trial = breaker.admit(at(now)).unwrap();
        breaker.ignore(trial);
    }
}

#[test]
fn a_clock_that_steps_back_neither_opens_nor_closes() {
    let mut breaker = opened(TEN, 100_000);
    assert!(breaker.admit(at(105_000)).is_err());
    assert_eq!(breaker.admit(at(34_000)).unwrap_err().remaining(), 5_000);
    assert!(breaker.admit(at(109_999)).is_err());
    assert!(breaker.admit(at(110_000)).is_ok());
    let mut restarted = opened(TEN, 100_000);
    restarted.rebase(at(0));
    assert_eq!(restarted.remaining(at(4_000)), 6_000);
}

#[test]
fn the_jitter_is_drawn_from_the_lent_generator_and_does_not_feed_back() {
    let settings = TEN.with_jitter(Jitter::spread(0.5)).with_growth(2.0);
    let seen = RefCell::new(Vec::new());
    let mut breaker = Breaker::new(settings, Consecutive::new(1)).with_observer(|t| seen.borrow_mut().push(t));
    let mut draws = Script::units([0.0, 0.75]);
    let permit = breaker.admit(at(0)).unwrap();
    breaker.failure(permit, at(0), &mut draws);
    let trial = breaker.admit(at(5_000)).unwrap();
    breaker.failure(trial, at(5_000), &mut draws);
    let trial = breaker.admit(at(30_000)).unwrap();
    breaker.success(trial, at(30_000));
    // [5000, 15000] at 0; [10000, 30000] at 0.75: 10000 + ⌊0.75 · 20001⌋.
    let (opened, half) = (Transition::Opened, Transition::HalfOpened);
    assert_eq!(*seen.borrow(), [opened(5_000), half, opened(25_000), half, Transition::Closed]);
}

#[test]
fn a_call_that_panics_gives_its_permit_back() {
    let clock = ManualClock::starting_at(at(0));
    let mut breaker = opened(TEN, 0);
    clock.advance(10_000);
    let call =
        std::panic::AssertUnwindSafe(|| breaker.call(&clock, &mut none(), || -> Result<(), ()> { panic!("op") }));
    assert!(std::panic::catch_unwind(call).is_err());
    assert_eq!((breaker.state(at(10_000)), breaker.trials_out()), (State::HalfOpen, 0));
    assert_eq!(breaker.call(&clock, &mut none(), || Ok::<_, ()>(1)), Ok(1));
    assert_eq!(breaker.state(at(10_000)), State::Closed);
}

#[test]
fn a_call_is_judged_and_its_failure_counts_when_it_ends() {
    use relent::guard::breaker::Outcome;
    let clock = ManualClock::starting_at(at(0));
    let mut breaker = Breaker::new(TEN, Consecutive::new(1));
    let judge = |e: &u16| if *e < 500 { Outcome::Ignored } else { Outcome::Failure };
    let answer = breaker.call_with(&clock, &mut none(), judge, || Err::<(), _>(404));
    assert_eq!(answer, Err(CallError::Failed(404)));
    assert_eq!(breaker.state(at(0)), State::Closed);
    let answer = breaker.call_with(&clock, &mut none(), judge, || {
        clock.advance(4_000);
        Err::<(), _>(503)
    });
    assert_eq!(answer, Err(CallError::Failed(503)));
    assert_eq!(breaker.remaining(at(4_000)), 10_000);
}

#[test]
fn reset_closes_and_forgets() {
    let mut breaker = opened(TEN, 0);
    breaker.reset();
    assert_eq!(breaker.state(at(0)), State::Closed);
    let mut breaker = Breaker::new(TEN, Consecutive::new(2));
    let (one, two) = (breaker.admit(at(0)).unwrap(), breaker.admit(at(0)).unwrap());
    breaker.failure(one, at(0), &mut none());
    breaker.reset();
    breaker.failure(two, at(0), &mut none());
    let three = breaker.admit(at(0)).unwrap();
    breaker.failure(three, at(0), &mut none());
    assert_eq!(breaker.state(at(0)), State::Closed);
}

#[test]
fn settings_that_mean_nothing_are_refused_by_name() {
    let field = |e: relent::ConfigError| e.field();
    assert_eq!(TEN.try_with_permits(0).map_err(field).unwrap_err(), "permits");
    assert_eq!(TEN.try_with_permits(9).map_err(field).unwrap_err(), "permits");
    assert_eq!(TEN.try_with_successes(0).map_err(field).unwrap_err(), "successes");
    assert_eq!(TEN.try_with_growth(Factor::ratio(99, 100).unwrap()).map_err(field).unwrap_err(), "growth");
    assert_eq!(Threshold::try_rate(0, 1).map_err(field).unwrap_err(), "rate");
    assert_eq!(Threshold::try_rate(2, 1).map_err(field).unwrap_err(), "rate");
    assert_eq!(Threshold::try_failures(0).map_err(field).unwrap_err(), "failures");
    assert_eq!(Consecutive::try_new(0).map_err(field).unwrap_err(), "failures");
    assert_eq!(LastOutcomes::<2>::try_new(65, Threshold::rate(1, 2)).map_err(field).unwrap_err(), "length");
    assert_eq!(LastOutcomes::<2>::try_new(0, Threshold::rate(1, 2)).map_err(field).unwrap_err(), "length");
}

#[test]
fn extreme_settings_neither_panic_nor_hang() {
    let settings = BreakerSettings::new(Duration::MAX).with_growth(4e9).with_jitter(Jitter::spread(1.0));
    let mut breaker = Breaker::new(settings, LastSpan::<Duration, 3>::new(Duration::ZERO, Threshold::rate(1, 1)));
    let permit = breaker.admit(sec(0.0)).unwrap();
    breaker.failure(permit, sec(0.0), &mut Script::new([u64::MAX]));
    assert_eq!(breaker.remaining(sec(0.0)), Duration::from_nanos(u64::MAX));
    let mut instant = opened(BreakerSettings::new(0), 7);
    let trial = instant.admit(at(7)).unwrap();
    instant.success(trial, at(7));
    assert_eq!(instant.state(at(7)), State::Closed);
}

#[test]
fn sizes_are_what_the_docs_say() {
    assert_eq!(size_of::<Breaker<u32>>(), 152);
    assert_eq!(size_of::<Breaker>(), 248);
    assert_eq!(size_of::<LastOutcomes<1>>(), 32 + 4);
    assert_eq!(size_of::<LastSpan<u32, 10>>(), 40 + 8 * 10, "4 of them padding, which a 32-bit target has not");
}

#[test]
fn the_law_holds_over_random_bytes() {
    laws::over_random_bytes(20_000, 400, laws::breaker::law);
}

proptest! {
    #[test]
    fn matches_the_model(data in proptest::collection::vec(any::<u8>(), 0..300)) {
        laws::breaker::law(&data);
    }
}
