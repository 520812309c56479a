//! Between the model of the machine and the crate: settings, verdicts and answers of one in the terms of the other.

use std::cell::Cell;

use proptest::option;
use proptest::prelude::*;
use relent::policy::MaxRetries;
use relent::{Exponential, Factor, Instant, Jitter, Next, Policy, Reason, Retry, Verdict, rng};

use super::machine::{Answer, Plain, Said, Why};
use super::{Ticked, spans};

pub(crate) fn of<S: Ticked>(ticks: i128) -> S {
    S::of(u64::try_from(ticks).unwrap())
}

pub(crate) fn ticks<S: Ticked>(span: S) -> i128 {
    i128::from(span.ticks())
}

pub(crate) fn at<S: Ticked>(now: i128) -> Instant<S> {
    Instant::at(of(now.rem_euclid(i128::from(S::ceiling()) + 1)))
}

/// The crate's settings for the model's.
pub(crate) fn retry<S: Ticked>(plain: &Plain) -> Retry<MaxRetries<Exponential<S>>> {
    limited(exponential(plain).max_retries(plain.retries.unwrap_or(u32::MAX)), plain)
}

pub(crate) fn exponential<S: Ticked>(plain: &Plain) -> Exponential<S> {
    let ratio = |quarters: i128| Factor::ratio(u32::try_from(quarters).unwrap(), 4).unwrap();
    let policy = Exponential::new(of(plain.initial)).try_with_multiplier(ratio(plain.quarters)).unwrap();
    let policy = policy.with_max_interval(of(plain.max_interval)).with_max_delay(of(plain.max_delay));
    policy.with_jitter(Jitter::Spread(ratio(plain.spread_quarters)))
}

pub(crate) fn limited<P: Policy<Span: Ticked>>(policy: P, plain: &Plain) -> Retry<P> {
    let mut retry = Retry::new(policy);
    if let Some(n) = plain.max_attempts {
        retry = retry.with_max_attempts(n);
    }
    if let Some(limit) = plain.max_elapsed {
        retry = retry.with_max_elapsed(of(limit));
    }
    if let Some(limit) = plain.max_hint {
        retry = retry.with_max_hint(of(limit));
    }
    if let Some(spread) = plain.hint_spread {
        retry = retry.with_hint_spread(of(spread));
    }
    if let Some(timeout) = plain.attempt_timeout {
        retry = retry.with_attempt_timeout(of(timeout));
    }
    if plain.clamp_hints {
        retry = retry.with_hints_clamped();
    }
    if plain.from_first_failure {
        retry = retry.with_max_elapsed_from_first_failure();
    }
    if plain.from_attempt_start {
        retry = retry.with_delays_from_attempt_start();
    }
    retry
}

pub(crate) fn plain_settings<S: Ticked>() -> impl Strategy<Value = Plain> {
    let span = || spans::<S>().prop_map(i128::from);
    let policy = (span(), 4..=12_i128, span(), span(), 0..=8_i128, option::weighted(0.3, 0..12_u32));
    let limits = (
        option::weighted(0.5, 1..12_u32),
        option::weighted(0.6, span()),
        option::weighted(0.3, span()),
        option::weighted(0.3, span()),
        option::weighted(0.5, span()),
    );
    (policy, limits, any::<[bool; 3]>()).prop_map(|(p, l, [clamp_hints, first, start])| Plain {
        ceiling: i128::from(S::ceiling()),
        initial: p.0,
        quarters: p.1,
        max_interval: p.2,
        max_delay: p.3,
        spread_quarters: p.4,
        retries: p.5,
        max_attempts: l.0,
        max_elapsed: l.1,
        max_hint: l.2,
        hint_spread: l.3,
        attempt_timeout: l.4,
        clamp_hints,
        from_first_failure: first,
        from_attempt_start: start,
    })
}

pub(crate) fn verdicts<S: Ticked>() -> impl Strategy<Value = Said> {
    prop_oneof![
        12 => Just(Said::Retry),
        3 => spans::<S>().prop_map(|n| Said::NotBefore(i128::from(n))),
        3 => spans::<S>().prop_map(|n| Said::RetryAfter(i128::from(n))),
        1 => Just(Said::Permanent),
    ]
}

pub(crate) fn verdict<S: Ticked>(said: Said) -> Verdict<S> {
    match said {
        Said::Retry => Verdict::Retry,
        Said::NotBefore(n) => Verdict::NotBefore(of(n)),
        Said::RetryAfter(n) => Verdict::RetryAfter(of(n)),
        Said::Permanent => Verdict::Permanent,
    }
}

pub(crate) fn why<S: Ticked>(reason: Reason<S>) -> Why {
    match reason {
        Reason::Permanent => Why::Permanent,
        Reason::Attempts => Why::Attempts,
        Reason::PolicyEnded => Why::PolicyEnded,
        Reason::TimeLimit { limit, delay } => Why::TimeLimit { limit: ticks(limit), delay: ticks(delay) },
        Reason::HintTooLong { asked, left } => Why::HintTooLong { asked: ticks(asked), left: ticks(left) },
        other => panic!("{other:?} without a context"),
    }
}

pub(crate) fn answer<S: Ticked>(next: Next<S>) -> Answer {
    match next {
        Next::Wait(delay) => Answer::Wait(ticks(delay)),
        Next::GiveUp(reason) => Answer::GiveUp(why(reason)),
        Next::Stale => Answer::Stale,
    }
}

/// A generator over the same words as the model's, as halves for 32 bits; counts them.
pub(crate) fn words<'a, S: Ticked>(words: &'a [u64], drawn: &'a Cell<usize>) -> impl rng::Rng + 'a {
    // A 64-bit word is asked for as two halves, the lower first.
    let lower_is_next = Cell::new(true);
    rng::from_fn(move || {
        let word = words[drawn.get() % words.len()];
        let lower = S::BITS == 64 && lower_is_next.replace(!lower_is_next.get());
        if !lower {
            drawn.set(drawn.get() + 1);
        }
        u32::try_from(if lower { word & 0xFFFF_FFFF } else { word >> 32 }).unwrap()
    })
}
