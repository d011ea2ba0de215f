//! What is in the file, and how a record is framed.

use crc::{CRC_32_ISO_HDLC, Crc, Digest, Table};
use protocol::message::{Batch, CellResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::plan::PlannedCell;
use crate::result::Head;

/// Value of [`Opening::schema`].
pub const SCHEMA: &str = "aicprobe.events/1";
/// Version of the file's format.
pub const VERSION: u32 = 1;
/// First bytes of the file. A program that changes line ends changes them.
pub const MAGIC: [u8; 8] = *b"AICEVT\r\n";
/// Longest opening or record that is read, in bytes.
pub const LONGEST: usize = 64 << 20;

/// Kinds of records; see [`crate::raw`].
pub const STARTED: u8 = 1;
/// See [`STARTED`].
pub const BATCH: u8 = 2;
/// See [`STARTED`].
pub const PART: u8 = 3;
/// See [`STARTED`].
pub const ENDED: u8 = 4;
/// See [`STARTED`].
pub const TRAILER: u8 = 5;

static CRC: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC);

/// A running CRC.
pub fn digest() -> Digest<'static, u32, Table<16>> {
    CRC.digest()
}

/// Which command ran, with what its result needs beside the counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Name of the command.
    pub command: String,
    /// Options that its result depends on, as the command writes and reads them.
    pub options: Value,
    /// Further parts of its result, as far as known before the run.
    pub extra: Value,
}

/// What is known before the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    /// [`SCHEMA`].
    pub schema: String,
    /// What ran.
    pub run: Run,
    /// See [`crate::result::head_before`].
    pub head: Head,
    /// The plan's cells; not all of them need to have run.
    pub cells: Vec<PlannedCell>,
}

/// What is known after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// As in the run's result.
    pub head: Head,
    /// In place of [`Run::extra`].
    pub extra: Value,
}

/// Totals of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trailer {
    /// Batches of events.
    pub batches: u64,
    /// Events in them.
    pub events: u64,
    /// Parts of cells.
    pub parts: u64,
    /// Events that the target has counted and that did not come: it had no room for them and dropped them.
    pub dropped: u64,
    /// CRC-32 of every byte of the file before the trailer.
    pub crc: u32,
}

/// A record, decoded.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// Firmware and CPUs have said what they are.
    Started(Box<Head>),
    /// Events.
    Batch {
        /// Number of the cell in the plan.
        cell: u32,
        /// Triggers of the cell before those that the batch numbers from 0.
        before: u64,
        /// The events.
        batch: Batch,
    },
    /// What the target counted in a part of the cell `id`.
    Part(CellResult),
    /// The run is over.
    Ended(Box<Ending>),
    /// Nothing follows.
    Trailer(Trailer),
}

/// A record as bytes, its terminator included.
pub fn frame(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(body.len() + 5);
    plain.push(kind);
    plain.extend_from_slice(body);
    let crc = CRC.checksum(&plain);
    plain.extend_from_slice(&crc.to_le_bytes());
    let mut framed = vec![0; cobs::max_encoding_length(plain.len()) + 1];
    let n = cobs::encode(&plain, &mut framed);
    framed.truncate(n + 1);
    framed[n] = 0;
    framed
}

/// The record in a frame, given without its terminator; `Err` says what is wrong in words. `frame` is overwritten.
pub fn unframe(frame: &mut [u8]) -> Result<Record, String> {
    let n = cobs::decode_in_place(frame).map_err(|_| "its framing (COBS) is damaged".to_owned())?;
    let Some(at) = n.checked_sub(4).filter(|at| *at > 0) else {
        return Err("it is too short".to_owned());
    };
    let (plain, crc) = frame[..n].split_at(at);
    if crc != CRC.checksum(plain).to_le_bytes() {
        return Err("its CRC does not match".to_owned());
    }
    let (kind, body) = (plain[0], &plain[1..]);
    match kind {
        STARTED => json(body).map(Record::Started),
        BATCH => postcard_of(body).map(|(cell, before, batch)| Record::Batch {
            cell,
            before,
            batch,
        }),
        PART => postcard_of(body).map(Record::Part),
        ENDED => json(body).map(Record::Ended),
        TRAILER => postcard_of(body).map(Record::Trailer),
        _ => Err(format!("its kind is {kind}; allowed are 1 to 5")),
    }
}

fn json<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|e| e.to_string())
}

fn postcard_of<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T, String> {
    match postcard::take_from_bytes(body) {
        Ok((value, [])) => Ok(value),
        Ok(_) => Err("it has bytes left over".to_owned()),
        Err(e) => Err(e.to_string()),
    }
}
