//! A record, made of what a session measured.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::fields::Fiqs;
use crate::plan::PlannedCell;
use crate::result::{Aic, Cell, Head, Restore, cells};
use crate::session::{Measured, Reply};
use crate::stats::ticks_above;

use super::{Ipis, Observed, Purpose, Reading, Record, SLOW_US, Setup, Size, Table};

/// Cells that ran, with what they are there for. `cells` are those of `measured`, in the same order.
fn observed(
    purposes: &[Purpose],
    measured: &[(PlannedCell, Measured)],
    cells: Vec<Cell>,
    hz: u64,
) -> Vec<Observed> {
    let find = |id: u32| measured.iter().find(|(planned, _)| planned.id == id);
    let of = cells.into_iter().filter_map(|cell| {
        let purpose = purposes.get(cell.id as usize).copied()?;
        let (planned, m) = find(cell.id)?;
        let step_us = planned.special.steps.first().map(|s| s.at_us);
        let above = |us: u64| above(m, us, hz);
        // A tenth less: the step is not exactly on time.
        let early = step_us.map_or(0, |us| {
            m.latencies.saturating_sub(above(u64::from(us) * 9 / 10))
        });
        let slow = if purpose.has_windows() {
            0
        } else {
            above(SLOW_US)
        };
        Some(Observed {
            purpose,
            step_us,
            stepped: m.hits.first().copied().unwrap_or(0),
            early,
            slow,
            cell,
        })
    });
    of.collect()
}

/// Latencies above `us` microseconds.
fn above(m: &Measured, us: u64, hz: u64) -> u64 {
    let ns = u32::try_from(us * 1000).unwrap_or(u32::MAX);
    if m.latencies == 0 || !ticks_above(m.max_ticks, ns, hz) {
        return 0;
    }
    let buckets = m.histogram.iter();
    buckets
        .filter(|(bucket, _)| ticks_above(protocol::latency::middle(*bucket), ns, hz))
        .map(|(_, n)| n)
        .sum()
}

/// What a record is made of beside what was measured: kept with evidence, so that the record can be made again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// What each cell of the plan is there for.
    pub purposes: Vec<Purpose>,
    /// What is assumed.
    pub table: Table,
    /// What was to be measured.
    pub size: Size,
    /// See [`Record::least_nr_irq`].
    pub least_nr_irq: u32,
    /// Rules that are not looked at.
    pub left_out: Vec<String>,
}

/// The record of a run on a target that could be measured.
///
/// # Errors
/// [`Error::Histogram`] if counts cannot be; [`Error::Internal`] for an answer to something else than was asked.
pub fn record(
    kept: Kept,
    head: Head,
    aic: Aic,
    restore: Restore,
    measured: &[(PlannedCell, Measured)],
    questions: &[crate::plan::Question],
    replies: &[Reply],
) -> Result<Record, Error> {
    let (registers, fiqs, ipis) = answers(questions, replies)?;
    let hz = head.counter.hz;
    let cells = cells(&head, measured)?;
    Ok(Record {
        cells: observed(&kept.purposes, measured, cells, hz),
        head,
        aic,
        table: kept.table,
        size: kept.size,
        setup: Setup::Fine,
        least_nr_irq: kept.least_nr_irq,
        registers,
        fiqs,
        ipis,
        restore,
    })
}

/// What questions brought: registers, FIQs, IPIs.
type Answered = (Vec<Reading>, Vec<Fiqs>, Vec<Ipis>);

/// Takes the answers of a session apart. `questions` in the order in which they were asked.
///
/// # Errors
/// [`Error::Internal`] for an answer to something else than was asked.
fn answers(questions: &[crate::plan::Question], replies: &[Reply]) -> Result<Answered, Error> {
    use crate::plan::Question;
    let (mut registers, mut fiqs, mut ipis) = (Vec::new(), Vec::new(), Vec::new());
    for (asked, reply) in questions.iter().zip(replies) {
        match (asked, reply) {
            (Question::Read(cpu, register), Reply::Register { reading, .. }) => {
                registers.push(reading_of(*cpu, *register, *reading));
            }
            (Question::Fiq(cell), Reply::Fiq(r)) => {
                fiqs.extend(Fiqs::of(cell, r));
            }
            (Question::Ipi(cell), Reply::Ipi(r)) => {
                if r.refusal.is_none() && r.trapped.is_none() {
                    let others = (0u8..).zip(&r.received).filter(|(cpu, _)| *cpu != cell.to);
                    ipis.push(Ipis {
                        from: cell.from,
                        to: cell.to,
                        sent: r.sent,
                        missed: r.missed,
                        elsewhere: others.map(|(_, n)| *n).sum(),
                    });
                }
            }
            _ => return Err(Error::Internal("an answer that nobody asked for".into())),
        }
    }
    Ok((registers, fiqs, ipis))
}

fn reading_of(
    cpu: u8,
    register: protocol::Register,
    reading: Option<protocol::message::Reading>,
) -> Reading {
    use protocol::message::Reading as Read;
    let (value, esr) = match reading {
        Some(Read::Value(v)) => (Some(crate::result::hex(v)), None),
        Some(Read::Trapped(esr)) => (None, Some(crate::result::hex(esr))),
        None => (None, None),
    };
    Reading {
        cpu,
        register: format!("{register:?}"),
        value,
        esr,
    }
}
