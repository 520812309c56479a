//! A clock at another rate.

use core::cell::Cell;
use core::fmt;

use super::ratio::Ratio;
use super::{Clock, Instant};
use crate::span::{Sealed, Span, Ticks};

/// A clock that counts `HZ` ticks in a second, told in `TO` ticks in a second.
///
/// ```text
/// now = ⌊ticks of the clock since the first reading · TO / HZ⌋
/// ```
///
/// Exact however often it is read: what is left over is carried to the next reading. That takes multiplications, and no division, which a
/// Cortex-M0 does not have.
///
/// The clock inside is one of 32 bits, and must be read at least every half of its range. Reading this clock reads it.
///
/// | `HZ` | 32 bits of it, half the range |
/// |---|---|
/// | 32 768 | 18.2 h |
/// | 1 000 000 | 35.8 min |
/// | 64 000 000 | 33.6 s |
///
/// ```
/// use core::cell::Cell;
/// use core::time::Duration;
/// use relent::clock::{Scaled, from_fn};
/// use relent::{Clock, Instant};
///
/// let rtc = Cell::new(0_u32);
/// let millis = Scaled::<32_768, 1_000, _>::new(from_fn(|| rtc.get()));
/// assert_eq!(millis.now(), Instant::at(0_u32));
/// for (ticks, ms) in [(33, 1), (65, 1), (66, 2), (32_768, 1_000)] {
///     rtc.set(ticks);
///     assert_eq!(millis.now(), Instant::at(ms));
/// }
///
/// // A span that knows its own unit must be the one that is scaled to.
/// let precise = Scaled::<32_768, 1_000_000_000, _, Duration>::new(from_fn(|| rtc.get()));
/// # _ = precise.now();
/// ```
///
/// ```compile_fail
/// # use core::time::Duration;
/// # use relent::clock::{Scaled, from_fn};
/// let wrong = Scaled::<32_768, 1_000, _, Duration>::new(from_fn(|| 0_u32));
/// ```
pub struct Scaled<const HZ: u32, const TO: u32, C: Clock<Span = u32>, S: Span = u32> {
    clock: C,
    last: Cell<Option<Instant<u32>>>,
    carry: Cell<u32>,
    now: Cell<Instant<S>>,
}

impl<const HZ: u32, const TO: u32, C: Clock<Span = u32>, S: Span> Scaled<HZ, TO, C, S> {
    /// Tells `clock` in `TO` ticks in a second.
    pub const fn new(clock: C) -> Self {
        const {
            assert!(
                match <S as Sealed>::PER_SECOND {
                    Some(own) => own == TO,
                    None => true,
                },
                "the span says another number of ticks in a second"
            );
        }
        Self { clock, last: Cell::new(None), carry: Cell::new(0), now: Cell::new(Instant::ORIGIN) }
    }
}

impl<const HZ: u32, const TO: u32, C: Clock<Span = u32>, S: Span> Clock for Scaled<HZ, TO, C, S> {
    type Span = S;

    #[inline]
    fn now(&self) -> Instant<S> {
        let raw = self.clock.now();
        let step = self.last.get().map_or(0, |last| raw.since(last));
        if step > 0 || self.last.get().is_none() {
            self.last.set(Some(raw));
            let (whole, carry) = Ratio::<HZ, TO>::apply(step, self.carry.get());
            self.carry.set(carry);
            self.now.set(self.now.get().after_ticks(S::Ticks::from_u64(whole)));
        }
        self.now.get()
    }
}

impl<const HZ: u32, const TO: u32, C: Clock<Span = u32>, S: Span> fmt::Debug for Scaled<HZ, TO, C, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scaled").field("hz", &HZ).field("to", &TO).field("now", &self.now.get()).finish_non_exhaustive()
    }
}
