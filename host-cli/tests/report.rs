//! `aicprobe report`: what is on the page, that nothing of an input becomes markup, and that a browser is content with it.

mod common;
mod report_common;

use std::collections::BTreeSet;
use std::path::Path;

use common::trees::Folder;
use common::{aicprobe, stderr, stdout};
use report_common::{ALL, files, markdown_of, number_of, page_of, parsed, texts};
use scraper::{ElementRef, Html, Selector};
use serde_json::{Value, json};

fn select<'h>(html: &'h Html, what: &str) -> Vec<ElementRef<'h>> {
    let selector = Selector::parse(what).expect("a selector");
    html.select(&selector).collect()
}

#[test]
fn every_result_makes_a_sound_page() {
    needs_firmware!();
    for name in ALL {
        let page = page_of(&[name]);
        let html = parsed(&page);
        assert_eq!(html.errors, Vec::<&str>::new(), "{name}");
        assert_eq!(select(&html, "h1").len(), 1, "{name}");
        for table in select(&html, "table") {
            let caption = table.child_elements().next().expect("a child");
            assert_eq!(caption.value().name(), "caption", "{name}");
            assert!(!texts(caption).is_empty(), "{name}");
            let columns = table
                .select(&Selector::parse("thead th").expect("a selector"))
                .count();
            for row in table.select(&Selector::parse("tbody tr").expect("a selector")) {
                assert_eq!(
                    row.child_elements().count(),
                    columns,
                    "{name}: {}",
                    texts(caption)
                );
            }
        }
        for picture in select(&html, "svg[role=img]") {
            let kinds: Vec<&str> = picture
                .child_elements()
                .take(2)
                .map(|e| e.value().name())
                .collect();
            assert_eq!(kinds, ["title", "desc"], "{name}");
        }
        // No level of heading is left out.
        let mut last = 0;
        for heading in select(&html, "h1,h2,h3,h4") {
            let level: u8 = heading.value().name()[1..].parse().expect("a level");
            assert!(level <= last + 1, "{name}: {}", texts(heading));
            last = level;
        }
        let ids: Vec<&str> = select(&html, "[id]")
            .iter()
            .filter_map(|e| e.attr("id"))
            .collect();
        let unique: BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(ids.len(), unique.len(), "{name}");
        for link in select(&html, "a") {
            let to = link
                .attr("href")
                .and_then(|h| h.strip_prefix('#'))
                .expect("a place in the page");
            assert!(ids.contains(&to), "{name}: {to}");
        }
        assert!(page.contains("MODEL ONLY"), "{name}");
    }
}

#[test]
fn a_page_loads_nothing() {
    needs_firmware!();
    let page = page_of(&ALL);
    let html = parsed(&page);
    for element in select(&html, "*") {
        let name = element.value().name();
        assert!(
            !["script", "link", "img", "iframe", "object", "base", "form"].contains(&name),
            "{name}"
        );
        for (attribute, value) in element.value().attrs() {
            let loads = [
                "src",
                "srcset",
                "xlink:href",
                "action",
                "data",
                "poster",
                "style",
            ];
            assert!(
                !loads.contains(&attribute) && !attribute.starts_with("on"),
                "{attribute}"
            );
            let is_policy = attribute == "content" || attribute.starts_with("aria");
            assert!(is_policy || !value.contains("://"), "{attribute}={value}");
        }
    }
    let style = select(&html, "style")
        .iter()
        .map(|s| s.inner_html())
        .collect::<String>();
    for word in ["url(", "@import", "@font-face", "http"] {
        assert!(!style.contains(word), "{word}");
    }
    let policy = select(&html, "meta[http-equiv]");
    let policy = policy[0].attr("content");
    assert_eq!(
        policy,
        Some("default-src 'none'; style-src 'unsafe-inline'")
    );
}

/// Text of an input, whatever it is, is text in the page.
#[test]
fn nothing_of_an_input_becomes_markup() {
    needs_firmware!();
    const EVIL: &str =
        "</style></title><script>alert(1)</script><img src=x onerror=alert(2)>\"'`|*_";
    let folder = Folder::new();
    for name in ALL {
        let text = std::fs::read_to_string(files().result(name)).expect("a result");
        let mut value: Value = serde_json::from_str(&text).expect("JSON");
        let mut changed = 0;
        poison("", &mut value, EVIL, &mut changed);
        assert!(changed > 3, "{name}: {changed}");
        let path = folder.file("evil<b>.json", value.to_string().as_bytes());
        let out = aicprobe(&["report", &path]);
        assert_eq!(out.status.code(), Some(0), "{name}: {}", stderr(&out));
        let page = stdout(&out);
        let html = parsed(&page);
        assert_eq!(html.errors, Vec::<&str>::new(), "{name}");
        assert!(select(&html, "script, img, b").is_empty(), "{name}");
        assert!(
            texts(html.root_element()).contains("<script>alert(1)</script>"),
            "{name}"
        );
        let out = aicprobe(&["report", &path, "--format", "markdown"]);
        let markdown = stdout(&out);
        assert!(
            !markdown.replace("\\<", "").contains('<'),
            "{name}: {markdown}"
        );
    }
}

/// Every text that is no number, no word of a fixed list and no schema becomes `evil`.
fn poison(key: &str, value: &mut Value, evil: &str, changed: &mut usize) {
    const FREE: [&str; 13] = [
        "target", "tool", "firmware", "name", "board", "model", "text", "about", "why", "title",
        "claim", "note", "chip",
    ];
    match value {
        Value::String(s) if FREE.contains(&key) => {
            *changed += 1;
            *s = evil.to_owned();
        }
        Value::Array(all) => all.iter_mut().for_each(|v| poison(key, v, evil, changed)),
        Value::Object(map) => {
            for (key, value) in map {
                poison(key, value, evil, changed);
            }
        }
        _ => {}
    }
}

#[test]
fn the_same_inputs_make_the_same_bytes() {
    needs_firmware!();
    assert_eq!(page_of(&ALL), page_of(&ALL));
    assert_eq!(markdown_of(&ALL), markdown_of(&ALL));
    assert_ne!(page_of(&["verify"]), page_of(&["soak"]));
}

/// Numbers of the page are those of the input.
#[test]
fn counts_are_those_of_the_result() {
    needs_firmware!();
    let text = std::fs::read_to_string(files().result("verify")).expect("a result");
    let verify: Value = serde_json::from_str(&text).expect("JSON");
    let page = page_of(&["verify"]);
    let html = parsed(&page);
    let mut landed = vec![vec![0u64; 6]; 6];
    for of in verify["cells"].as_array().expect("cells") {
        let fire = of["cell"]["fire_cpu"].as_u64().expect("a CPU") as usize;
        for (sum, n) in landed[fire]
            .iter_mut()
            .zip(of["cell"]["landed"].as_array().expect("counts"))
        {
            *sum += n.as_u64().expect("a count");
        }
    }
    let tables = select(&html, "table");
    let heat = tables.iter().find(|t| texts(**t).starts_with("All cells"));
    let rows = Selector::parse("tbody tr").expect("a selector");
    let shown: Vec<Vec<u64>> = heat
        .expect("a table")
        .select(&rows)
        .map(|row| {
            row.child_elements()
                .skip(1)
                .take(6)
                .map(number_of)
                .collect()
        })
        .collect();
    assert_eq!(shown, landed);
    let rules = tables.iter().find(|t| texts(**t).starts_with("Rules"));
    let rules: Vec<String> = rules.expect("rules").select(&rows).map(texts).collect();
    let of = verify["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), of.len());
    for (row, rule) in rules.iter().zip(of) {
        for part in ["id", "verdict", "title"] {
            assert!(row.contains(rule[part].as_str().expect("text")), "{row}");
        }
        assert!(row.contains(&rule["held"].to_string()), "{row}");
    }
    let markdown = markdown_of(&["verify"]);
    assert!(
        markdown.starts_with("## T8140: PASS (model only)"),
        "{markdown}"
    );
    for word in [
        "MODEL ONLY",
        "**PASS**",
        "| ROUTE-01",
        "| 0x80010100 |",
        "SHA-256 of the file",
        "All cells",
    ] {
        assert!(markdown.contains(word), "{word}");
    }
    // No line of a table is broken.
    for line in markdown.lines().filter(|l| l.starts_with('|')) {
        assert!(line.ends_with('|'), "{line}");
    }
}

/// A verdict that its own record does not make is told, and so are a target that was not put back and a run that was cut.
#[test]
fn what_is_wrong_is_at_the_top() {
    needs_firmware!();
    let folder = Folder::new();
    let text = std::fs::read_to_string(files().result("verify")).expect("a result");
    let mut verify: Value = serde_json::from_str(&text).expect("JSON");
    let shown = |value: &Value| {
        let path = folder.file("changed.json", value.to_string().as_bytes());
        let html = parsed(&stdout(&aicprobe(&["report", &path])));
        select(&html, "header")
            .iter()
            .map(|h| texts(*h))
            .collect::<String>()
    };
    assert!(!shown(&verify).contains("ATTENTION"));
    verify["rules"][0]["verdict"] = json!("FAIL");
    verify["verdict"] = json!("FAIL");
    let top = shown(&verify);
    assert!(top.contains("DAMAGED"), "{top}");
    assert!(
        top.contains("not those that this version makes of its own record"),
        "{top}"
    );
    verify["restored"] = json!(false);
    verify["complete"] = json!(false);
    let top = shown(&verify);
    assert!(top.contains("NOT known to be as it was found"), "{top}");
    assert!(top.contains("not everything that was planned"), "{top}");
}

#[test]
fn evidence_is_checked_and_shown() {
    needs_firmware!();
    let evidence = files().evidence();
    let page = page_at(&evidence);
    let html = parsed(&page);
    let text = texts(html.root_element());
    for words in [
        "whole: 9 files are as the manifest says",
        "Registers before and after",
        "Registers of CPUs",
        "16 combinations, nobody masks interrupts",
        "command line",
        "SHA-256 of the firmware image",
    ] {
        assert!(text.contains(words), "{words}");
    }
    // The value of every CPU is written into the picture: 16 combinations of 2 CPUs, and the same with CPU 0 masked.
    assert_eq!(
        select(&html, "svg[role=img] text[class^=d]").len(),
        2 * 16 * 2
    );
    assert!(!text.contains("ATTENTION"));
    let folder = Folder::new();
    let copy = Path::new(&folder.path()).join("copy");
    std::fs::create_dir(&copy).expect("a directory");
    for entry in std::fs::read_dir(&evidence).expect("readable") {
        let entry = entry.expect("an entry");
        std::fs::copy(entry.path(), copy.join(entry.file_name())).expect("copied");
    }
    let mut log = std::fs::read(copy.join("log.txt")).expect("a log");
    log.push(b'!');
    std::fs::write(copy.join("log.txt"), log).expect("written");
    let text = texts(parsed(&page_at(&copy.display().to_string())).root_element());
    assert!(text.contains("ATTENTION: evidence: log.txt"), "{text}");
    // Cut before its result was written.
    std::fs::remove_file(copy.join("manifest.sha256")).expect("removed");
    std::fs::remove_file(copy.join("result.json")).expect("removed");
    let text = texts(parsed(&page_at(&copy.display().to_string())).root_element());
    assert!(
        text.contains("made again of its counts") && text.contains("CUT"),
        "{text}"
    );
}

fn page_at(path: &str) -> String {
    let out = aicprobe(&["report", path]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    stdout(&out)
}

#[test]
fn what_is_no_input_is_one_error_and_changes_nothing() {
    let folder = Folder::new();
    let output = folder.file("old.html", b"old");
    let lines = folder.file("lines.json", b"{\"schema\":\"aicprobe.lines/1\"}");
    let text = folder.file("text", b"hello");
    let odd = folder.file(
        "odd.json",
        b"{\"schema\":\"aicprobe.latency/1\",\"cpus\":[{\"id\":7}]}",
    );
    let empty = format!("{}/none", folder.path());
    std::fs::create_dir(&empty).expect("a directory");
    for (path, said) in [
        (
            lines.as_str(),
            "it holds \"aicprobe.lines/1\"; allowed are aicprobe.verify/1, aicprobe.route/1",
        ),
        (
            &text,
            "it is neither evidence (a directory or .tar.zst) nor one JSON value",
        ),
        (
            &odd,
            "it holds what cannot be: cpus[0] has another id than 0",
        ),
        (&empty, "it is no evidence"),
        ("/nonexistent/x", "No such file"),
    ] {
        let out = aicprobe(&["report", path, "-o", &output]);
        let why = stderr(&out);
        assert_eq!(out.status.code(), Some(2), "{why}");
        assert!(
            why.contains(said) && why.matches("aicprobe: ").count() == 1,
            "{why}"
        );
        assert_eq!(std::fs::read(&output).expect("there"), b"old");
    }
    assert_eq!(aicprobe(&["report"]).status.code(), Some(2));
}

/// Whatever a result says, the program neither panics nor makes markup of it.
#[test]
fn changed_numbers_are_refused_or_shown() {
    needs_firmware!();
    let folder = Folder::new();
    let mut state = 7u64;
    let mut next = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    let (mut shown, mut refused) = (0, 0);
    for name in ALL {
        let text = std::fs::read_to_string(files().result(name)).expect("a result");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let mut leaves = Vec::new();
        paths("", &value, &mut leaves);
        // Verdicts are made again of the record: most code looks at that.
        for _ in 0..if name == "verify" { 200 } else { 40 } {
            let mut value = value.clone();
            let at = &leaves[next(leaves.len())];
            let with = [
                json!(u64::MAX),
                json!(255),
                json!(0),
                json!(1e300),
                json!([]),
                Value::Null,
                json!("x"),
                json!(1u64 << 43),
            ];
            *value.pointer_mut(at).expect("a leaf") = with[next(with.len())].clone();
            let path = folder.file("changed.json", value.to_string().as_bytes());
            match host_cli::report::read(Path::new(&path)) {
                Ok(input) => {
                    shown += 1;
                    let inputs = [input];
                    let page = host_cli::report::page(&inputs);
                    assert_eq!(parsed(&page).errors, Vec::<&str>::new(), "{name} {at}");
                    assert!(!host_cli::report::markdown(&inputs).is_empty());
                }
                Err(why) => {
                    refused += 1;
                    assert!(!why.to_string().contains('\n'), "{name} {at}: {why}");
                }
            }
        }
    }
    assert!(
        shown > 30 && refused > 30,
        "{shown} shown, {refused} refused"
    );
}

fn paths(at: &str, value: &Value, all: &mut Vec<String>) {
    match value {
        Value::Array(of) => {
            all.push(at.to_owned());
            for (n, value) in of.iter().enumerate() {
                paths(&format!("{at}/{n}"), value, all);
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                paths(&format!("{at}/{key}"), value, all);
            }
        }
        _ => all.push(at.to_owned()),
    }
}
