//! Defaults from files and from the environment, on the command line.

mod common;

use std::path::Path;
use std::process::Output;

use common::{stderr, stdout};
use serde_json::Value;

/// A folder to work in and a folder of the user's configuration.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("what the test itself made");
        std::fs::create_dir_all(folder.path().join("work")).expect("what the test itself made");
        std::fs::create_dir_all(folder.path().join("xdg/aicprobe"))
            .expect("what the test itself made");
        Self { folder }
    }

    fn put(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).expect("what the test itself made");
    }

    fn run(&self, args: &[&str], variables: &[(&str, &str)]) -> Output {
        let at = |name: &str| self.folder.path().join(name);
        common::program()
            .args(args)
            .current_dir(at("work"))
            .env("HOME", at("home"))
            .env("XDG_CONFIG_HOME", at("xdg"))
            .envs(variables.iter().copied())
            .output()
            .expect("the program starts")
    }

    /// Value and place of every default, as `info` shows them.
    fn settings(&self, args: &[&str], variables: &[(&str, &str)]) -> Vec<(String, String)> {
        let mut words = vec!["info", "--format", "json"];
        words.extend(args);
        let run = self.run(&words, variables);
        assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
        let json: Value = serde_json::from_str(&stdout(&run)).expect("JSON");
        let text = |v: &Value| v.as_str().expect("what the test itself made").to_owned();
        let all = json["settings"]
            .as_array()
            .expect("what the test itself made")
            .iter();
        all.map(|s| (text(&s["value"]), text(&s["from"]))).collect()
    }
}

fn ends_with(found: &(String, String), value: &str, from: &str) {
    assert_eq!(found.0, value);
    let ends = Path::new(&found.1).ends_with(from);
    assert!(ends, "{} is not from {from}", found.1);
}

#[test]
fn each_place_wins_over_the_one_before_and_info_tells() {
    let place = Place::new();
    let all = place.settings(&[], &[]);
    let built_in = "built in".to_owned();
    assert_eq!(
        all,
        [
            ("vm:t8140".to_owned(), built_in.clone()),
            ("1".to_owned(), built_in.clone()),
            ("table".to_owned(), built_in)
        ]
    );
    place.put(
        "xdg/aicprobe/config.toml",
        "target = \"vm:t6020\"\nseed = 2\nformat = \"csv\"\n",
    );
    let all = place.settings(&[], &[]);
    for (found, value) in all.iter().zip(["vm:t6020", "2", "csv"]) {
        ends_with(found, value, "aicprobe/config.toml");
    }
    place.put("work/aicprobe.toml", "seed = 3\n");
    let all = place.settings(&[], &[]);
    ends_with(&all[0], "vm:t6020", "aicprobe/config.toml");
    ends_with(&all[1], "3", "aicprobe.toml");
    let all = place.settings(&[], &[("AICPROBE_SEED", "4")]);
    ends_with(&all[1], "4", "AICPROBE_SEED");
    // A named file stands in for both others; with none the environment still counts.
    place.put("work/other.toml", "target = \"vm:t8103\"\n");
    let all = place.settings(&["--config", "other.toml"], &[]);
    ends_with(&all[0], "vm:t8103", "other.toml");
    ends_with(&all[1], "1", "built in");
    let all = place.settings(&["--no-config"], &[("AICPROBE_TARGET", "usb")]);
    ends_with(&all[0], "usb", "AICPROBE_TARGET");
    ends_with(&all[2], "table", "built in");
    // An empty variable says nothing.
    let all = place.settings(&["--no-config"], &[("AICPROBE_TARGET", "")]);
    ends_with(&all[0], "vm:t8140", "built in");
}

/// What was measured is in the result, and what was not on the command line is said.
#[test]
fn a_run_says_what_came_from_elsewhere() {
    let place = Place::new();
    place.put(
        "work/aicprobe.toml",
        "target = \"vm:t6020\"\nseed = 9\nformat = \"json\"\n",
    );
    let plan = place.run(&["route", "--dry-run"], &[]);
    assert_eq!(plan.status.code(), Some(0), "{}", stderr(&plan));
    let json: Value = serde_json::from_str(&stdout(&plan)).expect("JSON, as the file says");
    assert_eq!(json["target"], "vm:t6020");
    assert_eq!(
        stderr(&plan).lines().next(),
        Some(
            "aicprobe: not on the command line: --target vm:t6020 (aicprobe.toml), --seed 9 (aicprobe.toml)"
        )
    );
    // The same on the command line is the same result, and there is nothing to say.
    let args = [
        "route",
        "--dry-run",
        "--target",
        "vm:t6020",
        "--seed",
        "9",
        "--format",
        "json",
    ];
    let other = Place::new();
    let named = other.run(&args, &[]);
    assert_eq!(stdout(&named), stdout(&plan));
    assert!(!stderr(&named).contains("not on the command line"));
    let quiet = place.run(&["route", "--dry-run", "-q"], &[]);
    assert_eq!(stderr(&quiet), "");
    assert_eq!(stdout(&quiet), stdout(&plan));
    // The command line wins.
    let won = place.run(&["route", "--dry-run", "--target", "vm:t8103"], &[]);
    let json: Value = serde_json::from_str(&stdout(&won)).unwrap();
    assert_eq!(json["target"], "vm:t8103");
}

#[test]
fn a_measured_result_names_the_seed_that_came_from_elsewhere() {
    needs_firmware!();
    let place = Place::new();
    let args = [
        "route",
        "--triggers",
        "2",
        "--fire-cpu",
        "1",
        "--format",
        "json",
        "-q",
    ];
    let run = place.run(
        &args,
        &[("AICPROBE_SEED", "5"), ("AICPROBE_TARGET", "vm:t8132")],
    );
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let json: Value = serde_json::from_str(&stdout(&run)).unwrap();
    assert_eq!(
        (&json["seed"], &json["target"]),
        (&5.into(), &"vm:t8132".into())
    );
}

#[test]
fn a_file_that_makes_no_sense_is_an_error_with_its_place() {
    let place = Place::new();
    for (text, said) in [
        (
            "sed = 1\n",
            "aicprobe.toml: there is no key \"sed\"; allowed are target, seed and format",
        ),
        (
            "seed = \"x\"\n",
            "aicprobe.toml: seed = \"x\" is not allowed",
        ),
        ("seed = 1\nseed\n", "aicprobe.toml, line 2: "),
        ("output = \"x.json\"\n", "there is no key \"output\""),
    ] {
        place.put("work/aicprobe.toml", text);
        let run = place.run(&["regs", "list"], &[]);
        assert_eq!(
            (run.status.code(), stdout(&run).as_str()),
            (Some(2), ""),
            "{text}"
        );
        let told = stderr(&run);
        assert!(
            told.starts_with(&format!("aicprobe: {said}")) || told.contains(said),
            "{told}"
        );
        assert!(told.contains("code: aicprobe::config"), "{told}");
        // The way out works, and so does help.
        for args in [&["regs", "list", "--no-config"][..], &["route", "--help"]] {
            assert_eq!(place.run(args, &[]).status.code(), Some(0));
        }
    }
    let place = Place::new();
    for (variable, value) in [("AICPROBE_SEED", "-1"), ("AICPROBE_SEED", "1e3")] {
        let run = place.run(&["regs", "list"], &[(variable, value)]);
        assert_eq!(run.status.code(), Some(2));
        assert!(stderr(&run).contains(variable), "{}", stderr(&run));
        // No file is to be mended or left out.
        assert!(
            stderr(&run).contains("code: aicprobe::environment"),
            "{}",
            stderr(&run)
        );
    }
    let run = place.run(&["regs", "list", "--config", "missing.toml"], &[]);
    assert_eq!(run.status.code(), Some(2));
    assert!(stderr(&run).contains("missing.toml"));
    let both = place.run(&["regs", "list", "--config", "x", "--no-config"], &[]);
    assert_eq!(both.status.code(), Some(2));
}
