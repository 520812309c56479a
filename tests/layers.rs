//! The shape of the source: what may import what, how long a file is, and what stands in it.
//!
//! The layers are those that `src/lib.rs` names, `// L0: …` to `// L4: …`. A module imports from its own layer and from those above it in that list.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Longest file, in lines.
const LONGEST: usize = 400;

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every file in `src`, by its path there.
fn files() -> BTreeMap<String, String> {
    fn visit(folder: &Path, root: &Path, files: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(&path, root, files);
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                files.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    visit(&src(), &src(), &mut files);
    assert!(files.len() > 20, "this looks at the wrong folder");
    files
}

/// The lines of code: no comments, no test modules at the end of a file.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let end = text.find("\n#[cfg(test)]\nmod tests").unwrap_or(text.len());
    text[..end]
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| line.split(" // ").next().unwrap())
}

/// Which layer each module is in, and which module each name of the crate's root is from.
struct Root {
    layers: BTreeMap<String, usize>,
    names: BTreeMap<String, String>,
}

impl Root {
    fn read(lib: &str) -> Self {
        let mut root = Self { layers: BTreeMap::new(), names: BTreeMap::new() };
        let mut layer = None;
        for line in lib.lines() {
            if let Some(rest) = line.strip_prefix("// L") {
                layer = rest[..1].parse().ok();
            }
            let declared =
                line.strip_prefix("pub mod ").or(line.strip_prefix("mod ")).and_then(|rest| rest.strip_suffix(';'));
            if let Some(module) = declared.filter(|module| *module != "exhaustive") {
                root.layers.insert(module.to_owned(), layer.expect("modules stand under a layer"));
            }
        }
        for statement in lib.split("pub use ").skip(1) {
            let statement = statement.split(';').next().unwrap();
            let (module, names) = statement.split_once("::").unwrap();
            for name in names.trim_matches(['{', '}', '\n', ' ']).split(',') {
                root.names.insert(name.trim().to_owned(), module.to_owned());
            }
        }
        root
    }

    /// The layer of the first segment after `crate::`: a module, or a name that the root re-exports.
    fn layer_of(&self, segment: &str) -> usize {
        // A module first: `retry` is one, and also a function of the edge.
        let layer = self.layers.get(segment).or_else(|| self.layers.get(self.names.get(segment)?));
        *layer.unwrap_or_else(|| panic!("`crate::{segment}` is neither a module nor a name of the root"))
    }
}

/// What a file takes from the crate: the first segments after each `crate::`.
fn imports(text: &str) -> Vec<String> {
    let mut imports = Vec::new();
    for line in code(text) {
        // A re-export gives users a second name for something; it is no dependency.
        if line.starts_with("pub use ") {
            continue;
        }
        for rest in line.split("crate::").skip(1) {
            let segments = match rest.strip_prefix('{') {
                Some(list) => list.split('}').next().unwrap().split(',').map(str::trim).collect(),
                None => vec![rest],
            };
            let name =
                |segment: &str| segment.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
            imports.extend(segments.into_iter().map(name).filter(|name| !name.is_empty()));
        }
    }
    imports
}

#[test]
fn a_layer_imports_only_from_those_above() {
    let files = files();
    let root = Root::read(&files["lib.rs"]);
    assert_eq!((root.layers["span"], root.layers["policy"], root.layers["attempts"], root.layers["run"]), (0, 1, 2, 3));
    let mut looked_at = 0;
    for (file, text) in files.iter().filter(|(file, _)| !["lib.rs", "exhaustive.rs"].contains(&file.as_str())) {
        let module = file.split(['/', '.']).next().unwrap();
        let layer = root.layer_of(module);
        for import in imports(text) {
            looked_at += 1;
            let other = root.layer_of(&import);
            assert!(other <= layer, "src/{file} is in L{layer} and imports `crate::{import}`, which is in L{other}");
        }
    }
    assert!(looked_at > 100, "only {looked_at} imports were seen");
}

#[test]
fn the_check_sees_what_it_must() {
    let root = Root::read("// L0: words.\nmod span;\n// L3: the loop.\nmod run;\npub use run::{Hook,\n    Run};\n");
    assert_eq!((root.layer_of("span"), root.layer_of("run"), root.layer_of("Run")), (0, 3, 3));
    let text = "//! crate::no\nuse crate::span::{A, B};\nuse crate::{run, Run};\nfn f(x: &dyn crate::Hook) {} // crate::no\npub use crate::std::Z;\n";
    assert_eq!(imports(text), ["span", "run", "Run", "Hook"]);
}

#[test]
fn every_file_has_a_module_doc_and_one_concepts_length() {
    for (file, text) in files() {
        assert!(text.starts_with("//! "), "src/{file} does not say what stands in it");
        let lines = text.lines().count();
        assert!(lines <= LONGEST, "src/{file} has {lines} lines");
    }
}

#[test]
fn no_file_has_a_name_that_says_nothing() {
    for file in files().keys() {
        let name = file.trim_end_matches(".rs").rsplit('/').next().unwrap();
        assert!(
            !["util", "utils", "common", "prelude", "types", "misc", "helpers", "mod"].contains(&name),
            "src/{file}"
        );
    }
}

#[test]
fn no_unsafe_and_nothing_left_open() {
    for (file, text) in files() {
        for line in code(&text).filter(|line| *line != "#![forbid(unsafe_code)]") {
            for word in ["unsafe", "todo!", "unimplemented!", "dbg!", "println!"] {
                assert!(!line.contains(word), "src/{file}: {line}");
            }
        }
    }
    assert!(files()["lib.rs"].contains("\n#![forbid(unsafe_code)]\n"));
}

#[test]
fn the_core_names_core_and_not_std() {
    // Only the edge does; so `--no-default-features` cannot break by accident.
    for (file, text) in
        files().iter().filter(|(file, _)| !file.starts_with("std") && *file != "lib.rs" && *file != "exhaustive.rs")
    {
        for line in code(text) {
            let edge = line.replace("crate::std::", "");
            assert!(!edge.contains("std::") && !edge.contains("alloc::"), "src/{file}: {line}");
        }
    }
}
