//! How an operation's error becomes an error and a verdict.

use core::fmt;

use crate::span::Span;
use crate::verdict::{Failure, Verdict};

/// Turns what an operation returns into the error that is handed back and the verdict on it. You do not implement it:
/// [`Retry::classify`](crate::Retry::classify) and [`Retry::explicit`](crate::Retry::explicit) do.
pub trait Classify<X, S: Span>: sealed::Sealed {
    /// The error that giving up hands back.
    type Error;

    /// The error and the verdict.
    fn classify(&self, error: X) -> Failure<Self::Error, S>;
}

/// Every error is worth a retry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Always;

impl<E, S: Span> Classify<E, S> for Always {
    type Error = E;

    #[inline]
    fn classify(&self, error: E) -> Failure<E, S> {
        Failure::transient(error)
    }
}

/// A function says what an error means; set by [`Retry::classify`](crate::Retry::classify).
#[derive(Clone, Copy)]
pub struct By<F>(pub(super) F);

impl<E, S: Span, F: Fn(&E) -> Verdict<S>> Classify<E, S> for By<F> {
    type Error = E;

    #[inline]
    fn classify(&self, error: E) -> Failure<E, S> {
        let verdict = (self.0)(&error);
        Failure::new(error, verdict)
    }
}

impl<F> fmt::Debug for By<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("By").finish_non_exhaustive()
    }
}

/// The operation says what its error means; set by [`Retry::explicit`](crate::Retry::explicit).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Explicit;

impl<E, S: Span> Classify<Failure<E, S>, S> for Explicit {
    type Error = E;

    #[inline]
    fn classify(&self, failure: Failure<E, S>) -> Failure<E, S> {
        failure
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Always {}
    impl<F> Sealed for super::By<F> {}
    impl Sealed for super::Explicit {}
}
