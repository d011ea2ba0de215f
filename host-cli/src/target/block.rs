//! The controller's registers through the loader, read and written while no firmware is there.

use aic_regs::aic::Bank;
use protocol::LineId;

use super::Target;
use crate::error::Error;
use crate::proxy::{Op, Proxy};

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

/// What became of a bit that was set and cleared through a pair of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Both registers showed it set, then both showed it clear.
    pub works: bool,
    /// `watched` changed with it.
    pub seen_at_watched: bool,
}

impl Pair {
    const NONE: Self = Self {
        works: false,
        seen_at_watched: false,
    };
}

/// Unmasks and masks a line that is low and clear, and looks at its mask through both registers and at the bit at `watched`,
/// another line's. Its mask is as before at the end.
pub fn try_mask_pair(
    block: &mut Block<'_, '_>,
    at: LineBits,
    watched: Option<u64>,
) -> Result<Pair, Error> {
    let Some(was_masked) = mask_if_pairs(block, at)? else {
        return Ok(Pair::NONE);
    };
    let watch = |block: &mut Block<'_, '_>| match watched {
        Some(offset) => block.read(offset).map(|word| word & at.bit),
        None => Ok(0),
    };
    block.write(at.mask_set, at.bit)?;
    let (set, there) = (both(block, at.mask_set, at.mask_clr)?, watch(block)?);
    block.write(at.mask_clr, at.bit)?;
    let (clear, then) = (both(block, at.mask_set, at.mask_clr)?, watch(block)?);
    if was_masked {
        block.write(at.mask_set, at.bit)?;
    }
    Ok(Pair {
        works: is(set, at, true) && is(clear, at, false),
        seen_at_watched: there != then,
    })
}

/// Sets and clears the software state of a line that is masked meanwhile, and looks at it through both registers. Everything
/// is as before at the end.
pub fn try_software_pair(block: &mut Block<'_, '_>, at: LineBits) -> Result<bool, Error> {
    let Some(was_masked) = mask_if_pairs(block, at)? else {
        return Ok(false);
    };
    block.write(at.mask_set, at.bit)?;
    let before = both(block, at.sw_set, at.sw_clr)?;
    block.write(at.sw_set, at.bit)?;
    let set = both(block, at.sw_set, at.sw_clr)?;
    block.write(at.sw_clr, at.bit)?;
    let cleared = both(block, at.sw_set, at.sw_clr)?;
    if !was_masked {
        block.write(at.mask_clr, at.bit)?;
    }
    Ok(is(before, at, false) && is(set, at, true) && is(cleared, at, false))
}

/// Whether the line is masked; `None` where its registers are no pairs, so that nobody knows what a write would do there.
fn mask_if_pairs(block: &mut Block<'_, '_>, at: LineBits) -> Result<Option<bool>, Error> {
    let software = both(block, at.sw_set, at.sw_clr)?;
    let mask = both(block, at.mask_set, at.mask_clr)?;
    let pairs = software.0 == software.1 && mask.0 == mask.1;
    // One that is set would be delivered while it is unmasked.
    Ok((pairs && software.0 & at.bit == 0).then_some(mask.0 & at.bit != 0))
}

fn both(block: &mut Block<'_, '_>, a: u64, b: u64) -> Result<(u32, u32), Error> {
    Ok((block.read(a)?, block.read(b)?))
}

fn is(words: (u32, u32), at: LineBits, on: bool) -> bool {
    [words.0, words.1].iter().all(|w| (w & at.bit != 0) == on)
}
