//! Ticks in virtual time: the ticker rows of the parity with the Go library cenkalti/backoff v5.0.3, and what a clock can do to them.

mod rig;

use std::cell::Cell;
use std::num::NonZeroU8;
use std::time::Duration;

use relent::clock::Interrupt;
use relent::policy::Decorrelated;
use relent::testing::{ManualClock, Script};
use relent::{Band, CancelFlag, Clock, Constant, Exponential, Instant, Jitter, Policy, Sleep, Slots, Ticker};
use rig::{World, nothing_to_draw};

const SECOND: Duration = Duration::from_secs(1);

fn at(ticks: u32) -> Instant<u32> {
    Instant::at(ticks)
}

#[test]
fn parity_the_first_tick_comes_at_once_and_the_interval_runs_from_where_it_is_taken() {
    let clock = ManualClock::new();
    let mut taken = Vec::new();
    for tick in Ticker::new(Constant::new(SECOND), &clock, nothing_to_draw()).take(4) {
        taken.push(tick.since(Instant::at(Duration::ZERO)));
        clock.advance(Duration::from_millis(2_500));
    }
    assert_eq!(taken, [0, 2_500, 5_000, 7_500].map(Duration::from_millis));
    assert_eq!(clock.sleeps(), 0);
    // Work of 0.4 s: the rest of the second is slept.
    let world = World::new();
    for _ in Ticker::new(Constant::new(SECOND), &world, nothing_to_draw()).take(3) {
        world.clock.advance(Duration::from_millis(400));
    }
    assert_eq!(world.waits(), [Duration::from_millis(600); 2]);
}

#[test]
fn parity_answers_of_1_2_3_s_and_then_the_end() {
    let world = World::new();
    let mut ticks = Ticker::new([1, 2, 3].map(Duration::from_secs), &world, nothing_to_draw());
    let taken: Vec<_> = ticks.by_ref().map(|tick| tick.since(Instant::at(Duration::ZERO))).collect();
    assert_eq!(taken, [0, 1, 3, 6].map(Duration::from_secs));
    assert_eq!([ticks.next(), ticks.next()], [None; 2], "the end stays the end");
    assert_eq!(world.waits(), [1, 2, 3].map(Duration::from_secs));
}

#[test]
fn parity_at_most_one_tick_waits_and_none_pile_up() {
    let clock = ManualClock::new();
    let mut ticks = Ticker::new(Constant::new(1_000_u32), &clock, nothing_to_draw());
    assert_eq!(ticks.next(), Some(at(0)));
    clock.advance(10_500);
    assert_eq!(ticks.next(), Some(at(10_500)), "ten were missed, one is given");
    assert_eq!(ticks.next(), Some(at(11_500)));
}

#[test]
fn parity_stopping_twice_is_harmless() {
    let clock = ManualClock::new();
    let mut ticks = Ticker::new(Constant::new(1_000_u32), &clock, nothing_to_draw());
    assert_eq!(ticks.next(), Some(at(0)));
    ticks.stop();
    ticks.stop();
    assert_eq!([ticks.next(), ticks.next()], [None; 2]);
    assert_eq!(clock.sleeps(), 0);
    let mut never = Ticker::new(Constant::new(1_000_u32), &clock, nothing_to_draw());
    never.stop();
    assert_eq!(never.next(), None);
}

/// A world in which a flag is set at a moment.
struct SetAt<'a>(ManualClock<u32>, &'a CancelFlag<'a>, u32);

impl Clock for SetAt<'_> {
    type Span = u32;
    fn now(&self) -> Instant<u32> {
        self.0.now()
    }
}

impl Sleep for SetAt<'_> {
    fn sleep(&mut self, delay: u32) {
        self.0.advance(delay);
    }
    fn sleep_unless(&mut self, delay: u32, _: &dyn Interrupt) {
        let until = self.2 - self.0.now().since(at(0));
        self.0.advance(delay.min(until));
        if delay >= until {
            self.1.cancel(NonZeroU8::MIN);
        }
    }
}

#[test]
fn parity_stopped_during_a_wait_it_ends_at_that_moment() {
    let flag = CancelFlag::new();
    let mut world = SetAt(ManualClock::new(), &flag, 1_400);
    let mut ticks = Ticker::new(Constant::new(1_000), &mut world, nothing_to_draw()).until(&flag);
    assert_eq!([ticks.next(), ticks.next(), ticks.next(), ticks.next()], [Some(at(0)), Some(at(1_000)), None, None]);
    assert_eq!(world.now(), at(1_400));
    // Set before the first: there is none.
    assert_eq!(Ticker::new(Constant::new(1_000), &mut world, nothing_to_draw()).until(&flag).next(), None);
}

/// A constant second that counts how often it is asked.
#[derive(Clone, Copy)]
struct Asked<'a>(&'a Cell<u32>);

impl Policy for Asked<'_> {
    type Span = u32;
    type State = ();
    fn start(&self) {}
    fn next(&self, (): &mut ()) -> Option<Band<u32>> {
        self.0.set(self.0.get() + 1);
        Some(Band::exactly(1_000))
    }
}

#[test]
fn parity_the_policy_is_asked_when_a_tick_is_taken() {
    let (clock, asked) = (ManualClock::new(), Cell::new(0));
    let mut ticks = Ticker::new(Asked(&asked), &clock, nothing_to_draw());
    assert_eq!(asked.get(), 0);
    for taken in 1..=3 {
        _ = ticks.next();
        assert_eq!(asked.get(), taken);
    }
}

#[test]
fn each_wait_draws_once_and_feedback_follows_the_drawn() {
    let world = World::new();
    let spread = Exponential::new(1_000_u32).with_multiplier(2.0).with_jitter(Jitter::Full);
    let mut script = Script::units([0.5, 0.25]);
    assert_eq!(Ticker::new(spread, &world, &mut script).take(3).count(), 3);
    // Half of 0..=1000, a quarter of 0..=2000; the third wait is drawn when the third tick is taken.
    assert_eq!((world.waits(), script.drawn()), (vec![500, 500], 3));
    // min(cap, base..=3 · previous), whose ends follow what was drawn: the top of 100..=300, then of 100..=900.
    let world = World::new();
    let top = Script::new([u64::MAX]);
    let ticks = Ticker::new(Decorrelated::new(100_u32).with_max_delay(2_000), &world, top).take(4);
    assert_eq!(ticks.count(), 4);
    assert_eq!(world.waits(), [300, 900, 2_000]);
}

#[test]
fn over_the_wrap_of_a_32_bit_clock() {
    let start = 0xFFFF_FC00;
    let clock = ManualClock::starting_at(at(start));
    let ticks = Ticker::new(Constant::new(1_000), &clock, nothing_to_draw()).take(4);
    let taken: Vec<_> = ticks.map(|tick| tick.since(at(start))).collect();
    assert_eq!(taken, [0, 1_000, 2_000, 3_000]);
}

#[test]
fn a_late_wake_moves_the_next_tick_and_a_step_back_never_hurries_one() {
    let world = World::new().waking_late_by(300);
    let ticks = Ticker::new(Constant::new(1_000_u32), &world, nothing_to_draw()).take(3);
    assert_eq!(ticks.collect::<Vec<_>>(), [0, 1_300, 2_600].map(at));
    let clock = ManualClock::starting_at(at(5_000));
    let mut ticks = Ticker::new(Constant::new(1_000), &clock, nothing_to_draw());
    assert_eq!(ticks.next(), Some(at(5_000)));
    clock.set(at(4_000));
    assert_eq!(ticks.next(), Some(at(5_000)), "a full second, as nothing has passed");
    assert_eq!(clock.slept(), 1_000);
}

/// A wait of whole slots is one between ticks too: 7 of 8, 8 of 16 and 9 of 32 slots of 320.
#[test]
fn r4_ticks_keep_to_the_grain_of_their_policy() {
    let clock = ManualClock::new();
    let ticks = Ticker::new(Slots::new(320_u32, 3, 5), &clock, Script::units([0.99, 0.5, 0.3]));
    assert_eq!(ticks.take(4).collect::<Vec<_>>(), [0, 2_240, 4_800, 7_680].map(at));
}
