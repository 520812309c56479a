//! The arithmetic against an exact model (R1–R4), for `u32`, `u64` and `Duration`.

#![allow(clippy::needless_pass_by_value, reason = "proptest hands over what it made")]

mod model;

use std::time::Duration;

use model::{Decimal, Kind, Ticked, clamp, decimals, draw, kinds, spans};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use relent::testing::Script;
use relent::{Band, Constant, Decorrelated, Exponential, Factor, Fibonacci, Linear, PlanRow, Policy, Retry, Table};

/// A failure is printed, and becomes a case of its own here; nothing is kept in a file.
fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

/// Runs a law over all three spans.
macro_rules! for_every_span {
    ($law:ident($($arg:ident in $strategy:expr),* $(,)?) where $S:ident) => {
        mod $law {
            use super::*;
            for_every_span!(@ $law, u32_ticks, u32, $S, $($arg in $strategy),*);
            for_every_span!(@ $law, u64_ticks, u64, $S, $($arg in $strategy),*);
            for_every_span!(@ $law, durations, Duration, $S, $($arg in $strategy),*);
        }
    };
    (@ $law:ident, $name:ident, $span:ty, $S:ident, $($arg:ident in $strategy:expr),*) => {
        #[test]
        fn $name() {
            type $S = $span;
            proptest!(config(), |($($arg in $strategy),*)| super::$law::<$S>($($arg),*)?);
        }
    };
}

fn ends<S: Ticked>(band: Band<S>) -> (u64, u64) {
    (band.lo().ticks(), band.hi().ticks())
}

fn rows<P: Policy<Span: Ticked>>(policy: P, n: usize) -> Vec<PlanRow<P::Span>> {
    policy.plan().take(n).collect()
}

/// The nominal intervals and the bands of a policy are the model's.
fn matches<P: Policy<Span: Ticked>>(policy: P, model: &[(u64, Vec<(u64, u64)>)]) -> TestCaseResult {
    for (row, (nominal, bands)) in rows(policy, model.len()).iter().zip(model) {
        prop_assert_eq!(row.nominal().map(Ticked::ticks), Some(*nominal));
        prop_assert!(bands.contains(&ends(row.band())), "{:?}: {:?}", row, bands);
    }
    Ok(())
}

fn factors<S: Ticked>(factor: Decimal, n: u64) -> TestCaseResult {
    let product = if S::BITS == 32 { u64::from(factor.factor().of_u32(u32::of(n))) } else { factor.factor().of_u64(n) };
    prop_assert!(factor.products::<S>(n).contains(&product), "{product}: {:?}", factor.products::<S>(n));
    Ok(())
}
for_every_span!(factors(factor in decimals(0, 90_000), n in spans::<S>()) where S);

fn ratios<S: Ticked>(numerator: u64, denominator: u64, n: u64) -> TestCaseResult {
    let factor = Factor::ratio(u32::of(numerator), u32::of(denominator.max(1))).unwrap();
    let exact = u128::from(n) * u128::from(numerator) / u128::from(denominator.max(1));
    let product = if S::BITS == 32 { u64::from(factor.of_u32(u32::of(n))) } else { factor.of_u64(n) };
    let is_exact = u128::from(n) * u128::from(denominator) < 1 << S::BITS;
    prop_assert!(product == clamp::<S>(exact) || (!is_exact && product == clamp::<S>(exact + 1)), "{product}: {exact}");
    Ok(())
}
for_every_span!(ratios(a in spans::<u32>(), b in spans::<u32>(), n in spans::<S>()) where S);

fn bands<S: Ticked>(kind: Kind, n: u64) -> TestCaseResult {
    let band = ends(kind.jitter::<S>().band(S::of(n)));
    let expected = kind.bands::<S>(n, S::ceiling());
    prop_assert!(expected.contains(&band), "{band:?}: {expected:?}");
    Ok(())
}
for_every_span!(bands(kind in kinds::<S>(), n in spans::<S>()) where S);

fn clipping<S: Ticked>(lo: u64, hi: u64, limit: u64) -> TestCaseResult {
    let band = Band::new(S::of(lo), S::of(hi));
    let (lo, hi) = (lo.min(hi), hi);
    prop_assert_eq!(ends(band), (lo, hi));
    prop_assert_eq!(ends(band.at_most(S::of(limit))), (lo.min(limit), hi.min(limit)));
    prop_assert_eq!(ends(band.at_least(S::of(limit))), (lo.max(limit), hi.max(limit)));
    Ok(())
}
for_every_span!(clipping(lo in spans::<S>(), hi in spans::<S>(), limit in spans::<S>()) where S);

fn draws<S: Ticked>(lo: u64, hi: u64, word: u64) -> TestCaseResult {
    let band = Band::new(S::of(lo), S::of(hi));
    let mut script = Script::new([word]);
    let wait = band.draw(&mut script).ticks();
    prop_assert_eq!(wait, draw::<S>((lo.min(hi), hi), word));
    prop_assert!((lo.min(hi)..=hi).contains(&wait));
    prop_assert_eq!(script.drawn(), usize::from(lo < hi), "one word, and none where there is nothing to choose");
    // The ends of the generator are the ends of the band.
    prop_assert_eq!(band.draw(&mut Script::new([0])).ticks(), lo.min(hi));
    prop_assert_eq!(band.draw(&mut Script::new([u64::MAX])).ticks(), hi);
    Ok(())
}
for_every_span!(draws(lo in spans::<S>(), hi in spans::<S>(), word in any::<u64>()) where S);

fn exponential<S: Ticked>(initial: u64, by: Decimal, cap: u64, max_delay: u64, kind: Kind) -> TestCaseResult {
    let policy = Exponential::new(S::of(initial)).try_with_multiplier(by.factor()).unwrap();
    let policy = policy.with_max_interval(S::of(cap)).with_max_delay(S::of(max_delay)).with_jitter(kind.jitter());
    let cap = cap.min(max_delay);
    let mut allowed = vec![initial.min(cap)];
    for row in rows(policy, 60) {
        let n = row.nominal().unwrap().ticks();
        prop_assert!(allowed.contains(&n), "{n}: {allowed:?}");
        let bands = kind.bands::<S>(n, max_delay);
        prop_assert!(bands.contains(&ends(row.band())), "{:?}: {:?}", row, bands);
        let grown = by.products::<S>(n).into_iter();
        allowed = grown
            .map(|m| if by.is_above_one() && n > 0 { m.max(clamp::<S>(u128::from(n) + 1)) } else { m }.min(cap))
            .collect();
    }
    Ok(())
}
for_every_span!(exponential(
    initial in spans::<S>(), by in decimals(1, 5), cap in spans::<S>(), max_delay in spans::<S>(), kind in kinds::<S>(),
) where S);

fn linear_and_constant<S: Ticked>(initial: u64, step: u64, cap: u64, max_delay: u64, kind: Kind) -> TestCaseResult {
    let row = |n: u64| (n, kind.bands::<S>(n, max_delay));
    let policy = Linear::new(S::of(initial), S::of(step)).with_jitter(kind.jitter());
    let nominal = |n: u128| clamp::<S>(u128::from(initial) + u128::from(step) * n).min(cap).min(max_delay);
    let model: Vec<_> = (0..40).map(|n| row(nominal(n))).collect();
    matches(policy.with_max_interval(S::of(cap)).with_max_delay(S::of(max_delay)), &model)?;

    let policy = Constant::new(S::of(initial)).with_max_delay(S::of(max_delay)).with_jitter(kind.jitter());
    matches(policy, &vec![row(initial.min(max_delay)); 5])
}
for_every_span!(linear_and_constant(
    initial in spans::<S>(), step in spans::<S>(), cap in spans::<S>(), max_delay in spans::<S>(), kind in kinds::<S>(),
) where S);

fn fibonacci<S: Ticked>(initial: u64, cap: u64, max_delay: u64, kind: Kind) -> TestCaseResult {
    let policy = Fibonacci::new(S::of(initial)).with_jitter(kind.jitter());
    let policy = policy.with_max_interval(S::of(cap)).with_max_delay(S::of(max_delay));
    let (mut f, mut g) = (1_u128, 1_u128);
    let mut model = Vec::new();
    for _ in 0..100 {
        let n = clamp::<S>(u128::from(initial).saturating_mul(f)).min(cap).min(max_delay);
        model.push((n, kind.bands::<S>(n, max_delay)));
        (f, g) = (g, f + g);
    }
    matches(policy, &model)
}
for_every_span!(fibonacci(
    initial in spans::<S>(), cap in spans::<S>(), max_delay in spans::<S>(), kind in kinds::<S>(),
) where S);

fn table<S: Ticked>(entries: Vec<u64>, max_delay: u64, kind: Kind) -> TestCaseResult {
    let spans: Vec<S> = entries.iter().map(|&n| S::of(n)).collect();
    let mut model: Vec<_> =
        entries.iter().map(|&n| n.min(max_delay)).map(|n| (n, kind.bands::<S>(n, max_delay))).collect();
    let policy = Table::new(spans.as_slice()).with_max_delay(S::of(max_delay)).with_jitter(kind.jitter());
    prop_assert_eq!(policy.plan().count(), entries.len());
    matches(policy, &model)?;
    let bare: Vec<_> = entries.iter().map(|&n| (n, vec![(n, n)])).collect();
    prop_assert_eq!(spans.as_slice().plan().count(), entries.len());
    matches(spans.as_slice(), &bare)?;

    model.extend(model.last().cloned().map(|last| vec![last; 5]).unwrap_or_default());
    prop_assert_eq!(policy.repeat_last().plan().take(model.len() + 1).count() > model.len(), !entries.is_empty());
    matches(policy.repeat_last(), &model)
}
for_every_span!(table(entries in vec(spans::<S>(), 0..6), max_delay in spans::<S>(), kind in kinds::<S>()) where S);

fn decorrelated<S: Ticked>(base: u64, by: Decimal, max_delay: u64, words: [u64; 20]) -> TestCaseResult {
    let policy =
        Decorrelated::new(S::of(base)).try_with_multiplier(by.factor()).unwrap().with_max_delay(S::of(max_delay));
    // Above ×1 the upper end is always beyond the last wait, until the cap.
    let ends_after = |last: u64| -> Vec<_> {
        let stays = last == 0 || !by.is_above_one();
        let least = if stays { last } else { last.saturating_add(1) };
        by.products::<S>(last).into_iter().map(|hi| hi.max(least).min(max_delay)).collect()
    };
    let mut state = policy.start();
    let mut last = base;
    for word in words {
        let band = policy.next(&mut state).unwrap();
        let allowed: Vec<_> = ends_after(last).into_iter().map(|hi| (base.min(hi), hi)).collect();
        prop_assert!(allowed.contains(&ends(band)), "{band:?}: {allowed:?}");
        let wait = band.draw(&mut Script::new([word]));
        policy.drawn(&mut state, wait);
        last = wait.ticks().max(base);
    }
    // The plan: always the shortest, always the longest.
    let mut longest = base;
    for row in rows(policy, 30) {
        prop_assert_eq!(row.band().lo().ticks(), base.min(max_delay));
        let allowed = ends_after(longest);
        longest = row.band().hi().ticks();
        prop_assert!(allowed.contains(&longest), "{longest}: {allowed:?}");
        longest = longest.max(base);
    }
    Ok(())
}
for_every_span!(decorrelated(
    base in spans::<S>(), by in decimals(1, 5), max_delay in spans::<S>(), words in any::<[u64; 20]>(),
) where S);

type Bands = Vec<(u64, u64)>;

fn each(bands: &Bands, f: impl Fn(u64) -> u64) -> Bands {
    bands.iter().map(|&(lo, hi)| (f(lo), f(hi))).collect()
}

fn combinators<S: Ticked>(first: Vec<u64>, second: Vec<u64>, limit: u64, count: u32, word: u64) -> TestCaseResult {
    // Full jitter, so that a clipped band can be told from a clipped draw.
    let policy = |entries: &[u64]| {
        Table::new(entries.iter().map(|&n| S::of(n)).collect::<Vec<_>>()).with_jitter(relent::Jitter::Full)
    };
    let model = |entries: &[u64]| entries.iter().map(|&n| (0, n)).collect::<Bands>();
    let (p, then) = (policy(&first), policy(&second));
    let (bands, after) = (model(&first), model(&second));
    let check = |policy: &dyn Fn() -> Vec<PlanRow<S>>, model: &Bands| -> TestCaseResult {
        prop_assert_eq!(policy().iter().map(|row| ends(row.band())).collect::<Bands>(), model.clone());
        Ok(())
    };
    let n = 20;
    check(&|| rows((&p).at_most(S::of(limit)), n), &each(&bands, |end| end.min(limit)))?;
    check(&|| rows((&p).at_least(S::of(limit)), n), &each(&bands, |end| end.max(limit)))?;
    let counted: Bands = bands.iter().copied().take(count as usize).collect();
    check(&|| rows((&p).max_retries(count), n), &counted)?;
    let joined: Bands = bands.iter().chain(&after).copied().collect();
    check(&|| rows((&p).then(&then), n), &joined)?;
    let nested: Bands = each(&counted, |end| end.min(limit)).into_iter().chain(after).collect();
    check(&|| rows((&p).at_most(S::of(limit)).max_retries(count).then(&then), n), &nested)?;

    let waits: Vec<u64> = (&p)
        .at_most(S::of(limit))
        .max_retries(count)
        .then(&then)
        .delays(Script::new([word]))
        .map(Ticked::ticks)
        .collect();
    prop_assert_eq!(waits, nested.iter().map(|&band| draw::<S>(band, word)).collect::<Vec<_>>());
    Ok(())
}
for_every_span!(combinators(
    first in vec(spans::<S>(), 0..5), second in vec(spans::<S>(), 0..5), limit in spans::<S>(), count in 0..7_u32, word in any::<u64>(),
) where S);

/// Sums of the shortest and the longest, and `nth` from anywhere is as many steps.
fn is_consistent<P: Policy<Span: Ticked>>(policy: &P, skips: &[usize]) -> TestCaseResult {
    let (mut best, mut worst) = (0_u128, 0_u128);
    for (row, n) in rows(policy, 50).iter().zip(1..) {
        best += u128::from(row.band().lo().ticks());
        worst += u128::from(row.band().hi().ticks());
        prop_assert_eq!(row.retry(), n);
        prop_assert_eq!((row.best().ticks(), row.worst().ticks()), (clamp::<P::Span>(best), clamp::<P::Span>(worst)));
    }
    let mut feedback = false;
    let (mut shortest, mut longest) = (policy.start(), policy.start());
    for row in rows(policy, 20) {
        // What always drawing the shortest, and the longest, leads to: where the two differ there is no mean.
        let ends = (policy.next(&mut shortest).unwrap(), policy.next(&mut longest).unwrap());
        policy.drawn(&mut shortest, ends.0.lo());
        policy.drawn(&mut longest, ends.1.hi());
        feedback |= ends.0 != ends.1;
        let mean = row.best().ticks() + (row.worst().ticks() - row.best().ticks()) / 2;
        prop_assert_eq!(row.mean().map(Ticked::ticks), (!feedback).then_some(mean));
        prop_assert!(!feedback || row.nominal().is_none());
    }
    let (mut skipping, mut stepping) = (policy.plan(), policy.plan());
    for &skip in skips {
        for _ in 0..skip {
            stepping.next();
        }
        prop_assert_eq!(skipping.nth(skip), stepping.next(), "{:?}", skips);
    }
    Ok(())
}

fn plans<S: Ticked>(a: u64, b: u64, by: Decimal, kind: Kind, count: u32, skips: Vec<usize>) -> TestCaseResult {
    let (x, y) = (S::of(a), S::of(b));
    let exponential = Exponential::new(x).try_with_multiplier(by.factor()).unwrap().with_jitter(kind.jitter());
    is_consistent(&exponential, &skips)?;
    is_consistent(&exponential.with_max_interval(y), &skips)?;
    is_consistent(&exponential.with_max_delay(y), &skips)?;
    is_consistent(&exponential.with_max_interval(y).at_least(x), &skips)?;
    is_consistent(&Linear::new(x, y).with_jitter(kind.jitter()), &skips)?;
    is_consistent(&Linear::new(x, S::of(0)).at_most(y), &skips)?;
    is_consistent(&Fibonacci::new(x).with_max_interval(y), &skips)?;
    is_consistent(&Constant::new(x).max_retries(count), &skips)?;
    is_consistent(&Constant::new(x).max_retries(count).then(Constant::new(y)), &skips)?;
    is_consistent(&[x, y].max_retries(count), &skips)?;
    is_consistent(&Table::new([x, y]).repeat_last(), &skips)?;
    is_consistent(&Decorrelated::new(x).with_max_delay(y), &skips)
}
for_every_span!(plans(
    a in spans::<S>(), b in spans::<S>(), by in decimals(1, 3), kind in kinds::<S>(), count in 0..20_u32, skips in vec(0..30_usize, 1..8),
) where S);

/// A retry's plan ends with the attempts, and where even the shortest waits are beyond the limit.
fn plans_of_retries<S: Ticked>(a: u64, kind: Kind, retries: u32, limit: u64, skip: usize) -> TestCaseResult {
    let policy = Exponential::new(S::of(a)).with_jitter(kind.jitter());
    let retry = Retry::new(policy).with_max_retries(retries).with_max_elapsed(S::of(limit));
    let reachable = |row: &PlanRow<S>| row.band().lo().ticks() <= limit && row.best().ticks() <= limit;
    let mut expected: Vec<_> = rows(policy, retries as usize).into_iter().take_while(reachable).collect();
    if limit == 0 {
        expected.clear(); // A limit of 0 means one call.
    }
    prop_assert_eq!(retry.plan().collect::<Vec<_>>(), expected.clone());
    prop_assert_eq!(retry.plan().nth(skip), expected.get(skip).copied());
    Ok(())
}
for_every_span!(plans_of_retries(
    a in spans::<S>(), kind in kinds::<S>(), retries in 0..40_u32, limit in spans::<S>(), skip in 0..50_usize,
) where S);

/// `worst_case_wait` is the plan's last sum, or the limit.
macro_rules! worst_case {
    ($name:ident, $span:ty) => {
        #[test]
        fn $name() {
            proptest!(config(), |(
                a in spans::<$span>(), cap in spans::<$span>(), max_delay in spans::<$span>(), by in decimals(1, 3),
                kind in kinds::<$span>(), retries in 0..200_u32, limit in proptest::option::of(spans::<$span>()),
            )| {
                let of = <$span as Ticked>::of;
                let policy = Exponential::new(of(a)).try_with_multiplier(by.factor()).unwrap().with_jitter(kind.jitter());
                let policy = policy.with_max_interval(of(cap)).with_max_delay(of(max_delay));
                let mut retry = Retry::new(policy).with_max_retries(retries);
                let sum: u128 = rows(policy, retries as usize).iter().map(|row| u128::from(row.band().hi().ticks())).sum();
                let mut expected = clamp::<$span>(sum);
                if let Some(limit) = limit {
                    retry = retry.with_max_elapsed(of(limit));
                    expected = expected.min(limit);
                }
                prop_assert_eq!(retry.worst_case_wait().ticks(), expected);
                prop_assert!(retry.worst_case_within(of(expected)));
                prop_assert!(expected == 0 || !retry.worst_case_within(of(expected - 1)));
            });
        }
    };
}
worst_case!(the_worst_case_is_the_plans_in_u32, u32);
worst_case!(the_worst_case_is_the_plans_in_durations, Duration);
