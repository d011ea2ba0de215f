//! What a line does: storms, reads by the wrong CPU, masks, endings, numbers beyond the last.

use protocol::LineId;
use protocol::command::{Action, Ending};
use protocol::message::Refusal;

use crate::session::Measured;

use super::Observation;
use super::lab::{CellExt as _, Judge, Lab, about_cell, hits, untried};

/// Row 19: a device's line that stays high is taken again and again.
pub fn storm(lab: &mut Lab<'_>) -> Judge {
    const ID: &str = "high-line-storms";
    const CLAIM: &str = "a line that stays high comes again after every end of its interrupt";
    let Some(line) = lab.facts.options.live_line else {
        return untried(19, &[(ID, CLAIM)], "--live-line names no line that is high");
    };
    if !lab.facts.live_high {
        let why = format!("line {}:{} is low", line.die, line.number);
        return untried(19, &[(ID, CLAIM)], why);
    }
    let mut cell = lab.accepting(&[0]).on(line);
    cell.special.live = true;
    cell.triggers = 1;
    let cell = lab.add(cell);
    Box::new(move |e| {
        let stormed = e.refusal(cell) == Some(Refusal::Storm);
        vec![match e.cell(cell) {
            _ if stormed => Observation::counted(ID, 19, CLAIM, 1, 0)
                .noted("left masked by the guard against storms"),
            Ok(_) => Observation::counted(ID, 19, CLAIM, 0, 1),
            Err(why) => Observation::untried(ID, 19, CLAIM, why),
        }]
    })
}

/// Row 23: EVENT read by a CPU that was not offered the interrupt.
pub fn event_read_by_another(lab: &mut Lab<'_>) -> Judge {
    const ID: &str = "event-goes-to-any-reader";
    const CLAIM: &str = "a CPU that was not offered an interrupt takes it by reading EVENT";
    if lab.cpus() < 2 {
        return untried(23, &[(ID, CLAIM)], "there is no secondary");
    }
    let thief = lab.cpus() - 1;
    let cell = lab
        .accepting(&[0])
        .masked(0, 300)
        .step(100, 0, Action::Sample)
        .step(110, thief, Action::Sample)
        .step(120, thief, Action::TakeEvent);
    let cell = lab.add(cell);
    Box::new(move |e| match e.cell(cell) {
        Ok(m) => {
            let offered = hits(m, 0).saturating_sub(hits(m, 1));
            let taken = hits(m, 2);
            let rest = offered.saturating_sub(taken);
            let note = if hits(m, 1) > 0 {
                "it was offered to the reader too"
            } else {
                ""
            };
            vec![Observation::counted(ID, 23, CLAIM, taken, rest).noted(note)]
        }
        Err(why) => vec![Observation::untried(ID, 23, CLAIM, why)],
    })
}

/// Row 26: fired while masked at the controller.
pub fn masked_line_remembers(lab: &mut Lab<'_>) -> Judge {
    let mut cell = lab.accepting(&[0]).step(100, 0, Action::UnmaskLine);
    cell.special.line_masked = true;
    let cell = lab.add(cell);
    about_cell(
        cell,
        "masked-line-fires-at-unmask",
        26,
        "a line that is set while it is masked is delivered when it is unmasked",
        |m| (m.fired - m.lost, m.lost),
    )
}

/// Row 31: disabled by its handler, enabled again, fired again.
pub fn disabled_in_handler(lab: &mut Lab<'_>) -> Judge {
    let mut cell = lab.accepting(&[0]);
    cell.special.ending = Ending::Disabled;
    let cell = lab.add(cell);
    about_cell(
        cell,
        "disabled-in-handler-fires-again",
        31,
        "a line that its handler disabled is delivered again once it is enabled",
        |m| {
            let held = (m.fired - m.lost).saturating_sub(m.left_masked);
            (held, m.fired - held)
        },
    )
}

/// Row 32: two interrupts ended in the order in which they were taken.
pub fn out_of_order(lab: &mut Lab<'_>) -> Judge {
    let mut cell = lab.accepting(&[0]);
    cell.special.ending = Ending::OutOfOrder(lab.facts.second);
    // Enough of them to see a leak now and then.
    cell.triggers = cell.triggers.max(32);
    let cell = lab.add(cell);
    about_cell(
        cell,
        "nested-ends-leave-no-mask",
        32,
        "two interrupts of one CPU, ended first taken first, leave no line masked",
        |m| (m.fired - m.left_masked, m.left_masked),
    )
}

/// Row 34: numbers around NR_IRQ.
pub fn beyond(lab: &mut Lab<'_>) -> Judge {
    const LAST: &str = "last-line-delivers";
    const LAST_CLAIM: &str = "the last line that INFO counts is delivered";
    const BEYOND: &str = "line-beyond-nr-delivers";
    const BEYOND_CLAIM: &str =
        "a line that the layout has room for, beyond what INFO counts, is delivered";
    let g = lab.facts.target.aic.geometry;
    let line = |number: u32| LineId {
        die: 0,
        number: number as u16,
    };
    let last = line(g.nr_irq - 1);
    // A device's line is left alone.
    let spare = lab.facts.target.lines.owners(last).is_empty();
    let last = spare.then(|| {
        let cell = lab.accepting(&[0]).on(last);
        lab.add(cell)
    });
    let mut outside = Vec::new();
    if g.nr_irq < g.max_irq {
        let mut numbers = vec![g.nr_irq, g.max_irq - 1];
        numbers.dedup();
        for number in numbers {
            let mut cell = lab.accepting(&[0]).on(line(number));
            cell.triggers = cell.triggers.min(4);
            outside.push(lab.add(cell));
        }
    }
    Box::new(move |e| {
        let count = |cells: &[u32], id: &str, claim: &str, none: &str| {
            let delivered = |_, m: &Measured| (m.fired - m.lost, m.lost);
            let (held, against, mut why) = e.sum(cells.iter().copied(), delivered);
            if cells.is_empty() {
                why = none.to_owned();
            }
            Observation::counted(id, 34, claim, held, against).noted(why)
        };
        let last: Vec<u32> = last.into_iter().collect();
        vec![
            count(&last, LAST, LAST_CLAIM, "a device owns it"),
            count(&outside, BEYOND, BEYOND_CLAIM, "INFO counts every line"),
        ]
    })
}
