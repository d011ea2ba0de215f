//! Wrong controllers: what a probe has to find.

use serde::Deserialize;

/// Departures of the interrupt controller from its rules; all off by default. Losing and doubling triggers, false interrupts and
/// registers that stick are in `faults`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DefectModel {
    /// SW_SET of a masked line is forgotten (drivers rely on it being remembered).
    pub forgets_masked: bool,
    /// SW_CLR drops a hardware level too.
    pub clear_drops_level: bool,
    /// A line whose MASK_SET was written between EVENT and MASK_CLR stays masked for good.
    pub eoi_lost: bool,
    /// Every n-th MASK_CLR after an EVENT does not unmask; 0 = never.
    pub mask_leak_every: u64,
    /// Version 1: a pending line whose target is changed is lost.
    pub drops_on_retarget: bool,
    /// Every n-th line that becomes deliverable is never offered; 0 = none.
    pub lose_delivery_every: u64,
    /// Every n-th fast IPI that would reach a CPU is never delivered; 0 = none.
    pub lose_ipi_every: u64,
    /// The interrupt inputs of these two CPUs (device-tree ids) are exchanged. Not on version 1.
    pub swap_cpus: Option<[u32; 2]>,
    /// A field whose class is "never" counts as "normal". Not on version 1.
    pub ignores_never: bool,
    /// A CPU that masks interrupts is not shown one: its input stays low until it unmasks. Not on version 1.
    pub hides_from_masked: bool,
    /// A line is delivered whatever its TARGET says. Not on version 1.
    pub target_ignored: bool,
    /// Lines with TARGET 1 to 15 are delivered, those with 0 are not. Not on version 1.
    pub target_inverted: bool,
    /// Interrupts are delivered while CONFIG.ENABLE is 0, and are not while it is 1. Not on version 1.
    pub enable_inverted: bool,
    /// A masked CPU keeps an interrupt that long, in ms, before it moves, whatever `siq.move_after_ns` says; 0 = off.
    pub move_after_ms: u64,
}
