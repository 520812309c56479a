//! A link that is kept up, runs in layers, seeds, rates, and delays of a HAL.

use core::fmt;
use core::hint::black_box;
use core::num::NonZeroU8;
use core::time::Duration;

use embedded_hal::delay::DelayNs;
use relent::clock::{Rate, Scaled, Summed, Widen, from_fn};
use relent::guard::breaker::{Breaker, BreakerSettings, Consecutive};
use relent::guard::{CostBudget, RateLimiter};
use relent::hal::{Micros, Millis};
use relent::reconnect::{LinkStep, Reconnect};
use relent::rng;
use relent::seed::Seed;
use relent::{
    Attempts, Band, CancelFlag, Clock, Deadline, Exponential, Instant, Policy, Retry, Sleep, Slots, Step, Verdict,
};

use super::any;
use crate::size::Noise;
use crate::unit::Unit;

pub(super) fn all<S: Unit>(noise: &mut Noise) {
    link::<S>(noise);
    begun::<S>(noise);
    layered::<S>(noise);
}

fn verdict<S: Unit>() -> Verdict<S> {
    match black_box(0) {
        0 => Verdict::Retry,
        1 => Verdict::NotBefore(any()),
        2 => Verdict::RetryAfter(any()),
        _ => Verdict::Permanent,
    }
}

fn link<S: Unit>(noise: &mut Noise) {
    let now = || Instant::at(any::<S>());
    let retry = Retry::new(Exponential::new(any::<S>())).with_attempt_timeout(any()).with_max_hint(any());
    let uplink = Reconnect::new(retry, any()).with_min_spacing(any());
    let uplink = black_box(&uplink);
    let mut link = match black_box(0) {
        0 => uplink.start(now()),
        1 => uplink.start_after(now(), Band::new(any(), any()), noise),
        _ => uplink.resume(now(), black_box(3), noise),
    };
    while black_box(true) {
        match link.poll(now()) {
            LinkStep::Attempt(attempt) if black_box(true) => link.succeed(attempt, now()),
            LinkStep::Attempt(attempt) | LinkStep::TimedOut(attempt) => {
                let mut fallible = rng::try_from_fn(|| black_box(Err::<u32, _>(fmt::Error)));
                if let Err((attempt, _)) = link.try_fail(attempt, now(), verdict(), &mut fallible) {
                    _ = link.fail(attempt, now(), verdict(), noise);
                }
            }
            LinkStep::Up => {
                let mut fallible = rng::try_from_fn(|| black_box(Err::<u32, _>(fmt::Error)));
                if link.try_lost(now(), verdict(), &mut fallible).is_err() {
                    _ = link.lost(now(), verdict(), noise);
                }
            }
            LinkStep::Wait(left) => _ = black_box(left),
            LinkStep::InFlight | LinkStep::Down => link.retry_now(now()),
        }
        if black_box(false) {
            link.rebase(now());
        }
        black_box((link.state(), link.is_stable(), link.failures()));
    }
}

/// Runs that begin with a wait.
fn begun<S: Unit>(noise: &mut Noise) {
    let now = || Instant::at(any::<S>());
    let growing = Retry::new(Exponential::new(any::<S>()));
    once(growing.start_after(now(), Band::new(any(), any()), noise), noise);
    let csma = Retry::new(Slots::new(any::<S>(), black_box(3), black_box(5)));
    once(csma.start_waiting(now(), noise), noise);
}

fn once<P: Policy<Span: Unit>>(mut run: Attempts<&Retry<P>>, noise: &mut Noise) {
    let now = || Instant::at(any::<P::Span>());
    if let Step::Attempt(attempt) = run.poll(now()) {
        _ = black_box(run.fail(attempt, now(), verdict(), noise));
    }
}

fn layered<S: Unit>(noise: &mut Noise) {
    let retry = Retry::new(Exponential::new(any::<S>())).with_max_elapsed(any());
    let flag = CancelFlag::new();
    flag.cancel(NonZeroU8::MIN);
    let mut world = Summed::new(|delay: S| _ = black_box(delay));
    let deadline = Deadline::after(world.now(), any()).within(world.now(), any());
    let (mut budget, mut limiter) = (CostBudget::new(black_box(500)), RateLimiter::every(any::<S>()));
    let mut breaker = Breaker::new(BreakerSettings::new(any::<S>()), Consecutive::new(5));
    let done = retry
        .on(&mut world, &mut *noise)
        .keyed()
        .deadline(deadline)
        .cancel(&flag)
        .budget(&mut budget)
        .guarded(&mut breaker)
        .limiter(&mut limiter)
        .run(|| black_box(Err::<(), _>(5_u8)));
    black_box(done.is_ok());
    black_box((deadline.left(world.now()), deadline.is_past(world.now()), limiter.wait(&mut world)));
    let held = breaker.call(&world, noise, || black_box(Err::<(), _>(5_u8)));
    black_box(held.is_ok());
}

/// What is no matter of the span.
pub(super) fn fixed() {
    let seed = Seed::from_id(black_box(&[7; 12][..])).with_boot(black_box(1)).with_noise(black_box(&[3; 5][..]));
    // Not the generators made of these bytes: at opt-level z, slices within their `from_seed` keep checks that cannot fail.
    black_box((seed.with_purpose(black_box("uplink")).bytes::<16>(), seed.bytes::<32>()));
    let ticks = black_box(250);
    black_box((Rate::<32_768>::try_millis(ticks).is_ok(), Rate::<48_000_001>::micros_u64(ticks)));
    black_box(Scaled::<32_768, 1_000_000_000, _, Duration>::new(from_fn(|| black_box(5_u32))).now());
    black_box(Widen::<32, _, u64>::down(|| black_box(5)).now());
    delay(Millis::new(Hal), any::<u32>());
    delay(Micros::new(Hal), any::<u64>());
    delay(Millis::new(Hal), any::<Duration>());
    delay(Micros::new(Hal), any::<Duration>());
}

fn delay<W: Sleep<Span: Unit>>(mut world: W, span: W::Span) {
    world.sleep(span);
    black_box(world.now());
}

struct Hal;

impl DelayNs for Hal {
    fn delay_ns(&mut self, ns: u32) {
        black_box(ns);
    }
}
