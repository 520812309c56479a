//! The key that all attempts of a run share.

use super::Context;
use crate::idempotency::IdempotencyKey;
use crate::span::Span;

/// A run whose attempts carry a key.
#[derive(Clone, Copy, Debug)]
pub struct WithKey<X> {
    pub(crate) key: IdempotencyKey,
    pub(crate) inner: X,
}

impl<S: Span, X: Context<S>> Context<S> for WithKey<X> {
    type Inner = X;

    #[inline]
    fn inner(&self) -> &X {
        &self.inner
    }

    #[inline]
    fn inner_mut(&mut self) -> &mut X {
        &mut self.inner
    }

    #[inline]
    fn key(&self) -> Option<IdempotencyKey> {
        Some(self.key)
    }
}
