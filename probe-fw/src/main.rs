//! The firmware image. Everything that can run elsewhere is in the library; here are start-up, vectors and the
//! real CPU.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target;

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("the firmware builds only for aarch64-unknown-none-softfloat: cargo xtask firmware");
    std::process::exit(2);
}
