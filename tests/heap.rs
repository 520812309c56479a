//! No heap after construction, and none in it (R13): an allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;
use std::time::Duration;

use relent::rng::{SeedableRng, Xoshiro256PlusPlus};
use relent::testing::{ManualClock, Script};
use relent::{
    Constant, Decorrelated, Exponential, Failure, Fibonacci, Instant, Jitter, Linear, Policy, Retry, Step, Table,
    Verdict,
};

struct Counting;

thread_local! {
    /// Tests run side by side; each counts its own.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // While a thread ends there is nothing to count in.
    _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
}

// SAFETY: everything is handed to the system's allocator, unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { Heap.alloc(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { Heap.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { Heap.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(f: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    f();
    ALLOCATIONS.get() - before
}

#[test]
fn the_allocator_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1_u8]))), 1);
}

fn draws(policy: impl Policy) {
    let mut delays = policy.delays(Xoshiro256PlusPlus::seed_from_u64(1));
    for _ in 0..1_000 {
        std::hint::black_box(delays.next_backoff());
    }
    delays.reset();
}

#[test]
fn policies_and_plans() {
    let second = Duration::from_secs(1);
    let count = allocations(|| {
        draws(Exponential::new(second));
        draws(Exponential::new(100_u32).with_multiplier(2.0).with_jitter(Jitter::Full).with_max_delay(5_000));
        draws(Linear::new(second, second));
        draws(Fibonacci::new(7_u64).with_jitter(Jitter::Equal));
        draws(Decorrelated::new(second));
        draws(Table::new([1_u32, 2, 3]).repeat_last());
        draws([second; 3].max_retries(2).then(Constant::new(second)).at_most(second).at_least(second));
        assert_eq!(Exponential::new(second).plan().take(100).count(), 100);
        assert!(Retry::default().plan().nth(1_000_000).is_none());
    });
    assert_eq!(count, 0);
}

#[test]
fn the_machine() {
    let policy = Exponential::new(100_u32).with_max_interval(500);
    let retry = Retry::new(policy).with_max_attempts(50).with_max_elapsed(1 << 30).with_attempt_timeout(50);
    let count = allocations(|| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut run = retry.start(Instant::at(0));
        for now in (0..).step_by(7) {
            match run.poll(Instant::at(now)) {
                Step::Attempt(attempt) if attempt.number() % 3 == 0 => drop(attempt),
                Step::Attempt(attempt) | Step::TimedOut(attempt) => {
                    _ = run.fail(attempt, Instant::at(now), Verdict::NotBefore(10), &mut rng);
                }
                Step::Done => break,
                Step::InFlight | Step::Wait(_) => {}
            }
        }
        assert_eq!(run.attempts(), 50);
    });
    assert_eq!(count, 0);
}

#[test]
fn the_blocking_loop() {
    let count =
        allocations(|| {
            let clock = ManualClock::new();
            let retry = Retry::new(Exponential::default());
            let mut calls = 0;
            let answer = retry.run(&clock, Xoshiro256PlusPlus::seed_from_u64(1), || {
                calls += 1;
                if calls <= 3 { Err("down") } else { Ok(calls) }
            });
            assert_eq!(answer, Ok(4));

            let mut told = 0;
            let gave_up =
                retry.with_max_attempts(9).explicit().on(&clock, Script::units([0.5])).notify(|_| told += 1).run_with(
                    |attempt, _| Err::<(), _>(Failure::retry_after(attempt.number(), Duration::from_secs(2))),
                );
            assert_eq!((gave_up.unwrap_err().into_error(), told), (9, 9));
        });
    assert_eq!(count, 0);
}

#[cfg(feature = "std")]
#[test]
fn the_systems_edge() {
    let count = allocations(|| {
        let retry = Retry::new(Exponential::new(Duration::from_nanos(10))).with_max_attempts(4);
        assert_eq!(retry.call(|| Err::<(), _>("down")).unwrap_err().attempts(), 4);
    });
    assert_eq!(count, 0);
}
