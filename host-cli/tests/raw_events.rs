//! Raw events of whole runs: kept in a file, and every number computed again from it.

mod common;

use common::trees::Folder;
use common::{Run, aicprobe, run_plan, stderr, stdout, t8140, variant};
use host_cli::plan::{MaskedCpu, Plan, PlannedCell, Request};
use host_cli::raw::Recount;
use host_cli::route::make_plan;
use host_cli::session::{Event as Told, Observer};
use protocol::Packet;
use protocol::command::{Handover, Special};
use protocol::event::unpack;
use protocol::frame::{MAX_FRAME, encode};
use protocol::message::{CellResult, Event, EventKind, Message};
use serde_json::Value;

fn json(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", stderr(output)))
}

/// Keeps the events of `route` with these arguments; its result, and the file.
fn kept(folder: &Folder, args: &[&str]) -> (Value, String) {
    let file = folder.file("events.bin", b"something older that is longer than nothing");
    let mut all = vec!["route", "-q", "--format", "json", "--raw", &file];
    all.extend(args);
    let run = aicprobe(&all);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    (json(&run), file)
}

/// One of the odd machines.
fn odd(model: &str) -> String {
    format!(
        "vm:{}/../virtual-soc/models/odd/{model}.toml",
        env!("CARGO_MANIFEST_DIR")
    )
}

#[test]
fn replay_gives_the_result_of_the_run() {
    needs_firmware!();
    let folder = Folder::new();
    let several = ["--fire-cpu", "0", "--fire-cpu", "4", "--triggers", "3000"];
    let masked = ["--fire-cpu", "1", "--mask", "0:0.3", "--triggers", "300"];
    let plans: [&[&str]; 3] = [&["--triggers", "5"], &several, &masked];
    for args in plans {
        let (result, file) = kept(&folder, args);
        let replay = aicprobe(&["replay", &file, "--format", "json"]);
        assert_eq!(replay.status.code(), Some(0), "{}", stderr(&replay));
        assert_eq!(json(&replay), result, "{args:?}");
        let said = stderr(&replay);
        assert!(said.contains("computed again from"), "{said}");
    }
}

/// A run with its events kept, and the result that `replay` makes of them.
fn run_and_replay(folder: &Folder, args: &[&str], code: i32) -> (String, String) {
    let file = format!("{}/kept.bin", folder.path());
    let mut all = args.to_vec();
    all.extend(["-q", "--format", "json", "--raw", &file]);
    let run = aicprobe(&all);
    assert_eq!(run.status.code(), Some(code), "{args:?}: {}", stderr(&run));
    let replay = aicprobe(&["replay", &file, "--format", "json"]);
    assert_eq!(
        replay.status.code(),
        Some(0),
        "{args:?}: {}",
        stderr(&replay)
    );
    (stdout(&run), stdout(&replay))
}

#[test]
fn other_commands_are_computed_again_too() {
    needs_firmware!();
    let folder = Folder::new();
    let jittery = folder.file(
        "jittery.toml",
        b"extends = \"t8140\"\nname = \"jittery\"\ntitle = \"T8140 that jitters\"\n[siq]\njitter_ns = 3000\n",
    );
    let jittery = format!("vm:{jittery}");
    let few = folder.file(
        "few.toml",
        b"extends = \"t8140\"\nname = \"few\"\ntitle = \"two CPUs of three\"\n[loader]\nleaves_mmu_off = [1]\n\
          [faults]\nduplicate_every = 9\n[[cpu_change]]\nadt_id = 2\npresent = false\n\
          [[cpu_change]]\nadt_id = 3\npresent = false\n[[cpu_change]]\nadt_id = 5\npresent = false\n",
    );
    let few = format!("vm:{few}");
    let runs: [(&[&str], i32); 8] = [
        (
            &[
                "fields",
                "--target",
                &few,
                "--triggers",
                "3",
                "--mask",
                "1:0.3",
            ],
            0,
        ),
        // Its rule is none, and what was measured is there.
        (
            &[
                "fields",
                "--target",
                &few,
                "--timeout",
                "0.1",
                "--triggers",
                "2",
            ],
            0,
        ),
        (&["handoff", "--triggers", "20", "--land-cpu", "0,2"], 0),
        (
            &[
                "latency",
                "--triggers",
                "50",
                "--land-cpu",
                "1",
                "--load",
                "idle,memory",
            ],
            0,
        ),
        (
            &[
                "latency",
                "--target",
                &jittery,
                "--triggers",
                "500",
                "--stop-entry",
                "2.5",
            ],
            5,
        ),
        (&["soak", "--duration", "250ms"], 0),
        (
            &[
                "soak",
                "--triggers",
                "30000",
                "--interval",
                "20",
                "--keep-intervals",
                "2",
            ],
            0,
        ),
        (
            &[
                "soak",
                "--target",
                &jittery,
                "--duration",
                "100ms",
                "--max-latency",
                "2.9",
            ],
            5,
        ),
    ];
    for (args, code) in runs {
        let (run, again) = run_and_replay(&folder, args, code);
        assert_eq!(run, again, "{args:?}");
    }
}

#[test]
fn a_soak_that_was_cut_is_computed_as_far_as_it_goes() {
    needs_firmware!();
    let folder = Folder::new();
    let file = format!("{}/soak.bin", folder.path());
    let run = aicprobe(&[
        "soak",
        "-q",
        "--duration",
        "300ms",
        "--format",
        "json",
        "--raw",
        &file,
    ]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let bytes = std::fs::read(&file).expect("the events");
    std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("half of them");
    let replay = aicprobe(&["replay", &file, "--format", "json"]);
    assert_eq!(replay.status.code(), Some(6), "{}", stderr(&replay));
    let (run, again) = (json(&run), json(&replay));
    let fired = |result: &Value| result["totals"]["fired"].as_u64().expect("a count");
    assert!(0 < fired(&again) && fired(&again) < fired(&run), "{again}");
    // What there is of it is as it was.
    assert_eq!(again["intervals"][0], run["intervals"][0]);
    assert_eq!(again["complete"], false);
    // The part in which it is cut took nobody knows how long: it is in no rate.
    assert!(
        again["marks"].to_string().contains("in no rate"),
        "{}",
        again["marks"]
    );
    let rate = |result: &Value| result["totals"]["rate_per_s"].as_u64().expect("a rate");
    assert!(
        rate(&again).abs_diff(rate(&run)) < rate(&run) / 50,
        "{again}"
    );
}

/// Machines on which triggers are lost, late and taken twice.
#[test]
fn what_goes_wrong_is_in_the_events_too() {
    needs_firmware!();
    let folder = Folder::new();
    let mut seen = [0; 3];
    for model in [
        "loses-one",
        "delivers-twice",
        "moves-late",
        "drops-on-retarget",
    ] {
        let target = odd(model);
        let (result, file) = kept(
            &folder,
            &["--target", &target, "--triggers", "8", "--timeout", "0.5"],
        );
        let replay = aicprobe(&["replay", &file, "--format", "json"]);
        assert_eq!(
            replay.status.code(),
            Some(0),
            "{model}: {}",
            stderr(&replay)
        );
        assert_eq!(json(&replay), result, "{model}");
        for (sum, what) in seen.iter_mut().zip(["lost", "late", "duplicate"]) {
            *sum += result["summary"][what].as_u64().expect("a count");
        }
    }
    assert!(seen[0] > 0 && seen[2] > 0, "{seen:?}");
}

#[test]
fn every_form_and_the_counts_alone() {
    needs_firmware!();
    let folder = Folder::new();
    let (result, file) = kept(&folder, &["--fire-cpu", "2", "--triggers", "40"]);
    for form in ["table", "json", "jsonl", "csv", "markdown"] {
        let own = stdout(&aicprobe(&["replay", &file, "--format", form]));
        assert!(own.contains("40"), "{form}: {own}");
        let counts = aicprobe(&["replay", &file, "--counts", "--format", form]);
        assert_eq!(counts.status.code(), Some(0), "{}", stderr(&counts));
        assert!(stdout(&counts).contains("40"), "{form}");
    }
    let counts = json(&aicprobe(&[
        "replay", &file, "--counts", "--format", "json",
    ]));
    assert_eq!(counts["schema"], "aicprobe.replay/1");
    let (cell, of) = (&counts["cells"][0], &result["cells"][0]);
    assert_eq!(
        (&cell["landed"], &cell["fired"]),
        (&of["landed"], &of["fired"])
    );
    for percentile in ["min", "p50", "p95", "p99", "max"] {
        assert_eq!(cell["latency_ns"][percentile], of["latency_ns"][percentile]);
    }
    assert_eq!(counts["totals"]["events"], 40);
}

#[test]
fn files_that_are_cut_damaged_or_none_are_told() {
    needs_firmware!();
    let folder = Folder::new();
    let (_, file) = kept(&folder, &["--fire-cpu", "2", "--triggers", "400"]);
    let bytes = std::fs::read(&file).expect("written");
    let replay = |bytes: &[u8]| {
        let path = folder.file("other.bin", bytes);
        let output = aicprobe(&["replay", &path, "--format", "json"]);
        (output.status.code(), stdout(&output), stderr(&output))
    };
    let (code, result, said) = replay(&bytes[..bytes.len() * 3 / 4]);
    assert_eq!(code, Some(6), "{said}");
    assert!(said.contains("the file is cut after byte"), "{said}");
    assert!(result.contains("\"complete\": false") || result.contains("\"complete\":false"));
    let mut damaged = bytes.clone();
    let at = bytes.len() / 2;
    damaged[at] ^= 4;
    let (code, result, said) = replay(&damaged);
    assert_eq!((code, result.as_str()), (Some(2), ""), "{said}");
    assert!(said.contains("is damaged: its"), "{said}");
    let (code, _, said) = replay(b"{}");
    assert_eq!(code, Some(2));
    assert!(said.contains("it is no file of raw events"), "{said}");
}

#[test]
fn what_raw_cannot_go_with_is_told_before_anything_runs() {
    let folder = Folder::new();
    let file = folder.file("events.bin", b"old");
    for (args, text) in [
        (
            vec!["--target", "vm:all"],
            "not with --dry-run and --target vm:all",
        ),
        (vec!["--dry-run"], "not with --dry-run"),
        (vec!["--output", &file], "name the same file"),
    ] {
        let mut all = vec!["route", "--raw", &file];
        all.extend(args);
        let output = aicprobe(&all);
        // Without a firmware inside only the dry run comes so far.
        if host_cli::firmware::Firmware::is_built_in() || all.contains(&"--dry-run") {
            assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
            assert!(stderr(&output).contains(text), "{}", stderr(&output));
        }
    }
    assert_eq!(std::fs::read(&file).expect("there"), b"old");
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_is_named_where_it_was_left_out() {
    needs_firmware!();
    let output = aicprobe(&["route", "--raw", "/nowhere/events.parquet"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("--features parquet"),
        "{}",
        stderr(&output)
    );
}

/// Every event as it came, and how many bytes they took on the wire.
#[derive(Default)]
struct Everything {
    /// By cell.
    events: Vec<Vec<Event>>,
    bytes: usize,
    /// What each part's events say, beside what the target counted.
    recount: Recount,
    differences: Vec<String>,
}

impl Observer for Everything {
    fn on(&mut self, event: Told<'_>) {
        match event {
            Told::Raw { cell, batch, .. } => {
                let packet = Packet {
                    seq: 1000,
                    dropped: 0,
                    message: Message::Events(batch.clone()),
                };
                let mut frame = [0; MAX_FRAME];
                self.bytes += encode(&packet, &mut frame).expect("it fits");
                let at = cell.id as usize;
                self.events
                    .resize(self.events.len().max(at + 1), Vec::new());
                let events = unpack(batch).map(|e| e.expect("well formed"));
                self.events[at].extend(events);
                self.recount.batch(batch).expect("well formed");
            }
            Told::Part { cell, counts } => {
                let word = |n: u64| n as u32;
                let words = |n: &[u64]| n.iter().map(|n| *n as u32).collect();
                let said = CellResult {
                    id: cell.id,
                    refusal: counts.refusal,
                    fields: Default::default(),
                    fired: word(counts.fired),
                    landed: words(&counts.landed),
                    offered: Default::default(),
                    lost: word(counts.lost),
                    late: word(counts.late),
                    duplicate: word(counts.duplicate),
                    spurious: 0,
                    latencies: word(counts.latencies),
                    from_unmask: word(counts.from_unmask),
                    min_ticks: counts.min_ticks,
                    max_ticks: counts.max_ticks,
                    hits: Default::default(),
                    left_masked: 0,
                    elapsed: 0,
                    seconds: word(counts.seconds),
                    min_second: counts.min_second,
                    max_second: counts.max_second,
                    busy: Default::default(),
                    served: words(&counts.served),
                };
                let again = self.recount.part(&said);
                assert_eq!(again.dropped, 0);
                assert_eq!(again.histogram, counts.histogram, "cell {}", cell.id);
                assert_eq!(again.second, counts.second, "cell {}", cell.id);
                self.differences.extend(again.differences);
            }
            _ => {}
        }
    }
}

/// Cells of every kind that has events: as found, masked, timed, handed over.
fn every_kind(cells: &[PlannedCell]) -> Plan {
    let mut plan = Vec::new();
    for (id, special) in (0u32..).zip([
        Special::default(),
        Special::default(),
        Special {
            timed: true,
            ..Special::default()
        },
        Special {
            handover: Some(Handover::Store(3)),
            ..Special::default()
        },
        Special {
            handover: Some(Handover::Direct),
            ..Special::default()
        },
    ]) {
        let masked = match id {
            1 => vec![MaskedCpu { cpu: 0, us: 200 }],
            _ => Vec::new(),
        };
        plan.push(PlannedCell {
            id,
            masked,
            special,
            raw: true,
            ..cells[0].clone()
        });
    }
    Plan::of(plan)
}

fn run_every_kind(model: &virtual_soc::SocModel, seen: &mut Everything) -> Run {
    let request = Request {
        fire_cpus: vec![1],
        triggers: 1000,
        ..Request::default()
    };
    let run = run_plan(
        model,
        |proxy, target| every_kind(&make_plan(proxy, target, &request).expect("a plan").cells),
        seen,
    );
    assert!(run.outcome.failure.is_none(), "{:?}", run.outcome.failure);
    assert!(
        run.outcome
            .cells
            .iter()
            .all(|(_, m)| m.complete && m.fired == 1000)
    );
    run
}

/// The value that `per_mille` thousandths of all do not exceed (nearest rank).
fn exact(sorted: &[u64], per_mille: usize) -> u64 {
    sorted[(sorted.len() * per_mille).div_ceil(1000).max(1) - 1]
}

#[test]
fn percentiles_are_those_of_the_raw_events() {
    needs_firmware!();
    for model in [t8140(), variant("[siq]\nchoice = \"random\"\n")] {
        let mut seen = Everything::default();
        let run = run_every_kind(&model, &mut seen);
        assert!(seen.differences.is_empty(), "{:?}", seen.differences);
        for (cell, m) in &run.outcome.cells {
            let events = &seen.events[cell.id as usize];
            let landed = events.iter().filter(|e| e.kind.has_latency());
            let mut first: Vec<u64> = landed.clone().map(|e| e.first).collect();
            let mut second: Vec<u64> = landed.map(|e| e.second).collect();
            first.sort_unstable();
            second.sort_unstable();
            assert_eq!(m.latencies, first.len() as u64);
            let mut both = vec![(&m.histogram, &first, m.min_ticks, m.max_ticks)];
            if m.seconds > 0 {
                assert_eq!(m.seconds, second.len() as u64);
                both.push((&m.second, &second, m.min_second, m.max_second));
            }
            for (histogram, values, min, max) in both {
                assert_eq!((values.first(), values.last()), (Some(&min), Some(&max)));
                for per_mille in [500, 950, 980, 990, 999] {
                    let (got, exact) = (
                        histogram.per_mille(per_mille),
                        exact(values, per_mille as usize),
                    );
                    // At most 1 tick where every value has its bucket, 1 % above.
                    let most = (exact / 100).max(1);
                    assert!(
                        got.abs_diff(exact) <= most,
                        "{per_mille}: {got}, exactly {exact}"
                    );
                }
            }
        }
        let masked = &seen.events[1];
        assert!(
            masked
                .iter()
                .all(|e| e.kind == EventKind::Landed || e.kind == EventKind::Unmasked)
        );
        assert!(seen.events[3].iter().all(|e| e.served == 3));
    }
}

#[test]
fn an_event_takes_at_most_eight_bytes_on_the_wire() {
    needs_firmware!();
    for name in ["t8140", "t6020", "t8132"] {
        let Some(model) = virtual_soc::SocModel::builtin(name) else {
            continue;
        };
        let mut seen = Everything::default();
        run_every_kind(&model, &mut seen);
        let events: usize = seen.events.iter().map(Vec::len).sum();
        assert!(events >= 5000);
        let average = seen.bytes as f64 / events as f64;
        assert!(average <= 8.0, "{name}: {average} bytes an event");
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_has_every_event() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor as _;
    needs_firmware!();
    let folder = Folder::new();
    let args = [
        "route",
        "-q",
        "--format",
        "json",
        "--fire-cpu",
        "4",
        "--mask",
        "0:0.2",
        "--triggers",
        "700",
    ];
    let (mut both, bin) = (Vec::new(), folder.file("events.bin", b""));
    let table = folder.file("events.parquet", b"old");
    for file in [&bin, &table] {
        let mut all = args.to_vec();
        all.extend(["--raw", file]);
        let run = aicprobe(&all);
        assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
        both.push(json(&run));
    }
    assert_eq!(both[0], both[1]);
    let file = std::fs::File::open(&table).expect("written");
    let reader = SerializedFileReader::new(file).expect("a table");
    let about = reader.metadata().file_metadata();
    let keys: Vec<&str> = about
        .key_value_metadata()
        .expect("any")
        .iter()
        .map(|k| k.key.as_str())
        .collect();
    assert_eq!(keys, ["aicprobe.opening", "aicprobe.ending"]);
    let columns: Vec<&str> = about
        .schema_descr()
        .columns()
        .iter()
        .map(|c| c.name())
        .collect();
    let at = |name: &str| columns.iter().position(|c| *c == name).expect(name);
    let (mut landed, mut fastest, mut rows) = ([0u64; 6], u64::MAX, 0);
    for row in reader.get_row_iter(None).expect("rows") {
        let row = row.expect("a row");
        assert_eq!(row.get_ulong(at("trigger")).expect("a number"), rows);
        assert_eq!(row.get_string(at("target")).expect("text"), "vm:t8140");
        assert_eq!(row.get_uint(at("firing_cpu")).expect("a number"), 4);
        assert!(
            row.get_uint(at("served_cpu")).is_err(),
            "null without a hand-over"
        );
        assert!(
            ["landed", "unmasked"].contains(&row.get_string(at("kind")).expect("text").as_str())
        );
        landed[row.get_uint(at("landing_cpu")).expect("a number") as usize] += 1;
        fastest = fastest.min(row.get_ulong(at("latency_ns")).expect("a number"));
        rows += 1;
    }
    let cell = &both[1]["cells"][0];
    let wanted: Vec<u64> = serde_json::from_value(cell["landed"].clone()).expect("counts");
    assert_eq!((&landed[..], rows), (&wanted[..], 700));
    assert_eq!(cell["latency_ns"]["min"], fastest);
}
