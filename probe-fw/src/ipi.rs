//! Fast IPIs: how they are sent, and what a receiver does with one.

use core::sync::atomic::Ordering::{Relaxed, Release};

use aic_regs::sysreg::{IPI_RR_GLOBAL, IPI_RR_LOCAL, IpiRequest, SysRegs};
use protocol::command::{IpiCell, Reach, Receive};
use protocol::message::Reading;

use crate::platform::Platform;
use crate::state::Private;

/// How long a receiver works that is told to, in microseconds: longer than the next IPI takes to be sent and to arrive.
pub const WORK_US: u64 = 20;
/// Set in an operand: the local register is written.
const LOCAL: u64 = 1 << 63;

/// What a CPU does with the fast IPIs that it takes; the value of [`Private::ipi_mode`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u64)]
pub enum Mode {
    /// Acknowledges, ISB, counts.
    #[default]
    Normal = 0,
    /// Counts, works, acknowledges.
    LateAcknowledge = 1,
    /// Acknowledges, counts, works, without an ISB.
    NoBarrier = 2,
    /// FIQs stay masked.
    Held = 3,
    /// As [`Mode::Normal`], and counts in a word that all CPUs share ([`crate::storm`]).
    Shared = 4,
}

impl Mode {
    /// The mode behind a word; the normal one for a word that is none.
    #[must_use]
    pub const fn from_word(word: u64) -> Self {
        match word {
            1 => Self::LateAcknowledge,
            2 => Self::NoBarrier,
            3 => Self::Held,
            4 => Self::Shared,
            _ => Self::Normal,
        }
    }
}

impl From<Receive> for Mode {
    fn from(receive: Receive) -> Self {
        match receive {
            Receive::Normal => Self::Normal,
            Receive::LateAcknowledge => Self::LateAcknowledge,
            Receive::NoBarrier => Self::NoBarrier,
            Receive::Held => Self::Held,
        }
    }
}

/// What a sender writes to reach the CPU with `mpidr`: the register's value, and which register in its top bit.
#[must_use]
pub fn request(cell: &IpiCell, mpidr: u64) -> u64 {
    let mut request = IpiRequest(address(cell.reach, mpidr));
    request.set_kind(cell.kind & 3);
    request.into()
}

/// The same of an immediate one.
#[must_use]
pub const fn address(reach: Reach, mpidr: u64) -> u64 {
    match reach {
        Reach::Local => mpidr & 0xff | LOCAL,
        Reach::Global => mpidr & 0xff | (mpidr & 0xff00) << 8,
    }
}

/// Sends what [`request`] made, from this CPU.
#[inline(never)]
pub fn send<P: Platform>(platform: &P, operand: u64) -> Reading {
    let request = IpiRequest(operand & !LOCAL);
    let regs = platform.regs();
    // SAFETY: a fast IPI reaches a CPU that runs this firmware, whose FIQ vector acknowledges it, or nobody.
    let sent = unsafe {
        if operand & LOCAL == 0 {
            regs.write_guarded::<IPI_RR_GLOBAL>(request)
        } else {
            regs.write_guarded::<IPI_RR_LOCAL>(request)
        }
    };
    match sent {
        Ok(()) => Reading::Value(0),
        Err(trap) => Reading::Trapped(trap.esr),
    }
}

/// Takes over a mode on this CPU.
pub fn set_mode<P: Platform>(platform: &P, private: &Private, word: u64) {
    let mode = Mode::from_word(word);
    private.ipi_mode.store(mode as u64, Relaxed);
    platform.fiqs(mode != Mode::Held);
}

/// An IPI is pending on this CPU: acknowledge and count it. `acknowledge(barrier)` does the first, `work` takes
/// [`WORK_US`], `count_shared` counts in the word that all CPUs share.
#[inline]
pub fn take(
    private: &Private,
    acknowledge: impl Fn(bool),
    work: impl Fn(),
    count_shared: impl Fn(),
) {
    // Only this CPU writes the word, and FIQs do not nest.
    let count = || private.ipis.store(private.ipis.load(Relaxed) + 1, Release);
    match Mode::from_word(private.ipi_mode.load(Relaxed)) {
        Mode::Normal | Mode::Held => {
            acknowledge(true);
            count();
        }
        Mode::Shared => {
            acknowledge(true);
            count();
            count_shared();
        }
        Mode::LateAcknowledge => {
            count();
            work();
            acknowledge(true);
        }
        Mode::NoBarrier => {
            acknowledge(false);
            count();
            work();
        }
    }
}
