//! `--evidence PATH` of commands that measure.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::error::Error;
use crate::evidence::Evidence;
use crate::output::{Document, Form, render};

use super::super::route::Verdict;

/// Options about evidence.
#[derive(Clone, Debug, Default, Args)]
pub struct EvidenceArgs {
    /// Keep everything that the run is and brings in PATH: a directory that is empty or not there, or a file whose name ends in
    /// .tar.zst. `aicprobe evidence` shows, checks and compares it, `aicprobe replay PATH` computes the result again.
    /// Registers are read for it before the run, so that times of a virtual SoC may be others, by a tick, than without it.
    #[arg(long, value_name = "PATH")]
    pub evidence: Option<PathBuf>,
}

impl EvidenceArgs {
    /// Opens it, before the target is touched. `others`: files that the command writes, none of which may be in it.
    ///
    /// # Errors
    /// [`Error::OutputFile`], [`Error::Usage`].
    pub fn open(
        &self,
        command: &'static str,
        others: &[Option<&Path>],
    ) -> Result<Option<Evidence>, Error> {
        let Some(path) = self.evidence.as_deref() else {
            return Ok(None);
        };
        if let Some(other) = others.iter().flatten().find(|o| o.starts_with(path)) {
            return Err(Error::Usage(format!(
                "--evidence {}: {} would be in it; allowed is a place outside",
                path.display(),
                other.display()
            )));
        }
        let argv = std::env::args_os().skip(1);
        let argv = argv.map(|a| a.to_string_lossy().into_owned()).collect();
        Evidence::create(path, command, argv).map(Some)
    }
}

/// Ends the evidence of a run with its result, if it is kept. What goes wrong counts.
pub fn finish<D: Document>(evidence: Option<Evidence>, made: &D, verdict: &mut Verdict) {
    finish_with(evidence, || render(made, Form::Json), verdict);
}

/// The same for what makes its JSON itself.
pub fn finish_with(
    evidence: Option<Evidence>,
    json: impl FnOnce() -> Result<String, Error>,
    verdict: &mut Verdict,
) {
    let Some(evidence) = evidence else { return };
    let (code, messages) = (verdict.code, verdict.messages.clone());
    let ended = json().and_then(|json| evidence.end(&json, code, &messages));
    if let Err(e) = ended {
        verdict.not_kept(&e);
    }
}
