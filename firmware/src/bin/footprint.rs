//! How much RAM a run takes. To be run with `-icount` on the Cortex-M0, where an interrupt looks at the stack every few instructions.
#![cfg_attr(target_os = "none", no_std, no_main)]

firmware::program!(firmware::footprint::run);

#[cfg(all(target_os = "none", target_arch = "arm"))]
#[cortex_m_rt::exception]
fn SysTick() {
    firmware::board::look_at_the_stack();
}
