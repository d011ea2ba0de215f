//! What the tests of `aicprobe regs` share.

use serde_json::Value;

use super::{aicprobe, stderr, stdout};

/// Runs `regs` with `args`, which must succeed and say nothing on standard error.
#[track_caller]
pub fn regs(args: &[&str]) -> String {
    let output = aicprobe(&[&["regs"], args].concat());
    assert_eq!(
        (output.status.code(), stderr(&output)),
        (Some(0), String::new()),
        "{args:?}"
    );
    stdout(&output)
}

#[track_caller]
pub fn json(args: &[&str]) -> Value {
    serde_json::from_str(&regs(args)).expect("JSON")
}

/// The names of the registers of a JSON result.
pub fn names(result: &Value) -> Vec<&str> {
    let registers = result["registers"].as_array().expect("registers");
    let names = registers.iter().map(|r| r["name"].as_str());
    names.map(|name| name.expect("a name")).collect()
}

/// Numbers that people have published from `/proc/interrupts`, and their lines.
pub const HWIRQS: &[(u32, u16)] = &[
    (66248, 712),
    (66245, 709),
    (66074, 538),
    (66071, 535),
    (66038, 502),
    (66035, 499),
    (66403, 867),
    (66400, 864),
    (66256, 720),
    (66253, 717),
    (66260, 724),
    (66089, 553),
    (66305, 769),
    (66384, 848),
    (66571, 1035),
    (66652, 1116),
    (66318, 782),
    (66301, 765),
    (66285, 749),
    (66297, 761),
    (66298, 762),
    (66299, 763),
    (66300, 764),
    (66296, 760),
    (66567, 1031),
    (65815, 279),
    (65812, 276),
    (66682, 1146),
    (65896, 360),
    (66352, 816),
    (66532, 996),
    (66575, 1039),
];
