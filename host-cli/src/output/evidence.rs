//! What evidence holds.

use crate::evidence::{
    CheckResult, DiffResult, Loader, LoaderKind, Machine, Run, ShowResult, State,
};

use super::{Document, Grid};

impl Document for ShowResult {
    const ROWS: &'static [&'static str] = &["cells"];

    fn heading(&self) -> Vec<String> {
        let state = match self.state {
            State::Whole => "whole, as it was written",
            State::Cut => "CUT: it holds what came until its run ended",
            State::Damaged => "DAMAGED",
        };
        let mut lines = vec![format!("{}: {state}", self.path)];
        lines.extend(self.run.iter().flat_map(run_lines));
        let board = self
            .board_id
            .map_or_else(String::new, |id| format!(", board id {id:#x}"));
        lines.extend(self.soc.iter().map(|soc| format!("{soc}{board}")));
        if let (Some(hash), Some(bytes)) = (&self.adt_sha256, self.adt_bytes) {
            lines.push(format!("device tree: {bytes} bytes, SHA-256 {hash}"));
        }
        lines.extend(self.loader.iter().map(loader_line));
        if let Some(r) = &self.registers {
            lines.push(format!(
                "registers: {} of {} values on the target differ from before; {} of {} words of the controller that the host read",
                r.different,
                r.checked,
                r.changed.len(),
                r.compared
            ));
            lines.extend(r.changed.iter().map(|c| format!("  {c}")));
        }
        let with = self.cells.len();
        lines.push(format!(
            "{with} of {} cells with counts, {} answers",
            self.planned, self.answered
        ));
        if let Some(hash) = &self.manifest_sha256 {
            lines.push(format!("manifest {hash}"));
        }
        lines
    }

    fn grids(&self) -> Vec<Grid> {
        let mut grids = Vec::new();
        if !self.rules.is_empty() {
            let mut rules = Grid::new("rules", ["rule", "verdict"]);
            for rule in &self.rules {
                rules.row([&rule.id, &rule.verdict]);
            }
            grids.push(rules);
        }
        if !self.cells.is_empty() {
            grids.push(self.rows());
        }
        grids
    }

    fn notes(&self) -> Vec<String> {
        let problems = self.problems.iter();
        let mut notes: Vec<String> = problems
            .map(|p| format!("{}: {}", p.file, p.problem))
            .collect();
        notes.extend(self.registers.iter().flat_map(|r| r.notes.clone()));
        notes
    }

    fn rows(&self) -> Grid {
        let columns = [
            "cell", "line", "fire", "fields", "masked", "landed", "fired", "lost", "late", "dup",
            "spur",
        ];
        let mut grid = Grid::new("", columns);
        for c in &self.cells {
            let digits: String = c.fields.iter().map(|f| f.to_string()).collect();
            let masked: Vec<String> = c.masked_cpus.iter().map(u8::to_string).collect();
            grid.row([
                c.cell.to_string(),
                c.line.clone(),
                c.fire_cpu.to_string(),
                digits,
                masked.join(" "),
                by_cpu(&c.landed),
                c.fired.to_string(),
                c.lost.to_string(),
                c.late.to_string(),
                c.duplicate.to_string(),
                c.spurious.to_string(),
            ]);
        }
        grid
    }
}

/// "CPU:count" of every CPU that has any.
fn by_cpu(counts: &[u64]) -> String {
    let any = counts.iter().enumerate().filter(|(_, n)| **n > 0);
    let words: Vec<String> = any.map(|(cpu, n)| format!("{cpu}:{n}")).collect();
    match words.is_empty() {
        true => "-".to_owned(),
        false => words.join(" "),
    }
}

fn loader_line(loader: &Loader) -> String {
    let mut line = format!("loader: {}", loader.kind.name());
    if let (LoaderKind::Image, Some(version), Some(hash)) =
        (loader.kind, &loader.version, &loader.sha256)
    {
        line += &format!(
            " {version}, SHA-256 {hash} of its first {} bytes",
            loader.bytes
        );
    }
    if let Some(note) = &loader.note {
        line += &format!(" ({note})");
    }
    line
}

fn run_lines(run: &Run) -> Vec<String> {
    let mut lines = vec![format!(
        "aicprobe {} of {}, target {}, seed {}",
        run.command, run.started, run.target, run.seed
    )];
    lines.push(match &run.machine {
        Machine::Hardware => "what answered: a port of the host".to_owned(),
        Machine::Program => "MODEL ONLY: a program answered on a pseudo-terminal".to_owned(),
        Machine::Virtual {
            model, toml_sha256, ..
        } => format!("MODEL ONLY: virtual SoC {model}, SHA-256 {toml_sha256} of its TOML"),
    });
    let tool = run.tool.executable_sha256.as_deref().unwrap_or("unknown");
    lines.push(format!("aicprobe {}, SHA-256 {tool}", run.tool.version));
    lines.push(format!(
        "firmware {}, SHA-256 {}",
        run.firmware.build_id, run.firmware.image_sha256
    ));
    if let Some(ended) = &run.ended {
        lines.push(format!(
            "ended {} with exit code {}",
            ended.at, ended.exit_code
        ));
        lines.extend(ended.messages.iter().map(|m| format!("  {m}")));
    }
    lines
}

impl Document for DiffResult {
    const ROWS: &'static [&'static str] = &["differences"];

    fn heading(&self) -> Vec<String> {
        let mut lines = vec![format!("A {}", self.a), format!("B {}", self.b)];
        let kinds: Vec<String> = self.about.iter().map(|(k, n)| format!("{k} {n}")).collect();
        lines.push(match self.count {
            0 => "no differences".to_owned(),
            1 => format!("1 difference: {}", kinds.join(", ")),
            n => format!("{n} differences: {}", kinds.join(", ")),
        });
        lines
    }

    fn grids(&self) -> Vec<Grid> {
        match self.differences.is_empty() {
            true => Vec::new(),
            false => vec![self.rows()],
        }
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn rows(&self) -> Grid {
        let mut grid = Grid::new("", ["about", "place", "a", "b"]);
        for d in &self.differences {
            let side = |side: &Option<String>| side.clone().unwrap_or_else(|| "-".to_owned());
            grid.row([d.about.clone(), d.place.clone(), side(&d.a), side(&d.b)]);
        }
        grid
    }
}

impl Document for CheckResult {
    const ROWS: &'static [&'static str] = &["problems"];

    fn heading(&self) -> Vec<String> {
        let state = match (self.good, self.cut) {
            (true, _) => "as it was written",
            (false, true) => "cut",
            (false, false) => "DAMAGED",
        };
        let mut lines = vec![format!("{}: {state}", self.path)];
        lines.push(format!("{} files are as the manifest says", self.files));
        if let Some(hash) = &self.manifest_sha256 {
            lines.push(format!("manifest {hash}"));
        }
        lines
    }

    fn grids(&self) -> Vec<Grid> {
        if self.problems.is_empty() {
            return Vec::new();
        }
        vec![self.rows()]
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    fn rows(&self) -> Grid {
        let mut grid = Grid::new("", ["file", "problem"]);
        for p in &self.problems {
            grid.row([p.file.escape_debug().to_string(), p.problem.clone()]);
        }
        grid
    }
}
