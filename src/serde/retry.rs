//! Whole settings in files.

use core::num::NonZeroU32;

use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::span::{Field, Written};
use crate::policy::Policy;
use crate::reconnect::Reconnect;
use crate::retry::Retry;

#[derive(Serialize, Deserialize)]
#[serde(
    deny_unknown_fields,
    bound(serialize = "S: Written, P: Serialize", deserialize = "S: Written, P: Deserialize<'de>")
)]
struct RetryForm<S, P> {
    max_attempts: Option<u32>,
    max_elapsed: Option<Field<S>>,
    max_hint: Option<Field<S>>,
    hint_spread: Option<Field<S>>,
    attempt_timeout: Option<Field<S>>,
    #[serde(default)]
    hints_clamped: bool,
    #[serde(default)]
    max_elapsed_from_first_failure: bool,
    #[serde(default)]
    delays_from_attempt_start: bool,
    policy: P,
}

/// Policy and limits; what errors mean is code, and not written.
impl<P: Policy<Span: Written> + Serialize, K> Serialize for Retry<P, K> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        let limits = self.limits();
        RetryForm {
            max_attempts: limits.max_attempts().map(NonZeroU32::get),
            max_elapsed: limits.max_elapsed().map(Field::of),
            max_hint: limits.max_hint().map(Field::of),
            hint_spread: limits.hint_spread().map(Field::of),
            attempt_timeout: limits.attempt_timeout().map(Field::of),
            hints_clamped: limits.hints_are_clamped(),
            max_elapsed_from_first_failure: limits.counts_from_first_failure(),
            delays_from_attempt_start: limits.delays_from_attempt_start(),
            policy: self.policy(),
        }
        .serialize(serializer)
    }
}

/// Every error is worth a retry, until [`classify`](Retry::classify) or [`explicit`](Retry::explicit) says otherwise.
impl<'de, P: Policy<Span: Written> + Deserialize<'de>> Deserialize<'de> for Retry<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = RetryForm::<P::Span, P>::deserialize(deserializer)?;
        let mut retry = Retry::new(form.policy);
        if let Some(attempts) = form.max_attempts {
            retry = retry.try_with_max_attempts(attempts).map_err(::serde::de::Error::custom)?;
        }
        if let Some(limit) = form.max_elapsed {
            retry = retry.with_max_elapsed(limit.checked("max_elapsed")?);
        }
        if let Some(limit) = form.max_hint {
            retry = retry.with_max_hint(limit.checked("max_hint")?);
        }
        if let Some(spread) = form.hint_spread {
            retry = retry.with_hint_spread(spread.checked("hint_spread")?);
        }
        if let Some(timeout) = form.attempt_timeout {
            retry = retry.with_attempt_timeout(timeout.checked("attempt_timeout")?);
        }
        if form.hints_clamped {
            retry = retry.with_hints_clamped();
        }
        if form.max_elapsed_from_first_failure {
            retry = retry.with_max_elapsed_from_first_failure();
        }
        if form.delays_from_attempt_start {
            retry = retry.with_delays_from_attempt_start();
        }
        Ok(retry)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(
    deny_unknown_fields,
    bound(serialize = "S: Written, R: Serialize", deserialize = "S: Written, R: Deserialize<'de>")
)]
struct ReconnectForm<S, R> {
    stable_after: Field<S>,
    min_spacing: Option<Field<S>>,
    retry: R,
}

impl<P: Policy<Span: Written> + Serialize, K> Serialize for Reconnect<P, K> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        ReconnectForm {
            stable_after: Field::of(self.stable_after()),
            min_spacing: Some(Field::of(self.min_spacing())),
            retry: self.retry(),
        }
        .serialize(serializer)
    }
}

impl<'de, P: Policy<Span: Written> + Deserialize<'de>> Deserialize<'de> for Reconnect<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = ReconnectForm::<P::Span, Retry<P>>::deserialize(deserializer)?;
        let settings = Reconnect::new(form.retry, form.stable_after.checked("stable_after")?);
        match form.min_spacing {
            Some(spacing) => Ok(settings.with_min_spacing(spacing.checked("min_spacing")?)),
            None => Ok(settings),
        }
    }
}
