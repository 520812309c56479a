//! Settings from and to files: human durations, checked on the way in, the same again on the way out.

#![cfg(feature = "serde")]

use core::fmt::Debug;
use core::time::Duration;

use relent::reconnect::Reconnect;
use relent::{
    Constant, Decorrelated, DrawOnce, Exponential, Factor, Fibonacci, Jitter, Linear, Policy, Recursive, Retry, Slots,
};
use serde::{Serialize, de::DeserializeOwned};

const SECOND: Duration = Duration::from_secs(1);

fn refusal<T: DeserializeOwned + Debug>(text: &str) -> String {
    toml::from_str::<T>(text).unwrap_err().to_string()
}

/// Text and binary, and back: `Debug` shows every setting.
fn round_trip<T: Serialize + DeserializeOwned + Debug>(settings: &T) {
    let shown = format!("{settings:?}");
    let toml = toml::to_string(settings).unwrap();
    assert_eq!(format!("{:?}", toml::from_str::<T>(&toml).unwrap()), shown, "{toml}");
    let json = serde_json::to_string(settings).unwrap();
    assert_eq!(format!("{:?}", serde_json::from_str::<T>(&json).unwrap()), shown, "{json}");
    let bytes = postcard::to_stdvec(settings).unwrap();
    assert_eq!(format!("{:?}", postcard::from_bytes::<T>(&bytes).unwrap()), shown, "{bytes:?}");
}

#[test]
fn a_whole_retry_is_read_from_a_file() {
    let retry: Retry<Exponential> = toml::from_str(
        r#"
        max_attempts = 6
        max_elapsed = "2m"
        max_hint = "1h 30m"
        hint_spread = "500ms"
        attempt_timeout = "4s"
        hints_clamped = true

        [policy]
        initial_interval = "250ms"
        multiplier = 2
        max_interval = "1.5 min"
        max_delay = "2m"
        jitter = { spread = 0.2 }
        "#,
    )
    .unwrap();
    assert_eq!(retry.limits().max_attempts().unwrap().get(), 6);
    assert_eq!(retry.limits().max_elapsed(), Some(120 * SECOND));
    assert_eq!(retry.limits().max_hint(), Some(5_400 * SECOND));
    assert_eq!(retry.limits().hint_spread(), Some(SECOND / 2));
    assert_eq!(retry.limits().attempt_timeout(), Some(4 * SECOND));
    assert!(retry.limits().hints_are_clamped());
    let policy = Exponential::new(SECOND / 4)
        .with_multiplier(2.0)
        .with_max_interval(90 * SECOND)
        .with_max_delay(120 * SECOND)
        .with_jitter(Jitter::spread(0.2));
    assert_eq!(*retry.policy(), policy);
}

#[test]
fn what_is_missing_is_what_new_sets() {
    let policy: Exponential = toml::from_str("initial_interval = '1s'").unwrap();
    assert_eq!(policy, Exponential::new(SECOND));
    let policy: Recursive = serde_json::from_str(r#"{"initial_interval": "1s", "max_interval": null}"#).unwrap();
    assert_eq!(policy, Recursive::new(SECOND));
    let retry: Retry<Constant> = toml::from_str("policy.interval = '1s'").unwrap();
    assert_eq!(*retry.limits(), *Retry::new(Constant::new(SECOND)).limits());
}

#[test]
fn ticks_are_whole_numbers() {
    let policy: Linear<u32> = toml::from_str("initial_interval = 10\nstep = 5\njitter.absolute = 3").unwrap();
    assert_eq!(policy, Linear::new(10, 5).with_jitter(Jitter::Absolute(3)));
    assert!(refusal::<Constant<u32>>("interval = '10ms'").contains("interval must be a whole number of ticks"));
    assert!(refusal::<Constant<u32>>("interval = 4294967296").contains("interval must be below 2^32"));
    assert!(refusal::<Constant<u64>>("interval = -1").contains("interval must not be negative"));
    assert!(refusal::<Constant<u32>>("interval = 1.5").contains("a whole number of ticks"));
}

#[test]
fn errors_name_the_field_and_the_rule() {
    for (text, expected) in [
        ("initial_interval = '1s'\nmultiplier = 0.5", "multiplier must be at least 1"),
        ("initial_interval = '1s'\nmultiplier = -2", "multiplier must not be negative"),
        ("initial_interval = '1s'\nmultiplier = nan", "multiplier must be a number"),
        ("initial_interval = '1s'\nmultiplier = inf", "multiplier must be below 2^32"),
        ("initial_interval = '1s'\nmultiplier = 4294967296", "multiplier must be below 2^32"),
        ("initial_interval = '1s'\nmultiplier = 'two'", "expected a number"),
        ("initial_interval = '1 fortnight'", "initial_interval must be a duration such as \"1m 30s\""),
        ("initial_interval = 5", "initial_interval must have a unit, such as \"5s\""),
        ("initial_interval = -5", "initial_interval must not be negative"),
        ("initial_interval = '1s'\nmax_delay = '7000000h'", "max_delay must be at most 584 years"),
        ("initial_interval = '1s'\nmax_interval = '0.1ns'", "max_interval must be whole nanoseconds"),
        ("initial_interval = '1s'\njitter = { spread = -1 }", "spread must not be negative"),
        ("initial_interval = '1s'\njitter = { absolute = 'x' }", "absolute must be a duration"),
        ("initial_interval = '1s'\njitter = 'half'", "unknown variant `half`"),
        ("multiplier = 2", "missing field `initial_interval`"),
    ] {
        let message = refusal::<Exponential>(text);
        assert!(message.contains(expected), "{text}: {message}");
    }
    let message = refusal::<Retry<Constant>>("max_attempts = 0\npolicy.interval = '1s'");
    assert!(message.contains("max_attempts must be at least 1"), "{message}");
    let message = refusal::<Recursive>("initial_interval = '1s'\nspread = 1.5");
    assert!(message.contains("spread must be at most 1"), "{message}");
    let message = refusal::<Retry<Constant>>("max_elapsed = 'soon'\npolicy.interval = '1s'");
    assert!(message.contains("max_elapsed must be a duration"), "{message}");
}

#[test]
fn unknown_fields_are_refused() {
    assert!(refusal::<Exponential>("initial_interval = '1s'\nmultiplyer = 2").contains("unknown field `multiplyer`"));
    assert!(refusal::<Constant<u32>>("interval = 1\nmax_interval = 2").contains("unknown field `max_interval`"));
    assert!(
        refusal::<Slots<u32>>("slot = 1\nmin_exponent = 3\nmax_exponent = 5\nbe = 1").contains("unknown field `be`")
    );
    let retry = refusal::<Retry<Constant>>("max_retries = 3\npolicy.interval = '1s'");
    assert!(retry.contains("unknown field `max_retries`"), "{retry}");
    let link = refusal::<Reconnect<Constant>>("stable = '1s'\nretry.policy.interval = '1s'");
    assert!(link.contains("unknown field `stable`"), "{link}");
}

#[test]
fn settings_come_back_as_they_were() {
    let third = Factor::ratio(1, 3).unwrap();
    round_trip(&Exponential::default());
    round_trip(&Exponential::new(7_u32).try_with_multiplier(Factor::ratio(7, 4).unwrap()).unwrap().with_max_delay(99));
    round_trip(&Constant::new(SECOND).with_jitter(Jitter::Additive(SECOND / 7)));
    round_trip(&Linear::new(1_u64, 1 << 60).with_jitter(Jitter::None).with_max_interval(1 << 62));
    round_trip(&Fibonacci::new(SECOND).with_jitter(Jitter::Equal));
    round_trip(&Decorrelated::new(SECOND).with_max_delay(20 * SECOND));
    round_trip(&DrawOnce::new(2 * SECOND, 3 * SECOND).with_multiplier(1.000_000_001));
    round_trip(&Recursive::new(SECOND).with_max_interval(30 * SECOND).with_first_never_early());
    round_trip(&Slots::new(320_u32, 3, 5));
    let retry = Retry::new(Exponential::new(SECOND))
        .with_max_attempts(u32::MAX)
        .with_max_elapsed(Duration::ZERO)
        .with_max_hint(Duration::from_nanos(1))
        .with_hint_spread(SECOND)
        .with_attempt_timeout(SECOND)
        .with_hints_clamped()
        .with_max_elapsed_from_first_failure()
        .with_delays_from_attempt_start();
    round_trip(&retry);
    round_trip(&Retry::new(Constant::new(5_u32)));
    round_trip(&Reconnect::new(retry, 30 * SECOND).with_min_spacing(SECOND));
    // A third is no decimal: exact in binary, the nearest float in text.
    let bytes = postcard::to_stdvec(&Jitter::<u32>::Spread(third)).unwrap();
    assert_eq!(postcard::from_bytes::<Jitter<u32>>(&bytes).unwrap(), Jitter::Spread(third));
}

#[test]
fn a_factor_is_written_as_the_decimal_that_it_was() {
    for (factor, text) in
        [(1.5, "1.5"), (0.1, "0.1"), (2.0, "2.0"), (0.000_000_001, "1e-9"), (4_294_967_295.0, "4294967295.0")]
    {
        assert_eq!(serde_json::to_string(&Factor::new(factor)).unwrap(), text);
    }
    for n in (0..=2_000_000_u32).step_by(7) {
        let factor = Factor::ratio(n, 100_000).unwrap();
        let text = serde_json::to_string(&factor).unwrap();
        assert_eq!(serde_json::from_str::<Factor>(&text).unwrap(), factor, "{text}");
    }
}

#[test]
fn what_was_not_set_is_not_written() {
    let text = toml::to_string(&Retry::new(Exponential::new(SECOND)).with_max_attempts(3)).unwrap();
    assert!(text.contains("initial_interval = \"1s\"") && text.contains("max_attempts = 3"), "{text}");
    for absent in ["max_interval", "max_delay", "max_elapsed =", "max_hint", "attempt_timeout"] {
        assert!(!text.contains(absent), "{absent}: {text}");
    }
}

#[test]
fn settings_that_were_read_run() {
    let retry: Retry<Exponential<u32>> =
        toml::from_str("max_attempts = 4\npolicy = { initial_interval = 100, multiplier = 2, jitter = 'none' }")
            .unwrap();
    assert_eq!(retry.plan().map(|row| row.band().hi()).collect::<Vec<_>>(), [100, 200, 400]);
    let slots: Slots<u32> = serde_json::from_str(r#"{"slot": 320, "min_exponent": 3, "max_exponent": 5}"#).unwrap();
    assert_eq!(slots.plan().next().unwrap().band().hi(), 2_240);
}

#[cfg(feature = "fugit-06")]
#[test]
fn fugit_spans_are_ticks_in_files() {
    use fugit::MillisDurationU32 as Ms;
    let policy = Exponential::new(Ms::from_ticks(250)).with_max_interval(Ms::from_ticks(60_000));
    round_trip(&policy);
    assert_eq!(toml::from_str::<Constant<Ms>>("interval = 40").unwrap(), Constant::new(Ms::from_ticks(40)));
}
