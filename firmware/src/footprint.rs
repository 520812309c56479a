//! Bytes of RAM: what a run keeps, and the stack that a call takes.

use core::fmt::{self, Write};
use core::hint::black_box;
use core::mem::size_of;
use core::time::Duration;

use relent::guard::breaker::{Breaker, Consecutive};
use relent::guard::{CostBudget, DutyCycle, RateLimiter};
use relent::reconnect::Link;
use relent::rng::Xoshiro128PlusPlus;
use relent::{Attempt, Attempts, Exponential, Instant, Policy, Retry, Step, Verdict};

use crate::board::StackGauge;
use crate::size::Noise;

const POLICY: Exponential<u32> = Exponential::new(100).with_max_interval(5_000);
const LINK: Retry<Exponential<u32>> = Retry::new(POLICY).with_max_attempts(9);
const LINK_NS: Retry =
    Retry::new(Exponential::new(Duration::from_millis(100)).with_max_interval(Duration::from_secs(5)))
        .with_max_attempts(9);

type State<S> = <Exponential<S> as Policy>::State;
type Run<S> = Attempts<&'static Retry<Exponential<S>>>;

/// What the documentation says of a 32-bit target.
#[cfg(target_pointer_width = "32")]
const _: () = {
    use relent::clock::{Scaled, Widen};
    use relent::guard::{Airtime, RatioBudget};
    type Counter = fn() -> u32;
    assert!(size_of::<Widen<24, Counter>>() == 20);
    assert!(size_of::<Scaled<64_000_000, 1_000, Widen<24, Counter>>>() == 36);
    assert!(size_of::<Airtime<u32, 3>>() == 24 + 3 * 12);
    assert!(size_of::<RatioBudget<u32>>() == 64);
    assert!(size_of::<RateLimiter<Duration>>() == 72);
};

/// Prints one line per item: its name and its bytes.
///
/// # Errors
///
/// Those of `out`.
pub fn run(out: &mut impl Write) -> fmt::Result {
    for (name, bytes) in [
        ("state_u32", size_of::<State<u32>>()),
        ("state_duration", size_of::<State<Duration>>()),
        ("attempts_u32", size_of::<Run<u32>>()),
        ("attempts_duration", size_of::<Run<Duration>>()),
        ("attempt_u32", size_of::<Attempt<u32>>()),
        ("settings_u32", size_of::<Retry<Exponential<u32>>>()),
        ("settings_duration", size_of::<Retry>()),
        ("link_u32", size_of::<Link<'static, Exponential<u32>>>()),
        ("link_duration", size_of::<Link<'static, Exponential<Duration>>>()),
        ("breaker_u32", size_of::<Breaker<u32, Consecutive>>()),
        ("limiter_u32", size_of::<RateLimiter<u32>>()),
        ("cost_budget", size_of::<CostBudget>()),
        ("duty_cycle_u32", size_of::<DutyCycle<u32>>()),
        ("generator", size_of::<Xoshiro128PlusPlus>()),
    ] {
        writeln!(out, "{name} {bytes}")?;
    }
    let mut noise = Noise::new();
    let mut gauge = StackGauge::start();
    let floor = gauge.deepest(|| idle(&mut noise));
    for (name, work) in [
        ("stack_step_const_u32", step as fn(&mut Noise)),
        ("stack_machine_const_u32", machine_const),
        ("stack_machine_ref_u32", machine_ref),
        ("stack_machine_const_duration", machine_duration),
    ] {
        let bottom = gauge.deepest(|| work(&mut noise));
        writeln!(out, "{name} {}", floor.saturating_sub(bottom))?;
    }
    Ok(())
}

const ROUNDS: u32 = 300;

/// A call of as many steps that takes no stack of its own but for the generator's.
#[inline(never)]
fn idle(noise: &mut Noise) {
    for _ in 0..ROUNDS {
        black_box(&mut *noise);
    }
}

#[inline(never)]
fn step(noise: &mut Noise) {
    let mut state = POLICY.start();
    for _ in 0..ROUNDS {
        if let Some(band) = POLICY.next(&mut state) {
            black_box(band.draw(noise));
        }
    }
}

macro_rules! machine {
    ($name:ident, $span:ty, $link:expr) => {
        #[inline(never)]
        fn $name(noise: &mut Noise) {
            for _ in 0..ROUNDS / 8 {
                let now = black_box(Instant::<$span>::at(Default::default()));
                let mut run = $link.start(now);
                loop {
                    match run.poll(now) {
                        Step::Attempt(attempt) => {
                            _ = black_box(run.fail(attempt, now, black_box(Verdict::Retry), noise))
                        }
                        Step::Wait(_) => run.retry_now(),
                        Step::Done => break,
                        _ => {}
                    }
                }
            }
        }
    };
}

machine!(machine_const, u32, LINK);
machine!(machine_ref, u32, black_box(&LINK));
machine!(machine_duration, Duration, LINK_NS);
