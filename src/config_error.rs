//! The one error of the checked constructors.

use core::fmt;

/// A setting that breaks a rule: names the field and the rule.
///
/// Returned by the run-time forms (`try_with_*`, [`Factor::try_new`](crate::Factor::try_new),
/// [`Factor::ratio`](crate::Factor::ratio)). The forms for constants panic with the same text, and so do not compile in a `const`.
///
/// ```
/// use relent::Factor;
///
/// let error = Factor::try_new(-1.0).unwrap_err();
/// assert_eq!(error.field(), "factor");
/// assert_eq!(error.to_string(), "factor must not be negative");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConfigError {
    field: &'static str,
    /// A whole clause, since a panic in a `const` cannot put one together.
    rule: &'static str,
}

impl ConfigError {
    pub(crate) const fn new(field: &'static str, rule: &'static str) -> Self {
        Self { field, rule }
    }

    /// The setting that was refused.
    pub const fn field(&self) -> &'static str {
        self.field
    }

    /// The rule, as a clause that names the field.
    pub const fn rule(&self) -> &'static str {
        self.rule
    }

    /// Constants fail to compile here, with the rule as the message.
    #[track_caller]
    #[expect(clippy::panic, reason = "the documented panic of the forms for constants")]
    pub(crate) const fn panic(&self) -> ! {
        panic!("{}", self.rule)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule)
    }
}

impl core::error::Error for ConfigError {}
