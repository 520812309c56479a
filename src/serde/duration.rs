//! Durations as people write them: `1m 30s`.

use core::fmt;
use core::time::Duration;

/// The units, from the largest; what is written is the first name of each.
const UNITS: [(&str, u64); 9] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("µs", 1_000),
    ("ns", 1),
];

/// Reads one or more numbers with units, from the largest unit to the smallest. The error is a rule.
pub(super) fn parse(text: &str) -> Result<Duration, &'static str> {
    let mut rest = text.trim();
    let mut total = 0_u64;
    let mut smaller_than = u64::MAX;
    while !rest.is_empty() {
        let (digits, after) = split(rest, |c| c.is_ascii_digit() || c == '.');
        let (name, after) = split(after.trim_start(), char::is_alphabetic);
        let Some(&(_, unit)) = UNITS.iter().find(|(known, _)| *known == name) else {
            return Err(FORM);
        };
        if unit >= smaller_than {
            return Err("must have its units from the largest to the smallest");
        }
        smaller_than = unit;
        total = nanos(digits, unit)?.checked_add(total).ok_or(TOO_LONG)?;
        rest = after.trim_start();
    }
    if smaller_than == u64::MAX { Err(FORM) } else { Ok(Duration::from_nanos(total)) }
}

const FORM: &str = "must be a duration such as \"1m 30s\"";
const TOO_LONG: &str = "must be at most 584 years";
const TOO_FINE: &str = "must be whole nanoseconds";

/// The start of `text` that `is_part` holds for, and what follows.
fn split(text: &str, is_part: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// `digits · unit`, if that is a whole number.
fn nanos(digits: &str, unit: u64) -> Result<u64, &'static str> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    if whole.is_empty() || fraction.is_empty() || fraction.contains('.') {
        return Err(FORM);
    }
    let whole = number(whole).ok_or(TOO_LONG)?.checked_mul(unit).ok_or(TOO_LONG)?;
    let fraction = fraction.trim_end_matches('0');
    let scale = u32::try_from(fraction.len()).ok().and_then(|places| 10_u64.checked_pow(places)).ok_or(TOO_FINE)?;
    let share = u128::from(number(fraction).ok_or(TOO_FINE)?).saturating_mul(u128::from(unit));
    match (share.checked_div(scale.into()), share.checked_rem(scale.into())) {
        (Some(share), Some(0)) => u64::try_from(share).ok().and_then(|share| whole.checked_add(share)).ok_or(TOO_LONG),
        _ => Err(TOO_FINE),
    }
}

/// A row of digits, none of them being 0; `None` above 64 bits.
fn number(digits: &str) -> Option<u64> {
    digits.chars().try_fold(0_u64, |n, digit| n.checked_mul(10)?.checked_add(u64::from(digit.to_digit(10)?)))
}

/// Writes what [`parse`] reads. More than `u64::MAX` nanoseconds count as that.
pub(super) struct Text(pub(super) Duration);

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = crate::span::nanos(self.0);
        if left == 0 {
            return f.write_str("0s");
        }
        let mut separator = "";
        for (name, unit) in UNITS.iter().filter(|(name, _)| !matches!(*name, "min" | "µs")) {
            let (Some(n), Some(rest)) = (left.checked_div(*unit), left.checked_rem(*unit)) else { continue };
            left = rest;
            if n > 0 {
                write!(f, "{separator}{n}{name}")?;
                separator = " ";
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{FORM, TOO_FINE, TOO_LONG, Text, parse};
    use core::time::Duration;

    #[test]
    fn durations_are_read_as_they_are_written() {
        for (text, nanos) in [
            ("0s", 0),
            ("1ns", 1),
            ("1.5s", 1_500_000_000),
            ("1m 30s", 90_000_000_000),
            ("1m30s", 90_000_000_000),
            (" 2 min ", 120_000_000_000),
            ("0.000000001s", 1),
            ("1.50 ms", 1_500_000),
            ("3us", 3_000),
            ("3µs", 3_000),
            ("1d 2h 3m 4s 5ms 6us 7ns", 93_784_005_006_007),
            ("0.5d", 43_200_000_000_000),
            ("18446744073709551615ns", u64::MAX),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in
            ["", " ", "5", "s", "1.s", ".5s", "1..5s", "1.5.5s", "-1s", "+1s", "1 s 2", "1S", "1 week", "٣s", "1e3s"]
        {
            assert_eq!(parse(text), Err(FORM), "{text}");
        }
        for text in ["1s 1s", "1ms 1s", "1m 2min"] {
            assert!(parse(text).unwrap_err().contains("largest"), "{text}");
        }
        for text in ["18446744073709551616ns", "600000000h", "99999999999999999999999s", "213503d 24h"] {
            assert_eq!(parse(text), Err(TOO_LONG), "{text}");
        }
        for text in ["0.5ns", "1.0000000001s", "0.00000000000000000000000001s"] {
            assert_eq!(parse(text), Err(TOO_FINE), "{text}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        for (nanos, text) in [
            (0, "0s"),
            (1_500_000_000, "1s 500ms"),
            (90_000_000_000, "1m 30s"),
            (86_400_000_000_001, "1d 1ns"),
            (u64::MAX, "213503d 23h 34m 33s 709ms 551us 615ns"),
        ] {
            assert_eq!(Text(Duration::from_nanos(nanos)).to_string(), text);
            assert_eq!(parse(text), Ok(Duration::from_nanos(nanos)));
        }
        let mut nanos = 1_u64;
        for _ in 0..1_000 {
            nanos = nanos.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let span = Duration::from_nanos(nanos >> (nanos % 60));
            assert_eq!(parse(&Text(span).to_string()), Ok(span));
        }
        assert_eq!(parse(&Text(Duration::MAX).to_string()), Ok(Duration::from_nanos(u64::MAX)));
    }
}
