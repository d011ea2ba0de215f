//! What is made from the definitions of the options: completions and manual pages; and rules for udev.

mod common;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{aicprobe, stderr, stdout};
use host_cli::cli::definitions;

/// Runs a checker on a file; says so where the checker is not installed.
fn checked_by(program: &str, arguments: &[&str], file: &Path) {
    let run = Command::new(program)
        .args(arguments)
        .arg(file)
        .stdin(Stdio::null())
        .output();
    match run {
        Ok(run) => {
            let said = String::from_utf8_lossy(&run.stderr).into_owned();
            assert!(run.status.success() && said.is_empty(), "{program}: {said}");
        }
        Err(e) => eprintln!("skipped: {program} cannot be run here ({e})"),
    }
}

#[test]
fn shells_read_their_completions() {
    let folder = tempfile::tempdir().unwrap();
    for (shell, checker) in [
        ("bash", Some(("bash", "-n"))),
        ("zsh", Some(("zsh", "-n"))),
        ("fish", Some(("fish", "--no-execute"))),
        ("powershell", None),
        ("elvish", None),
    ] {
        let path = folder.path().join(shell);
        let run = aicprobe(&["completions", shell, "-o", path.to_str().unwrap()]);
        assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
        let script = std::fs::read_to_string(&path).unwrap();
        for word in ["aicprobe", "handoff", "fire-cpu", "doctor"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
        assert_eq!(stdout(&aicprobe(&["completions", shell])), script);
        if let Some((program, argument)) = checker {
            checked_by(program, &[argument], &path);
        }
    }
    let other = aicprobe(&["completions", "tcsh"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr(&other).contains("bash, elvish, fish, powershell, zsh"));
}

/// What bash proposes, asked as the shell does it.
#[test]
fn bash_completes_commands_and_options() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aicprobe.bash");
    let run = aicprobe(&["completions", "bash", "-o", path.to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(0));
    for (line, wanted) in [
        ("aicprobe hando", "handoff"),
        ("aicprobe route --fire", "--fire-cpu"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let script = format!(
            "source '{}'; COMP_WORDS=({line}); COMP_CWORD={}; _aicprobe aicprobe '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            path.display(),
            words.len() - 1,
            words[words.len() - 1],
            words[words.len() - 2],
        );
        let shell = Command::new("bash")
            .args(["--norc", "-c", &script])
            .output();
        let Ok(shell) = shell else {
            eprintln!("skipped: bash cannot be run here");
            return;
        };
        let said = stdout(&shell);
        assert!(
            said.lines().any(|l| l.trim() == wanted),
            "{line}: {said} {}",
            stderr(&shell)
        );
    }
}

/// Names of the pages of a command and of all below it, each with the long options of its command.
fn pages(command: &clap::Command, name: &str, all: &mut Vec<(String, Vec<String>)>) {
    for inner in command.get_subcommands() {
        pages(inner, &format!("{name}-{}", inner.get_name()), all);
    }
    let options = command.get_arguments().filter(|a| !a.is_hide_set());
    let options = options.filter_map(|a| a.get_long().map(str::to_owned));
    all.push((name.to_owned(), options.collect()));
}

#[test]
fn every_command_has_a_page_with_its_options() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("man1");
    let run = aicprobe(&["man", "--dir", into.to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let mut wanted = Vec::new();
    pages(&definitions(), "aicprobe", &mut wanted);
    assert!(wanted.len() > 20);
    let there: BTreeSet<String> = std::fs::read_dir(&into)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    let names: BTreeSet<String> = wanted.iter().map(|(name, _)| format!("{name}.1")).collect();
    assert_eq!(there, names);
    for (name, options) in wanted {
        let path = into.join(format!("{name}.1"));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(".SH NAME") && text.contains(".TH"), "{name}");
        let plain = text.replace('\\', "");
        for option in options {
            assert!(plain.contains(&format!("--{option}")), "{name}: --{option}");
        }
        assert!(plain.contains("130"), "{name} has no exit codes");
        if name == "aicprobe-regs-show" {
            assert_eq!(stdout(&aicprobe(&["man", "regs", "show"])), text);
        }
    }
    let none = aicprobe(&["man", "nonsense"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(stderr(&none).contains("allowed are route, vm, adt"));
}

#[test]
fn rules_are_printed_and_written() {
    let printed = aicprobe(&["udev"]);
    assert_eq!(printed.status.code(), Some(0));
    let rules = stdout(&printed);
    assert!(rules.contains("ENV{ID_MM_DEVICE_IGNORE}=\"1\"") && rules.contains("uaccess"));
    let said = stderr(&printed);
    assert!(said.contains("udevadm control --reload") && said.contains("--install"));
    assert_eq!(stderr(&aicprobe(&["udev", "-q"])), "");

    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_str().unwrap();
    let run = aicprobe(&["udev", "--install", at]);
    assert_eq!((run.status.code(), stdout(&run).as_str()), (Some(0), ""));
    let path = folder.path().join("70-aicprobe.rules");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), rules);

    let missing = aicprobe(&["udev", "--install", "/nonexistent/rules.d"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("--install /nonexistent/rules.d/70-aicprobe.rules"));

    let group = stdout(&aicprobe(&["udev", "-q", "--group", "uucp"]));
    assert!(group.contains("GROUP=\"uucp\"") && !group.contains("uaccess"));
    for bad in ["", "a\"b", "a b", "a\nb"] {
        let run = aicprobe(&["udev", "--group", bad]);
        assert_eq!(run.status.code(), Some(2), "{bad:?}");
    }
}
