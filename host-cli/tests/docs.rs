//! The pages that are checked in are those that would be made now.

mod common;

use std::path::{Path, PathBuf};

use common::{aicprobe, stderr, stdout};

/// How the pages are renewed.
const RENEW: &str = "`cargo xtask docs` renews it";

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "docs"].iter().collect()
}

fn checked_in(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}; {RENEW}", path.display()))
}

/// Makes the pages of `files`; the text of one of them.
fn made(into: &Path, files: &[String], name: &str) -> String {
    let mut words = vec![
        "docs",
        "--dir",
        into.to_str().expect("what the test itself made"),
    ];
    words.extend(files.iter().map(String::as_str));
    let run = aicprobe(&words);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    std::fs::read_to_string(into.join(name)).expect("what the test itself made")
}

#[test]
fn registers_and_errors_are_current() {
    let into = tempfile::tempdir().unwrap();
    for name in ["registers.md", "errors.md"] {
        assert!(
            made(into.path(), &[], name) == checked_in(name),
            "{name} is not as the tables say; {RENEW}"
        );
    }
    assert!(!into.path().join("observed.md").exists());
    // Every register, once.
    let page = checked_in("registers.md");
    let headings = page.lines().filter(|l| l.starts_with("### ")).count();
    assert_eq!(headings, host_cli::regs::registers().len());
    for part in [
        "### EVENT\n",
        "S3\\_5\\_C15\\_",
        "third party",
        "### SIQ\\_CFG",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

/// Observes again what the page was made of: saved results first, then the models that it names.
#[test]
fn what_was_observed_is_what_would_be_observed() {
    needs_firmware!();
    let page = checked_in("observed.md");
    let into = tempfile::tempdir().unwrap();
    let mut files: Vec<String> = Vec::new();
    if let Ok(saved) = folder().join("observed").read_dir() {
        let paths = saved.map(|f| f.unwrap().path().display().to_string());
        files.extend(paths.filter(|p| p.ends_with(".json")));
        files.sort();
    }
    let sources = page
        .lines()
        .filter_map(|l| l.strip_prefix("Source: target vm:"));
    let models: Vec<&str> = sources.filter_map(|l| l.split(',').next()).collect();
    assert!(models.len() >= 3, "{models:?}");
    for model in models {
        let file = into.path().join(format!("{model}.json"));
        let file = file.to_str().unwrap().to_owned();
        let target = format!("vm:{model}");
        let run = aicprobe(&[
            "observe", "-q", "--target", &target, "--format", "json", "-o", &file,
        ]);
        assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
        files.push(file);
    }
    let now = made(into.path(), &files, "observed.md");
    let different = now.lines().zip(page.lines()).find(|(a, b)| a != b);
    assert!(now == page, "observed.md: {different:?}; {RENEW}");
    // The same to standard output, behind the other pages.
    let mut words = vec!["docs"];
    words.extend(files.iter().map(String::as_str));
    assert!(stdout(&aicprobe(&words)).ends_with(&page));
}

#[test]
fn what_is_no_saved_result_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.json");
    std::fs::write(&path, "{\"schema\": \"aicprobe.route/1\"}").unwrap();
    let into = folder.path().join("out");
    for (file, says) in [
        (
            path.to_str().unwrap(),
            "allowed are aicprobe.observe/1 and aicprobe.fields/1",
        ),
        ("/nonexistent.json", "/nonexistent.json"),
    ] {
        let run = aicprobe(&["docs", "--dir", into.to_str().unwrap(), file]);
        assert_eq!(run.status.code(), Some(2));
        assert!(stderr(&run).contains(says), "{}", stderr(&run));
        assert!(!into.exists(), "nothing is written");
    }
}
