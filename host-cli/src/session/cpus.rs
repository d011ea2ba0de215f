//! Bringing the other CPUs up, into the firmware, and home again.

use std::mem::offset_of;
use std::time::Duration;

use protocol::context::{CpuBlock, CpuState as Word, cpu};
use protocol::message::{Fault, FaultKind};

use crate::error::Error;
use crate::proxy::{Op, Proxy};
use crate::result::CpuState;
use crate::target::CpuFacts;

use super::SessionError;
use super::memory::Memory;

/// How long a CPU may take to enter the firmware or to leave it.
const PATIENCE: Duration = Duration::from_millis(500);

/// A CPU of the target, as far as the session knows it.
#[derive(Clone, Debug)]
pub struct CpuRun {
    /// Logical id.
    pub id: u8,
    /// The loader's index.
    pub adt_id: u32,
    /// What became of it.
    pub state: CpuState,
    /// It was sent into the firmware and has not come back.
    pub inside: bool,
}

/// Starts the secondaries. Nothing of ours runs on them yet.
///
/// # Errors
/// Errors of the link.
pub fn start(proxy: &mut Proxy<'_>, cpus: &[CpuFacts]) -> Result<Vec<CpuRun>, Error> {
    let mut runs: Vec<CpuRun> = cpus
        .iter()
        .map(|c| CpuRun {
            id: c.id,
            adt_id: c.adt_id,
            state: if c.boot {
                CpuState::Running
            } else {
                CpuState::Dead
            },
            inside: false,
        })
        .collect();
    if runs.len() > 1 {
        // Before the start: where fast IPIs do not work, a CPU that waits in WFI is never heard of again.
        proxy.op(Op::SmpSetWfeMode, &[1])?;
        proxy.op(Op::SmpStartSecondaries, &[])?;
    }
    let boot = runs.first().map(|r| r.adt_id);
    for run in runs.iter_mut().skip(1) {
        // A call to a CPU that is not there never returns, nor one to the boot CPU under a second name.
        let there =
            Some(run.adt_id) != boot && proxy.op(Op::SmpIsAlive, &[run.adt_id.into()])? & 0xff != 0;
        if there {
            proxy.op(Op::MmuInitSecondary, &[run.adt_id.into()])?;
            run.state = CpuState::Absent;
        }
    }
    Ok(runs)
}

/// Sends every secondary that lives into the worker loop and waits for it to say so.
///
/// # Errors
/// [`SessionError`] if one refuses its memory or stops with a fault; errors of the link.
pub fn enter(proxy: &mut Proxy<'_>, memory: &Memory, runs: &mut [CpuRun]) -> Result<(), Error> {
    for run in runs.iter_mut().skip(1) {
        if run.state == CpuState::Absent {
            let args = [memory.context, run.id.into(), 0, 0];
            proxy.smp_call(run.adt_id, memory.worker_entry, args)?;
            run.inside = true;
        }
    }
    for run in runs.iter_mut().skip(1).filter(|r| r.inside) {
        match poll(proxy, memory, run.id, |w| w != Some(Word::Absent))? {
            Some(Word::Ready) => run.state = CpuState::Running,
            Some(Word::NoMmu) => {
                run.state = CpuState::NoMmu;
                wait_home(proxy, run)?;
            }
            Some(Word::Faulted) => return Err(fault(proxy, memory, run.id)?.into()),
            Some(Word::BadContext) => return Err(SessionError::BadContext.into()),
            _ => {}
        }
    }
    Ok(())
}

/// Waits for every worker to come home. A CPU that stopped with a fault stays where it is.
///
/// # Errors
/// [`SessionError::Stuck`] for one that does not come; errors of the link.
pub fn leave(proxy: &mut Proxy<'_>, memory: &Memory, runs: &mut [CpuRun]) -> Result<(), Error> {
    let mut stuck = None;
    for run in runs.iter_mut().filter(|r| r.inside) {
        let gone = |w| matches!(w, Some(Word::Leaving | Word::TimedOut | Word::Faulted));
        match poll(proxy, memory, run.id, gone)? {
            Some(Word::Leaving | Word::TimedOut) => wait_home(proxy, run)?,
            state => stuck = stuck.or(Some(SessionError::Stuck { cpu: run.id, state })),
        }
    }
    stuck.map_or(Ok(()), |e| Err(e.into()))
}

fn wait_home(proxy: &mut Proxy<'_>, run: &mut CpuRun) -> Result<(), Error> {
    proxy.op(Op::SmpWait, &[run.adt_id.into()])?;
    run.inside = false;
    Ok(())
}

/// Reads a CPU's state until it is one that `done` accepts or time is up.
fn poll(
    proxy: &mut Proxy<'_>,
    memory: &Memory,
    id: u8,
    done: impl Fn(Option<Word>) -> bool,
) -> Result<Option<Word>, Error> {
    let word = region(memory, id) + offset_of!(CpuBlock, state) as u64;
    let end = proxy.now() + PATIENCE;
    loop {
        let state = Word::from_word(proxy.read64(word)?);
        if done(state) || proxy.now() >= end {
            return Ok(state);
        }
    }
}

/// Bytes that a CPU has written to its ring, asked for directly.
///
/// # Errors
/// Errors of the link.
pub fn up_head(proxy: &mut Proxy<'_>, memory: &Memory, id: u8) -> Result<u64, Error> {
    Ok(proxy.read64(region(memory, id) + offset_of!(CpuBlock, up_head) as u64)?)
}

/// The fault words of a CPU: they are there even if its ring had no room.
///
/// # Errors
/// Errors of the link.
pub fn fault(proxy: &mut Proxy<'_>, memory: &Memory, id: u8) -> Result<SessionError, Error> {
    let words = region(memory, id) + offset_of!(CpuBlock, fault) as u64;
    let mut w = [0; 7];
    for (i, slot) in w.iter_mut().enumerate() {
        *slot = proxy.read64(words + i as u64 * 8)?;
    }
    let kind = match w[0] {
        1 => FaultKind::Sync,
        2 => FaultKind::SError,
        3 => FaultKind::Panic,
        _ => FaultKind::Unexpected,
    };
    Ok(SessionError::Fault(Fault {
        cpu: id,
        kind,
        mpidr: w[1],
        esr: w[2],
        elr: w[3],
        far: w[4],
        spsr: w[5],
        line: w[6] as u32,
    }))
}

fn region(memory: &Memory, id: u8) -> u64 {
    memory.context + cpu(usize::from(id))
}
