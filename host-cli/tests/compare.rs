//! `aicprobe compare`: known differences are found, equal sides are not told apart, and what is no result is refused.

mod common;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use common::{aicprobe, stderr, stdout, variant};
use host_cli::compare::{Comparable as _, Run, Settings, compare};
use host_cli::firmware::Firmware;
use host_cli::link::VirtualLink;
use host_cli::plan::Request;
use host_cli::proxy::Proxy;
use host_cli::result::{Mark, RouteResult};
use host_cli::route::{Setting, make_plan, measure};
use host_cli::session::Silent;
use host_cli::target::Target;
use serde_json::Value;
use tempfile::TempDir;
use virtual_soc::{SocModel, VirtualTarget};

/// One cell, so that a run takes a tenth of a second.
const CELL: [&str; 4] = ["--fire-cpu", "0", "--triggers", "32"];

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder of the test")
}

/// A model file with changes of the T8140.
fn model(dir: &Path, name: &str, changes: &str) -> String {
    let path = dir.join(format!("{name}.toml"));
    let text = format!("extends = \"t8140\"\nname = \"{name}\"\ntitle = \"changed\"\n{changes}\n");
    std::fs::write(&path, text).expect("a file of the test");
    format!("vm:{}", path.display())
}

fn odd(name: &str) -> String {
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../virtual-soc/models/odd");
    format!("vm:{models}/{name}.toml")
}

/// Exit code and report.
fn compared(a: &str, b: &str, more: &[&str]) -> (Option<i32>, Value) {
    let mut args = vec!["compare", "-q", a, b, "--format", "json"];
    args.extend(more);
    let run = aicprobe(&args);
    let report = serde_json::from_str(&stdout(&run));
    (
        run.status.code(),
        report.unwrap_or_else(|e| panic!("{e}: {}", stderr(&run))),
    )
}

fn live(a: &str, b: &str) -> (Option<i32>, Value) {
    let mut more = CELL.to_vec();
    more.push("--fail-on-difference");
    compared(a, b, &more)
}

/// A refusal: its exit code and the one line that says why.
fn refused(args: &[&str]) -> (Option<i32>, String) {
    let mut all = vec!["compare", "-q"];
    all.extend(args);
    let run = aicprobe(&all);
    assert_eq!(stdout(&run), "", "{args:?}");
    let said = stderr(&run);
    assert_eq!(common::remarks(&said), 1, "{args:?}: {said}");
    (run.status.code(), said)
}

/// The row of a number over all cells.
fn over_all<'v>(report: &'v Value, name: &str) -> &'v Value {
    let rows = report["metrics"].as_array().expect("rows");
    let row = rows
        .iter()
        .find(|r| r["cell"].is_null() && r["metric"] == name);
    row.unwrap_or_else(|| panic!("no {name}: {report}"))
}

fn states(report: &Value) -> Vec<(String, String, bool)> {
    let rows = report["states"].as_array().expect("rows").iter();
    let text = |v: &Value| v.as_str().expect("text").to_owned();
    rows.map(|r| {
        (
            text(&r["only_in"]),
            text(&r["state"]),
            r["beyond_chance"] == true,
        )
    })
    .collect()
}

#[test]
fn a_longer_delivery_is_found() {
    needs_firmware!();
    let dir = folder();
    let slow = model(dir.path(), "slow", "[siq]\ndelivery_ns = 1500");
    let (code, report) = live("vm:t8140", &slow);
    assert_eq!(code, Some(5));
    assert_eq!(report["schema"], "aicprobe.compare/1");
    for name in ["p50_ns", "p95_ns", "p99_ns", "max_ns"] {
        let row = over_all(&report, name);
        assert_eq!(
            (&row["verdict"], &row["stands"]),
            (&"B higher".into(), &true.into()),
            "{row}"
        );
        let between = |end: &str| row[end].as_f64().expect("an interval");
        // 1,400 ns more, give or take a turn of the CPUs and a tick.
        assert!(between("low") > 1200.0 && between("high") < 1600.0, "{row}");
    }
    assert_eq!(over_all(&report, "miss_rate")["verdict"], "same");
    assert_eq!(states(&report), []);
    // The other way round all signs are turned.
    let (code, turned) = live(&slow, "vm:t8140");
    assert_eq!(code, Some(5));
    let row = over_all(&turned, "p50_ns");
    assert_eq!(row["verdict"], "A higher");
    assert!(row["high"].as_f64().is_some_and(|x| x < -1200.0), "{row}");
}

#[test]
fn another_preferred_cpu_is_a_state_of_one_side() {
    needs_firmware!();
    let dir = folder();
    let classes = "classes = [\"fallback\", \"preferred\", \"never\", \"normal\"]";
    let other = model(dir.path(), "other", &format!("[siq]\n{classes}"));
    let (code, report) = live("vm:t8140", &other);
    assert_eq!(code, Some(5));
    let lands = |side: &str, cpu: u8| (side.to_owned(), format!("lands on CPU {cpu}"), true);
    assert_eq!(states(&report), [lands("A", 0), lands("B", 1)]);
    let s = &report["summary"];
    assert_eq!(
        (&s["states_only_in_a"], &s["states_only_in_b"]),
        (&1.into(), &1.into())
    );
    assert_eq!(over_all(&report, "landed_1")["verdict"], "B higher");
    // 0 of 96: Clopper-Pearson, 1 - 0.05^(1/96).
    assert_eq!(report["states"][0]["never_upper_95"], 0.0307237);
    let (_, turned) = live(&other, "vm:t8140");
    assert_eq!(states(&turned), [lands("B", 0), lands("A", 1)]);
}

#[test]
fn swapped_cpus_and_lost_interrupts_are_found() {
    needs_firmware!();
    let (code, report) = live("vm:t8140", &odd("swapped"));
    let found = states(&report);
    assert_eq!(code, Some(5), "{found:?}");
    assert_eq!(found[0], ("A".into(), "lands on CPU 0".into(), true));
    assert!(
        found[1..]
            .iter()
            .any(|s| s.0 == "B" && s.1.starts_with("lands on CPU")),
        "{found:?}"
    );
    // Two of 32 in each run: enough triggers to exclude chance.
    let more = [
        "--fire-cpu",
        "0",
        "--triggers",
        "96",
        "--fail-on-difference",
    ];
    let (code, report) = compared("vm:t8140", &odd("loses-one"), &more);
    assert_eq!(code, Some(5));
    assert_eq!(over_all(&report, "miss_rate")["verdict"], "B higher");
    assert_eq!(states(&report), [("B".into(), "lost".into(), true)]);
    let (code, report) = live("vm:t8140", &odd("delivers-twice"));
    assert_eq!(code, Some(5));
    assert_eq!(over_all(&report, "duplicates")["verdict"], "B higher");
}

#[test]
fn two_settings_of_one_target() {
    needs_firmware!();
    let more = [
        "--fire-cpu",
        "0",
        "--fire-cpu",
        "3",
        "--b",
        "--set-field 1=1",
    ];
    let (code, report) = compared("vm:t8140", "vm:t8140", &more);
    assert_eq!(code, Some(0));
    assert_eq!(report["ignored"], serde_json::json!(["fields"]));
    assert_eq!(report["summary"]["cells"], 2);
    assert_eq!(over_all(&report, "landed_1")["verdict"], "B higher");
    let c = &report["conditions"][0];
    assert_eq!(
        (&c["name"], &c["a"], &c["b"]),
        (&"fields".into(), &"as found".into(), &"1=1".into())
    );
    // One side names cells, the other none: both fire from every CPU.
    let (_, report) = compared(
        "vm:t8140",
        "vm:t8140",
        &["--triggers", "4", "--b", "--mask 0:1"],
    );
    assert_eq!(report["summary"]["cells"], 6);
    assert_eq!(report["unpaired"], serde_json::json!([]));
    // A side's own seed is that of its first run; side B begins where A ends.
    let (_, report) = compared(
        "vm:t8140",
        "vm:t8140",
        &["--fire-cpu", "0", "--alternate", "2", "--a", "--seed 7"],
    );
    let seeds = |side: &str| [0, 1].map(|i| report[side]["runs"][i]["seed"].as_u64());
    assert_eq!(
        (seeds("a"), seeds("b")),
        ([Some(7), Some(8)], [Some(9), Some(10)])
    );
}

#[test]
fn cells_of_one_side_are_listed() {
    needs_firmware!();
    let more = [
        "--a",
        "--fire-cpu 0 --fire-cpu 1",
        "--b",
        "--fire-cpu 1 --fire-cpu 2",
        "--alternate",
        "2",
    ];
    let (_, report) = compared("vm:t8140", "vm:t8140", &more);
    let only: Vec<_> = report["unpaired"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|o| (o["only_in"].as_str(), o["cell"]["fire_cpu"].as_str()))
        .collect();
    assert_eq!(only, [(Some("A"), Some("0")), (Some("B"), Some("2"))]);
    assert_eq!(report["summary"]["cells"], 1);
    // Each target has its own spare line, and no line was asked for.
    let (_, report) = compared(
        "vm:t8140",
        "vm:t8112",
        &["--fire-cpu", "0", "--alternate", "2"],
    );
    assert_eq!(
        (&report["summary"]["cells"], &report["ignored"][0]),
        (&1.into(), &"line".into())
    );
}

/// Runs of a model, in as many threads as there are CPUs.
fn runs(model: &SocModel, seeds: std::ops::Range<u64>, request: &Request) -> Vec<RouteResult> {
    let firmware = Firmware::load(None).expect("an image");
    let next = Mutex::new(seeds.clone());
    let made = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some(seed) = next.lock().expect("no thread panicked").next() else {
                        return;
                    };
                    let target = VirtualTarget::from_model(model, seed).expect("a usable model");
                    let mut link = VirtualLink::new(target);
                    let mut proxy = Proxy::connect(&mut link).expect("the loader answers");
                    let target = Target::discover(&mut proxy).expect("a usable target");
                    let plan = make_plan(&mut proxy, &target, request).expect("a plan");
                    let setting = Setting {
                        target_name: "vm:test".to_owned(),
                        seed,
                        marks: vec![Mark::model_only("a test")],
                        slice_ns: Some(100.0),
                        looked: host_cli::target::Looked::default(),
                    };
                    let measured =
                        measure(&mut proxy, &target, &firmware, &plan, &setting, &mut Silent);
                    let (_, result) = measured.expect("the session starts");
                    made.lock()
                        .expect("no thread panicked")
                        .push(result.expect("a result"));
                }
            });
        }
    });
    let mut made = made.into_inner().expect("no thread panicked");
    made.sort_by_key(|r| r.seed);
    assert_eq!(made.len() as u64, seeds.end - seeds.start);
    made
}

/// 50 comparisons of a machine with itself, whose latencies and landings vary from trigger to trigger.
#[test]
fn equal_sides_are_not_called_different() {
    needs_firmware!();
    let model = variant("[siq]\nchoice = \"random\"\njitter_ns = 3000");
    let request = Request {
        fire_cpus: vec![0],
        set_fields: vec![(1, 0), (2, 0)],
        ..Request::default()
    };
    let runs: Vec<Run> = runs(&model, 1..301, &request)
        .iter()
        .map(|r| r.to_run(&format!("seed {}", r.seed)).expect("a run"))
        .collect();
    let settings = Settings {
        margin_percent: 0.0,
        ignored: Vec::new(),
    };
    let names = ["p50_ns", "p95_ns", "max_ns", "landed_0", "landed_1"];
    let (mut wrong, mut called, mut trials) = ([0; 5], 0, 0);
    for six in runs.chunks(6) {
        // In turns, as they are measured.
        let side = |odd: usize| six.iter().skip(odd).step_by(2).cloned().collect::<Vec<_>>();
        let result = compare(("A", &side(0)), ("B", &side(1)), &settings).expect("a comparison");
        called += u32::from(result.summary.standing > 0);
        assert_eq!(
            result.summary.states_beyond_chance, 0,
            "{:?}",
            result.states
        );
        trials += 1;
        for (name, wrong) in names.iter().zip(&mut wrong) {
            let row = result
                .metrics
                .iter()
                .find(|m| m.cell.is_some() && m.metric == *name);
            let row = row.unwrap_or_else(|| panic!("no {name}"));
            *wrong += u32::from(row.verdict.is_difference());
        }
    }
    // At 95 % each is wrong in 2.5 of 50 comparisons; more than 8 has a probability of 0.05 %.
    assert_eq!(trials, 50);
    assert!(wrong.iter().all(|n| *n <= 8), "{wrong:?}");
    // And so is what all numbers together say.
    assert!(called <= 8, "{called}");
    // And the runs do vary, or nothing was tested.
    let medians: std::collections::BTreeSet<u64> = runs
        .iter()
        .flat_map(|r| &r.samples[0].metrics)
        .filter(|m| m.name == "p50_ns")
        .map(|m| m.measure.value() as u64)
        .collect();
    assert!(medians.len() > 5, "{medians:?}");
}

/// A saved result of a route.
fn save(dir: &Path, name: &str, target: &str, seed: u64) -> PathBuf {
    let path = dir.join(name);
    let (text, seed) = (path.display().to_string(), seed.to_string());
    let mut args = vec!["route", "-q", "--target", target, "--seed", &seed];
    args.extend(CELL);
    args.extend(["--format", "json", "-o", &text]);
    let run = aicprobe(&args);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    path
}

fn list(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    names.join(",")
}

fn edit(path: &Path, change: impl FnOnce(&mut Value)) -> PathBuf {
    let text = std::fs::read_to_string(path).expect("a file of the test");
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    change(&mut value);
    let name = path.file_stem().and_then(|n| n.to_str()).expect("a name");
    let edited = path.with_file_name(format!("{name}-edited.json"));
    std::fs::write(&edited, value.to_string()).expect("a file of the test");
    edited
}

#[test]
fn saved_runs_say_what_the_same_runs_said_live() {
    needs_firmware!();
    let dir = folder();
    let jitter = model(dir.path(), "jitter", "[siq]\njitter_ns = 900");
    let kept = dir.path().join("kept");
    let kept_name = kept.display().to_string();
    let mut more = CELL.to_vec();
    more.extend(["--keep", &kept_name]);
    let (_, live) = compared("vm:t8140", &jitter, &more);
    let a: Vec<PathBuf> = (1..=3)
        .map(|s| save(dir.path(), &format!("a{s}.json"), "vm:t8140", s))
        .collect();
    let b: Vec<PathBuf> = (4..=6)
        .map(|s| save(dir.path(), &format!("b{s}.json"), &jitter, s))
        .collect();
    let kept = |side: &str| {
        (1..=3)
            .map(|n| kept.join(format!("{side}-{n}.json")))
            .collect::<Vec<_>>()
    };
    for (a, b) in [(a.clone(), b.clone()), (kept("a"), kept("b"))] {
        let (code, offline) = compared(&list(&a), &list(&b), &[]);
        assert_eq!(code, Some(0));
        for part in [
            "metrics",
            "states",
            "unpaired",
            "conditions",
            "summary",
            "of",
            "ignored",
            "notes",
        ] {
            assert_eq!(offline[part], live[part], "{part}");
        }
    }
    // One side saved, the other measured.
    let (_, mixed) = compared(
        &list(&a),
        &jitter,
        &[&CELL[..], &["--b", "--seed 4"]].concat(),
    );
    assert_eq!(mixed["metrics"], live["metrics"]);

    // One run a side decides nothing, however far apart.
    let slow = model(dir.path(), "slow", "[siq]\ndelivery_ns = 9000");
    let one = save(dir.path(), "slow.json", &slow, 9);
    let one = std::slice::from_ref(&one);
    for (a, b) in [(&a[..1], one), (&a[..], one)] {
        let (code, report) = compared(&list(a), &list(b), &["--fail-on-difference"]);
        assert_eq!(code, Some(6));
        let rows = report["metrics"].as_array().expect("rows");
        assert!(
            rows.len() > 8
                && rows
                    .iter()
                    .all(|r| r["verdict"] == "cannot tell" && r["low"].is_null()),
            "{report}"
        );
        assert!(
            report["notes"].to_string().contains("one run a side"),
            "{report}"
        );
    }
}

#[test]
fn model_against_silicon() {
    needs_firmware!();
    let dir = folder();
    // What a machine would have saved.
    let silicon: Vec<PathBuf> = (1..=2)
        .map(|s| {
            let path = save(dir.path(), &format!("m{s}.json"), "vm:t8140", s);
            edit(&path, |v| v["marks"] = Value::Array(Vec::new()))
        })
        .collect();
    let other = model(
        dir.path(),
        "other",
        "[siq]\nclasses = [\"fallback\", \"preferred\", \"never\", \"normal\"]",
    );
    let mut more = CELL.to_vec();
    more.extend(["--alternate", "2"]);
    let (_, report) = compared(&list(&silicon), &other, &more);
    assert_eq!(report["a"]["model"], Value::Null);
    assert!(report["b"]["model"].is_string());
    let says = |i: usize| report["states"][i]["says"].as_str().expect("text");
    assert_eq!(
        says(0),
        "the model is wrong or incomplete (rate below 4.573 % there)"
    );
    assert_eq!(says(1), "not seen on silicon (rate below 4.573 %)");
    // Every line of the tables that names the model's side says what it is.
    let silicon_list = list(&silicon);
    let mut args = vec!["compare", "-q", &silicon_list, &other];
    args.extend(&more);
    let table = stdout(&aicprobe(&args));
    assert!(
        table.contains("MODEL ONLY, side B") && table.contains("only in B (model): 1"),
        "{table}"
    );
    assert!(
        !table.contains("B higher") && table.contains("B (model) higher"),
        "{table}"
    );
    // A side of both kinds is none.
    let mixed = format!("{silicon_list},{}", dir.path().join("m1.json").display());
    let (code, said) = refused(&[&mixed, "vm:t8140"]);
    assert!(
        code == Some(2) && said.contains("side A: one of") && said.contains("m1.json is a model's"),
        "{said}"
    );
}

/// A name, a change of a good file, and what is said of it.
type Edit = (&'static str, fn(&mut Value), &'static str);

#[test]
fn what_cannot_be_compared_is_refused() {
    needs_firmware!();
    let dir = folder();
    let good = save(dir.path(), "good.json", "vm:t8140", 1);
    let text = std::fs::read_to_string(&good).expect("a file of the test");
    let good_name = good.display().to_string();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).expect("a file of the test");
        path
    };
    let edits: [Edit; 9] = [
        (
            "fall",
            |v| v["cells"][0]["latency_ns"]["p95"] = 1.into(),
            "cells[0].latency_ns: latencies out of order: min",
        ),
        (
            "more",
            |v| v["cells"][0]["landed"][0] = 33.into(),
            "cells[0].landed: 33 landed and 0 lost of 32 fired",
        ),
        (
            "huge",
            |v| {
                v["cells"][0]["landed"][0] = u64::MAX.into();
                v["cells"][0]["landed"][1] = u64::MAX.into();
            },
            "cells[0].landed: 36893488147419103230 landed",
        ),
        (
            "late",
            |v| v["cells"][0]["late"] = 1.into(),
            "cells[0].late: 1 of 0 lost",
        ),
        (
            "cpus",
            |v| v["cells"][0]["landed"] = serde_json::json!([32]),
            "cells[0].landed: 1 entries for 6 CPUs",
        ),
        (
            "mask",
            |v| v["cells"][0]["masked_us"] = serde_json::json!([5]),
            "cells[0].masked_us: 1 windows of 0 CPUs",
        ),
        (
            "kind",
            |v| v["seed"] = "1".into(),
            "it is damaged at seed: invalid type: string \"1\"",
        ),
        (
            "next",
            |v| v["schema"] = "aicprobe.route/2".into(),
            "it holds \"aicprobe.route/2\"; allowed are aicprobe.route/1",
        ),
        (
            "none",
            |v| {
                v.as_object_mut().expect("an object").remove("cells");
            },
            "it is damaged at .: missing field `cells`",
        ),
    ];
    let mut cases: Vec<(PathBuf, String)> = Vec::new();
    for (name, change, says) in edits {
        let copy = write(&format!("{name}.json"), &text);
        cases.push((edit(&copy, change), says.to_owned()));
    }
    cases.push((
        write("cut.json", &text[..text.len() / 2]),
        "it is not one JSON value".into(),
    ));
    cases.push((
        write("other.json", "{\"schema\":\"aicprobe.adt/1\"}"),
        "it holds \"aicprobe.adt/1\"".into(),
    ));
    cases.push((
        write("foreign.json", "{\"name\":\"x\"}"),
        "no text field \"schema\"".into(),
    ));
    cases.push((dir.path().join("missing.json"), "No such file".into()));
    cases.push((
        dir.path().to_owned().join("folder.json"),
        "it is a folder".into(),
    ));
    std::fs::create_dir(dir.path().join("folder.json")).expect("a folder of the test");
    let kept = write("kept.json", "what was there");
    let kept_name = kept.display().to_string();
    for (path, says) in &cases {
        let name = path.display().to_string();
        let (code, said) = refused(&[&good_name, &name, "-o", &kept_name]);
        assert_eq!(code, Some(2), "{said}");
        assert!(
            said.starts_with(&format!("aicprobe: side B: {name}: ")),
            "{said}"
        );
        assert!(said.contains(says.as_str()), "{said}, not {says}");
    }
    assert_eq!(
        std::fs::read_to_string(&kept).expect("a file of the test"),
        "what was there"
    );
    // A copy is no second run, whatever it is called.
    let copy = write("copy.json", &text);
    for twice in [
        list(&[good.clone(), good.clone()]),
        list(&[good.clone(), copy]),
    ] {
        let (code, said) = refused(&[&twice, &good_name]);
        assert!(
            code == Some(2) && said.contains("hold the same run"),
            "{said}"
        );
    }
    // Runs of two machines are no side.
    let foreign = save(dir.path(), "t8112.json", "vm:t8112", 1);
    let (code, said) = refused(&[&good_name, &list(&[good.clone(), foreign.clone()])]);
    assert!(
        code == Some(2) && said.contains("side B") && said.contains("T8112"),
        "{said}"
    );
    // Nothing in common: said, and nothing decided.
    let (code, report) = compared(
        &good_name,
        &foreign.display().to_string(),
        &["--fail-on-difference"],
    );
    assert_eq!((code, &report["summary"]["cells"]), (Some(6), &0.into()));
    assert!(
        report["notes"][0]
            .as_str()
            .is_some_and(|n| n.contains("they differ in line")),
        "{report}"
    );
    let (_, report) = compared(
        &good_name,
        &foreign.display().to_string(),
        &["--ignore", "line"],
    );
    assert_eq!(report["summary"]["cells"], 1);
}

#[test]
fn requests_that_make_no_sense() {
    let dir = folder();
    let file = dir.path().join("x.json");
    std::fs::write(&file, "{}").expect("a file of the test");
    let x = file.display().to_string();
    for (args, says) in [
        (
            vec![x.as_str(), &x, "--triggers", "5"],
            "both sides are saved results",
        ),
        (
            vec![&x, "vm:t8140", "--a", "--seed 3"],
            "--a: that side is a saved result",
        ),
        (
            vec!["vm:t8140", "vm:t8140", "--b", "--nonsense"],
            "--b '--nonsense': unexpected argument",
        ),
        (
            vec!["vm:t8140", "vm:t8140", "--b", "--set-field 1=7"],
            "field value 7 does not exist",
        ),
        (
            vec!["vm:t8140", "vm:t8140", "--b", "'"],
            "a quote in it does not end",
        ),
    ] {
        let (code, said) = refused(&args);
        assert_eq!(code, Some(2), "{args:?}: {said}");
        assert!(said.contains(says), "{args:?}: {said}");
    }
    for args in [
        &["vm:t8140"][..],
        &["vm:t8140", "vm:t8140", "--margin", "-1"],
        &["vm:t8140", "vm:t8140", "--margin", "nan"],
        &["vm:t8140", "vm:t8140", "--alternate", "0"],
        &["vm:t8140", "vm:t8140", "--ignore", "colour"],
    ] {
        let run = aicprobe(&[&["compare"], args].concat());
        assert_eq!(run.status.code(), Some(2), "{args:?}");
    }
    needs_firmware!();
    let (code, said) = refused(&["vm:t8140", "vm:nobody"]);
    assert!(
        code == Some(3) && said.starts_with("aicprobe: side B: "),
        "{said}"
    );
    let (code, said) = refused(&["vm:t8140", "vm:t8140", "--b", "--fire-cpu 9"]);
    assert!(
        code == Some(2) && said.contains("side B: --fire-cpu 9"),
        "{said}"
    );
    // Cells that are one without what is compared.
    let twice = [
        "vm:t8140",
        "vm:t8140",
        "--alternate",
        "2",
        "--fire-cpu",
        "0",
        "--ignore",
        "line",
    ];
    let (code, said) = refused(&[&twice[..], &["--line", "131", "--line", "132"]].concat());
    assert!(
        code == Some(2) && said.contains("the same when pairing ignores line"),
        "{said}"
    );
}

#[test]
fn a_run_that_fails_ends_the_turns() {
    needs_firmware!();
    let fault = odd("silent");
    let run = aicprobe(&["compare", "-q", "vm:t8140", &fault, "--fire-cpu", "0"]);
    assert_eq!(run.status.code(), Some(4), "{}", stderr(&run));
    assert!(stderr(&run).contains("side B"), "{}", stderr(&run));
    assert_eq!(stdout(&run), "");
}

/// Starts a comparison, and stops it once `seen` is on standard error; exit code, what it printed, what it said.
#[cfg(unix)]
fn stopped(args: &[&str], seen: &str) -> (Option<i32>, String, String) {
    use std::io::{BufRead as _, BufReader, Read as _};
    let child = common::program()
        .args(["compare", "vm:t8140", "vm:t8140", "--fire-cpu", "0"])
        .args(["--format", "json"])
        .args(args)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn();
    let mut child = child.expect("the program starts");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut said = String::new();
    while !said.contains(seen) {
        let read = lines.read_line(&mut said).expect("text");
        assert!(read > 0, "it ended by itself: {said}");
    }
    let id = rustix::process::Pid::from_raw(child.id() as i32).expect("a process");
    rustix::process::kill_process(id, rustix::process::Signal::INT).expect("it is told");
    lines.read_to_string(&mut said).expect("text");
    let output = child.wait_with_output().expect("it ends");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), printed, said)
}

#[cfg(unix)]
#[test]
fn what_is_complete_when_it_is_stopped_is_compared() {
    needs_firmware!();
    // In side B's third run: two pairs are complete, and a third run of A that has no other.
    let args = ["--alternate", "1000", "--triggers", "2000"];
    let (code, printed, said) = stopped(&args, "side B, run 3 of 1000");
    assert_eq!(code, Some(130), "{said}");
    let report: Value = serde_json::from_str(&printed).expect("a result");
    assert_eq!(report["complete"], false);
    let runs = |side: &str| report[side]["runs"].as_array().expect("runs").len();
    assert_eq!(runs("a"), runs("b"));
    // The stop may come when that run is over.
    assert!((2..=4).contains(&runs("a")), "{}", runs("a"));
    assert!(
        report["a"]["runs"]
            .to_string()
            .contains("\"complete\":true")
    );
    assert!(
        !report["a"]["runs"]
            .to_string()
            .contains("\"complete\":false")
    );
    assert!(
        said.contains("complete runs of each side")
            && report["notes"].to_string().contains("interrupted in side"),
        "{said}"
    );
    // Before there is a pair there is nothing, and that is said.
    let args = ["--alternate", "2", "--triggers", "10000000"];
    let (code, printed, said) = stopped(&args, "measuring");
    assert_eq!((code, printed.as_str()), (Some(130), ""), "{said}");
    assert!(said.contains("there is nothing to compare"), "{said}");
}

#[test]
fn five_forms() {
    needs_firmware!();
    let dir = folder();
    let a = save(dir.path(), "a.json", "vm:t8140", 1)
        .display()
        .to_string();
    let b = save(dir.path(), "b.json", "vm:t8140", 2)
        .display()
        .to_string();
    let form = |name: &str| {
        let run = aicprobe(&["compare", "-q", &a, &b, "--format", name]);
        assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
        stdout(&run)
    };
    let json: Value = serde_json::from_str(&form("json")).expect("JSON");
    let rows = json["metrics"].as_array().expect("rows").len();
    let lines = form("jsonl");
    let of = |name: &str| {
        lines
            .lines()
            .filter(|l| l.starts_with(&format!("{{\"{name}\"")))
            .count()
    };
    assert_eq!((of("run"), of("metrics")), (1, rows));
    let csv = form("csv");
    let records = csv::Reader::from_reader(csv.as_bytes())
        .into_records()
        .collect::<Result<Vec<_>, _>>();
    assert_eq!(records.expect("CSV").len(), rows);
    assert!(form("markdown").contains("cannot tell"));
    assert!(form("table").contains("states only in A (model): 0, only in B (model): 0"));
}
