//! What a run would do, without doing it.

use std::fmt::Write as _;

use aic_regs::aic::{Bank, Generation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::{Estimate, Plan, PlannedCell, Routing};
use crate::result::hex;
use crate::target::Target;

/// A plan, everything it would write, and how long it would take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DryRun {
    /// "aicprobe.plan/1".
    pub schema: String,
    /// The target as named on the command line.
    pub target: String,
    /// The seed.
    pub seed: u64,
    /// Duration.
    pub estimate: Estimate,
    /// The cells.
    pub cells: Vec<PlannedCell>,
    /// Registers and memory that would be written.
    pub writes: Vec<RegisterWrite>,
}

/// Something that would be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegisterWrite {
    /// Its name.
    pub register: String,
    /// Physical address, or "every CPU" and the like.
    pub place: String,
    /// What is written, and how it is put back.
    pub what: String,
}

impl DryRun {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.plan/1";

    /// Of `plan` on `target`.
    #[must_use]
    pub fn new(target_name: &str, seed: u64, target: &Target, plan: &Plan) -> Self {
        Self {
            schema: Self::SCHEMA.to_owned(),
            target: target_name.to_owned(),
            seed,
            estimate: Estimate::of(plan),
            cells: plan.cells.clone(),
            writes: writes(target, plan),
        }
    }

    /// For people.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = format!(
            "{} cells on {}, {}; nothing was changed\n",
            self.cells.len(),
            self.target,
            self.estimate
        );
        for c in &self.cells {
            let _ = write!(
                out,
                "cell {:3}: line {}:{}, CPU {} fires {} times",
                c.id, c.line.die, c.line.number, c.fire_cpu, c.triggers
            );
            match &c.routing {
                Routing::AsFound => {}
                Routing::Cpus(set) => {
                    let _ = write!(out, ", targeted at CPUs {set:?}");
                }
                Routing::Word(word) => {
                    let _ = write!(out, ", IRQ_CFG {word:#x}");
                }
            }
            for (cpu, field) in c.fields.iter().enumerate() {
                if let Some(field) = field {
                    let _ = write!(out, ", CPU {cpu} set to {field}");
                }
            }
            for m in &c.masked {
                let _ = write!(
                    out,
                    ", CPU {} masked for {} ms",
                    m.cpu,
                    f64::from(m.us) / 1e3
                );
            }
            let _ = writeln!(
                out,
                ", timeout {} ms ({})",
                f64::from(c.timeout_us) / 1e3,
                c.group.title()
            );
        }
        out.push_str("\nwritten while it runs, and put back unless said otherwise:\n");
        for w in &self.writes {
            let _ = writeln!(out, "  {} ({}): {}", w.register, w.place, w.what);
        }
        out
    }
}

fn writes(target: &Target, plan: &Plan) -> Vec<RegisterWrite> {
    let g = &target.aic.geometry;
    let at = |offset: u32| hex(target.aic.base + u64::from(offset));
    let mut writes = Vec::new();
    let mut add = |register: String, place: String, what: &str| {
        writes.push(RegisterWrite {
            register,
            place,
            what: what.to_owned(),
        });
    };
    if g.generation != Generation::V1 {
        add("AIC CONFIG".into(), at(g.config), "ENABLE set");
    }
    for die in 0..g.dies.min(256) {
        // `bank_offset` refuses what is outside.
        let first = g.bank_offset(Bank::MaskSet, die as u8, 0);
        let last = g.bank_offset(
            Bank::MaskSet,
            die as u8,
            g.words_per_die().saturating_sub(1),
        );
        if let (Some(first), Some(last)) = (first, last) {
            let place = format!("{} to {}", at(first), at(last));
            let what =
                "every line that is found unmasked is masked; unmasked again through MASK_CLR";
            add(format!("MASK_SET of die {die}"), place, what);
        }
    }
    for line in plan.lines() {
        let bit = line.number % 32;
        for (bank, name, what) in [
            (Bank::MaskClr, "MASK_CLR", "unmasked while a cell runs"),
            (Bank::MaskSet, "MASK_SET", "masked after each cell"),
            (Bank::SwSet, "SW_SET", "set once per trigger"),
            (Bank::SwClr, "SW_CLR", "cleared when taken, and at the end"),
        ] {
            if let Some(offset) = g.bank_offset(bank, line.die, u32::from(line.number) / 32) {
                let place = format!("{}, bit {bit}", at(offset));
                add(
                    format!("{name} of line {}:{}", line.die, line.number),
                    place,
                    what,
                );
            }
        }
    }
    let routed = plan.cells.iter().filter(|c| c.routing != Routing::AsFound);
    let mut routed: Vec<_> = routed.map(|c| (c.line.die, c.line.number)).collect();
    routed.sort_unstable();
    routed.dedup();
    for (die, number) in routed {
        let offset =
            u64::from(g.irq_cfg) + u64::from(die) * u64::from(g.cfg_stride) + u64::from(number) * 4;
        let name = match g.generation {
            Generation::V1 => "TARGET_CPU",
            _ => "IRQ_CFG",
        };
        let place = hex(target.aic.base + offset);
        add(
            format!("{name} of line {die}:{number}"),
            place,
            "set for each cell",
        );
    }
    for (cpu, facts) in target.cpus.iter().enumerate() {
        let mut values: Vec<u8> = plan.cells.iter().filter_map(|c| c.fields[cpu]).collect();
        values.sort_unstable();
        values.dedup();
        if !values.is_empty() {
            let place = format!("CPU {cpu}, MPIDR {}", hex(facts.mpidr));
            let what = format!("bits [1:0] set to {values:?}, the other bits kept");
            add("SIQ_CFG_EL1".into(), place, &what);
        }
    }
    let place = "every CPU".to_owned();
    add(
        "VBAR_EL1, DAIF, TPIDR_EL0, TPIDRRO_EL0, CNTKCTL_EL1 (under E2H: the EL2 registers)".into(),
        place.clone(),
        "the firmware's own, from its entry to its return",
    );
    add(
        "IPI_SR_EL1".into(),
        place,
        "a stray fast IPI is acknowledged (not put back)",
    );
    add(
        "memory".into(),
        "the loader's heap".into(),
        "image and shared block, given back afterwards",
    );
    if target.cpus.len() > 1 {
        add(
            "secondary CPUs".into(),
            "through the loader".into(),
            "started and left in the loader's idle loop, MMU on, waiting in WFE (not put back)",
        );
    }
    writes
}
