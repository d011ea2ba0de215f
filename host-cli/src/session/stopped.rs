//! Whether SIQ_CFG of a secondary outlives a stop of it.
//!
//! No CPU is in the firmware: a few instructions are called on each secondary by the loader. To be used only where the register is known
//! to be readable and writable on every CPU; nothing catches a trap here.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::proxy::{Op, Proxy};
use crate::result::CpuState;
use crate::target::CpuFacts;

use super::cpus;
use super::memory::EXECUTABLE;

/// `mrs x0, siq_cfg_el1`, `movz x1, #0x8000, lsl #48`, `orr x0, x0, x1`, `ret`: never 0, which stands for a CPU that has not come
/// back from a call.
const READ: [u32; 4] = [0xd53c_fa80, 0xd2f0_0001, 0xaa01_0000, 0xd65f_03c0];
/// `msr siq_cfg_el1, x0`, `isb`, and the same.
const WRITE: [u32; 6] = [
    0xd51c_fa80,
    0xd503_3fdf,
    0xd53c_fa80,
    0xd2f0_0001,
    0xaa01_0000,
    0xd65f_03c0,
];
const MARK: u64 = 1 << 63;
/// Place of the second routine behind the first, in bytes.
const SECOND: u64 = 0x20;
/// Room for both.
const ROOM: u64 = 0x40;
/// Bits of SIQ_CFG that are the routing field.
const FIELD: u64 = 3;
/// How long the loader may take to stop all secondaries.
const STOP_DEADLINE: Duration = Duration::from_secs(5);

/// What became of one CPU's field; values are whole registers, as found with bits \[1:0\] changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Survived {
    /// Logical id.
    pub cpu: u8,
    /// Before anything was written.
    pub found: u64,
    /// Read back after the write.
    pub written: u64,
    /// After stop and start; `None` for a CPU that did not come back.
    pub after: Option<u64>,
    /// Whether the value found was put back and reads so.
    pub restored: bool,
}

/// Writes another field to every secondary that runs, stops and starts them, and reads it. Puts back what was found. A CPU that is in a
/// call of somebody else, or not up, is left out.
///
/// # Errors
/// Errors of the link; secondaries that cannot be started, as at the start of a session.
pub fn stop_and_start(proxy: &mut Proxy<'_>, cpus: &[CpuFacts]) -> Result<Vec<Survived>, Error> {
    let runs = cpus::start(proxy, cpus)?;
    // What was begun is ended, whatever the user wants meanwhile.
    proxy.held(|proxy| {
        let code = proxy.memalign(ROOM, ROOM)?;
        let bytes =
            |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
        proxy.write_memory(code, &bytes(&READ))?;
        proxy.write_memory(code + SECOND, &bytes(&WRITE))?;
        proxy.sync_code(code, ROOM)?;
        let ready: Vec<(u8, u32)> = runs
            .iter()
            .skip(1)
            .filter(|r| r.state == CpuState::Absent)
            .map(|r| (r.id, r.adt_id))
            .collect();
        // What went wrong first is told; a loader that does not answer any more is not asked again.
        let survived = measure(proxy, cpus, &ready, code | EXECUTABLE)?;
        proxy.free(code)?;
        Ok(survived)
    })
}

fn measure(
    proxy: &mut Proxy<'_>,
    cpus: &[CpuFacts],
    ready: &[(u8, u32)],
    code: u64,
) -> Result<Vec<Survived>, Error> {
    let mut all = Vec::new();
    for (cpu, index) in ready {
        let found = call(proxy, *cpu, *index, code, 0)?;
        // The lowest bit flipped is another value, and 3 becomes 2: one that other CPUs have on other machines.
        let written = call(proxy, *cpu, *index, code + SECOND, found ^ 1)?;
        all.push(Survived {
            cpu: *cpu,
            found,
            written,
            after: None,
            restored: false,
        });
    }
    if all.is_empty() {
        return Ok(all);
    }
    proxy.op_within(Op::SmpStopSecondaries, &[0], STOP_DEADLINE)?;
    let back = cpus::start(proxy, cpus)?;
    for s in &mut all {
        let run = back.iter().find(|r| r.id == s.cpu);
        let Some(run) = run.filter(|r| r.state == CpuState::Absent) else {
            continue;
        };
        let after = call(proxy, s.cpu, run.adt_id, code, 0)?;
        s.after = Some(after);
        let now = if after == s.found {
            after
        } else {
            call(proxy, s.cpu, run.adt_id, code + SECOND, s.found)?
        };
        s.restored = now == s.found;
    }
    Ok(all)
}

/// Calls one of the routines on a CPU that is up and in no call.
fn call(proxy: &mut Proxy<'_>, cpu: u8, index: u32, code: u64, value: u64) -> Result<u64, Error> {
    let word = proxy
        .op(Op::SmpCallSync, &[index.into(), code, value])
        .map_err(|e| e.about_cpu(cpu))?;
    Ok(word & !MARK)
}

impl Survived {
    /// Whether the value that was written was there afterwards; `None` if nothing can be told: the CPU did not come back, or the write did not
    /// take.
    #[must_use]
    pub const fn survived(&self) -> Option<bool> {
        match self.after {
            Some(after) if self.written & FIELD != self.found & FIELD => {
                Some(after & FIELD == self.written & FIELD)
            }
            _ => None,
        }
    }
}
