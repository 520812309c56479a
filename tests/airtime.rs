//! Time on the air (R12): cases by number, the published vectors, and a naive model.

use core::time::Duration;

use proptest::prelude::*;
use relent::guard::DutyCycle;
use relent::guard::airtime::{Airtime, LORAWAN_JOIN, LORAWAN_JOIN_MS, Stage};
use relent::guard::limiter::Denied;
use relent::{Instant, Verdict};

fn at(ms: u32) -> Instant<u32> {
    Instant::at(ms)
}

const HOUR: u64 = 3_600;
/// `lorawan_join_backoff_sf12` and `eu868_duty` of the published protocol numbers: a join request of 23 bytes at SF12.
const TOA: Duration = Duration::from_micros(1_482_752);

fn sec(s: u64) -> Instant {
    Instant::at(Duration::from_secs(s))
}

/// Joins as often as it is let, from `from` to `to`, and says how often that was.
fn joins(airtime: &mut Airtime, from: u64, to: u64) -> usize {
    (from..to).filter(|s| airtime.admit(TOA, sec(*s)).is_ok()).count()
}

#[test]
fn x11_the_stages_count_from_the_current_session() {
    let mut airtime = Airtime::new(LORAWAN_JOIN);
    assert_eq!(joins(&mut airtime, 0, HOUR), 24);
    assert_eq!(joins(&mut airtime, HOUR, 11 * HOUR), 24);
    assert_eq!(joins(&mut airtime, 11 * HOUR, 35 * HOUR), 5);
    assert_eq!(joins(&mut airtime, 35 * HOUR, 59 * HOUR), 5);
    assert_eq!(airtime.admit(TOA, sec(59 * HOUR - 1)), Err(Denied::NotYet(Duration::from_secs(1))));
    // A new session, hours after the device booted, starts at stage one.
    airtime.restart(sec(59 * HOUR - 1));
    assert_eq!(joins(&mut airtime, 59 * HOUR - 1, 60 * HOUR - 1), 24);
    let refused = airtime.admit(TOA, sec(60 * HOUR - 2)).unwrap_err();
    assert_eq!(Verdict::from(refused), Verdict::NotBefore(Duration::from_secs(1)));
}

#[test]
fn the_silence_after_one_join_is_as_published() {
    let [hour, ten, day] = LORAWAN_JOIN;
    let stages = [hour.with_silence(99), ten.with_silence(999), day.with_silence(9_999)];
    let silences = [146_792_448, 1_481_269_248, 14_826_037_248].map(Duration::from_micros);
    let mut airtime = Airtime::new(stages);
    assert_eq!(airtime.ready_in(TOA, sec(0)), Ok(Duration::ZERO));
    for (silence, start) in silences.into_iter().zip([0, HOUR, 11 * HOUR]) {
        assert_eq!(airtime.admit(TOA, sec(start)), Ok(()));
        let end = sec(start).after(TOA);
        assert_eq!(airtime.ready_in(TOA, end), Ok(silence));
        assert_eq!(airtime.admit(TOA, end), Err(Denied::NotYet(silence)));
    }
}

#[test]
fn the_duty_cycles_of_eu868_are_silent_for_their_multiple() {
    let bands: [(DutyCycle, u32); 3] =
        [(DutyCycle::TENTH_OF_A_PERCENT, 999), (DutyCycle::ONE_PERCENT, 99), (DutyCycle::TEN_PERCENT, 9)];
    for (mut band, off) in bands {
        assert_eq!(band.admit(TOA, sec(5)), Ok(()));
        let end = sec(5).after(TOA);
        assert_eq!(band.remaining(end), TOA * off);
        assert_eq!(band.admit(TOA, end), Err(Denied::NotYet(TOA * off)));
        let free = end.after(TOA * off);
        assert_eq!(band.remaining(free), Duration::ZERO);
        assert_eq!(band.admit(TOA, free), Ok(()));
    }
}

#[test]
fn a_device_that_joins_for_a_year_on_a_wrapping_counter_keeps_its_budget() {
    let mut airtime = Airtime::new(LORAWAN_JOIN_MS);
    let mut now = 0xFFFF_0000_u32;
    let mut count = 0;
    // Asked every ten minutes; a join takes 1483 ms rounded up, of which 8.7 s hold five.
    for _ in 0..6 * (11 + 24 * 365) {
        count += u32::from(airtime.admit(1_483, at(now)).is_ok());
        now = now.wrapping_add(600_000);
    }
    assert_eq!(count, 6 + 24 + 5 * 365, "ten minutes apart, six fit into the first hour");
}

#[test]
fn more_than_any_stage_to_come_holds_is_never() {
    let mut airtime = Airtime::new(LORAWAN_JOIN_MS);
    assert_eq!(airtime.ready_in(36_000, at(0)), Ok(0));
    assert_eq!(airtime.admit(36_001, at(0)), Err(Denied::Never));
    assert_eq!(airtime.admit(10_000, at(0)), Ok(()));
    // Not in this hour, but in the next ten; after those, never again.
    assert_eq!(airtime.admit(30_000, at(600_000)), Err(Denied::NotYet(3_000_000)));
    assert_eq!(airtime.admit(9_000, at(40_000_000)), Err(Denied::Never));
    assert_eq!(airtime.admit(8_700, at(40_000_000)), Ok(()));
    assert_eq!(airtime.admit(1, at(40_010_000)), Err(Denied::NotYet(86_400_000 - (40_010_000 - 39_600_000))));
}

#[test]
fn a_step_back_and_a_restarted_timer_mint_nothing() {
    let mut band = DutyCycle::<u32>::ONE_PERCENT;
    assert_eq!(band.admit(100, at(50_000)), Ok(()));
    assert_eq!(band.admit(100, at(20_000)), Err(Denied::NotYet(10_000)));
    band.rebase(at(0));
    assert_eq!(band.admit(100, at(9_999)), Err(Denied::NotYet(1)));
    assert_eq!(band.admit(100, at(10_000)), Ok(()));
    let mut airtime = Airtime::new(LORAWAN_JOIN_MS);
    assert_eq!(airtime.admit(36_000, at(0)), Ok(()));
    airtime.rebase(at(7_000_000));
    assert_eq!(airtime.ready_in(1, at(7_000_001)), Ok(3_599_999));
}

#[test]
fn extreme_stages_neither_panic_nor_hang() {
    let mut airtime = Airtime::new([Stage::new(Duration::ZERO, Duration::ZERO), Stage::new(Duration::ZERO, TOA)]);
    assert_eq!(airtime.admit(TOA, sec(0)), Ok(()));
    assert_eq!(airtime.admit(TOA * 2, sec(9)), Err(Denied::Never));
    let tick = Duration::from_nanos(1);
    let mut airtime = Airtime::new([Stage::new(tick, tick).with_silence(u32::MAX)]);
    assert_eq!(airtime.admit(tick, sec(0)), Ok(()));
    assert_eq!(airtime.admit(tick, Instant::at(Duration::from_nanos(u64::MAX / 2))), Ok(()));
    assert_eq!(airtime.admit(Duration::MAX, sec(0)), Err(Denied::Never));
}

/// All that was sent, and when.
struct Model {
    stages: Vec<(u64, u64, u64)>,
    sent: Vec<(u64, u64)>,
}

impl Model {
    /// The start and the budget of the stage at `t`, and its number.
    fn stage(&self, t: u64) -> (u64, u64, usize) {
        let mut start = 0;
        for (n, (length, budget, _)) in self.stages.iter().enumerate() {
            let last = n + 1 == self.stages.len();
            if last {
                start += (t - start) / length * length;
            }
            if last || t < start + length {
                return (start, *budget, n);
            }
            start += length;
        }
        unreachable!()
    }

    fn allowed(&self, on_air: u64, t: u64) -> bool {
        let (start, budget, _) = self.stage(t);
        let used: u64 = self.sent.iter().filter(|s| s.0 >= start).map(|s| s.1).sum();
        let silent = self.sent.last().is_some_and(|(at, long)| t < at + long * (1 + self.stages[self.stage(*at).2].2));
        used + on_air <= budget && !silent
    }
}

proptest! {
    #[test]
    fn matches_the_model(
        stages in [(1..40_u64, 0..20_u64, 0..4_u64), (1..40, 0..20, 0..4), (1..40, 0..20, 0..4)],
        asked in proptest::collection::vec((0..60_u64, 0..12_u64), 1..60),
    ) {
        let mut airtime = Airtime::new(stages.map(|(length, on_air, off)| {
            Stage::new(length, on_air).with_silence(u32::try_from(off).unwrap())
        }));
        let mut model = Model { stages: stages.to_vec(), sent: Vec::new() };
        // The session begins with the first question.
        airtime.restart(Instant::at(1_000));
        let mut now = 0;
        for (step, on_air) in asked {
            now += step;
            // The first moment from now on at which it would be allowed; the last stage repeats after 120 ticks.
            let first = (now..now + 400).find(|t| model.allowed(on_air, *t));
            let expected = first.map(|t| t - now).ok_or(Denied::Never);
            let moment = Instant::at(1_000 + now);
            prop_assert_eq!(airtime.ready_in(on_air, moment), expected);
            match (airtime.admit(on_air, moment), expected) {
                (Ok(()), Ok(0)) => model.sent.push((now, on_air)),
                (Err(denied), Ok(wait)) => prop_assert_eq!(denied, Denied::NotYet(wait)),
                (Err(denied), Err(_)) => prop_assert_eq!(denied, Denied::Never),
                (Ok(()), _) => prop_assert!(false, "granted at {now}"),
            }
        }
    }
}
