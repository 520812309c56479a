//! Gives the linker the memory map of the board, and the code its name.

use std::path::PathBuf;
use std::{env, fs};

const ARM: &str = "MEMORY {
  FLASH : ORIGIN = 0x00000000, LENGTH = 256K
  RAM : ORIGIN = 0x20000000, LENGTH = 16K
}
";

const RISCV: &str = r#"MEMORY { RAM : ORIGIN = 0x80000000, LENGTH = 1M }
REGION_ALIAS("REGION_TEXT", RAM);
REGION_ALIAS("REGION_RODATA", RAM);
REGION_ALIAS("REGION_DATA", RAM);
REGION_ALIAS("REGION_BSS", RAM);
REGION_ALIAS("REGION_HEAP", RAM);
REGION_ALIAS("REGION_STACK", RAM);
"#;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let (board, memory) = match env::var("TARGET").unwrap().as_str() {
        "thumbv6m-none-eabi" => ("microbit", ARM),
        "thumbv7m-none-eabi" => ("lm3s6965evb", ARM),
        "thumbv7em-none-eabihf" => ("mps2-an386", ARM),
        "riscv32imac-unknown-none-elf" => ("virt", RISCV),
        _ => return,
    };
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    fs::write(out.join("memory.x"), memory).unwrap();
    println!("cargo:rustc-link-search={}", out.display());
    if env::var_os("CARGO_FEATURE_DEFMT").is_some() {
        println!("cargo:rustc-link-arg-bin=logging=-Tdefmt.x");
    }
    println!("cargo:rustc-cfg=board=\"{board}\"");
}
