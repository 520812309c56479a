//! Calling a run off: before it, while it works, while it waits.
//!
//! The cancellation rows of the parity with the Go library cenkalti/backoff v5.0.3 are here.

mod rig;

use std::cell::Cell;
use std::num::NonZeroU8;

use relent::clock::Interrupt;
use relent::testing::ManualClock;
use relent::{
    CancelFlag, Clock, Constant, Deadline, Instant, Next, Policy, Reason, Retry, Sleep, Step, Ticker, Verdict,
};
use rig::{World, nothing_to_draw};

const LOW_BATTERY: NonZeroU8 = NonZeroU8::new(1).unwrap();
const SHUTDOWN: NonZeroU8 = NonZeroU8::new(2).unwrap();

fn at(ticks: u32) -> Instant<u32> {
    Instant::at(ticks)
}

const SECONDS: Retry<Constant<u32>> = Retry::new(Constant::new(1_000));

/// A world that sets a flag at a moment, and comes back then from a wait that can be called off; now and then also without reason.
struct Wakeable<'f> {
    clock: ManualClock<u32>,
    flag: &'f CancelFlag<'f>,
    set_at: u32,
    spurious_every: u32,
    waits: Vec<u32>,
}

impl<'f> Wakeable<'f> {
    fn new(flag: &'f CancelFlag<'f>, set_at: u32) -> Self {
        Self { clock: ManualClock::new(), flag, set_at, spurious_every: u32::MAX, waits: Vec::new() }
    }

    fn waking_without_reason_every(mut self, span: u32) -> Self {
        self.spurious_every = span;
        self
    }

    fn pass(&mut self, span: u32) {
        self.clock.advance(span);
        if self.clock.now().since(at(0)) >= self.set_at {
            self.flag.cancel(SHUTDOWN);
        }
    }
}

impl Clock for Wakeable<'_> {
    type Span = u32;

    fn now(&self) -> Instant<u32> {
        self.clock.now()
    }
}

impl Sleep for Wakeable<'_> {
    fn sleep(&mut self, delay: u32) {
        self.waits.push(delay);
        self.pass(delay);
    }

    fn sleep_unless(&mut self, delay: u32, interrupt: &dyn Interrupt) {
        self.waits.push(delay);
        if !interrupt.is_set() {
            let until_set = self.set_at.saturating_sub(self.clock.now().since(at(0)));
            self.pass(delay.min(until_set).min(self.spurious_every));
        }
    }
}

#[test]
fn parity_success_is_success_when_cancelled_meanwhile() {
    let (world, flag) = (World::<u32>::new(), CancelFlag::new());
    let value = SECONDS.on(&world, nothing_to_draw()).cancel(&flag).run(|| {
        flag.cancel(SHUTDOWN);
        Ok::<_, ()>(7)
    });
    assert_eq!(value, Ok(7));
}

#[test]
fn parity_cancelled_before_the_call_it_is_made_once_and_its_error_is_kept() {
    let (world, flag) = (World::new(), CancelFlag::new());
    flag.cancel(SHUTDOWN);
    let run = SECONDS.on(&world, nothing_to_draw()).cancel(&flag);
    let gave_up = run.run(|| world.call(300, Err::<(), _>("down"))).unwrap_err();
    assert_eq!((gave_up.reason(), gave_up.attempts(), gave_up.elapsed()), (Reason::Cancelled, 1, 300));
    assert_eq!((gave_up.into_error(), flag.cause()), ("down", Some(SHUTDOWN)));
    assert_eq!((world.calls(), world.waits().len()), (1, 0));
    let run = SECONDS.on(&world, nothing_to_draw()).cancel(&flag);
    assert_eq!(run.run(|| Ok::<_, ()>(7)), Ok(7));
}

#[test]
fn parity_cancelled_while_waiting_it_returns_at_that_moment_with_cause_and_error() {
    let flag = CancelFlag::new();
    let mut world = Wakeable::new(&flag, 30_400);
    let mut told = Vec::new();
    let retry = Retry::new(Constant::new(30_000_u32));
    let run = retry.on(&mut world, nothing_to_draw()).notify(|event| told.push((event.attempt(), event.next())));
    let mut calls = 0;
    let gave_up = run
        .cancel(&flag)
        .run(|| {
            calls += 1;
            Err::<(), _>(calls)
        })
        .unwrap_err();
    assert_eq!((gave_up.reason(), *gave_up.error(), gave_up.elapsed()), (Reason::Cancelled, 2, 30_400));
    assert_eq!(flag.cause(), Some(SHUTDOWN));
    assert_eq!(world.waits, [30_000; 2]);
    let waits = [(1, Next::Wait(30_000)), (2, Next::Wait(30_000)), (2, Next::GiveUp(Reason::Cancelled))];
    assert_eq!(told, waits);
}

#[test]
fn parity_a_delay_of_zero_with_a_cancellation_inside_notify_stops() {
    let (world, flag) = (World::new(), CancelFlag::new());
    let retry = Retry::new(Constant::new(0_u32));
    let run = retry.on(&world, nothing_to_draw()).notify(|event| {
        if event.attempt() == 3 {
            flag.cancel(SHUTDOWN);
        }
    });
    let gave_up = run.cancel(&flag).run(|| world.call(0, Err::<(), _>("down"))).unwrap_err();
    assert_eq!((gave_up.reason(), gave_up.attempts(), world.calls()), (Reason::Cancelled, 3, 3));
    // The third is not begun any more: it was called off before.
    assert_eq!(world.waits(), [0; 2]);
}

#[test]
fn a_wait_that_returns_early_without_its_token_being_set_is_slept_to_the_end() {
    let flag = CancelFlag::new();
    let mut world = Wakeable::new(&flag, u32::MAX).waking_without_reason_every(400);
    let retry = SECONDS.with_max_attempts(3);
    let mut called = Vec::new();
    let run = retry.on(&mut world, nothing_to_draw()).cancel(&flag);
    _ = run.run_with(|_, lent| {
        called.push(lent.world.now().since(at(0)));
        Err::<(), _>("down")
    });
    assert_eq!(called, [0, 1_000, 2_000]);
    assert_eq!(world.waits, [1_000, 600, 200, 1_000, 600, 200]);
    // And when it is set in the middle of such a wait, that ends there.
    let mut world = Wakeable::new(&flag, 1_700).waking_without_reason_every(400);
    let run = SECONDS.on(&mut world, nothing_to_draw()).cancel(&flag);
    let gave_up = run.run(|| Err::<(), _>("down")).unwrap_err();
    assert_eq!((gave_up.reason(), gave_up.elapsed()), (Reason::Cancelled, 1_700));
}

#[test]
fn a_tick_too_is_slept_to_the_end() {
    let flag = CancelFlag::new();
    let world = Wakeable::new(&flag, 2_500).waking_without_reason_every(300);
    let ticks = Ticker::new(Constant::new(1_000), world, nothing_to_draw()).until(&flag);
    assert_eq!(ticks.collect::<Vec<_>>(), [0, 1_000, 2_000].map(at));
}

#[test]
fn without_a_token_nothing_is_looked_at() {
    let (world, flag) = (World::new(), CancelFlag::new());
    flag.cancel(SHUTDOWN);
    let retry = SECONDS.with_max_attempts(3);
    let gave_up = retry.run(&world, nothing_to_draw(), || world.call(0, Err::<(), _>("down"))).unwrap_err();
    assert_eq!(gave_up.reason(), Reason::Attempts);
}

/// A policy that counts how often it is asked.
#[derive(Clone, Copy)]
struct Asked<'a>(&'a Cell<u32>);

impl Policy for Asked<'_> {
    type Span = u32;
    type State = ();
    fn start(&self) {}
    fn next(&self, (): &mut ()) -> Option<relent::Band<u32>> {
        self.0.set(self.0.get() + 1);
        None
    }
}

#[test]
fn r5_permanent_before_cancelled_before_attempts_before_the_policy() {
    let (world, flag, asked) = (World::new(), CancelFlag::new(), Cell::new(0));
    flag.cancel(SHUTDOWN);
    let retry = Retry::new(Asked(&asked)).with_max_attempts(1).with_max_elapsed(0);
    let past = Deadline::after(at(0), 0);
    let fail = || world.call(10, Err::<(), _>("down"));
    let permanent = retry.classify(|_: &&str| Verdict::Permanent);
    let run = permanent.on(&world, nothing_to_draw()).cancel(&flag).deadline(past);
    assert_eq!(run.run(fail).unwrap_err().reason(), Reason::Permanent);
    let run = retry.on(&world, nothing_to_draw()).deadline(past).cancel(&flag);
    assert_eq!(run.run(fail).unwrap_err().reason(), Reason::Cancelled);
    let run = retry.on(&world, nothing_to_draw()).deadline(past);
    assert_eq!(run.run(fail).unwrap_err().reason(), Reason::Attempts);
    assert_eq!(asked.get(), 0);
    let retry = Retry::new(Asked(&asked)).with_max_elapsed(0);
    let run = retry.on(&world, nothing_to_draw()).deadline(past);
    assert_eq!(run.run(fail).unwrap_err().reason(), Reason::PolicyEnded);
    assert_eq!(asked.get(), 1);
}

#[test]
fn r5_cancelled_before_beyond_the_deadline_on_waking() {
    let flag = CancelFlag::new();
    let mut world = Wakeable::new(&flag, 500);
    let run = SECONDS.on(&mut world, nothing_to_draw()).deadline(Deadline::after(at(0), 1_001)).cancel(&flag);
    let gave_up = run.run(|| Err::<(), _>("down")).unwrap_err();
    assert_eq!((gave_up.reason(), gave_up.elapsed()), (Reason::Cancelled, 500));
    // Both at once.
    let mut run = SECONDS.start(at(0)).deadline(Deadline::after(at(0), 1_001)).cancel(&flag);
    let Step::Attempt(first) = run.poll(at(0)) else { panic!("due at once") };
    assert_eq!(run.fail(first, at(0), Verdict::Retry, &mut nothing_to_draw()), Next::GiveUp(Reason::Cancelled));
}

#[test]
fn polled_the_wait_ends_when_the_flag_is_set_and_stays_ended() {
    let flag = CancelFlag::new();
    let mut run = SECONDS.start(at(0)).cancel(&flag);
    let Step::Attempt(first) = run.poll(at(0)) else { panic!("due at once") };
    assert_eq!(run.interrupted(), None);
    assert_eq!(run.fail(first, at(0), Verdict::Retry, &mut nothing_to_draw()), Next::Wait(1_000));
    assert_eq!(run.poll(at(400)), Step::Wait(600));
    flag.cancel(LOW_BATTERY);
    assert_eq!(run.poll(at(401)), Step::Done);
    assert_eq!((run.interrupted(), run.elapsed()), (Some(Reason::Cancelled), 401));
    run.retry_now();
    for later in [402, 1_000, 5_000] {
        assert_eq!(run.poll(at(later)), Step::Done);
    }
    assert_eq!((run.attempts(), run.interrupted()), (1, Some(Reason::Cancelled)));
}

#[test]
fn polled_an_attempt_in_flight_is_not_taken_away() {
    let flag = CancelFlag::new();
    let retry = SECONDS.with_attempt_timeout(500);
    let mut run = retry.start(at(0)).deadline(Deadline::after(at(0), 450)).cancel(&flag);
    let Step::Attempt(old) = run.poll(at(0)) else { panic!("due at once") };
    flag.cancel(LOW_BATTERY);
    assert_eq!(run.poll(at(449)), Step::InFlight);
    assert_eq!(run.interrupted(), None);
    let Step::TimedOut(fresh) = run.poll(at(450)) else { panic!("no time is left for it") };
    assert_eq!(run.fail(old, at(501), Verdict::Retry, &mut nothing_to_draw()), Next::Stale);
    assert_eq!(run.fail(fresh, at(502), Verdict::Retry, &mut nothing_to_draw()), Next::GiveUp(Reason::Cancelled));
    assert_eq!(run.poll(at(503)), Step::Done);
    assert_eq!(run.interrupted(), None, "the end was told by `fail`");
}

#[test]
fn polled_a_token_is_stale_after_the_run_was_called_off() {
    let flag = CancelFlag::new();
    let retry = SECONDS.with_attempt_timeout(500);
    let mut run = retry.start(at(0)).cancel(&flag);
    let Step::Attempt(old) = run.poll(at(0)) else { panic!("due at once") };
    let Step::TimedOut(fresh) = run.poll(at(500)) else { panic!("timed out") };
    assert_eq!(run.fail(fresh, at(500), Verdict::Retry, &mut nothing_to_draw()), Next::Wait(1_000));
    flag.cancel(SHUTDOWN);
    assert_eq!(run.poll(at(600)), Step::Done);
    assert_eq!(run.fail(old, at(700), Verdict::Retry, &mut nothing_to_draw()), Next::Stale);
    assert_eq!((run.attempts(), run.elapsed(), run.interrupted()), (1, 600, Some(Reason::Cancelled)));
}

#[test]
fn a_first_attempt_that_is_waited_for_is_made_whatever_is_set() {
    let flag = CancelFlag::new();
    flag.cancel(SHUTDOWN);
    let retry = Retry::new([10_u32, 20]);
    let mut run = retry.start_waiting(at(0), &mut nothing_to_draw()).deadline(Deadline::after(at(0), 5)).cancel(&flag);
    assert_eq!(run.poll(at(0)), Step::Wait(10));
    assert!(matches!(run.poll(at(10)), Step::Attempt(_)));
}

static BUS_FAULT: CancelFlag = CancelFlag::new();

#[test]
fn a_flag_can_be_static_and_a_child_follows_its_parent() {
    let session = BUS_FAULT.child();
    let request = session.child();
    request.cancel(LOW_BATTERY);
    assert_eq!([BUS_FAULT.cause(), session.cause(), request.cause()], [None, None, Some(LOW_BATTERY)]);
    BUS_FAULT.cancel(SHUTDOWN);
    BUS_FAULT.cancel(LOW_BATTERY);
    assert_eq!(BUS_FAULT.cause(), Some(SHUTDOWN), "the first cause stays");
    assert_eq!(session.cause(), Some(SHUTDOWN), "its parent's");
    assert_eq!(request.cause(), Some(LOW_BATTERY), "its own before its parent's");
    assert_eq!(session.child().cause(), Some(SHUTDOWN), "born called off");
    let gave_up = SECONDS.on(&World::new(), nothing_to_draw()).cancel(&session).run(|| Err::<(), _>("down"));
    assert_eq!(gave_up.unwrap_err().reason(), Reason::Cancelled);
    assert_eq!(std::mem::size_of_val(&BUS_FAULT), 2 * size_of::<usize>());
}
