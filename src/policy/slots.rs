//! Whole slots: the random access of radios and buses.

use core::time::Duration;

use super::Policy;
use crate::band::Band;
use crate::span::{Span, Ticks};

/// A whole number of slots, uniform over `0..=2^BE − 1`, where `BE` grows by one each time up to a limit.
///
/// ```text
/// band(n)  = [0, (2^BE − 1) · slot], in steps of slot      BE = min(min_exponent + n − 1, max_exponent)
/// ```
///
/// IEEE 802.15.4 unslotted CSMA-CA at 2.4 GHz (IEEE 802.15.4-2006, 7.5.1.4: `macMinBE` 3, `macMaxBE` 5, slots of 20 symbols, 320 µs):
///
/// | wait | slots | band, µs |
/// |---|---|---|
/// | 1 | 0 to 7 | [0, 2240] |
/// | 2 | 0 to 15 | [0, 4800] |
/// | 3 and on | 0 to 31 | [0, 9920] |
///
/// The slot is in ticks of your hardware, and every wait is a whole number of slots, clipped or not. One random word a draw, as always.
/// Above 32 an exponent counts as 32; where the two are in odd order, `max_exponent` wins. Sums saturate at the span's ceiling.
///
/// In CSMA-CA the first wait comes *before* the first attempt: [`Retry::start_waiting`](crate::Retry::start_waiting).
///
/// ```
/// use relent::{Instant, Next, Retry, Slots, Step, Verdict, testing::Script};
///
/// // Ticks are microseconds; `macMaxCSMABackoffs` 4 makes five attempts.
/// const CSMA: Retry<Slots<u32>> = Retry::new(Slots::new(320, 3, 5)).with_max_attempts(5);
///
/// let at = Instant::<u32>::at;
/// let mut rng = Script::units([0.99, 0.5, 0.999]);
/// let mut send = CSMA.start_waiting(at(0), &mut rng);
/// assert_eq!(send.poll(at(0)), Step::Wait(7 * 320));
/// let Step::Attempt(busy) = send.poll(at(2_240)) else { panic!() };
/// assert_eq!(send.fail(busy, at(2_368), Verdict::Retry, &mut rng), Next::Wait(8 * 320));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slots<S: Span = Duration> {
    slot: S,
    min_exponent: u8,
    max_exponent: u8,
}

impl<S: Span> Slots<S> {
    /// Slots of `slot`, from `2^min_exponent` up to `2^max_exponent` of them.
    pub const fn new(slot: S, min_exponent: u8, max_exponent: u8) -> Self {
        let min_exponent = if min_exponent < max_exponent { min_exponent } else { max_exponent };
        Self { slot, min_exponent, max_exponent }
    }

    /// The length of a slot.
    pub const fn slot(&self) -> S {
        self.slot
    }

    /// The exponent of the first wait.
    pub const fn min_exponent(&self) -> u8 {
        self.min_exponent
    }

    /// The largest exponent.
    pub const fn max_exponent(&self) -> u8 {
        self.max_exponent
    }
}

/// Where a run in slots stands: the exponent of the next wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exponent(u8);

impl<S: Span> Policy for Slots<S> {
    type Span = S;
    type State = Exponent;

    #[inline]
    fn start(&self) -> Exponent {
        Exponent(self.min_exponent)
    }

    #[inline]
    fn next(&self, state: &mut Exponent) -> Option<Band<S>> {
        let most = u32::MAX.checked_shr(32_u32.saturating_sub(u32::from(state.0))).unwrap_or(0);
        state.0 = state.0.saturating_add(1).min(self.max_exponent);
        Some(Band::from_ends(S::Ticks::ZERO, self.slot.to_ticks().times(most)))
    }

    #[inline]
    fn grain(&self, _: &Exponent) -> Option<S> {
        Some(self.slot)
    }

    #[inline]
    fn restart_growth(&self, state: &mut Exponent) {
        *state = self.start();
    }

    fn is_settled(&self, state: &Exponent) -> bool {
        state.0 == self.max_exponent
    }
}
