//! A world in virtual time that writes down what is asked of it.

#![allow(dead_code, reason = "each test file uses its part")]

use std::cell::{Cell, RefCell};

use relent::rng::{self, Rng};
use relent::testing::ManualClock;
use relent::{Clock, Instant, Sleep, Span};

/// A clock moved by hand, with a list of the waits asked for and of the times at which the operation was called.
pub(crate) struct World<S: Span> {
    pub(crate) clock: ManualClock<S>,
    waits: RefCell<Vec<S>>,
    calls: RefCell<Vec<Instant<S>>>,
    late: Cell<Option<S>>,
}

impl<S: Span> World<S> {
    pub(crate) fn new() -> Self {
        Self::on(ManualClock::new())
    }

    pub(crate) fn starting_at(now: S) -> Self {
        Self::on(ManualClock::starting_at(Instant::at(now)))
    }

    fn on(clock: ManualClock<S>) -> Self {
        Self { clock, waits: RefCell::default(), calls: RefCell::default(), late: Cell::new(None) }
    }

    /// Every sleep takes so much longer than asked.
    pub(crate) fn waking_late_by(self, late: S) -> Self {
        self.late.set(Some(late));
        self
    }

    /// One call of an operation: notes the time, lets `cost` pass, gives `result`.
    pub(crate) fn call<T>(&self, cost: S, result: T) -> T {
        self.calls.borrow_mut().push(self.clock.now());
        self.clock.advance(cost);
        result
    }

    pub(crate) fn waits(&self) -> Vec<S> {
        self.waits.borrow().clone()
    }

    /// How often the operation was called.
    pub(crate) fn calls(&self) -> usize {
        self.calls.borrow().len()
    }

    /// When the operation was called, counted from `start`.
    pub(crate) fn called_at(&self, start: S) -> Vec<S> {
        self.calls.borrow().iter().map(|at| at.since(Instant::at(start))).collect()
    }
}

impl<S: Span> Clock for World<S> {
    type Span = S;

    fn now(&self) -> Instant<S> {
        self.clock.now()
    }
}

impl<S: Span> Sleep for &World<S> {
    fn sleep(&mut self, delay: S) {
        self.waits.borrow_mut().push(delay);
        self.clock.advance(delay);
        if let Some(late) = self.late.get() {
            self.clock.advance(late);
        }
    }
}

/// A generator for where nothing is to be drawn: taking a word fails the test.
pub(crate) fn nothing_to_draw() -> impl Rng {
    rng::from_fn(|| panic!("a word was drawn where the band has no width"))
}
