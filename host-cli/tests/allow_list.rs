//! `aicprobe allow-list`: every reason why evidence does not suffice, and evidence that does in the file of its SoC.
//!
//! No run on hardware has been kept yet. The evidence here is made by hand from a run on a virtual SoC: every word that says so taken out. That the tool cannot see through that is what it shows too: evidence is as honest as who
//! hands it in.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use common::{aicprobe, stderr, stdout};
use host_cli::evidence::sha256;
use host_cli::verify::VerifyResult;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Evidence of a whole run on a virtual T8140, file by file.
fn whole() -> &'static BTreeMap<String, String> {
    static WHOLE: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = folder.path().join("kept");
        let run = aicprobe(&["verify", "-q", "--evidence", kept.to_str().expect("UTF-8")]);
        assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
        all(&kept)
    })
}

fn json_of(name: &str) -> Value {
    serde_json::from_str(&whole()[name]).expect("JSON")
}

/// Evidence as a run on hardware would leave it.
struct Kept {
    folder: TempDir,
    run: Value,
    target: Value,
    result: Value,
    loader: Value,
}

impl Kept {
    fn new() -> Self {
        let (mut run, mut target) = (json_of("run.json"), json_of("target.json"));
        let (mut result, mut loader) = (json_of("result.json"), json_of("loader.json"));
        run["machine"] = json!({ "kind": "hardware" });
        run["target"] = json!("/dev/ttyACM0");
        run["argv"] = json!(["verify", "--target", "/dev/ttyACM0"]);
        run["started"] = json!("2026-12-01T10:00:00Z");
        loader["kind"] = json!("unknown");
        for head in [&mut result, &mut target["head"]] {
            head["target"] = json!("/dev/ttyACM0");
            head["marks"] = json!([]);
            head["counter"]["slice_ns"] = Value::Null;
        }
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            run,
            target,
            result,
            loader,
        }
    }

    /// A T6050, of which nothing is known.
    fn unknown_soc() -> Self {
        let mut kept = Self::new();
        let mut head = kept.target["head"]["soc"].take();
        for soc in [&mut kept.result["soc"], &mut kept.target["soc"], &mut head] {
            soc["name"] = json!("T6050");
            soc["chip_id"] = json!(0x6050);
            soc["board"] = json!("J716c");
        }
        kept.target["head"]["soc"] = head;
        // A table of its own there is none of.
        for table in [&mut kept.result["table"], &mut kept.run["options"]["table"]] {
            table["soc"] = json!("");
            table["fields"] = json!([]);
        }
        kept
    }

    /// The verdicts once more, from what was measured.
    fn judged(mut self) -> Self {
        let result: VerifyResult = serde_json::from_value(self.result).expect("a result");
        self.result = serde_json::to_value(result.again()).expect("JSON");
        self
    }

    fn path(&self) -> &str {
        self.folder.path().to_str().expect("UTF-8")
    }

    /// Writes every file and the manifest.
    fn write(&self) {
        let text = |value: &Value| serde_json::to_string_pretty(value).expect("JSON") + "\n";
        let mut files = whole().clone();
        files.remove("manifest.sha256");
        files.insert("run.json".to_owned(), text(&self.run));
        files.insert("target.json".to_owned(), text(&self.target));
        files.insert("result.json".to_owned(), text(&self.result));
        files.insert("loader.json".to_owned(), text(&self.loader));
        let mut manifest = String::new();
        for (name, text) in &files {
            fs::write(self.folder.path().join(name), text).expect("written");
            manifest += &format!("{}  {name}\n", sha256(text.as_bytes()));
        }
        fs::write(self.folder.path().join("manifest.sha256"), manifest).expect("written");
    }

    /// What `check` says of it.
    fn check(&self) -> (Option<i32>, Value) {
        let run = aicprobe(&["allow-list", "check", self.path(), "--format", "json"]);
        let json = serde_json::from_str(&stdout(&run));
        let json = json.unwrap_or_else(|e| panic!("{e}: {}", stderr(&run)));
        (run.status.code(), json)
    }
}

/// A copy of `socs/`.
fn socs() -> TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    let from: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "socs"].iter().collect();
    for entry in fs::read_dir(from).expect("socs") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, copy.path().join(path.file_name().expect("a name"))).expect("copied");
    }
    copy
}

/// Every file of a folder.
fn all(folder: &Path) -> BTreeMap<String, String> {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        (name, fs::read_to_string(&path).expect("text"))
    });
    files.collect()
}

fn add(kept: &Kept, socs: &Path) -> (Option<i32>, String) {
    let socs = socs.to_str().expect("UTF-8");
    let run = aicprobe(&["allow-list", "add", kept.path(), "--socs", socs]);
    (run.status.code(), stdout(&run) + &stderr(&run))
}

fn number(value: &mut Value, by: i64) {
    let n = value.as_i64().expect("a count");
    *value = json!(n + by);
}

#[test]
fn good_evidence_suffices() {
    needs_firmware!();
    let kept = Kept::new().judged();
    kept.write();
    let (code, said) = kept.check();
    assert_eq!(said["reasons"], json!([]));
    assert_eq!(code, Some(0));
    assert_eq!(said["suffices"], true);
    assert_eq!(said["soc"], "T8140");
    assert_eq!(said["device"], "J700 Mac17,0");
    assert_eq!(said["listed"], true);
}

/// What is done to good evidence, the exit code, the kind of the reason, and words of it.
type Case = (&'static str, fn(&mut Kept), i32, &'static str, &'static str);

#[test]
fn every_reason_is_told() {
    needs_firmware!();
    let cases: &[Case] = &[
        (
            "virtual",
            |k| {
                k.run["machine"] = json!({ "kind": "virtual", "model": "t8140", "toml_sha256": "0", "loader": null })
            },
            6,
            "not-hardware",
            "the virtual SoC t8140 answered",
        ),
        (
            "named vm:",
            |k| {
                for v in [&mut k.run["target"], &mut k.result["target"]] {
                    *v = json!("vm:t8140");
                }
            },
            6,
            "not-hardware",
            "the target is called vm:t8140",
        ),
        (
            "program",
            |k| k.run["machine"] = json!({ "kind": "program" }),
            6,
            "not-hardware",
            "pseudo-terminal",
        ),
        (
            "marked",
            |k| k.result["marks"] = json!([{ "kind": "model only", "about": "all", "text": "m" }]),
            6,
            "not-hardware",
            "marked as a model's answer",
        ),
        (
            "another command",
            |k| k.run["command"] = json!("route"),
            6,
            "other-run",
            "evidence of route: needed is verify",
        ),
        (
            "stand-in",
            |k| k.run["argv"] = json!(["verify", "--adt=x"]),
            6,
            "other-run",
            "--adt stood in",
        ),
        (
            "faults",
            |k| k.run["argv"] = json!(["verify", "--link-faults", "x"]),
            6,
            "other-run",
            "--link-faults stood in",
        ),
        (
            "firmware of one's own",
            |k| k.run["argv"] = json!(["verify", "--firmware", "my.img"]),
            6,
            "other-run",
            "--firmware stood in",
        ),
        (
            "a stand-in of the loader",
            |k| k.loader["kind"] = json!("stand-in"),
            6,
            "not-hardware",
            "a stand-in for the loader answered",
        ),
        (
            "not ended",
            |k| k.run["ended"] = Value::Null,
            6,
            "interrupted",
            "did not come to its end",
        ),
        (
            "Ctrl-C",
            |k| k.run["ended"]["exit_code"] = json!(130),
            6,
            "interrupted",
            "the user stopped it",
        ),
        (
            "a fault",
            |k| k.run["ended"]["exit_code"] = json!(8),
            6,
            "interrupted",
            "ended with exit code 8",
        ),
        (
            "no time",
            |k| k.run["started"] = json!("yesterday"),
            5,
            "changed",
            "\"yesterday\", which is no time",
        ),
        (
            "an optional rule",
            |k| number(&mut k.result["fiqs"][0]["ipis_taken"], -1),
            5,
            "rule-failed",
            "FAIL: fast IPIs arrive",
        ),
        (
            "incomplete",
            |k| k.result["complete"] = json!(false),
            6,
            "interrupted",
            "not everything that was planned",
        ),
        (
            "not restored",
            |k| k.result["restored"] = json!(false),
            5,
            "not-restored",
            "not left as it was found",
        ),
        (
            "quick",
            |k| k.result["size"] = json!({ "triggers": 10_000, "windows": 100 }),
            6,
            "too-few",
            "planned: needed are 1000000",
        ),
        (
            "few windows",
            |k| k.result["size"]["windows"] = json!(100),
            6,
            "too-few",
            "100 windows at most: needed are 2000",
        ),
        (
            "few fired",
            |k| k.result["cells"] = json!([k.result["cells"][0].clone()]),
            6,
            "too-few",
            "triggers fired of 1000000 planned",
        ),
        (
            "a loss",
            |k| {
                let c = &mut k.result["cells"][0]["cell"];
                number(&mut c["landed"][0], -1);
                number(&mut c["lost"], 1);
            },
            5,
            "rule-failed",
            "FAIL: every trigger is delivered exactly once",
        ),
        (
            "a rule left out",
            |k| k.result["left_out"] = json!(["MASK-02"]),
            6,
            "rule-open",
            "it was left out: a CPU that masks",
        ),
        (
            "a rule open",
            |k| k.result["registers"] = json!([]),
            6,
            "rule-open",
            "INCONCLUSIVE: the other bits of SIQ_CFG",
        ),
        (
            "a CPU dead",
            |k| k.result["cpus"][3]["state"] = json!("dead"),
            6,
            "cpu-left-out",
            "it did not take part: dead",
        ),
        (
            "a CPU less",
            |k| {
                k.result["cpus"].as_array_mut().expect("CPUs").pop();
                let registers = k.result["registers"].as_array_mut();
                registers.expect("registers").retain(|r| r["cpu"] != 5);
                for of in k.result["cells"].as_array_mut().expect("cells") {
                    for name in ["landed", "offered", "fields", "fields_requested"] {
                        of["cell"][name].as_array_mut().expect("by CPU").pop();
                    }
                }
                for name in ["fiqs", "ipis"] {
                    k.result[name] = json!([]);
                }
                let cells = k.result["cells"].as_array_mut().expect("cells");
                cells.retain(|of| {
                    of["cell"]["fire_cpu"] != 5 && !of["purpose"].to_string().contains(":5")
                });
                cells.retain(|of| !of["cell"]["masked_cpus"].to_string().contains('5'));
            },
            6,
            "cpu-left-out",
            "T8140 has this CPU and the machine has not",
        ),
        (
            "another chip",
            |k| k.target["soc"]["chip_id"] = json!(0x8142),
            5,
            "device",
            "chip: \"0x8142\" in target.json",
        ),
        (
            "another board",
            |k| k.target["soc"]["board"] = json!("J1"),
            5,
            "device",
            "board: \"J1\" in target.json",
        ),
        (
            "no board",
            |k| {
                for v in [&mut k.target["soc"], &mut k.result["soc"]] {
                    v["board"] = json!("");
                }
            },
            5,
            "device",
            "chip id and board are needed",
        ),
        (
            "another firmware",
            |k| k.run["firmware"]["build_id"] = json!("x"),
            5,
            "device",
            "firmware: \"x\" in run.json",
        ),
        (
            "another field",
            |k| k.result["cpus"][2]["siq_cfg"] = json!("0x2"),
            5,
            "table-differs",
            "2 in the run, 3 in the file of T8140",
        ),
        (
            "another boot CPU",
            |k| {
                k.result["cpus"][0]["boot"] = json!(false);
            },
            5,
            "table-differs",
            "secondary in the run, boot CPU in the file",
        ),
        (
            "an unknown CPU",
            |k| k.result["cpus"][1]["mpidr"] = json!("0x80000007"),
            5,
            "table-differs",
            "MPIDR 0x80000007 in the run, no such CPU",
        ),
        (
            "another meaning",
            |k| k.result["table"]["classes"][1] = json!("fallback"),
            5,
            "table-differs",
            "fallback in the run, preferred in the file",
        ),
        (
            "other lines",
            |k| k.result["aic"]["nr_irq"] = json!(1400),
            5,
            "table-differs",
            "1400 in the run, 1504 in the file",
        ),
        (
            "other dies",
            |k| k.result["aic"]["dies"] = json!(2),
            5,
            "table-differs",
            "2 in the run, 1 in the file",
        ),
        (
            "AICv1",
            |k| k.result["aic"]["generation"] = json!(1),
            5,
            "generation",
            "AICv1 goes by the target word",
        ),
    ];
    for (name, change, code, kind, says) in cases {
        let mut kept = Kept::new();
        change(&mut kept);
        let kept = kept.judged();
        kept.write();
        let (is, said) = kept.check();
        let reasons = said["reasons"].as_array().expect("reasons");
        let told = reasons
            .iter()
            .any(|r| r["kind"] == *kind && r["text"].as_str().expect("text").contains(says));
        assert!(told, "{name}: {reasons:#?}");
        // A result that alone was changed is not what its counts say, which is worse than open.
        let changed = reasons.iter().any(|r| r["kind"] == "changed");
        let worse = if changed { 5 } else { *code };
        assert_eq!(is, Some(worse), "{name}: {reasons:#?}");
        assert_eq!(said["suffices"], false, "{name}");
    }
}

#[test]
fn evidence_that_is_not_whole_does_not_suffice() {
    needs_firmware!();
    let says = |kept: &Kept, code: i32, kind: &str, about: &str| {
        let (is, said) = kept.check();
        let reasons = said["reasons"].as_array().expect("reasons");
        let told = reasons
            .iter()
            .any(|r| r["kind"] == kind && r["about"] == about);
        assert!(told, "{reasons:#?}");
        assert_eq!(is, Some(code), "{reasons:#?}");
    };
    let kept = Kept::new().judged();
    kept.write();
    fs::remove_file(kept.folder.path().join("manifest.sha256")).expect("removed");
    says(&kept, 6, "cut", "manifest.sha256");
    kept.write();
    fs::write(kept.folder.path().join("log.txt"), "other").expect("written");
    says(&kept, 5, "changed", "log.txt");
    kept.write();
    fs::remove_file(kept.folder.path().join("adt.json")).expect("removed");
    says(&kept, 5, "changed", "adt.json");
    kept.write();
    fs::write(kept.folder.path().join("result.json"), "{").expect("written");
    says(&kept, 5, "changed", "result.json");
    // The manifest is right, and the counts are others than the result's; or are none.
    for (file, text) in [
        ("cells.jsonl", "x\n"),
        ("plan.json", "[]\n"),
        ("adt.json", "{}\n"),
    ] {
        kept.write();
        let path = kept.folder.path().join(file);
        fs::write(&path, text).expect("written");
        let manifest = kept.folder.path().join("manifest.sha256");
        let old = sha256(whole()[file].as_bytes());
        let listed = fs::read_to_string(&manifest).expect("text");
        fs::write(&manifest, listed.replace(&old, &sha256(text.as_bytes()))).expect("written");
        let (code, said) = kept.check();
        assert_eq!(code, Some(5), "{file}: {said}");
    }
    // The manifest is right, and the verdicts are not those of the counts.
    let mut kept = Kept::new();
    let c = &mut kept.result["cells"][0]["cell"];
    number(&mut c["landed"][0], -1);
    number(&mut c["lost"], 1);
    let rules = kept.result["rules"].clone();
    let mut kept = kept.judged();
    kept.result["rules"] = rules;
    kept.write();
    says(&kept, 5, "changed", "ROUTE-01");
    // A run of another command has a SoC too, and quotes are shown as they are.
    let mut kept = Kept::new();
    kept.run["command"] = json!("route");
    kept.target["soc"]["board"] = json!("J\"1\u{7}");
    kept.write();
    let run = aicprobe(&["allow-list", "check", kept.path()]);
    let said = stdout(&run);
    assert!(said.contains("T8140 (J\"1\\u{7} "), "{said}");
    assert!(said.contains("it is evidence of route"), "{said}");
    let run = aicprobe(&["allow-list", "check", "/nowhere"]);
    assert_eq!(run.status.code(), Some(2), "{}", stderr(&run));
}

#[test]
fn evidence_of_hardware_is_added_once_and_comments_stay() {
    needs_firmware!();
    let (kept, socs) = (Kept::new().judged(), socs());
    kept.write();
    let file = socs.path().join("t8140.toml");
    let before = fs::read_to_string(&file).expect("text") + "# A last word.\n";
    fs::write(&file, &before).expect("written");
    let (code, said) = add(&kept, socs.path());
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("T8140 is listed"), "{said}");
    let after = fs::read_to_string(&file).expect("text");
    for line in before.lines() {
        let kept = after.contains(line) || line.starts_with("why = ");
        assert!(kept, "{line} is gone: {after}");
    }
    let soc = host_cli::socs::parse("t8140.toml", &after).expect("a good file");
    assert!(soc.allow_list.listed);
    assert!(
        soc.allow_list
            .why
            .contains("aicprobe verify on J700 Mac17,0, 2026-12-01")
    );
    let [_, run] = soc.evidence.as_slice() else {
        panic!("{after}");
    };
    let manifest = fs::read(kept.folder.path().join("manifest.sha256")).expect("bytes");
    assert_eq!(run.sha256, Some(sha256(&manifest)));
    assert_eq!((run.triggers, run.misses), (Some(1_000_000), Some(0)));
    assert_eq!(
        (run.device.as_str(), run.date.as_str()),
        ("J700 Mac17,0", "2026-12-01")
    );
    let (code, said) = add(&kept, socs.path());
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("nothing was changed"), "{said}");
    assert_eq!(fs::read_to_string(&file).expect("text"), after);
}

/// What was inferred before is silicon afterwards, and only that.
#[test]
fn what_was_inferred_is_measured_now() {
    needs_firmware!();
    let (kept, socs) = (Kept::new().judged(), socs());
    kept.write();
    let file = socs.path().join("t8140.toml");
    let text = fs::read_to_string(&file).expect("text");
    let (facts, _) = text.split_once("[[evidence]]").expect("evidence");
    let inferred = facts.replace("\"silicon\"", "\"inference\"")
        + "[allow_list]\nlisted = false\nwhy = \"nobody\"\n";
    fs::write(&file, inferred.replace("nr_irq = 1504\n", "")).expect("written");
    let (code, said) = add(&kept, socs.path());
    assert_eq!(code, Some(0), "{said}");
    let after = fs::read_to_string(&file).expect("text");
    let soc = host_cli::socs::parse("t8140.toml", &after).expect("a good file");
    assert!(soc.allow_list.listed);
    assert_eq!(soc.state.name(), "silicon");
    assert_eq!(soc.aic.nr_irq, Some(1504));
    assert_eq!(soc.aic.state.name(), "third party");
    assert!(
        soc.cpu
            .iter()
            .all(|c| c.source.starts_with("aicprobe verify on J700"))
    );
}

#[test]
fn a_soc_without_a_file_gets_one() {
    needs_firmware!();
    let (kept, socs) = (Kept::unknown_soc().judged(), socs());
    kept.write();
    let (code, said) = kept.check();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said["known"], false);
    let (code, said) = add(&kept, socs.path());
    assert_eq!(code, Some(0), "{said}");
    let text = fs::read_to_string(socs.path().join("t6050.toml")).expect("a file");
    let soc = host_cli::socs::parse("t6050.toml", &text).expect("a good file");
    assert_eq!(
        (soc.accepting.as_slice(), soc.online_refresh),
        (&[0][..], false)
    );
    assert_eq!(soc.cpu.len(), 6);
    assert_eq!(soc.aic.compatible, "apple,t6050-aic3");
    assert_eq!(soc.aic.state.name(), "inference");
    let folder = socs.path().to_str().expect("UTF-8");
    let tables = aicprobe(&["tables", "--socs", folder, "--soc", "T6050"]);
    assert!(stdout(&tables).contains("| T6050 |"), "{}", stderr(&tables));
}

#[test]
fn what_is_refused_changes_nothing() {
    needs_firmware!();
    let socs = socs();
    let before = all(socs.path());
    /// What is done to good evidence, the exit code, and words of the refusal.
    type Refused = (fn(&mut Kept), i32, &'static str);
    let cases: &[Refused] = &[
        (
            |k| k.run["machine"] = json!({ "kind": "virtual", "model": "t8140-odd", "toml_sha256": "0", "loader": null }),
            7,
            "refused: run.json: the virtual SoC t8140-odd answered",
        ),
        (
            |k| k.result["size"]["windows"] = json!(1),
            6,
            "windows: 1 windows at most",
        ),
        (
            |k| k.result["restored"] = json!(false),
            5,
            "not left as it was found",
        ),
        (
            |k| k.result["cpus"][2]["siq_cfg"] = json!("0x2"),
            5,
            "field of CPU 2",
        ),
    ];
    for (change, code, says) in cases {
        let mut kept = Kept::new();
        change(&mut kept);
        let kept = kept.judged();
        kept.write();
        let (is, said) = add(&kept, socs.path());
        let worse = [Some(*code), Some(5)];
        assert!(worse.contains(&is), "{said}");
        assert!(said.contains(says), "{said}");
        assert!(said.contains("nothing was changed"), "{said}");
        assert_eq!(all(socs.path()), before);
    }
    let kept = Kept::new().judged();
    kept.write();
    let (code, said) = add(&kept, &socs.path().join("none"));
    assert_eq!(code, Some(2), "{said}");
    // That a model answered is told first.
    let mut kept = Kept::new();
    kept.run["machine"] =
        json!({ "kind": "virtual", "model": "t8140-odd", "toml_sha256": "0", "loader": null });
    kept.write();
    let (code, said) = add(&kept, &socs.path().join("none"));
    assert_eq!(code, Some(7), "{said}");
}
