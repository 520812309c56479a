//! Every policy and jitter; every combinator; plans; factors made at run time.

use core::hint::black_box;

use relent::policy::Growth;
use relent::{
    Band, Constant, Decorrelated, DrawOnce, Exponential, Factor, Fibonacci, Jitter, Linear, Never, Policy, Recursive,
    Slots, Table, Zero,
};

use super::any;
use crate::size::Noise;
use crate::unit::Unit;

pub(super) fn all<S: Unit>(noise: &mut Noise) {
    let Ok(factor) = Factor::ratio(black_box(3), black_box(2)) else { return };
    black_box(Factor::try_new(black_box(0.5)).is_ok());
    let jitter = black_box([
        Jitter::None,
        Jitter::Full,
        Jitter::Equal,
        Jitter::Spread(factor),
        Jitter::Absolute(any::<S>()),
        Jitter::Additive(any()),
    ]);
    for jitter in jitter {
        let growing = Exponential::new(any::<S>()).with_jitter(jitter).with_max_interval(any()).with_max_delay(any());
        if let Ok(growing) = growing.try_with_multiplier(factor) {
            drive(&growing, noise);
        }
        drive(&Constant::new(any::<S>()).with_jitter(jitter), noise);
        drive(&Linear::new(any::<S>(), any()).with_max_interval(any()).with_jitter(jitter), noise);
        drive(&Fibonacci::new(any::<S>()).with_max_interval(any()).with_jitter(jitter), noise);
        drive(&Table::new([any::<S>(), any()]).with_jitter(jitter), noise);
        black_box(jitter.band(any()));
    }
    if let Ok(decorrelated) = Decorrelated::new(any::<S>()).with_max_delay(any()).try_with_multiplier(factor) {
        drive(&decorrelated, noise);
    }
    if let Ok(once) = DrawOnce::new(any::<S>(), any()).with_max_delay(any()).try_with_multiplier(factor) {
        drive(&once, noise);
    }
    if let Ok(recursive) = Recursive::new(any::<S>()).with_max_interval(any()).try_with_growth(factor, factor) {
        drive(&recursive, noise);
    }
    drive(&Slots::new(any::<S>(), black_box(3), black_box(5)), noise);
    drive(&Zero::<S>::new(), noise);
    drive(&Never::<S>::new(), noise);
    drive(&[any::<S>(), any()], noise);
    drive(black_box(&[any::<S>(), any()][..]), noise);
    combined::<S>(noise);
    bands::<S>(noise);
}

fn combined<S: Unit>(noise: &mut Noise) {
    let base = Exponential::new(any::<S>());
    drive(&base.max_retries(black_box(7)), noise);
    drive(&base.at_most(any()), noise);
    drive(&base.at_least(any()), noise);
    drive(&Constant::new(any()).max_retries(black_box(3)).then(base), noise);
    for row in base.plan().take(black_box(20)) {
        black_box((row.retry(), row.nominal(), row.band(), row.best(), row.worst()));
    }
}

fn bands<S: Unit>(noise: &mut Noise) {
    let band = Band::new(any::<S>(), any());
    black_box(band.at_most(any()).at_least(any()).draw(noise));
    black_box((band.lo(), band.hi(), Growth::<S>::default()));
}

fn drive<P: Policy<Span: Unit> + ?Sized>(policy: &P, noise: &mut Noise) {
    let policy = black_box(policy);
    let mut state = policy.start();
    while let Some(band) = policy.next(&mut state) {
        let delay = band.draw(noise);
        policy.drawn(&mut state, delay);
        if black_box(false) {
            policy.restart_growth(&mut state);
        }
        if black_box(true) {
            break;
        }
    }
    black_box((policy.nominal(&state), policy.is_settled(&state)));
}
