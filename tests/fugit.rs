//! `fugit` durations as spans, in 32 and 64 bits and at odd rates.

#![cfg(feature = "fugit-06")]

use core::cell::Cell;

use fugit::{Duration, ExtU32, MicrosDurationU64, MillisDurationU32, TimerDurationU32};
use relent::clock::{Scaled, Summed, from_fn};
use relent::testing::{ManualClock, Script};
use relent::{Band, Clock, Exponential, Instant, Jitter, Next, Policy, Retry, Step, Verdict};

type Ms = MillisDurationU32;
type Rtc = TimerDurationU32<32_768>;

const LINK: Retry<Exponential<Ms>> = Retry::new(
    Exponential::new(Ms::from_millis(100))
        .with_multiplier(2.0)
        .with_jitter(Jitter::None)
        .with_max_interval(Ms::from_secs(1)),
)
.with_max_elapsed(Ms::from_secs(2));

#[test]
fn a_retry_in_milliseconds_of_fugit() {
    let clock = ManualClock::starting_at(Instant::at(Ms::from_ticks(u32::MAX - 300)));
    let gave_up = LINK.run(&clock, Script::new([0]), || Err::<(), _>("nack")).unwrap_err();
    assert_eq!((gave_up.attempts(), gave_up.elapsed(), clock.slept()), (5, 1_500.millis(), 1_500.millis()));
}

#[test]
fn the_same_schedule_as_in_bare_ticks() {
    let plain = Exponential::new(3_000_u32).with_max_interval(100_000);
    let spans = Exponential::new(Rtc::from_ticks(3_000)).with_max_interval(Rtc::from_ticks(100_000));
    let words = Script::units([0.1, 0.9, 0.5]);
    let ticks: Vec<_> = spans.delays(words.clone()).take(30).map(|span| span.as_ticks()).collect();
    assert_eq!(ticks, plain.delays(words).take(30).collect::<Vec<_>>());
}

#[test]
fn ends_saturate_at_the_width() {
    let top = Ms::from_ticks(u32::MAX);
    assert_eq!(Jitter::spread(0.5).band(top), Band::new(Ms::from_ticks(0x8000_0000), top));
    let wide = Exponential::new(MicrosDurationU64::from_ticks(u64::MAX)).with_jitter(Jitter::None);
    assert_eq!(wide.delays(Script::new([0])).nth(3), Some(MicrosDurationU64::from_ticks(u64::MAX)));
}

#[test]
fn a_wrapping_counter_needs_no_order() {
    let at = |ticks: u32| Instant::at(Rtc::from_ticks(ticks));
    assert_eq!(at(5).since(at(u32::MAX)), Rtc::from_ticks(6));
    assert_eq!(at(u32::MAX).since(at(5)), Rtc::from_ticks(0));
    let retry = Retry::new(Exponential::new(Rtc::from_ticks(10)).with_jitter(Jitter::None));
    let mut run = retry.start(at(u32::MAX));
    let Step::Attempt(attempt) = run.poll(at(u32::MAX)) else { panic!() };
    assert_eq!(run.fail(attempt, at(4), Verdict::Retry, &mut Script::new([0])), Next::Wait(Rtc::from_ticks(10)));
    assert_eq!(run.poll(at(9)), Step::Wait(Rtc::from_ticks(5)));
}

#[test]
fn clocks_tell_fugit_durations() {
    let counter = Cell::new(0_u32);
    let millis = Scaled::<32_768, 1_000, _, Ms>::new(from_fn(|| counter.get()));
    let start = millis.now();
    counter.set(16_384);
    assert_eq!(millis.now().since(start), 500.millis::<1, 1_000>());

    let mut asked = Vec::new();
    let world = Summed::new(|span: Ms| asked.push(span.as_ticks()));
    _ = LINK.run(world, Script::new([0]), || Err::<(), _>("nack"));
    assert_eq!(asked, [100, 200, 400, 800]);
}

#[test]
fn ticks_of_seconds_and_of_odd_ratios_are_spans_too() {
    let minutes =
        Exponential::new(Duration::<u32, 60, 1>::from_ticks(1)).with_multiplier(2.0).with_jitter(Jitter::None);
    assert_eq!(minutes.delays(Script::new([0])).nth(3), Some(Duration::<u32, 60, 1>::from_ticks(8)));
    let odd = Exponential::new(Duration::<u64, 3, 7>::from_ticks(5)).with_jitter(Jitter::None);
    assert_eq!(odd.delays(Script::new([0])).nth(1), Some(Duration::<u64, 3, 7>::from_ticks(7)));
}
