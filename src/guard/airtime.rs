//! How long a radio may be on the air: fixed duty cycles, and staged budgets as LoRaWAN joins have (R12).
//!
//! Both are asked when a transmission is about to start, and told how long it will take. It is charged where it starts, and counts as on the air from then.

use core::time::Duration;

use crate::clock::Instant;
use crate::division::divided;
use crate::guard::Anchor;
use crate::guard::limiter::Denied;
use crate::span::{Span, Ticks};

/// A fixed duty cycle: after each transmission, silence for a multiple of it.
///
/// ```text
/// silence = on_air · off,   off = 1 / duty − 1
/// ```
///
/// | duty cycle | `off` | EU868 sub-bands, MHz (ETSI EN 300 220) |
/// |---|---|---|
/// | 0.1 % | 999 | 863.0–865.0, 868.7–869.2 |
/// | 1 % | 99 | 865.0–868.0, 868.0–868.6, 869.7–870.0 |
/// | 10 % | 9 | 869.4–869.65 |
///
/// 16 bytes for `u32` ticks.
///
/// ```
/// use relent::Instant;
/// use relent::guard::{DutyCycle, limiter::Denied};
///
/// let mut band = DutyCycle::<u32>::ONE_PERCENT;
/// assert_eq!(band.admit(62, Instant::at(0)), Ok(()));
/// assert_eq!(band.admit(62, Instant::at(62)), Err(Denied::NotYet(62 * 99)));
/// assert_eq!(band.admit(62, Instant::at(6_200)), Ok(()));
/// ```
#[derive(Debug)]
pub struct DutyCycle<S: Span = Duration> {
    off: u32,
    anchor: Anchor<S>,
    silence: S::Ticks,
}

impl<S: Span> DutyCycle<S> {
    /// 0.1 %.
    pub const TENTH_OF_A_PERCENT: Self = Self::new(999);
    /// 1 %.
    pub const ONE_PERCENT: Self = Self::new(99);
    /// 10 %.
    pub const TEN_PERCENT: Self = Self::new(9);

    /// Silence for `off` times as long as each transmission: a duty cycle of `1 / (off + 1)`.
    pub const fn new(off: u32) -> Self {
        Self { off, anchor: Anchor::new(), silence: S::Ticks::ZERO }
    }

    /// Asks to be on the air for `on_air` from `now`.
    ///
    /// # Errors
    ///
    /// [`Denied::NotYet`], with what remains of the latest transmission and its silence.
    pub fn admit(&mut self, on_air: S, now: Instant<S>) -> Result<(), Denied<S>> {
        self.silence = self.silence.minus(self.anchor.step(now));
        if self.silence > S::Ticks::ZERO {
            return Err(Denied::NotYet(S::from_ticks(self.silence)));
        }
        self.silence = busy(on_air.to_ticks(), self.off);
        Ok(())
    }

    /// How long until the next transmission may start; asking changes nothing.
    pub fn remaining(&self, now: Instant<S>) -> S {
        S::from_ticks(self.silence.minus(self.anchor.passed(now)))
    }

    /// After a restart of the timer: goes on from `now`, adding no time.
    pub fn rebase(&mut self, now: Instant<S>) {
        self.anchor.rebase(now);
    }
}

/// The transmission and its silence.
fn busy<T: Ticks>(on_air: T, off: u32) -> T {
    on_air.times(off).plus(on_air)
}

/// A stretch of a session and how much of it may be spent on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage<S: Span = Duration> {
    length: S,
    on_air: S,
    off: u32,
}

impl<S: Span> Stage<S> {
    /// `on_air` within `length`, in any order.
    pub const fn new(length: S, on_air: S) -> Self {
        Self { length, on_air, off: 0 }
    }

    /// Besides, silence for `off` times as long as each transmission, which spreads them.
    pub const fn with_silence(mut self, off: u32) -> Self {
        self.off = off;
        self
    }
}

/// Join requests of LoRaWAN (1.0.2 to 1.0.4, "Retransmissions back-off"): 36 s in the first hour, 36 s in the next ten, then 8.7 s a day.
pub const LORAWAN_JOIN: [Stage; 3] = [
    Stage::new(Duration::from_secs(3_600), Duration::from_secs(36)),
    Stage::new(Duration::from_secs(36_000), Duration::from_secs(36)),
    Stage::new(Duration::from_secs(86_400), Duration::from_millis(8_700)),
];

/// [`LORAWAN_JOIN`] in milliseconds.
pub const LORAWAN_JOIN_MS: [Stage<u32>; 3] =
    [Stage::new(3_600_000, 36_000), Stage::new(36_000_000, 36_000), Stage::new(86_400_000, 8_700)];

/// A budget of time on the air, by stages of a session; the last stage repeats.
///
/// Nothing is carried from stage to stage. The session starts with the first question, and anew with [`restart`](Self::restart).
///
/// Join requests at SF12, each 1.482 752 s, under [`LORAWAN_JOIN`]:
///
/// | from | to | on the air | joins |
/// |---|---|---|---|
/// | 0 h | 1 h | 36 s | 24 |
/// | 1 h | 11 h | 36 s | 24 |
/// | 11 h | 35 h | 8.7 s | 5 |
/// | 35 h | 59 h | 8.7 s | 5 |
///
/// 24 bytes and 12 a stage for `u32` ticks.
///
/// ```
/// use relent::Instant;
/// use relent::guard::airtime::{Airtime, LORAWAN_JOIN_MS};
/// use relent::guard::limiter::Denied;
///
/// let mut joins = Airtime::new(LORAWAN_JOIN_MS);
/// assert_eq!(joins.admit(20_000, Instant::at(0)), Ok(()));
/// assert_eq!(joins.admit(20_000, Instant::at(60_000)), Err(Denied::NotYet(3_540_000)));
/// assert_eq!(joins.admit(16_000, Instant::at(60_000)), Ok(()));
/// assert_eq!(joins.admit(37_000, Instant::at(90_000)), Err(Denied::Never));
/// ```
#[derive(Debug)]
pub struct Airtime<S: Span = Duration, const STAGES: usize = 3> {
    stages: [Stage<S>; STAGES],
    anchor: Anchor<S>,
    silence: S::Ticks,
    place: Place<S::Ticks>,
}

/// How far the session is.
#[derive(Clone, Copy, Debug)]
struct Place<T> {
    /// Below the number of stages.
    stage: usize,
    /// Ticks since the stage began.
    into: T,
    /// Ticks on the air in this stage.
    used: T,
}

impl<S: Span, const STAGES: usize> Airtime<S, STAGES> {
    /// A session that has not begun.
    pub const fn new(stages: [Stage<S>; STAGES]) -> Self {
        const { assert!(STAGES > 0, "airtime has at least one stage") };
        Self { stages, anchor: Anchor::new(), silence: S::Ticks::ZERO, place: Place::START }
    }

    /// Asks to be on the air for `on_air` from `now`.
    ///
    /// # Errors
    ///
    /// [`Denied::NotYet`], with the time until it is granted, or [`Denied::Never`] where no stage to come has room for so much.
    pub fn admit(&mut self, on_air: S, now: Instant<S>) -> Result<(), Denied<S>> {
        let step = self.anchor.step(now);
        self.silence = self.silence.minus(step);
        self.place.pass(&self.stages, step);
        match self.wait_for(on_air.to_ticks(), self.silence, self.place) {
            Some(wait) if wait == S::Ticks::ZERO => {}
            Some(wait) => return Err(Denied::NotYet(S::from_ticks(wait))),
            None => return Err(Denied::Never),
        }
        let off = self.stages.get(self.place.stage).map_or(0, |stage| stage.off);
        self.place.used = self.place.used.plus(on_air.to_ticks());
        self.silence = busy(on_air.to_ticks(), off);
        Ok(())
    }

    /// A new session begins at `now`, at stage one; the silence after the latest transmission is kept.
    pub fn restart(&mut self, now: Instant<S>) {
        self.silence = self.silence.minus(self.anchor.step(now));
        self.place = Place::START;
    }

    /// After a restart of the timer: goes on from `now`, adding no time.
    pub fn rebase(&mut self, now: Instant<S>) {
        self.anchor.rebase(now);
    }

    /// How long until `on_air` would be granted, zero where it would be at `now`; asking changes nothing.
    ///
    /// # Errors
    ///
    /// [`Denied::Never`] where no stage to come has room for so much.
    pub fn ready_in(&self, on_air: S, now: Instant<S>) -> Result<S, Denied<S>> {
        let passed = self.anchor.passed(now);
        let mut place = self.place;
        place.pass(&self.stages, passed);
        let wait = self.wait_for(on_air.to_ticks(), self.silence.minus(passed), place);
        wait.map(S::from_ticks).ok_or(Denied::Never)
    }

    /// The silence first, and then the stage that has room.
    fn wait_for(&self, on_air: S::Ticks, silence: S::Ticks, mut place: Place<S::Ticks>) -> Option<S::Ticks> {
        place.pass(&self.stages, silence);
        let mut wait = silence;
        let mut number = place.stage;
        let mut stage = self.stages.get(number)?;
        let mut used = place.used;
        let mut rest = stage.length.to_ticks().minus(place.into);
        loop {
            if used.plus(on_air) <= stage.on_air.to_ticks() {
                return Some(wait);
            }
            wait = wait.plus(rest);
            number = number.saturating_add(1);
            match self.stages.get(number) {
                Some(next) => stage = next,
                // Only the time already used stands in the way of a stage that repeats.
                None if used > S::Ticks::ZERO => {}
                None => return None,
            }
            used = S::Ticks::ZERO;
            rest = stage.length.to_ticks();
        }
    }
}

impl<T: Ticks> Place<T> {
    const START: Self = Self { stage: 0, into: T::ZERO, used: T::ZERO };

    fn pass<S: Span<Ticks = T>>(&mut self, stages: &[Stage<S>], mut step: T) {
        while let Some(stage) = stages.get(self.stage) {
            let rest = stage.length.to_ticks().minus(self.into);
            if step < rest {
                self.into = self.into.plus(step);
                return;
            }
            step = step.minus(rest);
            self.into = T::ZERO;
            self.used = T::ZERO;
            let next = self.stage.saturating_add(1);
            if next == stages.len() {
                self.into = divided(step, stage.length.to_ticks()).1;
                return;
            }
            self.stage = next;
        }
    }
}
