// SPDX-License-Identifier: MIT OR Apache-2.0
//! Offsets that are the same on every SoC of a generation.

use super::Geometry;

impl Geometry {
    /// CAP1 of AICv1.
    pub const V1_CAP1: u32 = 0x08;
    /// RST of AICv1.
    pub const V1_RST: u32 = 0x0c;
    /// GLB_CFG of AICv1.
    pub const V1_GLB_CFG: u32 = 0x10;
    /// AICv1: the block of the reading CPU, laid out as each of [`Geometry::V1_VIEWS`].
    pub const V1_SELF: u32 = 0x2000;
    /// EVENT of AICv1.
    pub const V1_EVENT: u32 = Self::V1_SELF + Self::VIEW_EVENT;
    /// TARGET_CPU of AICv1.
    pub const V1_TARGET_CPU: u32 = 0x3000;
    /// AICv1: CPU 0's view of its block; the others follow at [`Geometry::VIEW_STRIDE`].
    pub const V1_VIEWS: u32 = 0x5000;
    /// Byte stride from one CPU's view to the next.
    pub const VIEW_STRIDE: u32 = 0x80;
    /// First byte after the last view.
    pub const V1_VIEWS_END: u32 = Self::V1_VIEWS + Self::V1_MAX_CPUS * Self::VIEW_STRIDE;
    /// WHOAMI in a CPU's block.
    pub const VIEW_WHOAMI: u32 = 0x00;
    /// EVENT in a CPU's block.
    pub const VIEW_EVENT: u32 = 0x04;
    /// IPI_SET in a CPU's block; in the block of the reading CPU it is IPI_SEND.
    pub const VIEW_IPI_SET: u32 = 0x08;
    /// IPI_CLR in a CPU's block; in the block of the reading CPU it is IPI_ACK.
    pub const VIEW_IPI_CLR: u32 = 0x0c;
    /// IPI_MASK_SET in a CPU's block.
    pub const VIEW_IPI_MASK_SET: u32 = 0x24;
    /// IPI_MASK_CLR in a CPU's block.
    pub const VIEW_IPI_MASK_CLR: u32 = 0x28;
    /// IPI_DEFER_SET in the block of the reading CPU, known from emulators only.
    pub const VIEW_IPI_DEFER_SET: u32 = 0x2c;
    /// IPI_DEFER_CLR in the block of the reading CPU, known from emulators only.
    pub const VIEW_IPI_DEFER_CLR: u32 = 0x30;
    /// Lines that the layout of AICv1 has room for.
    pub const V1_MAX_IRQ: u32 = 0x400;
    /// CPUs that IPI_SEND can name: its bit 31 means the sender itself.
    pub const V1_MAX_CPUS: u32 = 31;
    /// INFO2 of AICv2 and AICv3.
    pub const INFO2: u32 = 0x08;
    /// RESET of AICv2 and AICv3.
    pub const RESET: u32 = 0x10;
    /// TIMEOUT of AICv2 and AICv3.
    pub const TIMEOUT: u32 = 0x28;
    /// CLUSTER_PRIO of AICv2 and AICv3.
    pub const CLUSTER_PRIO: u32 = 0x30;
    /// A counter of AICv2 and AICv3.
    pub const COUNTER: u32 = 0x3c;
    /// DELAY_GROUPS of AICv2 and AICv3.
    pub const DELAY_GROUPS: u32 = 0x100;
    /// LATENCY of AICv2 and AICv3.
    pub const LATENCY: u32 = 0x204;
    /// Idle clusters of AICv2 and AICv3.
    pub const IDLE_CLUSTERS: u32 = 0x340;
    /// Timestamps of AICv2 and AICv3.
    pub const TIMESTAMPS: u32 = 0x1800;
    /// IRQ_CFG of AICv2 when the device tree does not say otherwise.
    pub const V2_IRQ_CFG: u32 = 0x2000;
    /// IRQ_CFG of AICv3 on every SoC seen.
    pub const V3_IRQ_CFG: u32 = 0x10000;
    /// EVENT of AICv3 on every SoC seen.
    pub const V3_EVENT: u32 = 0x40000;
    /// Most lines per die that the 16-bit field of INFO3 and of the event word can number, in whole words.
    pub const MAX_MAX_IRQ: u32 = 0xffe0;
    /// Most dies that the 4-bit field of INFO1 can count.
    pub const MAX_DIES: u32 = 16;
}
