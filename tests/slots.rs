//! Whole slots, one draw, and waits that grow from what was drawn; the published numbers are in `data/protocols.json`.

#![allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "published numbers are compared as floats")]

use core::time::Duration;

use relent::policy::Then;
use relent::rng::{SeedableRng, Xoshiro128PlusPlus, Xoshiro256PlusPlus};
use relent::testing::{ManualClock, Script};
use relent::{
    Band, Constant, DrawOnce, Factor, Instant, Next, Plan, Policy, Reason, Recursive, Retry, Slots, Step, Verdict,
};
use serde_json::Value;

const CSMA: Slots<u32> = Slots::new(320, 3, 5);

fn entry(id: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("data/protocols.json")).unwrap();
    all["entries"].as_array().unwrap().iter().find(|entry| entry["id"] == id).unwrap().clone()
}

/// The published band of each wait and its running sums.
fn published(id: &str) -> Vec<[f64; 4]> {
    let entry = entry(id);
    let rows = |key: &str| entry[key].as_array().unwrap().clone();
    let number = |row: &Value, key: &str| row[key].as_f64().unwrap();
    rows("waits")
        .iter()
        .zip(&rows("cumulative"))
        .map(|(wait, sum)| [number(wait, "min"), number(wait, "max"), number(sum, "min"), number(sum, "max")])
        .collect()
}

/// Each row of the plan is the published one to `slack` units, and not outside it, where a unit is `unit` long.
fn compare<P: Policy<Span = Duration>>(id: &str, plan: Plan<P>, unit: Duration, slack: f64) {
    let published = published(id);
    let in_units = |span: Duration| span.as_nanos() as f64 / unit.as_nanos() as f64;
    let mut rows = 0;
    for (row, [min, max, best, worst]) in plan.zip(&published) {
        let ends = [row.band().lo(), row.band().hi(), row.best(), row.worst()].map(in_units);
        for (end, published) in ends.iter().zip([min, max, best, worst]) {
            assert!((end - published).abs() <= slack, "{id} {row:?}: {end} for {published}");
        }
        assert!(ends[0] >= *min && ends[1] <= *max, "{id} {row:?} is within {min} and {max}");
        rows += 1;
    }
    assert_eq!(rows, published.len(), "{id}");
}

#[test]
fn csma_waits_are_the_published_ones() {
    let entry = entry("ieee802154_unslotted_csma_2g4");
    let rows = published("ieee802154_unslotted_csma_2g4");
    for (row, [min, max, best, worst]) in CSMA.plan().zip(&rows) {
        let ends = [row.band().lo(), row.band().hi(), row.best(), row.worst()].map(f64::from);
        assert_eq!(ends, [*min, *max, *best, *worst]);
        // The same in slots.
        let slots = &entry["extra"]["slot_counts"][row.retry() as usize - 1];
        assert_eq!((slots[0].as_u64(), slots[1].as_u64()), (Some(0), Some(u64::from(row.band().hi() / 320))));
    }
    assert_eq!(rows.len(), 5);
}

#[test]
fn wifi_and_ethernet_wait_in_slots_too() {
    for (id, policy) in [
        ("ieee80211_ofdm_dcf", Slots::new(9_u32, 4, 10)),
        ("ethernet_beb", Slots::new(51_200, 1, 10)),
        ("ieee802154e_tsch_shared", Slots::new(1, 2, 5)),
    ] {
        let rows = published(id);
        for (row, [min, max, _, _]) in policy.plan().zip(&rows) {
            assert_eq!((f64::from(row.band().lo()), f64::from(row.band().hi())), (*min, *max), "{id} {row:?}");
        }
    }
}

#[test]
fn every_wait_is_whole_slots_and_every_slot_is_drawn_alike() {
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(1);
    let mut counts = [[0_u32; 32]; 3];
    for _ in 0..32_000 {
        for (wait, delay) in CSMA.delays(&mut rng).take(3).enumerate() {
            assert_eq!(delay % 320, 0);
            counts[wait][(delay / 320) as usize] += 1;
        }
    }
    for (counts, slots) in counts.iter().zip([8_u16, 16, 32]) {
        let expected = 32_000.0 / f64::from(slots);
        // χ² with at most 31 degrees of freedom is below 70 but once in ten thousand times; the seed is fixed.
        let chi: f64 = counts[..usize::from(slots)].iter().map(|n| (f64::from(*n) - expected).powi(2) / expected).sum();
        assert!(chi < 70.0, "{chi} over {slots}");
        assert!(counts[usize::from(slots)..].iter().all(|n| *n == 0));
    }
}

#[test]
fn the_slot_drawn_is_the_upper_bits_of_the_word() {
    // ⌊w · 2^BE / 2^32⌋, worked out by shifting.
    for word in [0_u32, 1, 0x1FFF_FFFF, 0x2000_0000, 0x7FFF_FFFF, 0x8000_0000, 0xDFFF_FFFF, 0xE000_0000, u32::MAX] {
        let mut delays = CSMA.delays(Script::new([u64::from(word) << 32]));
        let slots = [3, 4, 5, 5].map(|be| (word >> (32 - be)) * 320);
        assert_eq!([(); 4].map(|()| delays.next().unwrap()), slots, "{word:x}");
    }
}

#[test]
fn a_clipped_slot_band_still_gives_whole_slots() {
    // 1000 ticks hold three slots and a bit: 0, 320, 640, 960.
    let clipped = CSMA.at_most(1_000);
    let quarters = clipped.delays(Script::units([0.0, 0.25, 0.5, 0.75, 0.999])).take(5).collect::<Vec<_>>();
    assert_eq!(quarters, [0, 320, 640, 960, 960]);
    assert_eq!(CSMA.at_most(319).delays(Script::new([u64::MAX])).take(3).collect::<Vec<_>>(), [0, 0, 0]);
    // From a floor on, whole slots above it.
    let raised = CSMA.at_least(100).delays(Script::new([u64::MAX])).next();
    assert_eq!(raised, Some(100 + 6 * 320));
    let counted = Then::new(CSMA.max_retries(1), Constant::new(7)).delays(Script::units([0.999])).take(2);
    assert_eq!(counted.collect::<Vec<_>>(), [7 * 320, 7]);
}

#[test]
fn slots_of_odd_sizes_and_exponents() {
    let drawn = |policy: Slots<u32>| policy.delays(Script::new([u64::MAX])).take(3).collect::<Vec<_>>();
    assert_eq!(drawn(Slots::new(10, 0, 2)), [0, 10, 30]);
    assert_eq!(drawn(Slots::new(10, 4, 2)), [30, 30, 30], "the tighter bound wins");
    assert_eq!(drawn(Slots::new(0, 3, 5)), [0, 0, 0]);
    assert_eq!(drawn(Slots::new(1, 40, 255)), [u32::MAX; 3]);
    // Saturated, and still whole slots: 7 · ⌊(2^32 − 1) / 7⌋.
    assert_eq!(drawn(Slots::new(7, 32, 32)), [4_294_967_292; 3]);
    let long = Slots::new(Duration::from_secs(1), 63, 63).delays(Script::new([u64::MAX])).next().unwrap();
    assert_eq!(long, Duration::from_secs(u64::from(u32::MAX)));
}

#[test]
fn csma_waits_before_the_first_attempt_and_fails_after_five() {
    let retry = Retry::new(CSMA).with_max_attempts(5);
    let mut rng = Script::units([0.999]);
    let mut now = Instant::at(0xFFFF_F000_u32);
    let mut send = retry.start_waiting(now, &mut rng);
    for slots in [7, 15, 31, 31, 31] {
        assert_eq!(send.poll(now), Step::Wait(slots * 320));
        now = now.after(slots * 320);
        let Step::Attempt(busy) = send.poll(now) else { panic!() };
        now = now.after(128);
        match send.fail(busy, now, Verdict::Retry, &mut rng) {
            Next::Wait(delay) => assert_eq!(delay % 320, 0),
            next => assert_eq!(next, Next::GiveUp(Reason::Attempts)),
        }
    }
    assert_eq!((send.attempts(), send.poll(now)), (5, Step::Done));
    assert_eq!(send.elapsed(), 115 * 320 + 5 * 128);
}

#[test]
fn a_first_wait_may_come_from_another_band_too() {
    let retry = Retry::new(Slots::new(320_u32, 4, 5)).with_max_attempts(5);
    let splay = Band::exactly(2 * 320);
    let mut send = retry.start_after(Instant::at(0), splay, &mut Script::new([0]));
    assert_eq!(send.poll(Instant::at(0)), Step::Wait(640));
}

#[test]
fn a_policy_without_waits_gets_its_one_attempt() {
    let retry = Retry::new([0_u32; 0]);
    let mut run = retry.start_waiting(Instant::at(0), &mut Script::new([0]));
    let Step::Attempt(only) = run.poll(Instant::at(0)) else { panic!() };
    assert_eq!(
        run.fail(only, Instant::at(1), Verdict::Retry, &mut Script::new([0])),
        Next::GiveUp(Reason::PolicyEnded)
    );
}

#[test]
fn coap_draws_once_and_doubles() {
    let coap = DrawOnce::new(Duration::from_secs(2), Duration::from_secs(3));
    compare("coap_con", coap.plan(), Duration::from_millis(1), 0.0);

    // MAX_RETRANSMIT 4, so five transmissions; the fifth wait is the one before giving up. MAX_TRANSMIT_SPAN is 45 s.
    let retry = Retry::new(DrawOnce::new(2_000_u32, 3_000)).with_max_attempts(5);
    assert_eq!(retry.plan().last().unwrap().worst(), 45_000);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    for _ in 0..1_000 {
        let clock = ManualClock::new();
        let mut sent = Vec::new();
        _ = retry.run(&clock, &mut rng, || {
            sent.push(clock.slept());
            Err::<(), _>("no ack")
        });
        let first = sent[1];
        assert!((2_000..=3_000).contains(&first));
        assert_eq!(sent, [0, first, 3 * first, 7 * first, 15 * first]);
    }
}

#[test]
fn draw_once_keeps_the_rules_of_growth() {
    let drawn = |policy: DrawOnce<u32>, word| policy.delays(Script::new([word])).take(4).collect::<Vec<_>>();
    assert_eq!(drawn(DrawOnce::new(1, 1).with_multiplier(1.5), 0), [1, 2, 3, 4], "it never stalls");
    assert_eq!(drawn(DrawOnce::new(0, 10), 0), [0, 0, 0, 0], "nothing grows from nothing");
    assert_eq!(drawn(DrawOnce::new(5, 5).with_multiplier(1.0), 0), [5, 5, 5, 5]);
    assert_eq!(drawn(DrawOnce::new(100, 300).with_max_delay(250), u64::MAX), [250, 250, 250, 250]);
    assert_eq!(drawn(DrawOnce::new(9, 3), 0), [3, 6, 12, 24], "the upper end wins");
    assert_eq!(drawn(DrawOnce::new(1 << 30, 1 << 30), 0), [1 << 30, 1 << 31, u32::MAX, u32::MAX]);
    let error = DrawOnce::new(1_u32, 2).try_with_multiplier(Factor::ratio(1, 2).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "multiplier must be at least 1");
}

#[test]
fn a_hint_makes_draw_once_draw_anew() {
    let retry = Retry::new(DrawOnce::new(2_000_u32, 3_000));
    let mut rng = Script::units([0.0, 0.5]);
    let at = Instant::<u32>::at;
    let mut run = retry.start(at(0));
    let mut fail = |now, verdict| {
        let Step::Attempt(attempt) = run.poll(at(now)) else { panic!() };
        run.fail(attempt, at(now), verdict, &mut rng)
    };
    assert_eq!(fail(0, Verdict::Retry), Next::Wait(2_000));
    assert_eq!(fail(2_000, Verdict::Retry), Next::Wait(4_000));
    assert_eq!(fail(6_000, Verdict::RetryAfter(60_000)), Next::Wait(60_000));
    assert_eq!(fail(66_000, Verdict::Retry), Next::Wait(2_500));
    assert_eq!(fail(68_500, Verdict::Retry), Next::Wait(5_000));
}

#[test]
fn not_before_delays_a_recursive_wait_without_feeding_back() {
    // What was drawn is what grows, not what a duty cycle made of it.
    let retry = Retry::new(Recursive::new(1_000_u32));
    let mut rng = Script::units([0.5]);
    let mut run = retry.start(Instant::at(0));
    let Step::Attempt(attempt) = run.poll(Instant::at(0)) else { panic!() };
    assert_eq!(run.fail(attempt, Instant::at(0), Verdict::NotBefore(90_000), &mut rng), Next::Wait(90_100));
    let Step::Attempt(attempt) = run.poll(Instant::at(90_100)) else { panic!() };
    assert_eq!(run.fail(attempt, Instant::at(90_100), Verdict::Retry, &mut rng), Next::Wait(2_000));
}

/// The settings of an entry as a retry: `IRT`, `MRT`, `MRC`, `MRD`.
fn dhcpv6(id: &str) -> Retry<Recursive> {
    let entry = entry(id);
    let millis = |group: &str, key: &str| Duration::from_millis(entry[group][key].as_u64().unwrap());
    let mut policy = Recursive::new(millis("growth", "irt"));
    if !millis("growth", "mrt").is_zero() {
        policy = policy.with_max_interval(millis("growth", "mrt"));
    }
    if entry["jitter"]["first_strictly_positive"] == true {
        policy = policy.with_first_never_early();
    }
    let mut retry = Retry::new(policy);
    if !millis("stop", "mrd").is_zero() {
        retry = retry.with_max_elapsed(millis("stop", "mrd"));
    }
    match entry["stop"]["mrc"].as_u64().unwrap() {
        0 => retry,
        mrc => retry.with_max_attempts(u32::try_from(mrc).unwrap()),
    }
}

#[test]
fn dhcpv6_waits_are_the_published_ones() {
    for id in [
        "dhcpv6_solicit",
        "dhcpv6_request",
        "dhcpv6_confirm",
        "dhcpv6_renew",
        "dhcpv6_rebind",
        "dhcpv6_information_request",
        "dhcpv6_release",
        "dhcpv6_decline",
    ] {
        // In nanoseconds, so that the roundings of fifteen steps stay below a microsecond or so.
        compare(id, dhcpv6(id).policy().plan(), Duration::from_millis(1), 0.1);
    }
}

#[test]
fn dhcpv6_in_millisecond_ticks_is_at_most_a_tick_per_doubling_off() {
    let policy = Recursive::new(1_000_u32).with_max_interval(30_000);
    for (row, [min, max, _, _]) in policy.plan().zip(published("dhcpv6_request")) {
        let (lo, hi) = (f64::from(row.band().lo()), f64::from(row.band().hi()));
        let slack = f64::from(1_u32 << row.retry().min(6));
        assert!(lo >= min && lo - min <= slack && hi <= max && max - hi <= slack, "{row:?}: {min}, {max}");
    }
}

#[test]
fn dhcpv6_first_solicit_is_later_than_its_interval() {
    let first = dhcpv6("dhcpv6_solicit").policy().delays(Script::new([0])).next().unwrap();
    assert_eq!(first, Duration::from_secs(1) + Duration::from_nanos(1));
    let first = dhcpv6("dhcpv6_request").policy().delays(Script::new([0])).next().unwrap();
    assert_eq!(first, Duration::from_millis(900));
}

#[test]
fn dhcpv6_runs_end_where_mrc_and_mrd_say() {
    let calls = |id: &str, unit: f64| {
        let clock = ManualClock::new();
        let gave_up = dhcpv6(id).run(&clock, Script::units([unit]), || Err::<(), _>("no reply")).unwrap_err();
        (gave_up.attempts(), gave_up.reason(), clock.slept())
    };
    let millis = Duration::from_millis;
    assert_eq!(calls("dhcpv6_release", 0.0), (4, Reason::Attempts, millis(900 + 1_710 + 3_249)));
    // MRD 10 s: 0.9 + 1.71 + 3.249 + 3.6 are 9.459 s.
    let (attempts, reason, slept) = calls("dhcpv6_confirm", 0.0);
    assert_eq!((attempts, slept), (5, millis(9_459)));
    assert_eq!(reason, Reason::TimeLimit { limit: millis(10_000), delay: millis(3_600) });
    assert_eq!(calls("dhcpv6_request", 0.5).0, 10);
}

#[test]
fn the_ends_of_a_recursive_band_never_shrink_when_more_was_drawn() {
    for (multiplier, spread, cap) in [(2.0, 0.1, 30_000), (1.0, 1.0, 500), (1.5, 0.5, u32::MAX), (2.0, 0.1, 1_999)] {
        let policy = Recursive::new(1_000_u32).with_growth(multiplier, spread).with_max_interval(cap);
        let mut before = Band::exactly(0);
        for drawn in 0..40_000 {
            let mut state = policy.start();
            policy.drawn(&mut state, drawn);
            let band = policy.next(&mut state).unwrap();
            assert!(band.lo() >= before.lo() && band.hi() >= before.hi(), "{drawn}: {before:?}, {band:?}");
            before = band;
        }
    }
    let refused = Recursive::new(1_u32).try_with_growth(Factor::new(2.5), Factor::new(1.1)).unwrap_err();
    assert_eq!((refused.field(), refused.rule()), ("spread", "spread must be at most 1"));
    assert_eq!(Recursive::new(1_u32).try_with_growth(Factor::ZERO, Factor::ZERO).unwrap_err().field(), "multiplier");
}

#[test]
fn a_plan_of_drawn_waits_holds_whatever_is_drawn() {
    let policy = Recursive::new(1_000_u32).with_max_interval(30_000);
    let rows: Vec<_> = policy.plan().take(12).collect();
    for seed in 0..2_000 {
        let mut sum = 0;
        for (delay, row) in policy.delays(Xoshiro128PlusPlus::seed_from_u64(seed)).zip(&rows) {
            sum += delay;
            assert!(row.band().lo() <= delay && delay <= row.band().hi());
            assert!(row.best() <= sum && sum <= row.worst());
        }
    }
}

#[test]
fn states_stay_small() {
    assert_eq!(size_of::<<Slots<u32> as Policy>::State>(), 1);
    assert_eq!(size_of::<<DrawOnce<u32> as Policy>::State>(), 8);
    assert_eq!(size_of::<<Recursive<Duration> as Policy>::State>(), 16);
}
