//! Runs over links that lose, repeat, damage and delay: each ends with the numbers of a clean run, or says what went wrong.

mod common;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::{aicprobe, stderr, stdout, variant};
use host_cli::cli::exit_code;
use host_cli::error::{Error, exit};
use host_cli::firmware::Firmware;
use host_cli::link::{FaultCounts, FaultSpec, FaultyLink, Link as _, VirtualLink};
use host_cli::plan::Request;
use host_cli::proxy::Proxy;
use host_cli::result::{CpuState, MarkKind, RouteResult};
use host_cli::route::{Setting, make_plan, measure};
use host_cli::session::{Outcome, Silent};
use host_cli::target::Target;
use virtual_soc::{SocModel, VirtualTarget};

/// Runs in CI; `AICPROBE_FAULT_RUNS` asks for another number.
const RUNS: u64 = 2_000;
/// Longest that any run may take on the link's clock.
const LIMIT: Duration = Duration::from_secs(120);

/// Short, with every part of a session in it: two firing CPUs, a field that is set, a mask.
fn request() -> Request {
    Request {
        fire_cpus: vec![0, 4],
        set_fields: vec![(2, 2)],
        masks: vec![(0, 200)],
        triggers: 3,
        ..Request::default()
    }
}

/// A run to its end, whatever that was.
struct Ended {
    outcome: Result<(Outcome, Option<RouteResult>), Error>,
    counts: FaultCounts,
    cut: bool,
    took: Duration,
    target: VirtualTarget,
}

fn run(firmware: &Firmware, model: &SocModel, spec: FaultSpec) -> Ended {
    let target = VirtualTarget::from_model(model, 1).expect("a usable model");
    let mut link = FaultyLink::new(VirtualLink::new(target), spec);
    let start = link.now();
    let outcome = session(firmware, &mut link);
    Ended {
        outcome,
        counts: link.counts(),
        cut: link.is_cut(),
        took: link.now() - start,
        target: link.into_inner().into_target(),
    }
}

fn session(
    firmware: &Firmware,
    link: &mut FaultyLink<VirtualLink>,
) -> Result<(Outcome, Option<RouteResult>), Error> {
    let mut proxy = Proxy::connect(link)?;
    let target = Target::discover(&mut proxy)?;
    let plan = make_plan(&mut proxy, &target, &request())?;
    let setting = Setting {
        target_name: "vm:test".to_owned(),
        seed: 1,
        marks: Vec::new(),
        slice_ns: None,
        looked: host_cli::target::Looked::default(),
    };
    measure(&mut proxy, &target, firmware, &plan, &setting, &mut Silent)
}

/// Everything of a result that a link must not change.
fn facts(result: &RouteResult) -> Vec<String> {
    let cpus = result.cpus.iter().map(|c| {
        format!(
            "{} {} {} {:?} {:?} {:?}",
            c.id, c.adt_id, c.mpidr, c.core, c.state, c.siq_cfg
        )
    });
    let mut facts: Vec<String> = cpus.collect();
    facts.push(format!("{:?} {:?}", result.soc, result.aic));
    facts
}

/// Cells by id, without the fields of CPUs that do not run in `of`: a call that was lost leaves its CPU at home, which is
/// told.
fn cells(result: &RouteResult, of: &RouteResult) -> BTreeMap<u32, String> {
    let cell = |c: &host_cli::result::Cell| {
        let runs = |i: usize| of.cpus[i].state == CpuState::Running;
        let fields = c.fields.iter().enumerate().filter(|(i, _)| runs(*i));
        let fields: Vec<_> = fields.collect();
        let counts = (
            c.fired,
            &c.landed,
            &c.offered,
            c.lost,
            c.late,
            c.duplicate,
            c.spurious,
        );
        format!(
            "{:?} {} {fields:?} {:?} {counts:?}",
            c.line, c.fire_cpu, c.masked_us
        )
    };
    result.cells.iter().map(|c| (c.id, cell(c))).collect()
}

/// Checks a run against a clean one; how it ended, in a few words.
fn check(ended: &Ended, clean: &RouteResult, spec: FaultSpec) -> &'static str {
    let what = format!("{spec}: {:?}", ended.counts);
    assert!(ended.took < LIMIT, "{what}: took {:?}", ended.took);
    assert_eq!(ended.target.stats().loader_took, 0, "{what}");
    let (outcome, result) = match &ended.outcome {
        // A named error, and no table.
        Err(e) => {
            assert!(!e.to_string().is_empty());
            return ended_as(e);
        }
        Ok(ended) => ended,
    };
    let verdict = exit_code(outcome);
    if let Some(result) = result {
        let (all, came) = (cells(clean, result), cells(result, result));
        for (id, cell) in &came {
            let complete = result
                .cells
                .iter()
                .any(|c| c.id == *id && c.fired == u64::from(c.triggers));
            assert!(
                !complete || all[id] == *cell,
                "{what}: {cell} is not {}",
                all[id]
            );
        }
        let partial = result.marks.iter().any(|m| m.kind == MarkKind::Partial);
        assert!(!result.complete || came == all, "{what}: {came:?}");
        assert!(!result.complete || outcome.failure.is_none(), "{what}");
        assert!(
            result.complete || partial,
            "{what}: not complete, and nothing says so"
        );
        if !partial {
            assert_eq!(facts(result), facts(clean), "{what}");
        }
    }
    // Who says that all is as found has to be right.
    if outcome.restoring.is_restored() {
        let differences = ended
            .target
            .as_found()
            .differences(&ended.target.snapshot());
        assert!(differences.is_empty(), "{what}: {differences:?}");
    }
    match &outcome.failure {
        None => {
            assert_eq!(verdict.code, exit::OK, "{what}: {:?}", verdict.messages);
            if result.as_ref().is_some_and(|r| r.complete) {
                "right"
            } else {
                "partial"
            }
        }
        Some(e) => {
            assert_ne!(verdict.code, exit::OK, "{what}: {e}");
            ended_as(e)
        }
    }
}

fn ended_as(e: &Error) -> &'static str {
    match e.exit_code() {
        exit::LINK => "link lost",
        exit::INTERNAL => "internal",
        _ => "another error",
    }
}

/// Faults of run `i`: one kind alone, or all together; rates from rare to so high that hardly anything gets through.
fn spec_of(i: u64) -> FaultSpec {
    let rate = [0.001, 0.003, 0.01, 0.03, 0.1][(i / 8 % 5) as usize];
    let mut spec = FaultSpec {
        seed: i,
        ..FaultSpec::default()
    };
    match i % 8 {
        0 => spec.drop = rate,
        1 => spec.duplicate = rate,
        2 => spec.corrupt = rate,
        3 => spec.delay = rate,
        4 => spec.truncate = rate,
        5 => spec.text = rate,
        6 => spec.disconnect = rate,
        _ => {
            let r = rate / 4.0;
            (spec.drop, spec.duplicate, spec.corrupt) = (r, r, r);
            (spec.delay, spec.truncate, spec.text) = (r, r, r);
        }
    }
    spec.longest_delay = Duration::from_millis([5, 100, 1_000][(i / 40 % 3) as usize]);
    spec
}

#[test]
fn every_run_ends_with_the_right_numbers_or_a_named_error() {
    needs_firmware!();
    let runs = std::env::var("AICPROBE_FAULT_RUNS").map_or(RUNS, |n| n.parse().expect("a number"));
    let firmware = Firmware::load(None).expect("an image");
    // Slow CPUs: what they do while the host waits is the largest part of a run's cost.
    let model = variant("[timing]\nps_per_insn = 50000\n");
    let clean = run(&firmware, &model, FaultSpec::default());
    assert_eq!(clean.counts.faults(), 0);
    let (_, clean) = clean.outcome.expect("a clean run");
    let clean = clean.expect("numbers");
    assert!(clean.complete && clean.restored);
    let next = AtomicU64::new(0);
    let seen = Mutex::new(BTreeMap::<(&str, &str), u64>::new());
    let total = Mutex::new(FaultCounts::default());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= runs {
                        return;
                    }
                    let spec = spec_of(i);
                    let ended = run(&firmware, &model, spec);
                    let how = check(&ended, &clean, spec);
                    let touched = if ended.cut {
                        "cut"
                    } else if ended.counts.faults() > 0 {
                        "faults"
                    } else {
                        "none"
                    };
                    *seen.lock().unwrap().entry((touched, how)).or_default() += 1;
                    let (mut sum, c) = (total.lock().unwrap(), ended.counts);
                    sum.pieces += c.pieces;
                    sum.dropped += c.dropped;
                    sum.duplicated += c.duplicated;
                    sum.corrupted += c.corrupted;
                    sum.delayed += c.delayed;
                    sum.truncated += c.truncated;
                    sum.texts += c.texts;
                }
            });
        }
    });
    let (seen, total) = (seen.into_inner().unwrap(), total.into_inner().unwrap());
    eprintln!("{seen:?}\n{total:?}");
    let of = |touched: &str, how: &str| seen.get(&(touched, how)).copied().unwrap_or(0);
    let sum = |touched: &str| -> u64 {
        seen.iter()
            .filter(|((t, _), _)| *t == touched)
            .map(|(_, n)| n)
            .sum()
    };
    assert_eq!(
        of("none", "right"),
        sum("none"),
        "without a fault nothing goes wrong: {seen:?}"
    );
    assert_eq!(
        of("cut", "right"),
        0,
        "nobody gets through a cut link: {seen:?}"
    );
    assert!(seen.keys().all(|(_, how)| *how != "internal"), "{seen:?}");
    if runs >= 200 {
        // The tests would say nothing if nearly every run ended in an error, or met no faults.
        assert!(of("faults", "right") * 10 > sum("faults") * 7, "{seen:?}");
        assert!(
            sum("faults") > runs / 2 && sum("cut") > runs / 20,
            "{seen:?}"
        );
        for n in [
            total.dropped,
            total.duplicated,
            total.corrupted,
            total.delayed,
            total.truncated,
            total.texts,
        ] {
            assert!(n > runs, "{total:?}");
        }
    }
}

/// Most pieces of bytes either way in a run behind such a link.
const MOST_PIECES: u64 = 5_000;

#[test]
fn the_default_model_behind_the_worst_links_ends_soon() {
    needs_firmware!();
    let firmware = Firmware::load(None).expect("an image");
    let model = SocModel::builtin("t8140").expect("built in");
    let clean = run(&firmware, &model, FaultSpec::default());
    let (_, clean) = clean.outcome.expect("a clean run");
    let clean = clean.expect("numbers");
    for kind in 0..7 {
        for rate in [0.3, 0.7, 1.0] {
            for seed in [1, 2, 3, 5] {
                let mut spec = FaultSpec {
                    seed,
                    ..FaultSpec::default()
                };
                *[
                    &mut spec.drop,
                    &mut spec.duplicate,
                    &mut spec.corrupt,
                    &mut spec.delay,
                    &mut spec.truncate,
                    &mut spec.disconnect,
                    &mut spec.text,
                ][kind] = rate;
                let ended = run(&firmware, &model, spec);
                let how = check(&ended, &clean, spec);
                assert!(
                    ended.took < Duration::from_secs(10),
                    "{spec}: {:?}",
                    ended.took
                );
                let pieces = ended.counts.pieces;
                assert!(pieces < MOST_PIECES, "{spec}: {pieces} pieces");
                eprintln!("{spec}: {how}, {:?}, {pieces} pieces", ended.took);
            }
        }
    }
}

#[test]
fn same_seed_same_faults_same_result() {
    needs_firmware!();
    let json = |seed: u32| {
        let spec = format!("drop=0.003,corrupt=0.003,duplicate=0.003,text=0.05,seed={seed}");
        let args = [
            "-q",
            "route",
            "--triggers",
            "2",
            "--fire-cpu",
            "1",
            "--format",
            "json",
            "--link-faults",
            &spec,
        ];
        let output = aicprobe(&args);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    let first = json(5);
    assert_eq!(first, json(5));
    assert!(
        first.contains("faults were put on the link: drop=0.003,"),
        "{first}"
    );
}

#[test]
fn a_cut_link_is_told_in_one_line() {
    needs_firmware!();
    let output = aicprobe(&["route", "-q", "--link-faults", "disconnect=0.01,seed=2"]);
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    let text = stderr(&output);
    assert!(
        text.contains("cut by --link-faults") && common::remarks(&text) == 1,
        "{text}"
    );
}

#[test]
fn a_wrong_specification_is_usage() {
    let output = aicprobe(&["route", "--link-faults", "drop=7"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("no rate from 0 to 1"),
        "{}",
        stderr(&output)
    );
}
