//! What the `size_*` programs and their baseline share; all of it is linked into every one of them.
//!
//! The flash of a part of `relent` is the size of a program that uses it, less that of `size_baseline`. Clock, radio and generator stand behind
//! calls that are not inlined, so they cost the same in both; inputs and results go through `black_box`.

use core::convert::Infallible;
use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;

use relent::rng::{Rng, SeedableRng, TryRng, Xoshiro128PlusPlus};

/// The generator of 32-bit parts, never inlined.
#[derive(Debug)]
pub struct Noise(Xoshiro128PlusPlus);

impl Noise {
    /// From a seed that the optimiser does not know.
    #[inline(never)]
    pub fn new() -> Self {
        Self(Xoshiro128PlusPlus::seed_from_u64(black_box(42)))
    }
}

impl Default for Noise {
    fn default() -> Self {
        Self::new()
    }
}

impl TryRng for Noise {
    type Error = Infallible;

    #[inline(never)]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    #[inline(never)]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        Ok(())
    }
}

/// A clock of each span.
pub trait Now {
    /// The time.
    fn now() -> Self;
}

static TICKS: AtomicU32 = AtomicU32::new(0);

impl Now for u32 {
    #[inline(never)]
    fn now() -> u32 {
        // Nothing writes to it, which the optimiser must not know: a clock that stands still costs nothing.
        black_box(TICKS.load(Ordering::Relaxed))
    }
}

impl Now for u64 {
    #[inline(never)]
    fn now() -> u64 {
        black_box(0)
    }
}

impl Now for Duration {
    #[inline(never)]
    fn now() -> Duration {
        black_box(Duration::ZERO)
    }
}

/// Starts a transmission.
#[inline(never)]
pub fn send() {
    black_box(1);
}

/// Aborts it.
#[inline(never)]
pub fn abort() {
    black_box(2);
}

/// How it ended, if it has.
#[inline(never)]
pub fn finished() -> Option<Result<(), ()>> {
    black_box(None)
}

/// What else the program has to do.
#[inline(never)]
pub fn other_work() {
    black_box(3);
}

/// Links the generator, `memcpy` for every alignment, 64-bit multiplication, the clocks and the radio: what a firmware has anyway.
#[inline(never)]
pub fn baseline() -> Noise {
    let mut noise = Noise::new();
    black_box(black_box(5_u64).wrapping_mul(black_box(7)));
    let (mut bytes, mut words, mut pairs) = ([0_u8; 64], [0_u32; 32], [0_u64; 16]);
    *black_box(&mut bytes) = *black_box(&[1; 64]);
    *black_box(&mut words) = *black_box(&[1; 32]);
    *black_box(&mut pairs) = *black_box(&[1; 16]);
    black_box((&bytes, &words, &pairs));
    black_box((noise.next_u32(), noise.next_u64()));
    black_box((u32::now(), u64::now(), Duration::now()));
    send();
    abort();
    black_box(finished());
    other_work();
    noise
}

/// A program without output, whose panics do not link: the handler calls a function that exists nowhere, so an image comes into being
/// only where the optimiser has removed every path to it.
#[macro_export]
macro_rules! lean {
    (|$noise:ident| $body:expr) => {
        #[cfg_attr(target_os = "none", $crate::board::entry)]
        fn main() -> ! {
            #[allow(unused_mut, reason = "not every program draws")]
            let mut $noise = $crate::size::baseline();
            $body
        }

        #[cfg(target_os = "none")]
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo) -> ! {
            #[cfg(debug_assertions)]
            loop {}
            #[cfg(not(debug_assertions))]
            {
                #[allow(unsafe_code, reason = "declares a function that nothing defines")]
                unsafe extern "C" {
                    safe fn a_panic_is_reachable() -> !;
                }
                a_panic_is_reachable()
            }
        }
    };
}

/// A program that draws one delay after another.
#[macro_export]
macro_rules! step {
    ($policy:expr) => {
        $crate::lean!(|noise| {
            use $crate::relent::Policy;
            let policy = $policy;
            let mut state = policy.start();
            loop {
                if let Some(band) = policy.next(&mut state) {
                    core::hint::black_box(band.draw(&mut noise));
                }
            }
        });
    };
}

/// The super-loop of the README.
#[macro_export]
macro_rules! machine {
    ($link:expr) => {
        $crate::lean!(|noise| {
            use $crate::relent::{Instant, Step, Verdict};
            use $crate::size::{Now, abort, finished, other_work, send};
            let mut join = $link.start(Instant::at(Now::now()));
            let mut sent = None;
            loop {
                match join.poll(Instant::at(Now::now())) {
                    Step::Attempt(attempt) => {
                        send();
                        sent = Some(attempt);
                    }
                    Step::InFlight => {
                        if let Some(result) = finished()
                            && let Some(attempt) = sent.take()
                        {
                            match result {
                                Ok(()) => join.succeed(attempt),
                                Err(()) => _ = join.fail(attempt, Instant::at(Now::now()), Verdict::Retry, &mut noise),
                            }
                        }
                    }
                    Step::Wait(_) => {}
                    Step::TimedOut(attempt) => {
                        abort();
                        sent = None;
                        _ = join.fail(attempt, Instant::at(Now::now()), Verdict::Retry, &mut noise);
                    }
                    Step::Done => break,
                }
                other_work();
            }
            loop {
                other_work();
            }
        });
    };
}
