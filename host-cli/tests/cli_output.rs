//! What the program prints when all is well.

mod common;

use common::{aicprobe, stderr, stdout};
use serde_json::Value;

#[test]
fn help_and_version() {
    for args in [&["--help"][..], &["route", "--help"]] {
        let output = aicprobe(args);
        assert_eq!(output.status.code(), Some(0));
        let text = stdout(&output);
        for code in host_cli::exit::TABLE {
            assert!(
                text.contains(code.1),
                "exit code {} in {args:?}: {text}",
                code.0
            );
        }
    }
    let output = aicprobe(&["--version"]);
    assert_eq!(
        stdout(&output),
        concat!("aicprobe ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn a_dry_run_shows_cells_writes_and_duration() {
    let output = aicprobe(&["route", "--dry-run"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("52 cells on vm:t8140, about "), "{text}");
    for part in [
        "nothing was changed",
        "SW_SET of line 0:",
        "SIQ_CFG_EL1 (CPU 5",
        "VBAR_EL1",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }

    let output = aicprobe(&["route", "--dry-run", "--format", "json", "--fire-cpu", "3"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["schema"], "aicprobe.plan/1");
    assert_eq!(json["cells"][0]["fire_cpu"], 3);
    assert_eq!(json["cells"].as_array().unwrap().len(), 1);
    // Nothing is set to a field, so SIQ_CFG is not among what would be written.
    assert!(!json["writes"].to_string().contains("SIQ_CFG"));
}

#[test]
fn json_has_the_fields_of_the_contract() {
    needs_firmware!();
    let output = aicprobe(&[
        "-q",
        "route",
        "--format",
        "json",
        "--set-field",
        "1=2",
        "--mask",
        "0:0.5",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "", "quiet");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["schema"], "aicprobe.route/1");
    assert_eq!(
        (&json["target"], &json["seed"]),
        (&"vm:t8140".into(), &1.into())
    );
    for key in ["build", "soc", "cpus", "aic", "cells", "restored", "marks"] {
        assert!(!json[key].is_null(), "{key}");
    }
    assert_eq!(json["restored"], true);
    assert_eq!(json["marks"][0]["kind"], "model only");
    let keys = [
        "id", "adt_id", "mpidr", "cluster", "core", "boot", "state", "siq_cfg",
    ];
    let boot = &json["cpus"][0];
    let found: Vec<_> = keys.iter().map(|k| boot[k].to_string()).collect();
    assert_eq!(
        found,
        [
            "0",
            "4",
            "\"0x80010100\"",
            "1",
            "\"P\"",
            "true",
            "\"running\"",
            "\"0x0\""
        ]
    );
    let aic = &json["aic"];
    assert_eq!(aic["base"], "0x301000000");
    let numbers: Vec<_> = ["generation", "nr_irq", "max_irq", "dies"]
        .iter()
        .map(|k| aic[k].as_u64())
        .collect();
    assert_eq!(numbers, [Some(3), Some(1504), Some(4096), Some(1)]);
    let cells = json["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 6);
    let cell = &cells[4];
    let number = cell["line"]["number"].as_u64().unwrap();
    assert_eq!(cell["line"]["hwirq"].as_u64(), Some(1 << 16 | number));
    assert_eq!(cell["fire_cpu"], 4);
    assert_eq!(cell["fields"].to_string(), "[0,2,3,3,3,3]");
    assert_eq!(
        cell["fields_requested"].to_string(),
        "[null,2,null,null,null,null]"
    );
    assert_eq!(cell["masked_cpus"].to_string(), "[0]");
    assert_eq!(cell["masked_us"].to_string(), "[500]");
    assert_eq!(cell["landed"].to_string(), "[0,32,0,0,0,0]");
    assert_eq!(cell["offered"].as_array().unwrap().len(), 6);
    for key in ["fired", "lost", "late", "duplicate", "spurious"] {
        assert!(cell[key].is_u64(), "{key}");
    }
    for key in ["min", "p50", "p95", "p99", "max"] {
        assert!(cell["latency_ns"][key].is_u64(), "{key}");
    }
    assert_eq!(cell["latency_from"], "sw_set");
}

#[test]
fn the_table_says_that_a_model_answers() {
    needs_firmware!();
    let output = aicprobe(&["route", "--fire-cpu", "0", "--triggers", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let second = text.lines().nth(1).unwrap();
    assert!(second.starts_with("MODEL ONLY: "), "{text}");
    assert!(text.contains("state of the target: as found ("), "{text}");
    assert!(text.contains("3 triggers: landed 0:3; 0 lost"), "{text}");
    // Progress goes to standard error.
    assert!(stderr(&output).contains("cell 1/1: 3 of 3 fired"));
}

#[test]
fn a_result_can_go_to_a_file() {
    needs_firmware!();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("result.json");
    std::fs::write(&path, "x".repeat(1 << 20)).unwrap();
    let file = path.display().to_string();
    let args = [
        "-q",
        "route",
        "--fire-cpu",
        "1",
        "--format",
        "json",
        "-o",
        &file,
    ];
    let output = aicprobe(&args);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    let json: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(json["complete"], true);
}

#[cfg(unix)]
#[test]
fn ctrl_c_restores_and_prints_what_there_is() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};
    needs_firmware!();
    let mut child = common::program()
        .args([
            "route",
            "--format",
            "json",
            "--fire-cpu",
            "0",
            "--triggers",
            "1000000000",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines
        .by_ref()
        .map(Result::unwrap)
        .find(|l| l.starts_with("cell 1/1: "))
        .expect("a statistic");
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    let mut text = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&json["complete"], &json["restored"]),
        (&false.into(), &true.into())
    );
    let cell = &json["cells"][0];
    assert!(cell["fired"].as_u64().unwrap() > 0);
    assert_eq!(cell["fired"], cell["landed"][0]);
}
