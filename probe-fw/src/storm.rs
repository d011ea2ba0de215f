//! What a CPU does in a storm of IPIs: it makes itself ready, sends, and is as before again.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use aic_regs::aic::{Aic, IpiFlags, IpiSend};
use aic_regs::mmio::Mmio;
use aic_regs::sysreg::{MPIDR, SysRegs};
use protocol::MAX_CPUS;
use protocol::command::{Pattern, Reach, StormCell, Via};
use protocol::message::Reading;

use crate::block::Block;
use crate::ipi::{self, Mode};
use crate::platform::{Platform, pause, rest};
use crate::state::{Private, Shared};

/// Longest wait for a target that has not counted yet, in microseconds.
const PATIENCE_US: u64 = 100;
/// EVENT of AICv1 for an IPI from another CPU.
const EVENT_OTHER: u32 = 4 << 16 | 1;

/// What all CPUs of a storm read. Written by the conductor while nobody sends.
#[repr(C, align(128))]
pub struct Storm {
    /// Bits of [`how`]; 0 = no storm.
    pub how: AtomicU64,
    /// CPUs that take part, one bit by logical CPU.
    pub cpus: AtomicU64,
    /// CNTPCT at which everybody begins.
    pub start: AtomicU64,
    /// CNTPCT at which everybody ends.
    pub end: AtomicU64,
    _line: [u64; 12],
    /// IPIs counted by all receivers together, alone on its cache line.
    pub counted: AtomicU64,
    _line2: [u64; 15],
    parts: [Part; MAX_CPUS],
}

/// One CPU's part in a storm; written by that CPU alone.
#[repr(C, align(64))]
pub struct Part {
    /// Whom it sends to, one bit by logical CPU.
    pub targets: AtomicU64,
    /// What others write to reach it.
    pub address: AtomicU64,
    /// Its IPI masks as found (AICv1), and whether they are open.
    pub masks: AtomicU64,
    /// IPIs that it sent.
    pub sent: AtomicU64,
    /// Waits for a target that ran out.
    pub missed: AtomicU64,
    /// ESR of the write that trapped, and bit 63; 0 = none.
    pub trap: AtomicU64,
    /// CNTPCT when it had sent its last; 0 until then.
    pub finish: AtomicU64,
}

/// Set in [`Part::masks`] while the IPI is open that was as found before.
const OPEN: u64 = 1 << 63;
/// Set in [`Storm::how`]: IPI_RR_LOCAL.
const LOCAL: u64 = 1;
/// Set in [`Storm::how`]: IPI_SEND of AICv1.
const MMIO: u64 = 2;
/// Set in [`Storm::how`]: a sender waits until its target has counted.
const PACED: u64 = 4;
/// Set in [`Storm::how`]: receivers count in [`Storm::counted`] too.
const SHARED: u64 = 8;
/// Set in [`Storm::how`]: to all others.
const TO_ALL: u64 = 16;
/// Set in [`Storm::how`]: in pairs. Neither: to the CPU whose number is in the second byte.
const PAIRS: u64 = 32;
/// Set in [`Storm::how`] of every storm.
const STORM: u64 = 1 << 31;

/// The word for [`Storm::how`].
#[must_use]
pub const fn how(cell: &StormCell) -> u64 {
    let via = match cell.via {
        Via::Local => LOCAL,
        Via::Global => 0,
        Via::Mmio => MMIO,
    };
    let pattern = match cell.pattern {
        Pattern::ToOne(to) => (to as u64) << 8,
        Pattern::ToAll => TO_ALL,
        Pattern::Pairs => PAIRS,
    };
    let paced = if cell.paced { PACED } else { 0 };
    let shared = if cell.shared { SHARED } else { 0 };
    STORM | via | pattern | paced | shared
}

/// What a CPU is asked to do; the operand of [`crate::mailbox::Operation::Storm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Step {
    /// Note how it is reached, and open what it receives by.
    Open = 0,
    /// Send until the end.
    Send = 1,
    /// Close again.
    Close = 2,
}

impl Storm {
    /// The part of `cpu`.
    #[must_use]
    pub fn part(&self, cpu: usize) -> &Part {
        &self.parts[cpu % MAX_CPUS]
    }
}

/// The target after `target` in the order of the one who sends to all of `targets`: upwards, then from the lowest again. A
/// sender begins behind itself, so that not everybody starts with the same CPU.
#[must_use]
pub const fn next(targets: u32, target: usize) -> usize {
    let above = targets & (!1 << target);
    let from = if above == 0 { targets } else { above };
    from.trailing_zeros() as usize
}

/// Whom `cpu` sends to.
const fn targets(how: u64, cpus: u32, cpu: usize) -> u32 {
    let others = cpus & !(1 << cpu);
    if how & TO_ALL != 0 {
        return others;
    }
    if how & PAIRS == 0 {
        return others & 1 << (how >> 8 & 31);
    }
    let below = others & ((1 << cpu) - 1);
    if below.count_ones() & 1 == 1 {
        1 << (31 - below.leading_zeros())
    } else {
        let above = others & !below;
        above & above.wrapping_neg()
    }
}

/// Carries out one [`Step`] on this CPU. The value is 1, or 0 for a CPU that IPI_SEND has no bit for: nobody sends to it.
#[cold]
#[inline(never)]
pub fn serve<P: Platform>(block: Block<'_>, platform: &P, cpu: usize, step: u64) -> Reading {
    let storm = &block.shared().storm;
    let (how, part) = (storm.how.load(Relaxed), storm.part(cpu));
    let (aic, private) = (platform.aic(), block.private(cpu));
    let mut mode = Mode::Normal;
    let mut reached = true;
    if step == Step::Send as u64 {
        send(block, platform, cpu, how);
        return Reading::Value(1);
    }
    if step == Step::Open as u64 {
        let targets = targets(how, storm.cpus.load(Relaxed) as u32, cpu);
        part.targets.store(targets.into(), Relaxed);
        part.finish.store(0, Relaxed);
        let address = if how & MMIO == 0 {
            let reach = if how & LOCAL == 0 {
                Reach::Global
            } else {
                Reach::Local
            };
            ipi::address(reach, platform.regs().read::<MPIDR>().into())
        } else {
            part.masks
                .store(OPEN | u64::from(aic.ipi_masked().0), Relaxed);
            aic.ipi_mask_clr(IpiFlags::OTHER);
            let number = aic.whoami().map_or(u8::MAX, |w| w.bits() as u8);
            let bit = IpiSend::to(number).0;
            reached = bit != 0;
            bit.into()
        };
        part.address.store(address, Relaxed);
        if how & SHARED != 0 {
            mode = Mode::Shared;
        }
    } else if part.masks.load(Relaxed) & OPEN != 0 {
        aic.ipi_mask_set(IpiFlags(part.masks.swap(0, Relaxed) as u32));
        aic.ipi_ack(IpiFlags::OTHER);
    }
    private.ipi_mode.store(mode as u64, Relaxed);
    Reading::Value(reached.into())
}

/// Sends from the start to the end. The clock is looked at once a round, or while it waits.
fn send<P: Platform>(block: Block<'_>, platform: &P, cpu: usize, how: u64) {
    let storm = &block.shared().storm;
    let part = storm.part(cpu);
    let end = storm.end.load(Relaxed);
    let patience = platform.ticks(PATIENCE_US);
    let targets = part.targets.load(Relaxed) as u32;
    // Who sends to nobody only receives.
    let start = if targets == 0 {
        &storm.end
    } else {
        &storm.start
    };
    pause(platform, start.load(Relaxed));
    // Counts of the targets when they were last sent to.
    let mut before = [u64::MAX; MAX_CPUS];
    let (mut sent, mut missed, mut trap, mut target) = (0, 0, 0, cpu);
    let mut now = platform.now();
    while now < end {
        let last = target;
        target = next(targets, target);
        if how & PACED != 0 {
            let counted = &block.private(target).ipis;
            let before = &mut before[target % MAX_CPUS];
            let count = rest(platform, counted, *before, (now + patience).min(end));
            now = platform.now();
            if count == *before {
                if now >= end {
                    break;
                }
                missed += 1;
            }
            *before = count;
        } else if target <= last {
            now = platform.now();
        }
        let address = storm.part(target).address.load(Relaxed);
        if how & MMIO != 0 {
            platform.aic().ipi_send(IpiSend(address as u32));
        } else if let Reading::Trapped(esr) = ipi::send(platform, address) {
            trap = 1 << 63 | esr;
            break;
        }
        sent += 1;
    }
    part.sent.store(sent, Relaxed);
    part.missed.store(missed, Relaxed);
    part.trap.store(trap, Relaxed);
    part.finish.store(platform.now(), Release);
}

/// Takes an IPI of AICv1 if that is what `event` is and a storm goes by it; whether it was that.
#[cold]
#[inline(never)]
pub fn take_event<M: Mmio>(aic: &Aic<M>, shared: &Shared, private: &Private, event: u32) -> bool {
    let storm = &shared.storm;
    if event != EVENT_OTHER || storm.how.load(Acquire) & MMIO == 0 {
        return false;
    }
    // Acknowledged before it is counted: who waits for the count may send the next at once.
    aic.ipi_ack(IpiFlags::OTHER);
    // Only this CPU writes the word, and exceptions do not nest.
    private.ipis.store(private.ipis.load(Relaxed) + 1, Release);
    if private.ipi_mode.load(Relaxed) == Mode::Shared as u64 {
        storm.counted.fetch_add(1, Relaxed);
    }
    aic.ipi_mask_clr(IpiFlags::OTHER);
    true
}
