//! An exact model of the arithmetic (R1–R4): rational numbers in 128 bits that are not rounded before they must be, and the settings to try.

#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod bridge;
pub(crate) mod machine;

use std::time::Duration;

use proptest::prelude::*;
use relent::{Factor, Jitter, Span};

/// A span that can be told as a number of ticks.
pub(crate) trait Ticked: Span {
    /// The width of a tick count, and of a random word.
    const BITS: u32;
    fn ticks(self) -> u64;
    fn of(ticks: u64) -> Self;

    fn ceiling() -> u64 {
        u64::MAX >> (64 - Self::BITS)
    }
}

impl Ticked for u32 {
    const BITS: u32 = 32;
    fn ticks(self) -> u64 {
        u64::from(self)
    }
    fn of(ticks: u64) -> Self {
        u32::try_from(ticks).unwrap()
    }
}

impl Ticked for u64 {
    const BITS: u32 = 64;
    fn ticks(self) -> u64 {
        self
    }
    fn of(ticks: u64) -> Self {
        ticks
    }
}

impl Ticked for Duration {
    const BITS: u32 = 64;
    fn ticks(self) -> u64 {
        u64::try_from(self.as_nanos()).unwrap()
    }
    fn of(ticks: u64) -> Self {
        Duration::from_nanos(ticks)
    }
}

/// A factor as written: `digits / 10^places`, few enough digits that a float tells them apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal {
    pub(crate) digits: u64,
    pub(crate) places: u32,
}

impl Decimal {
    pub(crate) fn float(self) -> f64 {
        format!("{}e-{}", self.digits, self.places).parse().unwrap()
    }

    pub(crate) fn factor(self) -> Factor {
        Factor::try_new(self.float()).unwrap()
    }

    fn ten(self) -> u128 {
        10_u128.pow(self.places)
    }

    pub(crate) fn is_above_one(self) -> bool {
        u128::from(self.digits) > self.ten()
    }

    /// What `⌊n · self⌋` may be (R1a): exact while `n · 10^places < 2^bits`, above that perhaps one tick more.
    pub(crate) fn products<S: Ticked>(self, n: u64) -> Vec<u64> {
        let exact = u128::from(n) * u128::from(self.digits) / self.ten();
        let is_exact = u128::from(n) * self.ten() < 1 << S::BITS;
        let candidates = if is_exact { vec![exact] } else { vec![exact, exact + 1] };
        candidates.into_iter().map(clamp::<S>).collect()
    }
}

pub(crate) fn clamp<S: Ticked>(ticks: u128) -> u64 {
    u64::try_from(ticks).unwrap_or(u64::MAX).min(S::ceiling())
}

/// A jitter with its factor as written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    None,
    Full,
    Equal,
    Spread(Decimal),
    Absolute(u64),
    Additive(u64),
}

impl Kind {
    pub(crate) fn jitter<S: Ticked>(self) -> Jitter<S> {
        match self {
            Self::None => Jitter::None,
            Self::Full => Jitter::Full,
            Self::Equal => Jitter::Equal,
            Self::Spread(share) => Jitter::Spread(share.factor()),
            Self::Absolute(j) => Jitter::Absolute(S::of(j)),
            Self::Additive(j) => Jitter::Additive(S::of(j)),
        }
    }

    /// The bands that R2 and the second half of R3 allow; more than one only where a product may be a tick too much.
    pub(crate) fn bands<S: Ticked>(self, n: u64, max_delay: u64) -> Vec<(u64, u64)> {
        let around = |below: u64, above: u64| {
            let hi = clamp::<S>(u128::from(n) + u128::from(above)).min(max_delay);
            (n.saturating_sub(below).min(hi), hi)
        };
        match self {
            Self::None => vec![around(0, 0)],
            Self::Full => vec![around(n, 0)],
            Self::Equal => vec![around(n / 2, 0)],
            Self::Spread(share) => share.products::<S>(n).into_iter().map(|part| around(part, part)).collect(),
            Self::Absolute(j) => vec![around(j, j)],
            Self::Additive(j) => vec![around(0, j)],
        }
    }
}

/// R4: where in `lo..=hi` a word falls. A 32-bit word is the upper half of a scripted one.
pub(crate) fn draw<S: Ticked>((lo, hi): (u64, u64), word: u64) -> u64 {
    let word = word >> (64 - S::BITS);
    let ticks = u128::from(hi - lo) + 1;
    lo + u64::try_from((u128::from(word) * ticks) >> S::BITS).unwrap()
}

/// Tick counts of every size: as likely of 3 bits as of 60, and the ends.
pub(crate) fn spans<S: Ticked>() -> BoxedStrategy<u64> {
    let sized = (any::<u64>(), 1..=S::BITS).prop_map(|(n, bits)| n >> (64 - bits));
    let ends = proptest::sample::select(vec![0, 1, 2, S::ceiling(), S::ceiling() - 1, S::ceiling() / 2]);
    prop_oneof![8 => sized, 1 => ends].boxed()
}

/// Factors of up to nine places, most of them short.
pub(crate) fn decimals(at_least: u64, below: u64) -> impl Strategy<Value = Decimal> {
    (0..=9_u32).prop_flat_map(move |places| {
        let ten = 10_u64.pow(places);
        (at_least * ten..below * ten).prop_map(move |digits| Decimal { digits, places })
    })
}

pub(crate) fn kinds<S: Ticked>() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::None),
        Just(Kind::Full),
        Just(Kind::Equal),
        decimals(0, 3).prop_map(Kind::Spread),
        spans::<S>().prop_map(Kind::Absolute),
        spans::<S>().prop_map(Kind::Additive),
    ]
}
