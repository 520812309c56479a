//! Keys and the table of keys already seen.

#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers in tests")]

use proptest::prelude::*;
use relent::rng::{SeedableRng, Xoshiro128PlusPlus};
use relent::testing::Script;
use relent::{IdempotencyKey, Instant, Seen, Use};

fn at(t: u32) -> Instant<u32> {
    Instant::at(t)
}

#[test]
fn a_key_is_a_version_four_uuid() {
    // All ones and all zeros show which bits are fixed: version 4 in the 13th digit, variant 8 to b in the 17th.
    let ones = IdempotencyKey::new(&mut Script::new([u64::MAX]));
    assert_eq!(ones.to_string(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    let zeros = IdempotencyKey::new(&mut Script::new([0]));
    assert_eq!(zeros.to_string(), "00000000-0000-4000-8000-000000000000");
    assert_eq!(ones.as_bytes()[6], 0x4F);
}

#[test]
fn the_text_is_read_back() {
    let mut rng = Xoshiro128PlusPlus::seed_from_u64(7);
    let mut seen = std::collections::HashSet::new();
    for _ in 0..1_000 {
        let key = IdempotencyKey::new(&mut rng);
        let text = key.to_string();
        assert_eq!(text.len(), 36);
        assert_eq!(text.parse(), Ok(key));
        assert_eq!(text.to_uppercase().parse(), Ok(key));
        assert!(seen.insert(key));
    }
}

#[test]
fn another_text_is_refused() {
    for text in [
        "",
        "00000000-0000-4000-8000-00000000000",
        "00000000-0000-4000-8000-0000000000000",
        "00000000-0000-1000-8000-000000000000",
        "00000000-0000-4000-c000-000000000000",
        "00000000x0000-4000-8000-000000000000",
        "g0000000-0000-4000-8000-000000000000",
        "+0000000-0000-4000-8000-000000000000",
        "{00000000-0000-4000-8000-000000000000}",
        "0000000000000000400080000000000000000000",
    ] {
        assert!(text.parse::<IdempotencyKey>().is_err(), "{text}");
    }
}

#[test]
fn the_first_use_wins_until_it_expires() {
    let mut seen: Seen<&str, 4, u32, u8> = Seen::new(1_000);
    assert_eq!(seen.record(1, "first", at(0)), Use::First);
    assert_eq!(seen.record(1, "second", at(500)), Use::Repeat(&"first"));
    assert_eq!(seen.get(&1, at(999)), Some(&"first"));
    assert_eq!(seen.get(&1, at(1_000)), None);
    assert_eq!(seen.record(1, "third", at(1_000)), Use::First, "the repeat did not make it younger");
    assert_eq!(seen.get(&2, at(1_000)), None);
}

#[test]
fn a_full_table_drops_the_entry_that_expires_first() {
    let mut seen: Seen<u32, 3, u32, u32> = Seen::new(1_000);
    for (key, t) in [(1, 0), (2, 10), (3, 20), (4, 30)] {
        assert_eq!(seen.record(key, key * 10, at(t)), Use::First);
    }
    assert_eq!([1, 2, 3, 4].map(|k| seen.get(&k, at(30)).copied()), [None, Some(20), Some(30), Some(40)]);
}

#[test]
fn what_is_in_progress_is_replaced_or_forgotten() {
    let mut seen: Seen<Option<u32>, 3, u32, u32> = Seen::new(1_000);
    assert_eq!(seen.record(1, None, at(0)), Use::First);
    *seen.get_mut(&1, at(10)).unwrap() = Some(7);
    assert_eq!(seen.record(1, None, at(20)), Use::Repeat(&Some(7)));
    assert_eq!(seen.forget(&1), Some(Some(7)));
    assert_eq!(seen.record(1, None, at(30)), Use::First);
    assert_eq!(seen.get_mut(&1, at(1_030)), None);
}

#[test]
fn an_expiry_of_weeks_on_a_wrapping_counter() {
    // 40 days of milliseconds, heard of every ten.
    let day = 86_400_000_u32;
    let mut seen: Seen<(), 2, u32, u8> = Seen::new(40 * day);
    let mut now = 0xFFFF_FF00_u32;
    assert_eq!(seen.record(1, (), at(now)), Use::First);
    for _ in 0..3 {
        now = now.wrapping_add(10 * day);
        assert_eq!(seen.record(1, (), at(now)), Use::Repeat(&()));
    }
    now = now.wrapping_add(10 * day);
    assert_eq!(seen.get(&1, at(now.wrapping_sub(1))), Some(&()));
    assert_eq!(seen.record(1, (), at(now)), Use::First);
}

proptest! {
    #[test]
    fn seen_matches_a_list_of_all_first_uses(script in proptest::collection::vec((0..6_u8, -3..40_i64), 0..200)) {
        let mut seen: Seen<usize, 4, u32, u8> = Seen::new(50);
        // Key, value, time of the first use; in that order of age.
        let mut model: Vec<(u8, usize, i64)> = Vec::new();
        let (mut raw, mut now) = (1_000_i64, 0_i64);
        for (n, (key, step)) in script.into_iter().enumerate() {
            raw += step;
            let moment = at(0xFFFF_FC00_u32.wrapping_add(raw as u32));
            let ahead = now.max(raw);
            let alive = model.iter().find(|e| e.0 == key && ahead - e.2 < 50).map(|e| e.1);
            prop_assert_eq!(seen.get(&key, moment).copied(), alive);
            now = ahead;
            model.retain(|e| now - e.2 < 50);
            match (seen.record(key, n, moment), alive) {
                (Use::Repeat(value), Some(expected)) => prop_assert_eq!(*value, expected),
                (Use::First, None) => {
                    if model.len() == 4 {
                        // Of those that expire together any may go: ask which.
                        let oldest = model[0].2;
                        let gone = model.iter().position(|e| e.2 == oldest && seen.get(&e.0, moment).is_none());
                        prop_assert!(gone.is_some());
                        model.remove(gone.unwrap());
                    }
                    model.push((key, n, now));
                }
                (other, expected) => prop_assert!(false, "{other:?} instead of {expected:?}"),
            }
            for entry in &model {
                prop_assert_eq!(seen.get(&entry.0, moment), Some(&entry.1));
            }
        }
    }
}
