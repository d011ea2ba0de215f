//! Soaks through the whole tool: intervals, violations with their evidence, and how a run ends.

mod common;

use std::path::Path;

use common::{aicprobe, stderr, stdout};
use serde_json::Value;

/// A counter of 1 GHz: a tick is a nanosecond.
const GHZ: &str = "[counter]\nhz = 1000000000\n";

/// A machine in a file that lives as long as the folder.
fn model(base: &str, changes: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a folder of the test");
    let path = dir.path().join("model.toml");
    let text =
        format!("extends = \"{base}\"\nname = \"changed\"\ntitle = \"{base}, changed\"\n{changes}");
    std::fs::write(&path, text).expect("a file of the test");
    (dir, format!("vm:{}", path.display()))
}

/// The result of `aicprobe soak` in JSON, and the exit code.
fn soak(target: &str, args: &[&str]) -> (Option<i32>, Value) {
    let mut all = vec!["-q", "soak", "--format", "json", "--target", target];
    all.extend(args);
    let run = aicprobe(&all);
    let json = serde_json::from_slice(&run.stdout);
    let json = json.unwrap_or_else(|_| panic!("{target} {args:?}: {}", stderr(&run)));
    (run.status.code(), json)
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("no number: {value}"))
}

fn intervals(json: &Value) -> &Vec<Value> {
    json["intervals"].as_array().expect("intervals")
}

#[test]
fn intervals_add_up_on_several_policies() {
    needs_firmware!();
    // One acceptor; ten that take turns; AICv1; two that take turns.
    let (_dir, turns) = model("t8140", "[siq]\nchoice = \"round-robin\"\n");
    let set = ["--set-field", "3=0"];
    for (target, cpus, args, on) in [
        ("vm:t8140", 6, &[][..], &[0][..]),
        (
            "vm:t6020",
            10,
            &["--fire-cpu", "4"][..],
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9][..],
        ),
        ("vm:t8103", 8, &["--target-mask", "5"][..], &[5][..]),
        (turns.as_str(), 6, &set[..], &[0, 3][..]),
    ] {
        let mut all = vec!["--duration", "50ms", "--interval", "10"];
        all.extend(args);
        let (code, json) = soak(target, &all);
        assert_eq!(code, Some(0), "{target}: {}", json["marks"]);
        assert_eq!(json["schema"], "aicprobe.soak/1");
        assert_eq!(
            (&json["complete"], &json["restored"]),
            (&true.into(), &true.into())
        );
        assert_eq!(json["violation"], Value::Null);
        assert_eq!(json["expected"], serde_json::json!(on), "{target}");
        let rows = intervals(&json);
        assert!((4..=5).contains(&rows.len()), "{target}: {}", rows.len());
        let totals = &json["totals"];
        let sum = |name: &str| rows.iter().map(|r| number(&r[name])).sum::<u64>();
        assert_eq!(sum("fired"), number(&totals["fired"]));
        // Each is rounded to nanoseconds by itself.
        assert!(sum("elapsed_ns").abs_diff(number(&totals["elapsed_ns"])) <= 5);
        assert!(number(&totals["elapsed_ns"]) >= 50_000_000 - 5);
        for (i, row) in rows.iter().enumerate() {
            assert_eq!(number(&row["index"]), i as u64);
            let (fired, ns) = (number(&row["fired"]), number(&row["elapsed_ns"]));
            assert!(ns >= 9_500_000, "{row}");
            assert!((fired * 1_000_000_000 / ns).abs_diff(number(&row["rate_per_s"])) <= 1);
            let l = &row["latency_ns"];
            let values = ["min", "p50", "p95", "p99", "max"].map(|n| number(&l[n]));
            assert!(values.is_sorted(), "{values:?}");
            let landed = row["landed"].as_array().expect("counts");
            let busy = row["busy_ppm"].as_array().expect("shares");
            assert_eq!((landed.len(), busy.len()), (cpus, cpus));
            for cpu in 0..cpus {
                let takes = on.contains(&cpu);
                assert_eq!(number(&landed[cpu]) > 0, takes, "{target}: {row}");
                assert_eq!(number(&busy[cpu]) > 0, takes, "{target}: {row}");
            }
        }
        // Mean and extremes over the intervals, from the intervals.
        let over = &json["over_intervals"];
        assert_eq!(number(&over["intervals"]), rows.len() as u64);
        let check = |spread: &Value, of: &dyn Fn(&Value) -> u64| {
            let values: Vec<u64> = rows.iter().map(of).collect();
            let (n, sum) = (values.len() as u64, values.iter().sum::<u64>());
            assert_eq!(Some(number(&spread["min"])), values.iter().min().copied());
            assert_eq!(Some(number(&spread["max"])), values.iter().max().copied());
            assert_eq!(number(&spread["mean"]), (sum + n / 2) / n);
            // The 95th percentile of so few is the largest.
            let (p95, max) = (number(&spread["p95"]), number(&spread["max"]));
            assert!(p95 <= max && (max - p95) * 100 <= max, "{spread}");
        };
        check(&over["rate_per_s"], &|r| number(&r["rate_per_s"]));
        check(&over["latency_p95_ns"], &|r| {
            number(&r["latency_ns"]["p95"])
        });
        check(&over["latency_max_ns"], &|r| {
            number(&r["latency_ns"]["max"])
        });
        check(&over["busy_ppm"][on[0]], &|r| number(&r["busy_ppm"][on[0]]));
    }
}

#[test]
fn a_slower_delivery_is_seen_in_every_interval() {
    needs_firmware!();
    let min = |delivery: u64| {
        let (_dir, target) = model("t8140", &format!("{GHZ}[siq]\ndelivery_ns = {delivery}\n"));
        let (code, json) = soak(&target, &["--triggers", "3000", "--interval", "10"]);
        assert_eq!((code, &json["totals"]["fired"]), (Some(0), &3000.into()));
        assert_eq!(json["totals"]["entry_ns"]["count"], 3000);
        assert_eq!(json["totals"]["handler_ns"]["count"], 3000);
        number(&json["over_intervals"]["latency_min_ns"]["min"])
    };
    assert_eq!(min(4_000) - min(1_000), 3_000);
}

/// The violation of a run that has to end by one.
fn violation(target: &str, args: &[&str], cause: &str) -> (Value, Value) {
    let mut all = vec![
        "--triggers",
        "100000",
        "--interval",
        "10",
        "--timeout",
        "0.5",
    ];
    all.extend(args);
    let (code, json) = soak(target, &all);
    assert_eq!(code, Some(5), "{target}");
    assert_eq!(
        (&json["complete"], &json["restored"]),
        (&false.into(), &true.into())
    );
    let v = json["violation"].clone();
    assert_eq!(v["cause"], cause, "{v}");
    (json, v)
}

fn cause(v: &Value) -> (usize, &Vec<Value>) {
    let events = v["events"].as_array().expect("events");
    let at = events.iter().position(|e| e["cause"] == true);
    (at.expect("the one that ended it"), events)
}

#[test]
fn the_first_loss_ends_it() {
    needs_firmware!();
    let (_dir, target) = model("t8140", "[defect]\nlose_delivery_every = 1000\n");
    let (json, v) = violation(&target, &[], "lost");
    let (at, events) = cause(&v);
    assert_eq!(
        (&events[at]["kind"], &events[at]["cpu"]),
        (&"lost".into(), &Value::Null)
    );
    assert_eq!(events[at]["trigger"], v["trigger"]);
    // Every thousandth is lost, and 256 were fired in the first look.
    assert_eq!(number(&v["trigger"]), 1000 - 256 - 1);
    assert_eq!((at, events.len()), (12 - 1, 16));
    assert!(events[..at].iter().all(|e| e["kind"] == "landed"));
    let totals = &json["totals"];
    assert_eq!(
        (&totals["lost"], number(&totals["fired"])),
        (&1.into(), 744 + 4)
    );
    assert_eq!(totals["miss_rate"]["misses"], 1);
    // Also where it is the last trigger of all, after which nothing is fired.
    let (code, json) = soak(&target, &["--triggers", "744", "--interval", "10"]);
    assert_eq!(
        (code, &json["violation"]["cause"]),
        (Some(5), &"lost".into())
    );
    // Shown to people as well.
    let run = aicprobe(&["-q", "soak", "--target", &target, "--triggers", "100000"]);
    let text = stdout(&run);
    assert_eq!(run.status.code(), Some(5));
    let reason = "trigger 743 was not taken within its timeout of 10000 us";
    assert!(
        text.contains("STOPPED after") && text.contains(reason),
        "{text}"
    );
    // The last line names the reason that it was, and no other.
    let last = format!("aicprobe: stopped early: {reason}\n");
    assert!(stderr(&run).ends_with(&last), "{}", stderr(&run));
}

#[test]
fn every_kind_of_violation() {
    needs_firmware!();
    let (_dir, twice) = model("t8140", "[faults]\nduplicate_every = 700\n");
    let (json, v) = violation(&twice, &[], "duplicate");
    let (at, events) = cause(&v);
    assert_eq!(events[at]["kind"], "duplicate");
    assert_eq!(json["totals"]["duplicate"], 1);

    let (_dir, ghost) = model("t8140", "[faults]\nspurious_every = 700\n");
    let (json, v) = violation(&ghost, &[], "spurious");
    // No event shows it, those around it are there.
    assert_eq!(v["trigger"], Value::Null);
    assert!(!v["events"].as_array().expect("events").is_empty());
    assert_eq!(json["totals"]["spurious"], 1);

    // Taken in turns, but only one is expected.
    let (_dir, turns) = model("t8140", "[siq]\nchoice = \"round-robin\"\n");
    let args = ["--set-field", "4=0", "--expect", "0"];
    let (json, v) = violation(&turns, &args, "elsewhere");
    let (at, events) = cause(&v);
    assert_eq!(
        (&events[at]["cpu"], &json["expected"]),
        (&4.into(), &serde_json::json!([0]))
    );

    let (_dir, slow) = model("t6020", "[siq]\njitter_ns = 5000\n");
    let (_, v) = violation(&slow, &["--max-latency", "5.05"], "entry");
    let (at, events) = cause(&v);
    let over: Vec<bool> = events[..=at]
        .iter()
        .map(|e| number(&e["entry_ns"]) > 5050)
        .collect();
    assert_eq!(over.iter().position(|o| *o), Some(at));
}

#[test]
fn the_same_seed_gives_the_same_bytes_in_every_form() {
    needs_firmware!();
    let (_dir, target) = model("t8140", "[siq]\njitter_ns = 3000\n");
    let run = |form: &str, seed: &str| {
        let run = aicprobe(&[
            "-q",
            "soak",
            "--duration",
            "40ms",
            "--interval",
            "10",
            "--seed",
            seed,
            "--format",
            form,
            "--target",
            &target,
        ]);
        assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
        stdout(&run)
    };
    for form in ["table", "json", "jsonl", "csv", "markdown"] {
        assert_eq!(run(form, "3"), run(form, "3"), "{form}");
    }
    assert_ne!(run("json", "3"), run("json", "4"));
    let csv = run("csv", "1");
    assert!(
        csv.starts_with(
            "index,from_ms,elapsed_ms,fired,rate_per_s,min_ns,p50_ns,p95_ns,max_ns,lost,"
        ),
        "{csv}"
    );
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter_map(|l| serde_json::from_str(l).ok())
        .collect()
}

#[test]
fn intervals_are_streamed_and_the_kept_ones_thinned() {
    needs_firmware!();
    let dir = tempfile::tempdir().expect("a folder of the test");
    let path = dir.path().join("intervals.jsonl");
    let file = path.to_str().expect("a name");
    let args = [
        "--duration",
        "120ms",
        "--interval",
        "10",
        "--gap-us",
        "200",
        "--keep-intervals",
        "4",
        "--intervals",
        file,
    ];
    let (code, json) = soak("vm:t8140", &args);
    assert_eq!(code, Some(0));
    let streamed = lines(&path);
    let all = number(&json["over_intervals"]["intervals"]);
    assert!((11..=12).contains(&all), "{all}");
    assert_eq!(streamed.len() as u64, all);
    assert_eq!(json["kept_every"], 4);
    let kept: Vec<&Value> = streamed.iter().step_by(4).collect();
    assert_eq!(intervals(&json).iter().collect::<Vec<_>>(), kept);
    assert!(
        json["marks"]
            .to_string()
            .contains("one interval in 4 is kept")
    );
    // A pause of 200 us before every trigger: below 5000 a second.
    let rate = number(&json["totals"]["rate_per_s"]);
    assert!((4_000..5_000).contains(&rate), "{rate}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_with_a_whole_result() {
    needs_firmware!();
    let dir = tempfile::tempdir().expect("a folder of the test");
    let (stream, output) = (dir.path().join("i.jsonl"), dir.path().join("result.json"));
    let child = common::program()
        .args([
            "-q",
            "soak",
            "--duration",
            "2h",
            "--interval",
            "10",
            "--format",
            "json",
        ])
        .args(["--gap-us", "500", "--intervals"])
        .arg(&stream)
        .arg("--output")
        .arg(&output)
        .spawn();
    let mut child = child.expect("the program starts");
    let begun = std::time::Instant::now();
    while lines(&stream).len() < 5 {
        assert!(begun.elapsed().as_secs() < 120, "no intervals");
        assert!(
            child.try_wait().expect("a child").is_none(),
            "it ended by itself"
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let id = rustix::process::Pid::from_raw(child.id() as i32).expect("a process");
    rustix::process::kill_process(id, rustix::process::Signal::INT).expect("it is told");
    let code = child.wait().expect("it ends").code();
    assert_eq!(code, Some(130));
    let json: Value =
        serde_json::from_slice(&std::fs::read(&output).expect("a result")).expect("JSON");
    assert_eq!(
        (&json["complete"], &json["restored"]),
        (&false.into(), &true.into())
    );
    assert_eq!(json["violation"], Value::Null);
    let rows = intervals(&json);
    assert!(rows.len() >= 5);
    assert_eq!(lines(&stream), *rows);
    let fired: u64 = rows.iter().map(|r| number(&r["fired"])).sum();
    assert_eq!(number(&json["totals"]["fired"]), fired);
}

#[test]
fn how_far_it_is_is_told_by_the_targets_clock() {
    needs_firmware!();
    // A dashboard that cannot be there leaves lines.
    let run = aicprobe(&["soak", "--duration", "900ms", "--live"]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let said = stderr(&run);
    let far = said
        .lines()
        .find(|l| l.contains("of 0.9 s on the target's clock"));
    let far = far.unwrap_or_else(|| panic!("{said}"));
    assert!(
        far.contains(" s left: ") && far.contains("triggers/s"),
        "{far}"
    );
}

#[test]
fn bad_input_changes_nothing() {
    needs_firmware!();
    let cases: [(&[&str], i32, &str); 14] = [
        (&["--triggers", "0"], 2, "1..=1000000000000"),
        (
            &["--triggers", "5", "--duration", "1s"],
            2,
            "cannot be used with",
        ),
        (&["--duration", "5"], 2, "ms, s, m or h"),
        (&["--interval", "5"], 2, "10..=1000"),
        (
            &["--fire-cpu", "6"],
            2,
            "--fire-cpu 6: this target has CPUs 0 to 5",
        ),
        (
            &["--expect", "0,7"],
            2,
            "--expect 7: this target has CPUs 0 to 5",
        ),
        (&["--expect", "1,1"], 2, "--expect names CPU 1 twice"),
        (&["--set-field", "9=1"], 2, "--set-field 9: this target"),
        (&["--set-field", "1=4"], 2, "allowed are 0, 1, 2 and 3"),
        (&["--target-mask", "1"], 2, "--target-mask is for AICv1"),
        (&["--gap-us", "20000"], 2, "at most 10000 is allowed"),
        (&["--max-latency", "0"], 2, "0.001 to 4000000"),
        (
            &["--intervals", "/nowhere/at/all"],
            2,
            "--intervals /nowhere/at/all",
        ),
        // Nobody accepts.
        (
            &["--set-field", "0=3"],
            6,
            "none of 256 triggers landed within the timeout of 100 us",
        ),
    ];
    for (args, code, said) in cases {
        let mut all = vec!["soak", "--timeout", "0.1"];
        all.extend(args);
        let run = aicprobe(&all);
        assert_eq!(run.status.code(), Some(code), "{args:?}: {}", stderr(&run));
        assert!(stderr(&run).contains(said), "{args:?}: {}", stderr(&run));
        assert_eq!(stdout(&run), "");
    }
}
