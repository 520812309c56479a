//! Clocks of real parts: narrow counters, odd rates, delays without a clock.

#![allow(clippy::cast_possible_truncation, reason = "the model wraps where the counter does")]

use core::cell::Cell;
use core::num::NonZeroU8;
use core::time::Duration;

use relent::clock::{Joined, Rate, Scaled, Sliced, Summed, Widen, from_fn};
use relent::testing::{ManualClock, Script};
use relent::{CancelFlag, Clock, Constant, Exponential, Instant, Jitter, Next, Reason, Retry, Sleep, Step, Verdict};

/// A counter register of `bits` bits in front of a time that does not wrap.
struct Register {
    ticks: Cell<u64>,
    bits: u32,
    down: bool,
}

impl Register {
    fn new(bits: u32, down: bool, ticks: u64) -> Self {
        Self { ticks: Cell::new(ticks), bits, down }
    }

    fn pass(&self, ticks: u64) {
        self.ticks.set(self.ticks.get() + ticks);
    }

    fn read(&self) -> u32 {
        let ticks = if self.down { 0_u64.wrapping_sub(self.ticks.get()) } else { self.ticks.get() };
        (ticks % (1_u64 << self.bits)) as u32
    }
}

/// Steps of all sizes from 0 to `most`.
fn steps(most: u64, n: usize) -> impl Iterator<Item = u64> {
    let mut word = 0x2545_F491_4F6C_DD1D_u64;
    (0..n).map(move |i| {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        match i % 4 {
            0 => most,
            1 => word % 3,
            _ => word % (most + 1),
        }
    })
}

fn counts_like_a_wide_counter<const BITS: u32>(down: bool, first: u64) {
    let register = Register::new(BITS, down, first);
    let read = || register.read();
    let narrow = if down { Widen::<BITS, _, u32>::down(read) } else { Widen::up(read) };
    let wide = if down { Widen::<BITS, _, u64>::down(read) } else { Widen::up(read) };
    _ = (narrow.now(), wide.now());
    let mut passed = 0;
    for step in steps(1 << (BITS - 1), 2_000) {
        register.pass(step);
        passed += step;
        assert_eq!(wide.now(), Instant::at(passed), "{BITS} bits, down: {down}");
        assert_eq!(narrow.now(), Instant::at((passed % (1 << 32)) as u32), "{BITS} bits, down: {down}");
    }
    assert!(passed > 100 << BITS, "it has wrapped many times");
}

#[test]
fn a_counter_of_any_width_counts_on_when_it_wraps() {
    for down in [false, true] {
        for first in [0, 1, 0x7FFF, 0xFFFF, 0x00FF_FFFF, 0xFFFF_FFFE] {
            counts_like_a_wide_counter::<16>(down, first);
            counts_like_a_wide_counter::<24>(down, first);
            counts_like_a_wide_counter::<32>(down, first);
        }
    }
}

#[test]
fn bits_above_the_width_of_a_counter_are_ignored() {
    let raw = Cell::new(0xAB00_0010_u32);
    let clock = Widen::<24, _, u32>::up(|| raw.get());
    _ = clock.now();
    raw.set(0x1200_0015);
    assert_eq!(clock.now(), Instant::at(5));
}

#[test]
fn a_reading_that_is_too_late_loses_whole_periods_and_nothing_else() {
    let register = Register::new(16, false, 0);
    let clock = Widen::<16, _, u32>::up(|| register.read());
    _ = clock.now();
    register.pass(5 * 65_536 + 100);
    assert_eq!(clock.now(), Instant::at(100));
    // More than half a period looks like a step back: it counts nothing until the counter has passed its last reading again.
    register.pass(65_536 - 50);
    assert_eq!(clock.now(), Instant::at(100));
    register.pass(60);
    assert_eq!(clock.now(), Instant::at(110));
}

#[test]
fn systick_at_64_mhz_keeps_milliseconds_for_an_hour() {
    let register = Register::new(24, true, 12_345);
    let clock = Widen::<24, _>::down(|| register.read()).millis::<64_000_000>();
    let start = clock.now();
    let mut passed = 0_u64;
    for step in steps(1 << 23, 60_000) {
        register.pass(step);
        passed += step;
        assert_eq!(u64::from(clock.now().since(start)), passed / 64_000);
    }
    assert!(passed > 3_600 * 64_000_000);
}

#[test]
fn a_watch_crystal_keeps_milliseconds_over_many_wraps_of_32_bits() {
    let ticks = Cell::new(0_u32);
    let clock = Scaled::<32_768, 1_000, _>::new(from_fn(|| ticks.get()));
    assert_eq!(clock.now(), Instant::at(0_u32));
    let mut passed = 0_u64;
    for step in steps(1 << 31, 2_000) {
        ticks.set(ticks.get().wrapping_add(step as u32));
        passed += step;
        assert_eq!(clock.now(), Instant::at(((passed * 1_000 / 32_768) % (1 << 32)) as u32));
    }
    // Two years and more, and so 15 wraps of the milliseconds.
    assert!(passed / 32_768 > 2 * 365 * 86_400);
}

#[test]
fn a_clock_is_scaled_up_too_and_into_durations() {
    let ticks = Cell::new(7_u32);
    let micros = Scaled::<32_768, 1_000_000, _, u64>::new(from_fn(|| ticks.get()));
    let exact = Scaled::<32_768, 1_000_000_000, _, Duration>::new(from_fn(|| ticks.get()));
    let start = (micros.now(), exact.now());
    ticks.set(8);
    assert_eq!(micros.now().since(start.0), 30);
    assert_eq!(exact.now().since(start.1), Duration::from_nanos(30_517));
    ticks.set(7 + 32_768);
    assert_eq!(micros.now().since(start.0), 1_000_000);
    assert_eq!(exact.now().since(start.1), Duration::from_secs(1));
}

#[test]
fn a_scaled_clock_that_steps_back_stands_still_until_it_is_made_up() {
    let ticks = Cell::new(10_000_u32);
    let clock = Scaled::<1_000_000, 1_000, _, u32>::new(from_fn(|| ticks.get()));
    let now = |t: u32| {
        ticks.set(t);
        clock.now()
    };
    assert_eq!([10_000, 12_500, 11_000, 12_400, 13_000].map(now), [0, 2, 2, 2, 3].map(Instant::at));
}

#[test]
fn spans_become_ticks_rounded_up_at_compile_time() {
    const TICKS: [u32; 6] = [
        Rate::<32_768>::millis(1),
        Rate::<32_768>::millis(250),
        Rate::<32_768>::micros(31),
        Rate::<32_768>::seconds(60),
        Rate::<1_000>::micros(1),
        Rate::<64_000_000>::micros(1_500),
    ];
    assert_eq!(TICKS, [33, 8_192, 2, 1_966_080, 1, 96_000]);
    assert_eq!(Rate::<1_000>::millis(u32::MAX), u32::MAX);
    assert_eq!(Rate::<3>::micros(0), 0);
    // 3 × 4 294 967.295 s.
    assert_eq!(Rate::<3>::millis_u64(u32::MAX), 12_884_902);
    assert_eq!(Rate::<64_000_000>::seconds_u64(u32::MAX), 274_877_906_880_000_000);
    let error = Rate::<64_000_000>::try_millis(67_109).unwrap_err();
    assert_eq!((error.field(), error.to_string().as_str()), ("ticks", "ticks must be below 2^32"));
    assert_eq!(Rate::<64_000_000>::try_millis(67_108), Ok(4_294_912_000));
}

#[test]
fn rates_round_up_for_every_small_span() {
    for ms in 0..20_000_u32 {
        assert_eq!(u64::from(Rate::<32_768>::millis(ms)), (u64::from(ms) * 32_768).div_ceil(1_000), "{ms}");
        assert_eq!(u64::from(Rate::<48_000_001>::micros(ms)), (u64::from(ms) * 48_000_001).div_ceil(1_000_000), "{ms}");
    }
}

#[test]
fn a28_a_32_bit_millisecond_counter_wraps_within_a_run() {
    let counter = Cell::new(0xFFFF_FF00_u32);
    let wait = Summed::new(|ms: u32| counter.set(counter.get().wrapping_add(ms)));
    let world = Joined::new(from_fn(|| counter.get()), wait);
    let retry = Retry::new(Constant::new(200_u32)).with_max_elapsed(900);
    let gave_up = retry.run(world, Script::new([0]), || Err::<(), _>("no answer")).unwrap_err();
    assert_eq!((gave_up.attempts(), gave_up.elapsed()), (5, 800));
    assert_eq!(gave_up.reason(), Reason::TimeLimit { limit: 900, delay: 200 });
    assert_eq!(counter.get(), 0x0000_0220);
}

#[test]
fn a28_five_reads_a_quarter_range_apart_add_up_in_64_bits_and_saturate_in_32() {
    let raw = Cell::new(0xFFFF_FF00_u32);
    let wide = Widen::<32, _, u64>::up(|| raw.get());
    let mut wide_run = Retry::new(Constant::new(1_u64)).into_attempts(wide.now());
    let mut raw_run = Retry::new(Constant::new(1_u32)).into_attempts(Instant::at(raw.get()));
    for _ in 0..5 {
        raw.set(raw.get().wrapping_add(1 << 30));
        _ = wide_run.poll(wide.now());
        _ = raw_run.poll(Instant::at(raw.get()));
    }
    assert_eq!(wide_run.elapsed(), 5 << 30);
    assert_eq!(raw_run.elapsed(), u32::MAX);
}

#[test]
fn a29_a_counter_whose_rollover_was_missed_once_stops_nothing() {
    let reads = [100_000_u32, 100_010, 34_474, 100_020];
    let at = Cell::new(0);
    let clock = from_fn(|| reads[at.get()]);
    let retry = Retry::new(Constant::new(1_u32)).with_max_elapsed(1_000);
    let mut run = retry.start(clock.now());
    let elapsed = [0, 1, 2, 3].map(|i| {
        at.set(i);
        _ = run.poll(clock.now());
        run.elapsed()
    });
    assert_eq!(elapsed, [0, 10, 10, 20]);
    assert!(!run.is_done());
}

#[test]
fn a_wait_longer_than_half_the_range_comes_due_on_its_tick() {
    let retry = Retry::new(Constant::new(u32::MAX - 10));
    let mut now = Instant::at(0xC000_0000_u32);
    let mut run = retry.start(now);
    let Step::Attempt(attempt) = run.poll(now) else { panic!() };
    assert_eq!(run.fail(attempt, now, Verdict::Retry, &mut Script::new([0])), Next::Wait(u32::MAX - 10));
    for quarter in 1..=3_u32 {
        now = now.after(1 << 30);
        assert_eq!(run.poll(now), Step::Wait(u32::MAX - 10 - (quarter << 30)));
    }
    now = now.after((1 << 30) - 12);
    assert_eq!(run.poll(now), Step::Wait(1));
    assert!(matches!(run.poll(now.after(1)), Step::Attempt(_)));
}

#[test]
fn a_poll_that_comes_hours_late_finds_the_attempt_due() {
    let retry = Retry::new(Constant::new(5_000_u32));
    let mut run = retry.start(Instant::at(0xFFFF_0000));
    let Step::Attempt(attempt) = run.poll(Instant::at(0xFFFF_0000)) else { panic!() };
    _ = run.fail(attempt, Instant::at(0xFFFF_0000), Verdict::Retry, &mut Script::new([0]));
    let nine_hours = 9 * 3_600_000;
    assert!(matches!(run.poll(Instant::at(0xFFFF_0000).after(nine_hours)), Step::Attempt(_)));
    assert_eq!(run.elapsed(), nine_hours);
}

#[test]
fn a_clock_that_stands_still_ends_a_blocking_run_all_the_same() {
    let world = Joined::new(from_fn(|| 77_u32), Summed::new(|_: u32| {}));
    let retry = Retry::new(Constant::new(100_u32)).with_max_elapsed(1_000);
    let gave_up = retry.run(world, Script::new([0]), || Err::<(), _>("no answer")).unwrap_err();
    assert_eq!((gave_up.attempts(), gave_up.elapsed()), (11, 1_000));
}

#[test]
fn a_restarted_counter_is_rebased() {
    let ticks = Cell::new(50_000_u32);
    let clock = from_fn(|| ticks.get());
    let retry = Retry::new(Constant::new(1_000_u32));
    let mut run = retry.start(clock.now());
    let Step::Attempt(attempt) = run.poll(clock.now()) else { panic!() };
    _ = run.fail(attempt, clock.now(), Verdict::Retry, &mut Script::new([0]));
    ticks.set(50_400);
    assert_eq!(run.poll(clock.now()), Step::Wait(600));
    ticks.set(3);
    run.rebase(clock.now());
    ticks.set(502);
    assert_eq!(run.poll(clock.now()), Step::Wait(101));
}

#[test]
fn the_sum_of_the_delays_is_a_clock() {
    let mut asked = Vec::new();
    let world = Summed::new(|ticks: u32| asked.push(ticks));
    let policy = Exponential::new(10_u32).with_multiplier(2.0).with_jitter(Jitter::None);
    let gave_up = Retry::new(policy).with_max_attempts(5).run(world, Script::new([0]), || Err::<(), _>("nack"));
    assert_eq!(gave_up.unwrap_err().elapsed(), 150);
    assert_eq!(asked, [10, 20, 40, 80]);
}

#[test]
fn slices_add_up_and_each_is_announced() {
    for (delay, slice, calls) in
        [(1_000_u32, 300, 4), (900, 300, 3), (299, 300, 1), (0, 300, 1), (5, 0, 5), (u32::MAX, 1 << 30, 4)]
    {
        let clock = ManualClock::new();
        let mut fed = 0;
        Sliced::new(&clock, slice, || fed += 1).sleep(delay);
        assert_eq!((clock.slept(), clock.sleeps(), fed), (delay, calls, calls), "{delay} in {slice}");
    }
}

#[test]
fn slices_let_a_narrow_counter_be_read_in_a_long_wait() {
    let register = Register::new(16, false, 0);
    let clock = Widen::<16, _, u32>::up(|| register.read());
    let wait = Summed::new(|ticks: u32| register.pass(u64::from(ticks)));
    let world = Sliced::new(Joined::new(&clock, wait), 30_000, || _ = clock.now());
    let retry = Retry::new(Constant::new(10_000_000_u32)).with_max_attempts(2);
    let gave_up = retry.run(world, Script::new([0]), || Err::<(), _>("nack")).unwrap_err();
    assert_eq!(gave_up.elapsed(), 10_000_000);
    assert_eq!(clock.now(), Instant::at(10_000_000));
}

#[test]
fn a_sliced_wait_that_is_called_off_ends_with_its_slice() {
    let clock = ManualClock::<u32>::new();
    let flag = CancelFlag::new();
    let feed = || {
        if clock.slept() == 600 {
            flag.cancel(NonZeroU8::MIN);
        }
    };
    Sliced::new(&clock, 300, feed).sleep_unless(10_000, &flag);
    assert_eq!(clock.slept(), 900);
}
