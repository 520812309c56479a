//! Reading choices off a byte string; past its end there are zeros.

pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
}

#[allow(dead_code, reason = "each law uses its part")]
impl<'a> Bytes<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    pub(crate) fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        u64::from(self.next().unwrap_or(0)) % n
    }

    /// Of one byte, two, or eight, or just below the largest.
    pub(crate) fn number(&mut self) -> u64 {
        match self.below(4) {
            0 => self.below(256),
            1 => self.below(256) << 8 | self.below(256),
            2 => (0..8).fold(0, |word, _| word << 8 | self.below(256)),
            _ => u64::MAX - self.below(256),
        }
    }
}
