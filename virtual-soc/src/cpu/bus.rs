//! What a core sees of the rest of the machine: MMIO, implementation-defined registers, interrupt lines, time.

use std::fmt;
use std::ops::{Add, Sub};

/// A point on the machine's clock, in picoseconds since power-on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// Power-on.
    pub const ZERO: Time = Time(0);
    /// Later than every event (about 213 days).
    pub const MAX: Time = Time(u64::MAX);

    /// A time `us` microseconds after power-on (saturating).
    pub const fn from_micros(us: u64) -> Self {
        Time(us.saturating_mul(1_000_000))
    }

    /// A time `ns` nanoseconds after power-on (saturating).
    pub const fn from_nanos(ns: u64) -> Self {
        Time(ns.saturating_mul(1_000))
    }

    /// Picoseconds since power-on.
    pub const fn as_picos(self) -> u64 {
        self.0
    }

    /// This time plus a number of picoseconds (saturating).
    #[must_use]
    pub const fn after_picos(self, ps: u64) -> Self {
        Time(self.0.saturating_add(ps))
    }
}

impl Add<std::time::Duration> for Time {
    type Output = Time;
    fn add(self, d: std::time::Duration) -> Time {
        let ps = u64::try_from(d.as_nanos().saturating_mul(1_000)).unwrap_or(u64::MAX);
        self.after_picos(ps)
    }
}

impl Sub for Time {
    type Output = std::time::Duration;
    /// The span from `rhs` to `self`, truncated to nanoseconds; zero if `rhs` is later.
    fn sub(self, rhs: Time) -> std::time::Duration {
        let picos = self.0.saturating_sub(rhs.0);
        std::time::Duration::from_nanos(picos.div_euclid(1_000))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06} us", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// A system register's encoding, packed as MRS and MSR carry it: `op0<<14 | op1<<11 | CRn<<7 | CRm<<3 | op2`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SysReg(pub u16);

impl SysReg {
    /// The register `S<op0>_<op1>_C<crn>_C<crm>_<op2>`. Each field is cut to its width (2, 3, 4, 4, 3 bits).
    pub const fn new(op0: u8, op1: u8, crn: u8, crm: u8, op2: u8) -> Self {
        SysReg(
            ((op0 as u16 & 3) << 14)
                | ((op1 as u16 & 7) << 11)
                | ((crn as u16 & 15) << 7)
                | ((crm as u16 & 15) << 3)
                | (op2 as u16 & 7),
        )
    }

    /// `(op0, op1, CRn, CRm, op2)`.
    pub const fn fields(self) -> (u8, u8, u8, u8, u8) {
        (
            (self.0 >> 14) as u8,
            (self.0 >> 11) as u8 & 7,
            (self.0 >> 7) as u8 & 15,
            (self.0 >> 3) as u8 & 15,
            self.0 as u8 & 7,
        )
    }

    /// True in the implementation-defined space (op0 = 3, CRn 11 or 15), which belongs to the [`Bus`].
    pub const fn is_implementation_defined(self) -> bool {
        let (op0, _, crn, _, _) = self.fields();
        op0 == 3 && (crn == 11 || crn == 15)
    }
}

impl fmt::Debug for SysReg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (op0, op1, crn, crm, op2) = self.fields();
        write!(f, "S{op0}_{op1}_C{crn}_C{crm}_{op2}")
    }
}

impl fmt::Display for SysReg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Why a device refused an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusFault {
    /// Synchronous external abort: a data abort with DFSC 0x10 on the accessing instruction.
    Abort,
    /// The access completes (a read gives 0) and an SError becomes pending on the accessing CPU.
    SError,
}

/// Why an implementation-defined register refused an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SysRegFault {
    /// UNDEFINED: exception class 0 to the current exception level's usual target.
    Undefined,
    /// Trapped: exception class 0x18 to EL2, with the access in the syndrome.
    Trap,
}

/// What the devices may know of the CPUs, as it is at the start of a round. Bit `i` is CPU `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuView {
    /// An IRQ would not be taken now: PSTATE.I is set and the current level is the one IRQs go to.
    pub irq_masked: u64,
    /// An FIQ would not be taken now.
    pub fiq_masked: u64,
    /// In WFE or WFI.
    pub waiting: u64,
    /// Executing instructions.
    pub running: u64,
    /// At EL1, or at EL0 of an EL1.
    pub at_el1: u64,
}

/// What is outside the cores: all MMIO and the implementation-defined system registers.
///
/// Every call happens at a defined point of the machine's clock and in a defined order, so a bus without
/// hidden inputs makes the whole machine deterministic.
pub trait Bus {
    /// MMIO read outside RAM. `size` is 1, 2, 4 or 8 bytes and `pa` is aligned to it.
    ///
    /// # Errors
    /// [`BusFault`] if nothing answers.
    fn mmio_read(&mut self, cpu: usize, pa: u64, size: u8, now: Time) -> Result<u64, BusFault>;

    /// MMIO write outside RAM; see [`Bus::mmio_read`].
    ///
    /// # Errors
    /// [`BusFault`] if nothing answers.
    fn mmio_write(
        &mut self,
        cpu: usize,
        pa: u64,
        size: u8,
        value: u64,
        now: Time,
    ) -> Result<(), BusFault>;

    /// Read of an implementation-defined register (op0 = 3, CRn 11 or 15) at exception level `el`.
    ///
    /// # Errors
    /// [`SysRegFault`] says which exception the instruction takes.
    fn sysreg_read(
        &mut self,
        cpu: usize,
        reg: SysReg,
        el: u8,
        now: Time,
    ) -> Result<u64, SysRegFault>;

    /// Write of an implementation-defined register; see [`Bus::sysreg_read`].
    ///
    /// # Errors
    /// [`SysRegFault`] says which exception the instruction takes.
    fn sysreg_write(
        &mut self,
        cpu: usize,
        reg: SysReg,
        el: u8,
        value: u64,
        now: Time,
    ) -> Result<(), SysRegFault>;

    /// Levels of the IRQ inputs, bit `i` for CPU `i`.
    ///
    /// Read at every slice start and after every bus call of a CPU.
    fn irq_lines(&self) -> u64;

    /// Levels of the FIQ inputs from devices, bit `i` for CPU `i`. The machine ORs the generic timers into them.
    fn fiq_lines(&self) -> u64;

    /// Which of a core's timers reach its FIQ input: bit 0 CNTP, 1 CNTV, 2 CNTHP, 3 CNTHV (all by default).
    /// Read whenever the timers are evaluated and after every implementation-defined register write.
    fn timer_fiq_gate(&self, cpu: usize) -> u8 {
        let _ = cpu;
        0xf
    }

    /// A context synchronisation event of a CPU: ISB, exception entry or return. What earlier register writes left pending takes
    /// effect now.
    fn synchronize(&mut self, cpu: usize, now: Time) {
        let _ = (cpu, now);
    }

    /// Called at the start of a round when `view` differs from the last call's, when a bus call was made since, or
    /// when the time that [`Bus::next_event`] gave has come. Also once at the start of every
    /// [`Machine::run`](crate::machine::Machine::run).
    fn tick(&mut self, now: Time, view: &CpuView);

    /// When something in the devices will next change by itself; `None` = never. Asked after every tick.
    fn next_event(&self, now: Time) -> Option<Time>;
}
