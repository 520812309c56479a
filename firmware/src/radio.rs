//! A radio link that is kept up in a super-loop: transmit now, hear later, do other work meanwhile.
//!
//! The far end, the channel and the radio are simulated ([`air`]); the loop is what a device runs. It looks at each millisecond of the
//! board's own clock once, so the timeline is the same on every board.

pub mod air;
mod timeline;

use core::fmt::{self, Write};

use relent::reconnect::{Link, LinkStep, Reconnect};
use relent::rng::Xoshiro128PlusPlus;
use relent::seed::Seed;
use relent::{Attempt, Clock, Exponential, Instant, Next, Retry, Verdict};

use air::{Fault, Frame, Radio};
use timeline::{Entry, Timeline};

/// Ticks are milliseconds. An attempt that is not heard of for 400 ms has lost its interrupt.
const UPLINK: Reconnect<Exponential<u32>> = Reconnect::new(
    Retry::new(Exponential::new(200).with_multiplier(2.0).with_max_interval(4_000)).with_attempt_timeout(400),
    5_000,
)
.with_min_spacing(500);

/// How often the link is tried while it is up, and how many losses in a row mean that it is down.
const PING_EVERY: u32 = 1_000;
const PINGS_LOST: u32 = 3;

/// Two button presses, of which the first comes too soon after an attempt.
const BUTTON: [u32; 2] = [36_900, 38_900];

/// The device: the link, the radio, and what the loop must remember between two turns.
struct Device {
    link: Link<'static, Exponential<u32>>,
    radio: Radio,
    rng: Xoshiro128PlusPlus,
    sent: Option<Attempt<u32>>,
    next_ping: u32,
    pings_lost: u32,
    samples: u32,
    timeline: Timeline,
}

/// Keeps the link up for `millis` milliseconds of `clock`, then prints what happened.
///
/// # Errors
///
/// Those of `out`.
pub fn run(out: &mut impl Write, clock: &impl Clock<Span = u32>, millis: u32) -> fmt::Result {
    let start = clock.now();
    let mut device = Device::new(start);
    let (mut ms, mut missed) = (0, 0);
    device.turn(start, 0);
    while ms < millis {
        let now = clock.now();
        let passed = now.since(start);
        if passed != ms {
            missed += passed - ms - 1;
            ms = passed;
            device.turn(now, ms);
        }
    }
    device.timeline.print(out)?;
    writeln!(out, "{} samples of the sensor meanwhile, {missed} ms missed", device.samples)
}

impl Device {
    fn new(now: Instant<u32>) -> Self {
        Self {
            link: UPLINK.start(now),
            radio: Radio::default(),
            rng: Seed::from_id(b"node 7").with_boot(1).xoshiro128(),
            sent: None,
            next_ping: 0,
            pings_lost: 0,
            samples: 0,
            timeline: Timeline::default(),
        }
    }

    /// One turn of the super-loop.
    fn turn(&mut self, now: Instant<u32>, ms: u32) {
        match self.link.poll(now) {
            LinkStep::Attempt(attempt) => {
                self.timeline.add(ms, Entry::Join(attempt.number()));
                self.radio.send(Frame::Join, ms);
                self.sent = Some(attempt);
            }
            LinkStep::InFlight => self.joining(now, ms),
            LinkStep::TimedOut(attempt) => {
                self.radio.abort();
                self.sent = None;
                self.timeline.add(ms, Entry::TimedOut);
                let next = self.link.fail(attempt, now, Verdict::Retry, &mut self.rng);
                self.note(ms, next);
            }
            LinkStep::Up => self.up(now, ms),
            LinkStep::Wait(_) | LinkStep::Down => {}
        }
        if BUTTON.contains(&ms) {
            self.timeline.add(ms, Entry::Button);
            self.link.retry_now(now);
        }
        if ms.is_multiple_of(250) {
            self.samples += 1;
        }
    }

    fn joining(&mut self, now: Instant<u32>, ms: u32) {
        let Some(result) = self.radio.finished(ms) else { return };
        let Some(attempt) = self.sent.take() else { return };
        match result {
            Ok(()) => {
                self.timeline.add(ms, Entry::Up);
                self.link.succeed(attempt, now);
                (self.next_ping, self.pings_lost) = (ms + PING_EVERY, 0);
            }
            Err(fault) => {
                self.timeline.add(ms, Entry::Failed(fault));
                let next = self.link.fail(attempt, now, verdict(fault), &mut self.rng);
                self.note(ms, next);
            }
        }
    }

    fn up(&mut self, now: Instant<u32>, ms: u32) {
        match self.radio.finished(ms) {
            Some(Ok(())) => self.pings_lost = 0,
            Some(Err(Fault::Stranger)) => self.lost(Fault::Stranger, now, ms),
            Some(Err(fault)) => {
                self.pings_lost += 1;
                self.timeline.add(ms, Entry::PingLost(fault));
                if self.pings_lost == PINGS_LOST {
                    self.lost(fault, now, ms);
                }
            }
            None if ms == self.next_ping => {
                self.next_ping += PING_EVERY;
                self.radio.send(Frame::Ping, ms);
            }
            None => {}
        }
    }

    fn lost(&mut self, fault: Fault, now: Instant<u32>, ms: u32) {
        self.timeline.add(ms, Entry::Lost { stable: self.link.is_stable() });
        let next = self.link.lost(now, verdict(fault), &mut self.rng);
        self.note(ms, next);
    }

    fn note(&mut self, ms: u32, next: Next<u32>) {
        if let Next::Wait(delay) = next {
            self.timeline.add(ms, Entry::Wait(delay));
        }
    }
}

/// What a fault means for the next attempt. A busy channel is free again soon, but not at once.
fn verdict(fault: Fault) -> Verdict<u32> {
    match fault {
        Fault::NoAnswer | Fault::Stranger => Verdict::Retry,
        Fault::Busy => Verdict::NotBefore(50),
        Fault::Booting { millis } => Verdict::RetryAfter(millis),
    }
}
