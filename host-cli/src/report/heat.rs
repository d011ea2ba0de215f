//! Firing CPU by landing CPU, as numbers on shades.

use maud::{Markup, html};

use crate::output::Grid;
use crate::result::Cell;
use crate::verify::Purpose;

use super::input::{Input, Saved};
use super::table::{grouped, shade, table_with};

/// Counts by firing and landing CPU.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// What was counted.
    pub title: String,
    /// A row for every firing CPU.
    rows: Vec<Row>,
}

#[derive(Clone, Debug, Default)]
struct Row {
    landed: Vec<u64>,
    lost: u64,
    fired: u64,
}

impl Matrix {
    fn new(title: &str, cpus: usize) -> Self {
        let row = Row {
            landed: vec![0; cpus],
            ..Row::default()
        };
        Self {
            title: title.to_owned(),
            rows: vec![row; cpus],
        }
    }

    fn add(&mut self, fire: u8, landed: &[u64], lost: u64, fired: u64) {
        let Some(row) = self.rows.get_mut(usize::from(fire)) else {
            return;
        };
        for (sum, n) in row.landed.iter_mut().zip(landed) {
            *sum = sum.saturating_add(*n);
        }
        row.lost = row.lost.saturating_add(lost);
        row.fired = row.fired.saturating_add(fired);
    }

    fn add_cell(&mut self, cell: &Cell) {
        self.add(cell.fire_cpu, &cell.landed, cell.lost, cell.fired);
    }

    /// Triggers fired.
    pub fn fired(&self) -> u64 {
        self.rows
            .iter()
            .fold(0, |sum, r| sum.saturating_add(r.fired))
    }

    /// As a table; firing CPUs that never fired are left out.
    pub fn grid(&self) -> Grid {
        let landing = (0..self.rows.len()).map(|cpu| format!("on {cpu}"));
        let ends = ["lost", "fired"].map(str::to_owned);
        let columns = std::iter::once("fires".to_owned()).chain(landing);
        let mut grid = Grid::new(&self.title, columns.chain(ends));
        for (cpu, row) in self.fired_rows() {
            let counts = row.landed.iter().chain([&row.lost, &row.fired]);
            let counts = counts.map(|n| n.to_string());
            grid.row(std::iter::once(format!("CPU {cpu}")).chain(counts));
        }
        grid
    }

    fn fired_rows(&self) -> impl Iterator<Item = (usize, &Row)> {
        self.rows.iter().enumerate().filter(|(_, r)| r.fired > 0)
    }

    /// For the page.
    pub fn html(&self) -> Markup {
        let rows: Vec<&Row> = self.fired_rows().map(|(_, row)| row).collect();
        let mut grid = self.grid();
        for cell in grid.rows.iter_mut().flat_map(|row| row.iter_mut().skip(1)) {
            if let Ok(n) = cell.parse() {
                *cell = if n == 0 { "·".to_owned() } else { grouped(n) };
            }
        }
        let cpus = self.rows.len();
        let shades = table_with(&self.title, &grid, |r, c| {
            let row = rows.get(r)?;
            match c.checked_sub(1)? {
                at if at < cpus => Some(shade(row.landed[at] as f64 / row.fired as f64)),
                at if at == cpus && row.lost > 0 => Some("bad n"),
                _ => None,
            }
        });
        html! {
            (shades)
            p.small { "Rows: the CPU that fired. Columns: the CPU whose own IRQ exception took it. Shade: share of the row. Lost: not taken in time, also where no CPU was to take it. · = 0" }
        }
    }
}

/// Every matrix that an input has.
pub fn of(input: &Input) -> Vec<Matrix> {
    let cpus = input.saved.about().cpus.len();
    let mut all = Vec::new();
    match &input.saved {
        Saved::Verify(v) => {
            let mut found = Matrix::new("State as found: where interrupts landed", cpus);
            let mut every = Matrix::new("All cells: where interrupts landed", cpus);
            for of in &v.record.cells {
                if matches!(of.purpose, Purpose::AsFound | Purpose::Again) {
                    found.add_cell(&of.cell);
                }
                every.add_cell(&of.cell);
            }
            all.extend([found, every]);
        }
        Saved::Route(r) => {
            let mut found = Matrix::new("State as found: where interrupts landed", cpus);
            let mut every = Matrix::new("All cells: where interrupts landed", cpus);
            for cell in &r.cells {
                if cell.group == crate::plan::Group::AsFound {
                    found.add_cell(cell);
                }
                every.add_cell(cell);
            }
            all.extend([found, every]);
        }
        Saved::Latency(l) => {
            let mut every = Matrix::new("All pairs: where interrupts landed", cpus);
            for pair in &l.pairs {
                every.add(pair.fire_cpu, &pair.landed, pair.lost, pair.fired);
            }
            all.push(every);
        }
        Saved::Soak(s) => {
            let mut every = Matrix::new("The whole soak: where interrupts landed", cpus);
            let t = &s.totals;
            every.add(s.fire_cpu, &t.landed, t.lost, t.fired);
            all.push(every);
        }
        Saved::Fields(_) => {
            let counted = input.kept.as_ref().and_then(|k| k.counted.as_ref());
            if let Some(counted) = counted {
                let mut every = Matrix::new("All cells: where interrupts landed", cpus);
                for (cell, _, m) in &counted.cells {
                    every.add(cell.fire_cpu, &m.landed, m.lost, m.fired);
                }
                all.push(every);
            }
        }
        Saved::Handoff(_) | Saved::Storm(_) | Saved::Observe(_) | Saved::Compare(_) => {}
    }
    all.retain(|m| m.fired() > 0);
    all
}
