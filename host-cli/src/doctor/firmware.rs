//! The firmware that this program sends to a target.

use crate::firmware::Firmware;

use super::report::Check;

/// Whether an image is built in, and which.
pub fn image() -> Check {
    const ID: &str = "firmware";
    match Firmware::load(None) {
        Ok(firmware) => Check::ok(
            ID,
            format!(
                "built in: protocol {}, schema {:016x}, build {}, {} bytes",
                firmware.header.protocol,
                firmware.header.schema,
                firmware.build_id(),
                firmware.image.len()
            ),
        ),
        Err(why) => Check::problem(
            ID,
            why.to_string(),
            &[
                "build program and firmware together: cargo xtask run -- doctor",
                "or name an image with --firmware FILE in every command",
            ],
        ),
    }
}

/// Whether a toolchain for the firmware is needed at all.
pub fn toolchain() -> Check {
    const ID: &str = "toolchain";
    if Firmware::is_built_in() {
        return Check::not_applicable(ID, "not needed: the firmware is built in");
    }
    Check::warning(
        ID,
        "not looked for: it is needed only to build the firmware",
        &["in the sources: cargo xtask doctor tells how the toolchain is found"],
    )
}
