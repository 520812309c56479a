//! The law of the breaker: whatever is asked, reported, lost or late, on a counter that wraps and steps back,
//! it does what a naive model does that keeps absolute times and all outcomes.

use std::cell::RefCell;
use std::fmt::Debug;

use relent::guard::breaker::{
    Breaker, BreakerSettings, Consecutive, LastOutcomes, LastSpan, Outcome, Permit, State, Threshold, Transition,
    Window,
};
use relent::{Factor, Instant, Jitter, Span, rng};

use super::bytes::Bytes;

/// Panics if the law is broken, never otherwise.
pub(crate) fn law(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let wide = bytes.below(2) == 1;
    if wide { choose(bytes, |n| n) } else { choose(bytes, |n| n as u32) }
}

fn choose<S: Span + Eq + Debug>(mut bytes: Bytes, span: impl Fn(u64) -> S + Copy) {
    let limit = 1 + bytes.below(5) as u32;
    let volume = bytes.below(8) as u32;
    let (threshold, bar) = match bytes.below(2) {
        0 => (Threshold::failures(limit), Bar { failures: limit, of_five: 0, volume }),
        _ => (Threshold::rate(limit, 5), Bar { failures: 1, of_five: limit, volume }),
    };
    let threshold = threshold.with_min_volume(volume);
    match bytes.below(3) {
        0 => run(bytes, span, Consecutive::new(limit), &Rule::Row(limit)),
        1 => {
            let length = 1 + bytes.below(40);
            run(bytes, span, LastOutcomes::<2>::new(length as u32, threshold), &Rule::Last(length as usize, bar));
        }
        _ => {
            let bucket = bytes.below(6);
            run(bytes, span, LastSpan::<S, 4>::new(span(bucket), threshold), &Rule::Within(4, bucket, bar));
        }
    }
}

enum Rule {
    Row(u32),
    Last(usize, Bar),
    Within(u64, u64, Bar),
}

struct Bar {
    failures: u32,
    of_five: u32,
    volume: u32,
}

impl Rule {
    /// Whether the failure that `outcomes` ends with trips.
    fn trips(&self, outcomes: &[(u64, bool)], now: u64, start: u64) -> bool {
        let (bar, counted): (_, Vec<bool>) = match self {
            Rule::Row(n) => return outcomes.iter().rev().take_while(|o| o.1).count() >= *n as usize,
            Rule::Last(n, bar) => (bar, outcomes.iter().rev().take(*n).map(|o| o.1).collect()),
            // Buckets of no length hold only what happened without any call between.
            Rule::Within(_, 0, bar) => (bar, vec![true]),
            Rule::Within(buckets, length, bar) => {
                let bucket = |t: u64| (t - start) / *length;
                let recent = outcomes.iter().filter(|o| bucket(now) - bucket(o.0) < *buckets);
                (bar, recent.map(|o| o.1).collect())
            }
        };
        let failures = counted.iter().filter(|failed| **failed).count() as u32;
        let all = counted.len() as u32;
        failures >= bar.failures && all >= bar.volume && failures * 5 >= bar.of_five * all
    }
}

enum Phase {
    Closed { outcomes: Vec<(u64, bool)> },
    Open { since: u64, drawn: u64 },
    HalfOpen { trials: Vec<(usize, u64)>, successes: u32 },
}

#[allow(clippy::too_many_lines, reason = "one script, one loop")]
fn run<S: Span + Eq + Debug, W: Window<S>>(mut bytes: Bytes, span: impl Fn(u64) -> S + Copy, window: W, rule: &Rule) {
    let (first, most) = (bytes.below(30), bytes.below(90));
    let growth = [(1, 1), (2, 1), (3, 2)][bytes.below(3) as usize];
    let spread = [(0, 1), (1, 2)][bytes.below(2) as usize];
    let permits = 1 + bytes.below(8) as u8;
    let successes = 1 + bytes.below(3) as u32;
    let mut settings = BreakerSettings::new(span(first))
        .with_max_cooldown(span(most))
        .try_with_growth(Factor::ratio(growth.0, growth.1).unwrap())
        .unwrap()
        .with_jitter(Jitter::Spread(Factor::ratio(spread.0, spread.1).unwrap()))
        .with_permits(permits)
        .with_successes(successes);
    let reclaim = bytes.below(4);
    let after = bytes.below(50);
    match reclaim {
        0 => settings = settings.with_reclaim_after(span(after)),
        1 => settings = settings.without_reclaim(),
        _ => {}
    }

    let seen = RefCell::new(Vec::new());
    let mut breaker = Breaker::new(settings, window).with_observer(|t: Transition<S>| seen.borrow_mut().push(t));
    let origin = if bytes.below(2) == 0 { 0xFFFF_FFF0 } else { 0 };
    let (mut raw, mut now) = (1000_u64, 1000_u64);
    let mut start = None;
    let mut phase = Phase::Closed { outcomes: Vec::new() };
    let mut cooldown = 0_u64;
    let mut held: Vec<(Permit, usize)> = Vec::new();
    // Permits of this phase, by number; an older one is stale.
    let (mut issued, mut current_from) = (0_usize, 0_usize);
    let mut word = 1_u32;

    while let Some(op) = bytes.next() {
        let at = |t: u64| Instant::at(span(origin + t));
        if op & 7 < 3 {
            let step = match op >> 3 {
                31 => 1 << 30,
                30 => 97,
                small => u64::from(small),
            };
            // Half the range of a u32 is how far it can be told.
            raw = (raw + step).min(now + (1 << 31));
            continue;
        }
        if op & 7 == 3 {
            raw = raw.saturating_sub(u64::from(op >> 3)).max(1);
            continue;
        }
        // What is only looked at.
        let looked = if start.is_some() { now.max(raw) } else { raw };
        let (state, remaining) = match &phase {
            Phase::Closed { .. } => (State::Closed, 0),
            Phase::Open { since, drawn } if looked - since < *drawn => (State::Open, drawn - (looked - since)),
            Phase::Open { .. } | Phase::HalfOpen { .. } => (State::HalfOpen, 0),
        };
        assert_eq!(breaker.state(at(raw)), state);
        assert_eq!(breaker.remaining(at(raw)), span(remaining));

        let lifetime = match reclaim {
            0 => after.max(1),
            1 => u64::MAX,
            _ => cooldown.max(1),
        };
        let report = op & 7 >= 6;
        if report && held.is_empty() {
            continue;
        }
        if report && op >> 6 == 3 {
            // Lost.
            let _ = held.swap_remove(usize::from(op >> 3) % held.len());
            continue;
        }
        if !(report && op >> 6 == 2) {
            // An ignored outcome is told without a time.
            now = looked;
            start.get_or_insert(now);
            if let Phase::HalfOpen { trials, .. } = &mut phase {
                trials.retain(|t| now - t.1 < lifetime);
            }
        }
        if !report {
            let admitted = breaker.admit(at(raw));
            let mut expected = None;
            if state == State::HalfOpen && matches!(phase, Phase::Open { .. }) {
                phase = Phase::HalfOpen { trials: Vec::new(), successes: 0 };
                current_from = issued;
                expected = Some(Transition::HalfOpened);
            }
            let allowed = match &mut phase {
                Phase::Closed { .. } => true,
                Phase::Open { .. } => false,
                Phase::HalfOpen { trials, .. } => {
                    let free = trials.len() < usize::from(permits);
                    if free {
                        trials.push((issued, now));
                    }
                    free
                }
            };
            assert_eq!(seen.borrow_mut().pop(), expected);
            match admitted {
                Ok(permit) => {
                    assert!(allowed);
                    held.push((permit, issued));
                    issued += 1;
                }
                Err(refused) => {
                    assert!(!allowed);
                    assert_eq!((refused.state(), refused.remaining()), (state, span(remaining)));
                }
            }
            let Phase::HalfOpen { trials, .. } = &phase else { continue };
            assert_eq!(breaker.trials_out(), trials.len());
            assert!(trials.len() <= usize::from(permits));
            continue;
        }

        let (permit, number) = held.swap_remove(usize::from(op >> 3) % held.len());
        let outcome = [Outcome::Success, Outcome::Failure, Outcome::Ignored][usize::from(op >> 6)];
        word = word.wrapping_mul(0x9E37_79B1).wrapping_add(1);
        breaker.record(permit, outcome, at(raw), &mut rng::from_fn(|| word));
        let awaited = number >= current_from;
        let mut closes = false;
        let mut opens = None;
        match &mut phase {
            Phase::Closed { outcomes } if awaited => match outcome {
                Outcome::Success => outcomes.push((now, false)),
                Outcome::Failure => {
                    outcomes.push((now, true));
                    if rule.trips(outcomes, now, start.unwrap_or(now)) {
                        opens = Some(first.min(most));
                    }
                }
                Outcome::Ignored => {}
            },
            Phase::HalfOpen { trials, successes: done } => {
                if let Some(place) = trials.iter().position(|t| t.0 == number) {
                    trials.swap_remove(place);
                    match outcome {
                        Outcome::Success => {
                            *done += 1;
                            closes = *done == successes;
                        }
                        Outcome::Failure => opens = Some(grow(cooldown, growth, most)),
                        Outcome::Ignored => {}
                    }
                }
            }
            _ => {}
        }
        let told = seen.borrow_mut().pop();
        assert!(seen.borrow().is_empty());
        if let Some(nominal) = opens {
            let width = nominal * u64::from(spread.0) / u64::from(spread.1);
            let drawn = (nominal - width..=nominal + width).find(|d| told == Some(Transition::Opened(span(*d))));
            cooldown = nominal;
            phase = Phase::Open { since: now, drawn: drawn.expect("opened for a time in the band") };
            current_from = issued;
        } else if closes {
            assert_eq!(told, Some(Transition::Closed));
            phase = Phase::Closed { outcomes: Vec::new() };
            start = Some(now);
            current_from = issued;
        } else {
            assert_eq!(told, None);
        }
    }
}

fn grow(cooldown: u64, (n, d): (u32, u32), most: u64) -> u64 {
    if n == d || cooldown == 0 {
        return cooldown;
    }
    (cooldown * u64::from(n) / u64::from(d)).max(cooldown + 1).min(most)
}
