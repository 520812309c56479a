//! How long a retry can wait in all, as a constant.

use core::time::Duration;

use super::{Limits, Retry};
use crate::jitter::Jitter;
use crate::policy::Exponential;
use crate::span::nanos;

/// What `worst_case_wait` needs, in ticks.
struct Numbers<T> {
    initial: T,
    max_interval: T,
    max_delay: T,
    /// Retries at most; `u32::MAX` where there is no limit.
    retries: u32,
    max_elapsed: Option<T>,
    /// The longest wait that a hint can cause; 0 without `max_hint`.
    hint: T,
}

const fn retries<S: crate::Span>(limits: &Limits<S>) -> u32 {
    match limits.max_attempts {
        Some(attempts) => attempts.get().saturating_sub(1),
        None => u32::MAX,
    }
}

/// The sum of the upper ends, written for constants: step by step while the interval grows, one product when it has settled.
macro_rules! worst_case {
    ($sum:ident, $t:ident, $scaled:ident, $span:ty, $to:expr, $from:expr) => {
        const fn $sum(policy: &Exponential<$span>, n: &Numbers<$t>) -> $t {
            let cap = if n.max_interval < n.max_delay { n.max_interval } else { n.max_delay };
            let mut nominal = if n.initial < cap { n.initial } else { cap };
            let mut sum: $t = 0;
            let mut left = n.retries;
            while left > 0 && sum < $t::MAX {
                let above = match policy.jitter() {
                    Jitter::None | Jitter::Full | Jitter::Equal => 0,
                    Jitter::Spread(share) => share.$scaled(nominal),
                    Jitter::Absolute(j) | Jitter::Additive(j) => $to(j),
                };
                let hi = nominal.saturating_add(above);
                let hi = if hi < n.max_delay { hi } else { n.max_delay };
                let hi = if hi > n.hint { hi } else { n.hint };
                let settled = nominal == cap || nominal == 0 || policy.multiplier().is_one();
                if settled {
                    let times = left as $t;
                    sum = sum.saturating_add(hi.saturating_mul(times));
                    left = 0;
                } else {
                    sum = sum.saturating_add(hi);
                    left = left.saturating_sub(1);
                    let grown = policy.multiplier().$scaled(nominal);
                    let grown = if grown > nominal { grown } else { nominal.saturating_add(1) };
                    nominal = if grown < cap { grown } else { cap };
                }
            }
            match n.max_elapsed {
                Some(limit) if limit < sum => limit,
                _ => sum,
            }
        }

        impl<K> Retry<Exponential<$span>, K> {
            /// The longest that a run can wait in all, not counting hints (`RetryAfter`) unless [`with_max_hint`](Self::with_max_hint)
            /// bounds them, nor `NotBefore`.
            ///
            /// ```text
            /// min(Σ longest wait of each retry, max_elapsed)     saturating; the span's ceiling without any limit
            /// ```
            ///
            /// A wait before the first attempt comes on top: the band of [`start_after`](Self::start_after); for
            /// [`start_waiting`](Self::start_waiting) ask a copy with one attempt more.
            ///
            /// Operations take their own time on top. `max_elapsed` bounds what is waited, as a wait beyond it is not begun. With `max_hint` every
            /// wait counts as the longest hint and spread, if that is more. For a `const` assertion, which costs nothing in flash; growth takes one
            /// step per retry to evaluate until the cap, and the rest is one product.
            pub const fn worst_case_wait(&self) -> $span {
                let limits = self.limits();
                let policy = self.policy();
                let hint = match limits.max_hint {
                    None => 0,
                    Some(hint) => match limits.hint_spread {
                        None => $to(hint),
                        Some(spread) => $to(hint).saturating_add($to(spread)),
                    },
                };
                $from($sum(
                    policy,
                    &Numbers {
                        initial: $to(policy.initial_interval()),
                        max_interval: $to(policy.max_interval()),
                        max_delay: $to(policy.max_delay()),
                        retries: retries(limits),
                        max_elapsed: match limits.max_elapsed {
                            Some(limit) => Some($to(limit)),
                            None => None,
                        },
                        hint,
                    },
                ))
            }

            /// Whether [`worst_case_wait`](Self::worst_case_wait) is at most `limit`; a `const` cannot compare a `Duration` itself.
            pub const fn worst_case_within(&self, limit: $span) -> bool {
                $to(self.worst_case_wait()) <= $to(limit)
            }
        }
    };
}

const fn same(ticks: u32) -> u32 {
    ticks
}

worst_case!(sum_u32, u32, scale_u32, u32, same, same);
worst_case!(sum_u64, u64, scale_u64, Duration, nanos, Duration::from_nanos);
