//! `embedded-hal` delays as the wait: units, fractions of a tick, more than 32 bits.

#![cfg(feature = "embedded-hal-1")]

use core::time::Duration;

use embedded_hal::delay::DelayNs;
use relent::clock::{Joined, Sliced};
use relent::hal::{Micros, Millis};
use relent::rng::Rng;
use relent::testing::{ManualClock, Script};
use relent::{Clock, Constant, Exponential, Instant, Jitter, Retry, Sleep};

/// Adds up what it is asked for, in nanoseconds, and keeps the pieces.
#[derive(Default)]
struct Recorder {
    nanos: u128,
    pieces: Vec<u32>,
}

impl Recorder {
    fn wait(&mut self, n: u32, unit: u128) {
        self.nanos += u128::from(n) * unit;
        self.pieces.push(n);
    }
}

impl DelayNs for Recorder {
    fn delay_ns(&mut self, ns: u32) {
        self.wait(ns, 1);
    }

    fn delay_us(&mut self, us: u32) {
        self.wait(us, 1_000);
    }

    fn delay_ms(&mut self, ms: u32) {
        self.wait(ms, 1_000_000);
    }
}

#[test]
fn the_unit_is_in_the_type() {
    let mut delay = Recorder::default();
    Millis::new(&mut delay).sleep(7_u32);
    assert_eq!(delay.nanos, 7_000_000);
    Micros::new(&mut delay).sleep(9_u32);
    assert_eq!((delay.nanos, delay.pieces), (7_009_000, vec![7, 9]));
}

#[test]
fn a_fraction_of_a_tick_is_rounded_up() {
    for (span, millis, micros) in [
        (Duration::ZERO, 0, 0),
        (Duration::from_nanos(1), 1, 1),
        (Duration::new(0, 1_000), 1, 1),
        (Duration::from_nanos(1_001), 1, 2),
        (Duration::from_nanos(999_999), 1, 1_000),
        (Duration::new(0, 1_000_000), 1, 1_000),
        (Duration::from_nanos(1_000_001), 2, 1_001),
        (Duration::new(3, 999_999_999), 4_000, 4_000_000),
    ] {
        let mut delay = Recorder::default();
        let mut world = Millis::new(&mut delay);
        world.sleep(span);
        assert_eq!(world.now(), Instant::at(Duration::from_millis(millis)), "{span:?}");
        assert_eq!(delay.nanos, u128::from(millis) * 1_000_000, "{span:?}");
        let mut delay = Recorder::default();
        let mut world = Micros::new(&mut delay);
        world.sleep(span);
        assert_eq!(world.now(), Instant::at(Duration::from_micros(micros)), "{span:?}");
        assert_eq!(delay.nanos, u128::from(micros) * 1_000, "{span:?}");
    }
}

#[test]
fn a_wait_of_more_than_32_bits_is_done_in_pieces() {
    let pieces = |sleep: &dyn Fn(&mut Recorder)| {
        let mut delay = Recorder::default();
        sleep(&mut delay);
        delay.pieces
    };
    let max = u32::MAX;
    assert_eq!(pieces(&|d| Millis::new(d).sleep(max)), [max]);
    assert_eq!(pieces(&|d| Millis::new(d).sleep((1_u64 << 33) + 5)), [max, max, 7]);
    assert_eq!(pieces(&|d| Micros::new(d).sleep(u64::from(max))), [max]);
    // Two hours are 7.2 · 10^9 µs.
    assert_eq!(pieces(&|d| Micros::new(d).sleep(Duration::from_secs(7_200))), [max, 2_905_032_705]);
    assert_eq!(pieces(&|d| Millis::new(d).sleep(0_u32)), [0_u32; 0], "no wait is no call");
}

#[test]
fn blocking_firmware_retries_with_a_delay_and_no_clock() {
    const JOIN: Retry<Exponential<u32>> =
        Retry::new(Exponential::new(100).with_multiplier(2.0).with_jitter(Jitter::None)).with_max_attempts(4);
    let mut delay = Recorder::default();
    let mut rng = Script::units([0.25]);
    let mut channels = Vec::new();
    // The operation waits and draws too.
    let gave_up = JOIN
        .on(Millis::new(&mut delay), &mut rng)
        .run_with(|_, lent| {
            lent.world.sleep(3);
            channels.push(lent.rng.next_u32() >> 28);
            Err::<(), _>("no answer")
        })
        .unwrap_err();
    assert_eq!((gave_up.attempts(), gave_up.elapsed()), (4, 712));
    assert_eq!((delay.nanos, channels.len()), (712_000_000, 4));
}

#[test]
fn a_delay_joins_a_clock_and_feeds_a_watchdog() {
    let clock = ManualClock::<u32>::new();
    let mut delay = Recorder::default();
    let mut fed = 0;
    let mut world = Sliced::new(Joined::new(&clock, Millis::new(&mut delay)), 1_000, || {
        fed += 1;
        clock.advance(1_000);
    });
    world.sleep(5_500);
    assert_eq!(world.now(), Instant::at(6_000));
    assert_eq!((delay.nanos, fed), (5_500_000_000, 6));
}

#[test]
fn durations_with_a_time_limit_count_what_was_really_waited() {
    let mut delay = Recorder::default();
    let retry = Retry::new(Constant::new(Duration::from_micros(1_500))).with_max_elapsed(Duration::from_millis(7));
    let gave_up = retry.run(Millis::new(&mut delay), Script::new([0]), || Err::<(), _>("nack")).unwrap_err();
    // Each wait takes 2 ms: at 6 ms there is no room for another 1.5.
    assert_eq!((gave_up.attempts(), gave_up.elapsed()), (4, Duration::from_millis(6)));
}
