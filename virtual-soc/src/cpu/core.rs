//! One core's state and its owner's view of it.

use super::bus::{SysReg, Time};
use super::insn::SP;
use super::sysreg::{self, COUNT, R};
use super::tlb::{CodeTlb, DataTlb};

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
    /// x0-x30 read as zero after a WFI that really waited (third party: seen on M4 and M5).
    pub wfi_loses_gprs: bool,
    /// FEAT_WFxT: WFET and WFIT exist; otherwise they are UNDEFINED.
    pub wfxt: bool,
    /// x0-x30 read as zero after a WFIT that really waited (third party: M5).
    pub wfit_loses_gprs: bool,
}

impl Default for CoreConfig {
    fn default() -> Self {
        CoreConfig {
            mpidr: 0x8000_0000,
            midr: 0x610f_0000,
            lse: true,
            has_event_stream: true,
            wfi_loses_gprs: false,
            wfxt: false,
            wfit_loses_gprs: false,
        }
    }
}

/// PSTATE bits in the layout of SPSR_ELx and of the registers DAIF, NZCV.
pub(crate) mod psr {
    pub const PAN: u64 = 1 << 22;
    pub const IL: u64 = 1 << 20;
    pub const D: u64 = 1 << 9;
    pub const A: u64 = 1 << 8;
    pub const I: u64 = 1 << 7;
    pub const F: u64 = 1 << 6;
    pub const DAIF: u64 = D | A | I | F;
}

/// One A64 core.
pub struct Core {
    /// x0-x30, SP in use, zero, sink for writes to the zero register. Sized so that no `u8` is out of range.
    pub(crate) regs: [u64; 256],
    pub(crate) pc: u64,
    /// N, Z, C, V in bits 3:0.
    pub(crate) nzcv: u32,
    pub(crate) el: u8,
    /// PSTATE.SP: SP_ELx is in use, not SP_EL0.
    pub(crate) sp_sel: bool,
    pub(crate) pan: bool,
    /// PSTATE.IL.
    pub(crate) il: bool,
    /// D, A, I, F in bits 9:6.
    pub(crate) daif: u64,
    pub(crate) state: CoreState,
    pub(crate) insns: u64,
    /// Levels of the interrupt inputs, as last read from the bus.
    pub(crate) irq_in: bool,
    pub(crate) fiq_in: bool,
    /// The timers' contribution to FIQ.
    pub(crate) timer_fiq: bool,
    /// A timer register was written since the timers were evaluated.
    pub(crate) timers_changed: bool,
    /// When `timer_fiq` will next rise.
    pub(crate) timer_due: Time,
    /// CNTPCT when the event stream was last looked at.
    pub(crate) stream_seen: u64,
    /// When a core in WFE is woken by the event stream.
    pub(crate) stream_wake: Time,
    /// When a WFET or WFIT gives up waiting.
    pub(crate) wait_limit: Time,
    /// The wait under way is that of WFET or WFIT.
    pub(crate) timed_wait: bool,
    /// A pending SError's syndrome.
    pub(crate) serror: Option<u64>,
    /// Of [`crate::mem::Ram`], when the TLBs were last emptied.
    pub(crate) epoch: u64,
    pub(crate) reads: DataTlb,
    pub(crate) writes: DataTlb,
    pub(crate) codes: CodeTlb,
    /// SP_EL0, SP_EL1, SP_EL2; stale for the one in use.
    sp_bank: [u64; 3],
    sys: [u64; COUNT],
    pub(crate) cfg: CoreConfig,
}

impl Core {
    pub(crate) fn new(cfg: &CoreConfig) -> Self {
        Core {
            regs: [0; 256],
            pc: 0,
            nzcv: 0,
            el: 2,
            sp_sel: true,
            pan: false,
            il: false,
            daif: psr::DAIF,
            state: CoreState::Off,
            insns: 0,
            irq_in: false,
            fiq_in: false,
            timer_fiq: false,
            timers_changed: true,
            timer_due: Time::MAX,
            stream_seen: 0,
            stream_wake: Time::MAX,
            wait_limit: Time::MAX,
            timed_wait: false,
            serror: None,
            epoch: 0,
            reads: DataTlb::new(),
            writes: DataTlb::new(),
            codes: CodeTlb::new(),
            sp_bank: [0; 3],
            sys: R::reset_all(),
            cfg: cfg.clone(),
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

    /// What the core was made from.
    pub fn config(&self) -> &CoreConfig {
        &self.cfg
    }

    /// Instructions executed since power-on (those that took an exception included).
    pub fn insns(&self) -> u64 {
        self.insns
    }

    /// The stack pointer in use.
    pub fn sp(&self) -> u64 {
        self.regs[SP as usize]
    }

    /// Sets the stack pointer in use.
    pub fn set_sp(&mut self, value: u64) {
        self.regs[SP as usize] = value;
    }

    fn sp_in_use(&self) -> usize {
        if self.sp_sel { self.el as usize } else { 0 }
    }

    /// SP_ELn, `el` 0-2.
    ///
    /// # Panics
    /// If `el` is above 2.
    pub fn sp_el(&self, el: u8) -> u64 {
        if el as usize == self.sp_in_use() {
            self.sp()
        } else {
            self.sp_bank[el as usize]
        }
    }

    /// Sets SP_ELn, `el` 0-2.
    ///
    /// # Panics
    /// If `el` is above 2.
    pub fn set_sp_el(&mut self, el: u8, value: u64) {
        if el as usize == self.sp_in_use() {
            self.set_sp(value);
        } else {
            self.sp_bank[el as usize] = value;
        }
    }

    /// Current exception level.
    pub fn el(&self) -> u8 {
        self.el
    }

    /// Changes exception level and stack pointer selection.
    pub(crate) fn set_mode(&mut self, el: u8, sp_sel: bool) {
        let old = self.sp_in_use();
        self.sp_bank[old] = self.sp();
        if el != self.el {
            self.flush_tlbs();
        }
        self.el = el;
        self.sp_sel = sp_sel && el != 0;
        self.regs[SP as usize] = self.sp_bank[self.sp_in_use()];
    }

    pub(crate) fn set_pan(&mut self, pan: bool) {
        if pan != self.pan {
            self.pan = pan;
            self.flush_tlbs();
        }
    }

    /// Empties the translation caches.
    pub(crate) fn flush_tlbs(&mut self) {
        self.reads.flush();
        self.writes.flush();
        self.codes.flush();
    }

    /// PSTATE in the layout of SPSR_ELx.
    pub fn pstate(&self) -> u64 {
        let mut v = u64::from(self.nzcv) << 28 | self.daif | u64::from(self.el) << 2;
        v |= u64::from(self.sp_sel && self.el != 0);
        v |= if self.pan { psr::PAN } else { 0 };
        v | if self.il { psr::IL } else { 0 }
    }

    /// Sets PSTATE from the layout of SPSR_ELx. The mode must be an AArch64 one of EL0-EL2; of any other value only the
    /// flags and masks are taken.
    pub fn set_pstate(&mut self, spsr: u64) {
        self.nzcv = (spsr >> 28) as u32 & 15;
        self.daif = spsr & psr::DAIF;
        self.il = spsr & psr::IL != 0;
        self.set_pan(spsr & psr::PAN != 0);
        let el = (spsr >> 2 & 3) as u8;
        if spsr & 0x12 == 0 && el < 3 {
            self.set_mode(el, spsr & 1 != 0);
        }
    }

    /// The DAIF bits in the layout of the DAIF register (bits 9:6).
    pub fn daif(&self) -> u64 {
        self.daif
    }

    /// Sets the DAIF bits (bits 9:6 of `value`).
    pub fn set_daif(&mut self, value: u64) {
        self.daif = value & psr::DAIF;
    }

    /// N, Z, C, V in bits 3:0.
    pub fn nzcv(&self) -> u8 {
        self.nzcv as u8
    }

    /// Sets N, Z, C, V from bits 3:0.
    pub fn set_nzcv(&mut self, nzcv: u8) {
        self.nzcv = u32::from(nzcv & 15);
    }

    #[inline(always)]
    pub(crate) fn reg(&self, r: R) -> u64 {
        self.sys[r as usize]
    }

    /// Sets a stored register as software can (masked), without side effects on anything outside this core.
    pub(crate) fn set_reg(&mut self, r: R, value: u64) {
        let mask = r.mask();
        self.sys[r as usize] = r.reset() & !mask | value & mask;
        self.reg_changed(r);
    }

    /// Sets a stored register whole: the hardware's own writes.
    pub(crate) fn put_reg(&mut self, r: R, value: u64) {
        self.sys[r as usize] = value;
    }

    fn reg_changed(&mut self, r: R) {
        match r {
            R::SctlrEl1 | R::Ttbr0El1 | R::Ttbr1El1 | R::TcrEl1 | R::MairEl1 => self.flush_tlbs(),
            R::SctlrEl2 | R::Ttbr0El2 | R::Ttbr1El2 | R::TcrEl2 | R::MairEl2 | R::HcrEl2 => {
                self.flush_tlbs()
            }
            R::CntpCtlEl0 | R::CntpCvalEl0 | R::CntvCtlEl0 | R::CntvCvalEl0 | R::CntvoffEl2 => {
                self.timers_changed = true;
            }
            R::CnthpCtlEl2 | R::CnthpCvalEl2 | R::CnthvCtlEl2 | R::CnthvCvalEl2 => {
                self.timers_changed = true
            }
            _ => {}
        }
    }

    /// An architectural system register by its own encoding: no VHE redirection, no side effects, no traps. `None` if
    /// this core does not have it, if it belongs to the bus, or if it depends on the clock (CNTPCT and its like).
    pub fn sysreg(&self, reg: SysReg) -> Option<u64> {
        R::find(reg)
            .map(|r| self.reg(r))
            .or_else(|| sysreg::peek(self, reg))
    }

    /// Sets an architectural system register by its own encoding; false if there is none or it is read-only.
    pub fn set_sysreg(&mut self, reg: SysReg, value: u64) -> bool {
        match R::find(reg) {
            Some(r) if r.is_read_only() => false,
            Some(r) => {
                self.set_reg(r, value);
                true
            }
            None => false,
        }
    }

    /// A wait is over.
    pub(crate) fn wakes(&mut self) {
        self.state = CoreState::Running;
        self.stream_wake = Time::MAX;
        self.wait_limit = Time::MAX;
        self.timed_wait = false;
    }

    /// True if the physical IRQ input was high when the machine last looked.
    pub fn irq_line(&self) -> bool {
        self.irq_in
    }

    /// True if the physical FIQ input (timers included) was high when the machine last looked.
    pub fn fiq_line(&self) -> bool {
        self.fiq_in || self.timer_fiq
    }

    /// Puts the core into its reset state at `entry` (physical address, MMU off) in `el` (1 or 2) with DAIF set and
    /// `x0`, and starts it. Its instruction counter goes on.
    pub fn reset(&mut self, entry: u64, el: u8, x0: u64) {
        let fresh = Core::new(&self.cfg);
        let insns = self.insns;
        let cntfrq = self.reg(R::CntfrqEl0);
        *self = fresh;
        self.insns = insns;
        self.put_reg(R::CntfrqEl0, cntfrq);
        self.put_reg(R::RvbarEl2, entry);
        self.put_reg(R::VpidrEl2, self.cfg.midr);
        self.put_reg(R::VmpidrEl2, self.cfg.mpidr);
        if el == 1 {
            // A core started at EL1 runs as a guest would, without a host above it.
            self.put_reg(R::HcrEl2, 1 << 34 | 1 << 31);
            self.put_reg(R::CnthctlEl2, 0xc00);
        }
        self.set_mode(el.clamp(1, 2), true);
        self.pc = entry;
        self.regs[0] = x0;
        self.state = CoreState::Running;
    }
}
