//! The truth table of fields through the whole tool, on policies that the rule finder was never told.

mod common;

use common::{aicprobe, stderr, stdout};
use serde_json::{Value, json};

fn fields(target: &str, triggers: &str) -> (Option<i32>, Value) {
    let args = ["fields", "-q", "--format", "json", "--target", target];
    let mut args = args.to_vec();
    args.extend(["--triggers", triggers]);
    let run = aicprobe(&args);
    let code = run.status.code();
    assert!(matches!(code, Some(0 | 6)), "{target}: {}", stderr(&run));
    let report: Value = serde_json::from_str(&stdout(&run)).expect("JSON");
    assert_eq!(report["restored"], true);
    (code, report)
}

/// A machine of four CPUs with another policy.
fn policy(siq: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a folder of the test");
    let path = dir.path().join("policy.toml");
    let gone = |id: u32| format!("[[cpu_change]]\nadt_id = {id}\npresent = false\n");
    let text = format!(
        "extends = \"t8140\"\nname = \"policy\"\ntitle = \"four CPUs\"\n[siq]\n{siq}\n{}{}",
        gone(2),
        gone(3)
    );
    std::fs::write(&path, text).expect("a file of the test");
    let target = format!("vm:{}", path.display());
    (dir, target)
}

#[test]
fn the_whole_table_of_t8140() {
    needs_firmware!();
    let (code, report) = fields("vm:t8140", "2");
    assert_eq!((code, &report["cells"]), (Some(0), &json!(8192)));
    assert_eq!(report["rule"]["rank"], json!([1, 0, 2, null]));
    assert_eq!(report["rule"]["choice"], "lowest-id");
    assert_eq!(report["rule"]["masked"], "moves");
}

#[test]
fn above_six_cpus_a_covering_plan() {
    needs_firmware!();
    let (code, report) = fields("vm:t6020", "4");
    let c = &report["coverage"];
    assert_eq!(c["pairs"], c["pairs_of"], "{c}");
    assert_eq!(c["pairs_of"], 10 * 9 / 2 * 16);
    assert_eq!(code, Some(0), "{report}");
    assert_eq!(report["rule"]["rank"], json!([1, 0, 2, null]));
    assert_eq!(report["rule"]["choice"], "round-robin");
}

#[test]
fn policies_never_seen_are_recovered() {
    needs_firmware!();
    let cases = [
        (
            "classes = [\"preferred\", \"never\", \"never\", \"fallback\"]\nchoice = \"lowest-mpidr\"\non_masked = \"wait\"",
            json!([0, null, null, 1]),
            "lowest-mpidr",
            "waits",
        ),
        (
            "classes = [\"normal\", \"normal\", \"preferred\", \"never\"]\nchoice = \"p-cores-first\"",
            json!([1, 1, 0, null]),
            "p-cores-first",
            "moves",
        ),
        (
            "classes = [\"fallback\", \"preferred\", \"normal\", \"never\"]\nchoice = \"random\"",
            json!([2, 0, 1, null]),
            "any",
            "moves",
        ),
        // Fields that nobody looks at.
        (
            "honoured = false\nchoice = \"lowest-id\"",
            json!([0, 0, 0, 0]),
            "lowest-id",
            "moves",
        ),
    ];
    for (siq, rank, choice, masked) in cases {
        let (_dir, target) = policy(siq);
        let (code, report) = fields(&target, "24");
        assert_eq!(code, Some(0), "{siq}: {}", report["fit"]);
        assert_eq!(report["rule"]["rank"], rank, "{siq}");
        assert_eq!(report["rule"]["choice"], choice, "{siq}");
        assert_eq!(report["rule"]["masked"], masked, "{siq}");
    }
}

/// A machine that gives some interrupts to another CPU than its rule says has no rule.
#[test]
fn no_rule_is_said_where_none_explains() {
    needs_firmware!();
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../virtual-soc/models/odd/loses-one.toml"
    );
    let (code, report) = fields(&format!("vm:{path}"), "32");
    assert_eq!(code, Some(6));
    assert_eq!(report["rule"], Value::Null);
    assert!(
        report["fit"]["contradicted"]
            .as_u64()
            .is_some_and(|n| n > 0)
    );
}

/// A machine with the policy of `model` and these tables.
fn machine(model: &str, tables: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a folder of the test");
    let path = dir.path().join("machine.toml");
    let text = format!("extends = \"{model}\"\nname = \"m\"\ntitle = \"of the test\"\n{tables}");
    std::fs::write(&path, text).expect("a file of the test");
    let target = format!("vm:{}", path.display());
    (dir, target)
}

fn told(target: &str, options: &[&str]) -> (Option<i32>, Value) {
    let mut args = vec!["fields", "-q", "--format", "json", "--target", target];
    args.extend(["--triggers", "2"]);
    args.extend(options);
    let run = aicprobe(&args);
    let report = serde_json::from_str(&stdout(&run));
    let report = report.unwrap_or_else(|_| json!({ "stderr": stderr(&run) }));
    (run.status.code(), report)
}

#[test]
fn whether_the_field_outlives_a_stop_of_its_cpu() {
    needs_firmware!();
    let few = "[[cpu_change]]\nadt_id = 1\npresent = false\n[[cpu_change]]\nadt_id = 2\npresent = false\n\
               [[cpu_change]]\nadt_id = 3\npresent = false\n";
    for (survives, after) in [("false", 3), ("true", 2)] {
        let tables = format!("[siq]\nsurvives_stop = {survives}\n{few}");
        let (_dir, target) = machine("t8140", &tables);
        let (code, report) = told(&target, &["--stop-cpus"]);
        assert_eq!(code, Some(0), "{report}");
        let cpu = |cpu: u8| json!({"cpu": cpu, "found": 3, "written": 2, "after": after, "restored": true});
        assert_eq!(report["further"]["survived"], json!([cpu(1), cpu(2)]));
        assert_eq!(report["restored"], true);
        // Nothing is stopped that nobody asked for.
        let (_, report) = told(&target, &[]);
        assert_eq!(report["further"]["survived"], json!([]));
    }
}

#[test]
fn a_line_that_the_port_holds_lands_as_others_do() {
    needs_firmware!();
    let gone: String = (4..12)
        .filter(|id| *id != 4)
        .map(|id| format!("[[cpu_change]]\nadt_id = {id}\npresent = false\n"))
        .collect();
    let (_dir, target) = machine("t6020", &gone);
    let (code, report) = told(&target, &["--hw-line", "uart"]);
    assert_eq!(code, Some(0), "{report}");
    let line = &report["further"]["hw_line"];
    assert_eq!(line["device"], "/arm-io/uart0");
    assert_eq!(line["hwirq"], 1 << 16 | 1198);
    assert_eq!(
        (&line["different"], &line["left_out"]),
        (&json!([]), &json!(0))
    );
    assert!(line["same"].as_u64().is_some_and(|n| n > 40), "{line}");
    assert_eq!(report["restored"], true);
}

#[test]
fn ports_that_cannot_be_used_are_refused_before_anything_is_done() {
    needs_firmware!();
    let (code, report) = told("vm:t8140", &["--hw-line", "uart"]);
    assert_eq!(code, Some(3), "{report}");
    assert!(report["stderr"].to_string().contains("names no line"));
    let (_dir, target) = machine("t6020", "[aic]\nleft_unmasked = [{ number = 1198 }]\n");
    let (code, report) = told(&target, &["--hw-line", "uart"]);
    assert_eq!(code, Some(7), "{report}");
    let (_dir, target) = machine("t8132", "[loader]\nlink = \"uart\"\n");
    let (code, report) = told(&target, &["--hw-line", "uart"]);
    assert_eq!(code, Some(7), "{report}");
    assert!(
        report["stderr"]
            .to_string()
            .contains("reached over that very port")
    );
}

#[test]
fn with_many_clusters_every_value_is_still_seen_alone() {
    needs_firmware!();
    let (code, report) = fields("vm:t6022", "32");
    assert_eq!(code, Some(0), "{report}");
    assert_eq!(report["rule"]["rank"], json!([1, 0, 2, null]));
    for value in 0..4 {
        let alone = &report["alone"][value];
        assert_ne!(alone, &json!([0, 0]), "{value}: {alone}");
    }
}

#[test]
fn what_was_not_seen_makes_no_rule() {
    needs_firmware!();
    let odd = |name: &str| {
        let root = env!("CARGO_MANIFEST_DIR");
        format!("vm:{root}/../virtual-soc/models/odd/{name}.toml")
    };
    // One set of values only, whatever is written; and nothing delivered within the timeout.
    let (_slow_dir, slow) = policy("delivery_ns = 5000000");
    let cases = [
        (odd("siq-read-only"), "no register ever read 1, 2"),
        (odd("siq-zero"), "no register ever read 1, 2, 3"),
        (slow, "nothing was delivered in any cell"),
    ];
    for (target, why) in cases {
        let (code, report) = fields(&target, "1");
        assert_eq!((code, &report["rule"]), (Some(6), &Value::Null), "{target}");
        let marks = report["marks"].to_string();
        assert!(marks.contains(why), "{target}: {marks}");
        if why.starts_with("no register") {
            assert_eq!(report["coverage"]["combinations"], 1, "{target}");
        }
    }
}
