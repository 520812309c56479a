//! What every firmware has anyway: the other `size_*` programs are weighed against it.
#![cfg_attr(target_os = "none", no_std, no_main)]

firmware::lean!(|noise| loop {
    core::hint::black_box(&mut noise);
});
