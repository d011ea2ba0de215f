//! Takes the firmware image into the program when the build was told where it is.
//!
//! `AICPROBE_FW_IMAGE` names the packed image, `AICPROBE_FW_ELF` the ELF file it was packed from (for the messages of
//! its log). `cargo xtask` sets both; without them the program builds and asks for `--firmware FILE`.

use std::{env, path::PathBuf};

fn main() {
    for (variable, cfg) in [
        ("AICPROBE_FW_IMAGE", "aicprobe_fw_image"),
        ("AICPROBE_FW_ELF", "aicprobe_fw_elf"),
    ] {
        println!("cargo::rerun-if-env-changed={variable}");
        println!("cargo::rustc-check-cfg=cfg({cfg})");
        let Some(value) = env::var_os(variable).filter(|v| !v.is_empty()) else {
            continue;
        };
        let path = PathBuf::from(value);
        let path = match path.canonicalize() {
            Ok(path) => path,
            Err(e) => {
                println!("cargo::error={variable}={}: {e}", path.display());
                continue;
            }
        };
        println!("cargo::rerun-if-changed={}", path.display());
        println!("cargo::rustc-env={variable}={}", path.display());
        println!("cargo::rustc-cfg={cfg}");
    }
}
