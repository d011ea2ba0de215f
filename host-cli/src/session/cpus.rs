//! Bringing the other CPUs up, into the firmware, and home again.

use std::mem::offset_of;
use std::time::Duration;

use protocol::context::{CpuBlock, CpuState as Word, cpu};
use protocol::message::{Fault, FaultKind};

use crate::error::Error;
use crate::proxy::{Op, Proxy, ProxyError};
use crate::result::CpuState;
use crate::target::CpuFacts;

use super::SessionError;
use super::memory::Memory;
use super::parked;

/// How long a CPU may take to enter the firmware or to leave it.
const PATIENCE: Duration = Duration::from_millis(500);

/// The same if the call was taken before the question: its first instructions say so.
const ARRIVAL: Duration = Duration::from_millis(20);

/// Size of the loader's record of CPU features, in bytes (third party: m1n1 `src/proxy.h`).
const FEATURES_SIZE: usize = 20;
/// Offset in it of the byte that says whether SPRR is on.
const FEATURES_SPRR: usize = 14;
/// `mrs x0, sctlr_el1` (at EL2 under E2H: that level's own), `ret`.
const READ_SCTLR: [u32; 2] = [0xd538_1000, 0xd65f_03c0];

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

impl CpuRun {
    /// It was started, and nobody called it yet.
    const fn is_outside(&self) -> bool {
        matches!(self.state, CpuState::Absent) && !self.inside
    }

    /// It was called and has not said what became of it.
    const fn is_expected(&self) -> bool {
        matches!(self.state, CpuState::Absent) && self.inside
    }
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
        parked::check(proxy, cpus)?;
    }
    // A stop between the start and the first call would leave CPUs of which nobody can tell how they wait: the next run would
    // have to refuse them.
    proxy.held(|proxy| start_and_ask(proxy, &mut runs))?;
    Ok(runs)
}

/// Starts them, and calls each once.
fn start_and_ask(proxy: &mut Proxy<'_>, runs: &mut [CpuRun]) -> Result<(), Error> {
    if runs.len() > 1 {
        // Before the start: where fast IPIs do not work, a CPU that waits in WFI is never heard of again.
        proxy.op(Op::SmpSetWfeMode, &[1])?;
        proxy.start_secondaries()?;
    }
    let boot = runs.first().map(|r| r.adt_id);
    for run in runs.iter_mut().skip(1) {
        // A call to a CPU that is not there never returns, nor one to the boot CPU under a second name.
        if Some(run.adt_id) != boot && proxy.is_alive(run.adt_id)? {
            proxy
                .op(Op::MmuInitSecondary, &[run.adt_id.into()])
                .map_err(|e| e.about_cpu(run.id))?;
            run.state = CpuState::Absent;
        }
    }
    find_mmus_off(proxy, runs)
}

/// A CPU whose MMU is still off cannot fetch from the alias that the firmware runs at: it would fault in the loader. So
/// each one is asked for its SCTLR by a few instructions at their plain address. Where SPRR is on, plain memory is not
/// executable: there the loader's word has to do.
fn find_mmus_off(proxy: &mut Proxy<'_>, runs: &mut [CpuRun]) -> Result<(), Error> {
    if runs.iter().all(|r| r.state != CpuState::Absent) || plain_memory_not_executable(proxy)? {
        return Ok(());
    }
    let code: Vec<u8> = READ_SCTLR.iter().flat_map(|w| w.to_le_bytes()).collect();
    let addr = proxy.memalign(0x40, 0x40)?;
    proxy.write_memory(addr, &code)?;
    // To memory, not only to where caches meet: a CPU without MMU fetches past the caches.
    proxy.op(Op::DcCvac, &[addr, 0x40])?;
    proxy.sync_code(addr, 0x40)?;
    for run in runs.iter_mut().filter(|r| r.state == CpuState::Absent) {
        let sctlr = proxy
            .op(Op::SmpCallSync, &[run.adt_id.into(), addr])
            .map_err(|e| e.about_cpu(run.id))?;
        if sctlr & 1 == 0 {
            run.state = CpuState::NoMmu;
        }
    }
    Ok(proxy.free(addr)?)
}

fn plain_memory_not_executable(proxy: &mut Proxy<'_>) -> Result<bool, Error> {
    let record = match proxy.op(Op::GetCpuFeatures, &[FEATURES_SIZE as u64]) {
        Ok(0) | Err(ProxyError::UnknownOp { .. }) => return Ok(true),
        Ok(record) => record,
        Err(e) => return Err(e.into()),
    };
    let mut features = [0; FEATURES_SIZE];
    proxy.read_memory(record, &mut features)?;
    Ok(features[FEATURES_SPRR] != 0)
}

/// Sends secondaries in, one after the other, until one is ready: the firmware needs a CPU beside the boot CPU to find out
/// whether waiting CPUs can sleep. Its logical id; `None` if every one was tried and none is ready.
///
/// # Errors
/// Those of [`enter_others`].
pub fn enter_first(
    proxy: &mut Proxy<'_>,
    memory: &Memory,
    runs: &mut [CpuRun],
) -> Result<Option<u8>, Error> {
    for run in runs.iter_mut().skip(1).filter(|r| r.is_outside()) {
        send_in(proxy, memory, run)?;
        arrive(proxy, memory, run)?;
        if run.state == CpuState::Running {
            return Ok(Some(run.id));
        }
    }
    Ok(None)
}

/// Sends every secondary that lives and was not sent before into the worker loop and waits for each to say so; after a stop no
/// more of them are sent.
///
/// # Errors
/// [`SessionError`] if one refuses its memory or stops with a fault; errors of the link.
pub fn enter_others(
    proxy: &mut Proxy<'_>,
    memory: &Memory,
    runs: &mut [CpuRun],
    stop: &dyn Fn() -> bool,
) -> Result<(), Error> {
    for run in runs.iter_mut().skip(1).filter(|r| r.is_outside()) {
        if stop() {
            break;
        }
        send_in(proxy, memory, run)?;
    }
    // One that did not come in its own time may have come since.
    for run in runs.iter_mut().skip(1).filter(|r| r.is_expected()) {
        arrive(proxy, memory, run)?;
    }
    Ok(())
}

/// Calls a secondary into the worker loop.
fn send_in(proxy: &mut Proxy<'_>, memory: &Memory, run: &mut CpuRun) -> Result<(), Error> {
    // Whatever becomes of the call, the CPU may be there from now on.
    run.inside = true;
    let args = [memory.context, run.id.into(), 0, 0];
    let entry = memory.worker_entry;
    let about = |e: ProxyError| e.about_cpu(run.id);
    if !proxy.smp_call(run.adt_id, entry, args).map_err(about)? {
        // The call was lost, or only the answer to it: the CPU itself tells which.
        let state = poll(proxy, memory, run.id, ARRIVAL, |w| w != Some(Word::Absent))?;
        if state == Some(Word::Absent) {
            proxy.smp_call(run.adt_id, entry, args).map_err(about)?;
        }
    }
    Ok(())
}

/// Waits until a secondary that was called says what became of it.
fn arrive(proxy: &mut Proxy<'_>, memory: &Memory, run: &mut CpuRun) -> Result<(), Error> {
    match poll(proxy, memory, run.id, PATIENCE, |w| w != Some(Word::Absent))? {
        Some(Word::Ready) => run.state = CpuState::Running,
        Some(Word::NoMmu) => {
            run.state = CpuState::NoMmu;
            wait_home(proxy, run)?;
        }
        Some(Word::Faulted) => return Err(fault(proxy, memory, run.id)?.into()),
        Some(Word::BadContext) => return Err(SessionError::BadContext.into()),
        _ => {}
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
        match poll(proxy, memory, run.id, PATIENCE, gone)? {
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
    patience: Duration,
    done: impl Fn(Option<Word>) -> bool,
) -> Result<Option<Word>, Error> {
    let word = region(memory, id) + offset_of!(CpuBlock, state) as u64;
    let end = proxy.now() + patience;
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
