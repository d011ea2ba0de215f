//! Raw events as a Parquet table, a row per event, for DuckDB, DataFusion, Spark and the like.
//!
//! | column | type | what |
//! |---|---|---|
//! | `target` | string | the target as named by the user |
//! | `soc` | string | its chip, like T8140 |
//! | `firmware` | string | build id |
//! | `seed` | u64 | of the run |
//! | `cell` | u32 | number in the plan |
//! | `trigger` | u64 | of the cell, from 0 |
//! | `kind` | string | landed, unmasked (its latency counts from the unmask), lost, late, duplicate |
//! | `landing_cpu` | u32 | null for what is lost |
//! | `served_cpu` | u32 | null without a hand-over |
//! | `firing_cpu` | u32 | |
//! | `line` | string | die:number |
//! | `hwirq` | u32 | die << 24, 1 << 16, number |
//! | `time_ticks` | u64 | CNTPCT_EL0 from which the latency counts; for late and duplicate ones when they were taken |
//! | `latency_ticks`, `latency_ns` | u64 | null for what was not taken in time |
//! | `second_ticks`, `second_ns` | u64 | how long the handler took, or from its entry to the service; null where not measured |
//!
//! The file's metadata has `aicprobe.opening` and `aicprobe.ending` ([`Opening`] and [`Ending`] as JSON). Its index stands at its
//! end: the file of a run that was cut cannot be read.

use std::fs::File;
use std::io;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use protocol::event::{SECOND, SERVED, unpack};
use protocol::message::{Batch, CellResult, Event, EventKind};

use crate::result::{Head, Line};

use super::format::{Ending, Opening, Trailer};
use super::recorder::Store;

const SCHEMA: &str = "message event {
    required binary target (UTF8);
    required binary soc (UTF8);
    required binary firmware (UTF8);
    required int64 seed (INTEGER(64,false));
    required int32 cell (INTEGER(32,false));
    required int64 trigger (INTEGER(64,false));
    required binary kind (UTF8);
    optional int32 landing_cpu (INTEGER(32,false));
    optional int32 served_cpu (INTEGER(32,false));
    required int32 firing_cpu (INTEGER(32,false));
    required binary line (UTF8);
    required int32 hwirq (INTEGER(32,false));
    required int64 time_ticks (INTEGER(64,false));
    optional int64 latency_ticks (INTEGER(64,false));
    optional int64 latency_ns (INTEGER(64,false));
    optional int64 second_ticks (INTEGER(64,false));
    optional int64 second_ns (INTEGER(64,false));
}";

/// Rows that are kept in memory until they are written.
const GROUP: usize = 1 << 18;

/// A row, as it is kept.
struct Row {
    cell: u32,
    trigger: u64,
    event: Event,
    second: Option<u64>,
    served: bool,
}

/// A table that is being written.
pub struct Columns {
    writer: SerializedFileWriter<File>,
    opening: Opening,
    rows: Vec<Row>,
    totals: Trailer,
}

fn failed(e: ParquetError) -> io::Error {
    match e {
        ParquetError::External(e) => match e.downcast::<io::Error>() {
            Ok(e) => *e,
            Err(e) => io::Error::other(e),
        },
        e => io::Error::other(e),
    }
}

fn metadata(key: &str, value: &impl serde::Serialize) -> io::Result<KeyValue> {
    Ok(KeyValue::new(key.to_owned(), serde_json::to_string(value)?))
}

impl Columns {
    /// Begins one.
    ///
    /// # Errors
    /// Errors of the file.
    pub fn new(file: File, opening: &Opening) -> io::Result<Self> {
        let schema = parse_message_type(SCHEMA).map_err(failed)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(vec![metadata("aicprobe.opening", opening)?]))
            .build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties));
        Ok(Self {
            writer: writer.map_err(failed)?,
            opening: opening.clone(),
            rows: Vec::new(),
            totals: Trailer::default(),
        })
    }

    /// Writes the rows that are there as a group.
    fn flush(&mut self) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.rows);
        self.write(&rows).map_err(failed)
    }

    fn write(&mut self, rows: &[Row]) -> Result<(), ParquetError> {
        let head = &self.opening.head;
        let cells = &self.opening.cells;
        let text = |s: &str| ByteArray::from(s.as_bytes().to_vec());
        let kinds = ["landed", "unmasked", "lost", "late", "duplicate"].map(text);
        let lines: Vec<ByteArray> = cells
            .iter()
            .map(|c| text(&format!("{}:{}", c.line.die, c.line.number)))
            .collect();
        let firmware = text(&head.build.firmware);
        let (target, soc) = (text(&head.target), text(&head.soc.name));
        let mut group = self.writer.next_row_group()?;
        let mut name = 0;
        while let Some(mut column) = group.next_column()? {
            let place = |r: &Row| r.cell as usize;
            let first = |r: &Row| r.event.kind.has_latency().then_some(r.event.first);
            let cpu = |r: &Row| (r.event.kind != EventKind::Lost).then_some(r.event.cpu);
            let served = |r: &Row| r.served.then_some(r.event.served);
            let ns = |ticks: u64| head.ns(ticks);
            let of = column.untyped();
            match name {
                0 => strings(of, rows, |_| target.clone()),
                1 => strings(of, rows, |_| soc.clone()),
                2 => strings(of, rows, |_| firmware.clone()),
                3 => longs(of, rows, |_| Some(head.seed)),
                4 => words(of, rows, |r| Some(r.cell)),
                5 => longs(of, rows, |r| Some(r.trigger)),
                6 => strings(of, rows, |r| kinds[r.event.kind as usize].clone()),
                7 => words(of, rows, |r| cpu(r).map(u32::from)),
                8 => words(of, rows, |r| served(r).map(u32::from)),
                9 => words(of, rows, |r| Some(cells[place(r)].fire_cpu.into())),
                10 => strings(of, rows, |r| lines[place(r)].clone()),
                11 => words(of, rows, |r| Some(Line::from(cells[place(r)].line).hwirq)),
                12 => longs(of, rows, |r| Some(r.event.time)),
                13 => longs(of, rows, first),
                14 => longs(of, rows, |r| first(r).map(ns)),
                15 => longs(of, rows, |r| r.second),
                _ => longs(of, rows, |r| r.second.map(ns)),
            }?;
            column.close()?;
            name += 1;
        }
        group.close()?;
        Ok(())
    }
}

/// Number of a trigger in its cell. One that comes before the first of a part belongs to the last of the part before.
fn trigger(before: u64, of_part: u32) -> u64 {
    match of_part {
        u32::MAX => before.saturating_sub(1),
        n => before + u64::from(n),
    }
}

type Written = Result<usize, ParquetError>;

fn wrong_type() -> Written {
    Err(ParquetError::General("a column of another type".to_owned()))
}

fn strings(of: &mut ColumnWriter<'_>, rows: &[Row], value: impl Fn(&Row) -> ByteArray) -> Written {
    let values: Vec<ByteArray> = rows.iter().map(value).collect();
    match of {
        ColumnWriter::ByteArrayColumnWriter(writer) => writer.write_batch(&values, None, None),
        _ => wrong_type(),
    }
}

/// Values that are there, and for every row whether it has one.
fn split<T>(rows: &[Row], value: impl Fn(&Row) -> Option<T>) -> (Vec<T>, Vec<i16>) {
    let levels = rows.iter().map(|r| i16::from(value(r).is_some())).collect();
    (rows.iter().filter_map(value).collect(), levels)
}

fn words(of: &mut ColumnWriter<'_>, rows: &[Row], value: impl Fn(&Row) -> Option<u32>) -> Written {
    let (values, levels) = split(rows, |r| value(r).map(u32::cast_signed));
    match of {
        ColumnWriter::Int32ColumnWriter(writer) => writer.write_batch(&values, Some(&levels), None),
        _ => wrong_type(),
    }
}

fn longs(of: &mut ColumnWriter<'_>, rows: &[Row], value: impl Fn(&Row) -> Option<u64>) -> Written {
    let (values, levels) = split(rows, |r| value(r).map(u64::cast_signed));
    match of {
        ColumnWriter::Int64ColumnWriter(writer) => writer.write_batch(&values, Some(&levels), None),
        _ => wrong_type(),
    }
}

impl Store for Columns {
    fn started(&mut self, head: &Head) -> io::Result<()> {
        self.opening.head = head.clone();
        Ok(())
    }

    fn batch(&mut self, cell: u32, before: u64, batch: &Batch) -> io::Result<()> {
        let shape = |bit: u8| batch.shape & bit != 0;
        for event in unpack(batch) {
            let event = event.map_err(io::Error::other)?;
            let has = event.kind.has_latency();
            self.rows.push(Row {
                cell,
                trigger: trigger(before, event.trigger),
                second: (has && shape(SECOND)).then_some(event.second),
                served: has && shape(SERVED),
                event,
            });
        }
        self.totals.batches += 1;
        self.totals.events += u64::from(batch.count);
        if self.rows.len() >= GROUP {
            self.flush()?;
        }
        Ok(())
    }

    fn part(&mut self, _: &CellResult, dropped: u64) -> io::Result<()> {
        self.totals.parts += 1;
        self.totals.dropped += dropped;
        Ok(())
    }

    fn end(mut self: Box<Self>, ending: &Ending) -> io::Result<Trailer> {
        self.flush()?;
        self.writer
            .append_key_value_metadata(metadata("aicprobe.ending", ending)?);
        self.writer.close().map_err(failed)?;
        Ok(self.totals)
    }
}
