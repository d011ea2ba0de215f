//! What every command prints: each form of it, and its JSON against the schema that is checked in.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use adt::NodeBuilder;
use common::trees::{Folder, case_of, synthetic};
use common::{aicprobe, stderr, stdout};
use serde_json::{Map, Value, json};

/// How the schemas are renewed.
const RENEW: &str = "`cargo xtask schemas` renews them";

const LISTING: &str = "\
           CPU0       CPU1
 41:         10          0      AIC2 65890 Level     spmi
 35:        100        200   AIC-FIQ   0 Level     timer
IPI0:         9          9       Rescheduling interrupts
";

/// Two CPUs: 16 combinations of fields.
const TWO_CPUS: &str = "extends = \"t8140\"\nname = \"two\"\ntitle = \"two CPUs\"\n
[[cpu_change]]\nadt_id = 1\npresent = false\n[[cpu_change]]\nadt_id = 2\npresent = false\n
[[cpu_change]]\nadt_id = 3\npresent = false\n[[cpu_change]]\nadt_id = 5\npresent = false\n";

/// Files that commands need.
struct Files {
    folder: Folder,
    /// Captured on machines, where they are at hand.
    trees: Vec<String>,
}

impl Files {
    fn new() -> Self {
        let folder = Folder::new();
        folder.file("tree.adt", &synthetic(2).build_exact().expect("a tree"));
        let empty = NodeBuilder::new("device-tree").build_exact();
        folder.file("empty.adt", &empty.expect("a tree"));
        folder.file("listing", LISTING.as_bytes());
        folder.file("two.toml", TWO_CPUS.as_bytes());
        let names = ["t6020-j474s.adt", "t8103-macbookair.template.adt"];
        let trees = names.iter().filter_map(|name| case_of("adt", name));
        Self {
            folder,
            trees: trees.collect(),
        }
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.folder.path())
    }
}

/// Every command with results, as short as it goes: the schema of its JSON, and its arguments without `--format`. The first of a
/// schema stands for it where its other forms are looked at.
fn commands(files: &Files) -> Vec<(&'static str, Vec<String>)> {
    let mut all: Vec<(&'static str, Vec<String>)> = Vec::new();
    let mut add = |id: &'static str, line: &str| {
        let file = |word: &str| match word.split_once('@') {
            Some((before, name)) if !name.is_empty() => format!("{before}{}", files.path(name)),
            _ => word.to_owned(),
        };
        all.push((id, line.split(' ').map(file).collect()));
    };
    add("aicprobe.adt/1", "adt @tree.adt");
    add("aicprobe.adt/1", "adt @tree.adt --interrupts --reg");
    add("aicprobe.adt/1", "adt @empty.adt");
    add("aicprobe.lines/1", "lines --adt @tree.adt");
    add(
        "aicprobe.lines/1",
        "lines --target vm:t8140 --watch 10 --line 30",
    );
    add("aicprobe.irqs/1", "irqs @listing --adt @tree.adt");
    add("aicprobe.irqs/1", "irqs @listing");
    add("aicprobe.list/1", "list");
    add("aicprobe.tables/1", "tables");
    add("aicprobe.tables/1", "tables --soc t8140");
    add("aicprobe.doctor/1", "doctor --target vm:t8140");
    add("aicprobe.doctor/1", "doctor");
    add("aicprobe.info/1", "info --target vm:t6022");
    add("aicprobe.info/1", "info");
    add("aicprobe.regs/1", "regs export");
    add("aicprobe.regs.list/1", "regs list");
    add("aicprobe.regs.show/1", "regs show SIQ_CFG_EL1");
    add("aicprobe.regs.show/1", "regs show EVENT");
    add("aicprobe.regs.decode/1", "regs decode EVENT 0x103e4");
    add("aicprobe.regs.decode/1", "regs decode hwirq 66532");
    add(
        "aicprobe.bench.link/1",
        "bench link --iterations 2 --size 8 --size 512",
    );
    add("aicprobe.plan/1", "route --dry-run --target-nibble 3");
    add("aicprobe.route.all/1", "route --target vm:all --dry-run");
    if host_cli::firmware::Firmware::is_built_in() {
        add(
            "aicprobe.route/1",
            "route --triggers 2 --fire-cpu 1 --set-field 1=3 --mask 0:0.2",
        );
        add(
            "aicprobe.route/1",
            "route --target vm:t8103 --triggers 1 --fire-cpu 0 --target-mask 0,1",
        );
        add(
            "aicprobe.route/1",
            "route --target vm:t6020 --triggers 1 --fire-cpu 0 --target-nibble 0",
        );
        add(
            "aicprobe.route.all/1",
            "route --target vm:all --triggers 1 --fire-cpu 0",
        );
        add(
            "aicprobe.fields/1",
            "fields --target vm:@two.toml --triggers 2",
        );
        add(
            "aicprobe.compare/1",
            "compare vm:t8140 vm:t8140 --triggers 4 --alternate 2 --fire-cpu 0 --b --set-field=1=1",
        );
        add(
            "aicprobe.compare/1",
            "compare vm:t8140 vm:t8140 --triggers 4 --alternate 1 --a --fire-cpu=0 --b --fire-cpu=1",
        );
        for (name, seed) in [("soak-1.json", "1"), ("soak-2.json", "2")] {
            let saved = files.path(name);
            let soak = ["soak", "-q", "--triggers", "200", "--seed", seed];
            let kept = aicprobe(&[&soak[..], &["--format", "json", "-o", &saved]].concat());
            assert_eq!(kept.status.code(), Some(0), "{}", stderr(&kept));
        }
        add("aicprobe.compare/1", "compare @soak-1.json @soak-2.json");
        add("aicprobe.observe/1", "observe --row 6 --triggers 2");
        let events = files.path("events.bin");
        let kept = aicprobe(&[
            "route",
            "-q",
            "--triggers",
            "2",
            "--fire-cpu",
            "1",
            "--raw",
            &events,
        ]);
        assert_eq!(kept.status.code(), Some(0), "{}", stderr(&kept));
        let [one, other] = ["one", "other"].map(|name| files.path(name));
        for (place, cpu) in [(&one, "1=1"), (&other, "1=3")] {
            let words = ["route", "-q", "--triggers", "2", "--fire-cpu", "0"];
            let mut words = words.to_vec();
            words.extend(["--set-field", cpu, "--evidence", place]);
            let kept = aicprobe(&words);
            assert_eq!(kept.status.code(), Some(0), "{}", stderr(&kept));
        }
        // Not as it was written: there are problems to show.
        let extra = format!("{other}/extra.txt");
        std::fs::write(extra, "mine").expect("a file of the test");
        add("aicprobe.evidence.show/1", "evidence show @one");
        add("aicprobe.evidence.check/1", "evidence check @other");
        add("aicprobe.evidence.check/1", "evidence check @one");
        add("aicprobe.evidence.diff/1", "evidence diff @one @other");
        add("aicprobe.allow-list/1", "allow-list check @one");
        add("aicprobe.route/1", "replay @one");
        add("aicprobe.replay/1", "replay @events.bin --counts");
        add("aicprobe.route/1", "replay @events.bin");
        add(
            "aicprobe.latency/1",
            "latency --triggers 3 --land-cpu 1 --fire-cpu 0,2 --load idle,spin",
        );
        add(
            "aicprobe.soak/1",
            "soak --duration 25ms --interval 10 --gap-us 100",
        );
        add(
            "aicprobe.handoff/1",
            "handoff --triggers 2 --land-cpu 0 --serve-cpu 1 --load idle",
        );
        add(
            "aicprobe.storm/1",
            "storm --us 20 --repeat 1 --pattern pairs",
        );
        add("aicprobe.verify/1", "verify --triggers 1000 --windows 40");
    }
    for tree in &files.trees {
        let arguments = |line: &str| {
            let words = line.split(' ').map(str::to_owned);
            words.chain([tree.clone()]).collect()
        };
        all.push(("aicprobe.adt/1", arguments("adt")));
        all.push(("aicprobe.lines/1", arguments("lines --adt")));
    }
    all
}

fn run(arguments: &[String], form: &str) -> String {
    let mut words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    words.extend(["--format", form, "-q"]);
    let output = aicprobe(&words);
    // A small plan may leave more than one rule; evidence that is damaged is 5.
    let damaged = arguments.starts_with(&["evidence".to_owned(), "check".to_owned()])
        && output.status.code() == Some(5);
    let good = damaged || matches!(output.status.code(), Some(0 | 6));
    assert!(good, "{words:?}: {}", stderr(&output));
    stdout(&output)
}

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "schemas"]
        .iter()
        .collect()
}

fn file_of(id: &str) -> PathBuf {
    folder().join(id.replace('/', ".") + ".json")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}; {RENEW}", path.display()))
}

fn names() -> Vec<String> {
    let list = stdout(&aicprobe(&["schema"]));
    let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
    list.lines().filter_map(first).collect()
}

#[test]
fn the_schemas_checked_in_are_those_of_the_types() {
    let names = names();
    assert!(!names.is_empty());
    for name in &names {
        let made = stdout(&aicprobe(&["schema", name]));
        assert!(
            made == read(&file_of(name)),
            "{name} is not as its type says; {RENEW}"
        );
    }
    let files = std::fs::read_dir(folder()).expect("the folder of schemas");
    assert_eq!(files.count(), names.len(), "files of no result; {RENEW}");
    let other = aicprobe(&["schema", "aicprobe.route/2"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr(&other).contains("allowed are aicprobe.adt/1, "));
}

/// Places in `value` that the schema speaks of: required members, and members and items of one type. One of each kind.
fn places(
    root: &Value,
    schema: &Value,
    value: &Value,
    at: &str,
    out: &mut BTreeMap<String, Place>,
) {
    if let Some(name) = schema["$ref"].as_str() {
        let target = root.pointer(name.trim_start_matches('#')).expect(name);
        places(root, target, value, at, out);
    }
    for other in schema["anyOf"].as_array().into_iter().flatten() {
        if other["type"] != "null" && !value.is_null() {
            places(root, other, value, at, out);
        }
    }
    if let Some(kind) = schema["type"].as_str() {
        let place = out.entry(kind_of_place(at)).or_default();
        (place.at, place.typed) = (at.to_owned(), Some(kind.to_owned()));
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        let at = format!("{at}/{}", name.as_str().expect("a name"));
        let place = out.entry(kind_of_place(&at)).or_default();
        (place.at, place.required) = (at, true);
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            places(root, inner, value, &format!("{at}/{name}"), out);
        }
    }
    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
        places(root, &schema["items"], item, &format!("{at}/{i}"), out);
    }
}

/// A place where a result can be made wrong.
#[derive(Default)]
struct Place {
    at: String,
    required: bool,
    typed: Option<String>,
}

/// The same for every item of a list.
fn kind_of_place(at: &str) -> String {
    let numbered = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let parts = at.split('/').map(|p| if numbered(p) { "0" } else { p });
    parts.collect::<Vec<_>>().join("/")
}

fn remove(value: &mut Value, at: &str) {
    let (above, name) = at.rsplit_once('/').expect("a member");
    let object = value.pointer_mut(above).and_then(Value::as_object_mut);
    assert!(
        object.expect(at).remove(name).is_some(),
        "{at} is not there"
    );
}

#[test]
fn every_result_is_as_its_schema_says_and_no_wrong_one_is() {
    let files = Files::new();
    let mut seen = BTreeSet::new();
    for (id, arguments) in commands(&files) {
        let schema: Value = serde_json::from_str(&read(&file_of(id))).expect("JSON");
        let is_right = jsonschema::validator_for(&schema).expect("a schema");
        let text = run(&arguments, "json");
        let result: Value = serde_json::from_str(&text).expect("JSON");
        if let Err(e) = is_right.validate(&result) {
            panic!("{arguments:?}: {e}; {RENEW}");
        }
        assert_eq!(result["schema"], id, "{arguments:?}");
        let mut found = BTreeMap::new();
        places(&schema, &schema, &result, "", &mut found);
        assert!(found.values().any(|p| p.required) || id == "aicprobe.list/1");
        for place in found.values() {
            let at = place.at.as_str();
            if place.required {
                let mut without = result.clone();
                remove(&mut without, at);
                assert!(!is_right.is_valid(&without), "{id} without {at}");
            }
            if let Some(kind) = &place.typed
                && let Some(there) = result.pointer(at)
                && !there.is_null()
            {
                let mut wrong = result.clone();
                let other = match kind.as_str() {
                    "object" => json!([]),
                    _ => Value::Object(Map::new()),
                };
                *wrong.pointer_mut(at).expect(at) = other;
                assert!(!is_right.is_valid(&wrong), "{id} with another type at {at}");
            }
        }
        seen.insert(id.to_owned());
    }
    if host_cli::firmware::Firmware::is_built_in() {
        let names: BTreeSet<String> = names().into_iter().collect();
        assert_eq!(seen, names, "a command of each schema has to be run here");
    }
}

/// Columns of the CSV of each command: programs rely on them. New ones come behind.
const COLUMNS: &[(&str, &str)] = &[
    (
        "aicprobe.adt/1",
        "node,offset,part,name,type,size,value,physical,controller",
    ),
    (
        "aicprobe.evidence.show/1",
        "cell,line,fire,fields,masked,landed,fired,lost,late,dup,spur",
    ),
    ("aicprobe.evidence.check/1", "file,problem"),
    ("aicprobe.allow-list/1", "kind,about,reason"),
    ("aicprobe.evidence.diff/1", "about,place,a,b"),
    ("aicprobe.lines/1", "first,last,state,owner,specifier,level"),
    (
        "aicprobe.irqs/1",
        "irq,chip,hwirq,kind,line,die,number,trigger,total,counts,owners,handlers,note",
    ),
    (
        "aicprobe.compare/1",
        "cell,metric,basis,a_runs,b_runs,a,b,difference,low,high,verdict,stands,model",
    ),
    (
        "aicprobe.list/1",
        "path,role,usb_id,interface,serial,location,permitted,held_by",
    ),
    ("aicprobe.doctor/1", "id,state,seen,next"),
    ("aicprobe.info/1", "what,value,from"),
    (
        "aicprobe.regs.list/1",
        "name,kind,width,access,AICv1,AICv2,AICv3,encoding,source,about",
    ),
    (
        "aicprobe.regs.show/1",
        "register,applies,field,msb,lsb,values,source,about",
    ),
    (
        "aicprobe.regs.decode/1",
        "register,applies,field,msb,lsb,value,meaning,source",
    ),
    (
        "aicprobe.bench.link/1",
        "exchange,bytes,iterations,min_ns,median_ns,max_ns,per_s,mb_per_s",
    ),
    (
        "aicprobe.handoff/1",
        "load,land_cpu,way,serve_cpu,relation,fired,lost,served_by,total_min,total_p50,total_p95,total_p98,total_p99,\
         total_p99.9,total_max,hand_min,hand_p50,hand_p95,hand_p98,hand_p99,hand_p99.9,hand_max",
    ),
    (
        "aicprobe.verify/1",
        "rule,verdict,required,trials,of,held,against,upper_95,title,why",
    ),
    (
        "aicprobe.storm/1",
        "n,cpus,pattern,via,pace,accounting,m_sent,m_received,min,max,per_cpu,efficiency,\
         sent,received,alone,merged,merged_share,lost,strayed,missed,counted,note",
    ),
    (
        "aicprobe.fields/1",
        "cell,fields,masked,fired,landed,lost,late,duplicate,spurious,contradicts",
    ),
    (
        "aicprobe.latency/1",
        "load,fire_cpu,land_cpu,latency,count,min,p50,p95,p98,p99,p99.9,max,fired,lost,late,duplicate,spurious",
    ),
    (
        "aicprobe.soak/1",
        "index,from_ms,elapsed_ms,fired,rate_per_s,min_ns,p50_ns,p95_ns,max_ns,lost,late,duplicate,spurious,\
         busy_percent_0,busy_percent_1,busy_percent_2,busy_percent_3,busy_percent_4,busy_percent_5",
    ),
    ("aicprobe.observe/1", "row,id,claim,answer,for,against,note"),
    (
        "aicprobe.replay/1",
        "cell,line,fire_cpu,fired,landed,lost,late,duplicate,from_unmask,served,min_ns,p50_ns,p95_ns,p98_ns,p99_ns,p999_ns,max_ns,\
         second_min_ns,second_p50_ns,second_p95_ns,second_p98_ns,second_p99_ns,second_p999_ns,second_max_ns",
    ),
    (
        "aicprobe.route/1",
        "target,seed,cell,group,die,line,hwirq,fire_cpu,fields,fields_requested,target_cpus,irq_cfg,masked_cpus,masked_us,\
         triggers,fired,lost,late,duplicate,spurious,min_ns,p50_ns,p95_ns,p99_ns,max_ns,latency_from,miss_rate_upper_95,refused,\
         landed_0,landed_1,landed_2,landed_3,landed_4,landed_5,offered_0,offered_1,offered_2,offered_3,offered_4,offered_5",
    ),
];

#[test]
fn every_result_has_five_forms() {
    let files = Files::new();
    let mut commands = commands(&files);
    // Stable: the first of each.
    commands.sort_by_key(|(id, _)| *id);
    commands.dedup_by_key(|(id, _)| *id);
    for (id, arguments) in commands {
        let Some((_, columns)) = COLUMNS.iter().find(|(of, _)| *of == id) else {
            let allowed = [
                "aicprobe.plan/1",
                "aicprobe.regs/1",
                "aicprobe.route.all/1",
                "aicprobe.tables/1",
            ];
            assert!(allowed.contains(&id), "{id} has no columns");
            continue;
        };
        let text = run(&arguments, "csv");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().expect("a header").iter();
        assert_eq!(header.collect::<Vec<_>>().join(","), *columns, "{id}");
        // Every record has as many fields as the header, or this fails.
        let records: Result<Vec<_>, _> = reader.records().collect();
        let records = records.unwrap_or_else(|e| panic!("{id}: {e}"));
        let text = run(&arguments, "jsonl");
        let mut lines = text.lines();
        let run_line: Value = serde_json::from_str(lines.next().expect("a line")).expect("JSON");
        assert_eq!(run_line["run"]["schema"], id);
        for line in lines {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let members = line.as_object().expect("an object");
            assert!(!members.is_empty() && !members.contains_key("run"), "{id}");
        }
        let text = run(&arguments, "markdown");
        let rows = text.lines().filter(|l| l.starts_with('|')).count();
        assert!(rows >= 2 + records.len().min(2), "{id}: {text}");
        let widths = text.lines().filter(|l| l.starts_with("|--"));
        assert!(widths.count() >= 1, "{id}: {text}");
        let table = run(&arguments, "table");
        assert!(!table.trim().is_empty() && !table.starts_with('{'), "{id}");
        let tools = matches!(id, "aicprobe.fields/1" | "aicprobe.observe/1");
        let stable = table.lines().filter(|l| l.starts_with("Observation "));
        assert_eq!(stable.count() > 0, tools, "{id}: {table}");
    }
}

#[test]
fn a_plan_has_no_rows() {
    for form in ["csv", "jsonl", "markdown"] {
        for target in ["vm:t8140", "vm:all"] {
            let args = ["route", "--dry-run", "--target", target, "--format", form];
            let output = aicprobe(&args);
            assert_eq!(output.status.code(), Some(2), "{args:?}");
            assert!(stderr(&output).contains("allowed are table and json"));
            assert_eq!(stdout(&output), "");
        }
    }
}
