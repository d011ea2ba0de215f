//! The controller's registers through the loader, while no firmware is there.

use aic_regs::aic::Bank;
use protocol::LineId;

use crate::error::Error;
use crate::proxy::{Op, Proxy};
use crate::target::Target;

/// IRQ_CFG or TARGET_CPU of a line.
pub fn routing_word(proxy: &mut Proxy<'_>, target: &Target, line: LineId) -> Result<u32, Error> {
    Ok(proxy.read32(target.aic.base + routing_offset(target, line))?)
}

/// Its offset.
pub fn routing_offset(target: &Target, line: LineId) -> u64 {
    let g = &target.aic.geometry;
    u64::from(g.irq_cfg)
        + u64::from(line.die) * u64::from(g.cfg_stride)
        + u64::from(line.number) * 4
}

/// Access to the block by offset.
pub struct Block<'b, 'l> {
    pub proxy: &'b mut Proxy<'l>,
    pub base: u64,
}

impl Block<'_, '_> {
    pub fn read(&mut self, offset: u64) -> Result<u32, Error> {
        Ok(self.proxy.read32(self.base + offset)?)
    }

    pub fn write(&mut self, offset: u64, value: u32) -> Result<(), Error> {
        let args = [self.base + offset, value.into()];
        self.proxy.op(Op::Write32, &args)?;
        Ok(())
    }
}

/// Offsets of the words of one line's bit.
#[derive(Clone, Copy, Debug)]
pub struct LineBits {
    pub sw_set: u64,
    pub sw_clr: u64,
    pub mask_set: u64,
    pub mask_clr: u64,
    pub hw_state: u64,
    pub bit: u32,
}

impl LineBits {
    /// Of a line that the geometry has room for.
    pub fn of(target: &Target, line: LineId) -> Self {
        let g = &target.aic.geometry;
        let word = u64::from(line.number) / 32 * 4;
        let die = u64::from(line.die);
        let at = |bank| u64::from(g.bank_start(bank)) + die * u64::from(g.bank_stride(bank)) + word;
        Self {
            sw_set: at(Bank::SwSet),
            sw_clr: at(Bank::SwClr),
            mask_set: at(Bank::MaskSet),
            mask_clr: at(Bank::MaskClr),
            hw_state: at(Bank::HwState),
            bit: 1 << (line.number % 32),
        }
    }

    /// The same `bytes` further on: another die's, with one stride for all banks.
    pub const fn moved(self, bytes: u64) -> Self {
        Self {
            sw_set: self.sw_set + bytes,
            sw_clr: self.sw_clr + bytes,
            mask_set: self.mask_set + bytes,
            mask_clr: self.mask_clr + bytes,
            hw_state: self.hw_state + bytes,
            bit: self.bit,
        }
    }
}

/// What became of a software bit that was set and cleared through a pair of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Both registers showed it set, then both showed it clear.
    pub works: bool,
    /// `watched` showed it too.
    pub seen_at_watched: bool,
}

/// Sets and clears the software state of a line that is masked meanwhile, and looks at it through both registers and at
/// `watched`. Everything is as before at the end.
pub fn try_pair(
    block: &mut Block<'_, '_>,
    at: LineBits,
    watched: Option<u64>,
) -> Result<Pair, Error> {
    let was_masked = block.read(at.mask_set)? & at.bit != 0;
    block.write(at.mask_set, at.bit)?;
    let before = (block.read(at.sw_set)?, block.read(at.sw_clr)?);
    block.write(at.sw_set, at.bit)?;
    let set = (block.read(at.sw_set)?, block.read(at.sw_clr)?);
    let seen = match watched {
        Some(offset) => block.read(offset)? & at.bit != 0,
        None => false,
    };
    block.write(at.sw_clr, at.bit)?;
    let cleared = (block.read(at.sw_set)?, block.read(at.sw_clr)?);
    if !was_masked {
        block.write(at.mask_clr, at.bit)?;
    }
    let is =
        |words: (u32, u32), on: bool| [words.0, words.1].iter().all(|w| (w & at.bit != 0) == on);
    Ok(Pair {
        works: is(before, false) && is(set, true) && is(cleared, false),
        seen_at_watched: seen,
    })
}
