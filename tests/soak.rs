//! A short soak: the long one is `cargo run --release --example soak`.

#![cfg(feature = "std")]

#[path = "../examples/soak/main.rs"]
mod soak;

#[test]
fn calls_through_all_guards_keep_what_was_promised() {
    for seed in 1..=5 {
        let checks = soak::soak(20_000, seed);
        assert_eq!(checks.violations(), 0, "{checks}");
        let counts = &checks.counts;
        assert_eq!(counts.calls.get(), 20_000);
        // All that is promised something about has happened.
        let seen = [
            &counts.limited,
            &counts.refused,
            &counts.retries,
            &counts.succeeded,
            &counts.permanent,
            &counts.cancelled,
            &counts.attempts,
            &counts.late,
            &counts.budget,
            &counts.opened_meanwhile,
            &counts.trials,
            &counts.closings,
        ];
        assert!(seen.iter().all(|count| count.get() > 0), "{checks}");
    }
}
