//! Guest RAM, and what all cores share about it: decoded code, exclusive monitors, event registers.

use crate::cpu::code::CodeCache;
use crate::cpu::monitor::Monitors;

/// An address range that is not wholly inside RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{addr:#x}+{len:#x} is not in RAM ({base:#x}+{size:#x})")]
pub struct OutOfRam {
    /// First physical address asked for.
    pub addr: u64,
    /// Length in bytes.
    pub len: u64,
    /// Where RAM starts.
    pub base: u64,
    /// Size of RAM in bytes.
    pub size: u64,
}

/// Guest memory, addressed by physical address, little-endian.
///
/// The write methods act like a store by an observer outside the cores: they clear exclusive monitors (and so
/// wake a CPU that waits for one in WFE) and drop decoded instructions.
pub struct Ram {
    base: u64,
    pub(crate) data: Vec<u8>,
    pub(crate) code: CodeCache,
    pub(crate) monitors: Monitors,
    /// Counts the changes that make cores' translation caches wrong; a core that has seen less empties its own.
    pub(crate) epoch: u64,
}

macro_rules! typed {
    ($read:ident, $write:ident, $t:ty) => {
        /// Reads a little-endian value; no alignment is required.
        ///
        /// # Errors
        /// [`OutOfRam`] if any byte is outside.
        pub fn $read(&self, pa: u64) -> Result<$t, OutOfRam> {
            let mut b = [0; size_of::<$t>()];
            self.read(pa, &mut b)?;
            Ok(<$t>::from_le_bytes(b))
        }
        /// Writes a little-endian value; no alignment is required.
        ///
        /// # Errors
        /// [`OutOfRam`] if any byte is outside (nothing is written then).
        pub fn $write(&mut self, pa: u64, value: $t) -> Result<(), OutOfRam> {
            self.write(pa, &value.to_le_bytes())
        }
    };
}

impl Ram {
    /// `size` bytes (rounded up to 4 KiB) of zeroed memory at `base`, shared by `cores` cores.
    pub(crate) fn new(base: u64, size: u64, cores: usize) -> Self {
        let size = size.next_multiple_of(0x1000);
        Ram {
            base,
            data: vec![0; size as usize],
            code: CodeCache::new(size),
            monitors: Monitors::new(cores),
            epoch: 0,
        }
    }

    /// Physical address of the first byte.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.data.len() as u64
    }

    /// True if all of `len` bytes at `pa` are RAM.
    pub fn contains(&self, pa: u64, len: u64) -> bool {
        self.offset(pa, len).is_ok()
    }

    fn offset(&self, pa: u64, len: u64) -> Result<usize, OutOfRam> {
        let err = OutOfRam {
            addr: pa,
            len,
            base: self.base,
            size: self.size(),
        };
        let off = pa.checked_sub(self.base).ok_or(err)?;
        match off.checked_add(len) {
            Some(end) if end <= self.size() => Ok(off as usize),
            _ => Err(err),
        }
    }

    /// The bytes at `pa`.
    ///
    /// # Errors
    /// [`OutOfRam`] if any byte is outside.
    pub fn bytes(&self, pa: u64, len: u64) -> Result<&[u8], OutOfRam> {
        let off = self.offset(pa, len)?;
        Ok(&self.data[off..off + len as usize])
    }

    /// Fills `buf` from `pa`.
    ///
    /// # Errors
    /// [`OutOfRam`] if any byte is outside.
    pub fn read(&self, pa: u64, buf: &mut [u8]) -> Result<(), OutOfRam> {
        buf.copy_from_slice(self.bytes(pa, buf.len() as u64)?);
        Ok(())
    }

    /// Writes `bytes` at `pa`.
    ///
    /// # Errors
    /// [`OutOfRam`] if any byte is outside (nothing is written then).
    pub fn write(&mut self, pa: u64, bytes: &[u8]) -> Result<(), OutOfRam> {
        let off = self.offset(pa, bytes.len() as u64)?;
        self.stored(None, off as u64, bytes.len() as u64);
        self.data[off..off + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    /// Sets `len` bytes at `pa` to `value`.
    ///
    /// # Errors
    /// [`OutOfRam`] if any byte is outside (nothing is written then).
    pub fn fill(&mut self, pa: u64, len: u64, value: u8) -> Result<(), OutOfRam> {
        let off = self.offset(pa, len)?;
        self.stored(None, off as u64, len);
        self.data[off..off + len as usize].fill(value);
        Ok(())
    }

    /// Tells monitors and code cache of a store by `cpu` (`None`: from outside) to `len` bytes at RAM offset `off`.
    pub(crate) fn stored(&mut self, cpu: Option<usize>, off: u64, len: u64) {
        self.monitors.store(cpu, off, len);
        if self.code.written(off, len) {
            self.epoch += 1;
        }
    }

    typed!(read_u8, write_u8, u8);
    typed!(read_u16, write_u16, u16);
    typed!(read_u32, write_u32, u32);
    typed!(read_u64, write_u64, u64);
}
