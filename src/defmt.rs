//! `defmt` 1 formatting of every public value (feature `defmt-1`).
//!
//! What is logged while running (waits, steps, reasons, verdicts, states of guards and links) is formatted by `defmt` itself, with spans as their own type
//! formats: a few bytes on the wire and no `core::fmt` in flash. Settings and machines, which are logged once if at all, go through their `Debug` text.
//!
//! A host has no `defmt` logger to link with, so that there only the bounds can be checked.
//!
//! ```
//! use relent::{Next, Reason, Step, Verdict};
//!
//! fn logs<T: defmt::Format>() {}
//! logs::<(Next<u32>, Step<u32>, Reason, Verdict)>();
//! ```

#![allow(
    clippy::match_same_arms,
    clippy::single_match_else,
    reason = "the texts differ, in a section that clippy does not see"
)]

mod settings;

use ::defmt::{Display2Format, Format, Formatter, write};

use crate::attempts::{Attempt, Next, Step};
use crate::band::Band;
use crate::clock::Instant;
use crate::config_error::ConfigError;
use crate::factor::Factor;
use crate::gave_up::{Event, GaveUp, Reason};
use crate::guard::breaker::{CallError, Outcome, Permit, Refused, State, Transition};
use crate::guard::budget::{FailureKind, Spent};
use crate::guard::limiter::Denied;
use crate::guarded::GuardedError;
use crate::idempotency::{IdempotencyKey, ParseKeyError, Use};
use crate::jitter::Jitter;
use crate::plan::PlanRow;
use crate::reconnect::{LinkState, LinkStep};
use crate::span::Span;
use crate::verdict::{Failure, Verdict};

/// One `write!` for each variant, or for all of a struct.
macro_rules! formats {
    ($([$($g:tt)*] $t:ty where { $($bound:tt)* } |$f:ident, $it:ident| $body:expr;)*) => {
        $(
            impl<$($g)*> Format for $t
            where
                $($bound)*
            {
                fn format(&self, $f: Formatter<'_>) {
                    let $it = self;
                    $body
                }
            }
        )*
    };
}

formats! {
    [S] Band<S> where { S: Span + Format } |f, it| write!(f, "[{}, {}]", it.lo(), it.hi());
    [S] Instant<S> where { S: Span + Format } |f, it| write!(f, "Instant({})", it.since_origin());
    [S] Jitter<S> where { S: Span + Format } |f, it| match it {
        Jitter::None => write!(f, "None"),
        Jitter::Full => write!(f, "Full"),
        Jitter::Equal => write!(f, "Equal"),
        Jitter::Spread(share) => write!(f, "Spread({})", share),
        Jitter::Absolute(span) => write!(f, "Absolute({})", span),
        Jitter::Additive(span) => write!(f, "Additive({})", span),
    };
    [S] Verdict<S> where { S: Span + Format } |f, it| match it {
        Verdict::Retry => write!(f, "Retry"),
        Verdict::NotBefore(span) => write!(f, "NotBefore({})", span),
        Verdict::RetryAfter(span) => write!(f, "RetryAfter({})", span),
        Verdict::Permanent => write!(f, "Permanent"),
    };
    [E, S] Failure<E, S> where { E: Format, S: Span + Format } |f, it| write!(f, "{} ({})", it.error(), it.verdict());
    [S] PlanRow<S> where { S: Span + Format } |f, it| {
        write!(f, "{}: {} {}, {} to {}", it.retry(), it.nominal(), it.band(), it.best(), it.worst());
    };
    [S] Attempt<S> where { S: Span + Format } |f, it| match it.allowance() {
        Some(allowance) => write!(f, "Attempt({}, {} left)", it.number(), allowance),
        None => write!(f, "Attempt({})", it.number()),
    };
    [S] Step<S> where { S: Span + Format } |f, it| match it {
        Step::Attempt(attempt) => write!(f, "{}", attempt),
        Step::InFlight => write!(f, "InFlight"),
        Step::Wait(left) => write!(f, "Wait({})", left),
        Step::TimedOut(attempt) => write!(f, "TimedOut({})", attempt),
        Step::Done => write!(f, "Done"),
    };
    [S] Next<S> where { S: Span + Format } |f, it| match it {
        Next::Wait(delay) => write!(f, "Wait({})", delay),
        Next::GiveUp(reason) => write!(f, "GiveUp({})", reason),
        Next::Stale => write!(f, "Stale"),
    };
    [S] LinkStep<S> where { S: Span + Format } |f, it| match it {
        LinkStep::Attempt(attempt) => write!(f, "{}", attempt),
        LinkStep::InFlight => write!(f, "InFlight"),
        LinkStep::Wait(left) => write!(f, "Wait({})", left),
        LinkStep::TimedOut(attempt) => write!(f, "TimedOut({})", attempt),
        LinkStep::Up => write!(f, "Up"),
        LinkStep::Down => write!(f, "Down"),
    };
    [] LinkState where {} |f, it| match it {
        LinkState::Down => write!(f, "Down"),
        LinkState::Waiting => write!(f, "Waiting"),
        LinkState::Attempting => write!(f, "Attempting"),
        LinkState::Up => write!(f, "Up"),
    };
    [S] Reason<S> where { S: Span + Format } |f, it| match it {
        Reason::Permanent => write!(f, "trying again cannot help"),
        Reason::Attempts => write!(f, "attempts used up"),
        Reason::PolicyEnded => write!(f, "no retries left in the policy"),
        Reason::TimeLimit { limit, delay } => write!(f, "a wait of {} would pass the time limit of {}", delay, limit),
        Reason::HintTooLong { asked, left } => write!(f, "asked to wait {}, with {} left", asked, left),
        Reason::Cancelled => write!(f, "called off"),
        Reason::Deadline { left, delay } => write!(f, "a wait of {} with {} left until the deadline", delay, left),
        Reason::Budget => write!(f, "no retry left in the budget"),
        Reason::BreakerOpen { remaining } => write!(f, "the breaker is open for {}", remaining),
    };
    [E, S] GaveUp<E, S> where { E: Format, S: Span + Format } |f, it| {
        write!(f, "{} (gave up after {} in {}: {})", it.error(), it.attempts(), it.elapsed(), it.reason());
    };
    ['a, E, S] Event<'a, E, S> where { E: Format, S: Span + Format } |f, it| {
        write!(f, "attempt {} at {}: {}, {}", it.attempt(), it.elapsed(), it.error(), it.next());
    };
    [E, S] GuardedError<E, S> where { E: Format, S: Span + Format } |f, it| match it {
        GuardedError::Limited(denied) => write!(f, "{}", denied),
        GuardedError::Refused(refused) => write!(f, "{}", refused),
        GuardedError::GaveUp(gave_up) => write!(f, "{}", gave_up),
    };
    [S] Refused<S> where { S: Span + Format } |f, it| write!(f, "{}, {} left", it.state(), it.remaining());
    [S] Transition<S> where { S: Span + Format } |f, it| match it {
        Transition::Opened(cooldown) => write!(f, "Opened({})", cooldown),
        Transition::HalfOpened => write!(f, "HalfOpened"),
        Transition::Closed => write!(f, "Closed"),
    };
    [E, S] CallError<E, S> where { E: Format, S: Span + Format } |f, it| match it {
        CallError::Refused(refused) => write!(f, "{}", refused),
        CallError::Failed(error) => write!(f, "{}", error),
    };
    [S] Denied<S> where { S: Span + Format } |f, it| match it {
        Denied::NotYet(span) => write!(f, "NotYet({})", span),
        Denied::Never => write!(f, "Never"),
    };
    [] State where {} |f, it| match it {
        State::Closed => write!(f, "Closed"),
        State::Open => write!(f, "Open"),
        State::HalfOpen => write!(f, "HalfOpen"),
    };
    [] Outcome where {} |f, it| match it {
        Outcome::Success => write!(f, "Success"),
        Outcome::Failure => write!(f, "Failure"),
        Outcome::Ignored => write!(f, "Ignored"),
    };
    [] FailureKind where {} |f, it| match it {
        FailureKind::Transient => write!(f, "Transient"),
        FailureKind::Timeout => write!(f, "Timeout"),
        FailureKind::Throttled => write!(f, "Throttled"),
        FailureKind::Permanent => write!(f, "Permanent"),
    };
    ['a, V] Use<'a, V> where { V: Format } |f, it| match it {
        Use::First => write!(f, "First"),
        Use::Repeat(value) => write!(f, "Repeat({})", *value),
    };
    [] Factor where {} |f, it| {
        let (whole, billionths) = it.to_decimal();
        write!(f, "{=u32}.{=u32:09}", whole, billionths);
    };
    [] ConfigError where {} |f, it| write!(f, "{=str}", it.rule());
    [] Permit where {} |f, _it| write!(f, "Permit");
    [] Spent where {} |f, it| write!(f, "Spent({=u32})", it.tokens());
    [] IdempotencyKey where {} |f, it| write!(f, "{}", Display2Format(it));
    [] ParseKeyError where {} |f, it| write!(f, "{}", Display2Format(it));
}
