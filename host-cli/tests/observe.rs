//! Behaviours of controllers and CPUs: each row of the list, on a model that shows it and on one that does not.

mod common;

use common::{aicprobe, stderr, stdout};
use serde_json::Value;

/// The report on a model; everything is allowed that needs to be.
fn observe(model: &str, more: &[&str]) -> Value {
    let target = format!("vm:{model}");
    let mut args = vec!["observe", "-q", "--target", &target, "--format", "json"];
    args.extend(["--allow-reset", "--allow-wfi", "--write-back"]);
    args.extend(more);
    let run = aicprobe(&args);
    assert_eq!(run.status.code(), Some(0), "{model}: {}", stderr(&run));
    let report: Value = serde_json::from_str(&stdout(&run)).expect("JSON");
    assert_eq!(report["restored"], true);
    report
}

/// A model of the repository's odd ones.
fn odd(name: &str) -> String {
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../virtual-soc/models/odd");
    format!("{models}/{name}.toml")
}

/// A file with a model made from another.
fn made(text: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a folder of the test");
    let path = dir.path().join("made.toml");
    std::fs::write(&path, text).expect("a file of the test");
    let path = path.to_str().expect("UTF-8").to_owned();
    (dir, path)
}

fn answer(report: &Value, id: &str) -> String {
    let all = report["observations"].as_array().expect("observations");
    let found = all.iter().find(|o| o["id"] == id);
    let found = found.unwrap_or_else(|| panic!("no observation {id}"));
    found["answer"].as_str().expect("an answer").to_owned()
}

fn note(report: &Value, id: &str) -> String {
    let all = report["observations"].as_array().expect("observations");
    let found = all.iter().find(|o| o["id"] == id).expect("an observation");
    found["note"].as_str().unwrap_or_default().to_owned()
}

/// Row by row: observation, a model on which the claim holds, one on which it does not.
#[test]
fn every_row_is_told_apart() {
    needs_firmware!();
    let t8140 = "t8140".to_owned();
    // (row, id, model, answer there, other model, answer there)
    let rows: &[(&str, &str, &str, &str, &str, &str)] = &[
        (
            "2",
            "el1-field-0-delivers-once",
            "t8140",
            "Always",
            "odd/el1-misbehaves",
            "Never",
        ),
        (
            "2",
            "el1-field-2-delivers-once",
            "odd/el1-misbehaves",
            "Always",
            "",
            "",
        ),
        ("2", "el1-field-1-delivers-once", "t8140", "Always", "", ""),
        (
            "3",
            "pending-until-accepted",
            "t8140",
            "Always",
            "odd/ignores-never",
            "Never",
        ),
        (
            "5",
            "masked-acceptor-gives-way",
            "t8140",
            "Always",
            "odd/masked-waits",
            "Sometimes",
        ),
        (
            "6",
            "masked-sole-acceptor-keeps",
            "t8140",
            "Always",
            "odd/hides-from-masked",
            "Never",
        ),
        (
            "7",
            "sole-acceptor-receives",
            "t8140",
            "Always",
            "odd/cpu-inactive",
            "Sometimes",
        ),
        (
            "8",
            "bank-beyond-claimed-dies-answers",
            "t6000",
            "Always",
            "t8140",
            "Never",
        ),
        (
            "8",
            "bank-beyond-is-alias",
            "odd/bank-alias",
            "Always",
            "t6000",
            "Never",
        ),
        (
            "11",
            "vm-tmr-fiq-ena-reads",
            "odd/fiq-ena-write-undefined",
            "Always",
            "odd/fiq-ena-locked",
            "Never",
        ),
        (
            "11",
            "vm-tmr-fiq-ena-writes",
            "t6020",
            "Always",
            "odd/fiq-ena-write-undefined",
            "Never",
        ),
        (
            "13",
            "wfi-keeps-registers",
            "odd/wfi-keeps",
            "Always",
            "t8140",
            "Never",
        ),
        (
            "15",
            "acknowledge-without-isb-loses-ipis",
            "odd/ipi-ack-late",
            "Sometimes",
            "t8140",
            "Never",
        ),
        (
            "15",
            "late-acknowledge-loses-ipis",
            "t8140",
            "Sometimes",
            "",
            "",
        ),
        ("16", "global-ipi-arrives", "t8140", "Always", "", ""),
        (
            "16",
            "local-ipi-arrives-in-own-cluster",
            "t8140",
            "Always",
            "odd/ipi-no-local",
            "not-applicable",
        ),
        ("16", "local-ipi-crosses-clusters", "", "", "t8140", "Never"),
        ("17", "pending-ipis-merge", "t8140", "Always", "", ""),
        ("17", "deferred-ipi-arrives", "t8140", "Always", "", ""),
        ("17", "no-wake-ipi-arrives", "t8140", "Sometimes", "", ""),
        ("17", "retract-delivers", "", "", "t8140", "Never"),
        (
            "22",
            "target-0-delivers",
            "t6020",
            "Always",
            "odd/target-inverted",
            "Never",
        ),
        (
            "22",
            "target-1-to-15-delivers",
            "odd/target-ignored",
            "Always",
            "t6020",
            "Never",
        ),
        (
            "23",
            "event-goes-to-any-reader",
            "odd/event-anybody",
            "Always",
            "t8140",
            "Never",
        ),
        (
            "23",
            "event-goes-to-any-reader",
            "odd/v1-anybody",
            "Always",
            "t8103",
            "Never",
        ),
        (
            "24",
            "software-state-left",
            "odd/left-set",
            "Sometimes",
            "t8140",
            "Never",
        ),
        (
            "25",
            "reset-keeps-software-state",
            "odd/reset-nothing",
            "Always",
            "t8140",
            "Never",
        ),
        (
            "25",
            "reset-keeps-open-lines-open",
            "odd/reset-nothing",
            "Always",
            "odd/reset-masks",
            "Never",
        ),
        (
            "25",
            "reset-keeps-routing-words",
            "odd/reset-masks",
            "Always",
            "t8140",
            "Never",
        ),
        (
            "26",
            "masked-line-fires-at-unmask",
            "t8140",
            "Always",
            "odd/forgets-masked",
            "Never",
        ),
        (
            "31",
            "disabled-in-handler-fires-again",
            "t8140",
            "Always",
            "odd/eoi-lost",
            "Never",
        ),
        (
            "32",
            "nested-ends-leave-no-mask",
            "t8140",
            "Always",
            "odd/mask-leak",
            "Sometimes",
        ),
        ("34", "last-line-delivers", "t8140", "Always", "", ""),
        (
            "34",
            "line-beyond-nr-delivers",
            "odd/beyond-delivered",
            "Always",
            "t8140",
            "Never",
        ),
        (
            "34",
            "line-beyond-nr-keeps-state",
            "t8140",
            "Always",
            "odd/beyond-absent",
            "Never",
        ),
        (
            "36",
            "delivers-without-enable",
            "odd/no-enable",
            "Always",
            "t8140",
            "Never",
        ),
        (
            "36",
            "delivers-with-enable",
            "t8140",
            "Always",
            "odd/enable-inverted",
            "Never",
        ),
        (
            "36",
            "delivers-without-enable",
            "odd/enable-inverted",
            "Always",
            "",
            "",
        ),
    ];
    let file = |model: &str| match model.strip_prefix("odd/") {
        Some(name) => odd(name),
        None if model.is_empty() => t8140.clone(),
        None => model.to_owned(),
    };
    let mut wrong = Vec::new();
    for (row, id, yes, expected, no, other) in rows {
        for (model, expected) in [(yes, expected), (no, other)] {
            if model.is_empty() {
                continue;
            }
            let report = observe(&file(model), &["--row", row]);
            let got = answer(&report, id);
            if got != **expected {
                wrong.push(format!("{id} on {model}: {got}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The CPU that gets no interrupt is named, with the fast IPIs that it takes all the same (row 7).
#[test]
fn a_cpu_that_the_power_manager_takes_for_dead_is_named() {
    needs_firmware!();
    let report = observe(&odd("cpu-inactive"), &["--row", "7"]);
    let said = note(&report, "sole-acceptor-receives");
    assert!(said.contains("no AIC interrupt reaches CPU"), "{said}");
    assert!(said.contains("(but fast IPIs)"), "{said}");
    assert_eq!(answer(&report, "cpu-takes-fast-ipis"), "Always");
}

/// Rows 19 and 27: only with a line named by the user, which is put back.
#[test]
fn a_line_that_is_high() {
    needs_firmware!();
    let name = odd("line-high");
    let text = std::fs::read_to_string(&name).expect("the model");
    let number = text.split("number = ").nth(1).expect("a line that is high");
    let number: String = number.chars().take_while(char::is_ascii_digit).collect();
    let report = observe(
        &name,
        &["--row", "19", "--row", "27", "--live-line", &number],
    );
    assert_eq!(answer(&report, "high-line-storms"), "Always");
    assert_eq!(answer(&report, "software-clear-keeps-level"), "Always");
    let lying = std::fs::read_to_string(odd("clear-drops-level")).expect("the model");
    let (_dir, path) = made(&format!(
        "{lying}\n[aic]\nhigh = [{{ number = {number} }}]\n"
    ));
    let report = observe(&path, &["--row", "27", "--live-line", &number]);
    assert_eq!(answer(&report, "software-clear-keeps-level"), "Never");
    // A line that is low says nothing.
    let report = observe(
        "t8140",
        &["--row", "19", "--row", "27", "--live-line", &number],
    );
    assert_eq!(answer(&report, "high-line-storms"), "not-applicable");
    assert!(note(&report, "high-line-storms").contains("is low"));
    assert_eq!(
        answer(&report, "software-clear-keeps-level"),
        "not-applicable"
    );
    assert!(note(&report, "software-clear-keeps-level").contains("is low"));
}

/// Row 10: two dies whose stride properties are 0, and lie.
#[test]
fn strides_that_are_zero_or_lie() {
    needs_firmware!();
    let two_dies = |adt: &str| {
        made(&format!(
            "extends = \"t8140\"\nname = \"strides\"\ntitle = \"T8140 with two dies\"\n[aic]\ndies = 2\nmax_dies = 2\n[adt]\n{adt}\n"
        ))
    };
    let (_dir, zero) = two_dies("strides = \"zero\"");
    let report = observe(&zero, &["--row", "10"]);
    assert_eq!(answer(&report, "die-stride-as-computed"), "Always");
    let (_dir, lies) = two_dies(
        "cfg_stride = 0x5000\nset_stride = 0x5000\nclear_stride = 0x5000\nhw_state_stride = 0x5000",
    );
    let report = observe(&lies, &["--row", "10"]);
    assert_eq!(answer(&report, "die-stride-as-computed"), "Always");
    assert_eq!(answer(&report, "die-stride-as-device-tree-says"), "Never");
    let marks = report["marks"].to_string();
    assert!(marks.contains("no cell was run"), "{marks}");
    // And the main job does not touch it.
    let run = aicprobe(&["route", "-q", "--target", &format!("vm:{lies}")]);
    let said = stderr(&run);
    assert_eq!(run.status.code(), Some(3), "{said}");
    assert!(
        said.contains("is not laid out as the device tree says"),
        "{said}"
    );
}

/// Row 10: no properties, which say nothing; one that lies about registers that are only read.
#[test]
fn strides_that_are_missing_or_of_which_one_lies() {
    needs_firmware!();
    let given = "die-stride-as-device-tree-says";
    let report = observe("t6002", &["--row", "10"]);
    assert_eq!(answer(&report, "die-stride-as-computed"), "Always");
    assert_eq!(answer(&report, given), "not-applicable");
    assert!(note(&report, given).contains("gives no strides"));
    let (_dir, lies) = made(
        "extends = \"t8132\"\nname = \"strides\"\ntitle = \"T8132 with two dies\"\n[aic]\ndies = 2\nmax_dies = 2\nbanks = 2\n[adt]\nhw_state_stride = 0x5000\n",
    );
    let report = observe(&lies, &["--row", "10"]);
    assert_eq!(answer(&report, given), "Sometimes");
    let said = note(&report, given);
    assert_eq!(said, "hwintmon-stride says 0x5000, the rule 0x4a00");
    // On one die nothing can be tried, and the rule is named as such.
    let report = observe(&odd("strides-lie"), &["--row", "10"]);
    let said = note(&report, given);
    assert!(said.contains("says 0x5000, the rule 0x4a00"), "{said}");
}

/// A machine on which field 0 does not accept is asked with one that does.
#[test]
fn field_0_need_not_accept() {
    needs_firmware!();
    let report = observe(&odd("all-never"), &[]);
    let always = [
        "pending-until-accepted",
        "masked-acceptor-gives-way",
        "masked-sole-acceptor-keeps",
        "sole-acceptor-receives",
        "target-0-delivers",
        "masked-line-fires-at-unmask",
        "disabled-in-handler-fires-again",
        "last-line-delivers",
        "delivers-with-enable",
    ];
    for id in always {
        assert_eq!(answer(&report, id), "Always", "{id}");
    }
    assert_eq!(answer(&report, "el1-field-0-delivers-once"), "Never");
    assert_eq!(answer(&report, "el1-field-2-delivers-once"), "Always");
    assert_eq!(note(&report, "sole-acceptor-receives"), "");
    // And where no value does, nothing is said of what needs one; the rest is.
    let (_dir, deaf) = made(
        "extends = \"t8140\"\nname = \"deaf\"\ntitle = \"T8140 that accepts nothing\"\n[siq]\nclasses = [\"never\", \"never\", \"never\", \"never\"]\n",
    );
    let report = observe(&deaf, &[]);
    for id in always {
        assert_eq!(answer(&report, id), "not-applicable", "{id}");
        assert_eq!(
            note(&report, id),
            "no field value makes a CPU accept",
            "{id}"
        );
    }
    assert_eq!(answer(&report, "el1-field-2-delivers-once"), "Never");
    assert_eq!(answer(&report, "cpu-takes-fast-ipis"), "Always");
    assert_eq!(answer(&report, "pending-ipis-merge"), "Always");
}

/// Rows 26 and 31 ask whether an interrupt is delivered, not to whom.
#[test]
fn delivered_is_delivered_to_whichever_cpu() {
    needs_firmware!();
    let report = observe(&odd("swapped"), &["--row", "26", "--row", "31"]);
    for id in [
        "masked-line-fires-at-unmask",
        "disabled-in-handler-fires-again",
    ] {
        assert_eq!(answer(&report, id), "Always", "{id}");
    }
}

/// Row 16: who took a local IPI that was meant for another cluster, and that the request does not name that cluster: so a
/// machine on which one that does reaches nobody looks the same.
#[test]
fn who_takes_a_local_ipi_for_another_cluster_is_told() {
    needs_firmware!();
    let said = |model: &str| {
        let report = observe(model, &["--row", "16"]);
        assert_eq!(answer(&report, "local-ipi-crosses-clusters"), "Never");
        assert_eq!(note(&report, "global-ipi-arrives"), "");
        note(&report, "local-ipi-crosses-clusters")
    };
    let usual = said("t8140");
    assert_eq!(
        usual,
        "from 0 to 4: taken by nobody, from 1 to 5: taken by CPU 2, the request names a core, no cluster"
    );
    assert_eq!(said(&odd("ipi-local-nobody")), usual);
}

/// SIQ_CFG that traps ends the run, and that is the reason given for what was not tried.
#[test]
fn a_trap_is_named_as_the_reason() {
    needs_firmware!();
    let run = aicprobe(&[
        "observe",
        "-q",
        "--target",
        "vm:t8140-siq-traps",
        "--format",
        "json",
    ]);
    assert_eq!(run.status.code(), Some(3), "{}", stderr(&run));
    let report: Value = serde_json::from_str(&stdout(&run)).expect("JSON");
    assert_eq!(note(&report, "sole-acceptor-receives"), "SIQ_CFG traps");
    assert!(!stdout(&run).contains("does not run"));
}

/// One CPU: every claim that needs a second one is there, in words.
#[test]
fn one_cpu() {
    needs_firmware!();
    let (_dir, alone) = made(&one_cpu_model());
    let report = observe(&alone, &[]);
    let all = report["observations"].as_array().expect("observations");
    let usual = observe("t8140", &[]);
    let ids = |report: &Value| {
        let all = report["observations"].as_array().expect("observations");
        let ids = all
            .iter()
            .map(|o| o["id"].as_str().expect("an id").to_owned());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(ids(&report), ids(&usual));
    for o in all {
        assert_ne!(o["claim"], "", "{o}");
    }
    assert_eq!(
        answer(&report, "late-acknowledge-loses-ipis"),
        "not-applicable"
    );
    assert_eq!(note(&report, "retract-delivers"), "there is no secondary");
    assert_eq!(answer(&report, "sole-acceptor-receives"), "Always");
}

/// T8140 with its boot CPU only.
fn one_cpu_model() -> String {
    let changes =
        [0, 1, 2, 3, 5].map(|id| format!("[[cpu_change]]\nadt_id = {id}\npresent = false\n"));
    format!(
        "extends = \"t8140\"\nname = \"alone\"\ntitle = \"T8140 with one CPU\"\n{}",
        changes.concat()
    )
}

/// The list of behaviours names every row once, and every observation that there is.
#[test]
fn the_list_is_complete() {
    needs_firmware!();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/behaviours.md");
    let list = std::fs::read_to_string(path).expect("the list");
    let rows = list.lines().filter_map(|line| {
        let first = line.strip_prefix("| ")?.split(' ').next()?;
        first.parse::<u32>().ok()
    });
    let mut rows: Vec<u32> = rows.collect();
    rows.sort_unstable();
    assert_eq!(rows, (1..=40).collect::<Vec<_>>());
    let report = observe("t8140", &[]);
    for o in report["observations"].as_array().expect("observations") {
        let (id, row) = (o["id"].as_str().expect("an id"), &o["row"]);
        let line = list.lines().find(|l| l.starts_with(&format!("| {row} |")));
        let line = line.expect("a row");
        assert!(
            line.contains(&format!("`{id}`")),
            "row {row} does not name {id}"
        );
    }
    let named = list.matches('`').count();
    assert!(named > 60, "{named}");
}

#[test]
fn bad_input() {
    needs_firmware!();
    for (args, word) in [
        (
            vec!["observe", "--row", "4"],
            "row 4 has no experiment: allowed are 2 3",
        ),
        (vec!["observe", "--row", "x"], "\"x\" is no row"),
        (vec!["observe", "--triggers", "0"], "0"),
        (
            vec!["observe", "--target", "vm:t9999"],
            "no such virtual SoC",
        ),
        (vec!["observe", "--live-line", "70000"], "70000"),
        (
            vec!["observe", "--row", "19", "--live-line", "9999"],
            "line 0:9999 is refused",
        ),
        (
            vec!["observe", "--row", "27", "--live-line", "1:9"],
            "line 1:9 is refused",
        ),
        (
            vec!["observe", "--row", "8", "--live-line", "0"],
            "line 0:0 is refused",
        ),
        (
            vec!["observe", "--target", "vm:all"],
            "that is many targets, and this command measures one",
        ),
        (
            vec!["route", "--target", "vm:t8103", "--target-mask", "0x6"],
            "not a mask of bits",
        ),
    ] {
        let run = aicprobe(&args);
        assert!(matches!(run.status.code(), Some(2 | 3)), "{args:?}");
        assert!(stderr(&run).contains(word), "{args:?}: {}", stderr(&run));
    }
}
