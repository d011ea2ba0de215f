//! CPUs that an earlier session has left in the firmware.
//!
//! A host that dies leaves its workers waiting; they go home when no slice comes for some seconds. Until then the loader
//! must not be asked to call them: it would wait for ever. The loader does not say that a CPU is busy, but the memory of
//! the session that died was never given back, so that it lies near what the loader gives out next.

use std::mem::offset_of;
use std::time::Duration;

use protocol::PROTOCOL_VERSION;
use protocol::context::{ALIGN, Control, CpuBlock, CpuState, MAGIC, cpu};

use crate::error::Error;
use crate::proxy::{Proxy, ProxyError};
use crate::result::Mark;
use crate::target::CpuFacts;

use super::SessionError;
use super::observe::{Event, Observer};

/// How far before and behind new memory to look, in steps of [`ALIGN`]: more than a session of the most CPUs takes.
const BEFORE: u64 = 48;
const BEHIND: u64 = 8;
/// Longest wait, whatever the words in memory say.
const MOST_PATIENCE: Duration = Duration::from_secs(60);
/// Times of going home without a slice that a worker may take: the clock of a virtual machine may be slower than ours.
const PATIENCE: u32 = 3;
/// Beside that.
const ON_THE_WAY: Duration = Duration::from_secs(1);
/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// Waits until no CPU is in the firmware of an earlier session; what has to be said about the result if one was.
///
/// # Errors
/// [`SessionError::Stuck`] if one does not leave; [`ProxyError::Interrupted`]; errors of the link.
pub fn wait(
    proxy: &mut Proxy<'_>,
    cpus: &[CpuFacts],
    observer: &mut dyn Observer,
) -> Result<Option<Mark>, Error> {
    if !any_is_up(proxy, cpus)? {
        // Nobody can be inside. Memory may still hold the words of a session before the last restart.
        return Ok(None);
    }
    let near = proxy.memalign(ALIGN, ALIGN)?;
    let found = look(proxy, near);
    proxy.free(near)?;
    let Some((block, inside)) = found? else {
        return Ok(None);
    };
    observer.on(Event::Step(
        "a CPU is still inside a probe whose host died: waiting until it leaves",
    ));
    let told = read(proxy, block + offset_of!(Control, worker_timeout_ms) as u64)?;
    let patience =
        Duration::from_millis(told.unwrap_or(0)).min(MOST_PATIENCE) * PATIENCE + ON_THE_WAY;
    let end = proxy.now() + patience;
    let mut left = inside;
    while !left.is_empty() && proxy.now() < end {
        proxy.check_stop("the wait for a CPU")?;
        proxy.pause(PAUSE)?;
        let mut still = Vec::new();
        for id in left {
            if state(proxy, block, id)? == Some(CpuState::Ready) {
                still.push(id);
            }
        }
        left = still;
    }
    if let Some(id) = left.first() {
        // After a restart no secondary is up, so that whatever memory says is not asked then.
        let (cpu, state) = (*id as u8, Some(CpuState::Ready));
        return Err(SessionError::Stuck { cpu, state }.into());
    }
    let text = "a session before this one had ended without putting the target back; its CPUs have left the firmware since";
    Ok(Some(Mark::note("cpus", text.to_owned())))
}

fn any_is_up(proxy: &mut Proxy<'_>, cpus: &[CpuFacts]) -> Result<bool, Error> {
    for cpu in cpus.iter().filter(|c| !c.boot) {
        if proxy.is_alive(cpu.adt_id)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The block of a session whose CPUs are inside, and their ids.
fn look(proxy: &mut Proxy<'_>, near: u64) -> Result<Option<(u64, Vec<usize>)>, Error> {
    // The loader's heap is behind the loader.
    let first = near.saturating_sub(BEFORE * ALIGN).max(proxy.base()?);
    let mut block = first.next_multiple_of(ALIGN);
    while block <= near + BEHIND * ALIGN {
        proxy.check_stop("the look for earlier sessions")?;
        let word = |offset: usize| block + offset as u64;
        if read(proxy, word(offset_of!(Control, magic)))? == Some(MAGIC)
            && read(proxy, word(offset_of!(Control, protocol)))? == Some(PROTOCOL_VERSION.into())
        {
            let count = read(proxy, word(offset_of!(Control, cpus)))?.unwrap_or(0);
            let count = (count as usize).min(protocol::MAX_CPUS);
            let mut inside = Vec::new();
            for id in 1..count {
                if state(proxy, block, id)? == Some(CpuState::Ready) {
                    inside.push(id);
                }
            }
            if !inside.is_empty() {
                return Ok(Some((block, inside)));
            }
        }
        block += ALIGN;
    }
    Ok(None)
}

fn state(proxy: &mut Proxy<'_>, block: u64, id: usize) -> Result<Option<CpuState>, Error> {
    let word = block + cpu(id) + offset_of!(CpuBlock, state) as u64;
    Ok(read(proxy, word)?.and_then(CpuState::from_word))
}

/// A word; `None` where there is no memory.
fn read(proxy: &mut Proxy<'_>, addr: u64) -> Result<Option<u64>, Error> {
    match proxy.read64(addr) {
        Ok(word) => Ok(Some(word)),
        Err(ProxyError::AccessFault { .. }) => Ok(None),
        Err(e) => Err(e.into()),
    }
}
