//! Generators that speak older versions of `rand_core`, and hardware ones that fail.

use core::cell::Cell;

use relent::rng::{self, Rng};
use relent::testing::Script;
use relent::{Band, Constant, Exponential, Instant, Next, Retry, Step, Verdict};

/// A generator of a HAL: the numbers count up.
struct Hardware(u32);

impl Hardware {
    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x1111_1111);
        self.0
    }
}

impl rand_core_06::RngCore for Hardware {
    fn next_u32(&mut self) -> u32 {
        self.word()
    }

    fn next_u64(&mut self) -> u64 {
        rand_core_06::impls::next_u64_via_u32(self)
    }

    fn fill_bytes(&mut self, dest: &mut [u8]) {
        rand_core_06::impls::fill_bytes_via_next(self, dest);
    }

    fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), rand_core_06::Error> {
        self.fill_bytes(dest);
        Ok(())
    }
}

/// The same for the version after.
struct Newer(Hardware);

impl rand_core_09::RngCore for Newer {
    fn next_u32(&mut self) -> u32 {
        self.0.word()
    }

    fn next_u64(&mut self) -> u64 {
        rand_core_09::impls::next_u64_via_u32(self)
    }

    fn fill_bytes(&mut self, dest: &mut [u8]) {
        rand_core_09::impls::fill_bytes_via_next(self, dest);
    }
}

#[test]
fn a_generator_of_rand_core_0_6_is_bridged() {
    use rand_core_06::RngCore;
    let mut hardware = Hardware(0);
    let mut bridged = rng::from_fn(|| hardware.next_u32());
    assert_eq!(bridged.next_u32(), 0x1111_1111);
    assert_eq!(bridged.next_u64(), 0x3333_3333_2222_2222, "the lower half first");
    assert_eq!(Band::new(0_u32, 15).draw(&mut bridged), 4);
}

#[test]
fn a_generator_of_rand_core_0_9_is_bridged() {
    use rand_core_09::RngCore;
    let mut hardware = Newer(Hardware(0x7FFF_FFFF));
    let retry = Retry::new(Exponential::new(1_000_u32)).with_max_attempts(2);
    let clock = relent::testing::ManualClock::new();
    _ = retry.run(&clock, rng::from_fn(|| hardware.next_u32()), || Err::<(), _>("nack"));
    // 500 + ⌊0x91111110 · 1001 / 2^32⌋.
    assert_eq!(clock.slept(), 500 + 567);
}

#[derive(Debug, PartialEq)]
struct NoEntropy;

impl core::fmt::Display for NoEntropy {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("no entropy")
    }
}

impl core::error::Error for NoEntropy {}

#[test]
fn a_hardware_generator_that_fails_leaves_everything_as_it_was() {
    let retry = Retry::new(Exponential::new(1_000_u32)).with_max_attempts(3);
    let at = Instant::<u32>::at;
    let mut run = retry.start(at(0));
    let Step::Attempt(attempt) = run.poll(at(0)) else { panic!() };

    let asked = Cell::new(0);
    let mut hardware = rng::try_from_fn(|| {
        asked.set(asked.get() + 1);
        if asked.get() < 3 { Err(NoEntropy) } else { Ok(0x8000_0000) }
    });
    let (attempt, error) = run.try_fail(attempt, at(10), Verdict::Retry, &mut hardware).unwrap_err();
    assert_eq!((error, run.attempts(), run.elapsed()), (NoEntropy, 1, 0));
    let (attempt, _) = run.try_fail(attempt, at(20), Verdict::Retry, &mut hardware).unwrap_err();
    assert_eq!(run.poll(at(20)), Step::InFlight);
    assert_eq!(run.try_fail(attempt, at(30), Verdict::Retry, &mut hardware), Ok(Next::Wait(1_000)));
    // It grew once, not three times.
    assert!(matches!(run.poll(at(1_029)), Step::Wait(1)));
    let Step::Attempt(attempt) = run.poll(at(1_030)) else { panic!() };
    assert_eq!(run.fail(attempt, at(1_030), Verdict::Retry, &mut Script::units([0.0])), Next::Wait(750));
}

#[test]
fn a_hardware_generator_that_is_stuck_gives_waits_within_the_band() {
    for word in [0, u32::MAX, 0xAAAA_AAAA] {
        let waits = Exponential::new(100_u32).with_max_interval(1_000);
        let bands: Vec<_> = relent::Policy::plan(waits).take(20).map(|row| row.band()).collect();
        let drawn: Vec<_> = relent::Policy::delays(waits, rng::from_fn(|| word)).take(20).collect();
        assert!(bands.iter().zip(&drawn).all(|(band, wait)| band.lo() <= *wait && *wait <= band.hi()));
    }
}

#[test]
fn no_word_is_asked_for_where_there_is_nothing_to_draw() {
    let mut never = rng::try_from_fn(|| Err::<u32, _>(NoEntropy));
    let retry = Retry::new(Constant::new(5_u32));
    let mut run = retry.start(Instant::at(0));
    let Step::Attempt(attempt) = run.poll(Instant::at(0)) else { panic!() };
    assert_eq!(run.try_fail(attempt, Instant::at(0), Verdict::Retry, &mut never), Ok(Next::Wait(5)));
}
