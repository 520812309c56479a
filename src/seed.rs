//! Seeds that differ from device to device and from boot to boot.
//!
//! A fleet that shares a seed retries in step: after a power cut every device draws the same waits, and jitter does nothing. A device that starts from the
//! same seed at every boot draws the same waits after each. What is needed is little: something that no other device has, and something that
//! was not there at the last boot.
//!
//! | part | for example | without it |
//! |---|---|---|
//! | identity | the chip's unique id, a MAC address, a serial number | the fleet is in step |
//! | boot counter | a word in flash, FRAM or a backup register | each boot repeats the last one |
//! | noise | the low bits of an ADC, a free-running timer at the first packet | none of the above need be secret, so anybody can work out the waits |
//!
//! The mixing is fixed for good: the same parts give the same schedule on every target and in every version. It is not a secret one, and the generators are no
//! cryptographic ones: never make keys of them.
//!
//! Nothing here panics.

use rand_core::SeedableRng;
use rand_xoshiro::{Xoshiro128PlusPlus, Xoshiro256PlusPlus};

/// A seed put together from parts.
///
/// The parts are hashed by HalfSipHash-2-4 (Aumasson and Bernstein), whose 32-bit additions, rotations and exclusive ors suit small parts: each as a tag, its
/// length and its bytes, so that two different lists of parts never run together into the same bytes. The hash's output function goes on
/// for as many words as a generator takes.
///
/// # Examples
///
/// ```
/// use relent::rng::Rng;
/// use relent::seed::Seed;
///
/// let unique_id = [0x38, 0x00, 0x1C, 0x00, 0x09, 0x51, 0x33, 0x32, 0x37, 0x38, 0x38, 0x33];
/// let mut rng = Seed::from_id(&unique_id).with_boot(17).xoshiro128();
/// let mut next_boot = Seed::from_id(&unique_id).with_boot(18).xoshiro128();
/// assert_eq!(rng.next_u32(), 0xC8E5_5BE4);
/// assert_ne!(rng.next_u32(), next_boot.next_u32());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed {
    hash: HalfSipHash,
}

impl Seed {
    /// From what no other device has. More bytes do no harm; if they are equal in all devices they do no good.
    pub fn from_id(id: &[u8]) -> Self {
        Self { hash: HalfSipHash::new(0, 0) }.with_part(b'i', id)
    }

    /// With a number that differs from boot to boot.
    pub fn with_boot(self, count: u32) -> Self {
        self.with_part(b'b', &count.to_le_bytes())
    }

    /// With whatever noise the device can gather. Poor noise does no harm.
    pub fn with_noise(self, noise: &[u8]) -> Self {
        self.with_part(b'n', noise)
    }

    /// With a name, for several generators in one device.
    ///
    /// ```
    /// # use relent::seed::Seed;
    /// let seed = Seed::from_id(&[7]);
    /// assert_ne!(seed.with_purpose("uplink").xoshiro128(), seed.with_purpose("sensor").xoshiro128());
    /// ```
    pub fn with_purpose(self, name: &str) -> Self {
        self.with_part(b'p', name.as_bytes())
    }

    /// A generator for 32-bit parts.
    pub fn xoshiro128(self) -> Xoshiro128PlusPlus {
        Xoshiro128PlusPlus::from_seed(self.bytes())
    }

    /// A generator for 64-bit parts.
    pub fn xoshiro256(self) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::from_seed(self.bytes())
    }

    /// As many bytes as another generator takes for its seed.
    pub fn bytes<const N: usize>(self) -> [u8; N] {
        let mut bytes = [0; N];
        let mut output = self.hash.finish();
        let words = core::iter::repeat_with(|| output.next());
        for (byte, value) in bytes.iter_mut().zip(words.flat_map(u32::to_le_bytes)) {
            *byte = value;
        }
        bytes
    }

    fn with_part(mut self, tag: u8, bytes: &[u8]) -> Self {
        self.hash.push(tag);
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        for byte in length.to_le_bytes().iter().chain(bytes) {
            self.hash.push(*byte);
        }
        self
    }
}

/// HalfSipHash-2-4, fed byte by byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HalfSipHash {
    v: Lanes,
    /// The bytes since the last whole word, in the upper end, and how many bytes there were in all.
    tail: u32,
    length: u32,
}

impl HalfSipHash {
    /// The form with 64 bits of output.
    fn new(k0: u32, k1: u32) -> Self {
        let v = Lanes { v0: k0, v1: k1 ^ 0xEE, v2: k0 ^ 0x6C79_6765, v3: k1 ^ 0x7465_6462 };
        Self { v, tail: 0, length: 0 }
    }

    fn push(&mut self, byte: u8) {
        self.tail = (self.tail >> 8) | (u32::from(byte) << 24);
        self.length = self.length.wrapping_add(1);
        if self.length.is_multiple_of(4) {
            self.v.absorb(self.tail);
            self.tail = 0;
        }
    }

    fn finish(mut self) -> Output {
        // The bytes left over come to the lower end, the length to the top byte; with none left over, all is shifted out.
        let unused = 4_u32.saturating_sub(self.length % 4).saturating_mul(8);
        let last = self.tail.checked_shr(unused).unwrap_or(0) | (self.length << 24);
        self.v.absorb(last);
        self.v.v2 ^= 0xEE;
        Output { v: self.v }
    }
}

/// What the hash says, word by word: the first two are HalfSipHash-2-4-64, the others go on in the same way.
struct Output {
    v: Lanes,
}

impl Output {
    fn next(&mut self) -> u32 {
        for _ in 0..4 {
            self.v.round();
        }
        let word = self.v.v1 ^ self.v.v3;
        self.v.v1 ^= 0xDD;
        word
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lanes {
    v0: u32,
    v1: u32,
    v2: u32,
    v3: u32,
}

impl Lanes {
    fn absorb(&mut self, word: u32) {
        self.v3 ^= word;
        self.round();
        self.round();
        self.v0 ^= word;
    }

    fn round(&mut self) {
        let Self { v0, v1, v2, v3 } = self;
        *v0 = v0.wrapping_add(*v1);
        *v1 = v1.rotate_left(5) ^ *v0;
        *v0 = v0.rotate_left(16);
        *v2 = v2.wrapping_add(*v3);
        *v3 = v3.rotate_left(8) ^ *v2;
        *v0 = v0.wrapping_add(*v3);
        *v3 = v3.rotate_left(7) ^ *v0;
        *v2 = v2.wrapping_add(*v1);
        *v1 = v1.rotate_left(13) ^ *v2;
        *v2 = v2.rotate_left(16);
    }
}

#[cfg(test)]
mod tests {
    use super::HalfSipHash;

    /// From `vectors.h` of the reference implementation: key 00 01 … 07, input 00 01 … of this length.
    const PUBLISHED: [(u8, [u8; 8]); 4] = [
        (0, [0x21, 0x8D, 0x1F, 0x59, 0xB9, 0xB8, 0x3C, 0xC8]),
        (1, [0xBE, 0x55, 0x24, 0x12, 0xF8, 0x38, 0x73, 0x15]),
        (2, [0x06, 0x4F, 0x39, 0xEF, 0x7C, 0x50, 0xEB, 0x57]),
        (3, [0xCE, 0x0F, 0x1A, 0x45, 0xF7, 0x06, 0x06, 0x79]),
    ];

    #[test]
    fn the_hash_is_the_published_one() {
        for (length, expected) in PUBLISHED {
            let mut hash = HalfSipHash::new(0x0302_0100, 0x0706_0504);
            for byte in 0..length {
                hash.push(byte);
            }
            let mut output = hash.finish();
            let words = [output.next(), output.next()].map(u32::to_le_bytes);
            assert_eq!(words.concat(), expected, "{length}");
        }
    }
}
