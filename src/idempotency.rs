//! Making a repeat harmless: a key that says "this is the same request", and a table of the keys already seen.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;

use rand_core::Rng;

use crate::clock::Instant;
use crate::guard::Anchor;
use crate::span::{Span, Ticks};

/// 128 random bits that name one request through all its attempts, as a UUID of version 4 (RFC 9562, 5.4).
///
/// Make it once before the run and send it with every attempt. 122 of its bits are from the generator; written and read as text without a heap.
///
/// ```
/// use relent::IdempotencyKey;
/// use relent::testing::Script;
///
/// let key = IdempotencyKey::new(&mut Script::new([0x0123_4567_89ab_cdef]));
/// assert_eq!(key.to_string(), "efcdab89-6745-4301-afcd-ab8967452301");
/// assert_eq!("efcdab89-6745-4301-afcd-ab8967452301".parse(), Ok(key));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdempotencyKey {
    bytes: [u8; 16],
}

impl IdempotencyKey {
    /// Draws a key.
    pub fn new<R: Rng + ?Sized>(rng: &mut R) -> Self {
        let mut bytes = [0; 16];
        rng.fill_bytes(&mut bytes);
        Self::from_random(bytes)
    }

    /// A key of sixteen random bytes, six bits of which are replaced by the version and the variant.
    pub const fn from_random(mut bytes: [u8; 16]) -> Self {
        let [_, _, _, _, _, _, version, _, variant, ..] = &mut bytes;
        *version = *version & 0x0F | 0x40;
        *variant = *variant & 0x3F | 0x80;
        Self { bytes }
    }

    /// The sixteen bytes, in the order of the text.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.bytes
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.bytes.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// A text that is no UUID of version 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseKeyError(());

impl fmt::Display for ParseKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an idempotency key is a version 4 UUID of 36 characters")
    }
}

impl core::error::Error for ParseKeyError {}

/// Digits of either case.
impl FromStr for IdempotencyKey {
    type Err = ParseKeyError;

    fn from_str(text: &str) -> Result<Self, ParseKeyError> {
        let mut digits = text.bytes();
        let mut bytes = [0; 16];
        for (at, byte) in bytes.iter_mut().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) && digits.next() != Some(b'-') {
                return Err(ParseKeyError(()));
            }
            let (high, low) = (digit(digits.next())?, digit(digits.next())?);
            *byte = high << 4 | low;
        }
        let key = Self { bytes };
        if digits.next().is_some() || key != Self::from_random(bytes) {
            return Err(ParseKeyError(()));
        }
        Ok(key)
    }
}

fn digit(text: Option<u8>) -> Result<u8, ParseKeyError> {
    text.and_then(|byte| char::from(byte).to_digit(16)).and_then(|n| u8::try_from(n).ok()).ok_or(ParseKeyError(()))
}

/// A table of at most `N` keys already seen and what was recorded for each: the receiving side of an [`IdempotencyKey`].
///
/// The first use of a key wins; a repeat gets what that recorded, until the entry is as old as the table's expiry. A repeat does not
/// make it younger. A full table drops the entry that expires first. Looking up takes `N` steps; there is no heap.
///
/// ```
/// use relent::{IdempotencyKey, Instant, Seen, Use, testing::Script};
///
/// let key = IdempotencyKey::new(&mut Script::new([1]));
/// let mut seen: Seen<&str, 16, u32> = Seen::new(60_000);
/// assert_eq!(seen.record(key, "paid", Instant::at(0)), Use::First);
/// assert_eq!(seen.record(key, "paid twice", Instant::at(59_999)), Use::Repeat(&"paid"));
/// assert_eq!(seen.record(key, "paid again", Instant::at(60_000)), Use::First);
/// ```
#[derive(Debug)]
pub struct Seen<V, const N: usize, S: Span = Duration, K = IdempotencyKey> {
    expiry: S,
    anchor: Anchor<S>,
    entries: [Option<Entry<K, V, S::Ticks>>; N],
}

#[derive(Debug)]
struct Entry<K, V, T> {
    key: K,
    value: V,
    /// Ticks until it expires; above zero.
    left: T,
}

/// Whether a key was new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use<'a, V> {
    /// It was: the value is recorded.
    First,
    /// It was not: what its first use recorded.
    Repeat(&'a V),
}

impl<V, const N: usize, S: Span, K: PartialEq> Seen<V, N, S, K> {
    /// An empty table whose entries last for `expiry`, at least a tick.
    pub const fn new(expiry: S) -> Self {
        const { assert!(N > 0, "a table has room for at least one key") };
        Self { expiry, anchor: Anchor::new(), entries: [const { None }; N] }
    }

    /// Records `value` under `key` if this is its first use.
    pub fn record(&mut self, key: K, value: V, now: Instant<S>) -> Use<'_, V> {
        self.record_with(key, || value, now)
    }

    /// Records what `make` gives under `key` if this is its first use; else `make` is not called.
    ///
    /// ```
    /// # use relent::{Instant, Seen, Use};
    /// let mut seen: Seen<u32, 4, u32, u16> = Seen::new(1_000);
    /// let mut orders = 0;
    /// for _ in 0..3 {
    ///     seen.record_with(17, || { orders += 1; orders }, Instant::at(5));
    /// }
    /// assert_eq!(orders, 1);
    /// ```
    pub fn record_with(&mut self, key: K, make: impl FnOnce() -> V, now: Instant<S>) -> Use<'_, V> {
        self.advance(now);
        let known = self.entries.iter().flatten().any(|entry| entry.key == key);
        if !known {
            let left = self.expiry.to_ticks().max(S::Ticks::ONE);
            if let Some(place) = self.place() {
                *place = Some(Entry { key, value: make(), left });
            }
            return Use::First;
        }
        // Looked for again, since a borrow that is returned cannot be given up in between.
        let entry = self.entries.iter().flatten().find(|entry| entry.key == key);
        entry.map_or(Use::First, |entry| Use::Repeat(&entry.value))
    }

    /// What was recorded for `key`, unless it has expired at `now`; asking changes nothing.
    pub fn get(&self, key: &K, now: Instant<S>) -> Option<&V> {
        let passed = self.anchor.passed(now);
        let mut entries = self.entries.iter().flatten();
        entries.find(|entry| entry.key == *key && entry.left > passed).map(|entry| &entry.value)
    }

    /// As [`get`](Self::get), to replace what was recorded: "in progress" by the answer.
    pub fn get_mut(&mut self, key: &K, now: Instant<S>) -> Option<&mut V> {
        self.advance(now);
        self.entries.iter_mut().flatten().find(|entry| entry.key == *key).map(|entry| &mut entry.value)
    }

    /// Forgets a key, so that its next use is a first one: after a request that failed without effect.
    pub fn forget(&mut self, key: &K) -> Option<V> {
        let mut places = self.entries.iter_mut();
        let place = places.find(|place| place.as_ref().is_some_and(|entry| entry.key == *key))?;
        place.take().map(|entry| entry.value)
    }

    /// After a restart of the timer: goes on from `now`, adding no time.
    pub fn rebase(&mut self, now: Instant<S>) {
        self.anchor.rebase(now);
    }

    fn advance(&mut self, now: Instant<S>) {
        let step = self.anchor.step(now);
        for place in &mut self.entries {
            if let Some(entry) = place {
                entry.left = entry.left.minus(step);
                if entry.left == S::Ticks::ZERO {
                    *place = None;
                }
            }
        }
    }

    /// A free place, or else the one that expires first.
    fn place(&mut self) -> Option<&mut Option<Entry<K, V, S::Ticks>>> {
        self.entries.iter_mut().min_by_key(|place| place.as_ref().map_or(S::Ticks::ZERO, |entry| entry.left))
    }
}
