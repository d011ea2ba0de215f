//! What is said of evidence for the allow-list.

use crate::allow_list::Assessment;
use crate::target::without_controls;

use super::{Document, Grid};

impl Document for Assessment {
    const ROWS: &'static [&'static str] = &["reasons"];

    fn heading(&self) -> Vec<String> {
        let soc = match self.soc.as_str() {
            "" => "an unknown SoC".to_owned(),
            soc => without_controls(&format!("{soc} ({})", self.device)),
        };
        let state = match (self.known, self.listed) {
            (_, true) => "listed already",
            (true, false) => "not listed yet",
            (false, _) => "without a file yet",
        };
        let verdict = if self.suffices {
            "it suffices for the allow-list".to_owned()
        } else {
            format!(
                "it does NOT suffice for the allow-list, for {} reasons",
                self.reasons.len()
            )
        };
        let mut lines = vec![format!("{}: {soc}, {state}: {verdict}", self.path)];
        if let Some(hash) = &self.manifest_sha256 {
            lines.push(format!("manifest {hash}"));
        }
        lines
    }

    fn grids(&self) -> Vec<Grid> {
        vec![self.rows()]
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    fn rows(&self) -> Grid {
        let mut grid = Grid::new("", ["kind", "about", "reason"]);
        for r in &self.reasons {
            grid.row([
                r.kind.name().to_owned(),
                without_controls(&r.about),
                without_controls(&r.text),
            ]);
        }
        grid
    }
}
