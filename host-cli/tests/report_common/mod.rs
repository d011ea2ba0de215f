//! Results for tests of reports, measured once on virtual SoCs.
#![allow(dead_code, reason = "every test file uses a part of it")]

use std::sync::OnceLock;

use scraper::{ElementRef, Html};

use crate::common::trees::Folder;
use crate::common::{aicprobe, stderr, stdout};

/// A result of every command that reports are made from.
pub const ALL: [&str; 9] = [
    "verify", "route", "fields", "latency", "handoff", "storm", "soak", "observe", "compare",
];

pub struct Files {
    folder: Folder,
}

impl Files {
    pub fn result(&self, name: &str) -> String {
        format!("{}/{name}.json", self.folder.path())
    }

    /// Of `fields`, two CPUs.
    pub fn evidence(&self) -> String {
        format!("{}/evidence", self.folder.path())
    }
}

pub fn files() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| {
        let files = Files {
            folder: Folder::new(),
        };
        let two = concat!("vm:", env!("CARGO_MANIFEST_DIR"), "/../virtual-soc/models/odd/cpus-2.toml");
        let fields = format!("fields --target {two} --triggers 2 --evidence {}", files.evidence());
        for (name, line) in [
            ("verify", "verify --quick"),
            ("route", "route --triggers 4"),
            ("fields", &fields),
            ("latency", "latency --triggers 20 --fire-cpu 0,1 --load idle,spin"),
            ("handoff", "handoff --triggers 4 --land-cpu 0 --serve-cpu 1,2 --load idle"),
            ("storm", "storm --us 60 --repeat 2 --pattern one,pairs --accounting per-cpu"),
            ("soak", "soak --triggers 8000 --interval 10"),
            ("observe", "observe --row 6 --triggers 4"),
            ("compare", "compare vm:t8140 vm:t8140 --triggers 4 --alternate 2 --fire-cpu 0 --b --set-field=1=1"),
        ] {
            let path = files.result(name);
            let mut words: Vec<&str> = line.split(' ').collect();
            words.extend(["--format", "json", "-q", "-o", &path]);
            let out = aicprobe(&words);
            // A comparison that finds a difference, and rules about which too little was measured, are results too.
            let code = out.status.code();
            assert!(matches!(code, Some(0 | 5 | 6)), "{line}: {code:?} {}", stderr(&out));
        }
        files
    })
}

fn report(names: &[&str], format: &str) -> String {
    let paths: Vec<String> = names.iter().map(|n| files().result(n)).collect();
    let mut words = vec!["report", "--format", format];
    words.extend(paths.iter().map(String::as_str));
    let out = aicprobe(&words);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    stdout(&out)
}

pub fn page_of(names: &[&str]) -> String {
    report(names, "html")
}

pub fn markdown_of(names: &[&str]) -> String {
    report(names, "markdown")
}

pub fn parsed(page: &str) -> Html {
    Html::parse_document(page)
}

pub fn texts(of: ElementRef<'_>) -> String {
    of.text().collect()
}

/// A count as the page writes it.
pub fn number_of(of: ElementRef<'_>) -> u64 {
    let text = texts(of).replace('\u{202f}', "");
    match text.as_str() {
        "·" => 0,
        text => text.parse().expect("a count"),
    }
}
