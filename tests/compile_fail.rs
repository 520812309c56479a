//! What must not compile: bad constants and misuse, one file each in `compile_fail/`.
//!
//! Each file says what the compiler must answer (`expect:` an error code, or a part of the message), and holds the right way beside the wrong one: with
//! `--cfg right` it compiles, so that it fails for its reason and no other. Whole messages are not compared, as `trybuild` would: they change
//! from one compiler to the next, and what is promised is the code and the words that are this crate's own. So this runs on every
//! compiler that the crate supports.

#![allow(clippy::unnecessary_debug_formatting, reason = "Debug writes a path as a TOML string")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The cases by name, with what each expects.
fn cases(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let mut cases = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let expected: Vec<_> =
            text.lines().filter_map(|line| line.strip_prefix("//! expect: ")).map(str::to_owned).collect();
        assert!(!expected.is_empty(), "{} expects nothing", path.display());
        cases.insert(path.file_stem().unwrap().to_str().unwrap().to_owned(), expected);
    }
    cases
}

/// A package of which each case is a program; it depends on this crate without its default features.
fn package(root: &Path, folder: &Path, cases: &BTreeMap<String, Vec<String>>) -> PathBuf {
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile_fail");
    fs::create_dir_all(&package).unwrap();
    let mut manifest = format!(
        "[package]\nname = \"cases\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         relent = {{ path = {root:?}, default-features = false }}\n[lints.rust]\nunexpected_cfgs = \"allow\"\n"
    );
    for name in cases.keys() {
        writeln!(manifest, "[[bin]]\nname = {name:?}\npath = {:?}", folder.join(format!("{name}.rs"))).unwrap();
    }
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    package
}

/// What the compiler says about each case: codes and rendered messages of its errors.
fn errors(package: &Path, right: bool) -> BTreeMap<String, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Beside, not in, the folder of the build that runs this test; its flags stay with it.
    cargo.current_dir(package).env_remove("CARGO_ENCODED_RUSTFLAGS").env_remove("RUSTFLAGS");
    cargo.args(["check", "--offline", "--keep-going", "--message-format=json", "--target-dir"]);
    cargo.arg(package.join(if right { "right" } else { "wrong" }));
    if right {
        cargo.env("RUSTFLAGS", "--cfg right");
    }
    let output = cargo.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!right || output.status.success(), "the right way does not compile:\n{stderr}");
    let mut errors = BTreeMap::new();
    let mut built = 0;
    for line in output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: Value = serde_json::from_slice(line).unwrap();
        built += usize::from(message["target"]["name"] == "relent");
        if message["message"]["level"] == "error" {
            let text: &mut String = errors.entry(message["target"]["name"].as_str().unwrap().to_owned()).or_default();
            let code = message["message"]["code"]["code"].as_str().unwrap_or("");
            writeln!(text, "{code}\n{}", message["message"]["rendered"].as_str().unwrap()).unwrap();
        }
    }
    assert!(built > 0, "the crate itself was not built:\n{stderr}");
    errors
}

#[test]
fn misuse_does_not_compile_and_the_right_way_beside_it_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("tests/compile_fail");
    let cases = cases(&folder);
    let package = package(root, &folder, &cases);
    assert_eq!(errors(&package, true), BTreeMap::new());

    let said = errors(&package, false);
    let mut wrong = String::new();
    for (case, expected) in &cases {
        let said = said.get(case).map_or("", String::as_str);
        for expected in expected.iter().filter(|expected| !said.contains(expected.as_str())) {
            writeln!(wrong, "{case}: expected `{expected}`, but the compiler said:\n{said}\n").unwrap();
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
