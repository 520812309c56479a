//! The guards, through outages, on a clock that wraps.

use core::fmt::{self, Write};

use relent::guard::airtime::Stage;
use relent::guard::breaker::{BreakerSettings, Consecutive, LastOutcomes, LastSpan, State, Threshold, Window};
use relent::guard::budget::FailureKind;
use relent::guard::limiter::Denied;
use relent::guard::{Airtime, Breaker, Budget, CostBudget, DutyCycle, RateLimiter, RatioBudget, ThrottleBudget};
use relent::rng::Rng;
use relent::{Factor, IdempotencyKey, Instant, Jitter, Seen, Use};

use super::{Hash, SEEDS};
use crate::unit::Unit;

const GROWTH: Factor = Factor::new(1.7);
const FIFTH: Factor = Factor::new(0.2);
const HALF: Threshold = Threshold::rate(1, 2).with_min_volume(5);

/// A line for each guard: its answers to 400 questions per seed.
pub(super) fn all<S: Unit>(out: &mut impl Write) -> fmt::Result {
    breaker::<S, _>(out, "consecutive", Consecutive::new(3))?;
    breaker::<S, _>(out, "outcomes", LastOutcomes::<1>::new(20, HALF))?;
    breaker::<S, _>(out, "buckets", LastSpan::<S, 10>::new(S::of(300), HALF))?;
    budget::<S>(out, "ratio", &mut RatioBudget::new(3, 10).with_reserve(RateLimiter::every(S::of(700))))?;
    budget::<S>(out, "cost", &mut CostBudget::new(60))?;
    budget::<S>(out, "throttle", &mut ThrottleBudget::new(10, 3, 10))?;
    limits::<S>(out)?;
    keys::<S>(out)
}

fn breaker<S: Unit, W: Window<S>>(out: &mut impl Write, name: &str, window: W) -> fmt::Result {
    let settings = BreakerSettings::new(S::of(1_000))
        .with_max_cooldown(S::of(6_000))
        .with_jitter(Jitter::Spread(FIFTH))
        .with_permits(2)
        .with_successes(3);
    let Ok(settings) = settings.try_with_growth(GROWTH) else { return Err(fmt::Error) };
    let (mut hash, mut refusals) = (Hash::new(), 0);
    for seed in SEEDS {
        let mut rng = S::generator(seed);
        let mut breaker = Breaker::new(settings, window);
        let mut now = start::<S>();
        for turn in 0..400_u32 {
            now = now.after(S::of(turn % 11 * 30));
            hash.add(match breaker.state(now) {
                State::Closed => 1,
                State::Open => 2,
                State::HalfOpen => 3,
            });
            match breaker.admit(now) {
                Err(refused) => {
                    refusals += 1;
                    hash.add(refused.remaining().count());
                }
                // Lost: taken back after a cooldown.
                Ok(_) if turn % 31 == 0 => {}
                Ok(permit) if turn % 17 == 0 => breaker.ignore(permit),
                // Every other stretch of 80 is an outage.
                Ok(permit) if turn / 80 % 2 == 1 || rng.next_u32() >> 29 == 0 => breaker.failure(permit, now, &mut rng),
                Ok(permit) => breaker.success(permit, now),
            }
        }
    }
    writeln!(out, "{} breaker {name} {hash} refused {refusals}", S::NAME)
}

fn budget<S: Unit>(out: &mut impl Write, name: &str, budget: &mut impl Budget<S>) -> fmt::Result {
    let (mut hash, mut spent) = (Hash::new(), 0);
    let mut now = start::<S>();
    for turn in 0..400_u32 {
        now = now.after(S::of(turn % 11 * 30));
        let kind = match turn % 5 {
            0 => FailureKind::Timeout,
            1 => FailureKind::Throttled,
            _ => FailureKind::Transient,
        };
        budget.on_call(now);
        let mut last = None;
        if turn % 3 > 0 {
            budget.on_failure(kind, now);
            last = budget.try_spend(kind, now);
            hash.add(last.map_or(u64::MAX, |spent| spent.tokens().into()));
            spent += u32::from(last.is_some());
        }
        if turn / 80 % 2 == 0 {
            budget.on_success(last, now);
        }
    }
    writeln!(out, "{} budget {name} {hash} spent {spent}", S::NAME)
}

fn limits<S: Unit>(out: &mut impl Write) -> fmt::Result {
    let Ok(mut limiter) = RateLimiter::per(3, S::of(1_000)) else { return Err(fmt::Error) };
    let mut band = DutyCycle::<S>::TEN_PERCENT;
    let stages = [Stage::new(S::of(20_000), S::of(500)), Stage::new(S::of(7_000), S::of(90)).with_silence(9)];
    let mut joins = Airtime::new(stages);
    let (mut hash, mut granted) = (Hash::new(), 0);
    let mut now = start::<S>();
    for turn in 0..400_u32 {
        now = now.after(S::of(turn % 11 * 30));
        let on_air = S::of(turn % 4 * 31);
        let answers = [limiter.check_n(turn % 5, now), band.admit(on_air, now), joins.admit(on_air, now)];
        for answer in answers {
            hash.add(match answer {
                Ok(()) => 0,
                Err(Denied::NotYet(wait)) => wait.count(),
                Err(Denied::Never) => u64::MAX,
            });
            granted += u32::from(answer.is_ok());
        }
    }
    writeln!(out, "{} limits {hash} granted {granted}", S::NAME)
}

fn keys<S: Unit>(out: &mut impl Write) -> fmt::Result {
    let mut rng = S::generator(SEEDS[0]);
    let keys: [IdempotencyKey; 6] = core::array::from_fn(|_| IdempotencyKey::new(&mut rng));
    let mut seen: Seen<u32, 4, S> = Seen::new(S::of(900));
    let mut hash = Hash::new();
    let mut now = start::<S>();
    for turn in 0..400_u32 {
        now = now.after(S::of(turn % 11 * 30));
        hash.add(match seen.record(keys[(turn * turn % 6) as usize], turn, now) {
            Use::First => u64::MAX,
            Use::Repeat(first) => (*first).into(),
        });
    }
    writeln!(out, "{} keys {} {hash}", S::NAME, keys[0])
}

/// A little before a 32-bit counter wraps.
fn start<S: Unit>() -> Instant<S> {
    Instant::at(S::of(u32::MAX - 10_000))
}
