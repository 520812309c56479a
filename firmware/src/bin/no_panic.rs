//! Links only where no panic can be reached from policies, machine, loop, link, guards, clocks and seeds.
#![cfg_attr(target_os = "none", no_std, no_main)]

firmware::lean!(|noise| {
    firmware::reach::everything(&mut noise);
    #[cfg(feature = "reachable-panic")]
    core::hint::black_box([1, 2, 3][core::hint::black_box(1_usize)]);
    loop {
        core::hint::black_box(&mut noise);
    }
});
