//! Writes the file as a stream.

use std::io::{self, Write};

use crc::{Digest, Table};
use protocol::frame::MAX_PAYLOAD;
use protocol::message::{Batch, CellResult};
use serde::Serialize;

use crate::result::Head;

use super::format::{
    BATCH, ENDED, Ending, MAGIC, Opening, PART, STARTED, TRAILER, Trailer, VERSION, digest, frame,
};

/// Longest body in postcard: a message with a cell and a number of triggers before it.
const ROOM: usize = MAX_PAYLOAD + 16;

/// A file of raw events that is being written.
pub struct Writer<W: Write> {
    out: W,
    crc: Digest<'static, u32, Table<16>>,
    totals: Trailer,
}

impl<W: Write> Writer<W> {
    /// Begins one.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn new(out: W, opening: &Opening) -> io::Result<Self> {
        let mut writer = Self {
            out,
            crc: digest(),
            totals: Trailer::default(),
        };
        let json = serde_json::to_vec(opening)?;
        let length = u32::try_from(json.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        writer.put(&MAGIC)?;
        writer.put(&VERSION.to_le_bytes())?;
        writer.put(&length.to_le_bytes())?;
        writer.put(&json)?;
        let crc = writer.crc.clone().finalize();
        writer.put(&crc.to_le_bytes())?;
        writer.out.flush()?;
        Ok(writer)
    }

    /// Firmware and CPUs have said what they are.
    ///
    /// # Errors
    /// As [`Writer::new`], as of all that follow.
    pub fn started(&mut self, head: &Head) -> io::Result<()> {
        let json = serde_json::to_vec(head)?;
        self.put(&frame(STARTED, &json))?;
        self.out.flush()
    }

    /// Events of `cell`; see [`super::Record::Batch`].
    ///
    /// # Errors
    /// See [`Writer::started`].
    pub fn batch(&mut self, cell: u32, before: u64, batch: &Batch) -> io::Result<()> {
        self.totals.batches += 1;
        self.totals.events += u64::from(batch.count);
        self.postcard(BATCH, &(cell, before, batch))
    }

    /// A part of the cell `counts.id` is over, `dropped` events of it did not come. What was written until now is on its way to
    /// the disk afterwards.
    ///
    /// # Errors
    /// See [`Writer::started`].
    pub fn part(&mut self, counts: &CellResult, dropped: u64) -> io::Result<()> {
        self.totals.parts += 1;
        self.totals.dropped += dropped;
        self.postcard(PART, counts)?;
        self.out.flush()
    }

    /// The run is over, and so is the file; its totals.
    ///
    /// # Errors
    /// See [`Writer::started`].
    pub fn end(mut self, ending: &Ending) -> io::Result<Trailer> {
        let json = serde_json::to_vec(ending)?;
        self.put(&frame(ENDED, &json))?;
        self.totals.crc = self.crc.clone().finalize();
        let totals = self.totals;
        self.postcard(TRAILER, &totals)?;
        self.out.flush()?;
        Ok(totals)
    }

    fn postcard(&mut self, kind: u8, body: &impl Serialize) -> io::Result<()> {
        let mut room = [0; ROOM];
        let body = postcard::to_slice(body, &mut room).map_err(io::Error::other)?;
        self.put(&frame(kind, body))
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.crc.update(bytes);
        self.out.write_all(bytes)
    }
}
