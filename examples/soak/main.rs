//! Ten million calls through limiter, breaker, budget, deadline and retry to a service that has outages, in virtual time, with the promises of all of them
//! checked at every step.
//!
//! Many calls are under way at once: while one waits or works, others are made through the same breaker. The clock has 32 bits and wraps.
//!
//! ```text
//! cargo run --release --example soak [CALLS [SEED]]
//! ```

#![allow(clippy::cast_possible_truncation, reason = "the clock shows the lower bits")]

mod checks;
mod service;

use std::cell::{Cell, RefCell};
use std::process::ExitCode;

use checks::Checks;
use relent::guard::RateLimiter;
use relent::guard::breaker::{Breaker, BreakerSettings, LastOutcomes, Threshold};
use relent::guard::budget::RatioBudget;
use relent::rng::{Rng, SeedableRng, Xoshiro128PlusPlus};
use relent::{
    Attempt, CancelFlag, Clock, Deadline, Exponential, GuardedError, Instant, Jitter, Retry, Shared, Sleep, Verdict,
};
use service::{Fault, Service};

/// Ticks are milliseconds.
const RETRY: Retry<Exponential<u32>> =
    Retry::new(Exponential::new(100).with_multiplier(2.0).with_jitter(Jitter::Full).with_max_delay(1_000))
        .with_max_attempts(4)
        .with_attempt_timeout(400);
/// What a whole call may take.
const PATIENCE: u32 = 2_000;
const COOLDOWN: u32 = 1_000;
const PERMITS: u8 = 2;
/// Retries: a tenth of the calls, and one in a minute.
const RATIO: (u32, u32) = (1, 10);
const RESERVE: u32 = 60_000;
/// Calls: 20 in a second.
const RATE: (u32, u32) = (20, 1_000);
/// How deep calls are made while others are under way.
const DEPTH: u32 = 3;
/// What the clock shows at the start: it wraps in a minute.
const START: u32 = 0_u32.wrapping_sub(60_000);

type Guard<'a> = Shared<Breaker<u32, LastOutcomes<1>, &'a Checks>>;

/// All that the calls share.
struct Client<'a> {
    checks: &'a Checks,
    breaker: Guard<'a>,
    budget: Shared<RatioBudget<u32>>,
    limiter: Shared<RateLimiter<u32>>,
    service: RefCell<Service>,
    rng: RefCell<Xoshiro128PlusPlus>,
    calls_left: Cell<u64>,
}

/// The world of one call: time is shared, and waiting lets others call.
struct World<'c, 'a>(&'c Client<'a>, u32);

impl Clock for World<'_, '_> {
    type Span = u32;
    fn now(&self) -> Instant<u32> {
        Instant::at(START.wrapping_add(self.0.checks.now() as u32))
    }
}

impl Sleep for World<'_, '_> {
    fn sleep(&mut self, delay: u32) {
        self.0.pass(delay, self.1);
    }
}

impl<'a> Client<'a> {
    fn new(calls: u64, seed: u64, checks: &'a Checks) -> Self {
        let settings = BreakerSettings::new(COOLDOWN).with_jitter(Jitter::Equal).with_permits(PERMITS);
        // Longer than any call here can take: no trial is taken back while it is made.
        let settings = settings.with_reclaim_after(600_000);
        let window = LastOutcomes::new(20, Threshold::rate(1, 2).with_min_volume(5));
        let reserve = RateLimiter::every(RESERVE);
        Self {
            checks,
            breaker: Shared::new(Breaker::new(settings, window).with_observer(checks)),
            budget: Shared::new(RatioBudget::new(RATIO.0, RATIO.1).with_reserve(reserve)),
            limiter: Shared::new(RateLimiter::per(RATE.0, RATE.1).unwrap_or_else(|error| unreachable!("{error}"))),
            service: RefCell::new(Service::new(seed)),
            rng: RefCell::new(Xoshiro128PlusPlus::seed_from_u64(seed)),
            calls_left: Cell::new(calls),
        }
    }

    fn below(&self, n: u32) -> u32 {
        self.rng.borrow_mut().next_u32() % n
    }

    /// Lets time pass, in which others call now and then.
    fn pass(&self, span: u32, depth: u32) {
        let end = self.checks.now() + u64::from(span);
        while depth < DEPTH && self.checks.now() < end && self.below(3) == 0 {
            self.checks.advance_to(end.min(self.checks.now() + u64::from(span / 4)));
            self.call(depth + 1);
        }
        self.checks.advance_to(end);
    }

    fn call(&self, depth: u32) {
        let Some(left) = self.calls_left.get().checked_sub(1) else { return };
        self.calls_left.set(left);
        let healthy_since = self.service.borrow_mut().healthy_since(self.checks.now());
        let must_be_let_in = self.checks.must_let_in(healthy_since);
        let world = World(self, depth);
        let until = self.checks.now() + u64::from(PATIENCE);
        let (flag, mut trial, mut last) = (CancelFlag::new(), None, None);
        let seed = u64::from(self.rng.borrow_mut().next_u32());
        let retry = RETRY.classify(|fault: &Fault| match fault {
            Fault::BadRequest => Verdict::Permanent,
            Fault::Down(_) | Fault::TimedOut(_) => Verdict::Retry,
        });
        let deadline = Deadline::after(world.now(), PATIENCE);
        let run = retry.on(world, Xoshiro128PlusPlus::seed_from_u64(seed)).deadline(deadline).cancel(&flag);
        let result = run.budget(&self.budget).guarded(&self.breaker).limiter(&self.limiter).run_with(|attempt, _| {
            self.checks.attempt_begins(attempt, until, &mut trial);
            let result = self.attempt(attempt, depth);
            if self.below(200) == 0 {
                flag.cancel(std::num::NonZeroU8::MIN);
            }
            last = result.err();
            result
        });
        if let Err(GuardedError::GaveUp(gave_up)) = &result {
            self.checks.that(Some(*gave_up.error()) == last, "the error that comes back is the last");
        }
        self.checks.call_ends(&result, trial, must_be_let_in);
    }

    /// What the service does with one request.
    fn attempt(&self, attempt: &Attempt<u32>, depth: u32) -> Result<(), Fault> {
        let allowance = attempt.allowance().unwrap_or(0);
        let (takes, result) = self.service.borrow_mut().answer(self.checks.now(), allowance);
        self.pass(takes, depth);
        result
    }
}

/// Makes so many calls.
pub(crate) fn soak(calls: u64, seed: u64) -> Checks {
    let checks = Checks::default();
    let client = Client::new(calls, seed, &checks);
    while client.calls_left.get() > 0 {
        // Now and then many at once.
        for _ in 0..if client.below(1_000) == 0 { 80 } else { 1 } {
            client.call(0);
        }
        let pause = u64::from(client.below(800));
        checks.advance_to(checks.now() + pause);
    }
    checks
}

#[allow(dead_code, reason = "the test calls `soak`")]
fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|arg| arg.replace('_', "").parse::<u64>());
    let (Ok(calls), Ok(seed)) = (numbers.next().unwrap_or(Ok(10_000_000)), numbers.next().unwrap_or(Ok(1))) else {
        eprintln!("usage: soak [CALLS [SEED]]");
        return ExitCode::from(2);
    };
    let checks = soak(calls, seed);
    println!("{checks}");
    if checks.violations() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
