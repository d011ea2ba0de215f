//! Verdicts for laboratories: JUnit XML and TAP.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use crate::error::Error;
use crate::verify::{RuleResult, Verdict, VerifyResult};

/// JUnit: a test case for each rule. What is inconclusive is an error, what makes no sense here is skipped.
///
/// # Errors
/// [`Error::Internal`] if it cannot be written (it goes to memory, so it can).
pub fn junit(result: &VerifyResult) -> Result<String, Error> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    write_junit(&mut writer, result).map_err(|e| Error::Internal(e.to_string()))?;
    let mut text =
        String::from_utf8(writer.into_inner()).map_err(|e| Error::Internal(e.to_string()))?;
    text.push('\n');
    Ok(text)
}

fn write_junit(writer: &mut Writer<Vec<u8>>, result: &VerifyResult) -> std::io::Result<()> {
    let head = &result.record.head;
    let count = |v| {
        result
            .rules
            .iter()
            .filter(|r| r.verdict == v)
            .count()
            .to_string()
    };
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let left_out = result.left_out.join(" ");
    let name = format!("aicprobe verify {} {}", head.soc.title(), head.soc.board);
    writer
        .create_element("testsuite")
        .with_attributes([
            ("name", name.trim()),
            ("tests", &result.rules.len().to_string()),
            ("failures", &count(Verdict::Fail)),
            ("errors", &count(Verdict::Inconclusive)),
            ("skipped", &count(Verdict::NotApplicable)),
        ])
        .write_inner_content(|writer| {
            writer
                .create_element("properties")
                .write_inner_content(|writer| {
                    let marks = head.marks.iter().map(|m| (m.kind.name(), m.text.as_str()));
                    let own = [
                        ("target", head.target.as_str()),
                        ("seed", &head.seed.to_string()),
                        ("firmware", head.build.firmware.as_str()),
                        ("verdict", result.verdict.name()),
                        ("left_out", &left_out),
                    ];
                    let all = own.into_iter().chain(marks);
                    for (name, value) in all.filter(|(_, value)| !value.is_empty()) {
                        let attributes = [("name", name), ("value", &printable(value))];
                        writer
                            .create_element("property")
                            .with_attributes(attributes)
                            .write_empty()?;
                    }
                    Ok(())
                })?;
            for rule in &result.rules {
                case(writer, rule)?;
            }
            Ok(())
        })?;
    Ok(())
}

fn case(writer: &mut Writer<Vec<u8>>, rule: &RuleResult) -> std::io::Result<()> {
    let name = format!("{} {}", rule.id, rule.title);
    let element = writer
        .create_element("testcase")
        .with_attributes([("classname", "aicprobe.verify"), ("name", name.as_str())]);
    let why = printable(&counted(rule));
    let inner = match rule.verdict {
        Verdict::Pass => {
            element.write_inner_content(|w| {
                w.create_element("system-out")
                    .write_text_content(BytesText::new(&why))?;
                Ok(())
            })?;
            return Ok(());
        }
        Verdict::Fail => "failure",
        Verdict::Inconclusive => "error",
        Verdict::NotApplicable => "skipped",
    };
    element.write_inner_content(|w| {
        w.create_element(inner)
            .with_attribute(("message", why.as_str()))
            .write_empty()?;
        Ok(())
    })?;
    Ok(())
}

/// Why, with the counts and the bound of the rate at which the rule does not hold.
fn counted(rule: &RuleResult) -> String {
    let bound = rule
        .upper_95
        .map_or_else(String::new, |b| format!(", at most {b:.3e} (95 %)"));
    format!(
        "{}; {} of {} {} against it{bound}",
        rule.why, rule.against, rule.trials, rule.kind
    )
}

/// XML has no place for control characters, not even escaped.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// TAP version 13. What is inconclusive is not ok, what makes no sense here is skipped.
#[must_use]
pub fn tap(result: &VerifyResult) -> String {
    use std::fmt::Write as _;
    let head = &result.record.head;
    let mut out = format!("TAP version 13\n1..{}\n", result.rules.len());
    let _ = writeln!(
        out,
        "# {} board {}, target {}, seed {}, firmware {}",
        head.soc.title(),
        head.soc.board,
        head.target,
        head.seed,
        head.build.firmware
    );
    if !result.left_out.is_empty() {
        let _ = writeln!(out, "# left out: {}", result.left_out.join(" "));
    }
    for mark in &head.marks {
        let _ = writeln!(out, "# {}: {}", mark.kind.name(), printable(&mark.text));
    }
    for (n, rule) in (1..).zip(&result.rules) {
        let (ok, directive) = match rule.verdict {
            Verdict::Pass => ("ok", String::new()),
            Verdict::NotApplicable => ("ok", format!(" # SKIP {}", escaped(&rule.why))),
            Verdict::Fail | Verdict::Inconclusive => ("not ok", String::new()),
        };
        let _ = writeln!(
            out,
            "{ok} {n} - {} {}{directive}",
            rule.id,
            escaped(&rule.title)
        );
        if !matches!(rule.verdict, Verdict::NotApplicable) {
            let why = printable(&counted(rule));
            let _ = writeln!(out, "# {}: {why}", rule.verdict.name());
        }
    }
    out
}

/// A `#` would begin a directive.
fn escaped(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('#', "\\#")
}
