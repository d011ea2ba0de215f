//! Wrong controllers: what a probe has to find.

use serde::Deserialize;

/// Whether a CPU outside the boot CPU's cluster gets the lines that it sets by software itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FirerTakes {
    /// If its field does not say "never".
    Accepting,
    /// Whatever its field says.
    Always,
}

/// Lines that go to one CPU whatever the fields say: those of `die` (absent: of every die) whose number leaves `rest` when it is divided
/// by `every`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrayLines {
    /// Die, from 0; every die if absent.
    pub die: Option<u32>,
    /// 1 = all numbers, 2 = every other one.
    pub every: u32,
    /// Below `every`.
    #[serde(default)]
    pub rest: u32,
    /// Who gets them (device-tree id).
    pub cpu: u32,
}

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
    /// Every n-th line that becomes deliverable reaches a CPU `late_us` later; 0 = none. Not on version 1, like all that follow up to
    /// `event_sets_cfg`.
    pub late_every: u64,
    /// See `late_every`, in microseconds.
    pub late_us: u64,
    /// Every n-th line that becomes deliverable goes to a CPU whose class is "never", from the seed, if there is one; 0 = none.
    pub stray_every: u64,
    /// Lines that go to one CPU whatever the fields say.
    pub stray_lines: Vec<StrayLines>,
    /// A CPU outside the boot CPU's cluster gets the lines that it sets by software itself.
    pub firer_takes: Option<FirerTakes>,
    /// For a line that the boot CPU sets by software, "preferred" counts as "normal".
    pub boot_prefers_nobody: bool,
    /// An interrupt that waits that long, in ms, for CPUs that all mask it moves to any other one, whatever its field says; 0 = off.
    pub sole_moves_after_ms: u64,
    /// A CPU from which an interrupt moved because it was masked is asked again only that long, in ms, after it unmasked, unless nobody
    /// else accepts; 0 = off.
    pub restores_late_ms: u64,
    /// An interrupt that finds nobody who accepts is lost.
    pub drops_unwanted: bool,
    /// Every n-th interrupt that would move away from a masked CPU is lost; 0 = none.
    pub lose_move_every: u64,
    /// After every n-th EVENT that takes a line the other line of its pair (number with bit 0 inverted) comes, too; 0 = none.
    pub stray_event_every: u64,
    /// With every n-th EVENT that takes a line SIQ_CFG of every CPU becomes what it was found with; 0 = never.
    pub siq_drift_every: u64,
    /// MASK_SET does not keep a line from being delivered; EVENT's own masking does.
    pub ignores_line_mask: bool,
    /// Bits of CONFIG that cannot be cleared once they are set.
    pub config_sticky: u32,
    /// Bits that EVENT sets in IRQ_CFG of the line that it takes, and that no write clears.
    pub event_sets_cfg: u32,
    /// What INFO1 claims NR_IRQ to be, if not `aic.nr_irq`.
    pub info_nr_irq: Option<u32>,
    /// What INFO1 claims the number of dies to be, if not `aic.dies`.
    pub info_dies: Option<u32>,
    /// Bits of SIQ_CFG that every write of it inverts, beside those that it writes.
    pub siq_write_flips: u64,
    /// Bits of SIQ_CFG that every write of it sets for good, beside those that it writes.
    pub siq_write_sets: u64,
    /// What the first of these CPUs (device-tree ids) writes to its SIQ_CFG is written to the second one's, too.
    pub siq_spills: Option<[u32; 2]>,
    /// A CPU whose field is 3 gets no FIQ either: no fast IPI, no timer.
    pub fiq_needs_field: bool,
}
