//! The retry loop as R5–R10 tell it, in plain signed numbers: no code of the crate, nothing that saturates or wraps by itself.

/// The settings, in ticks. Multiplier and spread are in quarters, so that every product is exact.
#[derive(Clone, Debug)]
pub(crate) struct Plain {
    pub(crate) ceiling: i128,
    pub(crate) initial: i128,
    pub(crate) quarters: i128,
    pub(crate) max_interval: i128,
    pub(crate) max_delay: i128,
    pub(crate) spread_quarters: i128,
    pub(crate) retries: Option<u32>,
    pub(crate) max_attempts: Option<u32>,
    pub(crate) max_elapsed: Option<i128>,
    pub(crate) max_hint: Option<i128>,
    pub(crate) hint_spread: Option<i128>,
    pub(crate) clamp_hints: bool,
    pub(crate) attempt_timeout: Option<i128>,
    pub(crate) from_first_failure: bool,
    pub(crate) from_attempt_start: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Said {
    Retry,
    NotBefore(i128),
    RetryAfter(i128),
    Permanent,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Why {
    Permanent,
    Attempts,
    PolicyEnded,
    TimeLimit { limit: i128, delay: i128 },
    HintTooLong { asked: i128, left: i128 },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Answer {
    Wait(i128),
    GiveUp(Why),
    Stale,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) number: u32,
    pub(crate) time_left: Option<i128>,
    pub(crate) allowance: Option<i128>,
    serial: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shown {
    Attempt(Token),
    InFlight,
    Wait(i128),
    TimedOut(Token),
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Waiting,
    InFlight,
    Done,
}

/// One run.
pub(crate) struct Run<'a> {
    plain: &'a Plain,
    words: &'a [u64],
    pub(crate) drawn: usize,
    last: i128,
    pub(crate) elapsed: i128,
    left: i128,
    nominal: i128,
    used: u32,
    pub(crate) made: u32,
    serial: u32,
    begun: i128,
    first_failure: i128,
    phase: Phase,
}

impl<'a> Run<'a> {
    pub(crate) fn new(plain: &'a Plain, words: &'a [u64], now: i128) -> Self {
        Self {
            plain,
            words,
            drawn: 0,
            last: now,
            elapsed: 0,
            left: 0,
            nominal: plain.initial.min(plain.max_interval).min(plain.max_delay),
            used: 0,
            made: 0,
            serial: 0,
            begun: 0,
            first_failure: 0,
            phase: Phase::Waiting,
        }
    }

    /// R10: the difference modulo the width, and nothing where that is more than half the range.
    fn ahead(&self, now: i128) -> i128 {
        let range = self.plain.ceiling + 1;
        let ahead = (now - self.last).rem_euclid(range);
        if ahead > range / 2 { 0 } else { ahead }
    }

    /// R10: a step counts to `elapsed`, is taken from what is left, and the last reading never moves back.
    fn tell(&mut self, now: i128) {
        let step = self.ahead(now);
        if step > 0 {
            self.last = now;
            self.pass(step);
        }
    }

    fn pass(&mut self, step: i128) {
        self.elapsed = (self.elapsed + step).min(self.plain.ceiling);
        self.left = (self.left - step).max(0);
    }

    /// What `max_elapsed` is compared with.
    fn counted(&self) -> i128 {
        match (self.plain.from_first_failure, self.made) {
            (false, _) => self.elapsed,
            (true, 0 | 1) => 0,
            (true, _) => self.elapsed - self.first_failure,
        }
    }

    fn time_left(&self) -> Option<i128> {
        self.plain.max_elapsed.map(|limit| (limit - self.counted()).max(0))
    }

    fn hand_out(&mut self) -> Token {
        self.serial += 1;
        self.left = self.plain.attempt_timeout.unwrap_or(0);
        let time_left = self.time_left();
        let allowance = [time_left, self.plain.attempt_timeout].into_iter().flatten().min().map(|ticks| ticks.max(1));
        Token { number: self.made, time_left, allowance, serial: self.serial }
    }

    pub(crate) fn begin(&mut self) -> Token {
        self.phase = Phase::InFlight;
        self.made += 1;
        self.begun = self.elapsed;
        self.hand_out()
    }

    pub(crate) fn poll(&mut self, now: i128) -> Shown {
        self.tell(now);
        match self.phase {
            Phase::Done => Shown::Done,
            Phase::Waiting if self.left > 0 => Shown::Wait(self.left),
            Phase::Waiting => Shown::Attempt(self.begin()),
            Phase::InFlight if self.plain.attempt_timeout.is_some() && self.left == 0 => {
                Shown::TimedOut(self.hand_out())
            }
            Phase::InFlight => Shown::InFlight,
        }
    }

    pub(crate) fn succeed(&mut self, token: Token) {
        if self.phase == Phase::InFlight && token.serial == self.serial {
            self.phase = Phase::Done;
        }
    }

    pub(crate) fn retry_now(&mut self) {
        if self.phase == Phase::Waiting {
            self.left = 0;
        }
    }

    pub(crate) fn rebase(&mut self, now: i128) {
        self.last = now;
    }

    /// R5, in its order.
    pub(crate) fn fail(&mut self, token: Token, now: i128, said: Said) -> Answer {
        if self.phase != Phase::InFlight || token.serial != self.serial {
            return Answer::Stale;
        }
        self.tell(now);
        if self.made == 1 {
            self.first_failure = self.elapsed;
        }
        match self.decide(said) {
            Ok(delay) => {
                self.left = delay;
                self.phase = Phase::Waiting;
                Answer::Wait(delay)
            }
            Err(why) => {
                self.phase = Phase::Done;
                Answer::GiveUp(why)
            }
        }
    }

    fn decide(&mut self, said: Said) -> Result<i128, Why> {
        let plain = self.plain;
        if said == Said::Permanent {
            return Err(Why::Permanent);
        }
        if plain.max_attempts.is_some_and(|max| self.made >= max) {
            return Err(Why::Attempts);
        }
        if plain.retries.is_some_and(|max| self.used >= max) {
            return Err(Why::PolicyEnded);
        }
        self.used += 1;
        let (lo, hi) = self.band();
        let delay = match said {
            Said::RetryAfter(asked) if asked > 0 => {
                self.nominal = plain.initial.min(plain.max_interval).min(plain.max_delay);
                self.hint(asked)?
            }
            Said::NotBefore(earliest) => {
                let place = self.draw(lo, hi) - lo;
                lo.max(earliest) + place
            }
            _ if plain.from_attempt_start => (self.draw(lo, hi) - (self.elapsed - self.begun)).max(0),
            _ => self.draw(lo, hi),
        };
        let delay = delay.min(plain.ceiling);
        match plain.max_elapsed {
            Some(limit) if limit == 0 || self.counted() + delay > limit => Err(Why::TimeLimit { limit, delay }),
            _ => Ok(delay),
        }
    }

    /// R1–R3 for this retry; the next interval grows by at least a tick.
    fn band(&mut self) -> (i128, i128) {
        let plain = self.plain;
        let part = self.nominal * plain.spread_quarters / 4;
        let hi = (self.nominal + part).min(plain.ceiling).min(plain.max_delay);
        let lo = (self.nominal - part).max(0).min(hi);
        if self.nominal > 0 && plain.quarters > 4 {
            let grown = (self.nominal * plain.quarters / 4).max(self.nominal + 1);
            self.nominal = grown.min(plain.ceiling).min(plain.max_interval).min(plain.max_delay);
        }
        (lo, hi)
    }

    /// R6: never shortened, unless clamped; the spread goes as far as there is time.
    fn hint(&mut self, asked: i128) -> Result<i128, Why> {
        let plain = self.plain;
        let time = self.time_left().unwrap_or(plain.ceiling);
        let left = plain.max_hint.map_or(time, |max| max.min(time));
        if asked > left && (!plain.clamp_hints || left == 0) {
            return Err(Why::HintTooLong { asked, left });
        }
        let lo = asked.min(left);
        let hi = (lo + plain.hint_spread.unwrap_or(0)).min(time);
        Ok(self.draw(lo, hi))
    }

    /// R4.
    fn draw(&mut self, lo: i128, hi: i128) -> i128 {
        if lo == hi {
            return lo;
        }
        let word = self.words[self.drawn % self.words.len()];
        self.drawn += 1;
        let (word, bits) = if self.plain.ceiling >> 32 == 0 { (word >> 32, 32) } else { (word, 64) };
        let place = (u128::from(word) * u128::try_from(hi - lo + 1).unwrap()) >> bits;
        lo + i128::try_from(place).unwrap()
    }

    /// The blocking wait: counted in full even where the clock says less. After one of more than half the range it says how late the wake
    /// came, unless it stood still.
    pub(crate) fn slept(&mut self, now: i128) {
        if self.ahead(now) < self.left {
            let (range, waited, before) = (self.plain.ceiling + 1, self.left, self.last);
            self.last = (before + waited).rem_euclid(range);
            self.pass(waited);
            if waited > range / 2 && now != before {
                self.tell(now);
            }
        } else {
            self.tell(now);
        }
    }
}
