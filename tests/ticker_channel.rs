//! Ticks from a thread: it ends in every way there is to end it, at once, and at most one tick waits.

#![cfg(feature = "std")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use relent::{Band, CancelToken, Constant, Policy, Slots, Ticker, TickerThread};

const HALF_A_MINUTE: Duration = Duration::from_secs(30);
const MILLISECOND: Duration = Duration::from_millis(1);
/// What is asked for is milliseconds; a machine may be busy.
const AT_ONCE: Duration = Duration::from_secs(5);

fn rarely() -> Constant {
    Constant::new(HALF_A_MINUTE)
}

/// Whether it comes true soon.
fn soon(mut what: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while !what() {
        if start.elapsed() > AT_ONCE {
            return false;
        }
        thread::sleep(MILLISECOND);
    }
    true
}

/// Gives this wait, and counts how often it is asked.
struct Asked(Arc<AtomicU32>, Duration);

impl Policy for Asked {
    type Span = Duration;
    type State = ();
    fn start(&self) {}
    fn next(&self, (): &mut ()) -> Option<Band> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Some(Band::exactly(self.1))
    }
}

#[test]
fn it_ends_when_the_policy_ends() {
    let (ticker, ticks) = Ticker::channel([MILLISECOND, MILLISECOND, Duration::ZERO]);
    assert!(!ticks.is_over());
    let taken: Vec<_> = ticks.collect();
    assert_eq!(taken.len(), 4);
    assert!(taken.is_sorted());
    assert!(soon(|| ticker.is_finished()));
}

#[test]
fn stopping_ends_a_wait_of_half_a_minute_at_once_and_twice_is_harmless() {
    let (ticker, ticks) = Ticker::channel(rarely());
    assert!(ticks.recv().is_some());
    thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let before = Instant::now();
            (ticks.recv(), before.elapsed())
        });
        ticker.stop();
        ticker.stop();
        let (tick, waited) = waiting.join().unwrap();
        assert!(tick.is_none() && waited < AT_ONCE);
    });
    assert!(soon(|| ticker.is_finished()));
    ticker.stop();
    assert!(ticks.is_over());
    assert!(ticks.recv().is_none() && ticks.try_recv().is_none() && ticks.recv_timeout(HALF_A_MINUTE).is_none());
}

#[test]
fn stopped_with_a_tick_that_nobody_has_taken() {
    let asked = Arc::new(AtomicU32::new(0));
    let (ticker, ticks) = Ticker::channel(Asked(asked.clone(), MILLISECOND));
    ticker.stop();
    assert!(soon(|| ticker.is_finished()));
    assert!(ticks.recv().is_none(), "no tick after the stop");
    assert_eq!(asked.load(Ordering::SeqCst), 0, "asked only when one is taken");
}

#[test]
fn dropping_the_ticker_ends_it_and_waits_for_its_thread() {
    // The policy lives in the thread: when that is gone, so is the other end of this.
    let alive = Arc::new(AtomicU32::new(0));
    let (ticker, ticks) = Ticker::channel(Asked(alive.clone(), HALF_A_MINUTE));
    assert!(ticks.recv().is_some());
    let before = Instant::now();
    drop(ticker);
    assert!(before.elapsed() < AT_ONCE);
    assert_eq!(Arc::strong_count(&alive), 1);
    assert!(ticks.recv().is_none());
}

#[test]
fn dropping_the_receiver_ends_the_thread() {
    // In the middle of a wait, and while a tick waits to be taken.
    let tickers: Vec<TickerThread> = (0..50)
        .map(|n| {
            let (ticker, ticks) = Ticker::channel(rarely());
            assert!(n % 2 == 0 || ticks.recv().is_some());
            drop(ticks);
            ticker
        })
        .collect();
    assert!(soon(|| tickers.iter().all(TickerThread::is_finished)));
}

#[test]
fn at_most_one_tick_waits_and_the_policy_is_asked_when_it_is_taken() {
    let asked = Arc::new(AtomicU32::new(0));
    let (ticker, ticks) = Ticker::channel(Asked(asked.clone(), Duration::ZERO));
    for taken in 1..=20 {
        assert!(ticks.recv().is_some());
        if taken % 5 == 0 {
            thread::sleep(MILLISECOND);
        }
        assert!(asked.load(Ordering::SeqCst) <= taken);
    }
    assert!(soon(|| asked.load(Ordering::SeqCst) == 20));
    drop(ticker);
    // One has waited for some time; after it comes half a minute of nothing, so there was only that one.
    let (_ticker, ticks) = Ticker::channel(rarely());
    thread::sleep(3 * MILLISECOND);
    assert!(ticks.recv_timeout(AT_ONCE).is_some());
    assert!(ticks.try_recv().is_none());
    assert!(ticks.recv_timeout(MILLISECOND).is_none() && !ticks.is_over());
}

#[test]
fn the_interval_runs_from_where_the_tick_was_taken() {
    let interval = 8 * MILLISECOND;
    let (_ticker, ticks) = Ticker::channel(Constant::new(interval));
    for _ in 0..3 {
        thread::sleep(3 * MILLISECOND);
        let before = Instant::now();
        let tick = ticks.recv().unwrap();
        let next = {
            // The next is due an interval after this one was taken, which was not before `before` unless it was waited for.
            let from = before.max(tick);
            let next = ticks.recv().unwrap();
            assert!(next >= from + interval, "{:?}", next - from);
            next
        };
        assert!(next > tick);
    }
}

/// A policy that panics when it is asked.
struct Panics;

impl Policy for Panics {
    type Span = Duration;
    type State = ();
    fn start(&self) {}
    fn next(&self, (): &mut ()) -> Option<Band> {
        panic!("a policy that panics, as the test wants")
    }
}

#[test]
fn a_policy_that_panics_ends_the_ticks_and_leaves_nobody_waiting() {
    let (ticker, ticks) = Ticker::channel(Panics);
    assert!(ticks.recv().is_some());
    assert!(ticks.recv().is_none());
    assert!(soon(|| ticker.is_finished()));
    drop(ticker);
}

/// A policy that stops its own ticker when it is asked.
struct Stops(std::sync::mpsc::Receiver<Arc<TickerThread>>);

impl Policy for Stops {
    type Span = Duration;
    type State = ();
    fn start(&self) {}
    fn next(&self, (): &mut ()) -> Option<Band> {
        self.0.recv().unwrap().stop();
        Some(Band::exactly(HALF_A_MINUTE))
    }
}

#[test]
fn a_policy_may_stop_its_own_ticker() {
    let (tell, told) = std::sync::mpsc::channel();
    let (ticker, ticks) = Ticker::channel(Stops(told));
    let ticker = Arc::new(ticker);
    tell.send(ticker.clone()).unwrap();
    assert!(ticks.recv().is_some());
    assert!(ticks.recv().is_none());
    assert!(soon(|| ticker.is_finished()));
}

/// A policy that drops its own ticker when it is asked.
struct Drops {
    told: std::sync::mpsc::Receiver<TickerThread>,
    dropped: std::sync::mpsc::Sender<()>,
}

impl Policy for Drops {
    type Span = Duration;
    type State = ();
    fn start(&self) {}
    fn next(&self, (): &mut ()) -> Option<Band> {
        drop(self.told.recv().unwrap());
        self.dropped.send(()).unwrap();
        Some(Band::exactly(HALF_A_MINUTE))
    }
}

#[test]
fn a_policy_may_drop_its_own_ticker() {
    let (tell, told) = std::sync::mpsc::channel();
    let (dropped, was_dropped) = std::sync::mpsc::channel();
    let (ticker, ticks) = Ticker::channel(Drops { told, dropped });
    tell.send(ticker).unwrap();
    assert!(ticks.recv().is_some());
    assert_eq!(was_dropped.recv(), Ok(()), "its thread neither panics nor waits for itself");
    assert!(ticks.recv().is_none());
}

#[test]
fn a_wait_that_the_clock_cannot_represent_can_be_stopped() {
    let (ticker, ticks) = Ticker::channel(Constant::new(Duration::MAX));
    assert!(ticks.recv_timeout(Duration::MAX).is_some());
    assert!(ticks.recv_timeout(MILLISECOND).is_none());
    ticker.stop();
    assert!(ticks.recv_timeout(Duration::MAX).is_none());
}

#[test]
fn the_iterator_on_the_system_clock_is_stopped_by_a_token_during_a_wait() {
    let token = CancelToken::new();
    let mut ticks = Ticker::system(rarely()).until(&token);
    assert!(ticks.next().is_some());
    thread::scope(|scope| {
        let waiting = scope.spawn(move || {
            let before = Instant::now();
            (ticks.next(), before.elapsed())
        });
        token.cancel("over");
        let (tick, waited) = waiting.join().unwrap();
        assert!(tick.is_none() && waited < AT_ONCE);
    });
}

/// No slot or one of a millisecond, and what was drawn is noted.
struct Noted(Slots, Arc<Mutex<Vec<Duration>>>);

impl Policy for Noted {
    type Span = Duration;
    type State = <Slots as Policy>::State;

    fn start(&self) -> Self::State {
        self.0.start()
    }

    fn next(&self, state: &mut Self::State) -> Option<Band> {
        self.0.next(state)
    }

    fn grain(&self, state: &Self::State) -> Option<Duration> {
        self.0.grain(state)
    }

    fn drawn(&self, _: &mut Self::State, delay: Duration) {
        self.1.lock().unwrap().push(delay);
    }
}

#[test]
fn r4_ticks_of_a_thread_keep_to_the_grain_of_their_policy() {
    let drawn = Arc::new(Mutex::new(Vec::new()));
    let (ticker, ticks) = Ticker::channel(Noted(Slots::new(MILLISECOND, 1, 1), drawn.clone()));
    assert_eq!(ticks.take(8).count(), 8);
    drop(ticker);
    let drawn = drawn.lock().unwrap();
    assert!(drawn.len() >= 7 && drawn.iter().all(|delay| [Duration::ZERO, MILLISECOND].contains(delay)), "{drawn:?}");
}
