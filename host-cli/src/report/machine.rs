//! The machine: its CPUs, and registers before and after.

use maud::{Markup, html};

use crate::evidence::RegistersFile;
use crate::output::Grid;
use crate::result::Cpu;

use super::input::Input;
use super::table::{fold, many, table_with, whole};

/// Tables of CPUs, each with the inputs (from 1) that show the same one.
pub fn cpus(inputs: &[Input]) -> Vec<(Vec<usize>, Grid)> {
    let mut all: Vec<(&[Cpu], Vec<usize>, Grid)> = Vec::new();
    for (at, input) in (1..).zip(inputs) {
        let cpus = input.saved.about().cpus;
        if cpus.is_empty() {
            continue;
        }
        match all.iter_mut().find(|(known, ..)| *known == cpus) {
            Some((_, of, _)) => of.push(at),
            None => all.push((cpus, vec![at], grid(cpus))),
        }
    }
    all.into_iter().map(|(_, of, grid)| (of, grid)).collect()
}

/// As commands show it, with the names of the columns in words.
fn grid(cpus: &[Cpu]) -> Grid {
    let mut grid = Grid::new(
        "CPUs",
        [
            "logical id",
            "ADT id",
            "MPIDR",
            "cluster",
            "core",
            "boot",
            "state",
            "SIQ_CFG as found",
        ],
    );
    for cpu in cpus {
        let siq = cpu.siq_cfg.clone().unwrap_or_else(|| "-".to_owned());
        grid.row([
            cpu.id.to_string(),
            cpu.adt_id.to_string(),
            cpu.mpidr.clone(),
            cpu.cluster.to_string(),
            cpu.core.letter().to_owned(),
            if cpu.boot { "boot" } else { "" }.to_owned(),
            cpu.state.name().to_owned(),
            siq,
        ]);
    }
    grid
}

/// Registers before and after, what differs first.
pub fn registers(file: &RegistersFile) -> Markup {
    let columns = ["register", "address", "before", "after", "compared"];
    let (mut same, mut other) = (Grid::new("", columns), Grid::new("", columns));
    for word in &file.aic {
        let said = |value: &Option<String>| value.clone().unwrap_or_else(|| "not read".to_owned());
        let differs = match (&word.before, &word.after) {
            (_, None) => "not compared",
            (before, after) if before == after => "same",
            _ => "DIFFERS",
        };
        let row = [
            word.name.clone(),
            word.address.clone(),
            said(&word.before),
            said(&word.after),
            differs.to_owned(),
        ];
        if differs == "DIFFERS" {
            other.row(row);
        } else {
            same.row(row);
        }
    }
    let mut of_cpus = Grid::new(
        "",
        [
            "CPU",
            "MPIDR",
            "MIDR",
            "EL",
            "SCTLR",
            "SIQ_CFG before",
            "SIQ_CFG after",
            "compared",
        ],
    );
    for cpu in &file.cpus {
        let said = |value: &Option<String>| value.clone().unwrap_or_else(|| "not read".to_owned());
        let differs = match (&cpu.siq_cfg_before, &cpu.siq_cfg_after) {
            (_, None) => "not compared",
            (before, after) if before == after => "same",
            _ => "DIFFERS",
        };
        of_cpus.row([
            cpu.cpu.to_string(),
            cpu.mpidr.clone(),
            cpu.midr.clone(),
            cpu.el.to_string(),
            cpu.sctlr.clone(),
            said(&cpu.siq_cfg_before),
            said(&cpu.siq_cfg_after),
            differs.to_owned(),
        ]);
    }
    let marked = |grid: &Grid, row: usize| {
        let differs = grid.rows.get(row).and_then(|r| r.last());
        differs.is_some_and(|d| d == "DIFFERS").then_some("bad")
    };
    let r = &file.restore;
    html! {
        p {
            (r.checked) " values were read back by the firmware, " (r.different) " differ from what was found. "
            "The host read " (many(file.aic.len(), "word")) " of the controller before and after, "
            (other.rows.len()) " differ."
        }
        @for difference in &r.differences { p.bad { "DIFFERS: " (difference) } }
        @for note in &file.notes { p { "Note: " (note) } }
        @if !other.rows.is_empty() {
            (table_with("Words of the controller that differ", &other, |r, _| marked(&other, r)))
        }
        (table_with("Registers of CPUs", &of_cpus, |r, _| marked(&of_cpus, r)))
        (fold(&format!("Words of the controller that are as found ({})", same.rows.len()), &whole("Words of the controller", &same, |_, _| None)))
    }
}
