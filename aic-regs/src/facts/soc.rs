// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which controller each SoC has, and where.

use super::Source;
use crate::aic::{Generation, Geometry};

/// The interrupt controller of a SoC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Controller {
    /// The SoC.
    pub soc: &'static str,
    /// SoCs whose controller is the same.
    pub also: &'static [&'static str],
    /// Its generation.
    pub generation: Generation,
    /// Physical address of its first register.
    pub base: u64,
    /// Bytes of the window that drivers map from there on; EVENT may lie right behind it, in a window of its own.
    pub window: u32,
    /// Byte offset of EVENT.
    pub event: u32,
    /// Lines per die, where somebody has told what the controller says.
    pub nr_irq: Option<u32>,
    /// Dies.
    pub dies: u32,
    /// Who says so. Lines are as a machine's log or its device tree has them.
    pub source: Source,
}

impl Controller {
    /// Its layout. All of AICv2 and AICv3 seen have room for 4096 lines per die; where the number of lines is unknown, it is
    /// taken for that room.
    pub const fn geometry(&self) -> Geometry {
        let max_irq = match self.generation {
            Generation::V1 => Geometry::V1_MAX_IRQ,
            Generation::V2 | Generation::V3 => 0x1000,
        };
        let nr_irq = match self.nr_irq {
            Some(nr_irq) => nr_irq,
            None => max_irq,
        };
        match self.generation {
            Generation::V1 => Geometry::v1(nr_irq),
            Generation::V2 => Geometry::v2(nr_irq, max_irq, self.dies, self.event),
            Generation::V3 => Geometry::v3(nr_irq, max_irq, self.dies, self.event),
        }
    }

    /// The controller of the SoC called `name`, in any case.
    pub fn of(name: &str) -> Option<&'static Self> {
        CONTROLLERS.iter().find(|controller| {
            let names = core::iter::once(controller.soc).chain(controller.also.iter().copied());
            names
                .into_iter()
                .any(|known| known.eq_ignore_ascii_case(name))
        })
    }
}

const fn controller(
    soc: &'static str,
    also: &'static [&'static str],
    generation: Generation,
    (base, window, event): (u64, u32, u32),
    (nr_irq, dies): (Option<u32>, u32),
) -> Controller {
    Controller {
        soc,
        also,
        generation,
        base,
        window,
        event,
        nr_irq,
        dies,
        source: Source::Driver,
    }
}

/// The controllers whose place is published, oldest generation first. Places are those of Linux device trees.
pub const CONTROLLERS: &[Controller] = {
    use Generation::{V1, V2, V3};
    &[
        controller(
            "T8010",
            &["T8011", "T8012"],
            V1,
            (0x2_0e10_0000, 0x10_0000, 0x2004),
            (None, 1),
        ),
        controller(
            "T8015",
            &[],
            V1,
            (0x2_3210_0000, 0x8000, 0x2004),
            (Some(384), 1),
        ),
        controller(
            "T8103",
            &[],
            V1,
            (0x2_3b10_0000, 0x8000, 0x2004),
            (Some(896), 1),
        ),
        controller("T8112", &[], V2, (0x2_3b0c_0000, 0x8000, 0x8000), (None, 1)),
        controller(
            "T6000",
            &["T6001"],
            V2,
            (0x2_8e10_0000, 0xc000, 0xc000),
            (Some(1806), 1),
        ),
        controller("T6002", &[], V2, (0x2_8e10_0000, 0xc000, 0xc000), (None, 2)),
        controller(
            "T6020",
            &["T6021"],
            V2,
            (0x2_8e10_0000, 0xc000, 0xc000),
            (Some(1961), 1),
        ),
        controller("T6022", &[], V2, (0x2_8e10_0000, 0xc000, 0xc000), (None, 2)),
        controller(
            "T8122",
            &[],
            V3,
            (0x2_d100_0000, 0x18_4000, 0x4_0000),
            (None, 1),
        ),
        controller(
            "T6030",
            &[],
            V3,
            (0x3_5100_0000, 0x18_4000, 0x4_0000),
            (None, 1),
        ),
        controller(
            "T6031",
            &[],
            V3,
            (0x2_9240_0000, 0x1c_c000, 0x4_0000),
            (None, 1),
        ),
        controller(
            "T6032",
            &[],
            V3,
            (0x2_9240_0000, 0x1c_c000, 0x4_0000),
            (None, 2),
        ),
        controller(
            "T8132",
            &[],
            V3,
            (0x3_8100_0000, 0x1c_c000, 0x4_0000),
            (Some(2048), 1),
        ),
        controller(
            "T6040",
            &[],
            V3,
            (0x5_0240_0000, 0x1c_c000, 0x4_0000),
            (None, 1),
        ),
        controller(
            "T8140",
            &[],
            V3,
            (0x3_0100_0000, 0x1c_c000, 0x4_0000),
            (Some(1504), 1),
        ),
        controller(
            "T8142",
            &[],
            V3,
            (0x3_8100_0000, 0x1c_c000, 0x4_0000),
            (Some(2400), 1),
        ),
        controller(
            "T8152",
            &[],
            V3,
            (0x3_0100_0000, 0x1c_c000, 0x4_0000),
            (None, 1),
        ),
        controller(
            "T6050",
            &[],
            V3,
            (0x2_8040_0000, 0x1c_c000, 0x4_0000),
            (Some(3104), 1),
        ),
    ]
};
