//! The table of CPUs.
//!
//! Logical ids are numbered as Linux numbers them: the boot CPU is 0, the others follow in device-tree order. The
//! loader's own index of a CPU is its `cpu-id`, another number.

use adt::{Adt, Node};
use aic_regs::sysreg::{CoreType, Mpidr};
use protocol::MAX_CPUS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::result::Mark;

use super::TargetError;

/// Kind of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Core {
    /// Efficiency.
    E,
    /// Performance.
    P,
    /// The third kind, of M5 Pro and later.
    M,
    /// Not known.
    #[serde(rename = "unknown")]
    Unknown,
}

impl Core {
    /// The kind that an MPIDR shows.
    #[must_use]
    pub fn of_mpidr(mpidr: u64) -> Self {
        match Mpidr(mpidr).core_type() {
            CoreType::E => Self::E,
            CoreType::P => Self::P,
            CoreType::M => Self::M,
            CoreType::Unknown(_) => Self::Unknown,
        }
    }

    /// One letter.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::E => "E",
            Self::P => "P",
            Self::M => "M",
            Self::Unknown => "?",
        }
    }
}

/// One CPU, as the device tree has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuFacts {
    /// Logical id.
    pub id: u8,
    /// `cpu-id`: the loader's index.
    pub adt_id: u32,
    /// `reg`: affinity without its level 2.
    pub reg: u32,
    /// MPIDR_EL1 as inferred from `reg` and `cluster-type`, until the CPU has said it itself.
    pub mpidr: u64,
    /// Cluster: affinity level 1.
    pub cluster: u32,
    /// Kind of core.
    pub core: Core,
    /// Whether the machine booted on it.
    pub boot: bool,
}

/// The table, and what had to be inferred for it.
pub(super) fn from_tree(
    tree: &Adt<'_>,
    marks: &mut Vec<Mark>,
) -> Result<Vec<CpuFacts>, TargetError> {
    let node = tree.node("/cpus").ok_or(TargetError::NoNode("/cpus"))?;
    let mut nodes: Vec<Node<'_>> = node.children().filter(|n| n.u32("reg").is_some()).collect();
    let boot = nodes
        .iter()
        .position(|n| n.str("state") == Some("running"))
        .ok_or(TargetError::NoBootCpu)?;
    let first = nodes.remove(boot);
    nodes.insert(0, first);
    if nodes.len() > MAX_CPUS {
        marks.push(Mark::partial(
            "cpus",
            format!(
                "the device tree names {} CPUs, the first {MAX_CPUS} are used",
                nodes.len()
            ),
        ));
        nodes.truncate(MAX_CPUS);
    }
    let cpus: Vec<CpuFacts> = (0u8..).zip(&nodes).map(|(id, n)| facts(id, *n)).collect();
    if nodes.iter().any(|n| n.u32("cpu-id").is_none()) {
        let what = "the device tree gives no cpu-id: reg is used, as the loader does";
        marks.push(Mark::inferred("cpus.adt_id", what));
    }
    for (i, cpu) in cpus.iter().enumerate() {
        if cpus[..i].iter().any(|c| c.adt_id == cpu.adt_id) {
            let what = format!("cpu-id {} is used by two CPUs", cpu.adt_id);
            marks.push(Mark::inferred("cpus.adt_id", what));
        }
    }
    Ok(cpus)
}

fn facts(id: u8, node: Node<'_>) -> CpuFacts {
    // `reg` is there: the caller looked.
    let reg = node.u32("reg").unwrap_or_default();
    let core = match node.str("cluster-type") {
        Some("E") => Core::E,
        Some("P") => Core::P,
        Some("M") => Core::M,
        _ => Core::Unknown,
    };
    let kind = match core {
        Core::P => CoreType::P,
        Core::M => CoreType::M,
        // A7 to A9 have no cluster-type and level 2 zero.
        Core::E | Core::Unknown => CoreType::E,
    };
    CpuFacts {
        id,
        adt_id: node.u32("cpu-id").unwrap_or(reg),
        reg,
        mpidr: Mpidr::from_adt(reg, kind).0,
        cluster: reg >> 8 & 0xff,
        core,
        boot: id == 0,
    }
}
