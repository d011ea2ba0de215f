//! Memory as the loader's own code sees it: through its page tables, with faults as answers.

use crate::cpu::Bus;

use super::VirtualTarget;
use super::pages::{ALIAS_EL0_RW, ALIAS_EL0_RWX, ALIAS_RX, DEVICE_ALIAS_SIZE, DEVICE_ALIASES};

/// The access took an exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault;

/// Bits that tell an alias from a physical address.
const ALIAS_BITS: u64 = !0x1ff_ffff_ffff;

enum Place {
    Ram(u64),
    Device(u64),
}

impl VirtualTarget {
    /// What lies at a virtual address, as the tables of `pages` say.
    fn place(&self, va: u64, len: u64, write: bool) -> Result<Place, Fault> {
        let layout = &self.loader.layout;
        let sprr = self.loader.model.sprr;
        let pa = va & !ALIAS_BITS;
        if self.machine.ram.contains(pa, len) {
            let text = layout.loader..layout.loader + layout.loader_text;
            let in_text = pa < text.end && pa + len > text.start;
            let writable = match va & ALIAS_BITS {
                0 => !in_text,
                ALIAS_RX => false,
                ALIAS_EL0_RW => true,
                ALIAS_EL0_RWX => !sprr,
                _ => return Err(Fault),
            };
            return if write && !writable {
                Err(Fault)
            } else {
                Ok(Place::Ram(pa))
            };
        }
        if !va.is_multiple_of(len.max(1)) {
            return Err(Fault);
        }
        let aliased = DEVICE_ALIASES
            .iter()
            .map(|a| va.wrapping_sub(*a))
            .find(|pa| *pa < DEVICE_ALIAS_SIZE);
        match aliased {
            Some(pa) => Ok(Place::Device(pa)),
            None if self.loader.devices.iter().any(|d| d.contains(&va)) => Ok(Place::Device(va)),
            None => Err(Fault),
        }
    }

    /// Read 1, 2, 4 or 8 bytes.
    pub(super) fn load(&mut self, va: u64, size: u8) -> Result<u64, Fault> {
        match self.place(va, size.into(), false)? {
            Place::Ram(pa) => {
                let mut bytes = [0; 8];
                let wanted = bytes.get_mut(..size.into()).ok_or(Fault)?;
                self.machine.ram.read(pa, wanted).map_err(|_| Fault)?;
                Ok(u64::from_le_bytes(bytes))
            }
            Place::Device(pa) => {
                let now = self.machine.now();
                self.machine
                    .bus
                    .mmio_read(0, pa, size, now)
                    .map_err(|_| Fault)
            }
        }
    }

    /// Write 1, 2, 4 or 8 bytes.
    pub(super) fn store(&mut self, va: u64, size: u8, value: u64) -> Result<(), Fault> {
        match self.place(va, size.into(), true)? {
            Place::Ram(pa) => {
                let bytes = value.to_le_bytes();
                self.machine
                    .ram
                    .write(pa, bytes.get(..size.into()).ok_or(Fault)?)
                    .map_err(|_| Fault)
            }
            Place::Device(pa) => {
                let now = self.machine.now();
                let written = self
                    .machine
                    .bus
                    .mmio_write(0, pa, size, value, now)
                    .map_err(|_| Fault);
                self.hardware_requests();
                written
            }
        }
    }

    /// `size` bytes for a MEMREAD or a copy. Device memory is read byte by byte.
    pub(super) fn load_bytes(&mut self, va: u64, size: u64) -> Result<Vec<u8>, Fault> {
        // Every byte must be somewhere; seen from its last byte a range that leaves its region faults at once.
        self.place(va.checked_add(size - 1).ok_or(Fault)?, 1, false)?;
        match self.place(va, size, false) {
            Ok(Place::Ram(pa)) => Ok(self
                .machine
                .ram
                .bytes(pa, size)
                .map_err(|_| Fault)?
                .to_vec()),
            _ => (0..size)
                .map(|i| Ok(self.load(va.wrapping_add(i), 1)? as u8))
                .collect(),
        }
    }

    /// Write bytes; those before a fault are written.
    pub(super) fn store_bytes(&mut self, va: u64, bytes: &[u8]) -> Result<(), Fault> {
        match self.place(va, bytes.len() as u64, true) {
            Ok(Place::Ram(pa)) => self.machine.ram.write(pa, bytes).map_err(|_| Fault),
            _ => bytes
                .iter()
                .enumerate()
                .try_for_each(|(i, b)| self.store(va.wrapping_add(i as u64), 1, (*b).into())),
        }
    }
}
