//! One core's state and its owner's view of it.

use super::bus::SysReg;

/// What a core is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoreState {
    /// Not started.
    #[default]
    Off,
    /// Stopped by a host call (or by its owner) until the owner sets it running.
    Parked,
    /// Executing instructions.
    Running,
    /// Waiting for an event.
    Wfe,
    /// Waiting for an interrupt.
    Wfi,
}

/// What differs between cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreConfig {
    /// MPIDR_EL1, whole.
    pub mpidr: u64,
    /// MIDR_EL1, whole.
    pub midr: u64,
    /// LSE atomics exist; otherwise they are UNDEFINED and ID_AA64ISAR0_EL1.Atomic is 0.
    pub lse: bool,
    /// The timer event stream wakes WFE; otherwise EVNTEN has no effect.
    pub has_event_stream: bool,
    /// x0-x30 read as zero after a WFI that really waited (seen by third parties on M4 and M5).
    pub wfi_loses_gprs: bool,
}

impl Default for CoreConfig {
    fn default() -> Self {
        CoreConfig {
            mpidr: 0x8000_0000,
            midr: 0x610f_0000,
            lse: true,
            has_event_stream: true,
            wfi_loses_gprs: false,
        }
    }
}

/// One A64 core.
pub struct Core {
    regs: [u64; 256],
    pc: u64,
    state: CoreState,
    insns: u64,
}

impl Core {
    pub(crate) fn new(_cfg: &CoreConfig) -> Self {
        Core {
            regs: [0; 256],
            pc: 0,
            state: CoreState::Off,
            insns: 0,
        }
    }

    /// General register `n` (0-30); 31 and above read as zero.
    pub fn x(&self, n: u8) -> u64 {
        if n < 31 { self.regs[n as usize] } else { 0 }
    }

    /// Sets general register `n` (0-30); writes to 31 and above are dropped.
    pub fn set_x(&mut self, n: u8, value: u64) {
        if n < 31 {
            self.regs[n as usize] = value;
        }
    }

    /// Address of the next instruction.
    pub fn pc(&self) -> u64 {
        self.pc
    }

    /// Sets the address of the next instruction.
    pub fn set_pc(&mut self, pc: u64) {
        self.pc = pc;
    }

    /// What the core is doing.
    pub fn state(&self) -> CoreState {
        self.state
    }

    /// Starts, parks or stops the core.
    pub fn set_state(&mut self, state: CoreState) {
        self.state = state;
    }

    /// Instructions executed since power-on.
    pub fn insns(&self) -> u64 {
        self.insns
    }

    /// The stack pointer in use.
    pub fn sp(&self) -> u64 {
        todo!()
    }

    /// Sets the stack pointer in use.
    pub fn set_sp(&mut self, _value: u64) {
        todo!()
    }

    /// SP_ELn, `el` 0-2.
    pub fn sp_el(&self, _el: u8) -> u64 {
        todo!()
    }

    /// Sets SP_ELn, `el` 0-2.
    pub fn set_sp_el(&mut self, _el: u8, _value: u64) {
        todo!()
    }

    /// Current exception level.
    pub fn el(&self) -> u8 {
        todo!()
    }

    /// PSTATE in the layout of SPSR_ELx.
    pub fn pstate(&self) -> u64 {
        todo!()
    }

    /// Sets PSTATE from the layout of SPSR_ELx (AArch64 modes of EL0-EL2 only).
    pub fn set_pstate(&mut self, _spsr: u64) {
        todo!()
    }

    /// The DAIF bits in the layout of the DAIF register (bits 9:6).
    pub fn daif(&self) -> u64 {
        todo!()
    }

    /// Sets the DAIF bits (bits 9:6 of `value`).
    pub fn set_daif(&mut self, _value: u64) {
        todo!()
    }

    /// N, Z, C, V in bits 3:0.
    pub fn nzcv(&self) -> u8 {
        todo!()
    }

    /// Sets N, Z, C, V from bits 3:0.
    pub fn set_nzcv(&mut self, _nzcv: u8) {
        todo!()
    }

    /// An architectural system register by its own encoding (no VHE redirection, no side effects);
    /// `None` if this core does not have it, or it belongs to the bus.
    pub fn sysreg(&self, _reg: SysReg) -> Option<u64> {
        todo!()
    }

    /// Sets an architectural system register by its own encoding; false if there is none or it is read-only.
    pub fn set_sysreg(&mut self, _reg: SysReg, _value: u64) -> bool {
        todo!()
    }

    /// True if the physical IRQ input was high when the machine last looked.
    pub fn irq_line(&self) -> bool {
        todo!()
    }

    /// True if the physical FIQ input (timers included) was high when the machine last looked.
    pub fn fiq_line(&self) -> bool {
        todo!()
    }

    /// Puts the core into its reset state at `entry` (physical address, MMU off) in `el`, with `x0`, and starts it.
    pub fn reset(&mut self, _entry: u64, _el: u8, _x0: u64) {
        todo!()
    }
}
