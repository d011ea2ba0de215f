//! The numbers of a run, computed again from its file.

use std::io::BufRead;

use protocol::MAX_CPUS;
use protocol::message::{CellResult, Refusal};
use serde_json::Value;

use crate::plan::PlannedCell;
use crate::result::{Head, Mark};
use crate::session::{Event, Measured, Observer};

use super::format::{Record, Run, Trailer};
use super::{RawError, Reader, Recount};

/// What a file of raw events says.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Which command ran; `extra` as it was at the end, if the file has one.
    pub run: Run,
    /// What the result begins with. How the run ended is only known at its end: without that nothing counts as complete or
    /// restored.
    pub head: Head,
    /// The plan's cells with their counts; those of a cell of which nothing came are empty.
    pub cells: Vec<(PlannedCell, Measured)>,
    /// Totals of what was read.
    pub totals: Trailer,
    /// The byte after which the file is cut, if it is.
    pub cut: Option<u64>,
    /// What the target counted otherwise than its events say, although every event came.
    pub differences: Vec<String>,
}

/// Reads a file to its end. `observer` is told about events and parts as it would be by the session, with the counts of the events.
///
/// # Errors
/// [`RawError`]. A file that is cut is no error.
pub fn read(input: impl BufRead, observer: &mut dyn Observer) -> Result<Replayed, RawError> {
    let mut reader = Reader::new(input)?;
    let opening = reader.opening().clone();
    let cells = opening.cells.into_iter();
    let mut replay = Replay {
        cells: cells.map(|c| (c, Measured::default())).collect(),
        part: Recount::default(),
        of: None,
        dropped: 0,
        differences: Vec::new(),
        observer,
    };
    let (mut head, mut run) = (opening.head, opening.run);
    while let Some(record) = reader.next_record()? {
        match record {
            Record::Started(started) => head = *started,
            Record::Batch {
                cell,
                before,
                batch,
            } => {
                replay.change_to(cell);
                replay
                    .part
                    .batch(&batch)
                    .map_err(|why| reader.damaged(1, &why.to_string()))?;
                let cell = &replay.cells[cell as usize].0;
                replay.observer.on(Event::Raw {
                    cell,
                    before,
                    batch: &batch,
                });
            }
            Record::Part(said) => {
                replay.change_to(said.id);
                replay.part_over(&said);
            }
            Record::Ended(ending) => {
                head = ending.head;
                run.extra = ending.extra;
            }
            Record::Trailer(_) => {}
        }
    }
    replay.finish();
    let totals = Trailer {
        dropped: replay.dropped,
        ..*reader.totals()
    };
    let mut replayed = Replayed {
        run,
        head,
        cells: replay.cells,
        totals,
        cut: reader.cut(),
        differences: replay.differences,
    };
    replayed.mark();
    Ok(replayed)
}

struct Replay<'o> {
    cells: Vec<(PlannedCell, Measured)>,
    part: Recount,
    /// The cell that is going on.
    of: Option<u32>,
    dropped: u64,
    differences: Vec<String>,
    observer: &'o mut dyn Observer,
}

impl Replay<'_> {
    /// What comes next is of `cell`: the one before it is over.
    fn change_to(&mut self, cell: u32) {
        if self.of != Some(cell) {
            self.finish();
            self.of = Some(cell);
        }
    }

    fn finish(&mut self) {
        let Some(cell) = self.of.take() else { return };
        if !self.part.is_empty() {
            // Cut within a part: only its events speak.
            let (planned, m) = &self.cells[cell as usize];
            let cpus = m.landed.len().max(planned.fields.len());
            let nothing = CellResult {
                refusal: Some(Refusal::Aborted),
                fields: m.fields.iter().copied().take(MAX_CPUS).collect(),
                landed: std::iter::repeat_n(0, cpus.min(MAX_CPUS)).collect(),
                ..super::recorder::as_message(cell, &Measured::default())
            };
            self.part_over(&nothing);
        }
        let of = self.cells.len();
        let (cell, counts) = &self.cells[cell as usize];
        self.observer.on(Event::Done { cell, of, counts });
    }

    fn part_over(&mut self, said: &CellResult) {
        let unsaid = said.refusal == Some(Refusal::Aborted);
        let again = self.part.part(said);
        self.dropped += again.dropped;
        if !unsaid {
            let about = |d: &String| format!("cell {}: {d}", said.id);
            self.differences.extend(again.differences.iter().map(about));
        }
        let mut alone = Measured {
            histogram: again.histogram,
            second: again.second,
            ..Measured::default()
        };
        alone.add(&again.part);
        let of = self.cells.len();
        let (cell, sum) = &mut self.cells[said.id as usize];
        sum.histogram.merge(&alone.histogram);
        sum.second.merge(&alone.second);
        sum.add(&again.part);
        sum.complete = sum.refusal.is_none() && sum.fired == u64::from(cell.triggers);
        let counts = &alone;
        self.observer.on(Event::Part { cell, counts });
        let so_far = &*sum;
        self.observer.on(Event::Progress { cell, of, so_far });
    }
}

impl Replayed {
    /// Says what is missing or differs. Of a whole file there is nothing to say: its result is that of the run, to the byte.
    fn mark(&mut self) {
        let dropped = self.totals.dropped;
        let marks = &mut self.head.marks;
        if let Some(at) = self.cut {
            let text = format!(
                "the file of raw events is cut after byte {at}: its run did not end, or not all of it was kept"
            );
            marks.push(Mark::partial("all", text));
        }
        if dropped > 0 {
            let text = format!("{dropped} events are missing: the target dropped them");
            marks.push(Mark::partial("cells", text));
        }
        for difference in &self.differences {
            marks.push(Mark::note("cells", difference));
        }
    }

    /// The parts of the result beside head and cells, as the command `T` of them.
    ///
    /// # Errors
    /// [`RawError::Extra`].
    pub fn extra<T: serde::de::DeserializeOwned>(&self) -> Result<T, RawError> {
        self.value(&self.run.extra)
    }

    /// The command's options.
    ///
    /// # Errors
    /// [`RawError::Extra`].
    pub fn options<T: serde::de::DeserializeOwned>(&self) -> Result<T, RawError> {
        self.value(&self.run.options)
    }

    fn value<T: serde::de::DeserializeOwned>(&self, value: &Value) -> Result<T, RawError> {
        serde_json::from_value(value.clone()).map_err(|why| RawError::Extra {
            command: self.run.command.clone(),
            why: why.to_string(),
        })
    }
}
