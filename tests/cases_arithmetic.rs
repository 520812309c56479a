//! Reports about the arithmetic of other libraries, as cases: A01, A03–A06, A08, A27, X2, X20, and the kind of fault behind each.

mod rig;

use std::time::Duration;

use relent::rng::{SeedableRng, Xoshiro256PlusPlus};
use relent::testing::{ManualClock, Script};
use relent::{
    Band, Constant, Decorrelated, DrawOnce, Exponential, Factor, Fibonacci, Jitter, Linear, Policy, Retry, Span, Table,
};
use rig::{World, nothing_to_draw};

const SECOND: Duration = Duration::from_secs(1);
/// What the longest `Duration` counts as: `u64::MAX` ns.
const CEILING: Duration = Duration::from_nanos(u64::MAX);

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn doubling<S: Span>(initial: S) -> Exponential<S> {
    Exponential::new(initial).with_multiplier(2.0).with_jitter(Jitter::None)
}

fn first<P: Policy>(n: usize, policy: P) -> Vec<P::Span> {
    policy.delays(nothing_to_draw()).take(n).collect()
}

fn nominal<P: Policy>(policy: P, n: u32) -> P::Span {
    policy.plan().nth(n as usize - 1).unwrap().nominal().unwrap()
}

/// The waits drawn at `u`, one after the other.
fn drawn<P: Policy, const N: usize>(policy: P, u: [f64; N]) -> Vec<P::Span> {
    policy.delays(Script::units(u)).take(N).collect()
}

#[test]
fn a01a_the_cap_holds_over_a_hundred_retries() {
    let world = World::new();
    let retry = Retry::new(doubling(SECOND).with_max_interval(ms(10)).with_max_delay(ms(10))).with_max_retries(100);
    let gave_up = retry.run(&world, nothing_to_draw(), || world.call(Duration::ZERO, Err::<(), _>("T"))).unwrap_err();
    assert_eq!((world.calls(), gave_up.attempts()), (101, 101));
    assert_eq!(world.waits(), [ms(10); 100]);
}

#[test]
fn a01b_without_a_cap_growth_saturates() {
    assert_eq!(first(100, doubling(Duration::MAX)), [CEILING; 100]);
    let world = World::new();
    let retry = Retry::new(doubling(Duration::MAX)).with_max_attempts(100);
    _ = retry.run(&world, nothing_to_draw(), || world.call(Duration::ZERO, Err::<(), _>("T")));
    assert_eq!(world.waits(), [CEILING; 99]);
}

#[test]
fn a01c_an_initial_interval_of_zero_stays_zero() {
    assert_eq!(first(40, doubling(Duration::ZERO)), [Duration::ZERO; 40]);
}

#[test]
fn a01d_the_cap_holds_at_any_retry() {
    let policy = doubling(SECOND).with_max_interval(60 * SECOND);
    for (n, seconds) in [(1, 1), (6, 32), (7, 60), (33, 60), (65, 60), (1025, 60), (u32::MAX, 60)] {
        assert_eq!(nominal(policy, n), seconds * SECOND, "{n}");
    }
}

/// The kind: no policy, span or jitter overflows, however it is set and however far it runs. An overflow would show as a panic, or as an interval
/// that shrinks.
fn never_shrinks<P: Policy>(policy: P) {
    let (mut last, mut worst) = (None, None);
    for row in policy.plan().take(200) {
        assert!(row.nominal() >= last && Some(row.worst()) >= worst);
        assert!(row.band().lo() <= row.band().hi());
        (last, worst) = (row.nominal(), Some(row.worst()));
    }
}

fn never_overflows<S: Span>(zero: S, one: S, max: S) {
    let jitters = [Jitter::None, Jitter::Full, Jitter::Equal, Jitter::spread(1.0), Jitter::spread(4e9)];
    let fixed = [zero, one, max].into_iter().flat_map(|j| [Jitter::Absolute(j), Jitter::Additive(j)]);
    for jitter in jitters.into_iter().chain(fixed) {
        for (initial, cap) in [zero, one, max].into_iter().flat_map(|a| [zero, one, max].map(|b| (a, b))) {
            for multiplier in [1.0, 1.5, 4_294_967_295.0] {
                let policy = Exponential::new(initial).with_multiplier(multiplier).with_jitter(jitter);
                never_shrinks(policy.with_max_interval(cap));
                never_shrinks(policy.with_max_delay(cap));
                never_shrinks(policy.at_least(one).at_most(cap));
            }
            never_shrinks(Linear::new(initial, max).with_max_interval(cap).with_jitter(jitter));
            never_shrinks(Fibonacci::new(initial).with_max_interval(cap).with_jitter(jitter));
            never_shrinks(Constant::new(initial).with_max_delay(cap).with_jitter(jitter));
        }
    }
}

#[test]
fn a01_no_settings_overflow() {
    never_overflows(0_u32, 1, u32::MAX);
    never_overflows(0_u64, 1, u64::MAX);
    never_overflows(Duration::ZERO, Duration::from_nanos(1), Duration::MAX);
}

#[test]
fn a03a_the_initial_interval_is_not_the_base_of_the_power() {
    assert_eq!(first(5, doubling(ms(50))), [50, 100, 200, 400, 800].map(ms));
}

#[test]
fn a03bc_a_multiplier_of_one_is_identity_and_nothing_caps_it() {
    for interval in [10 * SECOND, ms(1_100), Duration::from_nanos(33_333_333_333), Duration::from_nanos(1), CEILING] {
        let policy = Exponential::new(interval).with_multiplier(1.0).with_jitter(Jitter::None);
        assert_eq!(first(50, policy), [interval; 50]);
        assert_eq!(nominal(policy, u32::MAX), interval);
    }
}

#[test]
fn a04a_the_first_delay_is_the_initial_interval() {
    let world = World::new();
    let mut told = Vec::new();
    let retry = Retry::new(doubling(SECOND)).with_max_attempts(4);
    let run = retry.on(&world, nothing_to_draw()).notify(|event| {
        if let relent::Next::Wait(_) = event.next() {
            told.push(event.attempt());
        }
    });
    _ = run.run(|| world.call(Duration::ZERO, Err::<(), _>("T")));
    assert_eq!(world.calls(), 4);
    assert_eq!(world.waits(), [1, 2, 4].map(Duration::from_secs));
    assert_eq!(told, [1, 2, 3]);
}

#[test]
fn a04b_the_fifth_delay_is_sixteen_times_the_first() {
    let policy = doubling(ms(100));
    assert_eq!((nominal(policy, 1), nominal(policy, 5)), (ms(100), ms(1_600)));
}

#[test]
fn a04_every_policy_starts_with_what_was_asked() {
    assert_eq!(nominal(Linear::new(ms(70), ms(5)), 1), ms(70));
    assert_eq!(nominal(Fibonacci::new(ms(70)), 1), ms(70));
    assert_eq!(nominal(Constant::new(ms(70)), 1), ms(70));
    assert_eq!(nominal([ms(70), ms(9)], 1), ms(70));
}

#[test]
fn a05_full_jitter_of_one_second_is_not_always_one_second() {
    let full = |interval| Exponential::new(interval).with_multiplier(1.0).with_jitter(Jitter::Full);
    assert_eq!(drawn(full(SECOND), [0.25, 0.5, 0.75]), [250, 500, 750].map(ms));
    assert_eq!(drawn(full(ms(1_500)), [0.5]), [ms(750)]);
}

#[test]
fn a05_jitter_is_as_fine_as_the_tick() {
    // Integer quarters of 2 are 0, 0, 1, 1: every tick of 0..=2 is reached.
    assert_eq!(drawn(Constant::new(2_u32).with_jitter(Jitter::Full), [0.0, 0.34, 0.67, 0.999]), [0, 1, 2, 2]);
    assert_eq!(Jitter::spread(0.25).band(2_u32), Band::exactly(2), "a quarter of 2 ticks is less than one");
    assert_eq!(Jitter::spread(0.25).band(Duration::from_secs(2)), Band::new(ms(1_500), ms(2_500)));
}

#[test]
fn a06_jitter_wider_than_the_delay_ends_at_zero() {
    let policy = Constant::new(ms(100)).with_jitter(Jitter::Absolute(ms(200)));
    assert_eq!(drawn(policy, [0.0, 0.25, 0.5, 0.75]), [0, 75, 150, 225].map(ms));
    assert_eq!(first(3, Constant::new(ms(100)).with_jitter(Jitter::Absolute(Duration::ZERO))), [ms(100); 3]);
    let one = Constant::new(Duration::from_nanos(1)).with_jitter(Jitter::spread(0.1));
    for u in [0.0, 0.5, 0.999_999_999] {
        assert!(drawn(one, [u])[0] <= Duration::from_nanos(1));
    }
}

#[test]
fn a06_a_band_without_width_draws_nothing() {
    let zero_wide = [Jitter::None, Jitter::spread(0.0), Jitter::Absolute(0), Jitter::Additive(0)];
    for jitter in zero_wide {
        assert_eq!(first(3, Constant::new(7_u32).with_jitter(jitter)), [7; 3]);
    }
    for jitter in [Jitter::Full, Jitter::Equal, Jitter::spread(0.5)] {
        assert_eq!(first(3, Constant::new(0_u32).with_jitter(jitter)), [0; 3]);
    }
}

#[test]
fn a08_the_cap_holds_after_jitter() {
    let policy = Exponential::new(ms(800)).with_max_interval(ms(1_200)).with_max_delay(ms(1_200));
    assert_eq!(drawn(policy, [0.75; 3]), [1_000, 1_050, 1_050].map(ms));
    assert_eq!(drawn(policy, [0.0; 3]), [400, 600, 600].map(ms));
    assert!(drawn(policy, [1.0; 50]).iter().all(|&wait| wait <= ms(1_200)));
    // `max_interval` alone is the other rule: 1200 ms + 50 %.
    let nominal_only = Exponential::new(ms(800)).with_max_interval(ms(1_200));
    assert_eq!(nominal_only.plan().nth(5).unwrap().band(), Band::new(ms(600), ms(1_800)));
}

#[test]
fn a08_waits_at_the_cap_still_differ() {
    // Clipped before the draw: nothing piles up on the cap, with or without a `max_interval` beside it.
    let policy = Exponential::new(800_u32).with_max_delay(1_200);
    assert_eq!(policy.plan().nth(20).unwrap().band(), Band::new(600, 1_200));
    assert_eq!(policy.with_max_interval(1_200).plan().nth(20).unwrap().band(), Band::new(600, 1_200));
    let waits: Vec<_> = policy.delays(Xoshiro256PlusPlus::seed_from_u64(8)).skip(5).take(1_000).collect();
    let on_the_cap = waits.iter().filter(|&&wait| wait == 1_200).count();
    assert!(on_the_cap < 20, "{on_the_cap} of 1000 draws over 601 ticks");
}

#[test]
fn a08_every_policy_has_its_cap_before_the_draw() {
    fn top(policy: impl Policy<Span = u32>) -> u32 {
        policy.plan().next().unwrap().band().hi()
    }
    let spread = Jitter::spread(0.5);
    assert_eq!(top(Exponential::new(1_000).with_jitter(spread).with_max_delay(1_200)), 1_200);
    assert_eq!(top(Constant::new(1_000).with_jitter(spread).with_max_delay(1_200)), 1_200);
    assert_eq!(top(Linear::new(1_000, 1).with_jitter(spread).with_max_delay(1_200)), 1_200);
    assert_eq!(top(Fibonacci::new(1_000).with_jitter(spread).with_max_delay(1_200)), 1_200);
    assert_eq!(top(Table::new([1_000]).with_jitter(spread).with_max_delay(1_200)), 1_200);
    assert_eq!(top(Decorrelated::new(1_000).with_max_delay(1_200)), 1_200);
    assert_eq!(top(Constant::new(1_000).with_jitter(spread).at_most(1_200)), 1_200);
}

#[test]
fn a27ab_seeds_decide_the_schedule() {
    let waits = |seed| -> Vec<Duration> {
        Exponential::new(SECOND).delays(Xoshiro256PlusPlus::seed_from_u64(seed)).take(8).collect()
    };
    assert_ne!(waits(1), waits(2));
    assert_eq!(waits(1), waits(1));
}

#[test]
fn a27c_runs_that_share_a_generator_share_no_draw() {
    let settings = Retry::new(Exponential::new(1_000_u32)).with_max_attempts(5);
    let copy = settings;
    let mut shared = Script::units([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]);
    let clock = ManualClock::new();
    _ = settings.run(&clock, &mut shared, || Err::<(), _>("down"));
    assert_eq!((shared.drawn(), clock.sleeps()), (4, 4));
    _ = copy.run(&clock, &mut shared, || Err::<(), _>("down"));
    assert_eq!((shared.drawn(), clock.sleeps()), (8, 8), "as many words as jittered waits, each of them once");
    // [500, 1500] at 0.1 is 600; the second run goes on with the fifth word, not the first.
    let first_of = |u| Exponential::new(1_000_u32).delays(Script::units([u])).next();
    assert_eq!((first_of(0.1), first_of(0.5)), (Some(600), Some(1_000)));
}

#[test]
fn x02_zero_times_infinity_is_not_the_cap() {
    let policy = doubling(Duration::ZERO).with_max_interval(60 * SECOND);
    assert_eq!(nominal(policy, 1_025), Duration::ZERO);
    assert_eq!(nominal(policy.at_least(2 * SECOND), 1_025), 2 * SECOND);
}

#[test]
fn x20_a_schedule_written_out_goes_on_with_its_last() {
    let policy = Table::new([ms(200), ms(1_000), ms(4_000), ms(15_000)]).repeat_last();
    assert_eq!(first(7, policy), [200, 1_000, 4_000, 15_000, 15_000, 15_000, 15_000].map(ms));
    let halves = policy.with_jitter(Jitter::Equal);
    assert_eq!(drawn(halves, [0.0; 5]), [100, 500, 2_000, 7_500, 7_500].map(ms), "never below half");
    assert_eq!(nominal(policy, u32::MAX), ms(15_000));
}

#[test]
fn x20_a_schedule_in_a_vector_without_a_heap_is_the_same() {
    let mut entries = heapless::Vec::<u32, 4>::new();
    entries.extend_from_slice(&[200, 1_000, 4_000]).unwrap();
    let table: Table<_, u32> = Table::new(entries.clone()).repeat_last();
    let mut run = table.delays(nothing_to_draw());
    assert_eq!([(); 5].map(|()| run.next()), [200, 1_000, 4_000, 4_000, 4_000].map(Some));
    entries.truncate(1);
    assert_eq!(Retry::new(Table::<_, u32>::new(entries)).plan().count(), 1);
    assert_eq!(
        Table::<_, u32>::new(heapless::Vec::<u32, 4>::new()).repeat_last().delays(nothing_to_draw()).next(),
        None
    );
}

/// A cap on the wait alone used to let the interval behind it grow on, until of the band nothing was left but the cap.
#[test]
fn r3_max_delay_alone_keeps_jitter_alive_at_the_cap() {
    let far_on = |row: relent::PlanRow<u32>| row.band();
    let exponential = Exponential::new(500_u32).with_max_delay(60_000);
    assert_eq!(exponential.plan().nth(1_000).map(far_on), Some(Band::new(30_000, 60_000)));
    let linear = relent::Linear::new(500_u32, 500).with_max_delay(60_000).with_jitter(Jitter::Equal);
    assert_eq!(linear.plan().nth(1_000).map(far_on), Some(Band::new(30_000, 60_000)));
    let fibonacci = relent::Fibonacci::new(500_u32).with_max_delay(60_000).with_jitter(Jitter::Full);
    assert_eq!(fibonacci.plan().nth(1_000).map(far_on), Some(Band::new(0, 60_000)));
    let constant = relent::Constant::new(200_000_u32).with_max_delay(60_000).with_jitter(Jitter::spread(0.5));
    assert_eq!(constant.plan().nth(1_000).map(far_on), Some(Band::new(30_000, 60_000)));
}

#[test]
fn r1_no_policy_that_grows_stays_at_one_tick() {
    let by_half = Factor::ratio(3, 2).unwrap();
    let all_ones = || Script::new([u64::MAX]);
    let exponential = Exponential::new(1_u32).with_jitter(Jitter::None);
    assert_eq!(exponential.delays(all_ones()).take(6).collect::<Vec<_>>(), [1, 2, 3, 4, 6, 9]);
    let draw_once = DrawOnce::new(1_u32, 1).try_with_multiplier(by_half).unwrap();
    assert_eq!(draw_once.delays(all_ones()).take(6).collect::<Vec<_>>(), [1, 2, 3, 4, 6, 9]);
    let decorrelated = Decorrelated::new(1_u32).try_with_multiplier(by_half).unwrap();
    assert_eq!(decorrelated.delays(all_ones()).take(6).collect::<Vec<_>>(), [2, 3, 4, 6, 9, 13]);
    // Growth by nothing is none.
    let still = Decorrelated::new(1_u32).try_with_multiplier(Factor::ONE).unwrap();
    assert_eq!(still.delays(all_ones()).take(3).collect::<Vec<_>>(), [1, 1, 1]);
}
