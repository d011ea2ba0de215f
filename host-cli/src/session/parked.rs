//! Secondaries that somebody has started before: an earlier run of ours, or another client.
//!
//! One that was started before P_SMP_SET_WFE_MODE(1) waits in WFI. On M4 and later it loses its registers there (third
//! party), and whatever wakes it, that very request included, may end the loader. Where it waits cannot be asked. But
//! P_SMP_WAIT, which wakes nobody, gives what the last function on it returned: a CPU that has come back from a call has
//! survived being woken, so it waits in WFE, and with it all others, since the loader has one mode for all and wakes them to
//! change it. Workers of ours return a state that is never 0.

use std::time::Duration;

use aic_regs::sysreg::Midr;

use crate::error::Error;
use crate::proxy::{Op, Proxy, ProxyError};
use crate::target::CpuFacts;

use super::SessionError;
use super::memory::EXECUTABLE;

/// A worker whose host died goes home after five seconds and the longest trigger of its plan.
const HOME: Duration = Duration::from_secs(8);
/// `mrs x0, midr_el1`, `ret`.
const READ_MIDR: [u32; 2] = [0xd538_0000, 0xd65f_03c0];
/// Part number of the first core that loses registers in WFI: M4's E core (third party; parts of later ones are higher).
const FIRST_TO_LOSE: u16 = 0x52;
/// Deadline of reading MIDR.
const QUICK: Duration = Duration::from_secs(1);

/// Looks at every secondary that is up already, and waits until it has come home from whatever it is in. To be called
/// before P_SMP_SET_WFE_MODE; changes nothing.
///
/// # Errors
/// [`SessionError::Busy`] for a CPU that does not come home, [`SessionError::StartedElsewhere`] where waking one could end the
/// loader; errors of the link.
pub fn check(proxy: &mut Proxy<'_>, cpus: &[CpuFacts]) -> Result<(), Error> {
    let boot = cpus.first().map(|c| c.adt_id);
    let (mut unknown, mut proven) = (Vec::new(), false);
    for cpu in cpus.iter().skip(1).filter(|c| Some(c.adt_id) != boot) {
        if !proxy.is_alive(cpu.adt_id)? {
            continue;
        }
        // A call to a busy CPU would be lost, and the loader with it.
        let returned = match proxy.op_within(Op::SmpWait, &[cpu.adt_id.into()], HOME) {
            Err(ProxyError::Timeout { .. }) => {
                let seconds = HOME.as_secs();
                return Err(SessionError::Busy {
                    cpu: cpu.id,
                    seconds,
                }
                .into());
            }
            other => other?,
        };
        match returned {
            0 => unknown.push(cpu.id),
            _ => proven = true,
        }
    }
    // Cores that keep their registers can be woken from either.
    if !unknown.is_empty() && !proven && loses_registers_in_wfi(proxy)? {
        return Err(SessionError::StartedElsewhere { cpus: unknown }.into());
    }
    Ok(())
}

/// "CPU 1", "CPUs 1, 2".
pub fn named(cpus: &[u8]) -> String {
    let list: Vec<String> = cpus.iter().map(ToString::to_string).collect();
    let plural = if cpus.len() > 1 { "s" } else { "" };
    format!("CPU{plural} {}", list.join(", "))
}

/// What the boot CPU's core says: all cores of a machine are of one generation.
fn loses_registers_in_wfi(proxy: &mut Proxy<'_>) -> Result<bool, Error> {
    let code: Vec<u8> = READ_MIDR.iter().flat_map(|w| w.to_le_bytes()).collect();
    let addr = proxy.memalign(0x40, 0x40)?;
    proxy.write_memory(addr, &code)?;
    proxy.sync_code(addr, 0x40)?;
    let midr = proxy.call(addr | EXECUTABLE, [0; 5], QUICK)?;
    proxy.free(addr)?;
    // An answer that got lost counts as the careful one.
    Ok(midr.is_none_or(|word| Midr(word).part() >= FIRST_TO_LOSE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_by_name() {
        assert_eq!(named(&[3]), "CPU 3");
        assert_eq!(named(&[1, 2]), "CPUs 1, 2");
    }
}
