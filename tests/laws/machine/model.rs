//! The rules once more, in numbers: absolute times, and everything recomputed for each question.

use core::time::Duration;

use relent::{Next, Reason, Span, Verdict};

pub(super) trait Unit: Span + Eq {
    const BITS: u32;
    /// As many ticks as the lower bits of `n` say.
    fn of(n: i128) -> Self;
    fn ticks(self) -> i128;
}

impl Unit for u32 {
    const BITS: u32 = 32;
    fn of(n: i128) -> Self {
        n as u32
    }
    fn ticks(self) -> i128 {
        self.into()
    }
}

impl Unit for u64 {
    const BITS: u32 = 64;
    fn of(n: i128) -> Self {
        n as u64
    }
    fn ticks(self) -> i128 {
        self.into()
    }
}

impl Unit for Duration {
    const BITS: u32 = 64;
    fn of(n: i128) -> Self {
        Duration::from_nanos(n as u64)
    }
    fn ticks(self) -> i128 {
        self.as_nanos() as i128
    }
}

/// The settings once more, in numbers, and where a run stands.
pub(super) struct Model {
    pub(super) bits: u32,
    pub(super) initial: i128,
    pub(super) max_interval: i128,
    pub(super) jitter: u64,
    pub(super) max_retries: u32,
    pub(super) max_attempts: Option<u32>,
    pub(super) max_elapsed: Option<i128>,
    pub(super) max_hint: Option<i128>,
    pub(super) clamp: bool,
    pub(super) spread: Option<i128>,
    pub(super) timeout: Option<i128>,
    pub(super) from_first_failure: bool,
    pub(super) from_attempt_start: bool,
    /// The true time at the start and now, and what the counter showed then, if it never wrapped.
    pub(super) start: i128,
    pub(super) now: i128,
    pub(super) counter: i128,
    /// When the last attempt began, and when the first failure was reported.
    pub(super) begun: i128,
    pub(super) first_failure: Option<i128>,
    pub(super) made: u32,
    /// Retries admitted, and those since the last hint.
    pub(super) used: u32,
    pub(super) grown: u32,
    pub(super) phase: Phase,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Phase {
    WaitingUntil(i128),
    InFlightSince(i128),
    Done,
}

impl Model {
    fn ceiling(&self) -> i128 {
        (1 << self.bits) - 1
    }

    pub(super) fn elapsed(&self) -> i128 {
        (self.now - self.start).min(self.ceiling())
    }

    pub(super) fn time_left(&self) -> Option<i128> {
        self.max_elapsed.map(|limit| (limit - self.counted()).max(0))
    }

    /// What counts against `max_elapsed`.
    fn counted(&self) -> i128 {
        let from = match self.first_failure {
            None if self.from_first_failure => self.elapsed(),
            Some(first) if self.from_first_failure => first,
            _ => 0,
        };
        self.elapsed() - from
    }

    /// The counter shows this; a step back counts as standing still.
    pub(super) fn tell(&mut self, counter: i128) {
        let step = (counter - self.counter).max(0);
        self.now += step;
        self.counter += step;
    }

    pub(super) fn rebase(&mut self, counter: i128) {
        self.counter = counter;
    }

    pub(super) fn begin(&mut self) {
        self.begun = self.elapsed();
        self.phase = Phase::InFlightSince(self.now);
        self.made += 1;
    }

    /// What a failure leads to, and how many words that takes. `word` has `bits` bits.
    pub(super) fn failed<S: Unit>(&mut self, verdict: Verdict<S>, word: i128) -> (Next<S>, u32) {
        let (decision, words) = self.decide(verdict, word);
        self.first_failure.get_or_insert(self.elapsed());
        match decision {
            Ok(delay) => {
                self.phase = Phase::WaitingUntil(self.now + delay);
                self.used += 1;
                self.grown = if is_hint(verdict) { 0 } else { self.grown + 1 };
                (Next::Wait(S::of(delay)), words)
            }
            Err(reason) => {
                self.phase = Phase::Done;
                (Next::GiveUp(reason), words)
            }
        }
    }

    fn decide<S: Unit>(&self, verdict: Verdict<S>, word: i128) -> (Result<i128, Reason<S>>, u32) {
        if verdict == Verdict::Permanent {
            return (Err(Reason::Permanent), 0);
        }
        if self.max_attempts.is_some_and(|max| self.made >= max) {
            return (Err(Reason::Attempts), 0);
        }
        if self.used >= self.max_retries {
            return (Err(Reason::PolicyEnded), 0);
        }
        // Doubled 64 times is above every cap, unless it is 0.
        let nominal = (self.initial << self.grown.min(63)).min(self.max_interval);
        let (mut lo, mut hi) = match self.jitter {
            0 => (nominal, nominal),
            1 => (0, nominal),
            _ => (nominal - nominal / 2, nominal),
        };
        let mut earliest = 0;
        match verdict {
            Verdict::RetryAfter(asked) if is_hint(verdict) => {
                let most = self.time_left().unwrap_or(self.ceiling());
                let left = self.max_hint.map_or(most, |hint| hint.min(most));
                if asked.ticks() > left && !(self.clamp && left > 0) {
                    return (Err(Reason::HintTooLong { asked, left: S::of(left) }), 0);
                }
                lo = asked.ticks().min(left);
                hi = (lo + self.spread.unwrap_or(0)).min(most);
            }
            Verdict::NotBefore(span) => earliest = span.ticks(),
            _ => {}
        }
        // The word and the width are below 2^64, and their product below 2^128.
        let drawn = lo + ((word as u128 * (hi - lo + 1) as u128) >> self.bits) as i128;
        let words = u32::from(lo != hi);
        let delay = (drawn + (earliest - lo).max(0)).min(self.ceiling());
        let from_start = self.from_attempt_start && matches!(verdict, Verdict::Retry | Verdict::RetryAfter(_));
        let taken = if from_start && !is_hint(verdict) { self.elapsed() - self.begun } else { 0 };
        let delay = (delay - taken).max(0);
        match self.max_elapsed {
            Some(limit) if limit == 0 || self.counted() + delay > limit => {
                (Err(Reason::TimeLimit { limit: S::of(limit), delay: S::of(delay) }), words)
            }
            _ => (Ok(delay), words),
        }
    }
}

fn is_hint<S: Unit>(verdict: Verdict<S>) -> bool {
    matches!(verdict, Verdict::RetryAfter(span) if span.ticks() > 0)
}
