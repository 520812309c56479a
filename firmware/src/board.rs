//! Where a program runs: entry, output, exit. On the host these are the operating system's.

#[cfg(all(target_os = "none", target_arch = "arm"))]
#[path = "board/cortex_m.rs"]
mod here;
#[cfg(all(target_os = "none", target_arch = "riscv32"))]
#[path = "board/riscv.rs"]
mod here;
#[cfg(not(target_os = "none"))]
#[path = "board/host.rs"]
mod here;

pub use here::*;

use core::fmt;

/// Standard output, by semihosting on a board.
#[derive(Debug)]
pub struct Out;

impl fmt::Write for Out {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        print(text);
        Ok(())
    }
}

/// Makes `fn run(out: &mut Out) -> fmt::Result` the program: exit status 0 when it returns, 101 when it panics.
#[macro_export]
macro_rules! program {
    ($run:path) => {
        #[cfg(not(target_os = "none"))]
        fn main() {
            $run(&mut $crate::board::Out).expect("standard output takes text");
        }

        #[cfg(target_os = "none")]
        #[$crate::board::entry]
        fn main() -> ! {
            $run(&mut $crate::board::Out).expect("standard output takes text");
            $crate::board::exit(0)
        }

        #[cfg(target_os = "none")]
        #[panic_handler]
        fn panic(info: &core::panic::PanicInfo) -> ! {
            use core::fmt::Write;
            _ = writeln!($crate::board::Out, "{info}");
            $crate::board::exit(101)
        }
    };
}
