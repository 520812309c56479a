//! The law of a run's context (R5, R9, R10): with deadlines, a moment of cancellation and a budget, on a counter that wraps, in a world that wakes late
//! and sometimes without reason, the blocking loop and the polled machine do what a naive model does that keeps absolute times.

use std::cell::{Cell, RefCell};

use relent::clock::Interrupt;
use relent::context::Context;
use relent::guard::budget::{Budget, FailureKind, Spent};
use relent::rng::{self, Rng};
use relent::{
    Attempt, Attempts, Clock, Constant, Deadline, Failure, Instant, Next, Reason, Retry, Settings, Sleep, Step, Verdict,
};

use super::bytes::Bytes;

/// Panics if the law is broken, never otherwise.
pub(crate) fn law(data: &[u8]) {
    let script = Script::read(&mut Bytes::new(data));
    let expected = script.predict();
    assert_eq!(script.block(), expected, "blocking: {script:?}");
    assert_eq!(script.poll(), expected, "polled: {script:?}");
}

/// What an attempt takes, how it ends (`None` is success), and how late the wake after it comes.
type Entry = (u32, Option<Verdict<u32>>, u32);

#[derive(Debug)]
struct Script {
    /// What the counter shows at the start.
    start: u32,
    delay: u32,
    max_attempts: Option<u32>,
    max_elapsed: Option<u32>,
    timeout: Option<u32>,
    /// How long, and made how long before the start of the run.
    deadlines: Vec<(u32, u32)>,
    cancel_at: Option<u64>,
    tokens: Option<u32>,
    /// Wakes without reason after a part of the wait.
    restless: bool,
    entries: Vec<Entry>,
}

/// All that can be seen of a run.
#[derive(Debug, PartialEq, Default)]
struct Trace {
    /// When each attempt began, and what it was told of the time left and its allowance.
    attempts: Vec<(u64, Option<u32>, Option<u32>)>,
    budget: Vec<Heard>,
    /// `None` is success.
    end: Option<(Reason<u32>, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Heard {
    Call(u64),
    Failure(FailureKind, u64),
    Asked(u64),
    Success(Option<Spent>),
}

impl Script {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        let set = bytes.below(256);
        let some = |bit: u64, n: u64| (set & bit != 0).then_some(n as u32);
        let start = 0_u32.wrapping_sub(bytes.below(256) as u32 * 16);
        let delay = [0, 1, 7, 100, 1_000, 1 << 20][bytes.below(6) as usize];
        let max_attempts = some(1, 1 + bytes.below(12));
        let max_elapsed = some(2, span(bytes).into());
        let timeout = some(4, bytes.below(256));
        let deadlines = (0..bytes.below(3)).map(|_| (span(bytes), bytes.below(64) as u32)).collect();
        let cancel_at = (set & 8 != 0).then(|| u64::from(span(bytes)));
        let tokens = some(16, bytes.below(6));
        let mut script = Self {
            start,
            delay,
            max_attempts,
            max_elapsed,
            timeout,
            deadlines,
            cancel_at,
            tokens,
            restless: set & 32 != 0,
            entries: Vec::new(),
        };
        while let Some(op) = bytes.next().filter(|_| script.entries.len() < 256) {
            let named = match bytes.below(8) {
                0 => u32::MAX,
                n => n as u32 * 90,
            };
            // A wait of more than half the range is another law's.
            let named = if script.limited() { named } else { named.min(1 << 20) };
            let verdict = match op & 7 {
                0 => None,
                1 => Some(Verdict::Permanent),
                2 => Some(Verdict::RetryAfter(named)),
                3 => Some(Verdict::NotBefore(named)),
                _ => Some(Verdict::Retry),
            };
            let late = if op >> 6 == 0 { bytes.below(256) as u32 } else { 0 };
            script.entries.push((u32::from(op >> 3) * 5, verdict, late));
        }
        script
    }

    /// Whether a wait that is admitted ends within some millions of ticks.
    fn limited(&self) -> bool {
        self.deadline().or(self.max_elapsed).is_some_and(|limit| limit < 1 << 24)
    }

    fn deadline(&self) -> Option<u32> {
        self.deadlines.iter().map(|(span, age)| span.saturating_sub(*age)).min()
    }

    /// The n-th attempt; beyond the script all is well.
    fn entry(&self, n: usize) -> Entry {
        self.entries.get(n).copied().unwrap_or((0, None, 0))
    }

    fn is_cancelled(&self, now: u64) -> bool {
        self.cancel_at.is_some_and(|at| at <= now)
    }

    fn predict(&self) -> Trace {
        let mut trace = Trace::default();
        let (mut now, mut left_in_budget, mut paid) = (0_u64, self.tokens, None);
        let until = |limit: Option<u32>, now: u64| limit.map(|limit| u64::from(limit).saturating_sub(now) as u32);
        trace.budget.push(Heard::Call(0));
        for n in 0.. {
            let least = [until(self.max_elapsed, now), until(self.deadline(), now)].into_iter().flatten().min();
            let allowance = [least, self.timeout].into_iter().flatten().min().map(|least| least.max(1));
            trace.attempts.push((now, least, allowance));
            let (cost, verdict, late) = self.entry(n);
            now += u64::from(cost);
            let Some(verdict) = verdict else {
                trace.budget.push(Heard::Success(paid));
                return trace.heard_by(self.tokens);
            };
            let kind = match verdict {
                Verdict::Retry if self.timeout.is_some_and(|timeout| cost >= timeout) => FailureKind::Timeout,
                verdict => FailureKind::from(&verdict),
            };
            trace.budget.push(Heard::Failure(kind, now));
            let end = match self.decide(n, now, verdict) {
                Err(reason) => Some(reason),
                Ok(delay) => {
                    trace.budget.push(Heard::Asked(now));
                    if left_in_budget == Some(0) {
                        Some(Reason::Budget)
                    } else {
                        left_in_budget = left_in_budget.map(|tokens| tokens - 1);
                        paid = left_in_budget.map(Spent::new);
                        let due = now + u64::from(delay);
                        now = self
                            .cancel_at
                            .filter(|at| (now..due).contains(at))
                            .unwrap_or(due + if delay > 0 { u64::from(late) } else { 0 });
                        if self.is_cancelled(now) {
                            Some(Reason::Cancelled)
                        } else {
                            let past = until(self.deadline(), now) == Some(0);
                            past.then_some(Reason::Deadline { left: 0, delay: 0 })
                        }
                    }
                }
            };
            if let Some(reason) = end {
                trace.end = Some((reason, now as u32));
                return trace.heard_by(self.tokens);
            }
        }
        unreachable!("the script ends in success")
    }

    /// R5 up to the budget.
    fn decide(&self, n: usize, now: u64, verdict: Verdict<u32>) -> Result<u32, Reason<u32>> {
        let until = |limit: u32| u64::from(limit).saturating_sub(now) as u32;
        let deadline = self.deadline().map(until);
        if verdict == Verdict::Permanent {
            return Err(Reason::Permanent);
        }
        if self.is_cancelled(now) {
            return Err(Reason::Cancelled);
        }
        if self.max_attempts.is_some_and(|max| n + 1 >= max as usize) {
            return Err(Reason::Attempts);
        }
        let delay = match verdict {
            Verdict::RetryAfter(asked) if asked > 0 => {
                let left = self.max_elapsed.map_or(u32::MAX, until);
                let left = left.min(deadline.map_or(u32::MAX, |left| left.saturating_sub(1)));
                if asked > left {
                    return Err(Reason::HintTooLong { asked, left });
                }
                asked
            }
            Verdict::NotBefore(earliest) => earliest.max(self.delay),
            _ => self.delay,
        };
        if let Some(limit) = self.max_elapsed
            && (limit == 0 || now + u64::from(delay) > u64::from(limit))
        {
            return Err(Reason::TimeLimit { limit, delay });
        }
        match deadline {
            Some(left) if delay >= left => Err(Reason::Deadline { left, delay }),
            _ => Ok(delay),
        }
    }

    fn retry(&self) -> Retry<Constant<u32>> {
        let mut retry = Retry::new(Constant::new(self.delay));
        if let Some(max) = self.max_attempts {
            retry = retry.with_max_attempts(max);
        }
        if let Some(limit) = self.max_elapsed {
            retry = retry.with_max_elapsed(limit);
        }
        if let Some(timeout) = self.timeout {
            retry = retry.with_attempt_timeout(timeout);
        }
        retry
    }

    /// One at the end of time stands for none.
    fn deadline_at(&self, n: usize) -> Deadline<u32> {
        match self.deadlines.get(n) {
            None => Deadline::after(Instant::at(self.start), u32::MAX),
            Some((span, age)) => Deadline::after(Instant::at(self.start.wrapping_sub(*age)), *span),
        }
    }

    fn block(&self) -> Trace {
        let world = World::new(self);
        let purse = Purse { world: &world, left: Cell::new(self.tokens), heard: RefCell::default() };
        let (mut attempts, mut made) = (Vec::new(), 0);
        let retry = self.retry().explicit();
        let run = retry.on(&world, nothing_to_draw()).deadline(self.deadline_at(0)).cancel(&world);
        let end = run.deadline(self.deadline_at(1)).budget(&purse).run_with(|attempt, _| {
            attempts.push((world.now.get(), self.told(attempt), self.allowed(attempt)));
            let (cost, verdict, late) = self.entry(made);
            made += 1;
            world.now.set(world.now.get() + u64::from(cost));
            world.late.set(late);
            match verdict {
                None => Ok(()),
                Some(Verdict::Permanent) => Err(Failure::permanent(made)),
                Some(Verdict::NotBefore(span)) => Err(Failure::not_before(made, span)),
                Some(Verdict::RetryAfter(span)) => Err(Failure::retry_after(made, span)),
                Some(Verdict::Retry) => Err(Failure::transient(made)),
            }
        });
        let end = end.err().map(|gave_up| {
            assert_eq!(*gave_up.error(), made, "the last error");
            assert_eq!(gave_up.attempts() as usize, made);
            (gave_up.reason(), gave_up.elapsed())
        });
        Trace { attempts, budget: purse.heard.take(), end }
    }

    fn poll(&self) -> Trace {
        let world = World::new(self);
        let purse = Purse { world: &world, left: Cell::new(self.tokens), heard: RefCell::default() };
        let retry = self.retry();
        let run = retry.start(world.now()).deadline(self.deadline_at(0)).budget(&purse);
        let (attempts, end) = self.drive(&world, run.cancel(&world).deadline(self.deadline_at(1)));
        Trace { attempts, budget: purse.heard.take(), end }
    }

    #[allow(clippy::type_complexity, reason = "two fields of a trace")]
    fn drive<C: Settings<Policy = Constant<u32>>, X: Context<u32>>(
        &self,
        world: &World<'_>,
        mut run: Attempts<C, X>,
    ) -> (Vec<(u64, Option<u32>, Option<u32>)>, Option<(Reason<u32>, u32)>) {
        let mut attempts = Vec::new();
        loop {
            match run.poll(world.now()) {
                Step::Attempt(attempt) => {
                    let (cost, verdict, late) = self.entry(attempts.len());
                    attempts.push((world.now.get(), self.told(&attempt), self.allowed(&attempt)));
                    let mut live = attempt;
                    for part in [cost / 2, cost - cost / 2] {
                        world.now.set(world.now.get() + u64::from(part));
                        match run.poll(world.now()) {
                            Step::TimedOut(fresh) => {
                                let stale = std::mem::replace(&mut live, fresh);
                                let next = run.fail(stale, world.now(), Verdict::Permanent, &mut nothing_to_draw());
                                assert_eq!(next, Next::Stale);
                            }
                            Step::InFlight => {}
                            other => panic!("{other:?} while in flight"),
                        }
                    }
                    world.late.set(late);
                    let Some(verdict) = verdict else {
                        run.succeed(live);
                        assert_eq!((run.poll(world.now()), run.interrupted()), (Step::Done, None));
                        return (attempts, None);
                    };
                    if let Next::GiveUp(reason) = run.fail(live, world.now(), verdict, &mut nothing_to_draw()) {
                        return (attempts, Some((reason, run.elapsed())));
                    }
                }
                Step::Wait(left) if self.restless && left > 1 => {
                    // Too early, and then a clock that steps back: neither changes anything.
                    let early = world.now.get();
                    world.wait(left / 2);
                    if !self.is_cancelled(world.now.get()) {
                        let _ = run.poll(Instant::at(self.start.wrapping_add(early as u32).wrapping_sub(3)));
                    }
                }
                Step::Wait(left) => world.wait_out(left),
                Step::Done => return (attempts, run.interrupted().map(|reason| (reason, run.elapsed()))),
                other => panic!("{other:?} while waiting"),
            }
        }
    }

    /// What the attempt was told, without the deadline that stands for none.
    fn told(&self, attempt: &Attempt<u32>) -> Option<u32> {
        attempt.time_left().filter(|_| self.max_elapsed.is_some() || !self.deadlines.is_empty())
    }

    fn allowed(&self, attempt: &Attempt<u32>) -> Option<u32> {
        let limited = self.max_elapsed.is_some() || self.timeout.is_some() || !self.deadlines.is_empty();
        attempt.allowance().filter(|_| limited)
    }
}

impl Trace {
    /// Without a budget nothing is heard.
    fn heard_by(mut self, tokens: Option<u32>) -> Self {
        if tokens.is_none() {
            self.budget.clear();
        }
        self
    }
}

/// Mostly some hundreds, seldom at either end.
fn span(bytes: &mut Bytes<'_>) -> u32 {
    match bytes.below(8) {
        0 => 0,
        1 => u32::MAX - bytes.below(3) as u32,
        n => n as u32 * bytes.below(256) as u32,
    }
}

fn nothing_to_draw() -> impl Rng {
    rng::from_fn(|| panic!("nothing is drawn from a band without width"))
}

/// Time, as a count that never wraps; the clock shows its lower bits.
struct World<'a> {
    script: &'a Script,
    now: Cell<u64>,
    late: Cell<u32>,
}

impl<'a> World<'a> {
    fn new(script: &'a Script) -> Self {
        Self { script, now: Cell::new(0), late: Cell::new(0) }
    }

    /// As much of the wait as there is before it is called off.
    fn wait(&self, delay: u32) {
        let due = self.now.get() + u64::from(delay);
        self.now.set(self.script.cancel_at.filter(|at| (self.now.get()..due).contains(at)).unwrap_or(due));
    }

    /// To the end, and then late.
    fn wait_out(&self, delay: u32) {
        let due = self.now.get() + u64::from(delay);
        self.wait(delay);
        if self.now.get() == due && delay > 0 {
            self.now.set(due + u64::from(self.late.get()));
        }
    }
}

impl Clock for World<'_> {
    type Span = u32;
    fn now(&self) -> Instant<u32> {
        Instant::at(self.script.start.wrapping_add(self.now.get() as u32))
    }
}

impl Sleep for &World<'_> {
    fn sleep(&mut self, _: u32) {
        unreachable!("every run here can be called off")
    }

    fn sleep_unless(&mut self, delay: u32, _: &dyn Interrupt) {
        if self.script.restless && delay > 1 { self.wait(delay / 2) } else { self.wait_out(delay) }
    }
}

impl Interrupt for World<'_> {
    fn is_set(&self) -> bool {
        self.script.is_cancelled(self.now.get())
    }
}

/// A budget that writes down what it hears and when.
struct Purse<'a> {
    world: &'a World<'a>,
    left: Cell<Option<u32>>,
    heard: RefCell<Vec<Heard>>,
}

impl Purse<'_> {
    fn hear(&self, heard: impl FnOnce(u64) -> Heard, now: Option<Instant<u32>>) {
        let at = self.world.now.get();
        assert!(now.is_none_or(|now| now == self.world.now()), "told the time");
        if self.left.get().is_some() {
            self.heard.borrow_mut().push(heard(at));
        }
    }
}

impl Budget<u32> for &Purse<'_> {
    fn on_call(&mut self, now: Instant<u32>) {
        self.hear(Heard::Call, Some(now));
    }
    fn on_failure(&mut self, kind: FailureKind, now: Instant<u32>) {
        self.hear(|at| Heard::Failure(kind, at), Some(now));
    }
    fn on_success(&mut self, last: Option<Spent>, _: Instant<u32>) {
        self.hear(|_| Heard::Success(last), None);
    }
    fn try_spend(&mut self, _: FailureKind, now: Instant<u32>) -> Option<Spent> {
        self.hear(Heard::Asked, Some(now));
        match self.left.get() {
            None => Some(Spent::new(1)),
            Some(left) => {
                self.left.set(Some(left.checked_sub(1)?));
                Some(Spent::new(left - 1))
            }
        }
    }
}
