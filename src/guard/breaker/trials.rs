//! The trials that are out while half-open, and how long each is still awaited (R11).

use super::settings::MAX_PERMITS;
use crate::span::{Span, Ticks};

/// No ticket: the place is free.
const FREE: u32 = 0;

#[derive(Clone, Copy, Debug)]
pub(super) struct Trials<S: Span> {
    tickets: [u32; MAX_PERMITS],
    left: [S::Ticks; MAX_PERMITS],
}

impl<S: Span> Trials<S> {
    pub(super) const fn new() -> Self {
        Self { tickets: [FREE; MAX_PERMITS], left: [S::Ticks::ZERO; MAX_PERMITS] }
    }

    pub(super) fn clear(&mut self) {
        self.tickets = [FREE; MAX_PERMITS];
    }

    /// Takes back those whose time is over.
    pub(super) fn pass(&mut self, step: S::Ticks) {
        for (ticket, left) in self.tickets.iter_mut().zip(&mut self.left) {
            // The longest lifetime stands for ever.
            if *left < S::Ticks::MAX {
                *left = left.minus(step);
                if *left == S::Ticks::ZERO {
                    *ticket = FREE;
                }
            }
        }
    }

    /// Whether one of the first `permits` places was free for the trial.
    pub(super) fn take(&mut self, permits: u8, ticket: u32, lifetime: S::Ticks) -> bool {
        let mut places = self.tickets.iter_mut().zip(&mut self.left).take(usize::from(permits));
        let Some((place, left)) = places.find(|(place, _)| **place == FREE) else { return false };
        *place = ticket;
        *left = lifetime;
        true
    }

    /// Whether the trial was still awaited.
    pub(super) fn give_back(&mut self, ticket: u32) -> bool {
        let Some(place) = self.tickets.iter_mut().find(|place| **place == ticket) else { return false };
        *place = FREE;
        true
    }

    /// Whether the trial is still awaited after so much more time.
    pub(super) fn awaits(&self, ticket: u32, passed: S::Ticks) -> bool {
        let mut places = self.tickets.iter().zip(&self.left);
        places.any(|(place, left)| *place == ticket && (*left == S::Ticks::MAX || *left > passed))
    }

    /// How many are out.
    pub(super) fn out(&self) -> usize {
        self.tickets.iter().filter(|place| **place != FREE).count()
    }
}
