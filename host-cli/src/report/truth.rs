//! The truth table of the routing fields: which combination makes which CPU take the interrupt.

use std::collections::BTreeMap;

use crate::fields::FieldsReport;
use crate::output::Grid;
use crate::result::Cell;
use crate::verify::Purpose;

use super::input::{Input, Saved};

/// Stands for the field of a CPU that does not run.
pub const NONE: u8 = 4;

/// One combination.
#[derive(Clone, Debug, Default)]
pub struct Combination {
    /// Values by CPU; [`NONE`] where the CPU does not run.
    pub fields: Vec<u8>,
    /// First deliveries by CPU.
    pub landed: Vec<u64>,
    /// Not taken in time.
    pub lost: u64,
    /// Triggers.
    pub fired: u64,
}

/// All combinations with the same CPUs masked.
#[derive(Clone, Debug)]
pub struct Truth {
    /// The CPUs that masked interrupts.
    pub masked: Vec<u8>,
    /// In the order of their values.
    pub rows: Vec<Combination>,
}

impl Truth {
    /// What it shows.
    pub fn title(&self) -> String {
        let masked: Vec<String> = self.masked.iter().map(u8::to_string).collect();
        match self.masked.len() {
            0 => "nobody masks interrupts".to_owned(),
            1 => format!("CPU {} masks interrupts", masked[0]),
            _ => format!("CPUs {} mask interrupts", masked.join(", ")),
        }
    }

    /// Landings by value: a row for every set of values that occurs together.
    pub fn by_values(&self) -> Grid {
        #[derive(Default)]
        struct Sum {
            rows: u64,
            fired: u64,
            landed: [u64; 4],
            lost: u64,
        }
        let mut sums: BTreeMap<Vec<u8>, Sum> = BTreeMap::new();
        for row in &self.rows {
            let mut values: Vec<u8> = row.fields.iter().copied().filter(|v| *v < NONE).collect();
            values.sort_unstable();
            values.dedup();
            let sum = sums.entry(values).or_default();
            sum.rows += 1;
            sum.fired = sum.fired.saturating_add(row.fired);
            sum.lost = sum.lost.saturating_add(row.lost);
            for (value, n) in row.fields.iter().zip(&row.landed) {
                if let Some(landed) = sum.landed.get_mut(usize::from(*value)) {
                    *landed = landed.saturating_add(*n);
                }
            }
        }
        let columns = [
            "values",
            "combinations",
            "triggers",
            "on value 0",
            "on value 1",
            "on value 2",
            "on value 3",
            "lost",
        ];
        let mut grid = Grid::new("Landings by the values that occur together", columns);
        for (values, sum) in sums {
            let values: Vec<String> = values.iter().map(u8::to_string).collect();
            let counts = [sum.rows, sum.fired].into_iter().chain(sum.landed);
            let counts = counts.chain([sum.lost]).map(|n| n.to_string());
            grid.row(std::iter::once(values.join(" ")).chain(counts));
        }
        grid
    }
}

/// Combinations by the CPUs that are masked.
type Rows = BTreeMap<Vec<u8>, BTreeMap<Vec<u8>, Combination>>;

fn add(rows: &mut Rows, mut masked: Vec<u8>, sample: Combination) {
    masked.sort_unstable();
    let of = rows.entry(masked).or_default();
    let sum = of.entry(sample.fields.clone()).or_default();
    sum.landed.resize(sample.fields.len(), 0);
    for (a, b) in sum.landed.iter_mut().zip(&sample.landed) {
        *a = a.saturating_add(*b);
    }
    sum.lost = sum.lost.saturating_add(sample.lost);
    sum.fired = sum.fired.saturating_add(sample.fired);
    sum.fields = sample.fields;
}

fn add_cell(rows: &mut Rows, cell: &Cell) {
    let fields = cell.fields.iter();
    let sample = Combination {
        fields: fields
            .map(|f| f.filter(|f| *f < NONE).unwrap_or(NONE))
            .collect(),
        landed: cell.landed.clone(),
        lost: cell.lost,
        fired: cell.fired,
    };
    if cell.fired > 0 && sample.fields.iter().any(|f| *f < NONE) {
        add(rows, cell.masked_cpus.clone(), sample);
    }
}

/// The truth tables of an input. AICv1 routes by a line's own word: there the fields say nothing.
pub fn of(input: &Input) -> Vec<Truth> {
    let mut rows = Rows::new();
    match &input.saved {
        Saved::Verify(v) if v.record.aic.generation != 1 => {
            for of in &v.record.cells {
                let counts = matches!(
                    of.purpose,
                    Purpose::Mixed | Purpose::Order | Purpose::Sole { .. }
                );
                if counts {
                    add_cell(&mut rows, &of.cell);
                }
            }
        }
        Saved::Route(r) if r.aic.generation != 1 => {
            for cell in r.cells.iter().filter(|c| c.irq_cfg.is_none()) {
                add_cell(&mut rows, cell);
            }
        }
        Saved::Fields(f) => {
            let cpus = f.head.cpus.len();
            let counted = input.kept.as_ref().and_then(|k| k.counted.as_ref());
            for (cell, over, m) in counted.map_or(&[][..], |c| &c.cells) {
                if *over && m.fired > 0 && m.fields.len() == cpus {
                    let sample = Combination {
                        fields: m.fields.iter().map(|f| (*f).min(NONE)).collect(),
                        landed: m.landed.clone(),
                        lost: m.lost,
                        fired: m.fired,
                    };
                    let masked = cell.masked.iter().map(|m| m.cpu).collect();
                    add(&mut rows, masked, sample);
                }
            }
        }
        _ => {}
    }
    rows.into_iter()
        .map(|(masked, rows)| Truth {
            masked,
            rows: rows.into_values().collect(),
        })
        .collect()
}

/// What a result of `fields` says by itself: who gets it among two values, and what comes where all have the same.
pub fn of_report(f: &FieldsReport) -> [Grid; 2] {
    let columns = ["value", "delivered", "lost"];
    let mut alone = Grid::new("Every CPU has the same value", columns);
    for (value, (delivered, lost)) in f.alone.iter().enumerate() {
        alone.row([value as u64, *delivered, *lost]);
    }
    let columns = ["values", "landed on the first", "landed on the second"];
    let mut pairs = Grid::new("CPUs have just two values, nobody masks", columns);
    for p in &f.pairs {
        pairs.row([
            format!("{} and {}", p.value, p.over),
            p.held.to_string(),
            p.against.to_string(),
        ]);
    }
    [alone, pairs]
}
