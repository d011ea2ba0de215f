//! A target, by what its loader lets read.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;
use crate::proxy::{Op, Proxy, ProxyError};
use crate::result::Mark;
use crate::target::{Core, SocFacts, Target, generation_number};

/// A target without anything running on it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TargetInfo {
    /// As named by the user.
    pub name: String,
    /// Chip and board.
    pub soc: SocFacts,
    /// CPUs by logical id.
    pub cpus: Vec<CpuInfo>,
    /// The interrupt controller.
    pub aic: AicInfo,
    /// The loader and the way to it.
    pub loader: LoaderInfo,
    /// Facts that are inferred, missing, or a model's.
    pub marks: Vec<Mark>,
}

/// A CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CpuInfo {
    /// Logical id.
    pub id: u8,
    /// `cpu-id` of the device tree: the loader's own number.
    pub adt_id: u32,
    /// MPIDR_EL1 as inferred from the device tree.
    pub mpidr: String,
    /// Cluster.
    pub cluster: u32,
    /// Kind of core.
    pub core: Core,
    /// Whether the machine booted on it.
    pub boot: bool,
    /// Whether the loader has started it; the boot CPU always runs.
    pub started: bool,
}

/// The interrupt controller. Offsets are those of die 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AicInfo {
    /// 1, 2 or 3.
    pub generation: u8,
    /// Physical address.
    pub base: String,
    /// Size of its window in bytes.
    pub size: u64,
    /// Lines per die.
    pub nr_irq: u32,
    /// Lines per die that the layout has room for.
    pub max_irq: u32,
    /// Dies in use.
    pub dies: u32,
    /// Lines that the device tree names.
    pub lines_named: usize,
    /// Registers, and banks of them, with their offsets.
    pub offsets: Vec<Offset>,
}

/// Where a register is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Offset {
    /// The register, or the first of a bank.
    pub register: &'static str,
    /// Its offset from the controller's address.
    pub offset: String,
    /// To the same register of the next die; nothing where there is one for all.
    pub die_stride: Option<String>,
}

/// The loader and the way to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LoaderInfo {
    /// Address of the loader.
    pub base: String,
    /// It would do without checksums of data, so the link is no UART. Data go with them all the same.
    pub fast_link: bool,
    /// It has a record of what the CPUs can do; old loaders have none.
    pub knows_cpu_features: bool,
    /// What became of the line's speed.
    pub line: Vec<String>,
    /// Requests that it took to find this out.
    pub requests: u64,
    /// Repetitions among them.
    pub retries: u64,
}

/// Reads what is known. Nothing runs on the target beside the loader, and nothing is written to its controller.
///
/// # Errors
/// [`Error`] if the target is not usable or the link is lost.
pub fn read(name: &str, proxy: &mut Proxy<'_>, mut marks: Vec<Mark>) -> Result<TargetInfo, Error> {
    let target = Target::discover(proxy).map_err(|e| e.at_step("reading the device tree"))?;
    marks.extend(target.marks.iter().cloned());
    let mut cpus = Vec::new();
    for cpu in &target.cpus {
        let started = cpu.boot || proxy.is_alive(cpu.adt_id)?;
        cpus.push(CpuInfo {
            id: cpu.id,
            adt_id: cpu.adt_id,
            mpidr: format!("{:#x}", cpu.mpidr),
            cluster: cpu.cluster,
            core: cpu.core,
            boot: cpu.boot,
            started,
        });
    }
    let base = proxy.base()?;
    let knows_cpu_features = match proxy.op(Op::GetCpuFeatures, &[FEATURES_SIZE]) {
        Ok(address) => address != 0,
        Err(ProxyError::UnknownOp { .. }) => false,
        Err(e) => return Err(e.into()),
    };
    let stats = proxy.stats();
    Ok(TargetInfo {
        name: name.to_owned(),
        soc: target.soc.clone(),
        cpus,
        aic: aic(&target),
        loader: LoaderInfo {
            base: format!("{base:#x}"),
            fast_link: proxy.is_fast(),
            knows_cpu_features,
            line: proxy.line_notes().to_vec(),
            requests: stats.requests,
            retries: stats.retries,
        },
        marks,
    })
}

/// Size of the loader's record, which it wants to hear.
const FEATURES_SIZE: u64 = 20;

fn aic(target: &Target) -> AicInfo {
    let facts = &target.aic;
    let g = &facts.geometry;
    let row = |register, offset: u32, stride: Option<u32>| Offset {
        register,
        offset: format!("{offset:#x}"),
        die_stride: stride.filter(|_| g.dies > 1).map(|s| format!("{s:#x}")),
    };
    let first = generation_number(g.generation) == 1;
    AicInfo {
        generation: generation_number(g.generation),
        base: format!("{:#x}", facts.base),
        size: facts.size,
        nr_irq: g.nr_irq,
        max_irq: g.max_irq,
        dies: g.dies,
        lines_named: target.lines.claims().count(),
        offsets: vec![
            row(if first { "INFO" } else { "INFO1" }, g.info1, None),
            row(if first { "GLB_CFG" } else { "CONFIG" }, g.config, None),
            row("EVENT", g.event, None),
            row(
                if first { "TARGET_CPU" } else { "IRQ_CFG" },
                g.irq_cfg,
                Some(g.cfg_stride),
            ),
            row("SW_SET", g.sw_set, Some(g.set_stride)),
            row("SW_CLR", g.sw_clr, Some(g.clr_stride)),
            row("MASK_SET", g.mask_set, Some(g.set_stride)),
            row("MASK_CLR", g.mask_clr, Some(g.clr_stride)),
            row("HW_STATE", g.hw_state, Some(g.hw_stride)),
        ],
    }
}
