//! Words that CPUs share among themselves.

use core::sync::atomic::{AtomicU64, Ordering};

use aic_regs::aic::{Aic, Line, LineHandle};
use aic_regs::mmio::Mmio;
use protocol::context;

/// Interrupts that can be on record and not yet seen by the conductor.
pub const RECORDS: usize = 64;
/// Interrupts that one trigger may cause before its line is left masked.
pub const STORM: u64 = 32;

/// One interrupt taken.
#[repr(C, align(64))]
#[derive(Default)]
pub struct Record {
    /// Index of the record + 1 once the rest is complete; the conductor waits on this word.
    pub valid: AtomicU64,
    /// Logical CPU that took it.
    pub cpu: AtomicU64,
    /// CNTPCT at the start of the exception.
    pub time: AtomicU64,
    /// CNTPCT at the end of its handler, in timed cells.
    pub end: AtomicU64,
}

/// The last service of an interrupt that was handed over.
#[repr(C, align(128))]
#[derive(Default)]
pub struct Done {
    /// Services so far; the conductor waits on it.
    pub valid: AtomicU64,
    /// Logical CPU that served.
    pub cpu: AtomicU64,
    /// CNTPCT when it began.
    pub time: AtomicU64,
}

/// A word that a CPU waits on for something to serve: a number that grows << 8 | [`crate::handover::Told`].
#[repr(C, align(128))]
#[derive(Default)]
pub struct Work {
    /// The word.
    pub word: AtomicU64,
}

/// State of the whole firmware.
#[repr(C, align(128))]
pub struct Shared {
    /// Event word of the line under test, and how it is ended ([`Ended`]) in the upper half; 0 = none. Written by the
    /// conductor while the line is masked.
    pub active: AtomicU64,
    /// [`Stream`]: whether WFE is woken by the timer's event stream.
    pub stream: AtomicU64,
    /// Event word of the second line of [`Ended::OutOfOrder`]; 0 = none.
    pub second: AtomicU64,
    /// How an interrupt is handed over, and to whom ([`crate::handover::Order`]).
    pub hand: AtomicU64,
    /// What is written to IPI_RR_GLOBAL for that.
    pub hand_ipi: AtomicU64,
    _line: [u64; 11],
    /// Records claimed so far.
    pub taken: AtomicU64,
    /// Records claimed before the present trigger.
    pub before: AtomicU64,
    _line2: [u64; 14],
    /// The last interrupts taken, by index modulo [`RECORDS`].
    pub records: [Record; RECORDS],
    /// The last service.
    pub done: Done,
    /// What workers wait on together that serve whatever comes first.
    pub floating: Work,
    /// IPIs that many CPUs send to each other.
    pub storm: crate::storm::Storm,
}

/// How the line under test is ended; the lowest bits of the upper half of [`Shared::active`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Ended {
    /// Software state dropped, then unmasked.
    Normal = 0,
    /// Masked, software state dropped.
    Disabled = 1,
    /// Before the second line, which is fired meanwhile.
    OutOfOrder = 2,
}

impl Ended {
    /// Bits of an ending.
    pub const MASK: u64 = 3;
}

/// Further bits there: the end of the handler is noted.
pub const TIMED: u64 = 4;
/// The interrupt is handed over.
pub const HANDED: u64 = 8;
/// Whoever fires unmasks the line instead of setting it.
pub const UNFIRED: u64 = 16;

/// What is known of the event stream; the value of [`Shared::stream`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Stream {
    /// Not tried yet: poll.
    Unknown = 0,
    /// It works.
    Works = 1,
    /// It does not: poll.
    Absent = 2,
}

/// Words of one CPU. The first part is known to the start-up code by offset.
#[repr(C, align(128))]
#[derive(Default)]
pub struct Private {
    /// Callee-saved registers and stack pointer of the loader (offset 0x00).
    pub frame: [AtomicU64; 16],
    /// DAIF as found (0x80).
    pub daif: AtomicU64,
    /// SPSel as found (0x88).
    pub spsel: AtomicU64,
    /// Stack pointer of the exception level as found (0x90).
    pub sp_elx: AtomicU64,
    /// VBAR as found (0x98).
    pub vbar: AtomicU64,
    /// TPIDR_EL0 as found (0xa0).
    pub tpidr: AtomicU64,
    /// TPIDRRO_EL0 as found: the vectors use it as scratch (0xa8).
    pub tpidrro: AtomicU64,
    /// Timer control (CNTHCTL_EL2 under E2H) as found (0xb0).
    pub cntkctl: AtomicU64,
    /// Block address (0xb8).
    pub base: AtomicU64,
    /// Registers that the vectors set aside (0xc0).
    pub scratch: [AtomicU64; 6],
    /// Logical id (0xf0).
    pub id: AtomicU64,
    /// End of the emergency stack (0xf8).
    pub emergency: AtomicU64,
    /// How deep in a fault this CPU is (0x100).
    pub faults: AtomicU64,
    _pad: [u64; 3],
    /// What a visit to EL1 or a stay in WFI saves (0x120).
    pub away: [AtomicU64; 32],
    /// General registers after a WFI (0x220).
    pub woken: [AtomicU64; 32],
    /// SIQ_CFG as found.
    pub siq_cfg: AtomicU64,
    /// ESR if reading SIQ_CFG trapped (bit 63 set), else 0.
    pub siq_trap: AtomicU64,
    /// Packets in this CPU's up ring so far.
    pub packets: AtomicU64,
    /// Packets that found no room.
    pub dropped: AtomicU64,
    /// IRQ exceptions whose EVENT was 0 or another line.
    pub spurious: AtomicU64,
    /// FIQs that nothing explains.
    pub stray_fiqs: AtomicU64,
    /// Fast IPIs taken; whoever sends one waits on it.
    pub ipis: AtomicU64,
    /// What to do with them: [`crate::ipi::Mode`].
    pub ipi_mode: AtomicU64,
    /// Exception level to wait at: 1, or 0 for the firmware's own.
    pub level: AtomicU64,
    /// Event-stream bit in force + 1; 0 = off.
    pub stream_bit: AtomicU64,
    /// Ticks that handlers took in timed cells.
    pub busy: AtomicU64,
    /// What to do while waiting: [`crate::load`].
    pub load: AtomicU64,
    /// Where the next piece of work on memory begins, in bytes.
    pub hammered: AtomicU64,
    /// What this CPU waits on beside its mailbox: [`crate::handover::Stand`].
    pub standing: AtomicU64,
    /// The value of that word that it has seen.
    pub stood: AtomicU64,
    /// 1: the next fast IPI is an interrupt handed over.
    pub owed: AtomicU64,
    /// FIQs of the virtual timer taken.
    pub timers: AtomicU64,
    _line: [u64; 1],
    /// What it is told to serve.
    pub work: Work,
    /// Mailbox, written by the conductor.
    pub request: Request,
    /// Mailbox, written by this CPU.
    pub answer: Answer,
}

/// The conductor's side of a mailbox.
#[repr(C, align(128))]
#[derive(Default)]
pub struct Request {
    /// Number of the request << 8 | operation; this CPU waits on it.
    pub word: AtomicU64,
    /// Operand.
    pub operand: AtomicU64,
}

/// A CPU's side of its mailbox.
#[repr(C, align(128))]
#[derive(Default)]
pub struct Answer {
    /// [`Request::word`] of the request that was carried out; the conductor waits on it.
    pub word: AtomicU64,
    /// Result.
    pub value: AtomicU64,
    /// ESR with bit 63 set if the access trapped, else 0.
    pub trap: AtomicU64,
}

/// Offset of whatever the binary keeps per CPU, behind [`Private`].
pub const PRIVATE_SIZE: u64 = 0x800;

const _: () = {
    use core::mem::offset_of;
    assert!(
        size_of::<Private>() as u64 <= PRIVATE_SIZE && PRIVATE_SIZE < context::CPU_PRIVATE_SIZE
    );
    assert!(offset_of!(Private, daif) == 0x80 && offset_of!(Private, cntkctl) == 0xb0);
    assert!(offset_of!(Private, base) == 0xb8 && offset_of!(Private, scratch) == 0xc0);
    assert!(offset_of!(Private, id) == 0xf0 && offset_of!(Private, emergency) == 0xf8);
    assert!(offset_of!(Private, faults) == 0x100 && offset_of!(Private, away) == 0x120);
    assert!(offset_of!(Private, woken) == 0x220);
};

impl Shared {
    /// The line under test, validated against the controller; `None` if there is none.
    #[inline]
    pub fn line<M: Mmio>(&self, aic: &Aic<M>, event: u32) -> Option<LineHandle> {
        self.line_and_ending(aic, event).map(|(line, _)| line)
    }

    /// The same with the upper half of [`Shared::active`].
    #[inline]
    pub fn line_and_ending<M: Mmio>(&self, aic: &Aic<M>, event: u32) -> Option<(LineHandle, u64)> {
        let active = self.active.load(Ordering::Relaxed);
        if event == 0 || event != active as u32 {
            return None;
        }
        Some((aic.line(Line::from_hwirq(event)?)?, active >> 32))
    }

    /// The second line, if `event` is its event.
    pub fn second_line<M: Mmio>(&self, aic: &Aic<M>, event: u32) -> Option<LineHandle> {
        if event == 0 || u64::from(event) != self.second.load(Ordering::Relaxed) {
            return None;
        }
        aic.line(Line::from_hwirq(event)?)
    }
}
