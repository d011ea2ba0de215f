//! `aicprobe doctor` on this computer, whatever it is; made-up ones are tested beside the checks.

mod common;

use common::{aicprobe, stderr, stdout};
use serde_json::Value;

fn report(args: &[&str]) -> (Option<i32>, Value) {
    let mut words = vec!["doctor", "--format", "json"];
    words.extend(args);
    let run = aicprobe(&words);
    let text = stdout(&run);
    let json = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {}", stderr(&run)));
    (run.status.code(), json)
}

fn states(report: &Value) -> Vec<(String, String)> {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let checks = report["checks"]
        .as_array()
        .expect("what the test itself made");
    checks
        .iter()
        .map(|c| (text(&c["id"]), text(&c["state"])))
        .collect()
}

#[test]
fn a_virtual_target_needs_nothing() {
    needs_firmware!();
    let (code, report) = report(&["--target", "vm:t8140"]);
    assert_eq!(code, Some(0));
    assert_eq!(report["usable"], true);
    for (id, state) in states(&report) {
        let wanted = match id.as_str() {
            "firmware" | "model" => "ok",
            _ => "not-applicable",
        };
        assert_eq!(state, wanted, "{id}");
    }
}

#[test]
fn a_port_that_is_not_there_ends_with_3_and_says_what_to_do() {
    let (code, report) = report(&["--target", "/dev/ttyNONE7"]);
    assert_eq!(code, Some(3));
    assert_eq!(report["usable"], false);
    let checks = report["checks"].as_array().unwrap();
    let port = checks.iter().find(|c| c["id"] == "port").unwrap();
    assert_eq!(port["state"], "problem");
    assert!(port["next"][0].as_str().unwrap().contains("aicprobe list"));
    let table = stdout(&aicprobe(&["doctor", "--target", "/dev/ttyNONE7"]));
    assert!(table.contains("PROBLEM  port"), "{table}");
    assert!(table.contains("-> aicprobe list"), "{table}");
    assert!(table.contains("not usable as it is: "), "{table}");
}

#[cfg(unix)]
#[test]
fn a_pseudo_terminal_is_a_port() {
    let pty = common::pty::Pty::new();
    let path = pty.path.clone();
    let (_, report) = report(&["--target", &path]);
    let found = states(&report);
    let state = |id: &str| found.iter().find(|(i, _)| i == id).unwrap().1.clone();
    assert_eq!(state("port"), "ok", "{report:#}");
    assert_eq!(state("permission"), "ok", "{report:#}");
}

#[test]
fn targets_that_there_cannot_be() {
    for (target, code) in [("vm:none", 3), ("nonsense", 3), ("vm:none.toml", 3)] {
        let run = aicprobe(&["doctor", "--target", target]);
        assert_eq!(run.status.code(), Some(code), "{target}");
        assert_eq!(stdout(&run), "");
    }
}
