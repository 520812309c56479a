//! Everything that must not panic, reached with values that the optimiser does not know.
//!
//! The program that calls this links only if no path to a panic is left (see [`lean!`](crate::lean)).

mod edges;
mod guards;
mod machine;
mod policies;

use core::hint::black_box;
use core::time::Duration;

use crate::size::Noise;
use crate::unit::Unit;

/// Policies, machine, loop, link, guards and edges, in every span.
pub fn everything(noise: &mut Noise) {
    in_span::<u32>(noise);
    in_span::<u64>(noise);
    in_span::<Duration>(noise);
    edges::fixed();
}

fn in_span<S: Unit>(noise: &mut Noise) {
    policies::all::<S>(noise);
    machine::all::<S>(noise);
    guards::all::<S>(noise);
    edges::all::<S>(noise);
}

/// A span that could be any.
fn any<S: Unit>() -> S {
    black_box(S::of(100))
}
