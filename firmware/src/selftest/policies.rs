//! Every policy with every jitter.

use core::fmt::{self, Write};

use relent::{
    Constant, Decorrelated, DrawOnce, Exponential, Factor, Fibonacci, Jitter, Linear, Never, Policy, Recursive, Slots,
    Table, Zero,
};

use super::schedule;
use crate::unit::Unit;

/// One line per policy and jitter.
pub(super) fn all<S: Unit>(out: &mut impl Write) -> fmt::Result {
    let jitters = [
        ("none", Jitter::None),
        ("full", Jitter::Full),
        ("equal", Jitter::Equal),
        ("spread", Jitter::spread(0.5)),
        ("narrow", Jitter::spread(0.2)),
        ("absolute", Jitter::Absolute(S::of(30))),
        ("additive", Jitter::Additive(S::of(30))),
    ];
    for (name, jitter) in jitters {
        let growing = Exponential::new(S::of(100)).with_jitter(jitter);
        schedule(out, "exponential", name, &growing)?;
        schedule(out, "exponential-capped", name, &growing.with_max_interval(S::of(5_000)))?;
        schedule(out, "exponential-clipped", name, &growing.with_max_delay(S::of(5_000)))?;
        schedule(out, "exponential-double", name, &growing.with_multiplier(2.0).with_max_interval(S::of(64_000)))?;
        schedule(out, "constant", name, &Constant::new(S::of(100)).with_jitter(jitter))?;
        schedule(
            out,
            "linear",
            name,
            &Linear::new(S::of(100), S::of(37)).with_max_interval(S::of(5_000)).with_jitter(jitter),
        )?;
        schedule(
            out,
            "fibonacci",
            name,
            &Fibonacci::new(S::of(10)).with_max_interval(S::of(5_000)).with_jitter(jitter),
        )?;
        schedule(out, "table", name, &Table::new([S::of(200), S::of(1_000), S::of(4_000)]).with_jitter(jitter))?;
    }
    slow::<S>(out)?;
    schedule(out, "decorrelated", "own", &Decorrelated::new(S::of(100)).with_max_delay(S::of(20_000)))?;
    schedule(out, "draw-once", "own", &DrawOnce::new(S::of(2_000), S::of(3_000)).with_max_delay(S::of(60_000)))?;
    schedule(out, "recursive", "own", &Recursive::new(S::of(1_000)).with_max_interval(S::of(120_000)))?;
    schedule(out, "recursive-never-early", "own", &Recursive::new(S::of(1_000)).with_first_never_early())?;
    schedule(out, "slots", "own", &Slots::new(S::of(320), 3, 5))?;
    schedule(out, "zero", "none", &Zero::<S>::new())?;
    schedule(out, "never", "none", &Never::<S>::new())?;
    schedule(out, "array", "none", &[S::of(1), S::of(2), S::of(3)])?;
    combined::<S>(out)
}

/// Growth of so little that rounding down would stop it: every step is at least one tick.
fn slow<S: Unit>(out: &mut impl Write) -> fmt::Result {
    let Ok(policy) =
        Factor::ratio(1_000_001, 1_000_000).and_then(|f| Exponential::new(S::of(3)).try_with_multiplier(f))
    else {
        return writeln!(out, "exponential-slow refused");
    };
    schedule(out, "exponential-slow", "spread", &policy)
}

fn combined<S: Unit>(out: &mut impl Write) -> fmt::Result {
    let base = Exponential::new(S::of(100));
    schedule(out, "max-retries", "spread", &base.max_retries(7))?;
    schedule(out, "at-most", "spread", &base.at_most(S::of(700)))?;
    schedule(out, "at-least", "spread", &base.at_least(S::of(120)).max_retries(20))?;
    schedule(out, "then", "spread", &Constant::new(S::of(10)).max_retries(3).then(base.with_max_interval(S::of(900))))
}
