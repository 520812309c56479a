//! What is logged once: settings, machines, clocks, by their `Debug` text.

use core::fmt::Debug;

use ::defmt::{Debug2Format, Format, Formatter};

macro_rules! by_debug {
    ($(<$($g:ident $(: $b:path)?),* $(; const $n:ident: $u:ty)?> $t:ty;)*) => {
        $(
            impl<$($g $(: $b)?,)* $(const $n: $u)?> Format for $t
            where
                $t: Debug,
            {
                fn format(&self, f: Formatter<'_>) {
                    Debug2Format(self).format(f);
                }
            }
        )*
    };
}

use crate::context::{CancelFlag, Deadline};
use crate::guard::airtime::{Airtime, DutyCycle, Stage};
use crate::guard::breaker::{Breaker, BreakerSettings};
use crate::guard::budget::{CostBudget, RatioBudget, ThrottleBudget};
use crate::guard::limiter::RateLimiter;
use crate::policy::{
    AtLeast, AtMost, Constant, Decorrelated, DrawOnce, Exponential, Fibonacci, Linear, MaxRetries, Never, Policy,
    Recursive, Slots, Table, Then, Zero,
};
use crate::reconnect::{Link, Reconnect};
use crate::retry::{Limits, Retry, Settings};
use crate::seed::Seed;
use crate::span::Span;
use crate::{Attempts, Delays, Plan};

by_debug! {
    <S: Span> Constant<S>;
    <S: Span> Decorrelated<S>;
    <S: Span> DrawOnce<S>;
    <S: Span> Exponential<S>;
    <S: Span> Fibonacci<S>;
    <S: Span> Linear<S>;
    <S: Span> Never<S>;
    <S: Span> Recursive<S>;
    <S: Span> Slots<S>;
    <S: Span> Zero<S>;
    <T, S: Span> Table<T, S>;
    <P> MaxRetries<P>;
    <P: Policy> AtMost<P>;
    <P: Policy> AtLeast<P>;
    <P, Q> Then<P, Q>;
    <P: Policy> Plan<P>;
    <P: Policy, R> Delays<P, R>;
    <P: Policy, K> Retry<P, K>;
    <P: Policy, K> Reconnect<P, K>;
    <S: Span> Limits<S>;
    <C: Settings, X> Attempts<C, X>;
    <S: Span> Deadline<S>;
    <S: Span> BreakerSettings<S>;
    <S: Span, W, O> Breaker<S, W, O>;
    <S: Span> RateLimiter<S>;
    <S: Span> RatioBudget<S>;
    <> CostBudget;
    <> ThrottleBudget;
    <S: Span> DutyCycle<S>;
    <S: Span> Stage<S>;
    <S: Span; const N: usize> Airtime<S, N>;
    <> Seed;
}

impl<P: Policy, K> Format for Link<'_, P, K> {
    fn format(&self, f: Formatter<'_>) {
        Debug2Format(self).format(f);
    }
}

impl Format for CancelFlag<'_> {
    fn format(&self, f: Formatter<'_>) {
        Debug2Format(self).format(f);
    }
}
