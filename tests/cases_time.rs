//! Reports about time: clocks that wrap, step back, or are looked at too often, and devices that start together. A28, A29, X1, X10.

mod rig;

use relent::rng::{SeedableRng, Xoshiro128PlusPlus};
use relent::testing::Script;
use relent::{
    Attempt, Attempts, Band, Constant, Exponential, Instant, Jitter, Next, Reason, Retry, Settings, Step, Verdict,
};
use rig::{World, nothing_to_draw};

fn at(ticks: u32) -> Instant<u32> {
    Instant::at(ticks)
}

fn attempt<C: Settings>(
    run: &mut Attempts<C>,
    now: Instant<<C::Policy as relent::Policy>::Span>,
) -> Attempt<<C::Policy as relent::Policy>::Span> {
    match run.poll(now) {
        Step::Attempt(attempt) => attempt,
        other => panic!("no attempt is due: {other:?}"),
    }
}

const HUNDREDS: Retry<Constant<u32>> = Retry::new(Constant::new(200)).with_max_elapsed(900);

#[test]
fn a28_a_32_bit_millisecond_counter_wraps() {
    let start = 0xFFFF_FF00;
    let world = World::starting_at(start);
    let gave_up = HUNDREDS.run(&world, nothing_to_draw(), || world.call(0, Err::<(), _>("T"))).unwrap_err();
    assert_eq!(world.calls(), 5);
    assert_eq!(world.waits(), [200; 4]);
    assert_eq!(relent::Clock::now(&world), at(0x0000_0220));
    assert_eq!(gave_up.reason(), Reason::TimeLimit { limit: 900, delay: 200 });
    assert_eq!(gave_up.elapsed(), 800);
}

#[test]
fn a28_polled_over_the_wrap() {
    let mut run = HUNDREDS.start(at(0xFFFF_FF00));
    let mut rng = nothing_to_draw();
    let (mut calls, mut now) = (0, 0xFFFF_FF00_u32);
    let reason = loop {
        match run.poll(at(now)) {
            Step::Attempt(attempt) => {
                calls += 1;
                if let Next::GiveUp(reason) = run.fail(attempt, at(now), Verdict::Retry, &mut rng) {
                    break reason;
                }
            }
            Step::Wait(left) => {
                assert!(left <= 200 && now != 0x1000, "this does not end");
                now = now.wrapping_add(1);
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((calls, now, reason), (5, 0x0000_0220, Reason::TimeLimit { limit: 900, delay: 200 }));
}

#[test]
fn a28_elapsed_is_more_than_the_counter_where_the_span_is_wider() {
    let wide = Retry::new(Constant::new(1_u64));
    let mut run = wide.start(Instant::at(0));
    let attempt_64 = attempt(&mut run, Instant::at(0));
    for read in 1..=5_u64 {
        let _ = run.poll(Instant::at(read << 30));
    }
    assert_eq!(run.elapsed(), 5 << 30);
    assert!(run.elapsed() > u64::from(u32::MAX));
    run.succeed(attempt_64);

    // The raw 32-bit machine saturates.
    let raw = Retry::new(Constant::new(1_u32));
    let mut run = raw.start(at(0));
    let _attempt = attempt(&mut run, at(0));
    for read in 1..=5_u32 {
        let _ = run.poll(at(read.wrapping_mul(1 << 30)));
    }
    assert_eq!(run.elapsed(), u32::MAX);
}

#[test]
fn a28_a_wait_longer_than_half_the_range_comes_due_on_time() {
    let retry = Retry::new(Constant::new(u32::MAX));
    for start in [0, 1, 0x7FFF_FFFF, 0x8000_0000, u32::MAX] {
        let mut run = retry.start(at(start));
        let first = attempt(&mut run, at(start));
        assert_eq!(run.fail(first, at(start), Verdict::Retry, &mut nothing_to_draw()), Next::Wait(u32::MAX));
        // Told the time three times: at a third, at two thirds, one tick before the end.
        for (told, left) in [(1 << 30, u32::MAX - (1 << 30)), (3 << 30, u32::MAX - (3 << 30)), (u32::MAX - 1, 1)] {
            let now = at(start.wrapping_add(told));
            if told == 3 << 30 {
                let _ = run.poll(at(start.wrapping_add(2 << 30)));
            }
            assert_eq!(run.poll(now), Step::Wait(left));
        }
        assert_eq!(attempt(&mut run, at(start.wrapping_add(u32::MAX))).number(), 2);
    }
}

#[test]
fn a28_any_start_gives_the_same_run() {
    let runs_from = |start| {
        let world = World::starting_at(start);
        let gave_up = HUNDREDS.run(&world, nothing_to_draw(), || world.call(30, Err::<(), _>("T"))).unwrap_err();
        (world.waits(), world.called_at(start), gave_up)
    };
    let plain = runs_from(0);
    for start in (0..=64).map(|k| (k * 32_u32).wrapping_sub(1_024)).chain([1 << 31, (1 << 31) - 100]) {
        assert_eq!(runs_from(start), plain, "{start:#x}");
    }
}

#[test]
fn a29_a_step_back_counts_as_standing_still() {
    let retry = Retry::new(Constant::new(1_u32)).with_max_elapsed(1_000);
    let mut run = retry.start(at(100_000));
    let mut elapsed = Vec::new();
    for reading in [100_000, 100_010, 34_474, 100_020] {
        // Each reading reports a failure; none of them ends the run early.
        run.retry_now();
        let token = attempt(&mut run, at(reading));
        assert_eq!(run.fail(token, at(reading), Verdict::Retry, &mut nothing_to_draw()), Next::Wait(1));
        elapsed.push(run.elapsed());
    }
    assert_eq!(elapsed, [0, 10, 10, 20]);
}

#[test]
fn a29_half_the_range_tells_back_from_ahead() {
    // A step back of d and a jump ahead by 2^32 − d look alike: up to half the range it is ahead, above it back.
    for (reading, elapsed) in [(1_u32 << 31, 1 << 31), ((1 << 31) + 1, 0), (u32::MAX, 0)] {
        let retry = Retry::new(Constant::new(1_u32));
        let mut run = retry.start(at(0));
        let _token = attempt(&mut run, at(reading));
        assert_eq!(run.elapsed(), elapsed, "{reading:#x}");
    }
}

#[test]
fn a29_a_wait_is_not_shortened_or_repeated_by_a_step_back() {
    let retry = Retry::new(Constant::new(100_u32));
    let mut run = retry.start(at(1_000));
    let token = attempt(&mut run, at(1_000));
    assert_eq!(run.fail(token, at(1_000), Verdict::Retry, &mut nothing_to_draw()), Next::Wait(100));
    assert_eq!(run.poll(at(1_060)), Step::Wait(40));
    assert_eq!(run.poll(at(0)), Step::Wait(40));
    assert_eq!(run.poll(at(1_059)), Step::Wait(40), "not yet past the latest reading");
    assert_eq!(run.poll(at(1_099)), Step::Wait(1));
    assert_eq!(attempt(&mut run, at(1_100)).number(), 2);
}

#[test]
fn x01_polled_every_millisecond_it_does_not_spin() {
    let retry = Retry::new(Exponential::new(1_000_u32).with_multiplier(2.0).with_jitter(Jitter::None));
    let mut run = retry.start(at(0));
    let mut attempts_at = Vec::new();
    for now in 0..15_000 {
        match run.poll(at(now)) {
            Step::Attempt(attempt) => {
                attempts_at.push(now);
                let _ = run.fail(attempt, at(now), Verdict::Retry, &mut nothing_to_draw());
            }
            Step::Wait(left) => assert!(left > 0),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(attempts_at, [0, 1_000, 3_000, 7_000]);
}

#[test]
fn x01_an_attempt_is_handed_out_once_however_often_it_is_polled() {
    let retry = Retry::new(Constant::new(10_u32));
    let mut run = retry.start(at(0));
    let token = attempt(&mut run, at(0));
    for now in 0..1_000 {
        assert_eq!(run.poll(at(now)), Step::InFlight);
    }
    assert_eq!(run.attempts(), 1);
    run.succeed(token);
    for now in 1_000..2_000 {
        assert_eq!(run.poll(at(now)), Step::Done);
    }
}

#[test]
fn x10_devices_that_boot_together_do_not_start_together() {
    let retry = Retry::new(Constant::new(1_000_u32));
    let band = Band::new(0, 9_999);
    let starts: Vec<u32> = (0..1_000)
        .map(|device| {
            let mut rng = Xoshiro128PlusPlus::seed_from_u64(device);
            match retry.start_after(at(0), band, &mut rng).poll(at(0)) {
                Step::Wait(left) => left,
                _ => 0,
            }
        })
        .collect();
    assert!(starts.iter().all(|&start| start <= 9_999));
    // 1000 devices over ten seconds: about a hundred in each, never half as many again (five standard deviations: 47).
    for second in 0..10 {
        let crowd = starts.iter().filter(|&&start| start / 1_000 == second).count();
        assert!((53..=147).contains(&crowd), "{crowd} in second {second}");
    }
}

#[test]
fn x10_the_first_delay_is_drawn_in_its_band_and_counts_as_elapsed() {
    let retry = Retry::new(Constant::new(1_000_u32)).with_max_elapsed(1_500);
    let mut rng = Script::units([0.5]);
    let mut run = retry.start_after(at(7), Band::new(500, 699), &mut rng);
    assert_eq!(run.poll(at(7)), Step::Wait(600));
    let first = attempt(&mut run, at(607));
    assert_eq!((first.number(), first.time_left()), (1, Some(900)));
    let next = run.fail(first, at(607), Verdict::Retry, &mut rng);
    assert_eq!(next, Next::GiveUp(Reason::TimeLimit { limit: 1_500, delay: 1_000 }));
    assert_eq!(rng.drawn(), 1);
}
