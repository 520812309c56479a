//! Three Cortex-M boards: M0, M3, M4F.

pub use cortex_m_rt::entry;
pub use semihosting::process::exit;

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::Peripherals;
use cortex_m::delay::Delay;
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::register::msp;
use embedded_hal::delay::DelayNs;
use relent::Clock;
use relent::clock::Widen;

/// How often `SysTick` counts in a second.
const SYSTICK_HZ: u32 = if cfg!(board = "microbit") {
    16_000_000
} else if cfg!(board = "lm3s6965evb") {
    12_500_000
} else {
    25_000_000
};

/// How long that is, in picoseconds.
const TICK_PS: u64 = 1_000_000_000_000 / SYSTICK_HZ as u64;

/// How long an instruction takes under `-icount shift=10`.
const INSTRUCTION_PS: u64 = 1_024_000;

/// Prints by semihosting.
pub fn print(text: &str) {
    semihosting::print!("{text}");
}

/// `SysTick`, counting 24 bits down for ever.
fn free_running() -> SYST {
    let mut timer = Peripherals::take().expect("one user of SysTick").SYST;
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(0xFF_FFFF);
    timer.clear_current();
    timer.enable_counter();
    timer
}

/// The time in milliseconds, by `SysTick`, which wraps in a second or so.
///
/// # Panics
///
/// The second time.
pub fn clock() -> impl Clock<Span = u32> {
    let _runs_on = free_running();
    Widen::<24, _>::down(SYST::get_current).millis::<SYSTICK_HZ>()
}

/// A delay that spins on `SysTick`.
///
/// # Panics
///
/// The second time.
pub fn delay() -> impl DelayNs {
    Delay::new(Peripherals::take().expect("one user of SysTick").SYST, SYSTICK_HZ)
}

/// Counts instructions: under `-icount shift=10` every one takes 1024 ns of the time that `SysTick` shows.
pub struct Stopwatch(SYST);

impl Stopwatch {
    /// Starts counting.
    ///
    /// # Panics
    ///
    /// The second time.
    pub fn start() -> Self {
        Self(free_running())
    }

    /// A reading, in ticks.
    pub fn instructions(&self) -> u32 {
        SYST::get_current()
    }

    /// The instructions since a reading, which must not lie further back than a million.
    pub fn since(&self, earlier: u32) -> u32 {
        let ticks = earlier.wrapping_sub(self.instructions()) & 0xFF_FFFF;
        let instructions = (u64::from(ticks) * TICK_PS + INSTRUCTION_PS / 2) / INSTRUCTION_PS;
        instructions.try_into().unwrap_or(u32::MAX)
    }
}

static DEEPEST: AtomicU32 = AtomicU32::new(u32::MAX);

/// Finds out how deep the stack gets, by a `SysTick` interrupt every forty instructions or so (under `-icount shift=10`): over a loop of some
/// length it comes everywhere.
pub struct StackGauge(SYST);

impl StackGauge {
    /// Sets the timer up.
    ///
    /// # Panics
    ///
    /// The second time.
    pub fn start() -> Self {
        let mut timer = Peripherals::take().expect("one user of SysTick").SYST;
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(650);
        timer.clear_current();
        Self(timer)
    }

    /// The lowest stack pointer while `work` runs.
    pub fn deepest(&mut self, work: impl FnOnce()) -> u32 {
        DEEPEST.store(u32::MAX, Ordering::Relaxed);
        self.0.enable_interrupt();
        self.0.enable_counter();
        work();
        self.0.disable_counter();
        self.0.disable_interrupt();
        DEEPEST.load(Ordering::Relaxed)
    }
}

/// What the interrupt does.
pub fn look_at_the_stack() {
    let here = msp::read();
    if here < DEEPEST.load(Ordering::Relaxed) {
        DEEPEST.store(here, Ordering::Relaxed);
    }
}
