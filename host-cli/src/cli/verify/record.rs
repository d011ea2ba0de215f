//! What is measured, from the plan to the record.

use protocol::LineId;

use crate::error::Error;
use crate::firmware::Firmware;
use crate::latency::{Trial, calibrate};
use crate::proxy::Proxy;
use crate::result::{Context, Mark, Restore, aic, head_before};
use crate::socs;
use crate::target::Target;
use crate::verify::{self, Ground, Kept, Lines, Made, RULES, Record, Setup, Table};

use super::super::experiment::Ran;
use super::super::latency::Stoppable;
use super::args::VerifyArgs;

/// What is known of a target that may turn out unusable.
pub(super) struct Known {
    /// The target.
    pub target: Target,
    /// What is assumed of its SoC.
    pub table: Table,
    /// What is to be done with it.
    pub made: Option<Made>,
}

/// What is assumed of the SoC.
pub(super) fn table_of(target: &Target) -> Result<Table, Error> {
    let internal = |e: socs::SocsError| Error::Internal(e.to_string());
    let soc = match target.soc.chip_id {
        Some(id) => socs::of_chip(id).map_err(internal)?,
        None => None,
    };
    Ok(soc.map_or_else(Table::assumed, Table::of))
}

/// The plan, once it is known which CPUs run.
pub(super) fn prepare(
    proxy: &mut Proxy<'_>,
    target: &Target,
    firmware: &Firmware,
    line: LineId,
    table: Table,
    args: &VerifyArgs,
) -> Result<Made, Error> {
    let trial = Trial::as_found(target);
    let seed = args.on.seed;
    let known = calibrate(proxy, target, firmware, line, seed, &trial, &mut Stoppable)?;
    let Lines { others, last } = Lines::find(proxy, target, line)?;
    Ok(verify::plan(&Ground {
        target,
        running: known.running().collect(),
        line,
        others,
        last,
        table,
        size: args.size(),
        seed,
    }))
}

/// What a record is made of beside what was measured.
pub(super) fn kept_of(known: &Known, args: &VerifyArgs) -> Option<Kept> {
    let left_out = RULES.iter().filter(|r| !args.wants(r.id));
    Some(Kept {
        purposes: known.made.as_ref()?.purposes.clone(),
        table: known.table.clone(),
        size: args.size(),
        least_nr_irq: known.target.lines.least_nr_irq(),
        left_out: left_out.map(|r| r.id.to_owned()).collect(),
    })
}

pub(super) fn record_of(ran: Ran, known: Known, args: &VerifyArgs) -> Result<Record, Error> {
    let Some(kept) = kept_of(&known, args) else {
        return Err(Error::Internal("a run without a plan".into()));
    };
    let aic = aic(&ran.target, ran.outcome.answers.opened);
    let restore = Restore::of(&ran.outcome.restoring);
    let (cells, replies) = (&ran.outcome.cells, &ran.outcome.answers.replies);
    verify::record(
        kept,
        ran.head,
        aic,
        restore,
        cells,
        &ran.plan.questions,
        replies,
    )
}

/// Of a target on which nothing could be measured.
pub(super) fn failed_record(
    known: Known,
    setup: Setup,
    firmware: &Firmware,
    args: &VerifyArgs,
    marks: Vec<Mark>,
) -> Record {
    let context = Context {
        target_name: &args.on.target,
        seed: args.on.seed,
        target: &known.target,
        firmware,
        marks,
        slice_ns: None,
    };
    Record {
        head: head_before(context),
        aic: aic(&known.target, None),
        table: known.table,
        size: args.size(),
        setup,
        least_nr_irq: known.target.lines.least_nr_irq(),
        cells: Vec::new(),
        registers: Vec::new(),
        fiqs: Vec::new(),
        ipis: Vec::new(),
        restore: Restore::default(),
    }
}
