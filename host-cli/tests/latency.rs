//! Latencies through the whole tool: shape on several routing policies, exact figures from a model's timing, spikes.

mod common;

use common::{Run, aicprobe, run_plan, stderr, stdout};
use host_cli::firmware::Firmware;
use host_cli::latency::{Ask, Pairs, Setting, Trial, calibrate, pairs};
use host_cli::plan::PlannedCell;
use host_cli::session::{Event, Observer, Silent};
use host_cli::stats::Percentiles;
use host_cli::target::find_spare;
use protocol::event::unpack;
use protocol::message::Event as Raw;
use serde_json::Value;
use virtual_soc::SocModel;

/// The result of `aicprobe latency` in JSON, and the exit code.
fn latency(target: &str, args: &[&str]) -> (Option<i32>, Value) {
    let mut all = vec!["-q", "latency", "--format", "json", "--target", target];
    all.extend(args);
    let run = aicprobe(&all);
    let json = serde_json::from_slice(&run.stdout);
    let json = json.unwrap_or_else(|_| panic!("{target} {args:?}: {}", stderr(&run)));
    (run.status.code(), json)
}

/// A machine in a file that lives as long as the folder.
fn model(base: &str, changes: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a folder of the test");
    let path = dir.path().join("model.toml");
    let text =
        format!("extends = \"{base}\"\nname = \"changed\"\ntitle = \"{base}, changed\"\n{changes}");
    std::fs::write(&path, text).expect("a file of the test");
    (dir, format!("vm:{}", path.display()))
}

fn rows(json: &Value) -> &Vec<Value> {
    json["pairs"].as_array().expect("rows")
}

fn values(p: &Value) -> Vec<u64> {
    let names = ["min", "p50", "p95", "p98", "p99", "p999", "max"];
    names.map(|n| p[n].as_u64().expect(n)).to_vec()
}

fn total(histogram: &Value) -> u64 {
    let buckets = histogram.as_array().expect("buckets");
    buckets
        .iter()
        .map(|b| b["count"].as_u64().expect("a count"))
        .sum()
}

/// Every pair is there, everything landed where it was to, and the numbers fit together.
fn assert_whole(json: &Value, cpus: u64, triggers: u64, loads: &[&str]) {
    assert_eq!(json["complete"], true, "{}", json["marks"]);
    assert_eq!(json["restored"], true);
    let mut left: Vec<(String, u64, u64)> = Vec::new();
    for load in loads {
        left.extend((0..cpus * cpus).map(|i| ((*load).to_owned(), i / cpus, i % cpus)));
    }
    for row in rows(json) {
        let number = |name: &str| row[name].as_u64().expect("a number");
        let (fire, land) = (number("fire_cpu"), number("land_cpu"));
        let load = row["load"].as_str().expect("a load").to_owned();
        let at = left.iter().position(|p| *p == (load.clone(), fire, land));
        left.remove(at.expect("a pair that is due"));
        assert_eq!(row["landed"][land as usize], triggers, "{row}");
        assert_eq!((number("fired"), number("lost")), (triggers, 0));
        for (p, h) in [
            ("entry_ns", "entry_histogram"),
            ("handler_ns", "handler_histogram"),
        ] {
            let (p, h) = (&row[p], &row[h]);
            assert_eq!(p["count"], triggers);
            assert_eq!(total(h), triggers);
            let values = values(p);
            assert!(values.is_sorted(), "{values:?}");
            assert_eq!(h[0]["from_ns"].as_u64(), Some(values[0]));
        }
        let loaded = row["loaded"].as_array().expect("CPUs");
        assert_eq!(loaded.is_empty(), load == "idle");
        for cpu in loaded {
            assert!(*cpu != 0 && *cpu != fire && *cpu != land, "{row}");
        }
    }
    assert!(left.is_empty(), "pairs that are missing: {left:?}");
}

#[test]
fn every_pair_on_t8140_in_every_setting() {
    needs_firmware!();
    let (code, json) = latency("vm:t8140", &["--triggers", "40"]);
    assert_eq!(
        (code, &json["schema"]),
        (Some(0), &"aicprobe.latency/1".into())
    );
    assert_whole(&json, 6, 40, &["idle", "spin", "memory"]);
    assert!(json["marks"].to_string().contains("never loaded"));
    // A CPU that computes looks at its word less often than one that waits for it.
    let p50 = |load: &str| -> u64 {
        let of = rows(&json).iter().filter(|r| r["load"] == load);
        of.map(|r| r["entry_ns"]["p50"].as_u64().expect("a number"))
            .sum()
    };
    assert!(p50("spin") > p50("idle"));
}

#[test]
fn every_pair_by_other_policies() {
    needs_firmware!();
    // Ten CPUs and round robin; AICv1 by its target; fields that mean something else.
    let (_dir, other) = model(
        "t8140",
        "[siq]\nclasses = [\"fallback\", \"never\", \"never\", \"preferred\"]\nchoice = \"random\"\non_masked = \"wait\"\n",
    );
    for (target, cpus) in [("vm:t6020", 10), ("vm:t8103", 8), (other.as_str(), 6)] {
        let (code, json) = latency(target, &["--triggers", "12", "--load", "idle"]);
        assert_eq!(code, Some(0), "{target}");
        assert_whole(&json, cpus, 12, &["idle"]);
    }
}

/// A counter of 1 GHz: a tick is a nanosecond.
const GHZ: &str = "[counter]\nhz = 1000000000\n";

#[test]
fn a_delivery_that_takes_longer_is_seen_to_the_nanosecond() {
    needs_firmware!();
    for base in ["t8140", "t8103"] {
        let entry = |delivery: u64| {
            let (_dir, target) = model(base, &format!("{GHZ}[siq]\ndelivery_ns = {delivery}\n"));
            let args = [
                "--triggers",
                "20",
                "--load",
                "idle",
                "--fire-cpu",
                "0",
                "--land-cpu",
                "0,2",
            ];
            let (code, json) = latency(&target, &args);
            assert_eq!(code, Some(0));
            let of = |r: &Value| values(&r["entry_ns"]);
            rows(&json).iter().map(of).collect::<Vec<_>>()
        };
        let (short, long) = (entry(1_000), entry(3_000));
        for (short, long) in short.iter().zip(&long) {
            // Only the smallest: when CPUs look at their inputs does not move with it.
            assert_eq!(long[0] - short[0], 2_000, "{base}: {short:?} {long:?}");
        }
        assert!(short[0][0] >= 1_000);
    }
}

#[test]
fn latencies_are_multiples_of_the_counters_step() {
    needs_firmware!();
    let (_dir, target) = model("t8140", &format!("{GHZ}step = 250\n"));
    let (_, json) = latency(
        &target,
        &["--triggers", "50", "--fire-cpu", "0,1", "--load", "idle"],
    );
    assert_eq!(json["counter"]["step_ticks"], 250);
    for row in rows(&json) {
        for bucket in row["entry_histogram"].as_array().expect("buckets") {
            assert_eq!(bucket["from_ns"].as_u64().expect("ns") % 250, 0, "{row}");
        }
    }
}

/// Keeps every event.
#[derive(Default)]
struct Keep(Vec<(u32, Raw)>);

impl Observer for Keep {
    fn on(&mut self, event: Event<'_>) {
        if let Event::Raw { cell, batch, .. } = event {
            let events = unpack(batch).map(|e| e.expect("an event"));
            self.0.extend(events.map(|e| (cell.id, e)));
        }
    }
}

/// Runs the cells that `change` makes of those of a plan of all pairs.
fn run_raw(model: &SocModel, ask: &Ask, keep: &mut Keep) -> (Run, Vec<(Setting, u8)>) {
    let mut of = Vec::new();
    let run = run_plan(
        model,
        |proxy, target| {
            let line = find_spare(proxy, target).expect("a line");
            let trial = Trial {
                steer: true,
                ..Trial::as_found(target)
            };
            let firmware = Firmware::load(None).expect("an image");
            let known = calibrate(proxy, target, &firmware, line, 1, &trial, &mut Silent);
            let Pairs {
                mut plan, of: what, ..
            } = pairs(ask, &known.expect("a first look"), line).expect("a plan");
            plan.cells
                .iter_mut()
                .for_each(|c: &mut PlannedCell| c.raw = true);
            of = what;
            plan
        },
        keep,
    );
    (run, of)
}

#[test]
fn percentiles_are_those_of_the_raw_events() {
    needs_firmware!();
    let model = common::variant("[siq]\njitter_ns = 20000\n");
    let ask = Ask {
        fire_cpus: vec![0, 3],
        land_cpus: vec![0, 5],
        settings: vec![Setting::Idle, Setting::Spin],
        triggers: 700,
        ..Ask::default()
    };
    let mut keep = Keep::default();
    let (run, of) = run_raw(&model, &ask, &mut keep);
    assert_eq!(of.len(), 8);
    let hz = 24_000_000;
    for (cell, m) in &run.outcome.cells {
        let events = || {
            keep.0
                .iter()
                .filter(|(id, _)| *id == cell.id)
                .map(|(_, e)| e)
        };
        let mut firsts: Vec<u64> = events().map(|e| e.first).collect();
        let mut seconds: Vec<u64> = events().map(|e| e.second).collect();
        let entry = Percentiles::of(&m.histogram, m.latencies, m.min_ticks, m.max_ticks, hz);
        let handler = Percentiles::of(&m.second, m.seconds, m.min_second, m.max_second, hz);
        for (got, exact) in [(entry, &mut firsts), (handler, &mut seconds)] {
            let got = got.expect("counts that fit").expect("values");
            assert_eq!((got.count, exact.len()), (700, 700));
            exact.sort_unstable();
            // Below 1024 ticks a bucket is a tick: nearest rank is exact.
            assert!(exact[699] < 1024);
            let at = |rank: usize| {
                (u128::from(exact[rank - 1]) * 1_000_000_000 + hz as u128 / 2) / hz as u128
            };
            let ranks = [1, 350, 665, 686, 693, 700, 700];
            assert_eq!(got.values().map(u128::from), ranks.map(at));
        }
        // The handler's time is what the CPU was busy.
        let busy: u64 = m.busy.iter().sum();
        let seconds: u64 = seconds.iter().sum();
        assert!(busy >= seconds, "{busy} {seconds}");
    }
}

#[test]
fn a_spike_ends_the_run_and_is_shown() {
    needs_firmware!();
    for (base, load) in [("t8140", "spin"), ("t8103", "idle")] {
        let (_dir, target) = model(base, "[siq]\njitter_ns = 5000\n");
        let args = [
            "--triggers",
            "1000",
            "--load",
            load,
            "--stop-entry",
            "5",
            "--fire-cpu",
            "0",
        ];
        let (code, json) = latency(&target, &args);
        assert_eq!(code, Some(5), "{base}");
        assert_eq!(
            (&json["complete"], &json["restored"]),
            (&false.into(), &true.into())
        );
        assert_eq!(json["thresholds"]["entry_ns"], 5000);
        let spike = &json["spike"];
        assert_eq!(
            (&spike["cause"], &spike["load"]),
            (&"entry".into(), &load.into())
        );
        let events = spike["events"].as_array().expect("events");
        let at = events
            .iter()
            .position(|e| e["cause"] == true)
            .expect("the spike");
        assert_eq!(events[at]["trigger"], spike["trigger"]);
        // Everything before is below the threshold, the spike is above, and four more were fired.
        for (i, event) in events.iter().enumerate() {
            let ns = event["entry_ns"].as_u64().expect("a latency");
            assert!(i > at || (ns > 5000) == (i == at), "{events:?}");
            let since = |e: &Value| e["since_ns"].as_u64().expect("a time");
            assert!(i == 0 || since(event) > since(&events[i - 1]));
        }
        assert_eq!(events.len(), at + 5);
        let ns = events[at]["entry_ns"].as_u64().expect("a latency");
        let text = spike["text"].as_str().expect("words");
        let (after, allowed) = (format!("after {ns} ns"), "allowed are 5000 ns");
        assert!(text.contains(&after) && text.contains(allowed), "{text}");
        let last = rows(&json).last().expect("a row");
        let trigger = spike["trigger"].as_u64().expect("a number");
        // The cell ended there: what the firmware had been given beyond is not counted.
        assert_eq!(last["fired"], trigger + 5);
        assert_eq!(last["cell"], spike["cell"]);
        let refused = rows(&json).iter().filter(|r| r["refused"].is_string());
        assert_eq!(refused.count(), 1, "{base}: cells after the spike");
        assert!(last["refused"].is_string());
    }
}

#[test]
fn a_threshold_of_both_looks_at_the_handlers_end() {
    needs_firmware!();
    // An entry takes 167 ns, a handler 83 or 125.
    let args = [
        "--triggers",
        "100",
        "--load",
        "idle",
        "--fire-cpu",
        "1",
        "--land-cpu",
        "1",
    ];
    let (code, whole) = latency("vm:t8140", &args);
    assert_eq!((code, &whole["spike"]), (Some(0), &Value::Null));
    let row = &rows(&whole)[0];
    let most = |name: &str| row[name]["max"].as_u64().expect("a number");
    let above = most("entry_ns") + most("handler_ns") + 1;
    let with = |ns: u64| {
        let us = format!("{}", ns as f64 / 1e3);
        let mut args = args.to_vec();
        args.extend(["--stop-total", us.as_str()]);
        latency("vm:t8140", &args)
    };
    assert_eq!(with(above).0, Some(0));
    let (code, json) = with(most("entry_ns") + 1);
    assert_eq!((code, &json["spike"]["cause"]), (Some(5), &"total".into()));
}

#[test]
fn the_same_seed_gives_the_same_bytes_in_every_form() {
    needs_firmware!();
    let (_dir, target) = model("t8140", "[siq]\njitter_ns = 3000\n");
    let args = |form: &'static str, seed: &'static str| {
        let args = [
            "-q",
            "latency",
            "--triggers",
            "30",
            "--load",
            "idle,memory",
            "--land-cpu",
            "1",
            "--format",
            form,
            "--seed",
            seed,
            "--target",
        ];
        args.to_vec()
    };
    let run = |form, seed| {
        let mut args = args(form, seed);
        args.push(&target);
        let run = aicprobe(&args);
        assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
        stdout(&run)
    };
    for form in ["table", "json", "jsonl", "csv", "markdown"] {
        assert_eq!(run(form, "7"), run(form, "7"), "{form}");
    }
    assert_ne!(run("csv", "7"), run("csv", "8"));
    let csv = run("csv", "1");
    let mut lines = csv.lines();
    let head = "load,fire_cpu,land_cpu,latency,count,min,p50,p95,p98,p99,p99.9,max,fired,lost,late,duplicate,spurious";
    assert_eq!(lines.next(), Some(head));
    assert_eq!(lines.count(), 6 * 2 * 2);
    let jsonl = run("jsonl", "1");
    let pairs = jsonl.lines().filter(|l| l.starts_with("{\"pairs\":"));
    assert_eq!(pairs.count(), 12);
}

#[test]
fn odd_machines() {
    needs_firmware!();
    // Whatever the fields say, they land on CPU 0: that is what can be measured, and it is said.
    let (_dir, target) = model("t8140", "[siq]\nhonoured = false\nchoice = \"lowest-id\"\n");
    let (code, json) = latency(&target, &["--triggers", "5", "--load", "idle"]);
    assert_eq!((code, rows(&json).len()), (Some(0), 6));
    assert!(
        rows(&json)
            .iter()
            .all(|r| r["land_cpu"] == 0 && r["landed"][0] == 5)
    );
    assert!(
        json["marks"]
            .to_string()
            .contains("no value of SIQ_CFG's field")
    );
    let refused = aicprobe(&["latency", "--target", &target, "--land-cpu", "2"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("they land on CPU 0"),
        "{}",
        stderr(&refused)
    );
    // CPUs that do not run leave their pairs out; named, they are an error.
    let odd = concat!(
        "vm:",
        env!("CARGO_MANIFEST_DIR"),
        "/../virtual-soc/models/odd/mmu-off.toml"
    );
    let (code, json) = latency(odd, &["--load", "idle,spin", "--triggers", "5"]);
    assert_eq!(code, Some(0));
    // Four run: with the boot CPU and a pair away there is always one to load.
    assert_eq!(rows(&json).len(), 2 * 16);
    for row in rows(&json) {
        assert!(row["fire_cpu"] != 2 && row["land_cpu"] != 5, "{row}");
        assert_eq!(
            row["landed"][row["land_cpu"].as_u64().expect("a CPU") as usize],
            5
        );
    }
    let named = aicprobe(&["latency", "--target", odd, "--land-cpu", "5"]);
    assert_eq!(named.status.code(), Some(3), "{}", stderr(&named));
    assert!(stderr(&named).contains("no-mmu"), "{}", stderr(&named));
    // A machine that gives interrupts to nobody decides nothing.
    let (_dir, target) = model(
        "t8140",
        "[siq]\nclasses = [\"never\", \"never\", \"never\", \"never\"]\n",
    );
    let nobody = aicprobe(&["latency", "--target", &target]);
    assert_eq!(nobody.status.code(), Some(6), "{}", stderr(&nobody));
}

#[test]
fn where_nothing_can_be_measured_only_what_is_known_is_named() {
    needs_firmware!();
    let said = |changes: &str, args: &[&str]| {
        let (_dir, target) = model("t8140", changes);
        let mut said = Vec::new();
        for command in [&["latency", "--load", "idle"][..], &["soak"]] {
            let rest = ["-q", "--triggers", "5", "--target", &target];
            let run = aicprobe(&[command, &rest, args].concat());
            said.push((run.status.code(), stderr(&run)));
        }
        said
    };
    for (code, text) in said("[faults]\nconfig_stuck = true\n", &[]) {
        assert_eq!(code, Some(6), "{text}");
        assert!(
            text.contains("CONFIG reads back without ENABLE") && !text.contains("SIQ_CFG"),
            "{text}"
        );
    }
    // Later than the timeout: nobody can know whether it ever comes, but that a longer one may help.
    let slow = "[siq]\ndelivery_ns = 3000000\n";
    for (code, text) in said(slow, &["--timeout", "2"]) {
        assert_eq!(code, Some(6), "{text}");
        assert!(
            text.contains("within the timeout of 2000 us") && text.contains("raise --timeout"),
            "{text}"
        );
    }
    for (code, text) in said(slow, &["--timeout", "4"]) {
        assert_eq!((code, &*text), (Some(0), ""));
    }
    // Soon after it: that it comes is known.
    for (code, text) in said(slow, &["--timeout", "2.9"]) {
        assert_eq!(code, Some(6), "{text}");
        assert!(text.contains("came after it: raise --timeout"), "{text}");
    }
}

#[test]
fn bad_input_changes_nothing() {
    let cases: [(&[&str], &str); 9] = [
        (
            &["--fire-cpu", "9"],
            "--fire-cpu 9: this target has CPUs 0 to 5",
        ),
        (
            &["--land-cpu", "6"],
            "--land-cpu 6: this target has CPUs 0 to 5",
        ),
        (&["--land-cpu", "1,1"], "--land-cpu names CPU 1 twice"),
        (&["--load", "busy"], "idle, spin, memory"),
        (&["--load", "idle,spin,idle"], "--load names idle twice"),
        (&["--triggers", "0"], "1..=1000000000"),
        (&["--stop-entry", "0"], "0.001 to 4000000"),
        (&["--stop-total", "x"], "0.001 to 4000000"),
        (&["--timeout", "0"], "0.001 to 10000"),
    ];
    needs_firmware!();
    for (args, said) in cases {
        let mut all = vec!["latency"];
        all.extend(args);
        let run = aicprobe(&all);
        assert_eq!(run.status.code(), Some(2), "{args:?}: {}", stderr(&run));
        assert!(stderr(&run).contains(said), "{args:?}: {}", stderr(&run));
        assert_eq!(stdout(&run), "");
    }
}
