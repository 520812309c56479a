//! Other retry libraries beside relent and a hand-written floor, in one run: what the next delay and the blocking call cost, and what a
//! schedule does at its cap and on odd numbers.
//!
//! Everything that the tables say is measured or observed here: `cargo run --release` in this folder prints them as Markdown. Each library
//! is set up as its documentation shows, growing from 500 ms to a cap of 60 s with its own jitter on, and draws from its own generator;
//! relent's settings are a `const`, the builders of the others are made for each call as their functions take them by value.

use std::hint::black_box;
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use backoff::backoff::Backoff as _;
use backon::{BackoffBuilder as _, BlockingRetryable as _};
use relent::rng::{Rng, SeedableRng, Xoshiro256PlusPlus};
use relent::testing::ManualClock;
use relent::{Exponential, Policy, Retry, Sleep};

const INITIAL: Duration = Duration::from_millis(500);
const CAP: Duration = Duration::from_secs(60);
const CALLS: u32 = 4_096;
const ROUNDS: usize = 401;

type Delays = Box<dyn Iterator<Item = Duration>>;

struct Peer {
    name: &'static str,
    /// Takes `CALLS` delays, none of them behind a pointer.
    delays: fn(u64),
    /// Makes `CALLS` blocking calls, three failures and a success each; `None` where the library can only sleep on the thread.
    calls: Option<fn(u64)>,
    /// The same delays, with this initial interval and cap.
    schedule: fn(Duration, Duration) -> Delays,
    /// The ninth delay with a growth factor and an initial interval as a program may read them from a file; `None` where they are refused.
    odd: fn(f64, Duration) -> Option<Duration>,
}

const PEERS: [Peer; 5] = [
    Peer {
        name: "relent",
        delays: |seed| take(RELENT.delays(rng(seed))),
        calls: Some(|seed| calls(seed, |clock, rng, op| RETRY.run(clock, rng, op).is_ok())),
        schedule: |initial, cap| {
            Box::new(Exponential::new(initial).with_max_interval(cap).with_max_delay(cap).delays(rng(1)))
        },
        odd: |factor, initial| {
            let policy = Exponential::new(initial).try_with_multiplier(relent::Factor::try_new(factor).ok()?).ok()?;
            policy.with_max_interval(CAP).delays(rng(1)).nth(8)
        },
    },
    Peer {
        name: "backon",
        delays: |_| take(backon(INITIAL, CAP).build()),
        calls: Some(|seed| {
            calls(seed, |clock, _, op| {
                let sleep = move |delay| {
                    let mut clock = clock;
                    clock.sleep(delay);
                };
                op.retry(backon(INITIAL, CAP)).sleep(sleep).call().is_ok()
            })
        }),
        schedule: |initial, cap| Box::new(backon(initial, cap).build()),
        odd: |factor, initial| backon(initial, CAP).with_factor(factor as f32).build().nth(8),
    },
    Peer {
        name: "backoff",
        delays: |_| take(Backoff(backoff(INITIAL, CAP))),
        calls: None,
        schedule: |initial, cap| Box::new(Backoff(backoff(initial, cap))),
        odd: |factor, initial| {
            let policy = backoff::ExponentialBackoff { multiplier: factor, ..backoff(initial, CAP) };
            Backoff(policy).nth(8)
        },
    },
    Peer {
        name: "exponential-backoff",
        delays: |_| take(exponential(INITIAL, CAP)),
        calls: Some(|seed| {
            calls(seed, |clock, _, op| {
                let mut clock = clock;
                exponential_backoff::Backoff::new(10, INITIAL, CAP).into_iter().any(|delay| {
                    let done = op().is_ok();
                    if let (false, Some(delay)) = (done, delay) {
                        clock.sleep(delay);
                    }
                    done
                })
            })
        }),
        schedule: |initial, cap| Box::new(exponential(initial, cap)),
        // Its factor is a whole number.
        odd: |factor, initial| {
            let mut policy = exponential_backoff::Backoff::new(10, initial, CAP);
            policy.set_factor(factor as u32);
            policy.into_iter().nth(8)?
        },
    },
    Peer {
        name: "retry",
        delays: |_| take(retry(INITIAL, CAP)),
        calls: None,
        schedule: |initial, cap| Box::new(retry(initial, cap)),
        odd: |factor, initial| {
            let delays = retry::delay::Exponential::from_millis_with_factor(initial.as_millis() as u64, factor);
            delays.map(|delay| delay.min(CAP)).map(retry::delay::jitter).nth(8)
        },
    },
];

const RELENT: Exponential = Exponential::new(INITIAL).with_max_interval(CAP);
const RETRY: Retry = Retry::new(RELENT).with_max_attempts(10);

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

fn backon(initial: Duration, cap: Duration) -> backon::ExponentialBuilder {
    let policy = backon::ExponentialBuilder::new().with_min_delay(initial).with_max_delay(cap);
    policy.with_factor(1.5).with_jitter().without_max_times()
}

fn backoff(initial: Duration, cap: Duration) -> backoff::ExponentialBackoff {
    backoff::ExponentialBackoffBuilder::new()
        .with_initial_interval(initial)
        .with_max_interval(cap)
        .with_max_elapsed_time(None)
        .build()
}

struct Backoff(backoff::ExponentialBackoff);

impl Iterator for Backoff {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        self.0.next_backoff()
    }
}

fn exponential(initial: Duration, cap: Duration) -> impl Iterator<Item = Duration> {
    exponential_backoff::Backoff::new(u32::MAX, initial, cap).into_iter().map_while(|delay| delay)
}

/// Its delays have no cap of their own; the documentation combines iterators.
fn retry(initial: Duration, cap: Duration) -> impl Iterator<Item = Duration> {
    let delays = retry::delay::Exponential::from_millis_with_factor(initial.as_millis() as u64, 1.5);
    delays.map(move |delay| delay.min(cap)).map(retry::delay::jitter)
}

fn take(mut delays: impl Iterator<Item = Duration>) {
    for _ in 0..CALLS {
        black_box(delays.next());
    }
}

/// An operation that fails three times, retried again and again on a clock that only counts.
fn calls(
    seed: u64,
    retried: impl Fn(&'static ManualClock, &mut Xoshiro256PlusPlus, &mut dyn FnMut() -> Result<u32, u32>) -> bool,
) {
    // Some want to own their sleep function for ever.
    let clock: &'static ManualClock = Box::leak(Box::default());
    black_box(clock);
    let mut rng = rng(seed);
    for _ in 0..CALLS {
        let (mut calls, failures) = (0, black_box(3));
        let mut op = || {
            calls += 1;
            if calls <= failures { Err(calls) } else { Ok(calls) }
        };
        black_box(retried(clock, &mut rng, &mut op));
    }
}

fn floor_delay(rng: &mut Xoshiro256PlusPlus, width: u64) -> Duration {
    let drawn = (u128::from(rng.next_u64()) * u128::from(width)) >> 64;
    Duration::from_nanos(30_000_000_000 + drawn as u64)
}

fn floor_delays(seed: u64) {
    let (mut rng, width) = (rng(seed), black_box(60_000_000_001));
    for _ in 0..CALLS {
        black_box(floor_delay(&mut rng, width));
    }
}

fn floor_calls(seed: u64) {
    let width = black_box(60_000_000_001);
    calls(seed, |clock, rng, op| {
        let mut clock = clock;
        for _ in 0..10 {
            if op().is_ok() {
                return true;
            }
            clock.sleep(floor_delay(rng, width));
        }
        false
    });
}

/// Median nanoseconds of each, in rounds that take turns.
fn race(contestants: &[fn(u64)]) -> Vec<f64> {
    let mut times = vec![Vec::new(); contestants.len()];
    for round in 0..ROUNDS {
        for (contestant, times) in contestants.iter().zip(&mut times) {
            let begin = Instant::now();
            contestant(black_box(round as u64));
            times.push(begin.elapsed().as_nanos() as f64 / f64::from(CALLS));
        }
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    times.into_iter().map(median).collect()
}

fn main() {
    println!("| library | next delay, ns | × floor | blocking call, ns | × floor |\n|---|---|---|---|---|");
    let delays = race(&[&[floor_delays as fn(u64)][..], &PEERS.map(|peer| peer.delays)].concat());
    let callers: Vec<fn(u64)> = PEERS.iter().filter_map(|peer| peer.calls).collect();
    let calls = race(&[&[floor_calls as fn(u64)][..], &callers].concat());
    println!("| floor, by hand | {:.1} | 1 | {:.1} | 1 |", delays[0], calls[0]);
    let mut rest = calls[1..].iter();
    for (peer, delay) in PEERS.iter().zip(&delays[1..]) {
        let call = match peer.calls.and_then(|_| rest.next()) {
            Some(call) => format!("{call:.1} | {:.1}", call / calls[0]),
            None => "only sleeps on the thread | ".into(),
        };
        println!("| {} | {delay:.1} | {:.1} | {call} |", peer.name, delay / delays[0]);
    }

    println!("\nDelays 101 to 10 100 under a cap of 60 s, and odd numbers:\n");
    println!(
        "| library | shortest | longest | exactly the cap | 9th, factor NaN | 9th, factor −1 | 9th, first `Duration::MAX` |"
    );
    println!("|---|---|---|---|---|---|---|");
    std::panic::set_hook(Box::new(|_| {}));
    for peer in &PEERS {
        let delays: Vec<Duration> = (peer.schedule)(INITIAL, CAP).skip(100).take(10_000).collect();
        let (shortest, longest) = (delays.iter().min().unwrap(), delays.iter().max().unwrap());
        let capped = delays.iter().filter(|delay| **delay == CAP).count() / 100;
        let odd = [(f64::NAN, INITIAL), (-1.0, INITIAL), (1.5, Duration::MAX)].map(|(factor, initial)| {
            let odd = peer.odd;
            match catch_unwind(move || odd(factor, initial)) {
                Ok(Some(delay)) => format!("{:.1} s", delay.as_secs_f64()),
                Ok(None) => "refused".into(),
                Err(_) => "panics".into(),
            }
        });
        let (shortest, longest) = (shortest.as_secs_f64(), longest.as_secs_f64());
        println!("| {} | {shortest:.1} s | {longest:.1} s | {capped} % | {} |", peer.name, odd.join(" | "));
    }
}
