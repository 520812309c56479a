//! The poll machine in a loop that must not block: transmit now, hear about it later, do other work meanwhile.
//!
//! A radio is told to join a network and answers 30 ms later, or never: the second answer gets lost, and the attempt times out. Time is virtual.
//!
//! ```text
//! cargo run --example superloop
//! ```

use relent::rng::{SeedableRng, Xoshiro128PlusPlus};
use relent::testing::ManualClock;
use relent::{Attempt, Clock, Exponential, Next, Retry, Step, Verdict};

/// Ticks are milliseconds. The longest that all waits together can take is known here.
const JOIN: Retry<Exponential<u32>> = Retry::new(Exponential::new(100).with_multiplier(2.0).with_max_interval(5_000))
    .with_max_attempts(6)
    .with_attempt_timeout(500);
const _: () = assert!(JOIN.worst_case_wait() < 30_000);

fn main() {
    let clock = ManualClock::<u32>::new();
    // On a device: from something that differs between devices, or a whole fleet retries in step.
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(42);
    let mut radio = Radio::default();
    let mut work = 0_u32;

    let mut join = JOIN.start(clock.now());
    let mut sent: Option<Attempt<u32>> = None;
    loop {
        let now = clock.now();
        match join.poll(now) {
            Step::Attempt(attempt) => {
                say(&clock, &format!("attempt {}: request sent", attempt.number()));
                radio.start_join(&clock);
                sent = Some(attempt);
            }
            Step::InFlight => {
                if let Some(result) = radio.finished(&clock)
                    && let Some(attempt) = sent.take()
                {
                    match result {
                        Ok(()) => join.succeed(attempt),
                        Err(error) => explain(&clock, error, join.fail(attempt, now, Verdict::Retry, &mut rng)),
                    }
                }
            }
            Step::Wait(_) => {}
            Step::TimedOut(attempt) => {
                radio.abort();
                sent = None;
                explain(&clock, "no answer", join.fail(attempt, now, Verdict::Retry, &mut rng));
            }
            Step::Done => break,
        }
        work += 1; // other work
        clock.advance(1);
    }
    say(&clock, &format!("joined after {} attempts, {work} turns of other work meanwhile", join.attempts()));
}

fn explain(clock: &ManualClock<u32>, error: &str, next: Next<u32>) {
    match next {
        Next::Wait(delay) => say(clock, &format!("{error}; again in {delay} ms")),
        next => say(clock, &format!("{error}: {next:?}")),
    }
}

fn say(clock: &ManualClock<u32>, text: &str) {
    println!("{:>6} ms  {text}", clock.now().since(relent::Instant::at(0)));
}

/// Refuses the first request, loses the second, takes the third.
#[derive(Default)]
struct Radio {
    requests: u32,
    answer_at: Option<u32>,
}

impl Radio {
    fn start_join(&mut self, clock: &ManualClock<u32>) {
        self.requests += 1;
        let now = clock.now().since(relent::Instant::at(0));
        self.answer_at = (self.requests != 2).then_some(now + 30);
    }

    fn finished(&mut self, clock: &ManualClock<u32>) -> Option<Result<(), &'static str>> {
        let now = clock.now().since(relent::Instant::at(0));
        self.answer_at.take_if(|at| now >= *at)?;
        Some(if self.requests < 3 { Err("refused") } else { Ok(()) })
    }

    fn abort(&mut self) {
        self.answer_at = None;
    }
}
