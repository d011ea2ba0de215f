//! `manifest.sha256`: a line for every other file, as `sha256sum` writes and checks it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::name;

/// Longest name of a file.
const LONGEST: usize = 100;

/// Names and hashes as text, sorted by name.
#[must_use]
pub fn text(hashes: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    for (file, hash) in hashes {
        let _ = writeln!(out, "{hash}  {file}");
    }
    out
}

/// What a manifest says; `Err` says what is wrong in words.
pub fn parse(text: &str) -> Result<BTreeMap<String, String>, String> {
    let mut hashes = BTreeMap::new();
    for (at, line) in (1..).zip(text.lines()) {
        let wrong = |what: &str| {
            Err(format!(
                "line {at}: {what}; allowed are 64 hexadecimal digits, two spaces and a name"
            ))
        };
        let Some((hash, file)) = line.split_at_checked(64) else {
            return wrong("too short");
        };
        if !hash.bytes().all(|b| b.is_ascii_hexdigit()) {
            return wrong("no SHA-256");
        }
        let Some(file) = file.strip_prefix("  ").or_else(|| file.strip_prefix(" *")) else {
            return wrong("no name");
        };
        if !is_plain(file) || file == name::MANIFEST {
            return wrong("a name that no file of evidence has");
        }
        if hashes
            .insert(file.to_owned(), hash.to_ascii_lowercase())
            .is_some()
        {
            return wrong("a second line about the same file");
        }
    }
    Ok(hashes)
}

/// Whether `file` is the name of a file and not a way to another place.
#[must_use]
pub fn is_plain(file: &str) -> bool {
    let good = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
    !file.is_empty() && file.len() <= LONGEST && !file.starts_with('.') && file.bytes().all(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let hashes: BTreeMap<String, String> = ["b.json", "a.txt"]
            .map(|f| (f.to_owned(), "0f".repeat(32)))
            .into();
        let text = text(&hashes);
        assert_eq!(
            text.lines().next(),
            Some(&*format!("{}  a.txt", "0f".repeat(32)))
        );
        assert_eq!(parse(&text), Ok(hashes));
    }

    #[test]
    fn what_is_no_manifest_is_told() {
        let hash = "0f".repeat(32);
        for (line, what) in [
            ("x".to_owned(), "too short"),
            (format!("{}  a", "0g".repeat(32)), "no SHA-256"),
            (format!("{hash} a"), "no name"),
            (format!("{hash}  ../a"), "a name that"),
            (format!("{hash}  /a"), "a name that"),
            (format!("{hash}  .a"), "a name that"),
            (format!("{hash}  manifest.sha256"), "a name that"),
            (format!("{hash}  a\n{hash}  a"), "second line"),
        ] {
            let said = parse(&line).unwrap_err();
            assert!(said.contains(what), "{line}: {said}");
        }
    }
}
