//! An async task on `embassy-time` that joins a network: the machine says how long to wait, an embassy timer waits.
//!
//! On a microcontroller this function is an `#[embassy_executor::task]`. Here the time is virtual and there is no executor: `drive` polls the
//! task and moves the mock clock on.
//!
//! ```text
//! cargo run --example embassy --features embassy-time-05
//! ```

use core::pin::pin;
use core::task::{Context, Poll, Waker};

use critical_section as _;
use embassy_time::{Duration, MockDriver, Timer};
use relent::embassy::Embassy;
use relent::rng::Rng;
use relent::seed::Seed;
use relent::{Clock, Exponential, GaveUp, Next, Retry, Step, Verdict};

const JOIN: Retry<Exponential<Duration>> = Retry::new(
    Exponential::new(Duration::from_millis(500)).with_multiplier(2.0).with_max_interval(Duration::from_secs(10)),
)
.with_max_attempts(8);

/// A radio whose gateway answers at the fifth call.
struct Radio {
    calls: u32,
}

impl Radio {
    async fn join(&mut self) -> Result<u32, &'static str> {
        self.calls += 1;
        Timer::after(Duration::from_millis(120)).await;
        if self.calls < 5 { Err("no answer from the gateway") } else { Ok(0x2601_17A3) }
    }
}

async fn join(radio: &mut Radio, rng: &mut impl Rng) -> Result<u32, GaveUp<&'static str, Duration>> {
    let mut run = JOIN.start(Embassy.now());
    loop {
        match run.poll(Embassy.now()) {
            Step::Attempt(attempt) | Step::TimedOut(attempt) => {
                let number = attempt.number();
                match radio.join().await {
                    Ok(address) => {
                        run.succeed(attempt);
                        return Ok(address);
                    }
                    Err(error) => match run.fail(attempt, Embassy.now(), Verdict::Retry, rng) {
                        Next::Wait(wait) => {
                            let again = wait.as_millis();
                            println!("{:>7} ms  attempt {number}: {error}, again in {again} ms", now());
                        }
                        Next::GiveUp(reason) => return Err(run.gave_up(error, reason)),
                        Next::Stale => {}
                    },
                }
            }
            Step::Wait(left) => Timer::after(left).await,
            // Every attempt is reported before the next poll.
            Step::InFlight | Step::Done => unreachable!(),
        }
    }
}

fn now() -> u64 {
    embassy_time::Instant::now().as_millis()
}

/// Polls `task` and lets virtual time pass until it is ready.
fn drive<T>(task: impl Future<Output = T>) -> T {
    let mut task = pin!(task);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = task.as_mut().poll(&mut context) {
            return value;
        }
        MockDriver::get().advance(Duration::from_millis(1));
    }
}

fn main() {
    let mut rng = Seed::from_id(b"sensor 0017").with_boot(3).xoshiro128();
    match drive(join(&mut Radio { calls: 0 }, &mut rng)) {
        Ok(address) => println!("{:>7} ms  joined as {address:08x}", now()),
        Err(gave_up) => {
            println!("{:>7} ms  gave up after {} attempts: {}", now(), gave_up.attempts(), gave_up.error());
            std::process::exit(1);
        }
    }
}
