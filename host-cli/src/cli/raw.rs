//! `--raw FILE` of commands that measure cells.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::error::Error;
use crate::plan::Plan;
use crate::raw::{RawFile, Trailer};

/// Options about raw events.
#[derive(Clone, Debug, Default, Args)]
pub struct RawArgs {
    /// Keep every event in FILE while the run goes; `aicprobe replay FILE` computes the result again. A name that ends in .parquet
    /// makes a Parquet table of events instead (release packages; complete only after the run). The firmware does a little more for
    /// every trigger then: latencies may differ by a tick of the counter from those of a run without.
    #[arg(long, value_name = "FILE")]
    pub raw: Option<PathBuf>,
}

impl RawArgs {
    /// Opens the file, before the target is touched. `output`: where the result goes.
    ///
    /// # Errors
    /// [`Error::OutputFile`], [`Error::Usage`].
    pub fn open(&self, output: Option<&Path>) -> Result<Option<RawFile>, Error> {
        let Some(raw) = self.raw.as_deref() else {
            return Ok(None);
        };
        if output == Some(raw) {
            return Err(Error::Usage(format!(
                "--raw and --output name the same file {}; allowed are two",
                raw.display()
            )));
        }
        RawFile::open(raw).map(Some)
    }

    /// Has every cell send its events, if they are wanted.
    pub fn ask(&self, plan: &mut Plan) {
        for cell in &mut plan.cells {
            cell.raw = self.raw.is_some();
        }
    }
}

/// What to say about a file that is complete, if it lacks anything.
pub fn dropped(totals: &Trailer) -> Option<String> {
    let Trailer {
        dropped, events, ..
    } = totals;
    (*dropped > 0).then(|| {
        format!("--raw: {events} events kept, {dropped} that the target dropped are missing")
    })
}
