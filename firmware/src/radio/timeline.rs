//! What happened, kept until there is time to print.

use core::fmt::{self, Write};

use super::air::Fault;

const ROOM: usize = 160;

/// One thing that happened.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    Join(u32),
    Failed(Fault),
    TimedOut,
    Wait(u32),
    Up,
    PingLost(Fault),
    Lost { stable: bool },
    Button,
}

/// The first `ROOM` things that happened, and when.
pub(super) struct Timeline {
    entries: [Option<(u32, Entry)>; ROOM],
    len: usize,
}

impl Default for Timeline {
    fn default() -> Self {
        Self { entries: [None; ROOM], len: 0 }
    }
}

impl Timeline {
    pub(super) fn add(&mut self, ms: u32, entry: Entry) {
        if let Some(place) = self.entries.get_mut(self.len) {
            *place = Some((ms, entry));
        }
        self.len += 1;
    }

    pub(super) fn print(&self, out: &mut impl Write) -> fmt::Result {
        for (ms, entry) in self.entries.iter().flatten() {
            writeln!(out, "{:>2}.{:03} {entry}", ms / 1_000, ms % 1_000)?;
        }
        match self.len.saturating_sub(ROOM) {
            0 => Ok(()),
            more => writeln!(out, "and {more} more"),
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Join(number) => write!(f, "join, attempt {number}"),
            Self::Failed(fault) => write!(f, "  failed: {fault}"),
            Self::TimedOut => write!(f, "  timed out, its interrupt was lost"),
            Self::Wait(delay) => write!(f, "  again in {delay} ms"),
            Self::Up => write!(f, "  up"),
            Self::PingLost(fault) => write!(f, "ping: {fault}"),
            Self::Lost { stable: true } => write!(f, "lost, after it was stable"),
            Self::Lost { stable: false } => write!(f, "lost, before it was stable"),
            Self::Button => write!(f, "button"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => write!(f, "channel busy"),
            Self::NoAnswer => write!(f, "no answer"),
            Self::Booting { millis } => write!(f, "far end is starting, come back in {millis} ms"),
            Self::Stranger => write!(f, "far end does not know us"),
        }
    }
}
