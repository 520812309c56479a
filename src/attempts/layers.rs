//! What belongs to one run only, added to a run that you drive.

use super::{Attempts, SpanOf};
use crate::clock::Interrupt;
use crate::context::{Context, Deadline, WithBudget, WithCancel, WithDeadline, WithKey};
use crate::guard::budget::Budget;
use crate::idempotency::IdempotencyKey;
use crate::retry::Settings;

impl<C: Settings, X: Context<SpanOf<C>>> Attempts<C, X> {
    /// Adds a deadline, strict on waking too; of several the nearest counts.
    ///
    /// Add layers before the first attempt is handed out.
    pub fn deadline(self, deadline: Deadline<SpanOf<C>>) -> Attempts<C, WithDeadline<SpanOf<C>, X>> {
        let last = self.last;
        self.map_context(|inner| WithDeadline::new(deadline, last, inner))
    }

    /// Lets `token` call the run off.
    pub fn cancel<T: Interrupt>(self, token: T) -> Attempts<C, WithCancel<T, X>> {
        self.map_context(|inner| WithCancel { token, inner })
    }

    /// Takes retries out of `budget`, which is told every verdict and asked last.
    pub fn budget<B: Budget<SpanOf<C>>>(self, budget: B) -> Attempts<C, WithBudget<B, X>> {
        self.map_context(|inner| WithBudget::new(budget, inner))
    }

    /// Lets every attempt carry `key`.
    pub fn key(self, key: IdempotencyKey) -> Attempts<C, WithKey<X>> {
        self.map_context(|inner| WithKey { key, inner })
    }

    pub(crate) fn map_context<Y>(self, f: impl FnOnce(X) -> Y) -> Attempts<C, Y> {
        Attempts {
            settings: self.settings,
            context: f(self.context),
            state: self.state,
            last: self.last,
            elapsed: self.elapsed,
            left: self.left,
            begun: self.begun,
            first_failure: self.first_failure,
            made: self.made,
            serial: self.serial,
            phase: self.phase,
        }
    }
}
