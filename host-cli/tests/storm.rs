//! Storms of IPIs, and whether FIQs come, on virtual SoCs: the program's counts against those of the machine.

mod common;

use common::{aicprobe, run_plan, stderr, stdout, t8140};
use host_cli::plan::{Plan, Question};
use host_cli::proxy::Op;
use host_cli::result::CpuState;
use host_cli::session::{Reply, Silent};
use host_cli::storm::{self, Accounting, Options, Pace, Shape, Target, Way};
use host_cli::target::CpuFacts;
use protocol::command::FiqCell;
use protocol::message::{FiqResult, Refusal, StormResult};
use serde_json::Value;
use virtual_soc::SocModel;

fn model(name: &str) -> SocModel {
    SocModel::builtin(name).expect("built in")
}

fn odd(name: &str) -> String {
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../virtual-soc/models/odd");
    format!("vm:{models}/{name}.toml")
}

/// The plan for CPUs that all run.
fn plan(
    cpus: &[CpuFacts],
    mmio: bool,
    options: &Options,
) -> Result<(Vec<Shape>, Plan), host_cli::Error> {
    storm::plan(cpus, &vec![CpuState::Running; cpus.len()], mmio, options)
}

/// Everything that fits, briefly.
fn options() -> Options {
    Options {
        us: 60,
        repeat: 1,
        patterns: Vec::new(),
        ways: Vec::new(),
        paces: Vec::new(),
        accountings: Vec::new(),
        cpus: None,
    }
}

/// Storms with their counts, and the machine's own.
type Books = (Vec<(Shape, StormResult)>, [(u64, u64); 2]);

/// Runs storms; shapes with their counts, and the machine's own: IPIs sent and merged, fast ones and those of AICv1.
fn storms(model: &SocModel, options: &Options) -> Books {
    let v1 = model.aic.generation == 1;
    let mut shapes = Vec::new();
    let run = run_plan(
        model,
        |_, target| {
            let (planned, plan) = plan(&target.cpus, v1, options).expect("a plan");
            shapes = planned;
            plan
        },
        &mut Silent,
    );
    assert!(run.outcome.failure.is_none(), "{:?}", run.outcome.failure);
    assert!(run.outcome.restoring.is_restored());
    run.assert_as_found();
    let results: Vec<StormResult> = run
        .outcome
        .answers
        .replies
        .iter()
        .map(|reply| match reply {
            Reply::Storm(result) => (**result).clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(results.len(), shapes.len());
    let stats = run.target.stats();
    let counts = [
        (stats.ipis, stats.ipis_merged),
        (stats.aic_ipis, stats.aic_ipis_merged),
    ];
    (shapes.into_iter().zip(results).collect(), counts)
}

fn sum(counts: &[u32]) -> u64 {
    counts.iter().map(|n| u64::from(*n)).sum()
}

/// Every merge that the machine made is one that the firmware concluded, and the other way round; each storm on its own adds up.
#[track_caller]
fn the_books_are_those_of_the_machine(name: &str) {
    let (storms, machine) = storms(&model(name), &options());
    let mut told = [(0, 0); 2];
    for (shape, r) in &storms {
        assert_eq!(
            (r.refusal, r.trapped, r.missed),
            (None, None, 0),
            "{shape:?}"
        );
        let (sent, received) = (sum(&r.sent), sum(&r.received));
        assert_eq!(sum(&r.sent_to), sent, "{shape:?}");
        assert!(sent > 20, "{shape:?}: {r:?}");
        if shape.accounting == Accounting::Shared {
            assert_eq!(u64::from(r.counted), received, "{shape:?}");
        } else {
            assert_eq!(r.counted, 0);
        }
        if shape.pace == Pace::Paced && shape.is_alone(shape.cpus.len()) {
            assert_eq!(r.received, r.sent_to, "{shape:?}");
        }
        let of = &mut told[usize::from(shape.way == Way::Mmio)];
        of.0 += sent;
        of.1 += sent - received;
    }
    assert_eq!(told, machine);
    assert!(told[0].1 > 0, "something merged");
}

#[test]
fn the_books_balance_on_t8140() {
    needs_firmware!();
    the_books_are_those_of_the_machine("t8140");
}

#[test]
fn the_books_balance_on_aicv2() {
    needs_firmware!();
    the_books_are_those_of_the_machine("t6020");
}

#[test]
fn the_books_balance_on_aicv1_by_its_own_ipis_too() {
    needs_firmware!();
    the_books_are_those_of_the_machine("t8103");
}

#[test]
fn the_books_balance_on_two_dies() {
    needs_firmware!();
    the_books_are_those_of_the_machine("t6022");
}

#[test]
fn pairs_scale_with_the_cpus_and_one_target_does_not() {
    needs_firmware!();
    let wanted = Options {
        us: 200,
        ways: vec![Way::Global],
        accountings: vec![Accounting::PerCpu],
        ..options()
    };
    let (storms, _) = storms(&model("t6022"), &wanted);
    let sizes: Vec<usize> = storms[..7].iter().map(|(s, _)| s.cpus.len()).collect();
    assert_eq!(sizes, [2, 4, 8, 12, 16, 20, 24]);
    let of = |pattern, pace| {
        let mine = storms
            .iter()
            .filter(move |(s, _)| (s.pattern, s.pace) == (pattern, pace));
        let rate = |r: &StormResult| sum(&r.received) as f64 / r.elapsed as f64;
        mine.map(|(s, r)| (s.cpus.len() as f64, rate(r)))
            .collect::<Vec<_>>()
    };
    for pace in [Pace::Flood, Pace::Paced] {
        let pairs = of(Target::Pairs, pace);
        for two in pairs.windows(2) {
            assert!(two[1].1 > two[0].1 * 1.1, "{pace:?}: {pairs:?}");
        }
        let (first, last) = (pairs[0], pairs[6]);
        let efficiency = last.1 / last.0 / (first.1 / first.0);
        assert!((0.8..1.05).contains(&efficiency), "{pace:?}: {efficiency}");
        // One CPU takes no more, however many send.
        let one = of(Target::One, pace);
        assert!(
            (one[6].1 / one[0].1 - 1.0).abs() < 0.05,
            "{pace:?}: {one:?}"
        );
    }
}

/// Runs the program; exit code, JSON, standard error.
fn run(args: &[&str]) -> (Option<i32>, Value, String) {
    let output = aicprobe(&[&["-q", "storm", "--format", "json"], args].concat());
    let json = serde_json::from_str(&stdout(&output)).unwrap_or(Value::Null);
    (output.status.code(), json, stderr(&output))
}

#[test]
fn a_result_comes_back_to_the_byte_and_in_every_form() {
    needs_firmware!();
    let args = ["--us", "60", "--repeat", "2", "--pattern", "all"];
    let form = |form| {
        let output = aicprobe(&[&["-q", "storm", "--format", form][..], &args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    let json = form("json");
    assert_eq!(json, form("json"));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["schema"], "aicprobe.storm/1");
    assert_eq!(
        (&json["restored"], &json["complete"]),
        (&true.into(), &true.into())
    );
    let rows = json["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 16);
    for row in rows {
        assert_eq!(row["runs"], 2);
        let n = |name: &str| row[name].as_u64().expect("a count");
        assert_eq!(n("sent"), n("received") + n("merged"), "{row}");
        assert_eq!((n("lost"), n("strayed"), n("missed")), (0, 0, 0));
        let least = row["cpus"].as_array().expect("CPUs").len() == 2;
        assert!(!least || row["efficiency"] == 1.0, "{row}");
        assert!(row["m_received"]["min"].as_f64() <= row["m_received"]["max"].as_f64());
    }
    assert_eq!(form("jsonl").lines().count(), 17);
    assert_eq!(form("csv").lines().count(), 17);
    assert!(form("markdown").contains("| pattern | via    | pace  | accounting |"));
    let table = form("table");
    assert!(
        table.contains("the books balance")
            && !table.contains("a flood")
            && table.contains("MODEL ONLY"),
        "{table}"
    );
}

#[test]
fn local_requests_across_clusters_reach_the_namesake_or_nobody() {
    needs_firmware!();
    let across = |cpus, pattern| {
        let args = [
            "--via",
            "local",
            "--pace",
            "paced",
            "--pattern",
            pattern,
            "--cpus",
            cpus,
        ];
        let (code, json, text) = run(&[&args[..], &["--us", "350", "--repeat", "1"]].concat());
        assert_eq!((code, text.as_str()), (Some(0), ""), "{json}");
        json["rows"][0].clone()
    };
    // CPU 0 is the first P core; core 0 of the E cluster is CPU 1: each reaches himself.
    let row = across("0,1", "pairs");
    assert!(
        row["note"].as_str().expect("a note").contains("namesake"),
        "{row}"
    );
    // CPU 4 is core 3 of the E cluster; the P cluster has two cores.
    let row = across("0,4", "one");
    let note = row["note"].as_str().expect("a note");
    assert!(note.contains("namesake") && note.contains("CPU 1"), "{row}");
    assert_eq!((&row["received"], &row["merged"]), (&0.into(), &0.into()));
    let by_cpu = row["by_cpu"].as_array().expect("CPUs");
    assert!(
        by_cpu
            .iter()
            .any(|c| c["cpu"] == 1 && c["received"].as_u64() > Some(0)),
        "{row}"
    );
    // To core 3 from the P cluster: nobody. (The lowest id is the target: CPU 0 sends in a pair.)
    let row = across("0,4", "all");
    let zero = row["by_cpu"]
        .as_array()
        .expect("CPUs")
        .iter()
        .find(|c| c["cpu"] == 4)
        .cloned();
    assert_eq!(zero.expect("CPU 4")["received"], 0, "{row}");
    assert!(row["missed"].as_u64() > Some(0), "{row}");
}

#[test]
fn a_machine_without_local_ipis_says_so() {
    needs_firmware!();
    let target = odd("ipi-no-local");
    let (code, json, text) = run(&[
        "--target",
        &target,
        "--us",
        "50",
        "--repeat",
        "1",
        "--pattern",
        "pairs",
    ]);
    assert_eq!((code, text.as_str()), (Some(0), ""));
    for row in json["rows"].as_array().expect("rows") {
        let note = row["note"].as_str().expect("a note");
        if row["via"] == "local" {
            assert_eq!(
                (&row["runs"], note),
                (
                    &0.into(),
                    "trapped: sending takes an exception, ESR 0x2000000"
                )
            );
            assert_eq!(row["trapped"], "0x2000000");
            assert_eq!(row["efficiency"], Value::Null);
        } else {
            assert_eq!((&row["runs"], note), (&1.into(), ""));
            assert_eq!(row["trapped"], Value::Null);
        }
    }
    assert!(json["marks"].to_string().contains("not measured"), "{json}");
    // Where every row traps nothing was measured, and that is no result.
    let args = ["--us", "50", "--repeat", "1", "--via", "local"];
    let (code, json, text) = run(&[&["--target", &target], &args[..]].concat());
    assert_eq!(code, Some(6), "{json}");
    assert!(
        text.contains("nothing was measured: sending takes an exception in every row"),
        "{text}"
    );
}

#[test]
fn a_lost_ipi_is_found_where_nothing_can_merge() {
    needs_firmware!();
    let target = odd("loses-ipi");
    let args = [
        "--target", &target, "--via", "global", "--us", "2000", "--repeat", "1",
    ];
    let (code, json, text) =
        run(&[&args[..], &["--pace", "paced", "--accounting", "per-cpu"]].concat());
    assert_eq!(code, Some(5), "{text}");
    assert!(text.contains("none of them can have merged"), "{text}");
    let violations = json["violations"].as_array().expect("violations");
    assert!(
        violations.iter().any(|v| v["rule"] == "alone-is-taken"),
        "{json}"
    );
    assert!(
        violations.iter().any(|v| v["rule"] == "taken-in-time"),
        "{json}"
    );
    let lost = |v: &Value| v["lost"].as_u64().expect("a count");
    let rows = json["rows"].as_array().expect("rows");
    let pairs = rows
        .iter()
        .find(|r| r["pattern"] == "pairs")
        .expect("pairs");
    let sent = pairs["sent"].as_u64().expect("a count");
    // Every 50th.
    assert!(
        lost(pairs) >= sent / 50 && lost(pairs) <= sent / 50 + 1,
        "{pairs}"
    );
    // A flood says nothing about it.
    let (code, json, text) =
        run(&[&args[..], &["--pace", "flood", "--accounting", "shared"]].concat());
    assert_eq!((code, text.as_str()), (Some(0), ""), "{json}");
    // Only where each was alone: with several senders a target they are among what may have merged, and it is said so.
    for row in rows {
        let cpus = row["cpus"].as_array().expect("CPUs").len();
        let alone = row["pattern"] == "pairs" || cpus == 2;
        assert_eq!(row["alone"], alone, "{row}");
        if !alone {
            assert_eq!(lost(row), 0, "{row}");
            assert!(row["merged"].as_u64() > Some(0), "{row}");
        }
    }
    let table = |args: &[&str]| {
        let brief = ["-q", "storm", "--target", &target, "--via", "global"];
        stdout(&aicprobe(&[&brief, args].concat()))
    };
    let said = table(&["--us", "2000", "--repeat", "1", "--pace", "paced"]);
    assert!(said.contains("merged holds lost ones too"), "{said}");
    let said = table(&["--us", "500", "--repeat", "1", "--pace", "flood"]);
    assert!(
        said.contains("global: merged is an upper bound: a request that was lost"),
        "{said}"
    );
    assert!(!said.contains("the books balance"), "{said}");
}

#[test]
fn nothing_is_compared_with_a_set_that_waited_in_vain() {
    needs_firmware!();
    let target = odd("loses-ipi");
    let args = ["--target", &target, "--via", "global", "--us", "2000"];
    let rest = [
        "--repeat",
        "1",
        "--pace",
        "paced",
        "--accounting",
        "per-cpu",
    ];
    let (_, json, _) = run(&[&args[..], &rest].concat());
    for row in json["rows"].as_array().expect("rows") {
        assert_eq!(row["efficiency"], Value::Null, "{row}");
    }
    let marks = json["marks"].to_string();
    assert!(
        marks.contains(
            "no efficiency for pairs, global, paced, per-cpu: the smallest set (2 CPUs) lost"
        ),
        "{marks}"
    );
}

#[test]
fn cpus_that_do_not_run_are_left_out() {
    needs_firmware!();
    let brief = [
        "--us",
        "50",
        "--repeat",
        "1",
        "--pattern",
        "all",
        "--via",
        "global",
    ];
    // Secondaries 2 and 5: of the boot CPU's cluster it alone is left, of the other one three.
    let target = odd("mmu-off");
    let (code, json, text) = run(&[&brief[..], &["--target", &target]].concat());
    assert_eq!((code, text.as_str()), (Some(0), ""));
    assert_eq!(json["complete"], true);
    for row in json["rows"].as_array().expect("rows") {
        assert_eq!(
            (&row["runs"], &row["cpus"]),
            (&1.into(), &serde_json::json!([0, 1, 3, 4]))
        );
    }
    assert!(
        json["marks"].to_string().contains("are in no storm: 2, 5"),
        "{json}"
    );
    let named = ["--target", &target, "--cpus", "0,5"];
    let (code, _, text) = run(&[&brief[..], &named].concat());
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("CPU 5 is no-mmu"), "{text}");
    // Nobody to send to.
    let target = odd("none-start");
    let (code, _, text) = run(&[&brief[..], &["--target", &target]].concat());
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("a storm takes two CPUs"), "{text}");
}

#[test]
fn bad_input_is_one_clear_error_and_changes_nothing() {
    let refused = |args: &[&str], what: &str| {
        let output = aicprobe(&[&["-q", "storm"], args].concat());
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(
            text.contains(what) && stdout(&output).is_empty(),
            "{args:?}: {text}"
        );
    };
    refused(&["--us", "0"], "0 is not in 1..=50000");
    refused(&["--us", "50001"], "50001 is not in 1..=50000");
    refused(&["--repeat", "0"], "0 is not in 1..=1000");
    refused(&["--pattern", "ring"], "possible values: one, all, pairs");
    refused(&["--via", "bus"], "possible values: local, global, mmio");
    refused(&["--cpus", "0x3"], "not a mask");
    refused(&["--via", "global,global"], "--via names global twice");
    refused(&["--pace", "paced,flood,paced"], "names paced twice");
    refused(&["--accounting", "shared,shared"], "names shared twice");
    refused(&["--pattern", "one,one"], "--pattern names one twice");
    if host_cli::firmware::Firmware::is_built_in() {
        refused(&["--cpus", "0,6"], "there is no CPU 6, allowed are 0 to 5");
        refused(&["--cpus", "3"], "two CPUs or more");
        refused(&["--cpus", "3,3"], "names CPU 3 twice");
        refused(&["--via", "mmio"], "only AICv1 has IPI_SEND");
    }
}

/// Asks whether FIQs come to each of `cells`.
fn fiqs(model: &SocModel, cells: Vec<(u8, u8)>) -> Vec<FiqResult> {
    let count = cells.len();
    let run = run_plan(
        model,
        |_, _| {
            let mut plan = Plan::of(Vec::new());
            plan.questions = (0u32..)
                .zip(cells)
                .map(|(id, (cpu, field))| {
                    Question::Fiq(FiqCell {
                        id,
                        cpu,
                        field,
                        count: 8,
                        timeout_us: 200,
                    })
                })
                .collect();
            plan
        },
        &mut Silent,
    );
    assert!(run.outcome.failure.is_none(), "{:?}", run.outcome.failure);
    run.assert_as_found();
    let replies = run.outcome.answers.replies.iter();
    let results: Vec<FiqResult> = replies
        .map(|reply| match reply {
            Reply::Fiq(result) => *result,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(results.len(), count);
    results
}

#[test]
fn fiqs_come_whatever_the_field_says() {
    needs_firmware!();
    let cells: Vec<(u8, u8)> = (0..6)
        .flat_map(|cpu| (0..4).map(move |field| (cpu, field)))
        .collect();
    for (r, (cpu, field)) in fiqs(&t8140(), cells.clone()).iter().zip(&cells) {
        let counts = (r.refusal, r.field, r.sent, r.ipis, r.armed, r.timers);
        assert_eq!(counts, (None, *field, 8, 8, 8, 8), "CPU {cpu}");
    }
}

#[test]
fn fiqs_that_do_not_come_are_counted_and_bad_questions_refused() {
    needs_firmware!();
    let cold = SocModel::from_toml(
        include_str!("../../virtual-soc/models/odd/cpu-cold.toml"),
        "test",
    );
    // Its ADT id is 2, its logical one 3.
    let results = fiqs(
        &cold.expect("a model"),
        vec![(3, 3), (2, 3), (9, 0), (1, 4)],
    );
    assert_eq!(
        (results[0].ipis, results[0].armed, results[0].timers),
        (8, 8, 0)
    );
    assert_eq!((results[1].ipis, results[1].timers), (8, 8));
    assert_eq!(results[2].refusal, Some(Refusal::Cpu(9)));
    assert_eq!(results[3].refusal, Some(Refusal::Field(1)));
    let results = fiqs(&model("t8103"), vec![(1, 3)]);
    assert_eq!(results[0].refusal, Some(Refusal::SiqCfg { cpu: 1, esr: 0 }));
}

#[test]
fn ipi_masks_are_as_they_were_found() {
    needs_firmware!();
    const BOTH: u32 = 1 << 31 | 1;
    let only_mmio = Options {
        ways: vec![Way::Mmio],
        ..options()
    };
    let run = run_plan(
        &model("t8103"),
        |proxy, target| {
            // As a driver with fast IPIs leaves them, but for CPU 2: masked, through every CPU's view.
            for cpu in (0..8).filter(|cpu| *cpu != 2) {
                let mask_set = target.aic.base + 0x5024 + 0x80 * cpu;
                proxy
                    .op(Op::Write32, &[mask_set, BOTH.into()])
                    .expect("written");
            }
            plan(&target.cpus, true, &only_mmio).expect("a plan").1
        },
        &mut Silent,
    );
    let replies = &run.outcome.answers.replies;
    let took = |reply: &Reply| match reply {
        Reply::Storm(r) => sum(&r.received),
        other => panic!("{other:?}"),
    };
    assert!(!replies.is_empty() && replies.iter().all(|r| took(r) > 0));
    let mut found = [[0, BOTH]; 8];
    found[2] = [0, 0];
    assert_eq!(run.target.snapshot().aic_ipis, found);
}

#[test]
fn where_nothing_comes_nothing_has_merged() {
    needs_firmware!();
    let dir = tempfile::tempdir().expect("a folder of the test");
    let path = dir.path().join("none.toml");
    let text = "extends = \"t8140\"\nname = \"none\"\ntitle = \"T8140 that loses every IPI\"\n[defect]\nlose_ipi_every = 1\n";
    std::fs::write(&path, text).expect("a file of the test");
    let target = format!("vm:{}", path.display());
    let run = common::aicprobe(&[
        "storm",
        "-q",
        "--format",
        "json",
        "--target",
        &target,
        "--us",
        "50",
        "--repeat",
        "1",
        "--pace",
        "flood",
        "--pattern",
        "one",
    ]);
    assert_eq!(run.status.code(), Some(5), "{}", common::stderr(&run));
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    for row in report["rows"].as_array().expect("rows") {
        let count = |name: &str| row[name].as_u64().expect("a count");
        assert_eq!((count("merged"), count("received")), (0, 0), "{row}");
        assert_eq!(count("lost"), count("sent"), "{row}");
    }
}
