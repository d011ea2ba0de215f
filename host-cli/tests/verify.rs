//! The verdict: wrong machines are found by the right rule, right ones never fail, and it is the same in every form.

mod common;

use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use common::{aicprobe, stderr, stdout};
use host_cli::verify::{RULES, Verdict, VerifyResult};
use serde::Deserialize;

const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../virtual-soc/models");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Machines {
    defect: Vec<Defect>,
    right: Vec<Right>,
}

/// A right machine.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Right {
    model: String,
    #[expect(dead_code, reason = "said for readers")]
    what: String,
}

/// A wrong machine.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Defect {
    model: String,
    what: String,
    rule: String,
    #[serde(default)]
    full: bool,
}

fn machines() -> Machines {
    toml::from_str(include_str!("data/defects.toml")).expect("a list")
}

fn file(model: &str) -> String {
    format!("vm:{MODELS}/{model}.toml")
}

fn odd(model: &str) -> String {
    file(&format!("odd/{model}"))
}

fn verify(arguments: &[&str]) -> Output {
    let mut all = vec!["-q", "verify"];
    all.extend(arguments);
    aicprobe(&all)
}

fn result(output: &Output) -> VerifyResult {
    let text = stdout(output);
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}\n{}", stderr(output)))
}

/// Runs `work` for every item, on as many threads as there are processors.
fn everywhere<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(item);
                }
            });
        }
    });
}

#[test]
fn every_seeded_defect_is_found_by_its_rule() {
    needs_firmware!();
    let all = machines().defect;
    assert!(all.len() >= 25, "{}", all.len());
    everywhere(&all, |defect| {
        let target = file(&defect.model);
        let mut arguments = vec!["--target", &target, "--format", "json"];
        if !defect.full {
            arguments.push("--quick");
        }
        let output = verify(&arguments);
        let result = result(&output);
        let (model, what) = (&defect.model, &defect.what);
        let rule = result.rule(&defect.rule);
        let rule = rule.unwrap_or_else(|| panic!("{model}: no rule {}", defect.rule));
        let failed: Vec<&str> = result
            .rules
            .iter()
            .filter(|r| r.verdict == Verdict::Fail)
            .map(|r| r.id.as_str())
            .collect();
        assert_eq!(
            rule.verdict,
            Verdict::Fail,
            "{model} ({what}): {failed:?}, {}: {}",
            rule.id,
            rule.why
        );
        assert!(
            rule.against > 0 && !rule.why.is_empty(),
            "{model}: {rule:?}"
        );
        assert_eq!(result.verdict, Verdict::Fail, "{model}");
        assert_eq!(
            output.status.code(),
            Some(5),
            "{model}: {}",
            stderr(&output)
        );
    });
}

/// Every rule that a model can break is broken by one.
#[test]
fn every_rule_can_fail() {
    let all = machines().defect;
    // A machine of which a CPU does not start, or whose controller does not take ENABLE, is another test's.
    let elsewhere = ["CPU-01", "REG-07", "ROUTE-08"];
    for rule in RULES.iter().filter(|r| !elsewhere.contains(&r.id)) {
        assert!(
            all.iter().any(|d| d.rule == rule.id),
            "{} has no defect",
            rule.id
        );
    }
}

#[test]
fn right_machines_pass() {
    needs_firmware!();
    let mut names: Vec<String> = virtual_soc::SocModel::builtin_names()
        .iter()
        .filter(|name| !name.contains("traps") && !name.starts_with("base-"))
        .map(|name| format!("vm:{name}"))
        .collect();
    let others = ["cpus-2", "no-enable", "enabled"];
    names.extend(others.iter().map(|name| odd(name)));
    names.extend(machines().right.iter().map(|right| file(&right.model)));
    assert!(names.len() > 20, "{names:?}");
    everywhere(&names, |name| {
        let output = verify(&["--quick", "--target", name, "--format", "json"]);
        let result = result(&output);
        let bad: Vec<_> = result
            .rules
            .iter()
            .filter(|r| !matches!(r.verdict, Verdict::Pass | Verdict::NotApplicable))
            .collect();
        assert!(bad.is_empty(), "{name}: {bad:?}");
        assert_eq!(result.verdict, Verdict::Pass, "{name}");
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
        assert_eq!(result.totals.triggers, 10_000, "{name}");
        assert!(
            (60..=100).contains(&result.totals.windows),
            "{name}: {:?}",
            result.totals
        );
        assert_eq!(result.again(), result, "{name}");
    });
}

/// Whatever a right machine draws, it is not called wrong.
#[test]
fn a_right_machine_fails_for_no_seed() {
    needs_firmware!();
    let models = [
        "jitter",
        "choice-random",
        "choice-sticky",
        "choice-round-robin",
    ]
    .map(odd);
    let seeds: Vec<usize> = (1..=1000).collect();
    everywhere(&seeds, |seed| {
        let text = seed.to_string();
        let output = verify(&[
            "--target",
            &models[seed % models.len()],
            "--seed",
            &text,
            "--triggers",
            "1000",
            "--windows",
            "40",
            "--format",
            "json",
        ]);
        let result = result(&output);
        let failed: Vec<_> = result
            .rules
            .iter()
            .filter(|r| r.verdict == Verdict::Fail)
            .collect();
        assert!(failed.is_empty(), "seed {seed}: {failed:?}");
        assert_ne!(
            output.status.code(),
            Some(5),
            "seed {seed}: {}",
            stderr(&output)
        );
        assert!(result.totals.triggers >= 1000, "seed {seed}");
    });
}

#[test]
fn a_cpu_that_is_away_is_no_verdict() {
    needs_firmware!();
    let output = verify(&["--quick", "--target", &odd("mmu-off"), "--format", "json"]);
    let result = result(&output);
    assert_eq!(output.status.code(), Some(6));
    let rule = result.rule("CPU-01").expect("the rule");
    assert_eq!(rule.verdict, Verdict::Inconclusive);
    assert!(rule.why.contains("no-mmu"), "{}", rule.why);
    let others: Vec<_> = result
        .rules
        .iter()
        .filter(|r| r.verdict == Verdict::Inconclusive)
        .collect();
    assert_eq!(others.len(), 1, "{others:?}");
}

#[test]
fn where_everything_is_lost_the_run_ends_early() {
    needs_firmware!();
    let output = verify(&["--target", &odd("all-never"), "--format", "json"]);
    let result = result(&output);
    assert_eq!(output.status.code(), Some(5));
    assert!(result.totals.triggers < 20_000, "{:?}", result.totals);
    assert!(
        stderr(&output).contains("stopped after"),
        "{}",
        stderr(&output)
    );
    assert_eq!(
        result.rule("ROUTE-02").expect("the rule").verdict,
        Verdict::Inconclusive
    );
}

#[test]
fn rules_are_chosen_and_left_out() {
    needs_firmware!();
    let output = verify(&["--quick", "--rule", "route-01,REG-01", "--format", "json"]);
    let chosen = result(&output);
    let ids: Vec<&str> = chosen.rules.iter().map(|r| r.id.as_str()).collect();
    assert_eq!(ids, ["ROUTE-01", "REG-01"]);
    assert_eq!(chosen.left_out.len(), RULES.len() - 2);
    assert_eq!(chosen.again(), chosen);
    // Laboratories are told too.
    let rule = ["--quick", "--skip", "ROUTE-03,FIQ-02", "--format"];
    for (form, says) in [
        ("junit", "name=\"left_out\" value=\"ROUTE-03 FIQ-02\""),
        ("tap", "# left out: ROUTE-03 FIQ-02\n"),
    ] {
        let text = stdout(&verify(&[&rule[..], &[form]].concat()));
        assert!(text.contains(says), "{text}");
    }
    // What fails is left out: the rest is fine.
    let left = verify(&[
        "--quick",
        "--target",
        &odd("masked-waits"),
        "--skip",
        "MASK-02",
        "--format",
        "json",
    ]);
    assert_eq!(left.status.code(), Some(0), "{}", stderr(&left));
    for bad in [
        &["--rule", "ROUTE-99"][..],
        &["--rule", "ROUTE-01", "--skip", "ROUTE-01"],
        &["--triggers", "10"],
        &["--windows", "1"],
    ] {
        let output = verify(bad);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{bad:?}: {}",
            stderr(&output)
        );
        assert_eq!(stdout(&output), "", "{bad:?}");
    }
    let listed = stdout(&verify(&["--list"]));
    assert!(
        RULES
            .iter()
            .all(|r| listed.contains(r.id) && listed.contains(r.title)),
        "{listed}"
    );
}

#[test]
fn laboratories_read_it() {
    needs_firmware!();
    for (target, failures, code) in [("vm:t8140".to_owned(), 0, 0), (odd("masked-waits"), 1, 5)] {
        let of = |form| {
            let output = verify(&["--quick", "--target", &target, "--format", form]);
            assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
            stdout(&output)
        };
        let junit = of("junit");
        let mut reader = quick_xml::Reader::from_str(&junit);
        let (mut cases, mut failed, mut skipped) = (0, 0, 0);
        loop {
            use quick_xml::events::Event;
            match reader.read_event().expect("well-formed XML") {
                Event::Start(e) | Event::Empty(e) => match e.name().as_ref() {
                    "testcase" => cases += 1,
                    "failure" => failed += 1,
                    "skipped" => skipped += 1,
                    _ => {}
                },
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!((cases, failed), (RULES.len(), failures), "{junit}");
        assert!(skipped > 0 && junit.contains("model only"), "{junit}");
        let tap = of("tap");
        assert!(
            tap.starts_with(&format!("TAP version 13\n1..{}\n", RULES.len())),
            "{tap}"
        );
        let count = |what: &str| tap.lines().filter(|l| l.starts_with(what)).count();
        assert_eq!(
            (count("ok "), count("not ok ")),
            (RULES.len() - failures, failures),
            "{tap}"
        );
        assert!(tap.contains("# SKIP"), "{tap}");
    }
}

/// Sysarch-ACS #292: a verdict that changes with the log level is none.
#[test]
fn the_verdict_does_not_depend_on_verbosity() {
    needs_firmware!();
    let target = odd("masked-waits");
    let of = |level: &[&str]| {
        let mut all = level.to_vec();
        all.extend(["verify", "--quick", "--target", &target, "--format", "json"]);
        let output = aicprobe(&all);
        (output.status.code(), stdout(&output))
    };
    let plain = of(&[]);
    assert_eq!(plain.0, Some(5));
    assert_eq!(plain, of(&["-q"]));
    assert_eq!(plain, of(&["-vv"]));
}
