//! How much memory a run takes (the cost table of the documentation), and that an `Option` around a value costs nothing.

use std::mem::size_of;
use std::time::Duration;

use relent::{
    Always, Attempt, Attempts, Constant, Decorrelated, Explicit, Exponential, Fibonacci, Linear, Never, Next, Policy,
    Reason, Retry, Span, Step, Table, Verdict, Zero,
};

type State<P> = <P as Policy>::State;

fn state_of_at_most<S: Span>(bytes: usize) {
    assert!(size_of::<State<Exponential<S>>>() <= bytes);
    assert!(size_of::<State<Linear<S>>>() <= bytes);
    assert!(size_of::<State<Fibonacci<S>>>() <= bytes);
    assert!(size_of::<State<Decorrelated<S>>>() <= bytes);
    assert!(size_of::<State<Table<[S; 4], S>>>() <= bytes);
}

#[test]
fn the_state_of_a_policy() {
    state_of_at_most::<u32>(12);
    state_of_at_most::<u64>(24);
    state_of_at_most::<Duration>(24);
    assert_eq!(size_of::<(State<Constant>, State<Zero>, State<Never>)>(), 0, "nothing to remember");
}

#[test]
fn a_run() {
    // The mark is for a 32-bit target; here the reference to the settings is 8 bytes instead of 4.
    assert!(size_of::<Attempts<&Retry<Exponential<u32>>>>() <= 48);
    assert!(size_of::<Attempts<&Retry<Exponential>>>() <= 96);
    // Whatever classifies is not part of it, and the kinds without a closure are nothing at all.
    assert_eq!(size_of::<Attempts<&Retry<Exponential, Explicit>>>(), size_of::<Attempts<&Retry<Exponential>>>());
    assert_eq!(size_of::<(Always, Explicit)>(), 0);
    // Owning the settings costs the settings, without a copy of anything in them.
    let owned = size_of::<Attempts<Retry<Exponential<u32>>>>();
    assert!(owned <= size_of::<Attempts<&Retry<Exponential<u32>>>>() + size_of::<Retry<Exponential<u32>>>());
}

fn is_free_in_an_option<T>() {
    assert_eq!(size_of::<Option<T>>(), size_of::<T>(), "{}", std::any::type_name::<T>());
}

fn values_are_free_in_an_option<S: Span>() {
    is_free_in_an_option::<Attempts<&Retry<Exponential<S>>>>();
    is_free_in_an_option::<Attempts<Retry<Exponential<S>>>>();
    is_free_in_an_option::<Attempt<S>>();
    is_free_in_an_option::<Step<S>>();
    is_free_in_an_option::<Next<S>>();
    is_free_in_an_option::<Reason<S>>();
    is_free_in_an_option::<Verdict<S>>();
    is_free_in_an_option::<Retry<Exponential<S>>>();
}

#[test]
fn options() {
    values_are_free_in_an_option::<u32>();
    values_are_free_in_an_option::<u64>();
    values_are_free_in_an_option::<Duration>();
}
