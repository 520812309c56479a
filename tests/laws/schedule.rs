//! The law of the schedule (R1–R4): whatever the settings and the words, every nominal interval, band and wait is the one that wide whole
//! numbers and exact fractions give, and every wait lies in its band.

use core::convert::Infallible;
use core::time::Duration;

use relent::rng::TryRng;
use relent::{Constant, Decorrelated, Exponential, Factor, Fibonacci, Jitter, Linear, Policy, Retry, Span, Table};

use super::bytes::Bytes;

/// Panics if the law is broken, never otherwise.
pub(crate) fn law(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    match bytes.below(3) {
        0 => choose::<u32>(bytes),
        1 => choose::<u64>(bytes),
        _ => choose::<Duration>(bytes),
    }
}

/// Retries looked at; ×1.5 passes 2³² from 1 in fewer.
const STEPS: u64 = 64;

trait Unit: Span {
    const BITS: u32;
    /// `n` ticks; the largest of all where `n` is.
    fn of(n: u64) -> Self;
    fn ticks(self) -> u128;
    fn scaled(self, by: Factor) -> Self;
    fn worst_case(retry: &Retry<Exponential<Self>>) -> Option<Self>;
}

impl Unit for u32 {
    const BITS: u32 = 32;
    fn of(n: u64) -> Self {
        n as u32
    }
    fn ticks(self) -> u128 {
        self.into()
    }
    fn scaled(self, by: Factor) -> Self {
        by.of_u32(self)
    }
    fn worst_case(retry: &Retry<Exponential<Self>>) -> Option<Self> {
        Some(retry.worst_case_wait())
    }
}

impl Unit for u64 {
    const BITS: u32 = 64;
    fn of(n: u64) -> Self {
        n
    }
    fn ticks(self) -> u128 {
        self.into()
    }
    fn scaled(self, by: Factor) -> Self {
        by.of_u64(self)
    }
    fn worst_case(_: &Retry<Exponential<Self>>) -> Option<Self> {
        None
    }
}

impl Unit for Duration {
    const BITS: u32 = 64;
    fn of(n: u64) -> Self {
        if n == u64::MAX { Duration::MAX } else { Duration::from_nanos(n) }
    }
    fn ticks(self) -> u128 {
        self.as_nanos().min(u64::MAX.into())
    }
    fn scaled(self, by: Factor) -> Self {
        Duration::from_nanos(by.of_u64(self.ticks() as u64))
    }
    fn worst_case(retry: &Retry<Exponential<Self>>) -> Option<Self> {
        Some(retry.worst_case_wait())
    }
}

const fn ceiling<S: Unit>() -> u128 {
    (1 << S::BITS) - 1
}

type Ratio = (u32, u32);

fn ratio(bytes: &mut Bytes) -> Ratio {
    match bytes.below(3) {
        0 => (bytes.number() as u32, 10_u32.pow(bytes.below(10) as u32)),
        1 => (bytes.below(256) as u32, 1 + bytes.below(256) as u32),
        _ => (bytes.number() as u32, (bytes.number() as u32).max(1)),
    }
}

/// A decimal is also read as a float, which must give the same.
fn factor((p, q): Ratio) -> Factor {
    let factor = Factor::ratio(p, q).unwrap();
    if q.to_string().trim_end_matches('0') == "1" {
        assert_eq!(Factor::try_new(f64::from(p) / f64::from(q)), Ok(factor));
    }
    factor
}

/// `⌊n · p / q⌋` with the fraction rounded up to so many bits (R1a), saturating.
fn product<S: Unit>(n: u128, (p, q): Ratio) -> u128 {
    let (p, q) = (u128::from(p), u128::from(q));
    let fraction = ((p % q) << S::BITS).div_ceil(q);
    let product = n * (p / q) + ((n * fraction) >> S::BITS);
    let exact = n * p / q;
    assert!(product == exact || product == exact + 1 && n * q >= 1 << S::BITS);
    let product = product.min(ceiling::<S>());
    assert_eq!(S::of(n as u64).scaled(Factor::ratio(p as u32, q as u32).unwrap()).ticks(), product);
    product
}

#[derive(Clone, Copy)]
enum Width {
    None,
    Full,
    Equal,
    Spread(Ratio),
    Absolute(u128),
    Additive(u128),
}

#[derive(Clone)]
enum Rule {
    Exponential(u128, Ratio),
    Linear(u128, u128),
    Fibonacci(u128),
    Constant(u128),
    Table(Vec<u128>, bool),
    Decorrelated(u128, Ratio),
}

#[derive(Clone)]
struct Model {
    rule: Rule,
    max_interval: u128,
    max_delay: u128,
    width: Width,
    retries: u64,
    at_most: u128,
    at_least: u128,
}

impl Model {
    /// Before jitter, `n` retries after the last restart of growth and `used` in all.
    fn nominal<S: Unit>(&self, n: u64, used: u64) -> Option<u128> {
        let nominal = match &self.rule {
            Rule::Exponential(initial, by) => (0..n).fold((*initial).min(self.max_interval), |nominal, _| {
                let grown = if nominal == 0 || by.0 == by.1 { nominal } else { nominal + 1 };
                product::<S>(nominal, *by).max(grown).min(self.max_interval)
            }),
            Rule::Linear(initial, step) => initial + step * u128::from(n),
            Rule::Fibonacci(initial) => {
                let (_, f) = (0..n).fold((0_u128, 1_u128), |(a, b), _| (b, a + b));
                initial.saturating_mul(f)
            }
            Rule::Constant(interval) => *interval,
            Rule::Table(entries, repeats) => {
                let last = if *repeats { entries.last() } else { None };
                *entries.get(used as usize).or(last)?
            }
            Rule::Decorrelated(..) => return None,
        };
        Some(nominal.min(self.max_interval).min(self.max_delay).min(ceiling::<S>()))
    }

    /// The band; `last` is the wait drawn last.
    fn band<S: Unit>(&self, n: u64, used: u64, last: Option<u128>) -> Option<(u128, u128)> {
        if used >= self.retries {
            return None;
        }
        let (lo, hi) = if let Rule::Decorrelated(base, by) = self.rule {
            // A cap below the base does not make it creep down.
            let wait = last.unwrap_or(base).max(base);
            let at_least = if wait == 0 || by.0 == by.1 { wait } else { wait + 1 };
            (base, product::<S>(wait, by).max(at_least))
        } else {
            let n = self.nominal::<S>(n, used)?;
            match self.width {
                Width::None => (n, n),
                Width::Full => (0, n),
                Width::Equal => (n - n / 2, n),
                Width::Spread(f) => (n.saturating_sub(product::<S>(n, f)), n + product::<S>(n, f)),
                Width::Absolute(j) => (n.saturating_sub(j), n + j),
                Width::Additive(j) => (n, n + j),
            }
        };
        let clip = |end: u128| end.min(ceiling::<S>()).min(self.max_delay).min(self.at_most).max(self.at_least);
        Some((clip(lo), clip(hi)))
    }
}

fn choose<S: Unit>(mut bytes: Bytes) {
    let bytes = &mut bytes;
    let [initial, interval, delay, other] = [0; 4].map(|_| S::of(bytes.number()));
    let by = ratio(bytes);
    let (jitter, width) = match bytes.below(6) {
        0 => (Jitter::None, Width::None),
        1 => (Jitter::Full, Width::Full),
        2 => (Jitter::Equal, Width::Equal),
        3 => {
            let share = ratio(bytes);
            (Jitter::Spread(factor(share)), Width::Spread(share))
        }
        4 => (Jitter::Absolute(other), Width::Absolute(other.ticks())),
        _ => (Jitter::Additive(other), Width::Additive(other.ticks())),
    };
    let model = Model {
        rule: Rule::Constant(initial.ticks()),
        max_interval: interval.ticks(),
        max_delay: delay.ticks(),
        width,
        retries: u64::MAX,
        at_most: ceiling::<S>(),
        at_least: 0,
    };
    let start = initial.ticks();
    match bytes.below(6) {
        0 => {
            let policy = Exponential::new(initial).try_with_multiplier(factor(by));
            assert_eq!(policy.is_err(), by.0 < by.1);
            let Ok(policy) = policy else { return };
            let policy = policy.with_max_interval(interval).with_max_delay(delay).with_jitter(jitter);
            let model = Model { rule: Rule::Exponential(start, by), ..model };
            let retries = bytes.below(STEPS) as u32;
            if let Some(worst) = S::worst_case(&Retry::new(policy).with_max_retries(retries)) {
                let sum = (0..u64::from(retries)).filter_map(|n| model.band::<S>(n, n, None)).map(|(_, hi)| hi).sum();
                assert_eq!(worst.ticks(), ceiling::<S>().min(sum));
            }
            wrap::<S, _>(bytes, policy, model);
        }
        1 => {
            let policy = Linear::new(initial, other).with_max_interval(interval).with_max_delay(delay);
            let rule = Rule::Linear(start, other.ticks());
            wrap::<S, _>(bytes, policy.with_jitter(jitter), Model { rule, ..model });
        }
        2 => {
            let policy = Fibonacci::new(initial).with_max_interval(interval).with_max_delay(delay);
            wrap::<S, _>(bytes, policy.with_jitter(jitter), Model { rule: Rule::Fibonacci(start), ..model });
        }
        3 => {
            let policy = Constant::new(initial).with_max_delay(delay).with_jitter(jitter);
            wrap::<S, _>(bytes, policy, Model { max_interval: ceiling::<S>(), ..model });
        }
        4 => {
            let policy = Decorrelated::new(initial).try_with_multiplier(factor(by));
            assert_eq!(policy.is_err(), by.0 < by.1);
            let Ok(policy) = policy else { return };
            wrap::<S, _>(bytes, policy.with_max_delay(delay), Model { rule: Rule::Decorrelated(start, by), ..model });
        }
        _ => {
            let entries: Vec<S> = (0..bytes.below(6)).map(|_| S::of(bytes.number())).collect();
            let repeats = bytes.below(2) == 1;
            let rule = Rule::Table(entries.iter().map(|entry| entry.ticks()).collect(), repeats);
            let policy = Table::new(entries.as_slice()).with_max_delay(delay).with_jitter(jitter);
            let policy = if repeats { policy.repeat_last() } else { policy };
            wrap::<S, _>(bytes, policy, Model { rule, max_interval: ceiling::<S>(), ..model });
        }
    }
}

fn wrap<S: Unit, P: Policy<Span = S>>(bytes: &mut Bytes, policy: P, model: Model) {
    let limit = S::of(bytes.number());
    match bytes.below(4) {
        0 => run(bytes, &policy, &model),
        1 => {
            let retries = bytes.below(STEPS);
            run(bytes, &policy.max_retries(retries as u32), &Model { retries, ..model });
        }
        2 => run(bytes, &policy.at_most(limit), &Model { at_most: limit.ticks(), ..model }),
        _ => run(bytes, &policy.at_least(limit), &Model { at_least: limit.ticks(), ..model }),
    }
}

fn run<S: Unit, P: Policy<Span = S>>(bytes: &mut Bytes, policy: &P, model: &Model) {
    let mut state = policy.start();
    let (mut n, mut last) = (0, None);
    for used in 0..STEPS {
        let Some(op) = bytes.next() else { break };
        if op < 8 {
            policy.restart_growth(&mut state);
            (n, last) = (0, None);
        }
        let clip = |nominal: u128| nominal.min(model.at_most).max(model.at_least);
        let expected = model.band::<S>(n, used, last);
        if expected.is_some() {
            let nominal = model.nominal::<S>(n, used).map(clip);
            assert_eq!(policy.nominal(&state).map(S::ticks), nominal);
        }
        let band = policy.next(&mut state);
        assert_eq!(band.map(|band| (band.lo().ticks(), band.hi().ticks())), expected);
        let (Some(band), Some((lo, hi))) = (band, expected) else { break };

        let mut word = Word { word: if op & 1 == 0 { bytes.number() } else { u64::from(op) << 56 }, drawn: 0 };
        let delay = band.draw(&mut word);
        let w = u128::from(word.word) >> (64 - S::BITS);
        assert_eq!(delay.ticks(), lo + ((w * (hi - lo + 1)) >> S::BITS));
        assert!((lo..=hi).contains(&delay.ticks()));
        assert_eq!(word.drawn, u32::from(lo != hi));
        policy.drawn(&mut state, delay);
        (n, last) = (n + 1, Some(delay.ticks()));
    }
    if !matches!(model.rule, Rule::Decorrelated(..)) {
        plan(policy, model, bytes.below(STEPS));
    }
}

fn plan<S: Unit, P: Policy<Span = S>>(policy: &P, model: &Model, rows: u64) {
    let (mut best, mut worst) = (0, 0);
    for n in 0..rows {
        let row = policy.plan().nth(n as usize);
        let band = model.band::<S>(n, n, None);
        assert_eq!(row.map(|row| (row.band().lo().ticks(), row.band().hi().ticks())), band);
        let (Some(row), Some((lo, hi))) = (row, band) else { break };
        best = ceiling::<S>().min(best + lo);
        worst = ceiling::<S>().min(worst + hi);
        assert_eq!((row.best().ticks(), row.worst().ticks()), (best, worst));
        assert_eq!(row.mean().map(S::ticks), Some(u128::midpoint(best, worst)));
        assert_eq!(u64::from(row.retry()), n + 1);
    }
}

/// A generator of one word; 32 bits of it are the upper ones.
struct Word {
    word: u64,
    drawn: u32,
}

impl TryRng for Word {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.drawn += 1;
        Ok((self.word >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.drawn += 1;
        Ok(self.word)
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        unreachable!("a wait takes one word")
    }
}
