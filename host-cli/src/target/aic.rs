//! The interrupt controller: from the device tree where it is, from itself how large it is.
//!
//! Properties, sizes and fallbacks: third party (m1n1 `src/aic.c`). The VERSION register is not asked: the generation is
//! what `compatible` says.

use adt::{Adt, Node};
use aic_regs::aic::{Generation, Geometry, Info1, Info3};

use crate::error::Error;
use crate::result::Mark;

use super::lines::LineSpace;
use super::overlap::overlap;
use super::registers::Registers;
use super::text::{node_path, printable};
use super::{Overrides, TargetError};

/// MAX_IRQ where INFO3 reads 0 (every controller seen has it).
pub(super) const USUAL_MAX_IRQ: u32 = 0x1000;
/// Window of AICv1 (third party: drivers). The trees of A7 to A9 give 0x1000, and EVENT lies outside that.
const V1_WINDOW: u64 = 0x8000;

/// Generations by what `compatible` lists, in the order in which drivers look.
const GENERATIONS: [(&str, Generation); 3] = [
    ("aic,1", Generation::V1),
    ("aic,2", Generation::V2),
    ("aic,3", Generation::V3),
];

/// Number of a generation.
#[must_use]
pub const fn generation_number(generation: Generation) -> u8 {
    match generation {
        Generation::V1 => 1,
        Generation::V2 => 2,
        Generation::V3 => 3,
    }
}

/// The controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AicFacts {
    /// Physical address.
    pub base: u64,
    /// The address as the device tree states it, if it does.
    pub bus: Option<u64>,
    /// Size of its window in bytes.
    pub size: u64,
    /// Where its registers are.
    pub geometry: Geometry,
    /// Die strides as the device tree gives them, in the order of [`STRIDES`]; 0 where it does not.
    pub strides: [u32; 4],
}

/// The node of the controller: the one that drivers take, else any that is compatible.
pub(super) fn controller_node<'a>(tree: &Adt<'a>) -> Option<Node<'a>> {
    tree.node("/arm-io/aic")
        .or_else(|| tree.nodes().find(|node| generation_of(*node).is_some()))
}

fn generation_of(node: Node<'_>) -> Option<Generation> {
    GENERATIONS
        .iter()
        .find(|(name, _)| node.is_compatible(name))
        .map(|(_, generation)| *generation)
}

/// The controller before it was asked anything.
#[derive(Clone, Debug)]
pub struct Place {
    /// Physical address.
    pub base: u64,
    /// The address as the device tree states it, if it does.
    pub bus: Option<u64>,
    /// Size of its window; `None` if the device tree does not say.
    pub size: Option<u64>,
    /// Generation.
    pub generation: Generation,
    /// The number of lines, where the device tree says it (AICv1: 8 for every byte of `ipid-mask`).
    pub nr_irq: Option<u32>,
    /// Instead of what INFO3 says.
    max_irq: Option<u32>,
    event: u32,
    irq_cfg: u32,
    version: u32,
    info1: u32,
    info3: u32,
    config: u32,
    strides: [u32; 4],
}

impl Place {
    /// Finds the controller in a device tree.
    ///
    /// # Errors
    /// [`TargetError::NoNode`], [`TargetError::Generation`], [`TargetError::AicProperty`].
    pub fn from_tree(
        tree: &Adt<'_>,
        given: &Overrides,
        marks: &mut Vec<Mark>,
    ) -> Result<Self, TargetError> {
        let node = controller_node(tree).ok_or(TargetError::NoNode(
            "/arm-io/aic (no Apple interrupt controller)",
        ))?;
        if tree.node("/arm-io/aic") != Some(node) {
            let text = format!("/arm-io/aic is missing: {} is compatible", node_path(node));
            marks.push(Mark::inferred("aic", text));
        }
        let generation = generation_of(node).ok_or_else(|| {
            let found = node.compatible().collect::<Vec<_>>().join(" ");
            TargetError::Generation {
                found: printable(&found),
            }
        })?;
        let mut from = Properties { node, marks };
        let (base, bus, size) = from.window(given, generation)?;
        let mut place = Self {
            base,
            bus,
            size,
            generation,
            nr_irq: None,
            max_irq: given.max_irq,
            event: Geometry::V1_EVENT,
            irq_cfg: Geometry::V1_TARGET_CPU,
            version: 0,
            info1: 0x04,
            info3: 0x0c,
            config: 0x14,
            strides: [0; 4],
        };
        match generation {
            Generation::V1 => {
                let mask = node.property("ipid-mask").map(<[u8]>::len);
                let lines = mask.and_then(|len| u32::try_from(len * 8).ok());
                place.nr_irq = lines.filter(|n| (1..=Geometry::V1_MAX_IRQ).contains(n));
                if given.max_irq.is_some() {
                    let text = "--max-irq is not used: AICv1 always has room for 0x400 lines";
                    from.marks.push(Mark::note("aic.max_irq", text));
                }
                return Ok(place);
            }
            Generation::V2 => {
                place.irq_cfg = from.optional("extint-baseaddress", Geometry::V2_IRQ_CFG);
            }
            Generation::V3 => {
                place.info1 = from.expected("cap0-offset", 0x04);
                place.info3 = from.expected("maxnumirq-offset", 0x0c);
                place.irq_cfg = from.expected("extint-baseaddress", Geometry::V3_IRQ_CFG);
                place.config = from.expected("aicglbcfg-offset", 0x14);
            }
        }
        place.event = from.event()?;
        place.version = from.optional("rev-offset", 0);
        place.strides = STRIDES.map(|name| from.optional(name, 0));
        Ok(place)
    }

    /// The numbers of lines without asking the controller.
    #[must_use]
    pub fn offline(&self, nr_irq: u32, dies: u32) -> LineSpace {
        let max_irq = match (self.generation, self.max_irq) {
            (Generation::V1, _) => Geometry::V1_MAX_IRQ,
            (_, given) => given.unwrap_or(USUAL_MAX_IRQ),
        };
        LineSpace {
            nr_irq,
            max_irq,
            dies,
        }
    }

    /// Asks the controller for the number of its lines and dies.
    ///
    /// # Errors
    /// [`TargetError::Geometry`], [`TargetError::Overlap`], [`TargetError::Window`]; errors of the link.
    pub fn read(
        &self,
        registers: &mut dyn Registers,
        marks: &mut Vec<Mark>,
    ) -> Result<AicFacts, Error> {
        let info1 = Info1(registers.read32(self.base + u64::from(self.info1))?);
        let base = self.base;
        let geometry = match self.generation {
            Generation::V1 => self.v1(info1, marks),
            Generation::V2 | Generation::V3 => {
                let max_irq = self.read_max_irq(registers, marks)?;
                self.computed(info1, max_irq)
            }
        };
        geometry
            .check()
            .map_err(|why| TargetError::Geometry { base, why })?;
        self.mark_strides(&geometry, marks);
        if let Some(what) = overlap(&geometry) {
            return Err(TargetError::Overlap { base, what }.into());
        }
        let extent = geometry.extent();
        let window = self.size.unwrap_or(extent);
        if extent > window {
            return Err(TargetError::Window { extent, window }.into());
        }
        Ok(AicFacts {
            base,
            bus: self.bus,
            size: window,
            geometry,
            strides: self.strides,
        })
    }

    fn v1(&self, info1: Info1, marks: &mut Vec<Mark>) -> Geometry {
        let nr_irq = u32::from(info1.nr_irq());
        if let Some(tree) = self.nr_irq.filter(|n| *n != nr_irq) {
            let text = format!(
                "INFO says {nr_irq} lines, ipid-mask of the device tree {tree}: INFO is taken"
            );
            marks.push(Mark::note("aic.nr_irq", text));
        }
        Geometry::v1(nr_irq)
    }

    fn computed(&self, info1: Info1, max_irq: u32) -> Geometry {
        let (nr_irq, dies) = (u32::from(info1.nr_irq()), u32::from(info1.last_die()) + 1);
        let [cfg, set, clr, hw] = self.strides;
        match self.generation {
            Generation::V2 => Geometry::v2(nr_irq, max_irq, dies, self.event),
            _ => Geometry::v3(nr_irq, max_irq, dies, self.event),
        }
        .with_header(self.version, self.info1, self.info3, self.config)
        .with_irq_cfg(self.irq_cfg)
        .with_strides(cfg, set, clr, hw)
    }

    fn read_max_irq(
        &self,
        registers: &mut dyn Registers,
        marks: &mut Vec<Mark>,
    ) -> Result<u32, Error> {
        let info3 = registers.read32(self.base + u64::from(self.info3));
        Ok(match (self.max_irq, info3) {
            (Some(given), Ok(word)) if contradicts(Info3(word), given) => {
                let says = Info3(word).max_irq().into();
                return Err(TargetError::GivenMaxIrq { given, says }.into());
            }
            (Some(given), info3) => {
                let says = info3.map_or_else(
                    |e| e.to_string(),
                    |word| format!("INFO3 says {:#x}", Info3(word).max_irq()),
                );
                let text = format!("given with --max-irq; {says}");
                marks.push(Mark::inferred("aic.max_irq", text));
                given
            }
            (None, Err(e)) => return Err(e),
            (None, Ok(word)) if Info3(word).max_irq() == 0 => {
                let text =
                    format!("INFO3 reads 0: {USUAL_MAX_IRQ:#x} assumed (--max-irq N overrides)");
                marks.push(Mark::inferred("aic.max_irq", text));
                USUAL_MAX_IRQ
            }
            (None, Ok(word)) => u32::from(Info3(word).max_irq()),
        })
    }

    /// Says which strides were computed. On one die none is used, and trees of AICv2 never have them.
    fn mark_strides(&self, geometry: &Geometry, marks: &mut Vec<Mark>) {
        let used = geometry.dies > 1 || self.generation == Generation::V3;
        if !used || self.generation == Generation::V1 || !self.strides.contains(&0) {
            return;
        }
        let names = STRIDES.iter().zip(self.strides).filter(|(_, s)| *s == 0);
        let names: Vec<&str> = names.map(|(name, _)| *name).collect();
        let text = format!(
            "{} missing or 0 in the device tree: {:#x} computed from max_irq{}",
            names.join(", "),
            geometry.computed_stride(),
            if geometry.dies > 1 {
                ""
            } else {
                " (not used on one die)"
            }
        );
        marks.push(Mark::inferred("aic.strides", text));
    }
}

/// Whether INFO3 says something else than the user.
fn contradicts(info3: Info3, given: u32) -> bool {
    let says = u32::from(info3.max_irq());
    says != 0 && says != given
}

/// Properties that give the die strides of IRQ_CFG, SW_SET and MASK_SET, SW_CLR and MASK_CLR, HW_STATE.
pub const STRIDES: [&str; 4] = [
    "extintrcfg-stride",
    "intmaskset-stride",
    "intmaskclear-stride",
    "hwintmon-stride",
];

/// The controller's properties, and where to say what is wrong with them.
struct Properties<'t, 'm> {
    node: Node<'t>,
    marks: &'m mut Vec<Mark>,
}

impl Properties<'_, '_> {
    /// Address, bus address and size.
    fn window(
        &mut self,
        given: &Overrides,
        generation: Generation,
    ) -> Result<(u64, Option<u64>, Option<u64>), TargetError> {
        let reg = self.node.reg(0);
        let bus = reg.map(|r| r.bus);
        let mut size = reg.map(|r| r.size);
        if generation == Generation::V1
            && let Some(small) = size.filter(|size| *size < V1_WINDOW)
        {
            let text = format!(
                "the device tree gives {small:#x} bytes, EVENT lies outside: {V1_WINDOW:#x} assumed"
            );
            self.marks.push(Mark::inferred("aic.window", text));
            size = Some(V1_WINDOW);
        }
        let base = match (given.aic_base, reg) {
            (Some(base), reg) => {
                let tree = reg.map_or_else(
                    || "does not say".to_owned(),
                    |r| format!("says {:#x}", r.phys),
                );
                let text = format!("given with --aic-base; the device tree {tree}");
                self.marks.push(Mark::inferred("aic.base", text));
                base
            }
            (None, Some(r)) => {
                if !r.translated {
                    let why = match r.too_many_ranges {
                        true => "are too many to look through for",
                        false => "do not hold",
                    };
                    let text = format!("the ranges above {why} {:#x}: taken as it is", r.bus);
                    self.marks.push(Mark::inferred("aic.base", text));
                }
                r.phys
            }
            (None, None) => {
                return Err(bad("reg", "missing (--aic-base ADDR gives the address)"));
            }
        };
        Ok((base, bus, size))
    }

    /// Offset of EVENT: no driver goes on without it.
    fn event(&mut self) -> Result<u32, TargetError> {
        let name = "aic-iack-offset";
        let found = self.node.find(name);
        let event = found
            .and_then(|p| p.uint())
            .and_then(|value| u32::try_from(value).ok())
            .ok_or_else(|| bad(name, "missing or no number of 32 bits"))?;
        if let Some(size) = found.map(|p| p.value.len()).filter(|size| *size != 8) {
            let text = format!("{name} has {size} bytes instead of 8: its {event:#x} is taken");
            self.marks.push(Mark::inferred("aic.event", text));
        }
        Ok(event)
    }

    /// An offset of AICv3 that every tree seen gives, and the value that all of them give.
    fn expected(&mut self, name: &'static str, usual: u32) -> u32 {
        self.node.u32(name).unwrap_or_else(|| {
            let what = format!("{name} is missing or of a wrong size: {usual:#x} assumed");
            self.marks.push(Mark::inferred("aic", what));
            usual
        })
    }

    /// A word that a tree may leave out; one of another size counts as left out, as drivers take it, and is told.
    fn optional(&mut self, name: &'static str, usual: u32) -> u32 {
        let found = self.node.find(name);
        if let Some(size) = found.map(|p| p.value.len()).filter(|size| *size != 4) {
            let what = format!("{name} has {size} bytes instead of 4: taken as missing");
            self.marks.push(Mark::inferred("aic", what));
        }
        found.and_then(|p| p.u32()).unwrap_or(usual)
    }
}

fn bad(property: &'static str, what: &str) -> TargetError {
    TargetError::AicProperty {
        property,
        what: what.to_owned(),
    }
}
