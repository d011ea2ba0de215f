//! `fields` on machines that lack something or do something twice, and what its forms and files hold.

mod common;

use common::trees::Folder;
use common::{aicprobe, stderr, stdout};
use serde_json::{Value, json};

/// The T8140 with these tables and without the CPUs of these numbers in the device tree.
fn machine(folder: &Folder, tables: &str, gone: &[u32]) -> String {
    let gone = gone.iter();
    let gone = gone.map(|id| format!("[[cpu_change]]\nadt_id = {id}\npresent = false\n"));
    let gone: String = gone.collect();
    let text =
        format!("extends = \"t8140\"\nname = \"m\"\ntitle = \"of the test\"\n{tables}\n{gone}");
    format!("vm:{}", folder.file("machine.toml", text.as_bytes()))
}

/// Three CPUs: a P core that boots and two E cores.
const FEW: [u32; 3] = [2, 3, 5];

/// Exit code, standard output and error.
fn run(target: &str, format: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let mut args = vec!["fields", "-q", "--format", format, "--target", target];
    args.extend(options);
    let output = aicprobe(&args);
    (output.status.code(), stdout(&output), stderr(&output))
}

fn report(target: &str, options: &[&str]) -> (Option<i32>, Value) {
    let (code, out, err) = run(target, "json", options);
    let report = serde_json::from_str(&out);
    (code, report.unwrap_or_else(|e| panic!("{e}: {err}")))
}

#[test]
fn duplicates_and_spurious_interrupts_are_counted() {
    needs_firmware!();
    let folder = Folder::new();
    let target = machine(
        &folder,
        "[faults]\nduplicate_every = 3\n[defect]\nlose_delivery_every = 40\n",
        &FEW,
    );
    let (code, result) = report(&target, &["--triggers", "8"]);
    assert_eq!((code, &result["rule"]), (Some(6), &Value::Null));
    let total = |name: &str| result["totals"][name].as_u64().expect("a count");
    assert!(total("duplicate") > 0, "{}", result["totals"]);
    for name in ["lost", "late", "duplicate", "spurious"] {
        let cells = result["table"].as_array().expect("cells").iter();
        let sum: u64 = cells.map(|c| c[name].as_u64().expect("a count")).sum();
        assert_eq!(total(name), sum, "{name}");
    }
    let marks = result["marks"].to_string();
    assert!(
        marks.contains("once more after they had been taken"),
        "{marks}"
    );
    let listed = result["contradictions"].as_array().expect("cells");
    assert!(!listed.is_empty());
    assert!(
        listed
            .iter()
            .all(|c| c["duplicate"].is_u64() && c["spurious"].is_u64())
    );
    let (_, table, _) = run(&target, "table", &["--triggers", "8"]);
    let said = format!(
        "{} duplicate, {} spurious; CPU 0",
        total("duplicate"),
        total("spurious")
    );
    assert!(table.contains(&said), "{said}: {table}");
    let cell = table.lines().find(|l| l.starts_with("  cell "));
    let cell = cell.expect("a contradiction");
    assert!(
        cell.contains(" duplicate, ") && cell.ends_with(" spurious"),
        "{cell}"
    );
    assert!(table.contains("note: duplicate: "), "{table}");
}

#[test]
fn cpus_that_do_not_run_are_left_out() {
    needs_firmware!();
    let folder = Folder::new();
    let target = machine(
        &folder,
        "[loader]\nleaves_mmu_off = [1]\nleaves_down = [3]\n",
        &[],
    );
    let (code, result) = report(&target, &["--triggers", "2"]);
    assert_eq!(code, Some(0), "{result}");
    assert_eq!(result["rule"]["rank"], json!([1, 0, 2, null]));
    assert_eq!(
        (&result["cells"], &result["complete"], &result["restored"]),
        (&json!(512), &json!(true), &json!(true))
    );
    let c = &result["coverage"];
    assert_eq!((&c["combinations"], &c["of"]), (&json!(256), &json!(256)));
    assert_eq!(c["pairs"], c["pairs_of"]);
    // Device order: 1 and 3 are logical 2 and 4.
    for cell in result["table"].as_array().expect("cells") {
        let fields = cell["fields"].as_array().expect("fields");
        let missing: Vec<usize> = (0..6).filter(|cpu| fields[*cpu].is_null()).collect();
        assert_eq!(missing, [2, 4], "{cell}");
        assert_eq!(cell["landed"][2], 0);
    }
    assert_eq!(result["further"]["planned"], result["further"]["measured"]);
    let fiqs = result["further"]["fiqs"].as_array().expect("FIQs");
    assert!(fiqs.iter().all(|f| f["cpu"] != 2 && f["cpu"] != 4));
    assert_eq!(fiqs.len(), 16);
    assert_eq!(result["further"]["writes_act"], "at-once");
    let (code, table, _) = run(&target, "table", &["--triggers", "2"]);
    assert_eq!(code, Some(0));
    assert!(
        table.contains("left out: CPU 2 (no-mmu), CPU 4 (dead)"),
        "{table}"
    );
    // One that is named has to run.
    let (code, _, err) = run(&target, "table", &["--mask", "4:0.2"]);
    assert_eq!(code, Some(3));
    assert!(err.contains("CPU 4 is dead"), "{err}");
}

#[test]
fn one_cpu_alone_makes_no_rule() {
    needs_firmware!();
    let folder = Folder::new();
    let target = machine(&folder, "[loader]\nleaves_down = [0, 1]\n", &FEW);
    let (code, result) = report(&target, &["--triggers", "2"]);
    assert_eq!((code, &result["rule"]), (Some(6), &Value::Null));
    assert_eq!(result["alone"], json!([[2, 0], [2, 0], [2, 0], [0, 2]]));
    let marks = result["marks"].to_string();
    assert!(marks.contains("one CPU runs alone"), "{marks}");
}

#[test]
fn what_a_mask_does_is_said_with_the_window_that_shows_it() {
    needs_firmware!();
    let folder = Folder::new();
    let slow = machine(&folder, "[siq]\ndelivery_ns = 300000\n", &FEW);
    let few = ["--triggers", "2"];
    let (_, table, _) = run(&slow, "table", &few);
    assert!(table.contains("an interrupt waits for a CPU that masks it (seen within 200 us)"));
    assert!(
        table.contains("note: rule.masked: no interrupt was seen pending on CPU 0"),
        "{table}"
    );
    // A window that is long enough shows what becomes of it, on any CPU.
    for (mask, cpu, us) in [("0:1.5", 0, 1500), ("1:1.5", 1, 1500)] {
        let (code, table, _) = run(&slow, "table", &["--triggers", "2", "--mask", mask]);
        assert_eq!(code, Some(0), "{table}");
        assert!(
            table.contains("gives way within 1500 us to the next"),
            "{table}"
        );
        assert!(!table.contains("rule.masked"), "{table}");
        let said = format!("CPU {cpu} masked for {us} us a trigger");
        assert!(table.contains(&said), "{table}");
    }
    // The timeout decides what counts as lost.
    let another = Folder::new();
    let slower = machine(&another, "[siq]\ndelivery_ns = 3000000\n", &[0, 1, 2, 3]);
    let (code, result) = report(&slower, &few);
    assert_eq!((code, &result["rule"]), (Some(6), &Value::Null));
    let (code, result) = report(&slower, &["--triggers", "2", "--timeout", "8"]);
    assert_eq!(code, Some(0), "{}", result["fit"]);
    assert_eq!(result["rule"]["rank"], json!([1, 0, 2, null]));
    for (options, text) in [
        (["--mask", "0:0"], "0 ms is not allowed: 0.001 to 1000"),
        (["--timeout", "0"], "0 ms is not allowed: 0.001 to 10000"),
        (["--mask", "3:1"], "--mask 3: this target has CPUs 0 to 2"),
    ] {
        let (code, out, err) = run(&slow, "table", &options);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{options:?}");
        assert!(err.contains(text), "{err}");
    }
}

#[test]
fn a_controller_without_these_fields_is_no_target() {
    needs_firmware!();
    let (code, out, err) = run("vm:t8103", "table", &[]);
    assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
    assert!(err.contains("AICv1 does not look at SIQ_CFG"), "{err}");
    let help = stdout(&aicprobe(&["fields", "--help"]));
    let help: Vec<&str> = help.split_whitespace().collect();
    assert!(help.join(" ").contains("3 on a target with AICv1"));
}

#[test]
fn lines_hold_the_rule_and_what_contradicts_it() {
    needs_firmware!();
    let folder = Folder::new();
    let few = ["--triggers", "4"];
    let good = machine(&folder, "", &FEW);
    let (_, result) = report(&good, &few);
    let lines = |text: &str, name: &str| -> Vec<Value> {
        let lines = text
            .lines()
            .map(|l| serde_json::from_str::<Value>(l).expect("JSON"));
        lines.filter_map(|l| l.get(name).cloned()).collect()
    };
    let (_, text, _) = run(&good, "jsonl", &few);
    assert_eq!(lines(&text, "rule"), [result["rule"].clone()]);
    assert_eq!(lines(&text, "contradictions"), [] as [Value; 0]);
    assert_eq!(Value::from(lines(&text, "table")), result["table"]);
    let (_, text, _) = run(&good, "csv", &few);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.records().map(|r| r.expect("a row"));
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows.len(), 128);
    assert!(rows.iter().all(|r| r.iter().next_back() == Some("false")));
    let wrong = machine(&folder, "[defect]\nswap_cpus = [4, 0]\n", &FEW);
    let (code, result) = report(&wrong, &few);
    assert_eq!(code, Some(6));
    let contradicted = result["fit"]["contradicted"].as_u64().expect("a count");
    let (_, text, _) = run(&wrong, "jsonl", &few);
    assert_eq!(lines(&text, "rule"), [Value::Null]);
    let listed = lines(&text, "contradictions");
    assert_eq!(listed.len(), contradicted.min(16) as usize);
    let (_, text, _) = run(&wrong, "csv", &few);
    let rows = text.lines().filter(|l| l.ends_with(",true")).count();
    assert_eq!(rows as u64, contradicted);
}

#[test]
fn of_cells_that_are_all_refused_one_is_told() {
    needs_firmware!();
    let root = env!("CARGO_MANIFEST_DIR");
    let target = format!("vm:{root}/../virtual-soc/models/odd/siq-write-undefined.toml");
    for quiet in [true, false] {
        let mut args = vec!["fields", "--target", &target, "--triggers", "1"];
        args.extend(quiet.then_some("-q"));
        let output = aicprobe(&args);
        assert_eq!(output.status.code(), Some(3));
        let said = stderr(&output);
        assert!(said.contains("writing SIQ_CFG of CPU 0 traps"), "{said}");
        assert!(said.contains("more cells)"), "{said}");
        assert!(said.lines().count() < 30, "{} lines", said.lines().count());
    }
}
