//! Every law over the corpus that fuzzing left, and over random bytes.

#[path = "mod.rs"]
mod laws;

use std::fs;
use std::path::Path;

/// The inputs under `fuzz/corpus`, each of which was a new path through the code once.
fn over_corpus(name: &str, law: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let mut inputs = 0;
    for file in fs::read_dir(folder).expect("a corpus is committed") {
        law(&fs::read(file.unwrap().path()).unwrap());
        inputs += 1;
    }
    assert!(inputs > 0);
}

macro_rules! laws {
    ($($law:ident)*) => {$(
        mod $law {
            #[test]
            fn over_its_corpus() {
                super::over_corpus(stringify!($law), super::laws::$law::law);
            }

            #[test]
            fn over_random_bytes() {
                super::laws::over_random_bytes(5_000, 400, super::laws::$law::law);
            }
        }
    )*};
}

laws!(schedule machine breaker tokens context);
