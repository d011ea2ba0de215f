//! Target memory of a session: the image, and the block that host and firmware share.

use std::mem::offset_of;

use protocol::context::{self, AicWords, Control, MAGIC};
use protocol::{PROTOCOL_VERSION, SCHEMA_HASH};

use aic_regs::aic::Generation;

use crate::error::Error;
use crate::firmware::Firmware;
use crate::proxy::{Proxy, ProxyError};
use crate::target::AicFacts;

use super::SessionError;

/// Alias of memory at which the loader maps code: executable, never writable (third party: m1n1 `src/memory.h`,
/// REGION_RX_EL1).
pub(super) const EXECUTABLE: u64 = 0xc00_0000_0000;
/// A worker that sees no slice for this long, beside the longest trigger of the plan, goes home: its host died.
const WORKER_TIMEOUT_MS: u64 = 5_000;

/// Memory that each loaded CPU works on, in bytes: more than a first-level cache of any known core (128 KiB, third party).
const HAMMER: u64 = 0x8_0000;

/// Where everything is.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Physical address of the image.
    pub image: u64,
    /// Physical address of the shared block.
    pub context: u64,
    /// Address of the boot CPU's entry.
    pub boot_entry: u64,
    /// Address of the workers' entry.
    pub worker_entry: u64,
    /// Physical address of what loaded CPUs work on; 0 = none.
    pub hammer: u64,
}

impl Memory {
    /// Takes memory from the loader, writes the image and the constant words of the block.
    ///
    /// # Errors
    /// [`SessionError::Upload`] if it does not read back; [`ProxyError::Interrupted`], then the memory is given back; errors
    /// of the link.
    pub fn set_up(
        proxy: &mut Proxy<'_>,
        firmware: &Firmware,
        aic: &AicFacts,
        cpus: usize,
        longest_trigger_us: u64,
        hammers: bool,
    ) -> Result<Self, Error> {
        let len = firmware.image.len() as u64;
        let image = proxy.memalign(context::ALIGN, len.next_multiple_of(context::ALIGN))?;
        let block = proxy.memalign(context::ALIGN, context::size(cpus))?;
        let hammer = if hammers {
            proxy.memalign(context::ALIGN, HAMMER * cpus as u64)?
        } else {
            0
        };
        let run = image | EXECUTABLE;
        let memory = Self {
            image,
            context: block,
            boot_entry: run + u64::from(firmware.header.boot_entry),
            worker_entry: run + u64::from(firmware.header.worker_entry),
            hammer,
        };
        let words = words(aic, cpus, longest_trigger_us, hammer);
        match memory.write(proxy, &firmware.relocated(run), context::size(cpus), &words) {
            Ok(()) => Ok(memory),
            Err(e @ Error::Proxy(ProxyError::Interrupted { .. })) => {
                // No CPU knows of it yet.
                proxy.held(|proxy| memory.free(proxy)).and(Err(e))
            }
            Err(e) => Err(e),
        }
    }

    fn write(
        &self,
        proxy: &mut Proxy<'_>,
        image: &[u8],
        block: u64,
        words: &[(usize, u64)],
    ) -> Result<(), Error> {
        proxy.write_memory(self.image, image)?;
        let mut back = vec![0; image.len()];
        proxy.read_memory(self.image, &mut back)?;
        if back != image {
            return Err(SessionError::Upload { addr: self.image }.into());
        }
        proxy.sync_code(self.image, image.len() as u64)?;
        proxy.memset64(self.context, 0, block)?;
        for (offset, value) in words {
            proxy.write64(self.context + *offset as u64, *value)?;
        }
        Ok(())
    }

    /// Gives the memory back.
    ///
    /// # Errors
    /// Errors of the link.
    pub fn free(self, proxy: &mut Proxy<'_>) -> Result<(), Error> {
        if self.hammer != 0 {
            proxy.free(self.hammer)?;
        }
        proxy.free(self.context)?;
        proxy.free(self.image)?;
        Ok(())
    }
}

/// Constant words of the block; the magic last, since it says that the others are there.
fn words(aic: &AicFacts, cpus: usize, longest_trigger_us: u64, hammer: u64) -> [(usize, u64); 18] {
    // A slice cannot begin while a trigger lasts.
    let patience = WORKER_TIMEOUT_MS + longest_trigger_us.div_ceil(1000);
    let g = &aic.geometry;
    let at = |offset: usize| offset_of!(Control, aic) + offset;
    let generation = match g.generation {
        Generation::V1 => 1,
        Generation::V2 => 2,
        Generation::V3 => 3,
    };
    [
        (offset_of!(Control, protocol), u64::from(PROTOCOL_VERSION)),
        (offset_of!(Control, schema), SCHEMA_HASH),
        (offset_of!(Control, cpus), cpus as u64),
        (offset_of!(Control, worker_timeout_ms), patience),
        (offset_of!(Control, hammer), hammer),
        (offset_of!(Control, hammer_size), HAMMER),
        (at(offset_of!(AicWords, base)), aic.base),
        (at(offset_of!(AicWords, generation)), generation),
        (at(offset_of!(AicWords, nr_irq)), g.nr_irq.into()),
        (at(offset_of!(AicWords, max_irq)), g.max_irq.into()),
        (at(offset_of!(AicWords, dies)), g.dies.into()),
        (at(offset_of!(AicWords, config)), g.config.into()),
        (at(offset_of!(AicWords, irq_cfg)), g.irq_cfg.into()),
        (at(offset_of!(AicWords, event)), g.event.into()),
        (at(offset_of!(AicWords, cfg_stride)), g.cfg_stride.into()),
        (at(offset_of!(AicWords, set_stride)), g.set_stride.into()),
        (at(offset_of!(AicWords, clr_stride)), g.clr_stride.into()),
        (offset_of!(Control, magic), MAGIC),
    ]
}
