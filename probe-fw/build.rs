//! Link arguments of the firmware image.
//!
//! They are given here, not in `RUSTFLAGS`, so that no setting of the user can undo them.

use std::{env, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=link.ld");
    // CARGO_CFG_* describe the target; the stub that is built for the host links as usual.
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("none") {
        return;
    }
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let script = format!("-T{}", folder.join("link.ld").display());
    let arguments = [
        script.as_str(),
        // defmt's own script: the interned message table, kept out of the loaded image.
        "-Tdefmt.x",
        // Position independent with nothing but relative relocations: the host applies them for the run address.
        "-pie",
        "--no-dynamic-linker",
        // The prebuilt `core` uses the static model, so text may need relocations too.
        "-znotext",
        "-znorelro",
        "-zmax-page-size=4096",
        "--build-id=none",
        "--gc-sections",
    ];
    for argument in arguments {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}
