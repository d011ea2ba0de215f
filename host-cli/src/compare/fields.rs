//! A result of `fields` as a run: its cells are those of the truth table, the claims about fields with what was counted for and against
//! each, and the rule.

use crate::fields::{FieldsCell, FieldsReport};

use super::cells::{Cells, fields};
use super::counts::{Counts, each};
use super::run::{Comparable, Key, Run, Scope};

impl Comparable for FieldsReport {
    const SCHEMA: &'static str = Self::SCHEMA;

    fn to_run(&self, origin: &str) -> Result<Run, String> {
        let mut cells = Cells::default();
        let claim = |name: &str| Key::default().with("claim", name);
        let conditions = [
            ("cells of the table", self.cells.to_string()),
            ("combinations", self.coverage.combinations.to_string()),
            (
                "masked",
                format!("CPU {} for {} us", self.mask.cpu, self.mask.us),
            ),
        ];
        if let Some(rule) = self.rule_text() {
            let state = vec![(rule, 1)];
            cells.add(claim("the rule"), 1, state, Vec::new(), &conditions);
        }
        for (i, seen) in self.observations.iter().enumerate() {
            let of = seen.held.checked_add(seen.against).ok_or_else(|| {
                let (held, against) = (seen.held, seen.against);
                format!("observations[{i}]: for {held}, against {against}")
            })?;
            let states = [("for", seen.held), ("against", seen.against)];
            let states = states.map(|(what, n)| (what.to_owned(), n)).into();
            let metrics = vec![each("for", Scope::Cell, seen.held, of)];
            cells.add(claim(&seen.id), of, states, metrics, &conditions);
        }
        for (i, cell) in self.table.iter().enumerate() {
            self.put(cell, &mut cells)
                .map_err(|what| format!("table[{i}].{what}"))?;
        }
        Ok(cells.run(Self::SCHEMA, &self.head, origin))
    }
}

impl FieldsReport {
    /// Adds a cell of the truth table.
    fn put(&self, cell: &FieldsCell, cells: &mut Cells) -> Result<(), String> {
        let cpus = self.head.cpus.len();
        let mut landed = cell.landed.clone();
        // CPUs behind the last that was in the firmware have no entry.
        landed.resize(landed.len().max(cpus), 0);
        let counts = Counts {
            fired: cell.fired,
            landed: &landed,
            lost: cell.lost,
            late: cell.late,
            duplicate: cell.duplicate,
            spurious: cell.spurious,
        };
        counts.check(cpus)?;
        let window = f64::from(self.mask.us) / 1e3;
        let masked = cell.masked.map(|cpu| format!("{cpu}:{window}ms"));
        let key = Key::default()
            .with("fields", fields(&cell.fields))
            .with("masked", masked.unwrap_or_default());
        // Thousands of cells, nearly all of them all or nothing: their states tell.
        let mut metrics = counts.metrics(Scope::Split);
        metrics.retain(|m| m.scope != Scope::Cell);
        let triggers = [("triggers", cell.fired.to_string())];
        cells.add(key, cell.fired, counts.states(), metrics, &triggers);
        Ok(())
    }

    /// What the run says of the rule; `None` if it says nothing of it.
    fn rule_text(&self) -> Option<String> {
        match (&self.rule, &self.fit) {
            (Some(rule), _) => Some(format!("is: {}", rule.text(self.mask.us))),
            (None, Some(fit)) if !fit.is_complete() => Some("is none: no rule explains it".into()),
            _ => None,
        }
    }
}
