//! `aicprobe replay` of evidence.

use std::path::Path;

use crate::error::{Error, exit};
use crate::evidence::{Stored, again, check};

use super::super::replay::ReplayArgs;
use super::super::write::Sink;
use super::wrong;

/// Most differences that are told.
const TOLD: usize = 20;

/// Whether `path` is evidence by its name or by what it is.
#[must_use]
pub fn is_evidence(path: &Path) -> bool {
    path.is_dir() || path.to_string_lossy().ends_with(".tar.zst")
}

/// Makes the result again and compares it with the run's own.
///
/// # Errors
/// [`Error::Evidence`]; errors of the output.
pub fn run(args: &ReplayArgs) -> Result<u8, Error> {
    if args.counts {
        let text = "--counts shows what raw events say, and evidence has none: not with a directory or .tar.zst";
        return Err(Error::Usage(text.to_owned()));
    }
    let stored = Stored::read(&args.file).map_err(|why| wrong(&args.file, why))?;
    let checked = check(&stored);
    let made = again(&stored, args.format)?;
    Sink::open(args.output.as_deref())?.write(&made.text)?;
    if !made.taken.is_empty() {
        say!(
            "aicprobe: not computed again, taken from the run's result: {}",
            made.taken.join(", ")
        );
    }
    for p in &checked.problems {
        say!("aicprobe: {}: {}", p.file.escape_debug(), p.problem);
    }
    let damaged = !checked.good && !checked.cut;
    let Some(differences) = made.differences else {
        say!("aicprobe: the run's own result is not there: nothing to compare with");
        return Ok(if damaged {
            exit::RULE
        } else {
            exit::INCONCLUSIVE
        });
    };
    if differences.is_empty() {
        say!("aicprobe: equal to the run's own result");
    } else {
        say!("aicprobe: NOT the run's own result:");
        for difference in differences.iter().take(TOLD) {
            say!("aicprobe:   {difference}");
        }
        if differences.len() > TOLD {
            say!("aicprobe:   and {} more", differences.len() - TOLD);
        }
    }
    Ok(match (differences.is_empty() && !damaged, checked.cut) {
        (false, _) => exit::RULE,
        (true, true) => exit::INCONCLUSIVE,
        (true, false) => exit::OK,
    })
}
