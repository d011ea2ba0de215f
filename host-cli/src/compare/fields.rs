//! A result of `fields` as a run: a cell is a claim about fields, with what was counted for and against it; the rule is one more.
//!
//! Landings of single cells of the truth table are not compared.

use crate::fields::FieldsReport;

use super::cells::Cells;
use super::counts::each;
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
        Ok(cells.run(Self::SCHEMA, &self.head, origin))
    }
}

impl FieldsReport {
    /// What the run says of the rule; `None` if it says nothing of it.
    fn rule_text(&self) -> Option<String> {
        match (&self.rule, &self.fit) {
            (Some(rule), _) => Some(format!("is: {}", rule.text(self.mask.us))),
            (None, Some(fit)) if !fit.is_complete() => Some("is none: no rule explains it".into()),
            _ => None,
        }
    }
}
