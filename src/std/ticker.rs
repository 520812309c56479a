//! Ticks from a thread of their own.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use core::fmt;
use core::time::Duration;

use super::{FromOs, System, from_os};
use crate::policy::{self, Policy};
use crate::span::Sealed;
use crate::ticker::Ticker;

impl<P: Policy<Span = Duration>> Ticker<P, System, FromOs> {
    /// Ticks at the pace of `policy` on the system's clock.
    ///
    /// ```
    /// use core::time::Duration;
    /// use relent::{Constant, Ticker};
    ///
    /// let ticks = Ticker::system(Constant::new(Duration::from_millis(1))).take(3);
    /// assert_eq!(ticks.count(), 3);
    /// ```
    pub fn system(policy: P) -> Self {
        Self::new(policy, System::new(), from_os())
    }

    /// The same from a thread, for those who also wait for something else: the receiver can look without waiting, or wait for so long.
    ///
    /// The thread ends when the policy ends, when the ticker is [stopped](TickerThread::stop) or dropped, and when the receiver is dropped; during a
    /// wait, at once.
    ///
    /// # Panics
    ///
    /// If the system cannot make another thread.
    ///
    /// ```
    /// use core::time::Duration;
    /// use relent::{Constant, Ticker};
    ///
    /// let (ticker, ticks) = Ticker::channel(Constant::new(Duration::from_secs(30)));
    /// assert!(ticks.recv().is_some());
    /// assert!(ticks.try_recv().is_none()); // half a minute to go
    /// ticker.stop();
    /// assert!(ticks.recv().is_none());
    /// ```
    pub fn channel(policy: P) -> (TickerThread, TickReceiver)
    where
        P: Send + 'static,
    {
        let shared = Arc::new(Shared { slot: Mutex::default(), changed: Condvar::new() });
        let ticker = shared.clone();
        let thread = thread::spawn(move || ticker.tick(&policy, from_os()));
        (TickerThread { shared: shared.clone(), thread: Some(thread) }, TickReceiver { shared })
    }
}

struct Shared {
    slot: Mutex<Slot>,
    changed: Condvar,
}

/// At most one tick waits.
#[derive(Default)]
struct Slot {
    pending: Option<Instant>,
    /// When the latest tick was taken, for the thread to count from.
    taken: Option<Instant>,
    ended: bool,
}

impl Shared {
    /// Nothing that changes the slot can panic half way, so a lock that a panic has poisoned is taken as any other.
    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self) {
        *self.lock() = Slot { ended: true, ..Slot::default() };
        self.changed.notify_all();
    }

    /// Waits while `waiting` holds, at most until `until`.
    fn wait<'a>(
        &self,
        mut slot: MutexGuard<'a, Slot>,
        until: Option<Instant>,
        waiting: impl Fn(&Slot) -> bool,
    ) -> MutexGuard<'a, Slot> {
        while waiting(&slot) {
            slot = match until {
                None => self.changed.wait(slot).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        break;
                    }
                    self.changed.wait_timeout(slot, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        slot
    }

    fn tick<P: Policy<Span = Duration>>(&self, policy: &P, mut rng: FromOs) {
        let _end = EndOnDrop(self);
        let mut state = policy.start();
        loop {
            let mut slot = self.lock();
            if slot.ended {
                return;
            }
            slot.pending = Some(Instant::now());
            self.changed.notify_all();
            slot = self.wait(slot, None, |slot| slot.pending.is_some() && !slot.ended);
            let Some(taken) = slot.taken.take().filter(|_| !slot.ended) else { return };
            // The policy is the caller's: it may take its time, panic, or stop this ticker.
            drop(slot);
            let Some(band) = policy.next(&mut state) else { return };
            let delay = match policy::draw(policy, &mut state, band, &mut rng) {
                Ok(delay) => Sealed::from_ticks(delay),
            };
            // A wait that the clock cannot represent does not end.
            let due = taken.checked_add(delay);
            drop(self.wait(self.lock(), due, |slot| !slot.ended));
        }
    }
}

/// The receiver hears of the end whatever ended the thread.
struct EndOnDrop<'a>(&'a Shared);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// The thread behind [`Ticker::channel`]. Dropping it stops the ticks.
pub struct TickerThread {
    shared: Arc<Shared>,
    thread: Option<thread::JoinHandle<()>>,
}

impl TickerThread {
    /// No more ticks: a wait ends at once. Stopping twice is harmless.
    pub fn stop(&self) {
        self.shared.end();
    }

    /// Whether the thread has ended.
    pub fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(thread::JoinHandle::is_finished)
    }
}

/// Waits for the thread to end, which it does as soon as its policy has answered.
impl Drop for TickerThread {
    fn drop(&mut self) {
        self.stop();
        // A policy may own its ticker; its thread does not wait for itself.
        if let Some(thread) = self.thread.take().filter(|thread| thread.thread().id() != thread::current().id()) {
            // It runs a policy of the caller's, which may have panicked; that is no reason to panic in a drop.
            drop(thread.join());
        }
    }
}

impl fmt::Debug for TickerThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TickerThread").field("finished", &self.is_finished()).finish_non_exhaustive()
    }
}

/// Where the ticks of [`Ticker::channel`] arrive; also an iterator. A tick is the moment at which it was due.
pub struct TickReceiver {
    shared: Arc<Shared>,
}

impl TickReceiver {
    /// Waits for the next tick; `None` when there will be none.
    pub fn recv(&self) -> Option<Instant> {
        self.take(None)
    }

    /// Waits for the next tick for at most `limit`; `None` when there was none.
    pub fn recv_timeout(&self, limit: Duration) -> Option<Instant> {
        match Instant::now().checked_add(limit) {
            Some(until) => self.take(Some(until)),
            None => self.take(None),
        }
    }

    /// The next tick, if it is there.
    pub fn try_recv(&self) -> Option<Instant> {
        self.take(Some(Instant::now()))
    }

    /// Whether there will be no more ticks.
    pub fn is_over(&self) -> bool {
        self.shared.lock().ended
    }

    fn take(&self, until: Option<Instant>) -> Option<Instant> {
        let mut slot = self.shared.wait(self.shared.lock(), until, |slot| slot.pending.is_none() && !slot.ended);
        let tick = slot.pending.take()?;
        slot.taken = Some(Instant::now());
        self.shared.changed.notify_all();
        Some(tick)
    }
}

impl Iterator for TickReceiver {
    type Item = Instant;

    fn next(&mut self) -> Option<Instant> {
        self.recv()
    }
}

impl Drop for TickReceiver {
    fn drop(&mut self) {
        self.shared.end();
    }
}

impl fmt::Debug for TickReceiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TickReceiver").finish_non_exhaustive()
    }
}
