//! Spans in files.

use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;

use ::serde::de::{Error, Visitor};
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::duration::{self, Text};
use crate::span::{Sealed, Span, Ticks};

/// A span that can stand in a file. Public in a private module: callers cannot name it.
pub trait Written: Span {
    /// Whether text says it with units, instead of a bare count of ticks.
    const WITH_UNITS: bool = false;

    /// What a text with units means.
    fn parse(text: &str) -> Result<Self, &'static str> {
        _ = text;
        Err("must be a whole number of ticks")
    }
}

impl Written for u32 {}
impl Written for u64 {}
#[cfg(feature = "fugit-06")]
impl<const NOM: u64, const DENOM: u64> Written for ::fugit::Duration<u32, NOM, DENOM> {}
#[cfg(feature = "fugit-06")]
impl<const NOM: u64, const DENOM: u64> Written for ::fugit::Duration<u64, NOM, DENOM> {}
#[cfg(feature = "embassy-time-05")]
impl Written for ::embassy_time::Duration {}

impl Written for Duration {
    const WITH_UNITS: bool = true;

    fn parse(text: &str) -> Result<Self, &'static str> {
        duration::parse(text)
    }
}

/// A span that was read, or why it is none: the field that it stands in is known only later.
pub(super) struct Field<S>(Result<S, &'static str>);

impl<S: Written> Field<S> {
    pub(super) fn of(span: S) -> Self {
        Self(Ok(span))
    }

    /// A cap, which is absent where it is the span's ceiling.
    pub(super) fn cap(span: S) -> Option<Self> {
        (span.to_ticks() < Sealed::to_ticks(S::CEILING)).then_some(Self::of(span))
    }

    pub(super) fn checked<E: Error>(self, field: &'static str) -> Result<S, E> {
        self.0.map_err(|rule| E::custom(format_args!("{field} {rule}")))
    }
}

impl<S: Written> Serialize for Field<S> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        let ticks = self.0.map_or(0, |span| span.to_ticks().to_u64());
        if S::WITH_UNITS && serializer.is_human_readable() {
            serializer.collect_str(&Text(Duration::from_nanos(ticks)))
        } else {
            serializer.serialize_u64(ticks)
        }
    }
}

impl<'de, S: Written> Deserialize<'de> for Field<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text<S>(PhantomData<S>);
        impl<S: Written> Visitor<'_> for Text<S> {
            type Value = Field<S>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(if S::WITH_UNITS { "a duration such as \"1m 30s\"" } else { "a whole number of ticks" })
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Field<S>, E> {
                Ok(Field(S::parse(text)))
            }

            fn visit_u64<E: Error>(self, ticks: u64) -> Result<Field<S>, E> {
                Ok(Field(if S::WITH_UNITS { Err("must have a unit, such as \"5s\"") } else { from_ticks(ticks) }))
            }

            fn visit_i64<E: Error>(self, ticks: i64) -> Result<Field<S>, E> {
                match u64::try_from(ticks) {
                    Ok(ticks) => self.visit_u64(ticks),
                    Err(_) => Ok(Field(Err("must not be negative"))),
                }
            }
        }
        if deserializer.is_human_readable() {
            return deserializer.deserialize_any(Text(PhantomData));
        }
        Ok(Self(from_ticks(u64::deserialize(deserializer)?)))
    }
}

fn from_ticks<S: Span>(ticks: u64) -> Result<S, &'static str> {
    let counted = S::Ticks::from_u64(ticks);
    if counted.to_u64() == ticks { Ok(S::from_ticks(counted)) } else { Err("must be below 2^32") }
}
