//! Policies in files: a field for each setter.

use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Number;
use super::span::{Field, Written};
use crate::jitter::Jitter;
use crate::policy::{Constant, Decorrelated, DrawOnce, Exponential, Fibonacci, Linear, Recursive, Slots};

/// Both directions of one policy: the form in the file, how a policy becomes one, and how one becomes a policy.
macro_rules! policy {
    (
        $policy:ident: $form:ident { $($(#[$attr:meta])* $field:ident: $t:ty,)* }
        write |$p:ident| { $($write:tt)* }
        read |$f:ident| $read:block
    ) => {
        #[derive(Serialize, Deserialize)]
        #[serde(deny_unknown_fields, bound = "S: Written")]
        struct $form<S> {
            $($(#[$attr])* $field: $t,)*
        }

        impl<S: Written> Serialize for $policy<S> {
            fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
                let $p = self;
                $form { $($write)* }.serialize(serializer)
            }
        }

        impl<'de, S: Written> Deserialize<'de> for $policy<S> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let $f = $form::<S>::deserialize(deserializer)?;
                $read
            }
        }
    };
}

/// Sets what the file has.
macro_rules! set {
    ($policy:ident, $form:ident: $($field:ident => $with:ident),*) => {
        $(if let Some(span) = $form.$field {
            $policy = $policy.$with(span.checked(stringify!($field))?);
        })*
    };
}

policy! {
    Exponential: ExponentialForm {
        initial_interval: Field<S>,
        multiplier: Option<Number>,
        max_interval: Option<Field<S>>,
        max_delay: Option<Field<S>>,
        jitter: Option<Jitter<S>>,
    }
    write |policy| {
        initial_interval: Field::of(policy.initial_interval()),
        multiplier: Some(Number(Ok(policy.multiplier()))),
        max_interval: Field::cap(policy.max_interval()),
        max_delay: Field::cap(policy.max_delay()),
        jitter: Some(policy.jitter()),
    }
    read |form| {
        let mut policy = Exponential::new(form.initial_interval.checked("initial_interval")?);
        if let Some(multiplier) = form.multiplier {
            policy = policy.try_with_multiplier(multiplier.checked("multiplier")?).map_err(::serde::de::Error::custom)?;
        }
        set!(policy, form: max_interval => with_max_interval, max_delay => with_max_delay);
        Ok(form.jitter.map_or(policy, |jitter| policy.with_jitter(jitter)))
    }
}

policy! {
    Constant: ConstantForm {
        interval: Field<S>,
        max_delay: Option<Field<S>>,
        jitter: Option<Jitter<S>>,
    }
    write |policy| {
        interval: Field::of(policy.interval()),
        max_delay: Field::cap(policy.max_delay()),
        jitter: Some(policy.jitter()),
    }
    read |form| {
        let mut policy = Constant::new(form.interval.checked("interval")?);
        set!(policy, form: max_delay => with_max_delay);
        Ok(form.jitter.map_or(policy, |jitter| policy.with_jitter(jitter)))
    }
}

policy! {
    Linear: LinearForm {
        initial_interval: Field<S>,
        step: Field<S>,
        max_interval: Option<Field<S>>,
        max_delay: Option<Field<S>>,
        jitter: Option<Jitter<S>>,
    }
    write |policy| {
        initial_interval: Field::of(policy.initial_interval()),
        step: Field::of(policy.step()),
        max_interval: Field::cap(policy.max_interval()),
        max_delay: Field::cap(policy.max_delay()),
        jitter: Some(policy.jitter()),
    }
    read |form| {
        let initial_interval = form.initial_interval.checked("initial_interval")?;
        let mut policy = Linear::new(initial_interval, form.step.checked("step")?);
        set!(policy, form: max_interval => with_max_interval, max_delay => with_max_delay);
        Ok(form.jitter.map_or(policy, |jitter| policy.with_jitter(jitter)))
    }
}

policy! {
    Fibonacci: FibonacciForm {
        initial_interval: Field<S>,
        max_interval: Option<Field<S>>,
        max_delay: Option<Field<S>>,
        jitter: Option<Jitter<S>>,
    }
    write |policy| {
        initial_interval: Field::of(policy.initial_interval()),
        max_interval: Field::cap(policy.max_interval()),
        max_delay: Field::cap(policy.max_delay()),
        jitter: Some(policy.jitter()),
    }
    read |form| {
        let mut policy = Fibonacci::new(form.initial_interval.checked("initial_interval")?);
        set!(policy, form: max_interval => with_max_interval, max_delay => with_max_delay);
        Ok(form.jitter.map_or(policy, |jitter| policy.with_jitter(jitter)))
    }
}

policy! {
    Decorrelated: DecorrelatedForm {
        base: Field<S>,
        multiplier: Option<Number>,
        max_delay: Option<Field<S>>,
    }
    write |policy| {
        base: Field::of(policy.base()),
        multiplier: Some(Number(Ok(policy.multiplier()))),
        max_delay: Field::cap(policy.max_delay()),
    }
    read |form| {
        let mut policy = Decorrelated::new(form.base.checked("base")?);
        if let Some(multiplier) = form.multiplier {
            policy = policy.try_with_multiplier(multiplier.checked("multiplier")?).map_err(::serde::de::Error::custom)?;
        }
        set!(policy, form: max_delay => with_max_delay);
        Ok(policy)
    }
}

policy! {
    DrawOnce: DrawOnceForm {
        lo: Field<S>,
        hi: Field<S>,
        multiplier: Option<Number>,
        max_delay: Option<Field<S>>,
    }
    write |policy| {
        lo: Field::of(policy.lo()),
        hi: Field::of(policy.hi()),
        multiplier: Some(Number(Ok(policy.multiplier()))),
        max_delay: Field::cap(policy.max_delay()),
    }
    read |form| {
        let mut policy = DrawOnce::new(form.lo.checked("lo")?, form.hi.checked("hi")?);
        if let Some(multiplier) = form.multiplier {
            policy = policy.try_with_multiplier(multiplier.checked("multiplier")?).map_err(::serde::de::Error::custom)?;
        }
        set!(policy, form: max_delay => with_max_delay);
        Ok(policy)
    }
}

policy! {
    Recursive: RecursiveForm {
        initial_interval: Field<S>,
        multiplier: Option<Number>,
        spread: Option<Number>,
        max_interval: Option<Field<S>>,
        #[serde(default)]
        first_never_early: bool,
    }
    write |policy| {
        initial_interval: Field::of(policy.initial_interval()),
        multiplier: Some(Number(Ok(policy.multiplier()))),
        spread: Some(Number(Ok(policy.spread()))),
        max_interval: Field::cap(policy.max_interval()),
        first_never_early: policy.first_is_never_early(),
    }
    read |form| {
        let mut policy = Recursive::new(form.initial_interval.checked("initial_interval")?);
        let multiplier = form.multiplier.map_or(Ok(policy.multiplier()), |number| number.checked("multiplier"))?;
        let spread = form.spread.map_or(Ok(policy.spread()), |number| number.checked("spread"))?;
        policy = policy.try_with_growth(multiplier, spread).map_err(::serde::de::Error::custom)?;
        set!(policy, form: max_interval => with_max_interval);
        Ok(if form.first_never_early { policy.with_first_never_early() } else { policy })
    }
}

policy! {
    Slots: SlotsForm {
        slot: Field<S>,
        min_exponent: u8,
        max_exponent: u8,
    }
    write |policy| {
        slot: Field::of(policy.slot()),
        min_exponent: policy.min_exponent(),
        max_exponent: policy.max_exponent(),
    }
    read |form| {
        Ok(Slots::new(form.slot.checked("slot")?, form.min_exponent, form.max_exponent))
    }
}
