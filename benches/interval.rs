//! What the next delay and the blocking call cost, beside hand-written floors in the same run.
//!
//! A floor does what no version can leave out: one word of the generator, one widening multiplication, one addition, nanoseconds into a
//! `Duration`. Every round times all contestants one after the other with the same fresh seed, and a ratio is the median over the rounds of
//! time by floor time, so that a noisy machine harms all alike. No words repeat, as a branch predictor learns those of a constant seed.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::inline_always,
    reason = "the upper half of a product; times as floats; settings seen through"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use relent::policy::Growth;
use relent::rng::{Rng, SeedableRng, Xoshiro128PlusPlus, Xoshiro256PlusPlus};
use relent::testing::ManualClock;
use relent::{Attempts, Delays, Exponential, Jitter, Policy, Retry, Sleep};

/// Calls in one timing.
const CALLS: u32 = 8_192;
/// A fresh run makes so many delays; from 500 ms by ×1.5, the last four are at the cap of 60 s.
const RUN: u32 = 16;

struct Contestant {
    name: &'static str,
    /// How many times the floor it may take (DESIGN §5).
    mark: Option<f64>,
    /// Makes `CALLS` calls with this seed.
    batch: fn(u64),
}

const fn row(name: &'static str, batch: fn(u64)) -> Contestant {
    Contestant { name, mark: None, batch }
}

const fn marked(name: &'static str, mark: f64, batch: fn(u64)) -> Contestant {
    Contestant { name, mark: Some(mark), batch }
}

/// The first of each group is its floor. Settings that are a `const` are how the crate is meant to be used; those at run time are hidden from
/// the optimiser.
const GROUPS: [(&str, &[Contestant]); 4] = [
    (
        "next delay, Duration",
        &[
            row("floor", floor_duration),
            marked("settings const, long run", 1.25, |seed| long(DURATION, wide(seed))),
            marked("settings const, fresh every 16", 1.8, |seed| fresh(DURATION, wide(seed))),
            row("settings at run time, long run", |seed| long(black_box(DURATION), wide(seed))),
            row("settings at run time, fresh every 16", |seed| fresh(black_box(DURATION), wide(seed))),
            row("no jitter, const, long run", |seed| long(DURATION.with_jitter(Jitter::None), wide(seed))),
            row("no jitter, const, fresh every 16", |seed| fresh(DURATION.with_jitter(Jitter::None), wide(seed))),
        ],
    ),
    (
        "next delay, u64 ticks",
        &[
            row("floor", floor_u64),
            row("settings const, long run", |seed| long(U64, wide(seed))),
            row("settings const, fresh every 16", |seed| fresh(U64, wide(seed))),
            row("settings at run time, long run", |seed| long(black_box(U64), wide(seed))),
            row("settings at run time, fresh every 16", |seed| fresh(black_box(U64), wide(seed))),
            row("no jitter, const, long run", |seed| long(U64.with_jitter(Jitter::None), wide(seed))),
            row("no jitter, const, fresh every 16", |seed| fresh(U64.with_jitter(Jitter::None), wide(seed))),
        ],
    ),
    (
        "next delay, u32 ticks",
        &[
            row("floor", floor_u32),
            marked("settings const, long run", 1.2, |seed| long(U32, narrow(seed))),
            row("settings const, fresh every 16", |seed| fresh(U32, narrow(seed))),
            row("settings at run time, long run", |seed| long(black_box(U32), narrow(seed))),
            row("settings at run time, fresh every 16", |seed| fresh(black_box(U32), narrow(seed))),
            row("no jitter, const, long run", |seed| long(U32.with_jitter(Jitter::None), narrow(seed))),
            row("no jitter, const, fresh every 16", |seed| fresh(U32.with_jitter(Jitter::None), narrow(seed))),
        ],
    ),
    (
        "blocking call, three failures then success",
        &[
            row("floor: a loop by hand", call_by_hand),
            marked("settings const, at most 10 attempts", 2.0, |seed| calls::<1>(&TEN, wide(seed))),
            row("settings const, at most 15 min", |seed| calls::<2>(&MINUTES, wide(seed))),
            row("settings at run time, at most 10 attempts", |seed| calls::<3>(black_box(&TEN), wide(seed))),
            row("settings at run time, at most 15 min", |seed| calls::<4>(black_box(&MINUTES), wide(seed))),
        ],
    ),
];

const TEN: Retry = Retry::new(DURATION).with_max_attempts(10);
const MINUTES: Retry = Retry::new(DURATION).with_max_elapsed(Duration::from_secs(15 * 60));
const DURATION: Exponential = Exponential::new(Duration::from_millis(500)).with_max_interval(Duration::from_secs(60));
const U64: Exponential<u64> = Exponential::new(500).with_max_interval(60_000);
const U32: Exponential<u32> = Exponential::new(500).with_max_interval(60_000);

fn main() {
    // `cargo test` runs this too, to see that it works.
    let rounds = if std::env::args().any(|arg| arg == "--bench") { 1_001 } else { 3 };
    println!("{:<46}{:>9}{:>9}{:>8}", "", "ns", "ratio", "mark");
    for (title, contestants) in GROUPS {
        println!("{title}");
        for (contestant, (ns, ratio)) in contestants.iter().zip(race(contestants, rounds)) {
            let mark = contestant.mark.map_or(String::new(), |mark| format!("<= {mark}"));
            let missed = if contestant.mark.is_some_and(|mark| ratio > mark) { "  missed" } else { "" };
            println!("  {:<44}{ns:>9.2}{ratio:>9.2}{mark:>8}{missed}", contestant.name);
        }
    }
    println!("\nbytes on this target{:>32}{:>9}{:>9}", "u32", "u64", "Duration");
    sizes("state of Exponential", [size_of::<Growth<u32>>(), size_of::<Growth<u64>>(), size_of::<Growth>()]);
    sizes("settings: Exponential", [size_of_val(&U32), size_of_val(&U64), size_of_val(&DURATION)]);
    sizes(
        "run: Attempts<&Retry>",
        [
            size_of::<Attempts<&Retry<Exponential<u32>>>>(),
            size_of::<Attempts<&Retry<Exponential<u64>>>>(),
            size_of::<Attempts<&Retry>>(),
        ],
    );
}

fn sizes(name: &str, bytes: [usize; 3]) {
    println!("  {name:<44}{:>6}{:>9}{:>9}", bytes[0], bytes[1], bytes[2]);
}

/// Nanoseconds a call, and the ratio to the first contestant.
fn race(contestants: &[Contestant], rounds: u32) -> Vec<(f64, f64)> {
    let mut seeds = Xoshiro256PlusPlus::seed_from_u64(std::process::id().into());
    let mut times = vec![Vec::new(); contestants.len()];
    for _ in 0..rounds {
        let seed = seeds.next_u64();
        for (contestant, times) in contestants.iter().zip(&mut times) {
            let begin = Instant::now();
            (contestant.batch)(black_box(seed));
            times.push(begin.elapsed().as_nanos() as f64 / f64::from(CALLS));
        }
    }
    let floor = times[0].clone();
    times
        .into_iter()
        .map(|times| (median(times.clone()), median(times.iter().zip(&floor).map(|(a, b)| a / b).collect())))
        .collect()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn wide(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

fn narrow(seed: u64) -> Xoshiro128PlusPlus {
    Xoshiro128PlusPlus::seed_from_u64(seed)
}

/// All but the first 15 at the cap.
#[inline(always)]
fn long<P: Policy, R: Rng>(policy: P, rng: R) {
    let mut delays = Delays::new(policy, rng);
    for _ in 0..CALLS {
        black_box(delays.next());
    }
}

#[inline(always)]
fn fresh<P: Policy, R: Rng>(policy: P, rng: R) {
    let mut delays = Delays::new(policy, rng);
    for _ in 0..CALLS / RUN {
        delays.reset();
        for _ in 0..RUN {
            black_box(delays.next());
        }
    }
}

fn operation(calls: &mut u32, failures: u32) -> Result<u32, u32> {
    *calls += 1;
    if *calls <= failures { Err(*calls) } else { Ok(*calls) }
}

/// `SITE` gives every place its own closure, as in a program, where each place retries another operation.
#[inline(always)]
fn calls<const SITE: u8>(retry: &Retry, mut rng: Xoshiro256PlusPlus) {
    let clock = ManualClock::new();
    black_box(&clock);
    for _ in 0..CALLS {
        let (mut calls, failures) = (0, black_box(3));
        black_box(retry.run(&clock, &mut rng, || operation(&mut calls, failures)).is_ok());
    }
}

#[inline(never)]
fn call_by_hand(seed: u64) {
    let mut rng = wide(seed);
    let clock = ManualClock::new();
    black_box(&clock);
    let (lo, width) = black_box((30_000_000_000_u64, 60_000_000_000_u64));
    for _ in 0..CALLS {
        let (mut calls, failures) = (0, black_box(3));
        let result = loop {
            match operation(&mut calls, failures) {
                Ok(value) => break Ok(value),
                Err(error) if calls == 10 => break Err(error),
                Err(_) => (&clock).sleep(Duration::from_nanos(lo + pick(width, rng.next_u64()))),
            }
        };
        black_box(result.is_ok());
    }
}

#[inline]
fn pick(width: u64, word: u64) -> u64 {
    ((u128::from(word) * u128::from(width + 1)) >> 64) as u64
}

#[inline(never)]
fn floor_duration(seed: u64) {
    let mut rng = wide(seed);
    let (lo, width) = black_box((30_000_000_000_u64, 60_000_000_000_u64));
    for _ in 0..CALLS {
        black_box(Duration::from_nanos(lo + pick(width, rng.next_u64())));
    }
}

#[inline(never)]
fn floor_u64(seed: u64) {
    let mut rng = wide(seed);
    let (lo, width) = black_box((30_000_u64, 60_000_u64));
    for _ in 0..CALLS {
        black_box(lo + pick(width, rng.next_u64()));
    }
}

#[inline(never)]
fn floor_u32(seed: u64) {
    let mut rng = narrow(seed);
    let (lo, width) = black_box((30_000_u32, 60_000_u32));
    for _ in 0..CALLS {
        black_box(lo + ((u64::from(rng.next_u32()) * (u64::from(width) + 1)) >> 32) as u32);
    }
}
