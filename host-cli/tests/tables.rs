//! `aicprobe tables`: the tables checked in are those of the sources, and compilers take them.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{aicprobe, stderr, stdout};
use serde_json::Value;

fn root() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), ".."].iter().collect()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn tables(arguments: &[&str]) -> String {
    let run = aicprobe(&[&["tables"], arguments].concat());
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    stdout(&run)
}

/// Paths of all files below `folder`, from there.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let from = path.strip_prefix(folder).expect("below");
                found.insert(from.to_str().expect("a name").to_owned());
            }
        }
    }
    found
}

#[test]
fn the_files_checked_in_are_those_of_the_sources() {
    const RENEW: &str = "`cargo xtask tables` renews them";
    let made = tempfile::tempdir().expect("a folder");
    let socs = root().join("socs");
    let (to, from) = (
        made.path().to_str().expect("UTF-8"),
        socs.to_str().expect("UTF-8"),
    );
    tables(&["--write", to, "--socs", from]);
    let names = files(made.path());
    assert!(names.len() > 10, "{names:?}");
    for name in &names {
        let same = read(&made.path().join(name)) == read(&root().join(name));
        assert!(same, "{name} is not what socs/ gives; {RENEW}");
    }
    let ours = |name: &String| name.strip_prefix("tables/").map(str::to_owned);
    let wanted: BTreeSet<String> = names.iter().filter_map(ours).collect();
    assert_eq!(
        files(&root().join("tables")),
        wanted,
        "files of no SoC; {RENEW}"
    );
}

#[test]
fn the_same_sources_give_the_same_bytes_built_in_or_read() {
    let socs = root().join("socs");
    let from = socs.to_str().expect("UTF-8");
    for form in ["c", "rust", "json", "md"] {
        let built_in = tables(&["--format", form]);
        assert_eq!(
            built_in,
            tables(&["--format", form, "--socs", from]),
            "{form}"
        );
        assert!(!built_in.contains(from), "{form}");
        let one = tables(&["--format", form, "--soc", "t8140"]);
        assert!(one.contains("T8140") && !one.contains("T6020"), "{form}");
    }
}

/// A program that prints what it finds in the table.
const PRINT: &str = r#"
#include "routing.h"
#include <stdio.h>

int main(void)
{
	const struct aicprobe_routing *r;

	for (r = aicprobe_routing; r->soc; r++) {
		size_t i, accepting = 0;

		for (i = 0; i < r->nr_cpus; i++)
			accepting += r->values[r->cpus[i].field].class_of != AICPROBE_NEVER;
		printf("%s %s %s %lx %d %d %d %d %zu %zu\n", r->soc, r->compatible, r->machine, (unsigned long)r->chip_id,
		       r->standing == AICPROBE_SILICON, r->listed, r->online_refresh, r->default_acceptor, r->nr_cpus,
		       accepting);
	}
	return 0;
}
"#;

#[test]
fn a_c_compiler_takes_the_header_and_a_program_finds_what_the_json_says() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("skipped: there is no C compiler (cc)");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("routing.h"), tables(&["--format", "c"])).expect("written");
    std::fs::write(path("print.c"), PRINT).expect("written");
    std::fs::write(path("only.c"), "#include \"routing.h\"\n").expect("written");
    let strict = ["-std=gnu11", "-Wall", "-Wextra", "-Wcomment", "-Werror"];
    for more in [
        &["-fsyntax-only", "only.c"][..],
        &["-o", "print", "print.c"],
    ] {
        let cc = Command::new("cc")
            .args(strict)
            .args(more)
            .current_dir(folder.path())
            .output()
            .expect("cc runs");
        assert!(
            cc.status.success(),
            "{}",
            String::from_utf8_lossy(&cc.stderr)
        );
    }
    let printed = Command::new(path("print")).output().expect("it runs");
    let json: Value = serde_json::from_str(&tables(&["--format", "json"])).expect("JSON");
    let mut wanted = String::new();
    for soc in json["socs"].as_array().expect("SoCs") {
        let text = |v: &Value| v.as_str().expect("text").to_owned();
        let flag = |v: &Value| u8::from(v.as_bool().expect("a flag"));
        wanted += &format!(
            "{} {} {} {:x} {} {} {} {} {} {}\n",
            text(&soc["soc"]),
            text(&soc["aic"]["compatible"]),
            text(&soc["machine"]),
            soc["chip_id"].as_u64().expect("an id"),
            u8::from(soc["state"] == "silicon"),
            flag(&soc["allow_list"]["listed"]),
            flag(&soc["online_refresh"]),
            soc["default_acceptor"]["id"].as_i64().unwrap_or(-1),
            soc["cpu"].as_array().expect("CPUs").len(),
            soc["accepting"].as_array().expect("ids").len(),
        );
    }
    assert_eq!(String::from_utf8_lossy(&printed.stdout), wanted);
    assert!(
        wanted.contains("T8140 apple,t8140-aic3 apple,t8140 8140 1 1 0 0 6 1\n"),
        "{wanted}"
    );
}

#[test]
fn a_device_tree_compiler_takes_every_fragment() {
    if Command::new("dtc").arg("--version").output().is_err() {
        println!("skipped: there is no device-tree compiler (dtc)");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let json: Value = serde_json::from_str(&tables(&["--format", "json"])).expect("JSON");
    for soc in json["socs"].as_array().expect("SoCs") {
        let name = soc["soc"].as_str().expect("a name");
        let fragment = tables(&["--format", "dts", "--soc", name]);
        let tree =
            format!("/dts-v1/;\n/ {{\n\taic: interrupt-controller {{\n\t}};\n}};\n{fragment}");
        let path = folder.path().join("tree.dts");
        std::fs::write(&path, tree).expect("written");
        let dtc = Command::new("dtc")
            .args(["-q", "-I", "dts", "-O", "dts"])
            .arg(&path)
            .output();
        let dtc = dtc.expect("dtc runs");
        let error = String::from_utf8_lossy(&dtc.stderr).into_owned();
        assert!(dtc.status.success(), "{name}: {error}");
        let back = String::from_utf8_lossy(&dtc.stdout).into_owned();
        let state = format!(
            "aicprobe,state = \"{}\";",
            soc["state"].as_str().expect("text")
        );
        assert!(back.contains(&state), "{name}: {back}");
        let listed = soc["allow_list"]["listed"] == true;
        assert_eq!(back.contains("aicprobe,listed;"), listed, "{name}");
        let refresh = soc["online_refresh"] == true;
        assert_eq!(back.contains("aicprobe,online-refresh;"), refresh, "{name}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path().to_str().expect("UTF-8");
    let out = folder.path().join("out");
    let out_text = out.to_str().expect("UTF-8");
    let bad = folder.path().join("t8140.toml");
    let text = read(&root().join("socs/t8140.toml"));
    std::fs::write(&bad, text.replacen("field = 0", "field = 9", 1)).expect("written");
    let cases: [(&[&str], &str); 6] = [
        (
            &["--soc", "T9999"],
            "--soc T9999: nothing is known of it; allowed are T6000, ",
        ),
        (
            &["--format", "dts"],
            "a device tree is that of one SoC: give --soc",
        ),
        (
            &["--socs", at],
            "t8140.toml: cpu[0].field: 9: allowed are 0 to 3",
        ),
        (&["--socs", "/nowhere"], "/nowhere: No such file"),
        (&["--write", at, "--soc", "T8140"], "cannot be used with"),
        (&["--write", out_text], "there is no such folder"),
    ];
    for (arguments, says) in cases {
        let with_out = [&["tables"], arguments, &["-o", out_text][..]].concat();
        let without = [&["tables"], arguments].concat();
        let run = aicprobe(if arguments[0] == "--write" {
            &without
        } else {
            &with_out
        });
        assert_eq!(run.status.code(), Some(2), "{arguments:?}");
        assert!(
            stderr(&run).contains(says),
            "{arguments:?}: {}",
            stderr(&run)
        );
        assert!(!out.exists(), "{arguments:?}");
    }
}
