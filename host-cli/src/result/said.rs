//! What has to be said about a result besides its numbers.

use crate::session::{Outcome, Restoring, describe};
use crate::target::Target;

use super::Mark;
use super::assemble::hex;

/// Marks about cells where a result does not hold the cells: of thousands the first few.
pub fn few(mut marks: Vec<Mark>) -> Vec<Mark> {
    const SHOWN: usize = 16;
    if marks.len() > SHOWN {
        let more = marks.len() - SHOWN;
        marks.truncate(SHOWN);
        marks.push(Mark::partial("cells", format!("and {more} more such")));
    }
    marks
}

/// What target and firmware gave to say.
pub fn of_session(target: &Target, outcome: &Outcome) -> Vec<Mark> {
    let mut marks = outcome.marks.clone();
    for (facts, info) in target.cpus.iter().zip(&outcome.answers.cpus) {
        let about = format!("cpus[{}].mpidr", facts.id);
        match info {
            None => marks.push(Mark::inferred(
                &about,
                "from reg and cluster-type: it did not run",
            )),
            Some(i) if i.mpidr != facts.mpidr => marks.push(Mark::note(
                &about,
                format!("the device tree suggests {}", hex(facts.mpidr)),
            )),
            Some(_) => {}
        }
    }
    if let Some(opened) = outcome.answers.opened {
        for (n, what) in [
            (opened.software_pending, "set by software"),
            (opened.unmasked, "unmasked"),
        ] {
            if n > 0 {
                marks.push(Mark::note("aic", format!("{n} lines were found {what}")));
            }
        }
    }
    marks
}

/// What is to be said about single cells.
pub fn of_cells(outcome: &Outcome) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (planned, m) in &outcome.cells {
        let about = format!("cells[{}]", planned.id);
        if let Some(refusal) = m.refusal {
            marks.push(Mark::partial(&about, describe(refusal)));
        } else if !m.complete {
            let text = format!("{} of {} triggers fired", m.fired, planned.triggers);
            marks.push(Mark::partial(&about, text));
        }
        let pairs = planned.fields.iter().zip(&m.fields);
        for (cpu, (asked, read)) in pairs.enumerate() {
            if let Some(asked) = asked
                && m.refusal.is_none()
                && asked != read
            {
                let text = format!("the field of CPU {cpu} was set to {asked} and reads {read}");
                marks.push(Mark::note(&about, text));
            }
        }
        if m.fields_changed {
            marks.push(Mark::note(&about, "the fields changed while the cell ran"));
        }
        if m.max_ticks >= 1 << 32 {
            marks.push(Mark::note(
                &about,
                "latencies of 2^32 ticks and more share one bucket",
            ));
        }
    }
    marks
}

/// Why a run ended as it did.
pub fn of_end(outcome: &Outcome) -> Vec<Mark> {
    let mut marks = Vec::new();
    if outcome.interrupted {
        marks.push(Mark::partial("cells", "interrupted by the user"));
    }
    if let Some(failure) = &outcome.failure {
        marks.push(Mark::partial("cells", format!("ended early: {failure}")));
    }
    if outcome.restoring == Restoring::Unknown {
        marks.push(Mark::partial(
            "restored",
            "nobody could look at the target afterwards",
        ));
    }
    marks
}
