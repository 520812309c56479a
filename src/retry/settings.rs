//! What a run borrows or owns.

use super::Limits;
use crate::policy::Policy;

/// The settings behind a run: a [`Retry`](crate::Retry), or a reference to one. You do not implement it.
pub trait Settings: sealed::Sealed {
    /// The policy in them.
    type Policy: Policy;

    /// The policy.
    fn policy(&self) -> &Self::Policy;

    /// The limits.
    fn limits(&self) -> &Limits<<Self::Policy as Policy>::Span>;
}

impl<C: Settings> Settings for &C {
    type Policy = C::Policy;

    #[inline]
    fn policy(&self) -> &C::Policy {
        (**self).policy()
    }

    #[inline]
    fn limits(&self) -> &Limits<<C::Policy as Policy>::Span> {
        (**self).limits()
    }
}

mod sealed {
    use crate::policy::Policy;
    use crate::retry::Retry;

    pub trait Sealed {}
    impl<P: Policy, K> Sealed for Retry<P, K> {}
    impl<C: Sealed> Sealed for &C {}
}
