//! Calling a run off from outside.

use core::num::NonZeroU8;
use core::sync::atomic::{AtomicU8, Ordering};

use super::Context;
use crate::clock::{self, Interrupt, Sleep};
use crate::span::Span;

/// A flag that calls runs off, with a cause; one byte, in a `static` if you like.
///
/// It only loads and stores, so it works where there is no compare-and-exchange (Cortex-M0), and can be set from an interrupt. A child is called off with
/// its parent. Where two set it in the same moment, one of the causes stays.
///
/// A run looks at it when a failure is reported, and after every wait; the operation itself is not interrupted. With an operating system, `CancelToken` also
/// wakes a sleeping run at once.
///
/// ```
/// use core::num::NonZeroU8;
/// use relent::CancelFlag;
///
/// static POWER_FAIL: CancelFlag = CancelFlag::new();
/// const BROWN_OUT: NonZeroU8 = NonZeroU8::new(3).unwrap();
///
/// let session = POWER_FAIL.child();
/// assert_eq!(session.cause(), None);
/// POWER_FAIL.cancel(BROWN_OUT); // in the interrupt
/// assert_eq!(session.cause(), Some(BROWN_OUT));
/// ```
#[derive(Debug, Default)]
pub struct CancelFlag<'p> {
    cause: AtomicU8,
    parent: Option<&'p CancelFlag<'p>>,
}

impl CancelFlag<'_> {
    /// A flag that is not set.
    pub const fn new() -> Self {
        Self { cause: AtomicU8::new(0), parent: None }
    }

    /// A flag that counts as set when this one is.
    pub const fn child(&self) -> CancelFlag<'_> {
        CancelFlag { cause: AtomicU8::new(0), parent: Some(self) }
    }

    /// Calls the runs off. The first cause stays.
    pub fn cancel(&self, cause: NonZeroU8) {
        if self.cause.load(Ordering::Acquire) == 0 {
            self.cause.store(cause.get(), Ordering::Release);
        }
    }

    /// Why the runs are called off; its own cause before its parent's.
    pub fn cause(&self) -> Option<NonZeroU8> {
        let mut flag = Some(self);
        while let Some(this) = flag {
            if let Some(cause) = NonZeroU8::new(this.cause.load(Ordering::Acquire)) {
                return Some(cause);
            }
            flag = this.parent;
        }
        None
    }
}

impl Interrupt for CancelFlag<'_> {
    fn is_set(&self) -> bool {
        self.cause().is_some()
    }
}

/// A run that can be called off.
#[derive(Clone, Copy, Debug)]
pub struct WithCancel<T, X> {
    pub(crate) token: T,
    pub(crate) inner: X,
}

impl<S: Span, T: Interrupt, X: Context<S>> Context<S> for WithCancel<T, X> {
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
    fn is_cancelled(&self) -> bool {
        self.token.is_set() || self.inner.is_cancelled()
    }

    #[inline]
    fn sleep<W: Sleep<Span = S>>(&self, world: &mut W, delay: S) {
        clock::sleep_out(world, delay, &self.token);
    }
}
