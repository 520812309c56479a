//! Proofs by trying every value, over spans of 8 and 16 bits that run the same generic code (R1–R4, R10).
//!
//! A debug build tries every value of 8 bits, and of the settings around them a good part; `cargo test --release exhaustive` tries all of them, and
//! 16 bits as far as a minute goes. Expected values are worked out here in wide signed numbers.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "the naive side counts in i64, and every value was checked to fit"
)]

use crate::attempts::{Next, Step};
use crate::band::Band;
use crate::clock::Instant;
use crate::factor::Factor;
use crate::jitter::Jitter;
use crate::policy::{Constant, Exponential, Policy};
use crate::retry::Retry;
use crate::rng;
use crate::verdict::Verdict;

/// A release build has the time to try everything.
const ALL: bool = !cfg!(debug_assertions);

fn hundredths(d: u32) -> Factor {
    Factor::ratio(d, 100).unwrap()
}

/// The numbers around which settings turn: both ends, both halves, and `n` itself.
fn edges(n: u8) -> Vec<u8> {
    if ALL {
        return (0..=u8::MAX).collect();
    }
    let mut edges = vec![0, 1, 2, n.saturating_sub(1), n, n.saturating_add(1), 127, 128, 254, 255];
    edges.sort_unstable();
    edges.dedup();
    edges
}

#[test]
fn every_two_decimal_factor_is_exact() {
    for d in 0..=if ALL { 100_000 } else { 2_000 } {
        let (factor, written) = (hundredths(d), Factor::new(f64::from(d) / 100.0));
        assert_eq!(factor, written, "{d}");
        for n in 0..=u8::MAX {
            let exact = u32::from(n) * d / 100;
            assert_eq!(factor.of_u32(u32::from(n)), exact, "{n} · {d}/100");
            assert_eq!(factor.of_u64(u64::from(n)), u64::from(exact), "{n} · {d}/100");
        }
    }
    if ALL {
        // Whole parts multiply as whole numbers do, so 0.00 to 2.99 stands for all of them.
        for d in 0..300 {
            let factor = hundredths(d);
            for n in 0..=u32::from(u16::MAX) {
                assert_eq!(factor.of_u32(n), n * d / 100, "{n} · {d}/100");
                assert_eq!(factor.of_u64(u64::from(n)), u64::from(n * d / 100), "{n} · {d}/100");
            }
        }
    }
}

/// The band of R2, in numbers that do not saturate by themselves.
fn naive_band(jitter: Jitter<u8>, n: u8, share: u32) -> (u8, u8) {
    let n = i64::from(n);
    let part = n * i64::from(share) / 100;
    let (lo, hi) = match jitter {
        Jitter::None => (n, n),
        Jitter::Full => (0, n),
        Jitter::Equal => (n - n / 2, n),
        Jitter::Spread(_) => (n - part, n + part),
        Jitter::Absolute(j) => (n - i64::from(j), n + i64::from(j)),
        Jitter::Additive(j) => (n, n + i64::from(j)),
    };
    (lo.clamp(0, 255) as u8, hi.clamp(0, 255) as u8)
}

/// Every jitter there is over 8 bits, with the share in hundredths behind a spread.
fn jitters() -> impl Iterator<Item = (Jitter<u8>, u32)> {
    let plain = [Jitter::None, Jitter::Full, Jitter::Equal].map(|jitter| (jitter, 0));
    let spreads = (0..=300).map(|d| (Jitter::Spread(hundredths(d)), d));
    let fixed = (0..=u8::MAX).flat_map(|j| [(Jitter::Absolute(j), 0), (Jitter::Additive(j), 0)]);
    plain.into_iter().chain(spreads).chain(fixed)
}

#[test]
fn every_jitter_gives_the_band_of_its_definition() {
    for (jitter, share) in jitters() {
        for n in 0..=u8::MAX {
            let (lo, hi) = naive_band(jitter, n, share);
            assert_eq!(jitter.band(n), Band::new(lo, hi), "{jitter:?} of {n}");
        }
    }
}

#[test]
fn every_band_is_clipped_to_every_limit() {
    for lo in 0..=u8::MAX {
        for hi in lo..=u8::MAX {
            let band = Band::new(lo, hi);
            for limit in edges(hi) {
                assert_eq!(band.at_most(limit), Band::new(lo.min(limit), hi.min(limit)));
                assert_eq!(band.at_least(limit), Band::new(lo.max(limit), hi.max(limit)));
            }
        }
    }
}

#[test]
fn every_tick_of_every_8_bit_band_is_drawn_evenly() {
    for lo in 0..=u8::MAX {
        for hi in lo..=u8::MAX {
            let band = Band::new(lo, hi);
            let ticks = usize::from(hi - lo) + 1;
            let mut hits = [0_usize; 256];
            for word in 0..=255_u32 {
                let wait = band.draw(&mut rng::from_fn(|| word << 24));
                assert!((lo..=hi).contains(&wait), "{wait} of {band:?}");
                hits[usize::from(wait)] += 1;
            }
            if ticks == 1 {
                continue;
            }
            let (least, most) = (256 / ticks, 256_usize.div_ceil(ticks));
            let hits = &hits[usize::from(lo)..=usize::from(hi)];
            assert!(hits.iter().all(|n| (least..=most).contains(n)), "{band:?}: {hits:?}");
        }
    }
}

#[test]
fn every_tick_of_every_16_bit_band_is_drawn() {
    // The words in order: if the waits begin at `lo`, end at `hi`, and never step by more than one, every tick is drawn, and none besides.
    let widths: Vec<u16> =
        if ALL { (1..=u16::MAX).collect() } else { vec![1, 2, 3, 255, 256, 1_000, 32_767, 32_768, 65_534, 65_535] };
    for width in widths {
        for lo in [0, u16::MAX - width] {
            let band = Band::new(lo, lo + width);
            let mut last = lo;
            for word in 0..=u32::from(u16::MAX) {
                let wait = band.draw(&mut rng::from_fn(|| word << 16));
                assert!(wait >= last && wait - last <= 1, "{band:?} at {word}");
                last = wait;
            }
            assert_eq!(last, band.hi());
            assert_eq!(band.draw(&mut rng::from_fn(|| 0)), lo);
        }
    }
}

/// R1, one step: floored, at least one tick more above ×1, and the cap.
fn naive_next(n: u8, d: u32, cap: u8) -> u8 {
    let grown = i64::from(n) * i64::from(d) / 100;
    let grown = if d > 100 && n > 0 { grown.max(i64::from(n) + 1) } else { grown };
    grown.min(i64::from(cap)) as u8
}

#[test]
fn every_8_bit_interval_takes_the_right_step() {
    for d in 100..=400 {
        let multiplier = hundredths(d);
        for initial in 0..=u8::MAX {
            for cap in edges(initial) {
                let policy = Exponential::new(initial).try_with_multiplier(multiplier).unwrap();
                let policy = policy.with_jitter(Jitter::None).with_max_interval(cap);
                let mut state = policy.start();
                let first = policy.next(&mut state).unwrap();
                let second = policy.next(&mut state).unwrap();
                let n = initial.min(cap);
                assert_eq!((first, second), (Band::exactly(n), Band::exactly(naive_next(n, d, cap))), "{policy:?}");
            }
        }
    }
}

#[test]
fn nominals_never_shrink_and_never_stall_below_the_cap() {
    for d in 100..=400 {
        for initial in 0..=u8::MAX {
            for cap in [u8::MAX, 200, 3] {
                let policy =
                    Exponential::new(initial).try_with_multiplier(hundredths(d)).unwrap().with_max_interval(cap);
                let mut expected = initial.min(cap);
                let mut rows = policy.plan();
                loop {
                    let row = rows.next().unwrap();
                    let (lo, hi) = naive_band(policy.jitter(), expected, 50);
                    assert_eq!((row.nominal(), row.band()), (Some(expected), Band::new(lo, hi)), "{policy:?}");
                    let next = naive_next(expected, d, cap);
                    if next == expected {
                        break;
                    }
                    assert!(next > expected && d > 100 && expected < cap);
                    expected = next;
                }
                // It stands still at 0, at ×1, or at the cap, and goes on like that.
                assert!(expected == 0 || d == 100 || expected == cap);
                assert_eq!(rows.nth(1_000).unwrap().nominal(), Some(expected));
            }
        }
    }
}

#[test]
fn every_16_bit_interval_grows_to_the_cap() {
    let step = if ALL { 1 } else { 997 };
    for d in [100, 101, 110, 120, 150, 160, 200, 250, 300, 1_000] {
        for initial in (0..=u16::MAX).step_by(step) {
            let policy =
                Exponential::new(initial).try_with_multiplier(hundredths(d)).unwrap().with_jitter(Jitter::None);
            let mut state = policy.start();
            let mut expected = i64::from(initial);
            for _ in 0..40 {
                assert_eq!(policy.next(&mut state), Some(Band::exactly(expected as u16)), "{policy:?}");
                let grown = expected * i64::from(d) / 100;
                let grown = if d > 100 && expected > 0 { grown.max(expected + 1) } else { grown };
                expected = grown.min(i64::from(u16::MAX));
            }
        }
    }
}

#[test]
fn a_moment_is_ahead_up_to_half_the_range() {
    for earlier in 0..=u8::MAX {
        for ahead in 0..=u8::MAX {
            let later = Instant::at(earlier).after(ahead);
            assert_eq!(later.since(Instant::at(earlier)), if ahead > 128 { 0 } else { ahead });
        }
    }
}

#[test]
fn every_wait_comes_due_on_time_on_a_counter_that_wraps() {
    // Told the time every `step` ticks, at most half the range: due at the first look at or after its end.
    for step in if ALL { (1..=128).collect() } else { vec![1, 2, 3, 50, 127, 128] } {
        for start in if ALL { (0..=u8::MAX).collect() } else { vec![0, 1, 127, 128, 200, 255] } {
            for wait in 0..=u8::MAX {
                let retry = Retry::new(Constant::new(wait));
                let mut run = retry.start(Instant::at(start));
                let Step::Attempt(attempt) = run.poll(Instant::at(start)) else { panic!("the first is due") };
                let next = run.fail(attempt, Instant::at(start), Verdict::Retry, &mut rng::from_fn(|| 0));
                assert_eq!(next, Next::Wait(wait));
                let mut passed = 0_u32;
                loop {
                    match run.poll(Instant::at(start.wrapping_add(passed as u8))) {
                        Step::Wait(left) => assert_eq!(u32::from(left), u32::from(wait) - passed),
                        Step::Attempt(_) => break,
                        other => panic!("{other:?}"),
                    }
                    passed += step;
                }
                assert!(passed >= u32::from(wait) && passed < u32::from(wait) + step);
                assert_eq!(u32::from(run.elapsed()), passed.min(255), "saturates");
            }
        }
    }
}
