//! Counts of a run, taken from outside the firmware.

use crate::cpu::Core;
use crate::machine::Machine;
use crate::soc::SocBus;

/// What happened since power-on, seen from outside the guest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunStats {
    /// Instructions executed by every CPU, by logical id.
    pub insns: Vec<u64>,
    /// Software triggers: bits of SW_SET that went from 0 to 1.
    pub triggers: u64,
    /// EVENT reads that took an interrupt, by the CPU that read.
    pub taken: Vec<u64>,
    /// EVENT reads that gave 0, by the CPU that read.
    pub empty_events: Vec<u64>,
    /// Interrupts that the loader's own handler took away (also counted in `taken`).
    pub loader_took: u64,
    /// Fast IPIs sent by writes to the request registers.
    pub ipis: u64,
    /// Fast IPIs that came while one was already pending on the target.
    pub ipis_merged: u64,
    /// AIC 1: IPIs sent by IPI_SEND, one for every CPU that a write names.
    pub aic_ipis: u64,
    /// Of these, those that came while one was already pending on the target.
    pub aic_ipis_merged: u64,
    /// Loader requests answered.
    pub requests: u64,
    /// Exceptions that the loader's guard recovered from.
    pub guarded_exceptions: u64,
}

impl RunStats {
    /// What the machine itself counts.
    pub(crate) fn of(machine: &Machine<SocBus>) -> Self {
        let bus = &machine.bus;
        let (ipis, ipis_merged) = bus.ipis();
        let (aic_ipis, aic_ipis_merged) = bus.aic.ipi_counts();
        Self {
            insns: machine.cores.iter().map(Core::insns).collect(),
            triggers: bus.aic.triggers(),
            taken: bus.taken.clone(),
            empty_events: bus.empty_events.clone(),
            loader_took: bus.loader_took,
            ipis,
            ipis_merged,
            aic_ipis,
            aic_ipis_merged,
            requests: 0,
            guarded_exceptions: 0,
        }
    }

    /// Instructions executed by all CPUs.
    #[must_use]
    pub fn total_insns(&self) -> u64 {
        self.insns.iter().sum()
    }
}
