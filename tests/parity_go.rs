//! The intervals of the Go library cenkalti/backoff v5.0.3, row by row, and where this crate differs on purpose.
//!
//! The recorded numbers are in `data/go-v5.json`. What it does with them is in `parity_go_retry.rs`.

#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a random number in [0, 1) becomes a word")]

mod rig;

use std::time::Duration;

use relent::testing::Script;
use relent::{Band, Constant, Exponential, Factor, Jitter, Never, Plan, Policy, Zero};
use rig::nothing_to_draw;
use serde_json::Value;

const SECOND: Duration = Duration::from_secs(1);

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn recorded() -> Value {
    serde_json::from_str(include_str!("data/go-v5.json")).unwrap()
}

/// A factor as it is written in the recording; NaN and infinity are strings there.
fn float(value: &Value) -> f64 {
    match value.as_str() {
        Some("NaN") => f64::NAN,
        Some("+Inf") => f64::INFINITY,
        _ => value.as_f64().unwrap(),
    }
}

/// `(digits, 10^places)` of a number as written in decimal.
fn decimal(value: f64) -> (u128, u128) {
    let text = value.to_string();
    let places = text.split_once('.').map_or(0, |(_, places)| places.len());
    (text.replace('.', "").parse().unwrap(), 10_u128.pow(places as u32))
}

fn draw(band: Band, random: f64) -> u64 {
    let word = (random * 2_f64.powi(64)) as u64;
    band.draw(&mut Script::new([word])).as_nanos() as u64
}

/// The rows of `jitter` and `jitter_random`: 1 ns below 2^50 ns, one part in 2^50 above.
fn compare_jitter(key: &str, rows: usize) -> usize {
    let recorded = recorded();
    let table = recorded[key].as_array().unwrap();
    assert_eq!(table.len(), rows);
    let mut above_the_band = 0;
    for row in table {
        let (interval, factor, random) = (row[0].as_u64().unwrap(), row[1].as_f64().unwrap(), row[2].as_f64().unwrap());
        let theirs = row[3].as_i64().unwrap();

        let (digits, ten) = decimal(factor);
        let delta = (u128::from(interval) * digits / ten) as u64;
        let (lo, hi) = (interval - delta, interval.saturating_add(delta));
        let band = Jitter::Spread(Factor::try_new(factor).unwrap()).band(Duration::from_nanos(interval));
        assert_eq!(band, Band::new(Duration::from_nanos(lo), Duration::from_nanos(hi)), "{row}");

        let ours = draw(band, random);
        assert!((lo..=hi).contains(&ours), "{row}: {ours}");
        let Ok(theirs) = u64::try_from(theirs) else {
            assert_eq!(theirs, i64::MIN, "only an overflow is negative: {row}");
            continue;
        };
        let tolerance = if theirs < 1 << 50 { 1 } else { (theirs >> 50) + 1 };
        assert!(ours.abs_diff(theirs) <= tolerance, "{row}: {ours}");
        if theirs > hi && theirs < 1 << 50 {
            assert_eq!(theirs, hi + 1);
            above_the_band += 1;
        }
    }
    above_the_band
}

#[test]
fn the_same_random_number_gives_the_same_interval() {
    // How many results of the library lie 1 ns above its own band.
    assert_eq!(compare_jitter("jitter", 630), 78);
    assert_eq!(compare_jitter("jitter_random", 800), 10);
}

#[test]
fn odd_factors_are_refused_or_saturate() {
    let (mut refused, mut unwritable, mut saturated) = (0, 0, 0);
    for row in recorded()["jitter_odd"].as_array().unwrap() {
        let (factor, random, theirs) = (float(&row[1]), row[2].as_f64().unwrap(), row[3].as_i64().unwrap());
        let Some(interval) = row[0].as_u64() else {
            unwritable += 1; // A span is never negative.
            continue;
        };
        let Ok(spread) = Factor::try_new(factor) else {
            assert!(factor.is_nan() || factor.is_infinite() || factor < 0.0);
            refused += 1;
            continue;
        };
        saturated += 1;
        let ours = draw(Jitter::Spread(spread).band(Duration::from_nanos(interval)), random);
        let expected = match (interval, factor, random) {
            // Not −500 ns, and not −1 s; [0, 2500] is not [−500, 2500].
            (1_000, 1.5, 0.0) | (1_000_000_000, 2.0, 0.0) => 0,
            (1_000, 1.5, 0.999_999) => 2_500,
            _ => u64::try_from(theirs).unwrap(),
        };
        assert!(ours.abs_diff(expected) <= (expected >> 50) + 1, "{row}: {ours}");
    }
    assert_eq!((refused, unwritable, saturated), (6, 4, 5));
}

/// The settings of an `evolution` row, or why there are none.
fn settings(row: &Value) -> Result<Exponential, &'static str> {
    let span = |key: &str| row[key].as_u64().map(Duration::from_nanos).ok_or("a span is never negative");
    let multiplier = Factor::try_new(float(&row["multiplier"])).map_err(|error| error.rule())?;
    let policy = Exponential::new(span("initial_ns")?).with_max_interval(span("max_ns")?).with_jitter(Jitter::None);
    policy.try_with_multiplier(multiplier).map_err(|error| error.rule())
}

fn nominals(policy: Exponential, n: usize) -> Vec<u64> {
    policy.plan().take(n).map(|row| row.nominal().unwrap().as_nanos() as u64).collect()
}

/// Rows on which the two agree, rows that grow here and stand still there, rows with the first interval above the cap.
fn compare_evolution(row: &Value) -> (bool, bool, bool) {
    let theirs: Vec<u64> = row["returned_ns"].as_array().unwrap().iter().map(|ns| ns.as_u64().unwrap()).collect();
    let ours = nominals(settings(row).unwrap(), theirs.len());
    let (initial, cap) = (row["initial_ns"].as_u64().unwrap(), row["max_ns"].as_u64().unwrap());
    if initial > cap {
        // There the first one escapes the cap.
        assert_eq!(theirs[0], initial);
        assert!(ours.iter().all(|&ns| ns == cap), "{}", row["name"]);
        return (false, false, true);
    }
    let stuck = theirs[0] == theirs[1] && initial != 0 && initial != cap && float(&row["multiplier"]) > 1.0;
    if stuck {
        // interval · (m − 1) is less than a tick.
        assert!(theirs.iter().all(|&ns| ns == initial));
        assert!(ours.windows(2).all(|w| w[0] < w[1] || w[1] == cap), "{}: {ours:?}", row["name"]);
        return (false, true, false);
    }
    assert_eq!(ours, theirs, "{}", row["name"]);
    (true, false, false)
}

#[test]
fn intervals_evolve_alike() {
    let (mut equal, mut growing, mut capped, mut refused) = (0, 0, 0, 0);
    for row in recorded()["evolution"].as_array().unwrap() {
        if let Err(why) = settings(row) {
            assert_eq!((why, float(&row["multiplier"])), ("multiplier must be at least 1", 0.5));
            refused += 1;
            continue;
        }
        let (e, g, c) = compare_evolution(row);
        (equal, growing, capped) = (equal + u32::from(e), growing + u32::from(g), capped + u32::from(c));
    }
    // Growing here only: 1 ns × 1.5, 3 ns × 1.1, 9 ns × 1.1.
    assert_eq!((equal, growing, capped, refused), (11, 3, 1, 1));
}

#[test]
fn odd_settings_are_refused_or_the_tighter_bound_wins() {
    let mut seen = Vec::new();
    for row in recorded()["evolution_odd"].as_array().unwrap() {
        let name = row["name"].as_str().unwrap().to_owned();
        let outcome = match settings(row) {
            Err(why) => why,
            Ok(_) => match compare_evolution(row) {
                (true, ..) => "equal",
                (_, _, true) => "the cap from the first",
                _ => "grows",
            },
        };
        seen.push((name, outcome));
    }
    let seen: Vec<_> = seen.iter().map(|(name, outcome)| (name.as_str(), *outcome)).collect();
    assert_eq!(
        seen,
        [
            ("mult 0", "multiplier must be at least 1"),
            ("mult -1", "factor must not be negative"),
            ("mult NaN", "factor must be a number"),
            ("mult +Inf", "factor must be below 2^32"),
            ("max 0", "the cap from the first"),
            ("max -1ns", "a span is never negative"),
            ("initial -1ns", "a span is never negative"),
            ("initial -1s", "a span is never negative"),
            ("all zero", "multiplier must be at least 1"),
            ("mult 1.5 max<init", "the cap from the first"),
            ("mult 0.5 max<init", "multiplier must be at least 1"),
            ("mult 0.1 floor to 0 then restart", "multiplier must be at least 1"),
            ("initial==max", "equal"),
            ("max/2-ish", "equal"),
            ("max 3x", "equal"),
        ]
    );
}

#[test]
fn the_defaults_are_the_same() {
    let policy = Exponential::default();
    assert_eq!((policy.initial_interval(), policy.max_interval()), (ms(500), 60 * SECOND));
    assert_eq!((policy.multiplier(), policy.jitter()), (Factor::new(1.5), Jitter::spread(0.5)));
    let nominal = [
        500_000_000,
        750_000_000,
        1_125_000_000,
        1_687_500_000,
        2_531_250_000,
        3_796_875_000,
        5_695_312_500,
        8_542_968_750,
        12_814_453_125_u64,
    ];
    let rows: Vec<_> = policy.plan().take(13).collect();
    for (row, n) in rows.iter().zip(nominal) {
        assert_eq!(row.nominal(), Some(Duration::from_nanos(n)));
        assert_eq!(row.band(), Band::new(Duration::from_nanos(n - n / 2), Duration::from_nanos(n + n / 2)));
    }
    assert!(rows[11].nominal() < Some(60 * SECOND));
    assert_eq!(rows[12].nominal(), Some(60 * SECOND));
    assert_eq!(rows[12].band(), Band::new(30 * SECOND, 90 * SECOND));
}

#[test]
fn zero_stop_and_constant_policies() {
    let three = |delays: &mut dyn FnMut() -> Option<Duration>| [delays(), delays(), delays()];
    let (mut zero, mut stop) = (Zero::new().delays(nothing_to_draw()), Never::new().delays(nothing_to_draw()));
    let mut constant = Constant::new(SECOND).delays(nothing_to_draw());
    assert_eq!(three(&mut || zero.next_backoff()), [Some(Duration::ZERO); 3]);
    assert_eq!(three(&mut || stop.next_backoff()), [None; 3]);
    assert_eq!(three(&mut || constant.next_backoff()), [Some(SECOND); 3]);
}

#[test]
fn settings_are_shared_freely_between_runs() {
    let policy = Exponential::new(SECOND).with_jitter(Jitter::None);
    let mut one = (&policy).delays(nothing_to_draw());
    let mut other = (&policy).delays(nothing_to_draw());
    assert_eq!([one.next(), one.next()], [Some(ms(1000)), Some(ms(1500))]);
    assert_eq!([other.next(), one.next()], [Some(ms(1000)), Some(ms(2250))]);
    one.reset();
    assert_eq!([one.next(), other.next()], [Some(ms(1000)), Some(ms(1500))]);
}

#[test]
fn answers_above_the_maximum_of_an_integer_saturate() {
    let policy = Exponential::new(Duration::from_nanos(i64::MAX as u64)).with_jitter(Jitter::spread(1.0));
    for row in Plan::new(policy).take(100) {
        assert_eq!(row.band().lo(), Duration::ZERO);
        assert!(row.band().hi() >= Duration::from_nanos(i64::MAX as u64));
    }
}
