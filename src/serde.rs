//! Settings from and to files (feature `serde`).
//!
//! | type | in text (TOML, JSON …) | in binary formats |
//! |---|---|---|
//! | [`Duration`](core::time::Duration) | `"1m 30s"`, `"250ms"`, `"1.5s"` | nanoseconds |
//! | ticks, `u32` or `u64`, also those of `fugit` and `embassy-time` | a whole number | the same |
//! | [`Factor`] | a number | its exact parts |
//! | [`Jitter`] | `"full"`, `{ spread = 0.5 }`, `{ absolute = "200ms" }` | a variant |
//!
//! Policies, [`Retry`](crate::Retry) and [`Reconnect`](crate::Reconnect) have one field for each setter, named after it; what is missing is what `new` sets. Everything goes through the checked
//! constructors: an error names the field and the rule. A field that there is not is refused. What was not set is not written, in formats that can leave
//! it out.
//!
//! A duration in text is one or more numbers with units, `d`, `h`, `m` or `min`, `s`, `ms`, `us` or `µs`, `ns`, from the largest to the smallest; a decimal
//! point is fine, down to whole nanoseconds. Nothing is rounded.
//!
//! ```
//! use core::time::Duration;
//! use relent::{Exponential, Retry};
//!
//! let retry: Retry<Exponential> = toml::from_str(r#"
//!     max_attempts = 6
//!     max_elapsed = "2m"
//!
//!     [policy]
//!     initial_interval = "250ms"
//!     multiplier = 2
//!     max_interval = "1m"
//!     jitter = "full"
//! "#)?;
//! assert_eq!(retry.policy().max_interval(), Duration::from_secs(60));
//!
//! let refused = toml::from_str::<Exponential>("initial_interval = '1s'\nmultiplier = 0.5").unwrap_err();
//! assert!(refused.to_string().contains("multiplier must be at least 1"));
//! # Ok::<(), toml::de::Error>(())
//! ```

mod duration;
mod policies;
mod retry;
mod span;

use core::fmt;

use ::serde::de::{Error, Unexpected, Visitor};
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::config_error::ConfigError;
use crate::factor::Factor;
use crate::jitter::Jitter;
use span::{Field, Written};

/// In text, the number that it was written as; in binary, exactly.
impl Serialize for Factor {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_f64(to_float(*self))
        } else {
            self.to_parts().serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Factor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Number::deserialize(deserializer)?.checked("factor")
    }
}

/// The float that reads back as this factor: its decimal if there is one of nine places, else the nearest.
#[expect(clippy::float_arithmetic, clippy::cast_precision_loss, reason = "floats are what files hold")]
fn to_float(factor: Factor) -> f64 {
    let (whole, fraction) = factor.to_parts();
    let decimals = (u128::from(fraction).saturating_mul(1_000_000_000)) >> 64;
    let decimal = u128::from(whole).saturating_mul(1_000_000_000).saturating_add(decimals) as f64 / 1e9;
    if Factor::try_new(decimal) == Ok(factor) {
        return decimal;
    }
    ((u128::from(whole) << 64) | u128::from(fraction)) as f64 / 18_446_744_073_709_551_616.0
}

/// A factor that was read, or why it is none: the field that it stands in is known only later.
#[derive(Clone, Copy)]
struct Number(Result<Factor, ConfigError>);

impl Number {
    fn checked<E: Error>(self, field: &'static str) -> Result<Factor, E> {
        self.0.map_err(|error| match error.rule().strip_prefix("factor") {
            Some(rule) => E::custom(format_args!("{field}{rule}")),
            None => E::custom(error),
        })
    }
}

impl Serialize for Number {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        self.0.unwrap_or(Factor::ZERO).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Number, E> {
                Ok(Number(Factor::try_new(value)))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
                // Anything from 2^32 on is refused alike.
                let value = u32::try_from(value).map_or(f64::INFINITY, f64::from);
                Ok(Number(Factor::try_new(value)))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
                match u64::try_from(value) {
                    Ok(value) => self.visit_u64(value),
                    Err(_) => Ok(Number(Factor::try_new(-1.0))),
                }
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Number, E> {
                Err(E::invalid_type(Unexpected::Str(value), &self))
            }
        }
        if deserializer.is_human_readable() {
            return deserializer.deserialize_any(Text);
        }
        let (whole, fraction) = Deserialize::deserialize(deserializer)?;
        Ok(Number(Ok(Factor::from_parts(whole, fraction))))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Jitter", rename_all = "snake_case", bound = "S: Written")]
enum JitterForm<S> {
    None,
    Full,
    Equal,
    Spread(Number),
    Absolute(Field<S>),
    Additive(Field<S>),
}

impl<S: Written> Serialize for Jitter<S> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        match *self {
            Self::None => JitterForm::None,
            Self::Full => JitterForm::Full,
            Self::Equal => JitterForm::Equal,
            Self::Spread(share) => JitterForm::Spread(Number(Ok(share))),
            Self::Absolute(span) => JitterForm::Absolute(Field::of(span)),
            Self::Additive(span) => JitterForm::Additive(Field::of(span)),
        }
        .serialize(serializer)
    }
}

impl<'de, S: Written> Deserialize<'de> for Jitter<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match JitterForm::deserialize(deserializer)? {
            JitterForm::None => Self::None,
            JitterForm::Full => Self::Full,
            JitterForm::Equal => Self::Equal,
            JitterForm::Spread(share) => Self::Spread(share.checked("spread")?),
            JitterForm::Absolute(span) => Self::Absolute(span.checked("absolute")?),
            JitterForm::Additive(span) => Self::Additive(span.checked("additive")?),
        })
    }
}
