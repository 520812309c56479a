//! The law of limiter and budgets: on a counter that wraps and steps back they grant just what exact fractions grant,
//! and a refusal spends nothing.

use std::fmt::Debug;

use relent::guard::RateLimiter;
use relent::guard::budget::{Budget, CostBudget, FailureKind, RatioBudget, Spent, ThrottleBudget};
use relent::guard::limiter::Denied;
use relent::{Instant, Span};

use super::bytes::Bytes;

/// Panics if the law is broken, never otherwise.
pub(crate) fn law(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    match bytes.below(5) {
        0 => limiter(bytes, |n| n),
        1 => limiter(bytes, |n| n as u32),
        2 => ratio(bytes),
        3 => cost(bytes),
        _ => throttle(bytes),
    }
}

/// A bucket of exact fractions: a token is `period` units, and a tick brings `count`.
struct Bucket {
    count: i128,
    period: i128,
    most: i128,
    level: i128,
    seen: Option<u64>,
}

impl Bucket {
    fn new(count: u64, period: u64, burst: u64) -> Self {
        let most = i128::from(burst) * i128::from(period);
        Self { count: count.into(), period: period.into(), most, level: most, seen: None }
    }

    fn at(&self, now: u64) -> i128 {
        let step = self.seen.map_or(0, |seen| now.saturating_sub(seen));
        (self.level + i128::from(step) * self.count).min(self.most)
    }

    fn advance(&mut self, now: u64) {
        self.level = self.at(now);
        self.seen = Some(self.seen.map_or(now, |seen| seen.max(now)));
    }

    fn wait(&self, n: u64, now: u64) -> u64 {
        let missing = (i128::from(n) * self.period - self.at(now)).max(0);
        ((missing + self.count - 1) / self.count) as u64
    }

    fn take(&mut self, n: u64, now: u64) -> bool {
        self.advance(now);
        let granted = self.wait(n, now) == 0;
        if granted {
            self.level -= i128::from(n) * self.period;
        }
        granted
    }
}

/// Time goes on, mostly; the byte says how.
fn pass(raw: u64, seen: Option<u64>, how: u8) -> u64 {
    match how {
        0..=199 => (raw + u64::from(how)).min(seen.unwrap_or(raw) + (1 << 31)),
        200..=219 => (raw + (u64::from(how) << 23)).min(seen.unwrap_or(raw) + (1 << 31)),
        _ => raw.saturating_sub(u64::from(how - 219)).max(1),
    }
}

fn limiter<S: Span + Eq + Debug>(mut bytes: Bytes, span: impl Fn(u64) -> S) {
    let (count, period, burst) = (1 + bytes.below(20), bytes.below(256) * 7, 1 + bytes.below(12));
    let mut limiter =
        RateLimiter::per(count as u32, span(period)).and_then(|l| l.try_with_burst(burst as u32)).unwrap();
    let mut model = Bucket::new(count, period, burst);
    let origin = if bytes.below(2) == 0 { 0xFFFF_FFF0 } else { 0 };
    let mut raw = 1_000;
    while let Some(op) = bytes.next() {
        let now = Instant::at(span(origin + raw));
        assert_eq!(limiter.ready_in(now), span(model.wait(1, raw)));
        match op & 3 {
            0 => raw = pass(raw, model.seen, bytes.next().unwrap_or(0)),
            1 => {
                let n = u64::from(op >> 2) % 14;
                let before = model.wait(n, raw);
                let expected = match n {
                    n if n > burst => Err(Denied::Never),
                    0 => {
                        model.advance(raw);
                        Ok(())
                    }
                    n if model.take(n, raw) => Ok(()),
                    _ => Err(Denied::NotYet(span(before))),
                };
                assert_eq!(limiter.check_n(n as u32, now), expected);
            }
            2 if op >> 6 == 0 => {
                let wait = model.wait(1, raw);
                model.advance(raw);
                model.level -= model.period;
                assert_eq!(limiter.reserve(now), span(wait));
            }
            _ => assert_eq!(limiter.check(now).is_ok(), model.take(1, raw)),
        }
        assert!(model.level <= model.most);
    }
}

fn kind(byte: u8) -> FailureKind {
    [FailureKind::Transient, FailureKind::Timeout, FailureKind::Throttled, FailureKind::Permanent]
        [usize::from(byte & 3)]
}

fn ratio(mut bytes: Bytes) {
    let (n, d, ceiling) = (bytes.below(30), 1 + bytes.below(20), bytes.below(12));
    let mut budget = RatioBudget::new(n as u32, d as u32).with_ceiling(ceiling as u32);
    let mut reserve = None;
    if bytes.below(2) == 1 {
        let (count, burst) = (1 + bytes.below(9), 1 + bytes.below(3));
        let limiter = RateLimiter::per(count as u32, 1_000_u32).unwrap();
        budget = budget.with_reserve(limiter.with_burst(burst as u32));
        reserve = Some(Bucket::new(count, 1_000, burst));
    }
    // In 1/d of a retry.
    let mut saved = 0_u64;
    let mut raw = 1_000;
    while let Some(op) = bytes.next() {
        let now = Instant::at(0xFFFF_FF00_u32.wrapping_add(raw as u32));
        match op & 3 {
            0 => raw = pass(raw, reserve.as_ref().and_then(|r| r.seen), bytes.next().unwrap_or(0)),
            1 => {
                budget.on_call(now);
                saved = (saved + n).min(ceiling * d);
            }
            _ => {
                let kind = kind(op >> 2);
                let granted = kind != FailureKind::Permanent
                    && (reserve.as_mut().is_some_and(|r| r.take(1, raw)) || {
                        let enough = saved >= d;
                        saved -= if enough { d } else { 0 };
                        enough
                    });
                assert_eq!(budget.try_spend(kind, now).is_some(), granted);
            }
        }
        assert_eq!(budget.saved(), (saved, d as u32));
    }
}

fn cost(mut bytes: Bytes) {
    let capacity = bytes.below(60) as u32;
    let costs = [0; 3].map(|_| bytes.below(20) as u32);
    let mut budget = CostBudget::new(capacity).with_costs(costs[0], costs[1], costs[2]);
    let (mut tokens, mut last) = (capacity, None);
    let now = Instant::at(0_u32);
    while let Some(op) = bytes.next() {
        if op & 1 == 0 {
            budget.on_success(last.map(Spent::new), now);
            tokens = (tokens + last.unwrap_or(1)).min(capacity);
            last = None;
        } else {
            let spent = budget.try_spend(kind(op >> 1), now).map(Spent::tokens);
            let price = costs.get(usize::from(op >> 1 & 3)).copied();
            assert_eq!(spent, price.filter(|price| *price <= tokens));
            tokens -= spent.unwrap_or(0);
            last = spent.or(last);
        }
        assert_eq!(budget.tokens(), tokens);
    }
}

fn throttle(mut bytes: Bytes) {
    let (max, n, d) = (1 + bytes.below(20), bytes.below(30), 1 + bytes.below(20));
    let mut budget = ThrottleBudget::new(max as u32, n as u32, d as u32);
    let mut left = max * d;
    let now = Instant::at(0_u32);
    while let Some(op) = bytes.next() {
        match op & 3 {
            0 => {
                budget.on_success(None, now);
                left = (left + n).min(max * d);
            }
            1 => {
                budget.on_failure(kind(op >> 2), now);
                left -= if op >> 2 & 3 == 3 { 0 } else { left.min(d) };
            }
            _ => {
                let granted = op >> 2 & 3 != 3 && 2 * left > max * d;
                assert_eq!(budget.try_spend(kind(op >> 2), now).is_some(), granted);
            }
        }
    }
}
