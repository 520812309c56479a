//! The blocking loop, in a world whose every reading and every wait comes out of the script.

use core::cell::{Cell, RefCell};
use core::marker::PhantomData;

use relent::policy::MaxRetries;
use relent::{Clock, Explicit, Exponential, Failure, Instant, Next, Retry, Sleep};

use super::super::bytes::Bytes;
use super::model::{Model, Phase, Unit};
use super::{check, constant, verdict, widened, word};

/// A clock whose every reading and every wait comes out of the script, and the model that is told of them.
struct World<'a, 'b> {
    bytes: &'a RefCell<&'a mut Bytes<'b>>,
    model: &'a RefCell<Model>,
    counter: Cell<i128>,
}

impl World<'_, '_> {
    /// Never further from what was told last than half the range, either way.
    fn step(&self, most: i128) {
        let half = 1 << (self.model.borrow().bits - 1);
        let step = i128::from(self.bytes.borrow_mut().below(64)) - 16;
        let told = self.model.borrow().counter;
        self.counter.set((self.counter.get() + step.min(most)).clamp(told - half + 1, told + half));
    }
}

struct Timer<'a, 'b, S>(&'a World<'a, 'b>, PhantomData<S>);

impl<S: Unit> Clock for Timer<'_, '_, S> {
    type Span = S;
    fn now(&self) -> Instant<S> {
        Instant::at(S::of(self.0.counter.get()))
    }
}

impl<S: Unit> Sleep for Timer<'_, '_, S> {
    /// Wakes late, or, if the clock stood still or stepped back, seems to wake too soon: it counts as waited all the same.
    fn sleep(&mut self, delay: S) {
        let world = self.0;
        let mut model = world.model.borrow_mut();
        assert!(matches!(model.phase, Phase::WaitingUntil(due) if due - model.now == delay.ticks()));
        let stands_still = world.bytes.borrow_mut().below(4) == 0;
        // A clock that stands still must not fall behind by half the range.
        let half = 1 << (S::BITS - 1);
        if !stands_still || model.counter + delay.ticks() - world.counter.get() >= half {
            world.counter.set(model.counter + delay.ticks());
        }
        model.counter += delay.ticks();
        model.now += delay.ticks();
        drop(model);
        // Between a quarter and half of the range a late wake looks like a step back, and a whole turn like none.
        if !(half / 2..=half).contains(&delay.ticks()) && delay.ticks() < 2 * half - 64 {
            world.step(if stands_still { 0 } else { i128::MAX });
        }
        let counter = world.counter.get();
        world.model.borrow_mut().tell(counter);
    }
}

pub(super) fn law<S: Unit>(bytes: &mut Bytes, retry: &Retry<MaxRetries<Exponential<S>>, Explicit>, model: Model) {
    let chosen = word(bytes);
    let (wide, calls) = widened::<S>(chosen);
    let drawn = Cell::new(0);
    let counter = Cell::new(model.counter);
    let (bytes, model) = (RefCell::new(bytes), RefCell::new(model));
    let world = World { bytes: &bytes, model: &model, counter };
    let last = Cell::new(0);
    let expected = Cell::new((Next::Stale, 0));
    let result = retry
        .on(Timer(&world, PhantomData), constant(chosen, &drawn))
        .notify(|event| {
            let (next, words) = expected.get();
            assert_eq!((event.next(), drawn.take()), (next, words * calls));
            assert_eq!((*event.error(), event.attempt()), (last.get(), model.borrow().made));
            assert_eq!(event.elapsed().ticks(), model.borrow().elapsed());
        })
        .run_with(|attempt, _| {
            model.borrow_mut().begin();
            check(attempt, &model.borrow());
            world.step(i128::MAX);
            last.set(attempt.number());
            if bytes.borrow_mut().next().is_none_or(|op| op == 0) {
                return Ok(());
            }
            let verdict = verdict(&mut bytes.borrow_mut());
            let mut model = model.borrow_mut();
            model.tell(world.counter.get());
            expected.set(model.failed(verdict, wide));
            Err(Failure::new(attempt.number(), verdict))
        });
    let model = model.borrow();
    match (result, expected.get().0) {
        (Ok(()), _) => assert!(matches!(model.phase, Phase::InFlightSince(_))),
        (Err(gave_up), Next::GiveUp(reason)) => {
            assert_eq!((gave_up.reason(), gave_up.attempts()), (reason, model.made));
            assert_eq!(gave_up.elapsed().ticks(), model.elapsed());
            assert_eq!(gave_up.into_error(), model.made);
        }
        (Err(gave_up), next) => panic!("{gave_up:?} after {next:?}"),
    }
}
