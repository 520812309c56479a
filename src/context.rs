//! What belongs to one run only: its deadline, its cancellation, its budget.
//!
//! Added at [`Retry::on`](crate::Retry::on) for the blocking loop, and at [`Retry::start`](crate::Retry::start) for the polled machine, by the same
//! words. Each adds a layer around the one before; a run without any is `()` and costs nothing.
//!
//! ```
//! use relent::{CancelFlag, Constant, Deadline, Instant, Reason, Retry, testing::{ManualClock, Script}};
//!
//! let clock = ManualClock::new();
//! let flag = CancelFlag::new();
//! let gave_up = Retry::new(Constant::new(2_000_u32))
//!     .on(&clock, Script::new([0]))
//!     .deadline(Deadline::after(Instant::at(0), 5_000))
//!     .cancel(&flag)
//!     .run(|| Err::<(), _>("no answer"))
//!     .unwrap_err();
//! // Calls at 0, 2 and 4 s; the next would be beyond the deadline, so it is not waited for.
//! assert_eq!(gave_up.reason(), Reason::Deadline { left: 1_000, delay: 2_000 });
//! assert_eq!(gave_up.elapsed(), 4_000);
//! ```

mod breaker;
mod budget;
mod cancel;
mod deadline;
mod key;

pub use breaker::WithBreaker;
pub use budget::WithBudget;
pub use cancel::{CancelFlag, WithCancel};
pub use deadline::{Deadline, WithDeadline};
pub use key::WithKey;

use crate::clock::{Instant, Sleep};
use crate::gave_up::Reason;
use crate::guard::budget::FailureKind;
use crate::idempotency::IdempotencyKey;
use crate::span::{Sealed, Span};

/// One layer, around all the others of a run. You do not implement it.
pub trait Context<S: Span>: sealed::Sealed {
    /// The layer within.
    type Inner: Context<S>;

    /// The layer within.
    fn inner(&self) -> &Self::Inner;

    /// The layer within.
    fn inner_mut(&mut self) -> &mut Self::Inner;

    /// The first attempt is about to be made.
    #[inline]
    fn begin(&mut self, now: Instant<S>) {
        self.inner_mut().begin(now);
    }

    /// So much time has passed.
    #[inline]
    fn pass(&mut self, step: <S as Sealed>::Ticks) {
        self.inner_mut().pass(step);
    }

    /// The time left; `None` without a deadline.
    #[inline]
    fn time_left(&self) -> Option<<S as Sealed>::Ticks> {
        self.inner().time_left()
    }

    /// Whether somebody called the run off.
    #[inline]
    fn is_cancelled(&self) -> bool {
        self.inner().is_cancelled()
    }

    /// An attempt failed in this way.
    #[inline]
    fn failed(&mut self, kind: FailureKind, now: Instant<S>) {
        self.inner_mut().failed(kind, now);
    }

    /// An attempt succeeded.
    #[inline]
    fn succeeded(&mut self, now: Instant<S>) {
        self.inner_mut().succeeded(now);
    }

    /// Asked last, when all else allows a retry: why there is none after all. `None` spends it.
    #[inline]
    fn refuse(&mut self, kind: FailureKind, now: Instant<S>) -> Option<Reason<S>> {
        self.inner_mut().refuse(kind, now)
    }

    /// Asked after a wait: why the retry is not made after all.
    #[inline]
    fn stopped(&self, now: Instant<S>) -> Option<Reason<S>> {
        self.inner().stopped(now)
    }

    /// The key under which all attempts of the run go, if it has one.
    #[inline]
    fn key(&self) -> Option<IdempotencyKey> {
        self.inner().key()
    }

    /// Waits, or until the run is called off.
    #[inline]
    fn sleep<W: Sleep<Span = S>>(&self, world: &mut W, delay: S) {
        self.inner().sleep(world, delay);
    }
}

/// No layer at all.
impl<S: Span> Context<S> for () {
    type Inner = ();

    fn inner(&self) -> &() {
        self
    }

    fn inner_mut(&mut self) -> &mut () {
        self
    }

    #[inline]
    fn begin(&mut self, _: Instant<S>) {}

    #[inline]
    fn pass(&mut self, _: <S as Sealed>::Ticks) {}

    #[inline]
    fn time_left(&self) -> Option<<S as Sealed>::Ticks> {
        None
    }

    #[inline]
    fn is_cancelled(&self) -> bool {
        false
    }

    #[inline]
    fn failed(&mut self, _: FailureKind, _: Instant<S>) {}

    #[inline]
    fn succeeded(&mut self, _: Instant<S>) {}

    #[inline]
    fn refuse(&mut self, _: FailureKind, _: Instant<S>) -> Option<Reason<S>> {
        None
    }

    #[inline]
    fn stopped(&self, _: Instant<S>) -> Option<Reason<S>> {
        None
    }

    #[inline]
    fn key(&self) -> Option<IdempotencyKey> {
        None
    }

    #[inline]
    fn sleep<W: Sleep<Span = S>>(&self, world: &mut W, delay: S) {
        world.sleep(delay);
    }
}

mod sealed {
    use crate::span::Span;

    pub trait Sealed {}
    impl Sealed for () {}
    impl<S: Span, X> Sealed for super::WithDeadline<S, X> {}
    impl<T, X> Sealed for super::WithCancel<T, X> {}
    impl<B, X> Sealed for super::WithBudget<B, X> {}
    impl<X> Sealed for super::WithKey<X> {}
    impl<G, X> Sealed for super::WithBreaker<'_, G, X> {}
}
