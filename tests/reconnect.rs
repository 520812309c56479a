//! Keeping a link up: growth over short sessions, events from outside, resets, and years on a counter that wraps.

use proptest::prelude::*;
use relent::reconnect::{Link, LinkState, LinkStep, Reconnect};
use relent::rng::{self, Rng, SeedableRng, Xoshiro128PlusPlus};
use relent::testing::Script;
use relent::{Attempt, Band, Exponential, Instant, Jitter, Next, Reason, Recursive, Retry, Verdict};

const SECOND: u32 = 1_000;
const MINUTE: u32 = 60 * SECOND;
const HOUR: u32 = 60 * MINUTE;
const DAY: u32 = 24 * HOUR;

/// 1, 2, 4 … 60 s; stable after half a minute.
const POLICY: Exponential<u32> =
    Exponential::new(SECOND).with_multiplier(2.0).with_max_interval(MINUTE).with_jitter(Jitter::None);
const UPLINK: Reconnect<Exponential<u32>> =
    Reconnect::new(Retry::new(POLICY), 30 * SECOND).with_min_spacing(5 * SECOND);

fn no_draw() -> Script<1> {
    Script::new([0])
}

/// A link and its clock.
struct Rig<'a> {
    link: Link<'a, Exponential<u32>>,
    now: Instant<u32>,
}

impl<'a> Rig<'a> {
    fn at(settings: &'a Reconnect<Exponential<u32>>, origin: u32) -> Self {
        let now = Instant::at(origin);
        Self { link: settings.start(now), now }
    }

    fn poll(&mut self) -> LinkStep<u32> {
        self.link.poll(self.now)
    }

    fn pass(&mut self, span: u32) {
        self.now = self.now.after(span);
    }

    fn attempt(&mut self) -> Attempt<u32> {
        match self.poll() {
            LinkStep::Attempt(attempt) => attempt,
            other => panic!("{other:?}"),
        }
    }

    fn fail(&mut self, attempt: Attempt<u32>, verdict: Verdict<u32>) -> Next<u32> {
        self.link.fail(attempt, self.now, verdict, &mut no_draw())
    }

    /// Connects, stays up for `session`, and drops; the wait that follows, which is waited.
    fn session(&mut self, session: u32) -> u32 {
        let attempt = self.attempt();
        self.link.succeed(attempt, self.now);
        assert_eq!(self.poll(), LinkStep::Up);
        self.pass(session);
        let Next::Wait(delay) = self.link.lost(self.now, Verdict::Retry, &mut no_draw()) else { panic!() };
        if delay > 1 {
            self.pass(delay - 1);
            assert_eq!(self.poll(), LinkStep::Wait(1));
        }
        self.pass(1);
        delay
    }
}

#[test]
fn sessions_of_a_second_go_on_growing_and_one_of_a_minute_starts_anew() {
    let mut rig = Rig::at(&UPLINK, 0);
    let sessions = [SECOND, SECOND, SECOND, SECOND, MINUTE, SECOND, SECOND];
    assert_eq!(sessions.map(|s| rig.session(s) / SECOND), [1, 2, 4, 8, 1, 2, 4]);
}

#[test]
fn stable_after_is_reached_on_its_tick() {
    let mut rig = Rig::at(&UPLINK, 0xFFFF_FF00);
    assert_eq!(rig.session(SECOND), SECOND);
    assert_eq!(rig.session(30 * SECOND - 1), 2 * SECOND);
    assert_eq!(rig.session(30 * SECOND), SECOND);
}

#[test]
fn failures_and_short_sessions_grow_together() {
    let mut rig = Rig::at(&UPLINK, 0);
    for expected in [1, 2] {
        let attempt = rig.attempt();
        assert_eq!(rig.fail(attempt, Verdict::Retry), Next::Wait(expected * SECOND));
        rig.pass(expected * SECOND);
    }
    assert_eq!(rig.session(SECOND), 4 * SECOND);
    let attempt = rig.attempt();
    assert_eq!(rig.fail(attempt, Verdict::Retry), Next::Wait(8 * SECOND));
    assert_eq!(rig.link.failures(), 4);
}

#[test]
fn with_no_stable_time_every_success_starts_anew() {
    let settings = Reconnect::new(Retry::new(POLICY), 0);
    let mut rig = Rig::at(&settings, 0);
    assert_eq!([0, 1, 0].map(|s| rig.session(s)), [SECOND; 3]);
}

#[test]
fn years_on_a_millisecond_counter_wrap_many_times_and_change_nothing() {
    let mut rig = Rig::at(&UPLINK, 0xFFF0_0000);
    let mut passed = 0_u64;
    let mut wraps = 0;
    for outage in 0..200 {
        // Up for 17 days, looked at every five.
        let attempt = rig.attempt();
        rig.link.succeed(attempt, rig.now);
        for days in [5, 5, 5, 2] {
            let before = rig.now;
            rig.pass(days * DAY);
            wraps += u32::from(raw(rig.now) < raw(before));
            passed += u64::from(days * DAY);
            assert_eq!(rig.poll(), LinkStep::Up);
        }
        assert!(rig.link.is_stable());
        // Then a flapping hour.
        assert_eq!(rig.link.lost(rig.now, Verdict::Retry, &mut no_draw()), Next::Wait(SECOND));
        rig.pass(SECOND);
        assert_eq!([1, 2, 3].map(|s| rig.session(s * SECOND)), [2, 4, 8].map(|s| s * SECOND), "outage {outage}");
    }
    assert!(wraps > 60 && passed > 9 * 365 * u64::from(DAY));
}

/// The raw counter, seen from where it was 0.
fn raw(now: Instant<u32>) -> u32 {
    // Two halves, since `since` looks no further than half the range.
    let origin = Instant::at(0_u32);
    let half = now.since(origin);
    if half == 0 && now != origin { (1 << 31) + now.since(origin.after(1 << 31)) } else { half }
}

#[test]
fn an_event_makes_an_attempt_due_without_resetting_growth() {
    let mut rig = Rig::at(&UPLINK, 0);
    for expected in [1, 2, 4, 8, 16] {
        let attempt = rig.attempt();
        assert_eq!(rig.fail(attempt, Verdict::Retry), Next::Wait(expected * SECOND));
        rig.pass(if expected == 16 { 6 * SECOND } else { expected * SECOND });
    }
    assert_eq!(rig.poll(), LinkStep::Wait(10 * SECOND));
    rig.link.retry_now(rig.now);
    let attempt = rig.attempt();
    assert_eq!(rig.fail(attempt, Verdict::Retry), Next::Wait(32 * SECOND));
}

#[test]
fn a_bouncing_button_causes_one_attempt_per_spacing() {
    let mut rig = Rig::at(&UPLINK, u32::MAX - 100);
    let mut attempts = Vec::new();
    // A minute of presses every 10 ms.
    for press in 0..6_000 {
        rig.link.retry_now(rig.now);
        if let LinkStep::Attempt(attempt) = rig.poll() {
            attempts.push(press / 100);
            _ = rig.fail(attempt, Verdict::Retry);
        }
        rig.pass(10);
    }
    // While the policy's own waits are below the spacing of 5 s, they count.
    assert_eq!(attempts, [0, 1, 3, 7, 12, 17, 22, 27, 32, 37, 42, 47, 52, 57]);
}

#[test]
fn a_pending_event_waits_for_its_spacing_and_happens_once() {
    let slow = Reconnect::new(Retry::new(Exponential::new(HOUR).with_jitter(Jitter::None)), 0).with_min_spacing(500);
    let mut rig = Rig::at(&slow, 0);
    let attempt = rig.attempt();
    assert_eq!(rig.fail(attempt, Verdict::Retry), Next::Wait(HOUR));
    rig.pass(200);
    rig.link.retry_now(rig.now);
    rig.link.retry_now(rig.now);
    assert_eq!(rig.poll(), LinkStep::Wait(300));
    rig.pass(299);
    assert_eq!(rig.poll(), LinkStep::Wait(1));
    rig.pass(1);
    let attempt = rig.attempt();
    assert_eq!(rig.fail(attempt, Verdict::Retry), Next::Wait(HOUR + HOUR / 2));
    rig.pass(10 * MINUTE);
    assert_eq!(rig.poll(), LinkStep::Wait(HOUR + HOUR / 2 - 10 * MINUTE));
}

#[test]
fn an_event_does_not_break_a_duty_cycle_or_a_hint() {
    for (verdict, least) in [(Verdict::NotBefore(100 * SECOND), 100), (Verdict::RetryAfter(70 * SECOND), 70)] {
        let mut rig = Rig::at(&UPLINK, 0);
        let attempt = rig.attempt();
        assert_eq!(rig.fail(attempt, verdict), Next::Wait(least * SECOND));
        rig.pass(10 * SECOND);
        rig.link.retry_now(rig.now);
        assert_eq!(rig.poll(), LinkStep::Wait((least - 10) * SECOND));
    }
    // Also where the wait is drawn well above it, and where the run ends with it.
    let settings =
        Reconnect::new(Retry::new(Exponential::new(HOUR).with_jitter(Jitter::None)).with_max_elapsed(HOUR), 0);
    let mut rig = Rig::at(&settings, 0);
    let attempt = rig.attempt();
    assert_eq!(rig.fail(attempt, Verdict::NotBefore(MINUTE)), Next::Wait(HOUR));
    rig.link.retry_now(rig.now);
    assert_eq!(rig.poll(), LinkStep::Wait(MINUTE));
    rig.pass(MINUTE);
    let attempt = rig.attempt();
    let limit = Reason::TimeLimit { limit: HOUR, delay: 2 * HOUR };
    assert_eq!(rig.fail(attempt, Verdict::NotBefore(2 * HOUR)), Next::GiveUp(limit));
    assert_eq!(rig.poll(), LinkStep::Down);
    rig.link.retry_now(rig.now);
    assert_eq!(rig.poll(), LinkStep::Wait(2 * HOUR));
}

/// Given up or not, the other side said when it will be there; a hint too long to be true does not lock the button for weeks.
#[test]
fn an_event_does_not_break_the_hint_that_ended_the_run() {
    let attempts = Retry::new(POLICY).with_max_attempts(1);
    for (retry, asked, reason, least) in [
        (attempts, HOUR, Reason::Attempts, HOUR),
        (attempts.with_max_hint(MINUTE), HOUR, Reason::Attempts, MINUTE),
        (
            Retry::new(POLICY).with_max_hint(MINUTE),
            u32::MAX,
            Reason::HintTooLong { asked: u32::MAX, left: MINUTE },
            MINUTE,
        ),
    ] {
        let settings = Reconnect::new(retry, 0);
        let mut rig = Rig::at(&settings, 0);
        let attempt = rig.attempt();
        assert_eq!(rig.fail(attempt, Verdict::RetryAfter(asked)), Next::GiveUp(reason));
        rig.pass(SECOND);
        rig.link.retry_now(rig.now);
        assert_eq!(rig.poll(), LinkStep::Wait(least - SECOND));
        rig.pass(least - SECOND);
        assert_eq!(rig.attempt().number(), 1);
    }
}

#[test]
fn a_link_that_is_down_comes_back_on_an_event_only() {
    let settings = Reconnect::new(Retry::new(POLICY).with_max_attempts(2), MINUTE);
    let mut rig = Rig::at(&settings, 0);
    let first = rig.attempt();
    assert_eq!(rig.fail(first, Verdict::Retry), Next::Wait(SECOND));
    rig.pass(SECOND);
    let second = rig.attempt();
    assert_eq!(rig.fail(second, Verdict::Retry), Next::GiveUp(Reason::Attempts));
    rig.pass(20 * DAY);
    assert_eq!((rig.poll(), rig.link.state()), (LinkStep::Down, LinkState::Down));

    rig.link.retry_now(rig.now);
    assert_eq!(rig.link.state(), LinkState::Waiting);
    let again = rig.attempt();
    assert_eq!(again.number(), 1);
    assert_eq!(rig.fail(again, Verdict::Permanent), Next::GiveUp(Reason::Permanent));
    assert_eq!(rig.poll(), LinkStep::Down);
}

#[test]
fn events_at_other_times_change_nothing() {
    let mut rig = Rig::at(&UPLINK, 0);
    let attempt = rig.attempt();
    rig.link.retry_now(rig.now);
    assert_eq!((rig.poll(), rig.link.state()), (LinkStep::InFlight, LinkState::Attempting));
    assert_eq!(rig.link.lost(rig.now, Verdict::Retry, &mut no_draw()), Next::Stale);
    rig.link.succeed(attempt, rig.now);
    rig.link.retry_now(rig.now);
    assert_eq!((rig.poll(), rig.link.state()), (LinkStep::Up, LinkState::Up));
    assert_eq!(rig.link.lost(rig.now, Verdict::Retry, &mut no_draw()), Next::Wait(SECOND));
    assert_eq!(rig.link.lost(rig.now, Verdict::Retry, &mut no_draw()), Next::Stale);
    assert_eq!(rig.poll(), LinkStep::Wait(SECOND));
}

#[test]
fn a_lost_interrupt_times_out_and_its_late_answer_is_stale() {
    let settings = Reconnect::new(Retry::new(POLICY).with_attempt_timeout(5 * SECOND), MINUTE);
    let mut rig = Rig::at(&settings, 0xFFFF_F000);
    let lost = rig.attempt();
    rig.pass(5 * SECOND);
    let LinkStep::TimedOut(fresh) = rig.poll() else { panic!() };
    rig.link.succeed(lost, rig.now);
    assert_eq!(rig.poll(), LinkStep::InFlight);
    assert_eq!(rig.fail(fresh, Verdict::Retry), Next::Wait(SECOND));

    // A session may last longer than an attempt may take.
    rig.pass(SECOND);
    let attempt = rig.attempt();
    rig.link.succeed(attempt, rig.now);
    rig.pass(50 * SECOND);
    assert_eq!(rig.poll(), LinkStep::Up);
    assert_eq!(rig.link.lost(rig.now, Verdict::Retry, &mut no_draw()), Next::Wait(2 * SECOND));
}

#[test]
fn a_token_of_an_outage_that_is_over_is_stale() {
    let settings = Reconnect::new(Retry::new(POLICY).with_attempt_timeout(5 * SECOND), MINUTE);
    let mut rig = Rig::at(&settings, 0);
    let old = rig.attempt();
    rig.pass(5 * SECOND);
    let LinkStep::TimedOut(fresh) = rig.poll() else { panic!() };
    rig.link.succeed(fresh, rig.now);
    rig.pass(HOUR);
    _ = rig.link.lost(rig.now, Verdict::Retry, &mut no_draw());
    rig.pass(SECOND);
    let current = rig.attempt();
    rig.link.succeed(old, rig.now);
    assert_eq!(rig.poll(), LinkStep::InFlight);
    rig.link.succeed(current, rig.now);
    assert_eq!(rig.poll(), LinkStep::Up);
}

#[test]
fn the_time_up_is_no_part_of_an_outage() {
    let settings = Reconnect::new(Retry::new(POLICY).with_max_elapsed(10 * SECOND), MINUTE);
    let mut rig = Rig::at(&settings, 0);
    // 1 + 2 s of waits and 3 × 50 s of sessions.
    for expected in [1, 2, 4] {
        let attempt = rig.attempt();
        rig.link.succeed(attempt, rig.now);
        rig.pass(50 * SECOND);
        assert_eq!(rig.link.lost(rig.now, Verdict::Retry, &mut no_draw()), Next::Wait(expected * SECOND));
        rig.pass(expected * SECOND);
    }
    let attempt = rig.attempt();
    let limit = Reason::TimeLimit { limit: 10 * SECOND, delay: 8 * SECOND };
    assert_eq!(rig.fail(attempt, Verdict::Retry), Next::GiveUp(limit));
}

#[test]
fn the_time_an_attempt_takes_is_part_of_an_outage() {
    let settings = Reconnect::new(Retry::new(POLICY).with_max_elapsed(10 * SECOND), MINUTE);
    let mut rig = Rig::at(&settings, 0);
    let attempt = rig.attempt();
    rig.pass(9 * SECOND + 1);
    rig.link.succeed(attempt, rig.now);
    let limit = Reason::TimeLimit { limit: 10 * SECOND, delay: SECOND };
    assert_eq!(rig.link.lost(rig.now, Verdict::Retry, &mut no_draw()), Next::GiveUp(limit));
}

#[test]
fn a_device_goes_on_where_a_brown_out_stopped_it() {
    let mut rng = no_draw();
    for (failures, wait) in [(1, 1), (2, 2), (3, 4), (6, 32), (7, 60), (1_000, 60), (u32::MAX, 60)] {
        let mut link = UPLINK.resume(Instant::at(0), failures, &mut rng);
        assert_eq!(link.failures(), failures);
        assert_eq!(link.poll(Instant::at(0)), LinkStep::Wait(wait * SECOND), "{failures}");
        assert!(matches!(link.poll(Instant::at(wait * SECOND)), LinkStep::Attempt(_)));
        assert_eq!(
            link.failures(),
            failures.min(u32::MAX - 1),
            "an attempt that the next reset cuts off has not failed yet"
        );
    }
    assert!(matches!(UPLINK.resume(Instant::at(7), 0, &mut rng).poll(Instant::at(7)), LinkStep::Attempt(_)));
}

#[test]
fn a_reset_at_any_moment_of_a_run_leads_to_the_same_waits() {
    let mut whole = Rig::at(&UPLINK, 0);
    for made in 1..10 {
        let attempt = whole.attempt();
        let next = whole.fail(attempt, Verdict::Retry);
        let Next::Wait(delay) = next else { panic!() };
        assert_eq!(whole.link.failures(), made);
        let mut resumed = UPLINK.resume(Instant::at(99), whole.link.failures(), &mut no_draw());
        assert_eq!(resumed.poll(Instant::at(99)), LinkStep::Wait(delay));
        whole.pass(delay);
    }
}

#[test]
fn what_counts_stays_counted_over_a_reset() {
    let settings = Reconnect::new(Retry::new(POLICY).with_max_attempts(5), MINUTE);
    let mut rig = Rig { link: settings.resume(Instant::at(0), 4, &mut no_draw()), now: Instant::at(0) };
    assert_eq!(rig.poll(), LinkStep::Wait(8 * SECOND));
    rig.pass(8 * SECOND);
    let fifth = rig.attempt();
    assert_eq!(fifth.number(), 5);
    assert_eq!(rig.fail(fifth, Verdict::Retry), Next::GiveUp(Reason::Attempts));
    assert_eq!(settings.resume(Instant::at(0), 5, &mut no_draw()).poll(Instant::at(0)), LinkStep::Down);
}

#[test]
fn a_garbled_count_ends_soon_for_every_policy() {
    // It neither settles nor ends by itself, so only the bound stops it.
    let settings = Reconnect::new(Retry::new(Recursive::new(1_000_u32).with_max_interval(MINUTE)), MINUTE);
    let mut words = 0_u32;
    let mut rng = rng::from_fn(|| {
        words += 1;
        0
    });
    let mut link = settings.resume(Instant::at(0), u32::MAX, &mut rng);
    assert_eq!(link.poll(Instant::at(0)), LinkStep::Wait(54 * SECOND));
    assert_eq!(words, 1_025);
}

#[test]
fn failures_are_forgotten_once_the_link_is_stable() {
    let mut rig = Rig::at(&UPLINK, 0);
    let attempt = rig.attempt();
    _ = rig.fail(attempt, Verdict::Retry);
    rig.pass(SECOND);
    let attempt = rig.attempt();
    rig.link.succeed(attempt, rig.now);
    rig.pass(30 * SECOND - 1);
    assert_eq!((rig.poll(), rig.link.is_stable(), rig.link.failures()), (LinkStep::Up, false, 1));
    rig.pass(1);
    assert_eq!((rig.poll(), rig.link.is_stable(), rig.link.failures()), (LinkStep::Up, true, 0));
}

#[test]
fn x10_a_thousand_devices_that_boot_together_do_not_attempt_together() {
    let splay = Band::new(0, 30 * SECOND);
    let mut first: Vec<u32> = (0..1_000)
        .map(|device| {
            let mut rng = Xoshiro128PlusPlus::seed_from_u64(device);
            match UPLINK.start_after(Instant::at(0), splay, &mut rng).poll(Instant::at(0)) {
                LinkStep::Wait(wait) => wait,
                LinkStep::Attempt(_) => 0,
                other => panic!("{other:?}"),
            }
        })
        .collect();
    first.sort_unstable();
    // 33 in each second on average; the busiest second holds no more than twice that, and the ends are reached.
    let busiest = (0..30).map(|s| first.iter().filter(|wait| **wait / SECOND == s).count()).max().unwrap();
    assert!(busiest <= 66, "{busiest}");
    assert!(first[0] < SECOND && first[999] > 29 * SECOND);
}

#[test]
fn x1_a_link_polled_every_millisecond_attempts_at_0_1_3_and_7_seconds() {
    let mut rig = Rig::at(&UPLINK, 0);
    let mut attempts = Vec::new();
    for ms in 0..10_000 {
        if let LinkStep::Attempt(attempt) = rig.poll() {
            attempts.push(ms);
            _ = rig.fail(attempt, Verdict::Retry);
        }
        rig.pass(1);
    }
    assert_eq!(attempts, [0, 1_000, 3_000, 7_000]);
}

#[test]
fn a_broken_generator_leaves_the_link_as_it_was() {
    let jittered = Reconnect::new(Retry::new(POLICY.with_jitter(Jitter::Full)), 30 * SECOND);
    let mut broken = rng::try_from_fn(|| Err::<u32, _>(std::fmt::Error));
    let mut works = Script::units([0.5]);
    for session in [SECOND, MINUTE] {
        let mut link = jittered.start(Instant::at(0));
        let LinkStep::Attempt(attempt) = link.poll(Instant::at(0)) else { panic!() };
        let (attempt, _) = link.try_fail(attempt, Instant::at(0), Verdict::Retry, &mut broken).unwrap_err();
        assert_eq!(link.poll(Instant::at(0)), LinkStep::InFlight);
        link.succeed(attempt, Instant::at(0));
        let end = Instant::at(session);
        assert!(link.try_lost(end, Verdict::Retry, &mut broken).is_err());
        assert!(link.try_lost(end, Verdict::Retry, &mut broken).is_err());
        assert_eq!((link.poll(end), link.is_stable()), (LinkStep::Up, session == MINUTE));
        assert_eq!(link.try_lost(end, Verdict::Retry, &mut works), Ok(Next::Wait(500)));
        assert_eq!(link.failures(), 1);
    }
}

#[test]
fn a_clock_that_steps_back_or_stands_still_makes_no_link_stable() {
    let mut rig = Rig::at(&UPLINK, 100_000);
    let attempt = rig.attempt();
    rig.link.succeed(attempt, rig.now);
    for reading in [129_999, 34_463, 129_999, 129_999] {
        assert_eq!(rig.link.poll(Instant::at(reading)), LinkStep::Up);
    }
    assert!(!rig.link.is_stable());
    rig.link.rebase(Instant::at(5));
    _ = rig.link.poll(Instant::at(5));
    assert!(!rig.link.is_stable());
    _ = rig.link.poll(Instant::at(6));
    assert!(rig.link.is_stable());
}

/// The same rules on a time that does not wrap, with nothing shared: moments instead of what is left.
#[derive(Debug)]
struct Model {
    now: u64,
    failures: u32,
    phase: Phase,
    last_begun: Option<u64>,
    floor: u64,
    hurry: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    WaitingUntil(u64),
    Attempting,
    UpSince(u64),
}

impl Model {
    fn failed(&mut self, not_before: Option<u32>) {
        self.failures += 1;
        let wait = u64::from((SECOND << (self.failures - 1).min(20)).min(MINUTE));
        let wait = wait.max(u64::from(not_before.unwrap_or(0)));
        self.floor = self.floor.max(self.now + u64::from(not_before.unwrap_or(0)));
        self.phase = Phase::WaitingUntil(self.now + wait);
    }

    fn poll(&mut self) -> (LinkState, Option<u64>) {
        if let Phase::WaitingUntil(due) = self.phase {
            let spaced = self.last_begun.map_or(0, |begun| begun + u64::from(5 * SECOND)).max(self.floor);
            let due = if self.hurry { due.min(spaced) } else { due };
            if self.now < due {
                return (LinkState::Waiting, Some(due - self.now));
            }
            (self.phase, self.last_begun, self.floor, self.hurry) = (Phase::Attempting, Some(self.now), 0, false);
            return (LinkState::Attempting, None);
        }
        let state = if self.phase == Phase::Attempting { LinkState::Attempting } else { LinkState::Up };
        (state, None)
    }
}

proptest! {
    #[test]
    fn a_link_matches_its_model(origin: u32, script in prop::collection::vec((any::<u8>(), any::<u32>()), 1..200)) {
        let mut rig = Rig::at(&UPLINK, origin);
        let mut model = Model {
            now: 0, failures: 0, phase: Phase::WaitingUntil(0), last_begun: None, floor: 0, hurry: false,
        };
        let mut token = None;
        for (what, word) in script {
            let span = match what % 4 {
                0 => word % 3,
                1 => word % (2 * SECOND),
                2 => word % (2 * MINUTE),
                _ => word % (20 * DAY),
            };
            rig.pass(span);
            model.now += u64::from(span);
            let not_before = (word >> 28 == 0).then_some(word % (3 * MINUTE));
            let verdict = not_before.map_or(Verdict::Retry, Verdict::NotBefore);
            match (what >> 2) % 4 {
                0 => if let Some(attempt) = token.take() {
                    rig.link.succeed(attempt, rig.now);
                    model.phase = Phase::UpSince(model.now);
                },
                1 => if let Some(attempt) = token.take() {
                    _ = rig.fail(attempt, verdict);
                    model.failed(not_before);
                },
                2 => {
                    _ = rig.link.lost(rig.now, verdict, &mut no_draw());
                    if let Phase::UpSince(since) = model.phase {
                        if model.now - since >= u64::from(30 * SECOND) {
                            model.failures = 0;
                        }
                        model.failed(not_before);
                    }
                },
                _ => {
                    rig.link.retry_now(rig.now);
                    model.hurry = matches!(model.phase, Phase::WaitingUntil(_));
                }
            }
            let (state, left) = model.poll();
            let step = rig.poll();
            prop_assert_eq!(rig.link.state(), state, "{:?}", model);
            match step {
                LinkStep::Attempt(attempt) => token = Some(attempt),
                LinkStep::Wait(wait) => prop_assert_eq!(Some(u64::from(wait)), left),
                LinkStep::InFlight | LinkStep::Up => prop_assert!(left.is_none()),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}

#[test]
fn a_fleet_that_loses_its_server_comes_back_spread_out() {
    let jittered = Reconnect::new(Retry::new(POLICY.with_jitter(Jitter::Full)), 30 * SECOND);
    let mut waits: Vec<u32> = (0..1_000)
        .map(|device| {
            let mut rng = Xoshiro128PlusPlus::seed_from_u64(device);
            _ = rng.next_u32();
            let mut link = jittered.start(Instant::at(0));
            let LinkStep::Attempt(attempt) = link.poll(Instant::at(0)) else { panic!() };
            link.succeed(attempt, Instant::at(0));
            let Next::Wait(wait) = link.lost(Instant::at(HOUR), Verdict::Retry, &mut rng) else { panic!() };
            wait
        })
        .collect();
    waits.sort_unstable();
    waits.dedup();
    assert!(waits.len() > 600, "{}", waits.len());
}
