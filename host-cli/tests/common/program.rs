//! The program under test.

use std::process::Command;

/// Variables by which whoever runs the tests would change what the program says: defaults, and whether there are colours.
const OF_THE_USER: [&str; 7] = [
    "AICPROBE_TARGET",
    "AICPROBE_SEED",
    "NO_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    // With this one set, a terminal that says it knows no colours gets them.
    "CI",
    "TERM",
];

/// The program, without whatever the person who runs the tests has set.
pub fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_aicprobe"));
    let nowhere = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/no-such-folder");
    program.env("XDG_CONFIG_HOME", nowhere);
    for variable in OF_THE_USER {
        program.env_remove(variable);
    }
    program
}
