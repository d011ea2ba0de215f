//! Hand-overs through the whole tool: every pair, exact where the model's timing says so.

mod common;

use common::{aicprobe, stderr, stdout};
use serde_json::Value;

fn run(args: &[&str]) -> Value {
    let mut all = vec!["handoff", "-q", "--format", "json"];
    all.extend(args);
    let run = aicprobe(&all);
    assert_eq!(run.status.code(), Some(0), "{args:?}: {}", stderr(&run));
    let report: Value = serde_json::from_str(&stdout(&run)).expect("JSON");
    assert_eq!(report["restored"], true);
    report
}

fn rows(report: &Value) -> &Vec<Value> {
    report["rows"].as_array().expect("rows")
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("no number: {value}"))
}

/// A t8140 with changes, in a file.
fn changed(text: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a folder of the test");
    let path = dir.path().join("changed.toml");
    let text =
        format!("extends = \"t8140\"\nname = \"changed\"\ntitle = \"T8140, changed\"\n{text}");
    std::fs::write(&path, text).expect("a file of the test");
    let target = format!("vm:{}", path.display());
    (dir, target)
}

fn served_by(row: &Value) -> Vec<u64> {
    row["served"]
        .as_array()
        .expect("served")
        .iter()
        .map(number)
        .collect()
}

/// Every pair is there, everybody who was to serve did, and the interrupts landed where they were steered.
fn check_pairs(report: &Value, lands: u64, cpus: u64, triggers: u64) {
    let loads = 2;
    // direct, store on the same CPU, three ways to each other CPU, floating
    assert_eq!(
        rows(report).len() as u64,
        loads * lands * (3 + 3 * (cpus - 1))
    );
    for row in rows(report) {
        let land = number(&row["land_cpu"]) as usize;
        assert_eq!(
            (number(&row["fired"]), number(&row["lost"])),
            (triggers, 0),
            "{row}"
        );
        assert_eq!(number(&row["landed"][land]), triggers, "{row}");
        let served = served_by(row);
        assert_eq!(served.iter().sum::<u64>(), triggers, "{row}");
        match row["serve_cpu"].as_u64() {
            Some(cpu) => assert_eq!(served[cpu as usize], triggers, "{row}"),
            None => assert_eq!(served[0], 0, "CPU 0 is no worker: {row}"),
        }
        for what in ["total_ns", "hand_ns"] {
            let p = &row[what];
            let p = ["min", "p50", "p95", "p98", "p99", "p999", "max"].map(|name| number(&p[name]));
            assert!(p.is_sorted(), "{row}");
        }
        let (total, hand) = (&row["total_ns"], &row["hand_ns"]);
        assert!(number(&hand["min"]) < number(&total["min"]), "{row}");
    }
}

#[test]
fn every_pair_on_three_kinds_of_controller() {
    needs_firmware!();
    check_pairs(&run(&["--triggers", "20"]), 6, 6, 20);
    // AICv2 and ten CPUs: interrupts land on the first CPU of each of three clusters.
    check_pairs(&run(&["--triggers", "5", "--target", "vm:t6020"]), 3, 10, 5);
    // AICv1: steered by TARGET_CPU.
    check_pairs(&run(&["--triggers", "5", "--target", "vm:t8103"]), 8, 8, 5);
}

#[test]
fn handing_over_costs_and_load_costs_more() {
    needs_firmware!();
    let report = run(&["--triggers", "50"]);
    let p50 = |way: &str, relation: &str, load: &str| {
        let sums = report["sums"].as_array().expect("sums");
        let sum = sums
            .iter()
            .find(|s| s["way"] == way && s["relation"] == relation && s["load"] == load)
            .unwrap_or_else(|| panic!("{way} {relation} {load}"));
        number(&sum["total_ns"]["p50"])
    };
    let direct = p50("direct", "same-cpu", "idle");
    assert!(direct < p50("store", "same-cpu", "idle"));
    assert!(direct < p50("store", "other-cluster", "idle"));
    assert!(p50("store", "other-cluster", "idle") < p50("ipi", "other-cluster", "idle"));
    // A saturated CPU looks when its piece of work is done.
    assert!(p50("store", "other-cluster", "idle") < p50("store", "other-cluster", "spin"));
}

#[test]
fn delays_of_the_model_come_out_to_the_tick() {
    needs_firmware!();
    // 12 us are 288 ticks of 24 MHz, and a whole number of turns. Smallest values move with where in a turn a store falls: by
    // a turn of 100 ns and a tick at most.
    let delay = 12_000;
    const STEP: u64 = 100 + 42;
    let args = [
        "--triggers",
        "20",
        "--land-cpu",
        "0",
        "--serve-cpu",
        "1",
        "--load",
        "idle",
    ];
    let min = |target: &str, way: &str, what: &str| {
        let mut args = args.to_vec();
        args.extend(["--target", target]);
        let report = run(&args);
        let row = rows(&report).iter().find(|r| r["way"] == way);
        number(&row.expect("a row")[what]["min"])
    };
    let (_dir, late) = changed("[siq]\ndelivery_ns = 12100\n");
    for way in ["direct", "store", "ipi"] {
        let (before, after) = (
            min("vm:t8140", way, "total_ns"),
            min(&late, way, "total_ns"),
        );
        assert!(
            after.abs_diff(before + delay) <= STEP,
            "{way}: {before} {after}"
        );
        // From the handler's entry on nothing has changed.
        let (before, after) = (min("vm:t8140", way, "hand_ns"), min(&late, way, "hand_ns"));
        assert!(after.abs_diff(before) <= STEP, "{way}: {before} {after}");
    }
    let (_dir, slow) = changed("[ipi]\ndelivery_ns = 12200\n");
    let (before, after) = (
        min("vm:t8140", "ipi", "hand_ns"),
        min(&slow, "ipi", "hand_ns"),
    );
    assert!(after.abs_diff(before + delay) <= STEP, "{before} {after}");
    assert_eq!(
        min("vm:t8140", "store", "hand_ns"),
        min(&slow, "store", "hand_ns")
    );
}

#[test]
fn same_seed_same_bytes() {
    needs_firmware!();
    let args = [
        "handoff",
        "-q",
        "--triggers",
        "5",
        "--land-cpu",
        "1",
        "--format",
    ];
    for format in ["json", "table", "csv", "jsonl", "markdown"] {
        let mut args = args.to_vec();
        args.push(format);
        let (a, b) = (aicprobe(&args), aicprobe(&args));
        assert_eq!(a.status.code(), Some(0), "{}", stderr(&a));
        assert!(!a.stdout.is_empty() && a.stdout == b.stdout, "{format}");
    }
}

#[test]
fn an_ipi_that_reaches_nobody_is_an_interrupt_that_nobody_serves() {
    needs_firmware!();
    // IPIs that take longer than the timeout.
    let (_dir, target) = changed("[ipi]\ndelivery_ns = 100000000\n");
    let report = run(&[
        "--target",
        &target,
        "--triggers",
        "3",
        "--land-cpu",
        "0",
        "--serve-cpu",
        "2",
        "--load",
        "idle",
    ]);
    for row in rows(&report) {
        let lost = if row["way"] == "ipi" { 3 } else { 0 };
        assert_eq!(number(&row["lost"]), lost, "{row}");
    }
}

fn odd(name: &str) -> String {
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../virtual-soc/models/odd");
    format!("vm:{models}/{name}.toml")
}

#[test]
fn cpus_that_do_not_run_are_left_out_and_named() {
    needs_firmware!();
    // Secondaries 2 and 5 have no MMU.
    let target = odd("mmu-off");
    let report = run(&["--target", &target, "--triggers", "5"]);
    assert_eq!(report["complete"], true);
    // Four CPUs: direct, store on the same CPU, three ways to each other one, floating; idle and saturated.
    assert_eq!(rows(&report).len(), 2 * 4 * (3 + 3 * 3));
    for row in rows(&report) {
        assert_eq!((number(&row["fired"]), number(&row["lost"])), (5, 0));
        let out = |cpu: &Value| *cpu == 2 || *cpu == 5;
        assert!(!out(&row["land_cpu"]) && !out(&row["serve_cpu"]), "{row}");
    }
    let marks = report["marks"].to_string();
    assert!(
        marks.contains("neither take an interrupt nor serve one: 2, 5"),
        "{marks}"
    );
    // Nobody but the boot CPU: nothing to hand over to, and nobody to load.
    let target = odd("none-start");
    let report = run(&["--target", &target, "--triggers", "5"]);
    let ways: Vec<&Value> = rows(&report).iter().map(|r| &r["way"]).collect();
    assert_eq!(ways, ["direct", "store"]);
    assert!(report["marks"].to_string().contains("one CPU runs"));
    let loaded = aicprobe(&["handoff", "-q", "--target", &target, "--load", "spin"]);
    assert_eq!(loaded.status.code(), Some(2), "{}", stderr(&loaded));
    // One that is asked for by name is an error.
    let target = odd("mmu-off");
    for option in ["--land-cpu", "--serve-cpu"] {
        let named = aicprobe(&["handoff", "-q", "--target", &target, option, "5"]);
        assert_eq!(named.status.code(), Some(3), "{}", stderr(&named));
        assert!(
            stderr(&named).contains("CPU 5 is no-mmu"),
            "{}",
            stderr(&named)
        );
    }
}

#[test]
fn where_nothing_is_served_it_is_inconclusive_and_says_why() {
    needs_firmware!();
    let (_dir, never) = changed("[siq]\nclasses = [\"never\", \"never\", \"never\", \"never\"]\n");
    let (_other, late) = changed("[siq]\ndelivery_ns = 7000000\n");
    let brief = ["--triggers", "3", "--land-cpu", "0", "--load", "idle"];
    for target in [&never, &late] {
        let args = [&["handoff", "-q", "--target", target][..], &brief].concat();
        let run = aicprobe(&args);
        assert_eq!(run.status.code(), Some(6), "{target}: {}", stderr(&run));
        let said = stderr(&run);
        assert!(
            said.contains("triggers landed within the timeout of 5000 us"),
            "{said}"
        );
        assert!(stdout(&run).contains("nothing was served"), "{target}");
    }
    // Where only the timeout is too short a longer one mends it.
    let args = [&["--target", &late, "--timeout", "10"][..], &brief].concat();
    let report = run(&args);
    assert_eq!(report["timeout_us"], 10_000);
    assert!(rows(&report).iter().all(|r| number(&r["lost"]) == 0));
}

#[test]
fn where_the_fields_steer_nobody_it_is_said() {
    needs_firmware!();
    let target = odd("siq-read-only");
    let args = ["--triggers", "3", "--land-cpu", "1", "--load", "idle"];
    let report = run(&[&["--target", &target][..], &args].concat());
    let marks = report["marks"].to_string();
    assert!(marks.contains("landed on another CPU"), "{marks}");
}

#[test]
fn cpus_that_are_not_there() {
    for args in [["--land-cpu", "6"], ["--serve-cpu", "24"]] {
        let run = aicprobe(&["handoff", "-q", args[0], args[1]]);
        if run.status.code() == Some(2) && stderr(&run).contains("firmware") {
            needs_firmware!();
        }
        assert_eq!(run.status.code(), Some(2), "{}", stderr(&run));
        assert!(stderr(&run).contains("has CPUs 0 to 5"), "{}", stderr(&run));
    }
    let run = aicprobe(&["handoff", "--land-cpu", "0,2,0"]);
    assert_eq!(run.status.code(), Some(2), "{}", stderr(&run));
    assert!(
        stderr(&run).contains("--land-cpu names CPU 0 twice"),
        "{}",
        stderr(&run)
    );
    let run = aicprobe(&["handoff", "--load", "heavy"]);
    assert_eq!(run.status.code(), Some(2));
    let run = aicprobe(&["handoff", "--load", "spin,idle,spin"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(
        stderr(&run).contains("--load names spin twice"),
        "{}",
        stderr(&run)
    );
}
