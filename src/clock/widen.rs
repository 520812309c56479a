//! Counters of fewer bits, and counters that run down.

use core::cell::Cell;
use core::fmt;

use super::{Clock, Instant, Scaled};
use crate::span::{Span, Ticks};

/// A clock made of a hardware counter of `BITS` bits that wraps, in the counter's own ticks.
///
/// ```text
/// now = now at the last reading + ((raw − last raw) mod 2^BITS)      (last raw − raw) where it counts down
/// ```
///
/// # Read it at least every half period
///
/// A step of more than half the period is taken for a step back and counts nothing, as everywhere in this crate, so two readings
/// must not lie further apart than this:
///
/// | counter | at | half a period |
/// |---|---|---|
/// | `SysTick`, 24 bits down | 64 MHz | 131 ms |
/// | `SysTick`, 24 bits down | 1 MHz | 8.4 s |
/// | RTC, 24 bits up | 32 768 Hz | 4.3 min |
/// | a timer, 16 bits up | 1 MHz | 32.8 ms |
/// | a cycle counter, 32 bits up | 64 MHz | 33.6 s |
///
/// The reload value must be the whole period, `2^BITS − 1`. Where the main loop can be away for longer, read the clock in the counter's overflow interrupt as well, in a critical
/// section; or wait in [slices](super::Sliced). What is late loses whole periods, never more.
///
/// On a 32-bit target it takes 20 bytes with a function pointer, and 36 scaled.
///
/// The first reading is the origin. The width of `S` is another matter: `u32` wraps too, which is right everywhere in this crate, `u64` does not.
///
/// ```
/// use core::cell::Cell;
/// use relent::clock::Widen;
/// use relent::{Clock, Instant};
///
/// let register = Cell::new(0x00_0100_u32);
/// let systick = Widen::<24, _>::down(|| register.get());
/// assert_eq!(systick.now(), Instant::at(0_u32));
/// register.set(0xFF_FF00); // 0x200 ticks later, it has wrapped
/// assert_eq!(systick.now(), Instant::at(0x200));
/// ```
///
/// In milliseconds:
///
/// ```
/// # use core::cell::Cell;
/// # use relent::clock::Widen;
/// # use relent::{Clock, Instant};
/// # let register = Cell::new(0_u32);
/// let clock = Widen::<24, _>::down(|| register.get()).millis::<64_000_000>();
/// # let start = clock.now();
/// # register.set(0xFF_FFFF - 95_999);
/// assert_eq!(clock.now().since(start), 1_u32); // 96 000 ticks are 1.5 ms
/// ```
pub struct Widen<const BITS: u32, F, S: Span = u32> {
    read: F,
    down: bool,
    last: Cell<Option<u32>>,
    now: Cell<Instant<S>>,
}

impl<const BITS: u32, F: Fn() -> u32, S: Span> Widen<BITS, F, S> {
    const MASK: u32 = {
        assert!(BITS >= 2 && BITS <= 32, "a counter has 2 to 32 bits");
        u32::MAX >> (32 - BITS)
    };
    const HALF: u32 = Self::MASK / 2 + 1;

    /// A counter that counts up. `read` gives its value; bits above `BITS` are ignored.
    pub const fn up(read: F) -> Self {
        Self { read, down: false, last: Cell::new(None), now: Cell::new(Instant::ORIGIN) }
    }

    /// A counter that counts down, as `SysTick` does.
    pub const fn down(read: F) -> Self {
        Self { read, down: true, last: Cell::new(None), now: Cell::new(Instant::ORIGIN) }
    }

    /// The ticks from one raw value to the next; zero where that is more than half a period.
    #[inline]
    fn step(&self, last: u32, raw: u32) -> u32 {
        let ahead = if self.down { last.wrapping_sub(raw) } else { raw.wrapping_sub(last) } & Self::MASK;
        if ahead > Self::HALF { 0 } else { ahead }
    }
}

impl<const BITS: u32, F: Fn() -> u32> Widen<BITS, F, u32> {
    /// In milliseconds; `HZ` is what the counter counts in a second.
    pub const fn millis<const HZ: u32>(self) -> Scaled<HZ, 1_000, Self> {
        Scaled::new(self)
    }

    /// In microseconds; `HZ` is what the counter counts in a second.
    pub const fn micros<const HZ: u32>(self) -> Scaled<HZ, 1_000_000, Self> {
        Scaled::new(self)
    }
}

impl<const BITS: u32, F: Fn() -> u32, S: Span> Clock for Widen<BITS, F, S> {
    type Span = S;

    #[inline]
    fn now(&self) -> Instant<S> {
        let raw = (self.read)();
        let step = self.last.get().map_or(0, |last| self.step(last, raw));
        if step > 0 || self.last.get().is_none() {
            self.last.set(Some(raw));
            self.now.set(self.now.get().after_ticks(S::Ticks::from_u64(u64::from(step))));
        }
        self.now.get()
    }
}

impl<const BITS: u32, F, S: Span> fmt::Debug for Widen<BITS, F, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Widen").field("bits", &BITS).field("now", &self.now.get()).finish_non_exhaustive()
    }
}
