//! Entry of the firmware image; under construction.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("the firmware builds only for aarch64-unknown-none-softfloat: cargo xtask firmware");
    std::process::exit(2);
}

#[cfg(target_os = "none")]
mod target {
    use defmt as _;
    use protocol::{PROTOCOL_VERSION, SCHEMA_HASH, image::HEADER_VERSION};

    core::arch::global_asm!(
        ".section .head, \"a\"",
        "head: .ascii \"AICPROBE\"",
        ".word {header}, {protocol}",
        ".quad {schema}",
        ".word entry - head, entry - head",
        ".text",
        "entry: ret",
        header = const HEADER_VERSION,
        protocol = const PROTOCOL_VERSION,
        schema = const SCHEMA_HASH,
    );

    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo) -> ! {
        loop {
            core::hint::spin_loop()
        }
    }
}
