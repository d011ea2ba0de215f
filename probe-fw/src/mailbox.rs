//! How the conductor asks a worker for something, and waits for the answer.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use protocol::context::CpuState;
use protocol::message::{Reading, Refusal};

use crate::block::Block;
use crate::platform::Platform;

/// Longest wait for an answer, in microseconds. A worker answers within microseconds or is gone.
pub const PATIENCE_US: u64 = 100_000;
/// The same as part of a second.
const PATIENCE_PART: u64 = 1_000_000 / PATIENCE_US;

/// What a worker can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Operation {
    /// Fire the line under test; the value is the time of the store.
    Fire = 1,
    /// Mask IRQs.
    Mask = 2,
    /// Sample ISR_EL1.I; the value is 0 or 1.
    Sample = 3,
    /// Unmask IRQs; the value is the time before.
    Unmask = 4,
    /// Write SIQ_CFG; the value is what it reads afterwards.
    SetSiqCfg = 5,
    /// Read the register numbered by the operand.
    Read = 6,
    /// Stay awake for as many microseconds as the operand says.
    Delay = 7,
    /// Go home.
    Leave = 8,
    /// Read EVENT with IRQs masked, end the line under test if it came; the value is 1 if it did. Operand 1: IRQs are
    /// masked already.
    TakeEvent = 9,
    /// Wait at the exception level of the operand (1, else the firmware's own) from now on.
    Level = 10,
    /// Send a fast IPI with the operand of [`crate::ipi::request`].
    SendIpi = 11,
    /// Receive fast IPIs as the operand says ([`crate::ipi::Mode`]).
    IpiMode = 12,
    /// Lie in WFI for as many microseconds as the operand says; the value is what changed
    /// ([`crate::platform::Slept::to_word`]).
    Wfi = 13,
    /// Write to VM_TMR_FIQ_ENA what it reads; the value is what it reads afterwards.
    WriteBack = 14,
    /// Do as the operand says while waiting ([`crate::load`]).
    Load = 15,
    /// Wait for something to serve where the operand says ([`crate::handover::Stand`]) until told to stop.
    Stand = 16,
    /// Write the operand to SIQ_CFG and fire the line under test; the value is the time before. Bit 63 of the operand: ISB between.
    Rewrite = 17,
    /// One step of a storm, the operand says which ([`crate::storm::Step`]).
    Storm = 20,
    /// Arm the virtual timer as often as the operand says ([`crate::fiq::timers`]); the value is how often it came.
    Timers = 21,
}

impl Operation {
    /// The operation behind a request word.
    #[must_use]
    pub const fn from_word(word: u64) -> Option<Self> {
        Some(match word as u8 {
            1 => Self::Fire,
            2 => Self::Mask,
            3 => Self::Sample,
            4 => Self::Unmask,
            5 => Self::SetSiqCfg,
            6 => Self::Read,
            7 => Self::Delay,
            8 => Self::Leave,
            9 => Self::TakeEvent,
            10 => Self::Level,
            11 => Self::SendIpi,
            12 => Self::IpiMode,
            13 => Self::Wfi,
            14 => Self::WriteBack,
            15 => Self::Load,
            16 => Self::Stand,
            17 => Self::Rewrite,
            20 => Self::Storm,
            21 => Self::Timers,
            _ => return None,
        })
    }
}

/// A request that is under way.
#[derive(Clone, Copy)]
#[must_use]
pub struct Posted {
    cpu: usize,
    word: u64,
}

/// Puts a request into the mailbox of `cpu`, a worker.
///
/// # Errors
/// A worker that is not there or has stopped.
#[inline(never)]
pub fn post(
    block: Block<'_>,
    cpu: usize,
    operation: Operation,
    operand: u64,
) -> Result<Posted, Refusal> {
    match CpuState::from_word(block.words(cpu).state.load(Relaxed)) {
        Some(CpuState::Ready) => {}
        Some(CpuState::Faulted) => return Err(Refusal::WorkerFault(cpu as u8)),
        _ => return Err(Refusal::Cpu(cpu as u8)),
    }
    let request = &block.private(cpu).request;
    let word = (request.word.load(Relaxed) & !0xff).wrapping_add(0x100) | operation as u64;
    request.operand.store(operand, Relaxed);
    request.word.store(word, Release);
    Ok(Posted { cpu, word })
}

/// The request that was posted last to `cpu`.
pub fn posted(block: Block<'_>, cpu: usize) -> Posted {
    let word = block.private(cpu).request.word.load(Relaxed);
    Posted { cpu, word }
}

/// Waits for the answer to a request.
///
/// # Errors
/// A worker that does not answer in time, or that stopped with a fault.
#[inline(never)]
pub fn collect<P: Platform>(
    block: Block<'_>,
    platform: &P,
    posted: Posted,
) -> Result<Reading, Refusal> {
    let answer = &block.private(posted.cpu).answer;
    let mut seen = answer.word.load(Acquire);
    if seen != posted.word {
        // In every trigger that a worker fires: no division.
        let until = platform.now() + platform.counter_hz() / PATIENCE_PART;
        while seen != posted.word {
            seen = platform.wait(&answer.word, seen, until);
            if seen != posted.word && platform.now() >= until {
                let state = block.words(posted.cpu).state.load(Relaxed);
                return Err(if state == CpuState::Faulted as u64 {
                    Refusal::WorkerFault(posted.cpu as u8)
                } else {
                    Refusal::WorkerSilent(posted.cpu as u8)
                });
            }
        }
    }
    Ok(match answer.trap.load(Relaxed) {
        0 => Reading::Value(answer.value.load(Relaxed)),
        trap => Reading::Trapped(trap & !(1 << 63)),
    })
}

/// [`post`] and [`collect`] in one.
///
/// # Errors
/// As both.
#[inline(never)]
pub fn ask<P: Platform>(
    block: Block<'_>,
    platform: &P,
    cpu: usize,
    operation: Operation,
    operand: u64,
) -> Result<Reading, Refusal> {
    let posted = post(block, cpu, operation, operand)?;
    collect(block, platform, posted)
}
