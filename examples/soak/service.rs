//! A service with outages: it fails at once, hangs, or answers every second request.

#![allow(clippy::cast_possible_truncation, reason = "small numbers")]

use relent::rng::{Rng, SeedableRng, Xoshiro256PlusPlus};

/// Why a request failed; numbered, so that each error can be told from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Down(u64),
    TimedOut(u64),
    BadRequest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Healthy,
    Failing,
    Hanging,
    Flaky,
}

pub(crate) struct Service {
    rng: Xoshiro256PlusPlus,
    health: Health,
    since: u64,
    until: u64,
    faults: u64,
}

impl Service {
    pub(crate) fn new(seed: u64) -> Self {
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Self { rng, health: Health::Healthy, since: 0, until: 60_000, faults: 0 }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.rng.next_u64() % n
    }

    /// Since when it has been well; `None` in an outage.
    pub(crate) fn healthy_since(&mut self, now: u64) -> Option<u64> {
        while self.until <= now {
            self.since = self.until;
            self.health = match self.health {
                Health::Healthy => [Health::Failing, Health::Hanging, Health::Flaky][self.below(3) as usize],
                _ => Health::Healthy,
            };
            let most = if self.health == Health::Healthy { 110_000 } else { 38_000 };
            self.until = self.since + 2_000 + self.below(most);
        }
        (self.health == Health::Healthy).then_some(self.since)
    }

    /// How long a request takes that is given up after `allowance`, and what comes of it.
    pub(crate) fn answer(&mut self, now: u64, allowance: u32) -> (u32, Result<(), Fault>) {
        let healthy = self.healthy_since(now).is_some();
        let takes = 1 + self.below(if healthy { 50 } else { 20 }) as u32;
        self.faults += 1;
        let lucky = match self.health {
            Health::Healthy => self.below(100) > 0,
            Health::Flaky => self.below(2) == 0,
            Health::Failing | Health::Hanging => false,
        };
        if self.health == Health::Hanging || takes > allowance {
            (allowance, Err(Fault::TimedOut(self.faults)))
        } else if self.below(40) == 0 {
            (takes, Err(Fault::BadRequest))
        } else if lucky {
            (takes, Ok(()))
        } else {
            (takes, Err(Fault::Down(self.faults)))
        }
    }
}
