//! The token of the standard library's edge: it wakes who sleeps, at once, and its children follow.
//!
//! The only tests here that meet the real clock: a wait of half a minute must end long before that.

#![cfg(feature = "std")]

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use relent::clock::Interrupt;
use relent::{CancelFlag, CancelToken, Constant, Reason, Retry, Sleep, System, rng};

const HALF_A_MINUTE: Duration = Duration::from_secs(30);
/// What is asked for is milliseconds; a machine may be busy.
const AT_ONCE: Duration = Duration::from_secs(5);

/// A run that fails, and then waits for half a minute; `failed` is told when it is about to.
fn wait_in_a_run(token: &CancelToken, failed: impl FnOnce()) -> relent::GaveUp<&'static str> {
    let mut failed = Some(failed);
    Retry::new(Constant::new(HALF_A_MINUTE))
        .on(System::new(), rng::from_os())
        .notify(|_| failed.take().into_iter().for_each(|tell| tell()))
        .cancel(token)
        .run(|| Err::<(), _>("down"))
        .unwrap_err()
}

#[test]
fn cancelled_during_a_wait_of_half_a_minute_it_is_back_at_once() {
    let token = CancelToken::new();
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        let run = scope.spawn(|| wait_in_a_run(&token, move || tell.send(()).unwrap()));
        told.recv().unwrap();
        let before = Instant::now();
        token.cancel("the user has pressed a key");
        let gave_up = run.join().unwrap();
        assert!(before.elapsed() < AT_ONCE);
        assert_eq!((gave_up.reason(), *gave_up.error(), gave_up.attempts()), (Reason::Cancelled, "down", 1));
        assert!(gave_up.elapsed() < AT_ONCE);
    });
    assert_eq!(token.cause().unwrap().to_string(), "the user has pressed a key");
}

#[test]
fn many_sleepers_of_a_token_and_its_children_are_woken_at_once() {
    let token = CancelToken::new();
    let ready = Barrier::new(33);
    thread::scope(|scope| {
        let runs: Vec<_> = (0..32)
            .map(|n| {
                let token = if n % 2 == 0 { token.clone() } else { token.child().child() };
                scope.spawn(|| {
                    let token = token;
                    wait_in_a_run(&token, || _ = ready.wait())
                })
            })
            .collect();
        ready.wait();
        let before = Instant::now();
        token.cancel("shutdown");
        for run in runs {
            assert_eq!(run.join().unwrap().reason(), Reason::Cancelled);
        }
        assert!(before.elapsed() < AT_ONCE);
    });
}

#[test]
fn a_flag_that_wakes_nobody_is_seen_soon() {
    let flag = CancelFlag::new();
    thread::scope(|scope| {
        let sleeper = scope.spawn(|| {
            let before = Instant::now();
            System::new().sleep_unless(HALF_A_MINUTE, &flag);
            before.elapsed()
        });
        flag.cancel(1.try_into().unwrap());
        assert!(sleeper.join().unwrap() < AT_ONCE);
    });
}

#[test]
fn a_token_that_is_not_set_is_waited_for_to_the_end() {
    let token = CancelToken::new();
    let before = Instant::now();
    System::new().sleep_unless(Duration::from_millis(3), &token);
    assert!(before.elapsed() >= Duration::from_millis(3));
    assert!(token.block(Duration::from_millis(1)), "it can block");
    assert!(!token.is_set());
}

#[test]
fn the_first_cause_stays() {
    let token = CancelToken::new();
    assert!(token.cause().is_none());
    token.cancel("first");
    token.cancel("second");
    assert_eq!(token.cause().unwrap().to_string(), "first");
    let other = CancelToken::default();
    other.cancel(std::io::Error::from(std::io::ErrorKind::BrokenPipe));
    assert!(other.cause().unwrap().is::<std::io::Error>(), "any error, and the same one");
}

#[test]
fn children_follow_their_parent_and_not_the_other_way_round() {
    let root = CancelToken::new();
    let (left, right) = (root.child(), root.child());
    let below = left.child();
    below.cancel("below");
    assert!(below.is_cancelled() && !left.is_cancelled() && !root.is_cancelled());
    left.cancel("left");
    assert!(left.is_cancelled() && !right.is_cancelled() && !root.is_cancelled());
    assert_eq!(below.cause().unwrap().to_string(), "below");
    root.cancel("root");
    assert_eq!(right.cause().unwrap().to_string(), "root");
    assert_eq!(left.cause().unwrap().to_string(), "left");
    assert_eq!(root.child().cause().unwrap().to_string(), "root", "born called off");
}

#[test]
fn a_token_dropped_in_the_middle_does_not_cut_off_those_below() {
    let root = CancelToken::new();
    let grandchild = root.child().child();
    root.cancel("shutdown");
    assert_eq!(grandchild.cause().unwrap().to_string(), "shutdown");
    // And who is below a token that was dropped can still be called off alone.
    let root = CancelToken::new();
    let (one, two) = {
        let middle = root.child();
        (middle.child(), middle.child())
    };
    one.cancel("one");
    assert!(!two.is_cancelled() && !root.is_cancelled());
    drop(root);
    assert!(!two.is_cancelled(), "a parent that is gone calls nobody off");
}

#[test]
fn a_chain_of_a_hundred_thousand_neither_overflows_the_stack_when_set_nor_when_dropped() {
    let root = CancelToken::new();
    let mut last = root.clone();
    for _ in 0..100_000 {
        last = last.child();
    }
    let unset = last.clone();
    root.cancel("deep");
    assert!(unset.is_cancelled());
    drop((root, last, unset));
    let mut last = CancelToken::new();
    for _ in 0..100_000 {
        last = last.child();
    }
    drop(last);
}

#[test]
fn many_children_that_live_and_many_that_come_and_go() {
    let root = CancelToken::new();
    // One less than a list of theirs has room for.
    let held: Vec<_> = (0..16_383).map(|_| root.child()).collect();
    for _ in 0..200_000 {
        drop(root.child());
    }
    root.cancel("shutdown");
    assert!(held.iter().all(CancelToken::is_cancelled));
}

#[test]
fn nothing_is_missed_or_stuck_when_tokens_are_made_and_set_at_the_same_time() {
    for round in 0..200 {
        let root = CancelToken::new();
        let start = Barrier::new(4);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    start.wait();
                    let children: Vec<_> = (0..20).map(|_| root.child().child()).collect();
                    children[3].cancel("alone");
                    // Whoever is made, before or after, is woken.
                    for child in &children {
                        assert!(child.block(HALF_A_MINUTE));
                        assert!(child.is_cancelled(), "round {round}");
                    }
                });
            }
            for cause in ["one", "two"] {
                let (root, start) = (&root, &start);
                scope.spawn(move || {
                    start.wait();
                    root.cancel(cause);
                });
            }
        });
        assert!(["one", "two"].contains(&root.cause().unwrap().to_string().as_str()));
    }
}

/// A cause that cannot be shown.
struct Unspeakable;

impl fmt::Debug for Unspeakable {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("cannot be shown")
    }
}

impl fmt::Display for Unspeakable {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("cannot be shown")
    }
}

impl std::error::Error for Unspeakable {}

impl Drop for Unspeakable {
    fn drop(&mut self) {
        assert!(thread::panicking(), "cannot be dropped");
    }
}

#[test]
fn a_cause_that_panics_leaves_the_token_usable() {
    let token = CancelToken::new();
    let child = token.child();
    token.cancel("first");
    // Refused, and so dropped: by whoever brought it, with no lock held.
    assert!(catch_unwind(AssertUnwindSafe(|| token.cancel(Unspeakable))).is_err());
    assert_eq!(child.cause().unwrap().to_string(), "first");
    assert!(token.child().is_cancelled());
    let other = CancelToken::new();
    other.cancel(Unspeakable);
    assert!(catch_unwind(AssertUnwindSafe(|| format!("{other:?}"))).is_err());
    assert!(other.is_cancelled() && other.child().is_cancelled());
    std::mem::forget(other);
}

/// A run in a thread of its own, as a server would keep one.
#[test]
fn tokens_and_runs_go_to_other_threads() {
    fn sendable<T: Send + Sync + Clone + 'static>(_: &T) {}
    let token = CancelToken::new();
    sendable(&token);
    let child = token.child();
    token.cancel("over");
    let gave_up = thread::spawn(move || wait_in_a_run(&child, || {})).join().unwrap();
    assert_eq!(gave_up.reason(), Reason::Cancelled);
}
