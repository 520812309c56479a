//! Calling runs off from another thread, at once.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use core::error::Error;
use core::fmt;
use core::time::Duration;

use crate::clock::Interrupt;

type Cause = Arc<dyn Error + Send + Sync>;

/// A token that calls runs off, with any cause, and wakes those that sleep.
///
/// Clones are the same token. A [`child`](Self::child) is called off with its parent, but not the other way round. The first cause stays.
///
/// A run under [`System`](crate::System) that waits half a minute is back within milliseconds. The operation itself is not interrupted: give it
/// [`Attempt::allowance`](crate::Attempt::allowance), or a token of its own.
///
/// ```
/// use core::time::Duration;
/// use std::thread;
/// use relent::{CancelToken, Constant, Reason, Retry, System, rng};
///
/// let token = CancelToken::new();
/// let on_signal = token.clone();
/// thread::spawn(move || on_signal.cancel("interrupted by the user"));
///
/// let gave_up = Retry::new(Constant::new(Duration::from_secs(30)))
///     .on(System::new(), rng::from_os())
///     .cancel(&token)
///     .run(|| Err::<(), _>("no answer"))
///     .unwrap_err();
/// assert_eq!(gave_up.reason(), Reason::Cancelled);
/// assert_eq!(gave_up.error(), &"no answer");
/// assert_eq!(token.cause().unwrap().to_string(), "interrupted by the user");
/// ```
#[derive(Clone)]
pub struct CancelToken {
    inner: Arc<Inner>,
}

struct Inner {
    state: Mutex<State>,
    set: Condvar,
    /// Kept for its list of children: a token in the middle may be dropped before those below it.
    parent: Option<Arc<Inner>>,
}

#[derive(Default)]
struct State {
    cause: Option<Cause>,
    children: Vec<Weak<Inner>>,
}

impl Inner {
    fn new(cause: Option<Cause>, parent: Option<Arc<Self>>) -> Arc<Self> {
        let state = Mutex::new(State { cause, children: Vec::new() });
        Arc::new(Self { state, set: Condvar::new(), parent })
    }

    /// A thread that panicked while it held the lock has left nothing half done: every change is one assignment.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets this one and wakes those who wait for it; gives the children it had, if it was not set before.
    fn set(&self, cause: &Cause) -> Vec<Weak<Self>> {
        let mut state = self.lock();
        if state.cause.is_some() {
            return Vec::new();
        }
        state.cause = Some(cause.clone());
        let children = core::mem::take(&mut state.children);
        drop(state);
        self.set.notify_all();
        children
    }

    /// One lock at a time, and no recursion however deep the children go.
    fn cancel(&self, cause: &Cause) {
        let mut pending = self.set(cause);
        while let Some(child) = pending.pop() {
            if let Some(child) = child.upgrade() {
                pending.append(&mut child.set(cause));
            }
        }
    }
}

impl Drop for Inner {
    /// Lets go of the ancestors one by one, where a chain of them would recurse.
    fn drop(&mut self) {
        let mut parent = self.parent.take();
        while let Some(mut inner) = parent.and_then(Arc::into_inner) {
            parent = inner.parent.take();
        }
    }
}

impl CancelToken {
    /// A token that is not set.
    pub fn new() -> Self {
        Self { inner: Inner::new(None, None) }
    }

    /// A token that is set when this one is, and can be set alone.
    pub fn child(&self) -> Self {
        let mut state = self.inner.lock();
        if state.cause.is_some() {
            return Self { inner: Inner::new(state.cause.clone(), None) };
        }
        let child = Inner::new(None, Some(self.inner.clone()));
        // Looked through only when full, and then made twice as long as what lives: each child pays for a few others.
        let children = &mut state.children;
        if children.len() == children.capacity() {
            children.retain(|child| child.strong_count() > 0);
            children.reserve(children.len().saturating_add(1));
        }
        children.push(Arc::downgrade(&child));
        Self { inner: child }
    }

    /// Calls the runs off and wakes them. A cause is any error, or a text.
    pub fn cancel(&self, cause: impl Into<Box<dyn Error + Send + Sync>>) {
        self.inner.cancel(&Cause::from(cause.into()));
    }

    /// Why the runs are called off.
    pub fn cause(&self) -> Option<Arc<dyn Error + Send + Sync>> {
        self.inner.lock().cause.clone()
    }

    /// Whether the runs are called off.
    pub fn is_cancelled(&self) -> bool {
        self.inner.lock().cause.is_some()
    }
}

impl Default for CancelToken {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelToken").field("cause", &self.cause()).finish()
    }
}

impl Interrupt for CancelToken {
    fn is_set(&self) -> bool {
        self.is_cancelled()
    }

    fn block(&self, at_most: Duration) -> bool {
        let state = self.inner.lock();
        drop(self.inner.set.wait_timeout_while(state, at_most, |state| state.cause.is_none()));
        true
    }
}
