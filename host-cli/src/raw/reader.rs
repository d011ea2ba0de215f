//! Reads the file, record after record, and judges it.

use std::io::{BufRead, Read as _};

use crc::{Digest, Table};

use super::RawError;
use super::format::{LONGEST, MAGIC, Opening, Record, SCHEMA, Trailer, VERSION, digest, unframe};

/// A file of raw events that is being read. Never more than one record of it is in memory.
pub struct Reader<R> {
    input: R,
    opening: Opening,
    crc: Digest<'static, u32, Table<16>>,
    /// Bytes read.
    at: u64,
    records: u64,
    totals: Trailer,
    ended: bool,
    cut: Option<u64>,
    frame: Vec<u8>,
}

impl<R: BufRead> Reader<R> {
    /// Reads the opening.
    ///
    /// # Errors
    /// [`RawError`], but for those of records.
    pub fn new(mut input: R) -> Result<Self, RawError> {
        let mut fixed = [0; 16];
        let got = fill(&mut input, &mut fixed)?;
        let magic = got.min(MAGIC.len());
        if fixed[..magic] != MAGIC[..magic] || got == 0 {
            return Err(RawError::Magic);
        }
        if got < fixed.len() {
            return Err(RawError::Short(got as u64));
        }
        let word = |at: usize| {
            u32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]])
        };
        let (version, length) = (word(8), word(12) as usize);
        if version != VERSION {
            return Err(RawError::Version { found: version });
        }
        let to = 16 + length as u64 + 3;
        let damaged = |why: &str| {
            let why = why.to_owned();
            RawError::Opening { to, why }
        };
        if length > LONGEST {
            return Err(damaged("it is longer than any"));
        }
        let mut json = Vec::new();
        input
            .by_ref()
            .take(length as u64 + 4)
            .read_to_end(&mut json)?;
        if json.len() < length + 4 {
            return Err(RawError::Short(16 + json.len() as u64));
        }
        let mut crc = digest();
        crc.update(&fixed);
        crc.update(&json[..length]);
        if json[length..] != crc.clone().finalize().to_le_bytes() {
            return Err(damaged("its CRC does not match"));
        }
        crc.update(&json[length..]);
        json.truncate(length);
        let opening: Opening =
            serde_json::from_slice(&json).map_err(|e| damaged(&e.to_string()))?;
        if opening.schema != SCHEMA {
            return Err(damaged("its schema is another one"));
        }
        Ok(Self {
            input,
            opening,
            crc,
            at: to + 1,
            records: 0,
            totals: Trailer::default(),
            ended: false,
            cut: None,
            frame: Vec::new(),
        })
    }

    /// What was known before the run.
    pub const fn opening(&self) -> &Opening {
        &self.opening
    }

    /// Totals of what was read.
    pub const fn totals(&self) -> &Trailer {
        &self.totals
    }

    /// After the last record: the byte after which the file is cut, if it has no trailer.
    pub const fn cut(&self) -> Option<u64> {
        self.cut
    }

    /// The next record, the trailer included. `None`: the file ends, whole or cut (see [`Reader::cut`]).
    ///
    /// # Errors
    /// [`RawError::Record`], [`RawError::Totals`], [`RawError::Behind`], [`RawError::System`].
    pub fn next_record(&mut self) -> Result<Option<Record>, RawError> {
        self.frame.clear();
        let limit = LONGEST as u64 + 1;
        self.input
            .by_ref()
            .take(limit)
            .read_until(0, &mut self.frame)?;
        let length = self.frame.len() as u64;
        if self.ended {
            return match length {
                0 => Ok(None),
                _ => Err(RawError::Behind(self.at)),
            };
        }
        if self.frame.last() != Some(&0) {
            if length == limit {
                return Err(self.damaged(length, "it is longer than any"));
            }
            // What a crash leaves.
            self.cut = Some(self.at);
            return Ok(None);
        }
        let before = self.crc.clone();
        self.crc.update(&self.frame);
        self.records += 1;
        let inside = self.frame.len() - 1;
        let record =
            unframe(&mut self.frame[..inside]).map_err(|why| self.damaged(length, &why))?;
        match &record {
            Record::Batch { cell, batch, .. } => {
                self.known(*cell, length)?;
                self.totals.batches += 1;
                self.totals.events += u64::from(batch.count);
            }
            Record::Part(counts) => {
                self.known(counts.id, length)?;
                self.totals.parts += 1;
            }
            Record::Trailer(said) => {
                self.ended = true;
                check(said, &self.totals, before.finalize())?;
                self.totals = *said;
            }
            Record::Started(_) | Record::Ended(_) => {}
        }
        self.at += length;
        Ok(Some(record))
    }

    /// Cells are named by their place in the plan.
    fn known(&self, cell: u32, length: u64) -> Result<(), RawError> {
        let cells = self.opening.cells.len();
        if (cell as usize) < cells {
            return Ok(());
        }
        Err(self.damaged(
            length,
            &format!("it is of cell {cell}, the plan has {cells}"),
        ))
    }

    pub(super) fn damaged(&self, length: u64, why: &str) -> RawError {
        RawError::Record {
            record: self.records.max(1),
            from: self.at,
            to: self.at + length.max(1) - 1,
            why: why.to_owned(),
        }
    }
}

fn check(said: &Trailer, found: &Trailer, crc: u32) -> Result<(), RawError> {
    for (what, said, found) in [
        ("batches", said.batches, found.batches),
        ("events", said.events, found.events),
        ("parts", said.parts, found.parts),
        ("CRC-32", said.crc.into(), crc.into()),
    ] {
        if said != found {
            return Err(RawError::Totals { what, said, found });
        }
    }
    Ok(())
}

/// Fills `buffer` as far as the input goes; how far.
fn fill(input: &mut impl BufRead, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match input.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(got)
}
