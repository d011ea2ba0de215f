//! `--evidence` of every command that has it, and what reads it again.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{aicprobe, stderr, stdout};
use host_cli::evidence::{Stored, name, sha256};
use serde_json::Value;

/// Two CPUs: 16 combinations of fields.
const TWO_CPUS: &str = "extends = \"t8140\"\nname = \"two\"\ntitle = \"two CPUs\"\n
[[cpu_change]]\nadt_id = 1\npresent = false\n[[cpu_change]]\nadt_id = 2\npresent = false\n
[[cpu_change]]\nadt_id = 3\npresent = false\n[[cpu_change]]\nadt_id = 5\npresent = false\n";
/// A plan of one cell.
const SHORT: &[&str] = &["route", "--triggers", "8", "--fire-cpu", "0"];
/// Runs long enough to be ended from outside.
const LONG: &[&str] = &["route", "--triggers", "100000"];

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder of the test"))
    }

    fn path(&self, name: &str) -> String {
        let path = self.0.path().join(name);
        path.to_str().expect("UTF-8").to_owned()
    }
}

/// Runs a command with its evidence kept at `at`; its exit code and what it printed.
fn run(args: &[&str], at: &str) -> (Option<i32>, String) {
    let mut all = args.to_vec();
    all.extend(["-q", "--format", "json", "--evidence", at]);
    let run = aicprobe(&all);
    assert!(
        matches!(run.status.code(), Some(0 | 5 | 6)),
        "{args:?}: {}",
        stderr(&run)
    );
    (run.status.code(), stdout(&run))
}

fn code(args: &[&str]) -> (Option<i32>, String) {
    let run = aicprobe(args);
    (run.status.code(), stderr(&run))
}

fn files(folder: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("UTF-8");
            (name, fs::read(entry.path()).expect("a file"))
        })
        .collect()
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

/// Writes a manifest for what is there now, as somebody would who covers a change up.
fn seal(folder: &str) {
    let lines = files(folder).into_iter();
    let lines = lines.filter(|(file, _)| file != name::MANIFEST);
    let text: String = lines
        .map(|(file, bytes)| format!("{}  {file}\n", sha256(&bytes)))
        .collect();
    fs::write(Path::new(folder).join(name::MANIFEST), text).expect("a manifest");
}

fn change(folder: &str, file: &str, from: &str, to: &str) {
    let path = Path::new(folder).join(file);
    let text = fs::read_to_string(&path).expect("text");
    assert!(text.contains(from), "{file} has no {from}");
    fs::write(path, text.replacen(from, to, 1)).expect("written");
}

#[test]
fn every_command_keeps_what_its_result_is_made_of() {
    needs_firmware!();
    let place = Place::new();
    let two = place.path("two.toml");
    fs::write(&two, TWO_CPUS).expect("a model");
    let two = format!("vm:{two}");
    let commands: &[&[&str]] = &[
        &["route", "--triggers", "3"],
        &["verify", "--triggers", "2000", "--windows", "40"],
        &["verify", "--quick", "--rule", "MASK-03"],
        &["verify", "--quick", "--target", "vm:t8140-siq-traps"],
        &["route", "--triggers", "3", "--target", "vm:t8103"],
        &[
            "route",
            "--triggers",
            "2",
            "--target",
            "vm:t6022",
            "--fire-cpu",
            "0",
        ],
        &["fields", "--triggers", "2", "--target", &two],
        &[
            "latency",
            "--triggers",
            "3",
            "--land-cpu",
            "1",
            "--load",
            "idle,spin",
        ],
        &[
            "latency",
            "--triggers",
            "50",
            "--land-cpu",
            "1",
            "--load",
            "spin",
            "--stop-entry",
            "0.01",
        ],
        &[
            "handoff",
            "--triggers",
            "2",
            "--land-cpu",
            "0",
            "--load",
            "idle",
        ],
        &[
            "soak",
            "--duration",
            "25ms",
            "--interval",
            "10",
            "--gap-us",
            "100",
        ],
        &[
            "storm",
            "--us",
            "20",
            "--repeat",
            "2",
            "--pattern",
            "pairs,all",
        ],
    ];
    for (at, args) in commands.iter().enumerate() {
        let evidence = place.path(&format!("run{at}"));
        let (ended, said) = run(args, &evidence);
        let all = files(&evidence);
        let names: Vec<&str> = all.keys().map(String::as_str).collect();
        let mut expected = name::ALL.to_vec();
        expected.push(name::MANIFEST);
        expected.sort_unstable();
        assert_eq!(names, expected, "{args:?}");
        // What names one machine is in none of them, however it is written.
        for (file, bytes) in &all {
            let text = String::from_utf8_lossy(bytes).to_ascii_uppercase();
            for serial in ["VIRTUAL8140", "VIRTUAL8103", "VIRTUAL6022"] {
                assert!(!text.contains(serial), "{args:?}: {file} holds {serial}");
            }
        }
        assert_eq!(json(&all[name::RESULT]), json(said.as_bytes()), "{args:?}");
        let of_run = json(&all[name::RUN]);
        assert_eq!(of_run["command"], args[0]);
        assert_eq!(of_run["ended"]["exit_code"].as_i64(), ended.map(i64::from));
        assert_eq!(code(&["evidence", "check", &evidence]).0, Some(0));
        let replay = aicprobe(&["replay", &evidence, "--format", "json"]);
        let told = stderr(&replay);
        assert_eq!(replay.status.code(), Some(0), "{args:?}: {told}");
        assert!(told.contains("equal to the run's own result"), "{told}");
        assert_eq!(json(&replay.stdout), json(said.as_bytes()), "{args:?}");
    }
    // The tool that everybody has agrees.
    let sums = Command::new("sha256sum")
        .args(["-c", "--strict", "--status", name::MANIFEST])
        .current_dir(place.path("run0"))
        .status();
    match sums {
        Ok(status) => assert!(status.success()),
        Err(e) => eprintln!("skipped: sha256sum -c: {e}"),
    }
}

#[test]
fn a_changed_count_is_not_the_result() {
    needs_firmware!();
    let place = Place::new();
    let evidence = place.path("run");
    run(SHORT, &evidence);
    change(&evidence, name::CELLS, "\"landed\":[8,0", "\"landed\":[7,1");
    let (changed, said) = code(&["evidence", "check", &evidence]);
    assert_eq!(changed, Some(5));
    assert!(said.contains("cells.jsonl: it was changed"), "{said}");
    assert_eq!(code(&["replay", &evidence]).0, Some(5));
    // With a manifest that fits, only computing it again tells.
    seal(&evidence);
    assert_eq!(code(&["evidence", "check", &evidence]).0, Some(0));
    let (replayed, said) = code(&["replay", &evidence]);
    assert_eq!(replayed, Some(5));
    assert!(said.contains("NOT the run's own result"), "{said}");
    assert!(
        said.contains("cells[0].landed: the run said [8,0,0,0,0,0], its counts say [7,1,0,0,0,0]"),
        "{said}"
    );
}

#[test]
fn a_changed_result_is_not_what_was_counted() {
    needs_firmware!();
    let place = Place::new();
    let commands: &[(&[&str], &str, &str)] = &[
        (SHORT, "\"lost\": 0", "\"lost\": 1"),
        (
            &["storm", "--us", "20", "--repeat", "1", "--pattern", "pairs"],
            "\"received\": ",
            "\"received\": 1",
        ),
        (
            &["soak", "--duration", "25ms", "--gap-us", "100"],
            "\"duplicate\": 0",
            "\"duplicate\": 2",
        ),
    ];
    for (at, (args, from, to)) in commands.iter().enumerate() {
        let evidence = place.path(&format!("run{at}"));
        run(args, &evidence);
        change(&evidence, name::RESULT, from, to);
        seal(&evidence);
        let (replayed, said) = code(&["replay", &evidence]);
        assert_eq!(replayed, Some(5), "{args:?}: {said}");
    }
}

#[test]
fn what_is_wrong_with_evidence_is_told() {
    needs_firmware!();
    let place = Place::new();
    let good = place.path("good");
    run(SHORT, &good);
    let copy = |name: &str| {
        let to = place.path(name);
        fs::create_dir(&to).expect("a folder");
        for (file, bytes) in files(&good) {
            fs::write(Path::new(&to).join(file), bytes).expect("a copy");
        }
        to
    };
    let wrong = |folder: &str, file: &str, what: &str| {
        let checked = aicprobe(&["evidence", "check", folder, "--format", "json"]);
        assert_eq!(checked.status.code(), Some(5), "{what}");
        let checked = json(&checked.stdout);
        assert_eq!(checked["good"], false);
        let problems = checked["problems"].as_array().expect("a list");
        let told = problems
            .iter()
            .any(|p| p["file"] == file && p["problem"].as_str().is_some_and(|p| p.contains(what)));
        assert!(told, "{file}, {what}: {problems:?}");
    };
    for (file, bytes) in files(&good) {
        if file == name::MANIFEST {
            continue;
        }
        // One bit, anywhere.
        let folder = copy(&format!("changed-{file}"));
        let mut changed = bytes.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        fs::write(Path::new(&folder).join(&file), changed).expect("written");
        wrong(&folder, &file, "it was changed");
        let folder = copy(&format!("missing-{file}"));
        fs::remove_file(Path::new(&folder).join(&file)).expect("removed");
        wrong(&folder, &file, "it is missing");
        // Neither does anybody else take it for a run that did not come so far.
        for command in [&["replay"][..], &["allow-list", "check"]] {
            let (code, said) = code(&[command, &[&folder]].concat());
            assert_eq!(code, Some(5), "{command:?} without {file}: {said}");
        }
    }
    let folder = copy("extra");
    fs::write(Path::new(&folder).join("notes.txt"), "mine").expect("written");
    wrong(&folder, "notes.txt", "the manifest does not name it");
    let folder = copy("unnamed");
    let manifest = Path::new(&folder).join(name::MANIFEST);
    let lines = fs::read_to_string(&manifest).expect("text");
    let fewer: Vec<&str> = lines.lines().filter(|l| !l.ends_with(name::LOG)).collect();
    fs::write(&manifest, fewer.join("\n")).expect("written");
    wrong(&folder, name::LOG, "the manifest does not name it");
    let folder = copy("cut");
    fs::remove_file(Path::new(&folder).join(name::MANIFEST)).expect("removed");
    wrong(&folder, name::MANIFEST, "the run was cut");
    let folder = copy("no-manifest");
    fs::write(Path::new(&folder).join(name::MANIFEST), "nothing\n").expect("written");
    wrong(&folder, name::MANIFEST, "line 1: too short");
    #[cfg(unix)]
    {
        let folder = copy("link");
        let file = Path::new(&folder).join(name::LOG);
        fs::remove_file(&file).expect("removed");
        std::os::unix::fs::symlink("/etc/passwd", &file).expect("a link");
        wrong(&folder, name::LOG, "a symbolic link");
        wrong(&folder, name::LOG, "it is missing");
    }
}

#[test]
fn what_is_no_evidence_is_refused() {
    let place = Place::new();
    let empty = place.path("empty");
    fs::create_dir(&empty).expect("a folder");
    let text = place.path("text.tar.zst");
    fs::write(&text, "no archive").expect("a file");
    for path in [&empty, &text, &place.path("nothing")] {
        for words in [
            &["evidence", "check"][..],
            &["evidence", "show"],
            &["replay"],
        ] {
            let mut args = words.to_vec();
            args.push(path);
            let (ended, said) = code(&args);
            assert_eq!(ended, Some(2), "{args:?}: {said}");
            assert!(said.contains(path.as_str()), "{said}");
        }
    }
    let (_, said) = code(&["evidence", "check", &empty]);
    assert!(said.contains("it is no evidence"), "{said}");
}

#[test]
fn a_place_that_holds_something_is_left_alone() {
    let place = Place::new();
    let full = place.path("full");
    fs::create_dir(&full).expect("a folder");
    let mine = Path::new(&full).join("mine");
    fs::write(&mine, "mine").expect("a file");
    let archive = place.path("there.tar.zst");
    fs::write(&archive, "mine").expect("a file");
    let file = place.path("file");
    fs::write(&file, "mine").expect("a file");
    let within = place.path("within");
    fs::create_dir(&within).expect("a folder");
    let inside = place.path("within/out.json");
    let cases: &[(&[&str], &str)] = &[
        (&["--evidence", &full], "something is there"),
        (&["--evidence", &archive], "something is there"),
        (&["--evidence", &file], "allowed is a directory"),
        (&["--evidence", &within, "-o", &inside], "would be in it"),
        (
            &["--evidence", &place.path("new"), "--dry-run"],
            "not with --dry-run",
        ),
        (
            &["--evidence", &place.path("new"), "--target", "vm:all"],
            "vm:all",
        ),
        (&["--evidence", &place.path("no/such/place")], "--evidence"),
    ];
    for (args, what) in cases {
        let mut all = vec!["route", "-q"];
        all.extend(*args);
        let (ended, said) = code(&all);
        // A program without firmware says that first.
        if !host_cli::firmware::Firmware::is_built_in() {
            eprintln!("skipped: built without a firmware image");
            return;
        }
        assert_eq!(ended, Some(2), "{args:?}: {said}");
        assert!(said.contains(what), "{args:?}: {said}");
    }
    assert_eq!(fs::read_to_string(mine).expect("there"), "mine");
    assert_eq!(fs::read_to_string(archive).expect("there"), "mine");
    assert!(!Path::new(&place.path("new")).exists());
}

#[test]
fn an_archive_is_the_same_evidence() {
    needs_firmware!();
    let place = Place::new();
    let (folder, archive) = (place.path("run"), place.path("run.tar.zst"));
    run(SHORT, &folder);
    run(SHORT, &archive);
    assert!(!Path::new(&format!("{archive}.part")).exists());
    assert_eq!(code(&["evidence", "check", &archive]).0, Some(0));
    assert_eq!(code(&["replay", &archive]).0, Some(0));
    let diff = aicprobe(&[
        "evidence",
        "diff",
        &folder,
        &archive,
        "--fail-on-difference",
    ]);
    assert_eq!(diff.status.code(), Some(0), "{}", stdout(&diff));
    // Cut short it is damaged, and says so.
    let bytes = fs::read(&archive).expect("an archive");
    let cut = place.path("cut.tar.zst");
    fs::write(&cut, &bytes[..bytes.len() / 2]).expect("written");
    let (ended, said) = code(&["evidence", "check", &cut]);
    assert_eq!(ended, Some(5), "{said}");
    assert!(said.contains("damaged or cut"), "{said}");
}

#[test]
fn what_is_different_is_told_by_what_it_is_about() {
    needs_firmware!();
    let place = Place::new();
    let (a, b) = (place.path("a"), place.path("b.tar.zst"));
    run(SHORT, &a);
    let mut other = SHORT.to_vec();
    other.extend(["--set-field", "1=1"]);
    run(&other, &b);
    let diff = aicprobe(&["evidence", "diff", &a, &b, "--format", "json"]);
    assert_eq!(diff.status.code(), Some(0), "{}", stderr(&diff));
    let diff = json(&diff.stdout);
    let all = diff["differences"].as_array().expect("a list");
    let landed = all.iter().find(|d| d["place"] == "cells[0].landed");
    let landed = landed.expect("landings differ");
    assert_eq!(landed["about"], "counts");
    assert_eq!(
        (&landed["a"], &landed["b"]),
        (&"[8,0,0,0,0,0]".into(), &"[0,8,0,0,0,0]".into())
    );
    for about in ["plan", "counts", "target"] {
        assert!(diff["about"][about].as_u64() > Some(0), "{about}: {diff}");
    }
    for same in ["build", "loader", "device tree", "registers"] {
        assert!(diff["about"][same].is_null(), "{same}: {diff}");
    }
    let (ended, _) = code(&["evidence", "diff", &a, &b, "--fail-on-difference"]);
    assert_eq!(ended, Some(5));
    // Another machine.
    let c = place.path("c");
    let mut other = SHORT.to_vec();
    other.extend(["--target", "vm:t6020"]);
    run(&other, &c);
    let diff = json(&aicprobe(&["evidence", "diff", &a, &c, "--format", "json"]).stdout);
    for about in ["target", "device tree", "registers"] {
        assert!(diff["about"][about].as_u64() > Some(0), "{about}: {diff}");
    }
}

/// A run that goes on, ended when the test is.
struct Going(Child);

impl Drop for Going {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a long run and waits until `cells` cells are over.
fn going(args: &[&str], at: &str, folder: &Path, cells: usize) -> Going {
    let child = common::program()
        .args(args)
        .args(["-q", "--evidence", at])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut going = Going(child);
    let end = Instant::now() + Duration::from_secs(300);
    loop {
        let text = fs::read_to_string(folder.join(name::CELLS)).unwrap_or_default();
        if text.matches("\"over\":true").count() >= cells {
            return going;
        }
        let ended = going.0.try_wait().expect("a child");
        assert!(ended.is_none(), "it ended before it was to: {ended:?}");
        assert!(Instant::now() < end, "nothing was measured in five minutes");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_run_that_is_killed_leaves_what_it_has_measured() {
    needs_firmware!();
    let place = Place::new();
    let archive = place.path("kept.tar.zst");
    let folder = place.path("kept.tar.zst.part");
    let mut going = going(LONG, &archive, Path::new(&folder), 2);
    going.0.kill().expect("killed");
    going.0.wait().expect("ended");
    assert!(!Path::new(&archive).exists());
    // Whatever line it was writing.
    let cells = Path::new(&folder).join(name::CELLS);
    let mut bytes = fs::read(&cells).expect("cells");
    bytes.extend(b"{\"cell\":2,\"ov");
    fs::write(&cells, bytes).expect("written");
    let show = aicprobe(&["evidence", "show", &folder, "--format", "json"]);
    assert_eq!(show.status.code(), Some(0), "{}", stderr(&show));
    let shown = json(&show.stdout);
    assert_eq!(shown["state"], "cut");
    assert!(shown["run"]["ended"].is_null());
    let kept = shown["cells"].as_array().expect("a list");
    assert!(kept.len() >= 2 && kept[0]["fired"] == 100_000, "{kept:?}");
    assert_eq!(
        kept[0]["landed"],
        serde_json::json!([100_000, 0, 0, 0, 0, 0])
    );
    let text = stdout(&aicprobe(&["evidence", "show", &folder]));
    assert!(text.contains("CUT: it holds what came"), "{text}");
    assert_eq!(code(&["evidence", "check", &folder]).0, Some(5));
    let (ended, said) = code(&["replay", &folder]);
    assert_eq!(ended, Some(6), "{said}");
    assert!(said.contains("nothing to compare with"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_run_that_is_interrupted_has_whole_evidence() {
    needs_firmware!();
    let place = Place::new();
    let folder = place.path("kept");
    let mut going = going(LONG, &folder, Path::new(&folder), 1);
    let id = i32::try_from(going.0.id()).expect("an id");
    let id = rustix::process::Pid::from_raw(id).expect("not 0");
    rustix::process::kill_process(id, rustix::process::Signal::INT).expect("it is told");
    assert_eq!(going.0.wait().expect("ended").code(), Some(130));
    assert_eq!(code(&["evidence", "check", &folder]).0, Some(0));
    let run = json(&files(&folder)[name::RUN]);
    assert_eq!(run["ended"]["exit_code"], 130);
    let (ended, said) = code(&["replay", &folder]);
    assert_eq!(ended, Some(0), "{said}");
}

#[test]
fn a_serial_number_in_a_name_is_removed() {
    needs_firmware!();
    let place = Place::new();
    // As ports are called after the machine behind them.
    let model = place.path("by-id-virtual8140-if00.toml");
    fs::write(&model, "extends = \"t8140\"\nname = \"x\"\ntitle = \"x\"\n").expect("a model");
    let target = format!("vm:{model}");
    let evidence = place.path("run");
    let mut args = SHORT.to_vec();
    args.extend(["--target", &target]);
    run(&args, &evidence);
    for (file, bytes) in files(&evidence) {
        let text = String::from_utf8_lossy(&bytes).to_ascii_uppercase();
        assert!(!text.contains("VIRTUAL8140"), "{file}");
    }
    let run = json(&files(&evidence)[name::RUN]);
    let said = run["target"].as_str().expect("text");
    assert!(said.ends_with("by-id-[removed]-if00.toml"), "{said}");
    // It is still what it was.
    assert_eq!(code(&["replay", &evidence]).0, Some(0));
}

#[test]
fn registers_are_read_before_and_after() {
    needs_firmware!();
    let place = Place::new();
    let evidence = place.path("run");
    run(SHORT, &evidence);
    let all = files(&evidence);
    let registers = json(&all[name::REGISTERS]);
    let words = registers["aic"].as_array().expect("a list");
    // 1504 lines of one die: 47 words of masks, as many of software states.
    assert!(words.len() > 95, "{}", words.len());
    assert!(
        words
            .iter()
            .all(|w| w["before"].is_string() && w["after"] == w["before"])
    );
    let line = words.iter().any(|w| w["name"] == "IRQ_CFG 0:131");
    assert!(line, "the line that was fired is among them");
    let cpus = registers["cpus"].as_array().expect("a list");
    let siq = |when: &str| -> Vec<&str> { cpus.iter().filter_map(|c| c[when].as_str()).collect() };
    assert_eq!(
        siq("siq_cfg_before"),
        ["0x0", "0x3", "0x3", "0x3", "0x3", "0x3"]
    );
    assert_eq!(siq("siq_cfg_after"), siq("siq_cfg_before"));
    assert_eq!(registers["restore"]["different"], 0);
    let target = json(&all[name::TARGET]);
    assert_eq!(target["device"]["model"], "Mac17,0");
    assert_eq!(target["head"]["complete"], true);
    let tree = json(&all[name::ADT]);
    let paths = tree["nodes"].as_array().expect("a list");
    let paths: Vec<&str> = paths.iter().filter_map(|n| n["path"].as_str()).collect();
    assert!(paths.contains(&"/arm-io/aic"), "{paths:?}");
    assert_eq!(paths.iter().filter(|p| p.starts_with("/cpus/")).count(), 6);
    let run = json(&all[name::RUN]);
    let toml = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../virtual-soc/models/t8140.toml");
    let toml = fs::read(toml).expect("the model");
    assert_eq!(run["machine"]["toml_sha256"], sha256(&toml));
    assert_eq!(json(&all[name::LOADER])["kind"], "stand-in");
}

#[test]
fn a_loader_image_is_known_by_what_lies_in_memory() {
    needs_firmware!();
    let Some(image) = std::env::var_os("AICPROBE_M1N1_BIN") else {
        eprintln!("skipped: AICPROBE_M1N1_BIN names no loader image");
        return;
    };
    let bytes = fs::read(&image).expect("the image");
    let image = image.to_str().expect("a name in UTF-8");
    let place = Place::new();
    let evidence = place.path("run");
    let mut args = SHORT.to_vec();
    args.extend(["--loader", image]);
    run(&args, &evidence);
    let all = files(&evidence);
    let loader = json(&all[name::LOADER]);
    assert_eq!(loader["kind"], "image", "{loader}");
    let version = loader["version"].as_str().expect("a version");
    let mark = format!("##m1n1_ver##{version}\0").into_bytes();
    assert!(bytes.windows(mark.len()).any(|w| w == mark), "{version}");
    // Its first page is code without addresses: as in the file.
    assert_eq!(loader["pages"][0], sha256(&bytes[..16 << 10]));
    assert_eq!(
        json(&all[name::RUN])["machine"]["loader"]["sha256"],
        sha256(&bytes)
    );
}

#[test]
fn the_library_reads_what_the_program_writes() {
    needs_firmware!();
    let place = Place::new();
    let evidence = place.path("run");
    run(SHORT, &evidence);
    let stored = Stored::read(Path::new(&evidence)).expect("evidence");
    assert!(!stored.is_cut());
    let counted = stored.cells().expect("counts");
    assert_eq!(counted.cells.len(), 1);
    let (planned, over, counts) = &counted.cells[0];
    assert_eq!((planned.triggers, *over, counts.fired), (8, true, 8));
    assert!(counts.complete);
}
