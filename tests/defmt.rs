//! `defmt` formatting: a host has no logger to link with, so that only the bounds are checked; logging runs in firmware.

#![cfg(feature = "defmt-1")]

use core::time::Duration;

use defmt::Format;
use relent::guard::breaker::{Breaker, BreakerSettings, CallError, Outcome, Refused, State, Transition};
use relent::guard::limiter::Denied;
use relent::policy::{AtLeast, AtMost, MaxRetries, Then};
use relent::reconnect::{Link, LinkState, LinkStep, Reconnect};
use relent::{
    Attempt, Attempts, Band, ConfigError, Constant, Deadline, Decorrelated, DrawOnce, Event, Exponential, Factor,
    Failure, Fibonacci, GaveUp, IdempotencyKey, Instant, Jitter, Limits, Linear, Never, Next, Plan, PlanRow, Reason,
    Recursive, Retry, Slots, Step, Table, Verdict, Zero,
};

fn is_logged<T: Format>() {}

fn values_of_a_span_are_logged<S: relent::Span + Format>() {
    is_logged::<(Band<S>, Instant<S>, Jitter<S>, Verdict<S>, PlanRow<S>, Deadline<S>)>();
    is_logged::<(Failure<u8, S>, Attempt<S>, Step<S>, Next<S>, Reason<S>, GaveUp<u8, S>, Event<'_, u8, S>)>();
    is_logged::<(LinkStep<S>, Refused<S>, Transition<S>, CallError<u8, S>, Denied<S>)>();
    is_logged::<(Constant<S>, Decorrelated<S>, DrawOnce<S>, Exponential<S>, Fibonacci<S>, Linear<S>)>();
    is_logged::<(Never<S>, Recursive<S>, Slots<S>, Zero<S>, Table<[S; 2], S>, Limits<S>)>();
    is_logged::<(MaxRetries<Zero<S>>, AtMost<Zero<S>>, AtLeast<Zero<S>>, Then<Zero<S>, Zero<S>>)>();
    is_logged::<(Retry<Exponential<S>>, Attempts<&Retry<Exponential<S>>>, Plan<Exponential<S>>)>();
    is_logged::<(Reconnect<Exponential<S>>, Link<'_, Exponential<S>>)>();
    is_logged::<(BreakerSettings<S>, Breaker<S>)>();
}

#[test]
fn every_public_value_is_logged() {
    is_logged::<(Factor, ConfigError, LinkState, State, Outcome, IdempotencyKey)>();
    values_of_a_span_are_logged::<u32>();
    values_of_a_span_are_logged::<u64>();
    values_of_a_span_are_logged::<Duration>();
    #[cfg(feature = "fugit-06")]
    values_of_a_span_are_logged::<fugit::MillisDurationU32>();
    #[cfg(feature = "embassy-time-05")]
    values_of_a_span_are_logged::<embassy_time::Duration>();
}
