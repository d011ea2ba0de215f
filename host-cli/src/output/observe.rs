//! A report of observations for people, and for tools that read lines.

use std::fmt::Write as _;

use crate::behaviour::{Answer, Report};
use crate::result::MarkKind;

use super::grid::text;
use super::{Document, Grid};

impl Document for Report {
    const ROWS: &'static [&'static str] = &["observations"];

    fn heading(&self) -> Vec<String> {
        let soc = &self.soc;
        let mut lines = vec![format!(
            "{} board {}, AICv{}, target {}, seed {}",
            soc.title(),
            soc.board,
            self.aic_generation,
            self.target,
            self.seed
        )];
        let model = self.marks.iter().filter(|m| m.kind == MarkKind::ModelOnly);
        lines.extend(model.map(|mark| format!("MODEL ONLY: {}", mark.text)));
        lines
    }

    fn grids(&self) -> Vec<Grid> {
        let columns = ["row", "id", "claim", "answer", "for", "against", "note"];
        let mut grid = Grid::new("", columns);
        for o in &self.observations {
            grid.row([
                o.row.to_string(),
                o.id.clone(),
                o.claim.clone(),
                o.answer.name().to_owned(),
                o.held.to_string(),
                o.against.to_string(),
                o.note.clone().unwrap_or_default(),
            ]);
        }
        vec![grid]
    }

    fn notes(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.restored {
            lines.push("state of the target: NOT as found".to_owned());
        }
        let others = self.marks.iter().filter(|m| m.kind != MarkKind::ModelOnly);
        lines.extend(others.map(|m| format!("{}: {}: {}", m.kind.name(), m.about, m.text)));
        lines
    }

    /// The table without the ids, and a stable line for each observation that could be tried,
    /// `Observation ID Never|Sometimes|Always FOR AGAINST`.
    fn table(&self) -> String {
        let shown = Shown(self);
        let mut out = text(&shown);
        out.push('\n');
        let tried = self.observations.iter();
        for o in tried.filter(|o| o.answer != Answer::NotApplicable) {
            let (answer, held, against) = (o.answer.name(), o.held, o.against);
            let _ = writeln!(out, "Observation {} {answer} {held} {against}", o.id);
        }
        let notes = self.notes();
        if !self.restored {
            out.push('\n');
        }
        for line in notes {
            let _ = writeln!(out, "{line}");
        }
        out
    }
}

/// What is above the stable lines.
struct Shown<'r>(&'r Report);

impl serde::Serialize for Shown<'_> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

impl Document for Shown<'_> {
    const ROWS: &'static [&'static str] = Report::ROWS;

    fn heading(&self) -> Vec<String> {
        self.0.heading()
    }

    fn grids(&self) -> Vec<Grid> {
        let mut grid = Grid::new("", ["row", "claim", "seen", "for", "against", ""]);
        for o in &self.0.observations {
            grid.row([
                o.row.to_string(),
                o.claim.clone(),
                o.answer.name().to_owned(),
                o.held.to_string(),
                o.against.to_string(),
                o.note.clone().unwrap_or_default(),
            ]);
        }
        vec![grid]
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}
