//! Interrupts that are served by somebody else than their handler.
//!
//! The conductor leaves an [`Order`]; whoever takes the interrupt carries it out: he serves it himself, stores to the word that
//! another CPU waits on, or sends it a fast IPI. Whoever serves leaves his name and the time in [`crate::state::Done`].

use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use aic_regs::sysreg::{IPI_RR_GLOBAL, IpiRequest, SysRegs};
use protocol::command::Handover;

use crate::block::Block;
use crate::load;
use crate::platform::Platform;
use crate::state::{HANDED, Work};

/// How an interrupt is handed over: the lowest byte of [`crate::state::Shared::hand`]; above it the CPU that serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Order {
    /// The handler serves.
    Direct = 0,
    /// A store to the CPU's own word.
    Store = 1,
    /// The same and SEV.
    Event = 2,
    /// A fast IPI.
    Ipi = 3,
    /// A store to the word that all of them wait on.
    Floating = 4,
}

/// The lowest byte of a [`Work`] word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Told {
    /// There is an interrupt to serve.
    Serve = 1,
    /// Somebody has it already.
    Taken = 2,
    /// Back to the mailbox.
    Stop = 3,
}

/// What a worker waits on; the operand of [`crate::mailbox::Operation::Stand`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Stand {
    /// Its mailbox only.
    Nowhere = 0,
    /// Its own word.
    Alone = 1,
    /// The word of all.
    Together = 2,
}

/// The word of [`crate::state::Shared::hand`].
#[must_use]
pub const fn order(handover: Handover) -> u64 {
    match handover {
        Handover::Direct => Order::Direct as u64,
        Handover::Store(cpu) => Order::Store as u64 | (cpu as u64) << 8,
        Handover::Event(cpu) => Order::Event as u64 | (cpu as u64) << 8,
        Handover::Ipi(cpu) => Order::Ipi as u64 | (cpu as u64) << 8,
        Handover::Floating(_) => Order::Floating as u64,
    }
}

/// Tells whoever waits on `work`.
pub fn tell(work: &Work, what: Told) {
    let word = work.word.load(Relaxed);
    work.word
        .store(((word & !0xff) + 0x100) | what as u64, Release);
}

/// The end of a handler in a cell that is timed or hands over; `entry` is when it began. Returns when it ends.
#[cold]
#[inline(never)]
pub fn finish<P: Platform>(
    block: Block<'_>,
    platform: &P,
    cpu: usize,
    ending: u64,
    entry: u64,
) -> u64 {
    if ending & HANDED != 0 {
        give(block, platform, cpu);
    }
    let end = platform.now();
    // Only this CPU writes the word, and exceptions do not nest.
    let busy = &block.private(cpu).busy;
    busy.store(busy.load(Relaxed) + end.wrapping_sub(entry), Relaxed);
    end
}

fn give<P: Platform>(block: Block<'_>, platform: &P, cpu: usize) {
    let shared = block.shared();
    let hand = shared.hand.load(Relaxed);
    let (order, to) = (hand & 0xff, (hand >> 8) as usize);
    if order == Order::Direct as u64 {
        serve(block, platform, cpu);
    } else if order == Order::Floating as u64 {
        tell(&shared.floating, Told::Serve);
    } else if order == Order::Ipi as u64 {
        block.private(to).owed.store(1, Release);
        let request = IpiRequest(shared.hand_ipi.load(Relaxed));
        // SAFETY: a fast IPI to a CPU that runs this firmware. One that traps shows as an interrupt that nobody served.
        let _ = unsafe { platform.regs().write_guarded::<IPI_RR_GLOBAL>(request) };
    } else {
        tell(&block.private(to).work, Told::Serve);
        if order == Order::Event as u64 {
            platform.event();
        }
    }
}

/// Serves an interrupt on this CPU.
pub fn serve<P: Platform>(block: Block<'_>, platform: &P, cpu: usize) {
    let time = platform.now();
    let done = &block.shared().done;
    done.time.store(time, Relaxed);
    done.cpu.store(cpu as u64, Relaxed);
    done.valid.store(done.valid.load(Relaxed) + 1, Release);
}

/// From now on this worker waits where `operand` says.
pub fn take_stand(block: Block<'_>, cpu: usize, operand: u64) {
    let private = block.private(cpu);
    // Before the answer: what comes after it is news.
    let seen = word_of(block, cpu, operand).word.load(Acquire);
    private.stood.store(seen, Relaxed);
    private.standing.store(operand, Relaxed);
}

fn word_of<'m>(block: Block<'m>, cpu: usize, stand: u64) -> &'m Work {
    if stand == Stand::Together as u64 {
        &block.shared().floating
    } else {
        &block.private(cpu).work
    }
}

/// Waits for something to serve, until `until`; whether anything came.
pub fn stand<P: Platform>(block: Block<'_>, platform: &P, cpu: usize, until: u64) -> bool {
    let private = block.private(cpu);
    let standing = private.standing.load(Relaxed);
    let work = word_of(block, cpu, standing);
    let seen = private.stood.load(Relaxed);
    let word = load::wait(block, platform, cpu, &work.word, seen, until);
    if word == seen {
        return false;
    }
    private.stood.store(word, Relaxed);
    if word & 0xff == Told::Stop as u64 {
        private.standing.store(Stand::Nowhere as u64, Relaxed);
    } else if word & 0xff == Told::Serve as u64 {
        let taken = word & !0xff | Told::Taken as u64;
        let mine = standing == Stand::Alone as u64
            || work
                .word
                .compare_exchange(word, taken, AcqRel, Relaxed)
                .is_ok();
        if mine {
            serve(block, platform, cpu);
        }
    }
    true
}
