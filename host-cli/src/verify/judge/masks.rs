//! Rules about CPUs and lines that are masked.

use crate::verify::{Observed, Purpose, Record};

use super::{Found, V1, cells, landed, open_cells};

/// Which windows can show something: an interrupt that is still on its way when a window ends was held by nobody.
struct Windows {
    /// The slowest delivery while nobody masked, in nanoseconds.
    slowest_ns: u64,
    /// Cells whose windows were shorter.
    left_out: u64,
}

impl Windows {
    fn of(record: &Record) -> Self {
        let latencies = open_cells(record).filter_map(|(of, _)| of.cell.latency_ns);
        Self {
            slowest_ns: latencies.map(|l| l.max).max().unwrap_or(0),
            left_out: 0,
        }
    }

    /// Whether the windows of a cell are longer than the slowest delivery. All of a cell are of one length.
    fn show(&mut self, of: &Observed) -> bool {
        let us = of.cell.masked_us.iter().chain(&of.step_us).min();
        let long = us.is_none_or(|us| u64::from(*us) * 1000 > self.slowest_ns);
        self.left_out += u64::from(!long);
        long
    }

    /// Says what was left out.
    fn tell(&self, found: &mut Found) {
        if self.left_out > 0 {
            found.note = Some(format!(
                "{} cells left out, whose windows were shorter than the slowest delivery without a mask ({} ns)",
                self.left_out, self.slowest_ns
            ));
        }
    }
}

fn offered(of: &Observed, cpu: u8) -> u64 {
    let n = of.cell.offered.get(usize::from(cpu));
    n.copied().unwrap_or(0)
}

/// MASK-01.
pub fn sole_keeps(record: &Record) -> Found {
    let mut found = Found::default();
    let mut windows = Windows::of(record);
    for (of, takers) in cells(record) {
        let alone = takers.acceptors.len() == 1;
        let cpu = match of.purpose {
            Purpose::SoleMasked { cpu } => cpu,
            Purpose::AsFoundMasked if alone && of.cell.masked_cpus == takers.acceptors => {
                takers.acceptors[0]
            }
            _ => continue,
        };
        if !windows.show(of) {
            continue;
        }
        let kept = landed(of, |c| c == cpu).min(offered(of, cpu));
        found.cell(
            kept,
            of.cell
                .fired
                .saturating_sub(kept)
                .saturating_add(of.cell.duplicate),
            of,
        );
    }
    windows.tell(&mut found);
    found
}

/// MASK-02.
pub fn gives_way(record: &Record) -> Found {
    let mut found = Found::default();
    let mut windows = Windows::of(record);
    for (of, takers) in cells(record) {
        let masked = match of.purpose {
            Purpose::GivesWay { masked, .. } => masked,
            Purpose::AsFoundMasked => 0,
            _ => continue,
        };
        // Somebody else has to accept, and the one that masks has to be among those who would be asked first.
        if takers.open.contains(&masked) || takers.acceptors.len() < 2 {
            continue;
        }
        if !windows.show(of) {
            continue;
        }
        let right = landed(of, |cpu| takers.open.contains(&cpu));
        found.cell(
            right,
            of.cell
                .fired
                .saturating_sub(right)
                .saturating_add(of.cell.duplicate),
            of,
        );
    }
    if found.held + found.against == 0 && windows.left_out == 0 {
        found.open = Some("no cell had two acceptors".to_owned());
    }
    windows.tell(&mut found);
    found
}

/// MASK-03.
pub fn order_again(record: &Record) -> Found {
    let mut found = Found::default();
    for (of, takers) in cells(record) {
        let Purpose::AfterMask { .. } = of.purpose else {
            continue;
        };
        let right = landed(of, |cpu| takers.best.contains(&cpu));
        found.cell(right, of.cell.fired.saturating_sub(right), of);
    }
    if found.held + found.against == 0 {
        found.open = Some("no cell had two acceptors".to_owned());
    }
    found
}

/// MASK-04.
pub fn waits(record: &Record) -> Found {
    if record.aic.generation == 1 {
        return Found::nothing(V1);
    }
    let mut found = Found::default();
    let mut windows = Windows::of(record);
    for (of, _) in cells(record) {
        let Purpose::Waits { cpu } = of.purpose else {
            continue;
        };
        if !windows.show(of) {
            continue;
        }
        let right = landed(of, |c| c == cpu)
            .min(of.stepped)
            .saturating_sub(of.early);
        found.cell(right, of.cell.fired.saturating_sub(right), of);
    }
    windows.tell(&mut found);
    found
}

/// MASK-05.
pub fn line_masked(record: &Record) -> Found {
    let mut found = Found::default();
    let mut windows = Windows::of(record);
    for (of, _) in cells(record) {
        let Purpose::LineMasked { cpu } = of.purpose else {
            continue;
        };
        if !windows.show(of) {
            continue;
        }
        let right = landed(of, |c| c == cpu).saturating_sub(of.early);
        found.cell(right, of.cell.fired.saturating_sub(right), of);
    }
    windows.tell(&mut found);
    found
}
