//! Logs what a retry says through `defmt`, to a logger that keeps the bytes, and looks for the numbers in them.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::fmt::{self, Write};
use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use firmware::board::Out;
use firmware::relent::rng::{SeedableRng, Xoshiro128PlusPlus};
use firmware::relent::{Exponential, Instant, Jitter, Next, Retry, Step, Verdict};

const LINK: Retry<Exponential<u32>> =
    Retry::new(Exponential::new(0x1234_5678).with_jitter(Jitter::None)).with_max_attempts(6);

fn run(out: &mut Out) -> fmt::Result {
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(42);
    let mut run = LINK.start(Instant::at(0));
    let Step::Attempt(attempt) = run.poll(Instant::at(0)) else { return Err(fmt::Error) };
    let next = run.fail(attempt, Instant::at(0), Verdict::Retry, &mut rng);
    let found = [
        ("next", logged(&[0x78, 0x56, 0x34, 0x12], || defmt::println!("{}", next))),
        ("step", logged(&[0x00, 0x56, 0x34, 0x12], || defmt::println!("{}", run.poll(Instant::at(0x78))))),
        ("settings", logged(b"305419896", || defmt::println!("{}", LINK))),
    ];
    for (name, found) in found {
        writeln!(out, "{name}: {}", if found { "logged" } else { "not in the log" })?;
    }
    matches!(next, Next::Wait(0x1234_5678)).then_some(()).ok_or(fmt::Error)
}

/// Whether `wanted` is in what is logged: `defmt` sends numbers with the lowest byte first, and settings by their text.
fn logged(wanted: &[u8], log: impl FnOnce()) -> bool {
    LENGTH.store(0, Ordering::Relaxed);
    log();
    let length = LENGTH.load(Ordering::Relaxed).min(ROOM);
    let mut bytes = [0; ROOM];
    bytes.iter_mut().zip(&KEPT).for_each(|(byte, kept)| *byte = kept.load(Ordering::Relaxed));
    bytes[..length].windows(wanted.len()).any(|window| window == wanted)
}

const ROOM: usize = 1_024;
static KEPT: [AtomicU8; ROOM] = [const { AtomicU8::new(0) }; ROOM];
static LENGTH: AtomicUsize = AtomicUsize::new(0);

#[defmt::global_logger]
struct Kept;

#[expect(unsafe_code, reason = "a logger is unsafe to implement; here is one context, and no interrupt logs")]
unsafe impl defmt::Logger for Kept {
    fn acquire() {}

    unsafe fn flush() {}

    unsafe fn release() {}

    unsafe fn write(bytes: &[u8]) {
        for byte in bytes {
            let length = LENGTH.load(Ordering::Relaxed);
            if let Some(place) = KEPT.get(length) {
                place.store(*byte, Ordering::Relaxed);
            }
            LENGTH.store(length + 1, Ordering::Relaxed);
        }
    }
}

firmware::program!(run);
