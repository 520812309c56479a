//! Seeds: fixed vectors, unrelated neighbours, and what happens to a fleet without them.

#![allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "statistics over small counts")]

use relent::rng::{Rng, SeedableRng, Xoshiro128PlusPlus};
use relent::seed::Seed;
use relent::{Exponential, Jitter, Policy};

const UID: [u8; 12] = [0x38, 0x00, 0x1C, 0x00, 0x09, 0x51, 0x33, 0x32, 0x37, 0x38, 0x38, 0x33];

fn words<const N: usize>(seed: Seed) -> [u32; N] {
    let bytes: [u8; 32] = seed.bytes();
    core::array::from_fn(|i| u32::from_le_bytes(bytes[4 * i..][..4].try_into().unwrap()))
}

/// Worked out by a separate implementation of the hash in Python, itself checked against the published vectors.
#[test]
fn the_vectors_hold() {
    let uid = Seed::from_id(&UID);
    let all = uid.with_boot(17).with_noise(&[1, 2, 3]).with_purpose("uplink");
    for (seed, expected) in [
        (Seed::from_id(&[]), [0x436F_AF02, 0xAC4C_429F, 0xA84C_2145, 0x8598_4E64, 0x507E_44B2, 0xC731_B936]),
        (Seed::from_id(&[0]), [0xFFD3_3B07, 0x84F4_5A9B, 0x4453_3E4C, 0xF4CA_2259, 0xAC40_71B8, 0x2A3B_FD5F]),
        (Seed::from_id(&[1, 0, 0, 0]), [0xA3F4_A65D, 0x0EB6_1BFB, 0x0E71_4562, 0x5F95_812B, 0xECB9_3EFB, 0xDF3A_C1FF]),
        (uid, [0x7C0E_AD4E, 0xA434_9389, 0xE0CC_A712, 0x3C3A_69BE, 0x32A3_4CC3, 0xB36C_972E]),
        (uid.with_boot(17), [0x6710_25A1, 0x9697_8A25, 0x123C_3118, 0x1FB3_84CB, 0x1A85_8233, 0xB276_AD5A]),
        (all, [0x256E_42F3, 0xF33E_B5C6, 0xF057_A0F1, 0xD4AD_82C3, 0x58A5_FD48, 0x4C99_043A]),
    ] {
        assert_eq!(words::<6>(seed), expected);
    }
}

#[test]
fn the_first_words_of_the_generators_hold() {
    let seed = Seed::from_id(&UID).with_boot(17);
    let mut rng = seed.xoshiro128();
    assert_eq!([(); 3].map(|()| rng.next_u32()), [0xC8E5_5BE4, 0x4403_F756, 0xD5B0_9DE4]);
    let mut empty = Seed::from_id(&[]).xoshiro128();
    assert_eq!([(); 3].map(|()| empty.next_u32()), [0xC76E_6266, 0xFC7A_477E, 0xBDEA_8A56]);

    // xoshiro256++ gives rotl(s0 + s3, 23) + s0 first.
    let state: [u32; 8] = words(seed);
    let long = |i: usize| u64::from(state[2 * i]) | u64::from(state[2 * i + 1]) << 32;
    let first = long(0).wrapping_add(long(3)).rotate_left(23).wrapping_add(long(0));
    assert_eq!(seed.xoshiro256().next_u64(), first);
}

#[test]
fn the_same_parts_give_the_same_schedule() {
    let policy = Exponential::new(500_u32).with_jitter(Jitter::Full);
    let schedule = |seed: Seed| policy.delays(seed.xoshiro128()).take(50).collect::<Vec<_>>();
    assert_eq!(schedule(Seed::from_id(&UID).with_boot(3)), schedule(Seed::from_id(&UID).with_boot(3)));
    assert_ne!(schedule(Seed::from_id(&UID).with_boot(3)), schedule(Seed::from_id(&UID).with_boot(4)));
}

#[test]
fn parts_do_not_run_together() {
    let seeds = [
        Seed::from_id(&[]),
        Seed::from_id(&[0]),
        Seed::from_id(&[0, 0]),
        Seed::from_id(&[1, 2, 3, 4]),
        Seed::from_id(&[1, 2, 3]).with_noise(&[4]),
        Seed::from_id(&[1, 2]).with_noise(&[3, 4]),
        Seed::from_id(&[]).with_noise(&[1, 2, 3, 4]),
        Seed::from_id(&[]).with_boot(0x0403_0201),
        Seed::from_id(&[]).with_noise(&[1, 2]).with_noise(&[3, 4]),
        Seed::from_id(&[]).with_noise(&[0x61]),
        Seed::from_id(&[]).with_purpose("a"),
        Seed::from_id(&[]).with_purpose("a").with_boot(0),
        Seed::from_id(&[]).with_boot(0).with_purpose("a"),
        Seed::from_id(&[0; 255]),
        Seed::from_id(&[0; 256]),
    ];
    for (i, a) in seeds.iter().enumerate() {
        for b in &seeds[..i] {
            assert_ne!(a.bytes::<16>(), b.bytes::<16>());
        }
    }
}

/// The bits that differ in the 128 of a seed.
fn distance(a: Seed, b: Seed) -> u32 {
    (u128::from_le_bytes(a.bytes()) ^ u128::from_le_bytes(b.bytes())).count_ones()
}

#[test]
fn every_bit_of_every_part_turns_half_of_the_seed() {
    let (mut sum, mut pairs) = (0, 0_u32);
    let mut check = |a: Seed, b: Seed| {
        let bits = distance(a, b);
        // 64 ± 5.66; seven deviations.
        assert!((24..=104).contains(&bits), "{bits}");
        sum += bits;
        pairs += 1;
    };
    for device in 0..40_u8 {
        let mut id = UID;
        id[3] = device;
        let base = Seed::from_id(&id);
        for bit in 0..96 {
            let mut other = id;
            other[bit / 8] ^= 1 << (bit % 8);
            check(base, Seed::from_id(&other));
        }
        for bit in 0..32 {
            check(base.with_boot(u32::from(device)), base.with_boot(u32::from(device) ^ 1 << bit));
        }
    }
    let mean = f64::from(sum) / f64::from(pairs);
    // 5120 pairs: 64 ± 0.08.
    assert!((mean - 64.0).abs() < 0.5, "{mean}");
}

/// The correlation of the `n`-th draws of devices that follow on one another.
fn correlation(draws: &[f64]) -> f64 {
    let mean = draws.iter().sum::<f64>() / draws.len() as f64;
    let product: f64 = draws.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    let square: f64 = draws.iter().map(|draw| (draw - mean).powi(2)).sum();
    product / square
}

#[test]
fn neighbouring_ids_and_boots_give_unrelated_schedules() {
    const DEVICES: u32 = 10_000;
    type Generator = fn(u32) -> Xoshiro128PlusPlus;
    let by_id: Generator = |n| Seed::from_id(&n.to_le_bytes()).xoshiro128();
    let by_boot: Generator = |n| Seed::from_id(&UID).with_boot(n).xoshiro128();
    for generator in [by_id, by_boot] {
        let policy = Exponential::new(1_000_u32).with_multiplier(2.0).with_jitter(Jitter::Full);
        let schedules: Vec<Vec<u32>> = (0..DEVICES).map(|n| policy.delays(generator(n)).take(6).collect()).collect();
        for retry in 0..6 {
            let draws: Vec<f64> = schedules.iter().map(|s| f64::from(s[retry])).collect();
            // 0 ± 0.01; five deviations.
            assert!(correlation(&draws).abs() < 0.05, "retry {retry}: {}", correlation(&draws));
            // Ten bins of 1000 ± 30 devices; six deviations.
            let top = f64::from(1_000_u32 << retry) + 1.0;
            for bin in 0..10 {
                let within = |draw: &&f64| (**draw * 10.0 / top).floor() == f64::from(bin);
                let devices = draws.iter().filter(within).count();
                assert!((820..=1_180).contains(&devices), "retry {retry}, bin {bin}: {devices}");
            }
        }
    }
}

#[test]
fn a27_a_constant_seed_keeps_a_fleet_in_step() {
    let policy = Exponential::new(1_000_u32).with_jitter(Jitter::Full);
    let different = |generator: fn(u32) -> Xoshiro128PlusPlus| {
        let mut first: Vec<u32> = (0..500).map(|n| policy.delays(generator(n)).next().unwrap()).collect();
        first.sort_unstable();
        first.dedup();
        first.len()
    };
    assert_eq!(different(|_| Xoshiro128PlusPlus::seed_from_u64(42)), 1);
    // 500 draws from 1001 ticks fall on 1001 · (1 − e^(−500/1001)) = 394 of them, on average.
    assert!((360..=430).contains(&different(|n| Seed::from_id(&n.to_le_bytes()).xoshiro128())));
}
