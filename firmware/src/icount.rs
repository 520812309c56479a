//! Instructions per delay.
//!
//! ```text
//! (time of 20 rounds of 30 delays − time of 20 rounds of 10) / 400, less the same of a loop that only draws words
//! ```
//!
//! So starting, looping and calling the generator drop out. The waits of a capped policy have long settled; those of a growing one grow
//! in each of the thirty.

use core::fmt::{self, Write};
use core::hint::black_box;
use core::time::Duration;

use relent::rng::Rng;
use relent::{Exponential, Instant, Policy, Retry, Step, Verdict};

use crate::board::Stopwatch;
use crate::size::Noise;
use crate::unit::Unit;

const ROUNDS: u32 = 20;
const SHORT: u32 = 10;
const LONG: u32 = 30;

const CAPPED: Exponential<u32> = Exponential::new(100).with_max_interval(100);
const GROWING: Exponential<u32> = Exponential::new(100);
const CAPPED_64: Exponential<u64> = Exponential::new(100).with_max_interval(100);
const GROWING_64: Exponential<u64> = Exponential::new(100);
const CAPPED_NS: Exponential =
    Exponential::new(Duration::from_millis(100)).with_max_interval(Duration::from_millis(100));
const GROWING_NS: Exponential = Exponential::new(Duration::from_millis(100));
const LINK: Retry<Exponential<u32>> = Retry::new(GROWING);

/// Prints one line per case: its name and the instructions.
///
/// # Errors
///
/// Those of `out`.
pub fn run(out: &mut impl Write) -> fmt::Result {
    let watch = Stopwatch::start();
    let mut noise = Noise::new();
    let word = slope(&watch, |n| (0..n).for_each(|_| _ = black_box(noise.next_u32())));
    let word_64 = slope(&watch, |n| (0..n).for_each(|_| _ = black_box(noise.next_u64())));
    let mut line = |name, counted: u32, generator: u32| writeln!(out, "{name} {}", counted.saturating_sub(generator));
    line("step_const_u32_capped", step(&watch, &mut noise, || CAPPED), word)?;
    line("step_const_u32_growing", step(&watch, &mut noise, || GROWING), word)?;
    line("step_ref_u32_capped", step(&watch, &mut noise, || black_box(&CAPPED)), word)?;
    line("step_ref_u32_growing", step(&watch, &mut noise, || black_box(&GROWING)), word)?;
    line("step_const_u64_capped", step(&watch, &mut noise, || CAPPED_64), word_64)?;
    line("step_const_u64_growing", step(&watch, &mut noise, || GROWING_64), word_64)?;
    line("step_const_duration_capped", step(&watch, &mut noise, || CAPPED_NS), word_64)?;
    line("step_const_duration_growing", step(&watch, &mut noise, || GROWING_NS), word_64)?;
    line("machine_const_u32_growing", slope(&watch, |n| fail(n, &mut noise)), word)?;
    line("peer_doubling_by_modulo_u32", slope(&watch, |n| modulo(n, &mut noise)), word)
}

/// Instructions per item of `work(items)`.
#[expect(clippy::inline_always, reason = "the call would be counted too")]
#[inline(always)]
fn slope(watch: &Stopwatch, mut work: impl FnMut(u32)) -> u32 {
    let mut rounds = |items: u32| {
        let started = watch.instructions();
        for _ in 0..ROUNDS {
            work(black_box(items));
        }
        watch.since(started)
    };
    let (short, long) = (rounds(SHORT), rounds(LONG));
    let items = ROUNDS * (LONG - SHORT);
    (long.saturating_sub(short) + items / 2) / items
}

#[expect(clippy::inline_always, reason = "the call would be counted too")]
#[inline(always)]
fn step<P: Policy<Span: Unit>>(watch: &Stopwatch, noise: &mut Noise, policy: impl Fn() -> P) -> u32 {
    slope(watch, |n| {
        let policy = policy();
        let mut state = policy.start();
        for _ in 0..n {
            if let Some(band) = policy.next(&mut state) {
                black_box(band.draw(noise));
            }
        }
    })
}

/// One attempt that fails: two looks, the report, the wait.
fn fail(n: u32, noise: &mut Noise) {
    let mut now = Instant::at(0);
    let mut run = LINK.start(now);
    for _ in 0..n {
        if let Step::Attempt(attempt) = run.poll(now) {
            _ = black_box(run.fail(attempt, now, Verdict::Retry, noise));
        }
        if let Step::Wait(left) = run.poll(now) {
            now = now.after(left);
        }
    }
}

/// What the usual C library does: doubles up to a cap, then takes the remainder of a random word.
fn modulo(n: u32, noise: &mut Noise) {
    let (mut ceiling, cap) = (black_box(100_u32), black_box(u32::MAX));
    for _ in 0..n {
        black_box(noise.next_u32() % ceiling.saturating_add(1).max(1));
        ceiling = if ceiling < cap / 2 { ceiling * 2 } else { cap };
    }
}
