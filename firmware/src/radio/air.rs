//! What a radio goes through in half a minute: bursts of loss, a busy channel, an interrupt that gets lost, a far end that reboots.

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Frame {
    /// Asks for a session.
    Join,
    /// Asks whether the session is still there.
    Ping,
}

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The channel is busy: nothing was sent.
    Busy,
    /// Nothing was heard.
    NoAnswer,
    /// The far end is starting, and says when to come back.
    Booting {
        /// How long it takes.
        millis: u32,
    },
    /// The far end has no such session.
    Stranger,
}

type Window = core::ops::Range<u32>;

const BUSY: [Window; 2] = [0..60, 12_000..13_000];
const LOSS: [Window; 3] = [100..600, 7_000..9_000, 33_000..39_500];
/// The far end is off, then starts, then is there without its sessions.
const OFF: Window = 20_000..23_000;
const STARTING: Window = 23_000..25_000;
/// The far end drops its new sessions, until it has found its database.
const FORGETFUL: Window = 25_000..30_000;

/// The interrupt of this join never comes.
const LOST_INTERRUPT: u32 = 3;
const SENSE_MS: u32 = 2;
const ANSWER_MS: u32 = 40;
const SILENCE_MS: u32 = 120;

/// The radio, with one transmission at a time.
#[derive(Debug, Default)]
pub struct Radio {
    joins: u32,
    /// When the interrupt comes, and what it tells.
    pending: Option<(u32, Result<(), Fault>)>,
    session_since: Option<u32>,
}

impl Radio {
    /// Starts a transmission.
    pub fn send(&mut self, frame: Frame, ms: u32) {
        let (after, result) = self.fate(frame, ms);
        self.pending = Some((ms + after, result));
        if frame == Frame::Join {
            self.joins += 1;
            if result.is_ok() {
                self.session_since = Some(ms);
            }
            if self.joins == LOST_INTERRUPT {
                self.pending = None;
            }
        }
    }

    /// Gives a transmission up.
    pub fn abort(&mut self) {
        self.pending = None;
    }

    /// How the transmission went, once, when it is over.
    pub fn finished(&mut self, ms: u32) -> Option<Result<(), Fault>> {
        let (at, result) = self.pending?;
        (ms >= at).then(|| {
            self.pending = None;
            result
        })
    }

    fn fate(&self, frame: Frame, ms: u32) -> (u32, Result<(), Fault>) {
        if BUSY.iter().any(|window| window.contains(&ms)) {
            (SENSE_MS, Err(Fault::Busy))
        } else if OFF.contains(&ms) || LOSS.iter().any(|window| window.contains(&ms)) {
            (SILENCE_MS, Err(Fault::NoAnswer))
        } else if STARTING.contains(&ms) {
            (ANSWER_MS, Err(Fault::Booting { millis: 1_000 }))
        } else if frame == Frame::Ping && !self.is_known(ms) {
            (ANSWER_MS, Err(Fault::Stranger))
        } else {
            (ANSWER_MS, Ok(()))
        }
    }

    fn is_known(&self, ms: u32) -> bool {
        !FORGETFUL.contains(&ms) && self.session_since.is_some_and(|since| ms < OFF.start || since >= FORGETFUL.end)
    }
}
