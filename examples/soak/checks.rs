//! What was promised, worked out from the outside: true time, and what the breaker's observer hears.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;

use relent::guard::breaker::{Observer, State, Transition};
use relent::{Attempt, GuardedError, Reason};

use super::{COOLDOWN, DEPTH, Fault, PERMITS, RATE, RATIO, RESERVE};

/// The half-open phase in which a call was let through.
pub(crate) type Trial = u64;

/// Counts, and a violation for each promise that was not kept.
pub(crate) struct Checks {
    now: Cell<u64>,
    state: Cell<State>,
    /// How often it has half-opened, and which calls of that phase are out.
    phase: Cell<Trial>,
    trials_out: Cell<u8>,
    opened_at: Cell<u64>,
    pub(crate) counts: Counts,
    mark: Cell<Mark>,
    /// When the latest calls got past the limiter.
    passed: RefCell<VecDeque<u64>>,
    violations: Cell<u64>,
    first: RefCell<Vec<String>>,
}

/// When the budget was empty, and the counts then.
#[derive(Clone, Copy, Default)]
struct Mark {
    at: u64,
    made: u64,
    retries: u64,
}

macro_rules! counts {
    ($($name:ident: $text:literal,)*) => {
        /// What happened how often.
        #[derive(Default)]
        pub(crate) struct Counts { $(pub $name: Cell<u64>,)* }

        impl fmt::Display for Counts {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                $(writeln!(f, "{:>12}  {}", self.$name.get(), $text)?;)*
                Ok(())
            }
        }
    };
}

counts! {
    calls: "calls asked for",
    limited: "denied by the limiter",
    refused: "refused by the breaker",
    made: "made",
    retries: "retries",
    succeeded: "succeeded",
    permanent: "gave up: permanent",
    cancelled: "gave up: cancelled",
    attempts: "gave up: attempts used up",
    late: "gave up: deadline",
    budget: "gave up: budget used up",
    opened_meanwhile: "gave up: breaker opened by others",
    trips: "times open",
    trials: "trials while half-open",
    closings: "times closed again",
}

fn count(cell: &Cell<u64>) {
    cell.set(cell.get() + 1);
}

impl Default for Checks {
    fn default() -> Self {
        Self {
            now: Cell::new(0),
            state: Cell::new(State::Closed),
            phase: Cell::new(0),
            trials_out: Cell::new(0),
            opened_at: Cell::new(0),
            counts: Counts::default(),
            mark: Cell::default(),
            passed: RefCell::default(),
            violations: Cell::new(0),
            first: RefCell::default(),
        }
    }
}

impl Checks {
    pub(crate) fn now(&self) -> u64 {
        self.now.get()
    }

    /// Time does not go back: where others took longer, it is later already.
    pub(crate) fn advance_to(&self, now: u64) {
        self.now.set(self.now.get().max(now));
    }

    /// Notes a violation where it does not hold.
    pub(crate) fn that(&self, holds: bool, promise: &str) {
        if !holds {
            count(&self.violations);
            let mut first = self.first.borrow_mut();
            if first.len() < 10 {
                first.push(format!("at {} ms: not kept: {promise}", self.now()));
            }
        }
    }

    pub(crate) fn violations(&self) -> u64 {
        self.violations.get()
    }

    /// Whether a call made now must not be refused: a cooldown after the service recovered, or after the last trip where that came later.
    pub(crate) fn must_let_in(&self, healthy_since: Option<u64>) -> bool {
        let rested =
            healthy_since.is_some_and(|since| self.now() >= since.max(self.opened_at.get()) + u64::from(COOLDOWN));
        rested && self.trials_out.get() < PERMITS
    }

    pub(crate) fn attempt_begins(&self, attempt: &Attempt<u32>, deadline: u64, trial: &mut Option<Trial>) {
        self.that(self.now() < deadline, "no call past the deadline");
        self.that(
            attempt.time_left().map(u64::from) == Some(deadline.saturating_sub(self.now())),
            "an attempt is told the time left",
        );
        self.that(attempt.number() <= 4, "no more attempts than allowed");
        let first = attempt.number() == 1;
        if first {
            self.passed_the_limiter();
        }
        count(if first { &self.counts.made } else { &self.counts.retries });
        match self.state.get() {
            State::Closed => {}
            State::Open => self.that(false, "nothing is tried while open"),
            State::HalfOpen if first => {
                *trial = Some(self.phase.get());
                self.trials_out.set(self.trials_out.get() + 1);
                count(&self.counts.trials);
                self.that(self.trials_out.get() <= PERMITS, "no more trials than permits");
            }
            State::HalfOpen => self.that(*trial == Some(self.phase.get()), "no probe without a permit of this phase"),
        }
        let mark = self.mark.get();
        let passed = (self.now() - mark.at) / u64::from(RESERVE);
        let earned = (self.counts.made.get() - mark.made) * u64::from(RATIO.0) / u64::from(RATIO.1);
        // Besides: parts of one in the budget and in the reserve, and what was paid for before by calls that still waited.
        let most = earned + passed + 2 + u64::from(DEPTH);
        let retries = self.counts.retries.get() - mark.retries;
        self.that(retries <= most, "no more retries than the budget");
    }

    /// Of one call more than fit a period and the burst at its start, the first is a period ago.
    fn passed_the_limiter(&self) {
        let mut passed = self.passed.borrow_mut();
        passed.push_back(self.now());
        if passed.len() > 2 * RATE.0 as usize {
            let first = passed.pop_front();
            let period_ago = first.is_some_and(|first| first + u64::from(RATE.1) <= self.now());
            self.that(period_ago, "no more calls than the limit");
        }
    }

    /// Counts what the budget gives from here: it has just refused, so all that it gives later is earned later.
    fn budget_is_empty(&self) {
        if self.now() > self.mark.get().at + 20_000 {
            let (made, retries) = (self.counts.made.get(), self.counts.retries.get());
            self.mark.set(Mark { at: self.now(), made, retries });
        }
    }

    pub(crate) fn call_ends(
        &self,
        result: &Result<(), GuardedError<Fault, u32>>,
        trial: Option<Trial>,
        must_be_let_in: bool,
    ) {
        let counts = &self.counts;
        count(&counts.calls);
        count(match result {
            Ok(()) => &counts.succeeded,
            Err(GuardedError::Limited(_)) => &counts.limited,
            Err(GuardedError::Refused(_)) => &counts.refused,
            Err(GuardedError::GaveUp(gave_up)) => match gave_up.reason() {
                Reason::Permanent => &counts.permanent,
                Reason::Cancelled => &counts.cancelled,
                Reason::Attempts => &counts.attempts,
                Reason::Deadline { .. } => &counts.late,
                Reason::Budget => {
                    self.budget_is_empty();
                    &counts.budget
                }
                Reason::BreakerOpen { .. } => &counts.opened_meanwhile,
                _ => &self.violations,
            },
        });
        let refused = matches!(result, Err(GuardedError::Refused(_)));
        self.that(!(must_be_let_in && refused), "let in again one cooldown after recovery");
        // Reported before this: what it was while the call was out is in `trial`.
        if trial.is_some_and(|phase| phase == self.phase.get()) && self.state.get() == State::HalfOpen {
            self.trials_out.set(self.trials_out.get() - 1);
            self.that(result.is_err(), "closed by a trial that succeeds");
        }
        if refused {
            self.passed_the_limiter();
        }
    }
}

impl Observer<u32> for &Checks {
    fn changed(&mut self, transition: Transition<u32>) {
        self.trials_out.set(0);
        match transition {
            Transition::Opened(cooldown) => {
                count(&self.counts.trips);
                self.that(cooldown <= COOLDOWN, "no longer open than the cooldown");
                self.opened_at.set(self.now());
                self.state.set(State::Open);
            }
            Transition::HalfOpened => {
                count(&self.phase);
                self.state.set(State::HalfOpen);
            }
            _ => {
                count(&self.counts.closings);
                self.state.set(State::Closed);
            }
        }
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.counts)?;
        writeln!(f, "{:>12}  days of virtual time", self.now() / 86_400_000)?;
        for violation in self.first.borrow().iter() {
            writeln!(f, "{violation}")?;
        }
        write!(f, "{} violations", self.violations())
    }
}
