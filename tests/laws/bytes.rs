//! Reading choices off a byte string; past its end there are zeros.

pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
}

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
}
