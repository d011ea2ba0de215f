//! The interrupt controller: from the device tree where it is, from itself how large it is.
//!
//! Properties, sizes and fallbacks: third party (m1n1 `src/aic.c`). The VERSION register is not asked: the generation is
//! what `compatible` says.

use adt::{Adt, Node};
use aic_regs::aic::{Generation, Geometry, Info1, Info3};

use crate::error::Error;
use crate::proxy::Proxy;
use crate::result::Mark;

use super::{Overrides, TargetError};

/// MAX_IRQ where INFO3 reads 0 (every controller seen has it).
const USUAL_MAX_IRQ: u32 = 0x1000;

/// The controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AicFacts {
    /// Physical address.
    pub base: u64,
    /// Size of its window in bytes.
    pub size: u64,
    /// Where its registers are.
    pub geometry: Geometry,
}

/// The controller before it was asked anything.
pub(super) struct Place {
    base: u64,
    /// `None` if the device tree does not say.
    size: Option<u64>,
    /// Instead of what INFO3 says.
    max_irq: Option<u32>,
    generation: Generation,
    event: u32,
    irq_cfg: u32,
    version: u32,
    info1: u32,
    info3: u32,
    config: u32,
    strides: [u32; 4],
}

impl Place {
    pub(super) fn from_tree(
        tree: &Adt<'_>,
        given: &Overrides,
        marks: &mut Vec<Mark>,
    ) -> Result<Self, TargetError> {
        let node = tree.node("/arm-io/aic").ok_or(TargetError::NoNode(
            "/arm-io/aic (no Apple interrupt controller)",
        ))?;
        let generation = if node.is_compatible("aic,2") {
            Generation::V2
        } else if node.is_compatible("aic,3") {
            Generation::V3
        } else {
            let found = node.compatible().collect::<Vec<_>>().join(" ");
            return Err(TargetError::Generation { found });
        };
        let bad = |property, what: &str| TargetError::AicProperty {
            property,
            what: what.to_owned(),
        };
        let reg = node.reg(0).map(|r| (r.phys, r.size));
        let (base, size) = match (given.aic_base, reg) {
            (Some(base), reg) => {
                let tree = reg.map_or_else(
                    || "does not say".to_owned(),
                    |(phys, _)| format!("says {phys:#x}"),
                );
                let text = format!("given with --aic-base; the device tree {tree}");
                marks.push(Mark::inferred("aic.base", text));
                (base, reg.map(|(_, size)| size))
            }
            (None, Some((phys, size))) => (phys, Some(size)),
            (None, None) => return Err(bad("reg", "missing (--aic-base ADDR gives the address)")),
        };
        let event = node
            .uint("aic-iack-offset")
            .and_then(|v| u32::try_from(v).ok())
            .ok_or_else(|| bad("aic-iack-offset", "missing or no number of 32 bits"))?;
        let mut offset = |property, usual| offset(node, property, usual, marks);
        let (info1, info3, irq_cfg) = if generation == Generation::V2 {
            let irq_cfg = node
                .u32("extint-baseaddress")
                .unwrap_or(Geometry::V2_IRQ_CFG);
            (0x04, 0x0c, irq_cfg)
        } else {
            (
                offset("cap0-offset", 0x04),
                offset("maxnumirq-offset", 0x0c),
                offset("extint-baseaddress", Geometry::V3_IRQ_CFG),
            )
        };
        let config = match generation {
            Generation::V3 => offset("aicglbcfg-offset", 0x14),
            _ => 0x14,
        };
        let stride = |property| node.u32(property).unwrap_or(0);
        Ok(Self {
            base,
            size,
            max_irq: given.max_irq,
            generation,
            event,
            irq_cfg,
            version: node.u32("rev-offset").unwrap_or(0),
            info1,
            info3,
            config,
            strides: [
                stride("extintrcfg-stride"),
                stride("intmaskset-stride"),
                stride("intmaskclear-stride"),
                stride("hwintmon-stride"),
            ],
        })
    }

    /// Asks the controller for the number of its lines and dies.
    pub(super) fn read(
        &self,
        proxy: &mut Proxy<'_>,
        marks: &mut Vec<Mark>,
    ) -> Result<AicFacts, Error> {
        let info1 = Info1(proxy.read32(self.base + u64::from(self.info1))?);
        let info3 = proxy.read32(self.base + u64::from(self.info3));
        let max_irq = match (self.max_irq, info3) {
            (Some(given), info3) => {
                let says = info3.map_or_else(
                    |e| e.to_string(),
                    |word| format!("INFO3 says {:#x}", Info3(word).max_irq()),
                );
                let text = format!("given with --max-irq; {says}");
                marks.push(Mark::inferred("aic.max_irq", text));
                given
            }
            (None, Err(e)) => return Err(e.into()),
            (None, Ok(word)) if Info3(word).max_irq() == 0 => {
                let text =
                    format!("INFO3 reads 0: {USUAL_MAX_IRQ:#x} assumed (--max-irq N overrides)");
                marks.push(Mark::inferred("aic.max_irq", text));
                USUAL_MAX_IRQ
            }
            (None, Ok(word)) => u32::from(Info3(word).max_irq()),
        };
        let (nr_irq, dies) = (u32::from(info1.nr_irq()), u32::from(info1.last_die()) + 1);
        let [cfg, set, clr, hw] = self.strides;
        let geometry = match self.generation {
            Generation::V2 => Geometry::v2(nr_irq, max_irq, dies, self.event),
            _ => Geometry::v3(nr_irq, max_irq, dies, self.event),
        }
        .with_header(self.version, self.info1, self.info3, self.config)
        .with_irq_cfg(self.irq_cfg)
        .with_strides(cfg, set, clr, hw);
        let base = self.base;
        geometry
            .check()
            .map_err(|why| TargetError::Geometry { base, why })?;
        if dies > 1 && self.strides.contains(&0) {
            let what = "a die stride is missing or 0 in the device tree: computed from max_irq";
            marks.push(Mark::inferred("aic", what));
        }
        let extent = geometry.extent();
        let window = self.size.unwrap_or(extent);
        if extent > window {
            return Err(TargetError::Window { extent, window }.into());
        }
        Ok(AicFacts {
            base,
            size: window,
            geometry,
        })
    }
}

/// An offset of AICv3 that every tree seen gives, and the value that all of them give.
fn offset(node: Node<'_>, property: &'static str, usual: u32, marks: &mut Vec<Mark>) -> u32 {
    node.u32(property).unwrap_or_else(|| {
        let what = format!("{property} is missing or of a wrong size: {usual:#x} assumed");
        marks.push(Mark::inferred("aic", what));
        usual
    })
}
