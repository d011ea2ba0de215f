//! What the built-in models have that others do not: target masks, a second die, a line that nothing names.

mod common;

use common::{aicprobe, stderr, stdout};
use serde_json::Value;

/// The result of `route` on a model, and its notes.
fn route(model: &str, more: &[&str]) -> (Value, String) {
    let target = format!("vm:{model}");
    let mut args = vec!["route", "-q", "--target", &target, "--format", "json"];
    args.extend(["--triggers", "4"]);
    args.extend(more);
    let run = aicprobe(&args);
    assert_eq!(run.status.code(), Some(0), "{more:?}: {}", stderr(&run));
    let result: Value = serde_json::from_str(&stdout(&run)).expect("JSON");
    let marks = result["marks"].to_string();
    (result, marks)
}

/// AICv1: TARGET_CPU as found names nobody, so a cell that names none targets the boot CPU, and the result says so.
#[test]
fn cells_of_aicv1_reach_somebody() {
    needs_firmware!();
    let requests: [&[&str]; 4] = [
        &["--fire-cpu", "0"],
        &["--fire-cpu", "3"],
        &["--fire-cpu", "0", "--set-field", "1=3"],
        &["--fire-cpu", "0", "--mask", "0:1"],
    ];
    for request in requests {
        let (result, marks) = route("t8103", request);
        let cell = &result["cells"][0];
        assert_eq!(cell["landed"][0], 4, "{request:?}");
        assert_eq!(cell["lost"], 0, "{request:?}");
        assert!(marks.contains("no --target-mask on AICv1"), "{marks}");
    }
    let told: &[&str] = &["--fire-cpu", "0", "--target-mask", "2"];
    let (result, marks) = route("t8103", told);
    assert_eq!(result["cells"][0]["landed"][2], 4);
    assert!(!marks.contains("no --target-mask"), "{marks}");
    // Not on other controllers.
    let (_, marks) = route("t8112", &["--fire-cpu", "0"]);
    assert!(!marks.contains("target-mask"), "{marks}");
}

/// `lines --line LINE` on a model: exit code and what is said of the line.
fn asked(model: &str, line: &str) -> (Option<i32>, String) {
    let target = format!("vm:{model}");
    let run = aicprobe(&["lines", "--target", &target, "--line", line]);
    (run.status.code(), stderr(&run) + &stdout(&run))
}

/// Devices on die 1 own their lines there, and the lines of the same numbers on die 0 are others.
#[test]
fn devices_of_die_1_own_lines() {
    for (model, owned, free) in [
        ("t6002", ["1:427", "1:1072", "1:1211"], "1:1059"),
        ("t6022", ["1:458", "1:1172", "1:1314"], "1:1143"),
    ] {
        for line in owned {
            let (code, said) = asked(model, line);
            assert_eq!(code, Some(7), "{model} {line}: {said}");
            let named = format!("line {line} is refused: in use: /arm-io/misc-die1");
            assert!(said.contains(&named), "{model} {line}: {said}");
        }
        // Named on die 0 only.
        let (code, said) = asked(model, free);
        assert_eq!(code, Some(0), "{model} {free}: {said}");
        let (code, _) = asked(model, free.strip_prefix("1:").expect("a line of die 1"));
        assert_eq!(code, Some(7), "{model} {free} on die 0");
    }
}

/// T6040: the tree names 360, what is driven is 816, which nothing names.
#[test]
fn the_serial_port_of_t6040() {
    let (code, said) = asked("t6040", "816");
    assert_eq!(code, Some(7), "{said}");
    assert!(said.contains("line 0:816 is refused: it toggles"), "{said}");
    assert!(!said.contains("line 0:816 is refused: in use"), "{said}");
    let (code, said) = asked("t6040", "360");
    assert_eq!(code, Some(7), "{said}");
    assert!(said.contains("dockchannel-uart"), "{said}");
    assert!(!said.contains("360 is refused: it toggles"), "{said}");
}
