//! `aicprobe compare` of saved results of `latency`, `handoff`, `storm`, `soak` and `fields`: what is slower is found, what is equal is
//! not told apart, and what does not belong together is refused.

mod common;

use std::path::{Path, PathBuf};

use common::{aicprobe, stderr, stdout};
use host_cli::fields::FieldsReport;
use host_cli::handoff::HandoffReport;
use host_cli::latency::LatencyResult;
use host_cli::output::to_json;
use host_cli::soak::SoakResult;
use host_cli::storm::StormReport;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tempfile::TempDir;

/// Short runs: what is measured, and its arguments.
const LATENCY: &str = "latency --triggers 64 --fire-cpu 0,2 --land-cpu 1 --load idle,spin";
const HANDOFF: &str = "handoff --triggers 64 --land-cpu 0 --serve-cpu 1 --load idle";
const STORM: &str = "storm --us 200 --repeat 2 --cpus 0,1 --pattern one,pairs";
const SOAK: &str = "soak --triggers 4000 --interval 10";
const FIELDS: &str = "fields --triggers 8";
const TIMED: [&str; 4] = [LATENCY, HANDOFF, STORM, SOAK];

/// Deliveries vary from trigger to trigger, and so do seeds.
const JITTER: &str = "[siq]\njitter_ns = 900";
/// The same, 1,400 ns later; IPIs too.
const SLOW: &str = "[siq]\njitter_ns = 900\ndelivery_ns = 1500\n[ipi]\ndelivery_ns = 1600";
/// 16 combinations of fields.
const TWO_CPUS: &str =
    "[[cpu_change]]\nadt_id = 1\npresent = false\n[[cpu_change]]\nadt_id = 2\npresent = false\n
[[cpu_change]]\nadt_id = 3\npresent = false\n[[cpu_change]]\nadt_id = 5\npresent = false";

/// Results of a test.
struct Saved(TempDir);

impl Saved {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder of the test"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// One run of `command` on the T8140 with `changes`.
    fn one(&self, name: &str, command: &str, changes: &str, seed: u64) -> String {
        let model = self.path(&format!("{name}.toml"));
        let text =
            format!("extends = \"t8140\"\nname = \"test\"\ntitle = \"changed\"\n{changes}\n");
        std::fs::write(&model, text).expect("a file of the test");
        let path = self
            .path(&format!("{name}-{seed}.json"))
            .display()
            .to_string();
        let (target, seed) = (format!("vm:{}", model.display()), seed.to_string());
        let mut args: Vec<&str> = command.split(' ').collect();
        args.extend(["-q", "--target", &target, "--seed", &seed]);
        args.extend(["--format", "json", "-o", &path]);
        let run = aicprobe(&args);
        assert_eq!(run.status.code(), Some(0), "{args:?}: {}", stderr(&run));
        path
    }

    /// A side of runs with these seeds.
    fn side(
        &self,
        name: &str,
        command: &str,
        changes: &str,
        seeds: std::ops::Range<u64>,
    ) -> String {
        let runs: Vec<String> = seeds
            .map(|seed| self.one(name, command, changes, seed))
            .collect();
        runs.join(",")
    }

    /// A copy of a result with a change.
    fn edit(&self, of: &str, name: &str, change: impl FnOnce(&mut Value)) -> String {
        let mut value = read(Path::new(of));
        change(&mut value);
        let path = self.path(name);
        std::fs::write(&path, value.to_string()).expect("a file of the test");
        path.display().to_string()
    }
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a file of the test");
    serde_json::from_str(&text).expect("JSON")
}

/// Exit code and report.
fn compared(a: &str, b: &str, more: &[&str]) -> (Option<i32>, Value) {
    let mut args = vec!["compare", "-q", a, b, "--format", "json"];
    args.extend(more);
    let run = aicprobe(&args);
    let report = serde_json::from_str(&stdout(&run));
    let report = report.unwrap_or_else(|e| panic!("{args:?}: {e}: {}", stderr(&run)));
    (run.status.code(), report)
}

/// Exit code and the one line that says why nothing is compared.
fn refused(args: &[&str]) -> (Option<i32>, String) {
    let run = aicprobe(&[&["compare", "-q"], args].concat());
    assert_eq!(stdout(&run), "", "{args:?}");
    let said = stderr(&run);
    assert_eq!(common::remarks(&said), 1, "{args:?}: {said}");
    (run.status.code(), said)
}

fn rows<'v>(report: &'v Value, part: &str) -> &'v [Value] {
    report[part].as_array().expect("rows")
}

/// Every row of a number, whatever its cell.
fn number<'v>(report: &'v Value, name: &str) -> Vec<&'v Value> {
    let of = rows(report, "metrics").iter();
    let of: Vec<&Value> = of.filter(|r| r["metric"] == name).collect();
    assert!(!of.is_empty(), "no {name}: {report}");
    of
}

/// Every row of a number has the verdict, and stands.
fn all_stand(report: &Value, name: &str, verdict: &str) {
    for row in number(report, name) {
        let found = (&row["verdict"], &row["stands"]);
        assert_eq!(found, (&verdict.into(), &true.into()), "{row}");
    }
}

/// What is slower is higher in latencies and lower in rates, in every kind of result, and the other way round.
#[test]
fn slower_deliveries_are_found() {
    needs_firmware!();
    let saved = Saved::new();
    for (command, higher, lower) in [
        (
            LATENCY,
            &["entry_p50_ns", "entry_p99_ns", "entry_max_ns"][..],
            &[][..],
        ),
        (HANDOFF, &["total_p50_ns", "total_p99_ns"], &[]),
        (STORM, &[], &[]),
        (
            SOAK,
            &["entry_p50_ns", "interval_p50_mean_ns"],
            &["rate_per_s", "interval_rate_min_per_s"],
        ),
    ] {
        let a = saved.side("a", command, JITTER, 1..4);
        let b = saved.side("b", command, SLOW, 4..7);
        let (code, report) = compared(&a, &b, &["--fail-on-difference"]);
        assert_eq!(code, Some(5), "{command}");
        assert_eq!(report["schema"], "aicprobe.compare/1");
        for name in higher {
            all_stand(&report, name, "B higher");
        }
        for name in lower {
            all_stand(&report, name, "A higher");
        }
        // A paced sender waits for the receiver.
        for name in ["m_sent_per_s", "m_received_per_s"] {
            let paced = rows(&report, "metrics").iter();
            let paced: Vec<&Value> = paced
                .filter(|r| r["metric"] == name && r["cell"]["pace"] == "paced")
                .collect();
            assert_eq!(paced.is_empty(), command != STORM);
            for row in paced {
                assert_eq!(
                    (&row["verdict"], &row["stands"]),
                    (&"A higher".into(), &true.into()),
                    "{row}"
                );
            }
        }
        let (code, turned) = compared(&b, &a, &["--fail-on-difference"]);
        assert_eq!(code, Some(5), "{command}");
        for name in higher {
            all_stand(&turned, name, "A higher");
        }
        for name in lower {
            all_stand(&turned, name, "B higher");
        }
        // The models are named as such wherever a side is.
        let table = stdout(&aicprobe(&["compare", "-q", &a, &b]));
        assert!(table.contains("MODEL ONLY, side B"), "{table}");
        assert!(
            table.contains("(model) higher") && !table.contains(" A higher"),
            "{table}"
        );
    }
}

#[test]
fn latencies_differ_by_what_the_models_differ() {
    needs_firmware!();
    let saved = Saved::new();
    let a = saved.side("a", LATENCY, "", 1..4);
    let b = saved.side("b", LATENCY, "[siq]\ndelivery_ns = 1500", 4..7);
    let (_, report) = compared(&a, &b, &[]);
    assert_eq!(report["of"], "aicprobe.latency/1");
    // A row over all cells, and one of each of both pairs of CPUs and loads.
    let found = number(&report, "entry_p50_ns");
    assert_eq!(found.len(), 5);
    assert_eq!(
        found[1]["cell"],
        serde_json::json!({"load": "idle", "fire_cpu": "0", "land_cpu": "1"})
    );
    for row in found {
        assert_eq!(row["basis"], "sw_set");
        let between = |end: &str| row[end].as_f64().expect("an interval");
        // 1,400 ns more, give or take a turn of the CPUs and a tick; never surer than a step of the counter.
        assert!(between("low") > 1200.0 && between("high") < 1600.0, "{row}");
        assert!(between("high") - between("low") >= 2.0 * 41.667, "{row}");
    }
    assert!(
        number(&report, "handler_p50_ns")
            .iter()
            .all(|r| r["stands"] == false)
    );
    assert!(rows(&report, "states").is_empty(), "{}", report["states"]);
}

#[test]
fn equal_sides_are_not_told_apart() {
    needs_firmware!();
    let saved = Saved::new();
    for command in TIMED {
        let a = saved.side("a", command, JITTER, 1..4);
        let b = saved.side("b", command, JITTER, 4..7);
        let (code, report) = compared(&a, &b, &["--fail-on-difference"]);
        // Where runs vary, 6 is an answer too.
        assert!(matches!(code, Some(0 | 6)), "{command}: {code:?}");
        let s = &report["summary"];
        assert_eq!(
            (&s["standing"], &s["states_beyond_chance"]),
            (&0.into(), &0.into()),
            "{command}"
        );
        assert!(s["same"].as_u64() > Some(5), "{command}: {s}");
        assert!(
            rows(&report, "unpaired").is_empty(),
            "{}",
            report["unpaired"]
        );
        assert!(
            rows(&report, "conditions").is_empty(),
            "{}",
            report["conditions"]
        );
    }
}

#[test]
fn one_run_a_side_cannot_tell() {
    needs_firmware!();
    let saved = Saved::new();
    for command in TIMED {
        let a = saved.side("a", command, JITTER, 1..4);
        let b = saved.one("b", command, SLOW, 4);
        for a in [a.as_str(), a.split(',').next().expect("a first")] {
            let (code, report) = compared(a, &b, &["--fail-on-difference"]);
            assert_eq!(code, Some(6), "{command}");
            let metrics = rows(&report, "metrics");
            assert!(metrics.len() > 8, "{command}: {report}");
            let open = |r: &Value| r["verdict"] == "cannot tell" && r["low"].is_null();
            assert!(metrics.iter().all(open), "{command}: {report}");
            let notes = report["notes"].to_string();
            assert!(notes.contains("one run a side"), "{command}: {notes}");
        }
        // A copy is no second run.
        let copy = saved.edit(&b, "copy.json", |_| ());
        let (code, said) = refused(&[&format!("{b},{copy}"), &b]);
        assert_eq!(code, Some(2), "{command}: {said}");
        assert!(said.contains("hold the same run"), "{command}: {said}");
    }
}

#[test]
fn results_of_different_commands_are_refused() {
    needs_firmware!();
    let saved = Saved::new();
    let [latency, handoff, storm, soak] = TIMED.map(|command| {
        let name = command.split(' ').next().expect("a name");
        saved.one(name, command, "", 1)
    });
    for (a, b, says) in [
        (
            latency.clone(),
            storm.clone(),
            ["aicprobe.latency/1", "aicprobe.storm/1", "side B, "],
        ),
        (
            soak.clone(),
            handoff.clone(),
            ["aicprobe.soak/1", "aicprobe.handoff/1", &handoff],
        ),
        (
            format!("{latency},{handoff}"),
            latency.clone(),
            ["side A, ", "aicprobe.latency/1", "aicprobe.handoff/1"],
        ),
        // A target is measured in one way only, and that is said before anything runs.
        (
            storm.clone(),
            "vm:t8140".to_owned(),
            [&storm, "aicprobe.storm/1", "aicprobe.route/1"],
        ),
        (
            "vm:t8140".to_owned(),
            soak,
            ["measured as by route", "aicprobe.soak/1", "both sides"],
        ),
    ] {
        let (code, said) = refused(&[&a, &b]);
        assert_eq!(code, Some(2), "{said}");
        for part in says {
            assert!(said.contains(part), "{said}, not {part}");
        }
    }
}

#[test]
fn cells_and_settings_of_one_side_are_listed() {
    needs_firmware!();
    let saved = Saved::new();
    let of = |name: &str, cpus: &str, more: &str| {
        let command =
            format!("latency --triggers 8 --fire-cpu 0 --load idle --land-cpu {cpus}{more}");
        saved.one(name, &command, "", 1)
    };
    let (a, b) = (of("a", "1,2", ""), of("b", "2,3", " --gap-us 5"));
    let (_, report) = compared(&a, &b, &[]);
    let only: Vec<_> = rows(&report, "unpaired")
        .iter()
        .map(|o| (o["only_in"].as_str(), o["cell"]["land_cpu"].as_str()))
        .collect();
    assert_eq!(only, [(Some("A"), Some("1")), (Some("B"), Some("3"))]);
    let c = &report["conditions"][0];
    assert_eq!(
        (&c["name"], &c["a"], &c["b"]),
        (&"gap_us".into(), &"0".into(), &"5".into())
    );
    // One cell of each, whatever CPU takes it.
    let (a, b) = (of("c", "1", ""), of("d", "3", ""));
    let (code, report) = compared(&a, &b, &["--fail-on-difference"]);
    assert_eq!((code, &report["summary"]["cells"]), (Some(6), &0.into()));
    let notes = report["notes"].to_string();
    assert!(notes.contains("they differ in land_cpu"), "{notes}");
    let (_, report) = compared(&a, &b, &["--ignore", "land_cpu"]);
    assert_eq!(report["summary"]["cells"], 1);
    let states: Vec<_> = rows(&report, "states")
        .iter()
        .map(|s| s["state"].as_str())
        .collect();
    assert_eq!(states, [Some("lands on CPU 1"), Some("lands on CPU 3")]);
}

/// Thousands of cells of one side would hide what was compared.
#[test]
fn a_table_lists_some_cells_of_one_side() {
    needs_firmware!();
    let saved = Saved::new();
    let a = saved.one("a", "latency --triggers 1 --load idle,spin", "", 1);
    let b = saved.one(
        "b",
        "latency --triggers 1 --load idle --fire-cpu 0 --land-cpu 1",
        "",
        1,
    );
    let listed = |more: &[&str]| {
        let run = aicprobe(&[&["compare", "-q", &a, &b], more].concat());
        let table = stdout(&run);
        let note = table
            .lines()
            .find(|l| l.ends_with("cells of one side (--all)"));
        let rows = table.lines().filter(|l| l.starts_with("A (model)  load "));
        (rows.count(), note.map(str::to_owned))
    };
    let (_, report) = compared(&a, &b, &[]);
    let all = rows(&report, "unpaired").len();
    assert!(all > 60, "{all}");
    let left_out = format!(
        "left out here: {} of {all} cells of one side (--all)",
        all - 50
    );
    assert_eq!(listed(&[]), (50, Some(left_out)));
    assert_eq!(listed(&["--all"]), (all, None));
}

/// IPIs that get lost are a state that one side never shows.
#[test]
fn lost_ipis_are_a_state_of_one_side() {
    needs_firmware!();
    let saved = Saved::new();
    let command =
        "storm --us 200 --repeat 1 --cpus 0,1 --pattern pairs --pace paced --accounting per-cpu";
    let a = saved.side("a", command, "", 1..4);
    // It ends with 5: a rule does not hold.
    let lossy = saved.path("lossy.toml");
    let text =
        "extends = \"t8140\"\nname = \"lossy\"\ntitle = \"lossy\"\n[defect]\nlose_ipi_every = 7\n";
    std::fs::write(&lossy, text).expect("a file of the test");
    let target = format!("vm:{}", lossy.display());
    let b = (4..7).map(|seed| {
        let path = saved
            .path(&format!("lossy-{seed}.json"))
            .display()
            .to_string();
        let seed = seed.to_string();
        let mut args: Vec<&str> = command.split(' ').collect();
        args.extend([
            "-q", "--target", &target, "--seed", &seed, "--format", "json", "-o", &path,
        ]);
        assert_eq!(aicprobe(&args).status.code(), Some(5));
        path
    });
    let b: Vec<String> = b.collect();
    let (code, report) = compared(&a, &b.join(","), &["--fail-on-difference"]);
    assert_eq!(code, Some(5));
    let s = &rows(&report, "states")[0];
    assert_eq!(
        (&s["state"], &s["only_in"], &s["beyond_chance"]),
        (&"lost".into(), &"B".into(), &true.into())
    );
    all_stand(&report, "lost", "B higher");
}

/// A claim that always held on one side and never on the other, the cell behind it, and the rule that follows.
#[test]
fn fields_are_compared_by_cell_and_by_claim() {
    needs_firmware!();
    let saved = Saved::new();
    let swapped = format!(
        "[siq]\nclasses = [\"fallback\", \"preferred\", \"normal\", \"never\"]\n{TWO_CPUS}"
    );
    let a = saved.side("a", FIELDS, TWO_CPUS, 1..6);
    let b = saved.side("b", FIELDS, &swapped, 6..11);
    let (code, report) = compared(&a, &b, &["--fail-on-difference"]);
    assert_eq!(code, Some(5));
    assert_eq!(report["of"], "aicprobe.fields/1");
    let of = |claim: &str| -> Vec<(&str, &str, bool)> {
        let mine = rows(&report, "states")
            .iter()
            .filter(|s| s["cell"]["claim"] == claim);
        mine.map(|s| {
            (
                s["only_in"].as_str().expect("a side"),
                s["state"].as_str().expect("a state"),
                s["beyond_chance"] == true,
            )
        })
        .collect()
    };
    assert_eq!(
        of("field-0-before-2"),
        [("B", "against", true), ("A", "for", true)]
    );
    let rule = of("the rule");
    assert_eq!(rule.len(), 2, "{report}");
    assert!(
        rule.iter().any(|(side, text, sure)| *side == "A"
            && text.starts_with("is: 1 before 0 before 2, never 3")
            && *sure),
        "{rule:?}"
    );
    assert!(
        rule.iter().any(|(side, text, sure)| *side == "B"
            && text.starts_with("is: 1 before 2 before 0, never 3")
            && *sure),
        "{rule:?}"
    );
    let claim = number(&report, "for");
    let claim = claim
        .iter()
        .find(|r| r["cell"]["claim"] == "field-0-before-2")
        .expect("the claim");
    assert_eq!(
        (&claim["a"], &claim["b"], &claim["verdict"]),
        (&1.0.into(), &0.0.into(), &"A higher".into())
    );
    // The cell behind it: CPU 0 has value 0, CPU 1 has value 2.
    let cell = serde_json::json!({"fields": "0=0,1=2"});
    let mine = rows(&report, "states").iter().filter(|s| s["cell"] == cell);
    let states: Vec<_> = mine
        .map(|s| {
            (
                s["only_in"].as_str(),
                s["state"].as_str(),
                &s["beyond_chance"],
            )
        })
        .collect();
    let lands = |side, cpu| (Some(side), Some(cpu), &Value::Bool(true));
    assert_eq!(
        states,
        [lands("A", "lands on CPU 0"), lands("B", "lands on CPU 1")]
    );
    let landed = number(&report, "landed_0");
    assert!(landed[0]["cell"].is_null(), "{}", landed[0]);
    let mine = landed.iter().find(|r| r["cell"] == cell).expect("the cell");
    assert_eq!(
        (&mine["verdict"], &mine["stands"]),
        (&"A higher".into(), &true.into())
    );
    // One in which all triggers of every run of both sides did the same has no numbers of its own.
    let alike = serde_json::json!({"fields": "0=1,1=3"});
    let metrics = rows(&report, "metrics").iter();
    assert_eq!(metrics.filter(|r| r["cell"] == alike).count(), 0);
    // With less than five runs a side the rule may be chance, and is told all the same.
    let three = |side: &str| side.split(',').take(3).collect::<Vec<_>>().join(",");
    let (_, fewer) = compared(&three(&a), &three(&b), &[]);
    let rule: Vec<&Value> = rows(&fewer, "states")
        .iter()
        .filter(|s| s["cell"]["claim"] == "the rule")
        .collect();
    assert_eq!(rule.len(), 2);
    assert!(rule.iter().all(|s| s["beyond_chance"] == false));
    // The same rule on both sides is no state of one.
    let (code, same) = compared(
        &three(&a),
        &a.split(',').skip(3).collect::<Vec<_>>().join(","),
        // A few triggers each cannot exclude less.
        &["--fail-on-difference", "--margin", "40"],
    );
    assert_eq!(code, Some(0), "{same}");
    assert!(rows(&same, "states").is_empty(), "{}", same["states"]);
}

/// A saved result read back is the same, fractions of what is flattened into it included.
#[test]
fn saved_results_read_back_whole() {
    fn same<T: DeserializeOwned + Serialize>(path: &str) {
        let text = std::fs::read_to_string(path).expect("a file of the test");
        let result: T = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
        assert_eq!(to_json(&result).expect("JSON"), text, "{path}");
    }
    needs_firmware!();
    let saved = Saved::new();
    same::<LatencyResult>(&saved.one("l", LATENCY, "", 1));
    same::<HandoffReport>(&saved.one("h", HANDOFF, "", 1));
    same::<StormReport>(&saved.one("s", STORM, "", 1));
    same::<SoakResult>(&saved.one("k", SOAK, "", 1));
    same::<FieldsReport>(&saved.one("f", FIELDS, TWO_CPUS, 1));
}

/// What is measured, a change of its result, and what is said of it.
type Edit = (&'static str, fn(&mut Value), &'static str);

#[test]
fn damaged_results_are_refused() {
    needs_firmware!();
    let saved = Saved::new();
    let edits: [Edit; 17] = [
        (
            FIELDS,
            |v| v["table"][3]["landed"] = serde_json::json!([9, 0]),
            "table[3].landed: 9 landed and",
        ),
        (
            FIELDS,
            |v| v["table"][0]["landed"] = serde_json::json!([0, 0, 0]),
            "table[0].landed: 3 entries for 2 CPUs",
        ),
        (
            LATENCY,
            |v| v["pairs"][1]["landed"][1] = 65.into(),
            "pairs[1].landed: 65 landed and 0 lost of 64 fired",
        ),
        (
            LATENCY,
            |v| v["pairs"][0]["landed"] = serde_json::json!([64]),
            "pairs[0].landed: 1 entries for 6 CPUs",
        ),
        (
            LATENCY,
            |v| v["pairs"][0]["late"] = 1.into(),
            "pairs[0].late: 1 of 0 lost",
        ),
        (
            LATENCY,
            |v| v["pairs"][0]["entry_ns"]["p50"] = 1.into(),
            "percentiles out of order",
        ),
        (
            LATENCY,
            |v| v["counter"]["step_ns"] = "1".into(),
            "it is damaged at",
        ),
        (
            LATENCY,
            |v| {
                v.as_object_mut().expect("an object").remove("pairs");
            },
            "missing field `pairs`",
        ),
        (
            HANDOFF,
            |v| v["rows"][2]["lost"] = 65.into(),
            "rows[2].lost: 65 of 64 fired",
        ),
        (
            HANDOFF,
            |v| v["rows"][0]["served"] = serde_json::json!([0, 0, 0, 0, 0, 0, 64]),
            "rows[0].served: 7 entries for 6 CPUs",
        ),
        (
            HANDOFF,
            |v| v["sums"][0]["load"] = "heavy".into(),
            "sums[0].load: \"heavy\"; allowed are idle, spin and memory",
        ),
        (
            STORM,
            |v| v["rows"][0]["received"] = u64::MAX.into(),
            "rows[0].received: 18446744073709551615 received",
        ),
        (
            STORM,
            |v| v["rows"][1]["m_sent"]["mean"] = serde_json::json!(-1.0),
            "rows[1].m_sent: min",
        ),
        (
            SOAK,
            |v| v["totals"]["lost"] = 1.into(),
            "totals.landed: 4000 landed and 1 lost of 4000 fired",
        ),
        (
            SOAK,
            |v| v["totals"]["busy_ppm"] = serde_json::json!([]),
            "totals.busy_ppm: 0 entries for 6 CPUs",
        ),
        (
            SOAK,
            |v| v["over_intervals"]["rate_per_s"]["p95"] = 1.into(),
            "over_intervals: Rate: min",
        ),
        (
            SOAK,
            |v| v["schema"] = "aicprobe.soak/2".into(),
            "it holds \"aicprobe.soak/2\"; allowed are",
        ),
    ];
    let kept = saved.path("kept.json");
    std::fs::write(&kept, "what was there").expect("a file of the test");
    let kept_name = kept.display().to_string();
    for command in [LATENCY, HANDOFF, STORM, SOAK, FIELDS] {
        let changes = if command == FIELDS { TWO_CPUS } else { "" };
        let good = saved.one("good", command, changes, 1);
        for (of, change, says) in &edits {
            if *of != command {
                continue;
            }
            let bad = saved.edit(&good, "bad.json", change);
            let (code, said) = refused(&[&good, &bad, "-o", &kept_name]);
            assert_eq!(code, Some(2), "{said}");
            assert!(
                said.starts_with(&format!("aicprobe: side B: {bad}: ")),
                "{said}"
            );
            assert!(said.contains(says), "{said}, not {says}");
        }
    }
    assert_eq!(
        std::fs::read_to_string(&kept).expect("a file of the test"),
        "what was there"
    );
}
