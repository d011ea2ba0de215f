//! The serial port, as a device whose line can be made high on purpose.
//!
//! Node, offsets and bits: third party (loader sources, and what Linux' driver does with them). The transmit interrupt comes when the
//! last byte leaves the FIFO while it is enabled, so a byte has to be sent; it stays until a 1 is written to its bit.

use std::time::Duration;

use adt::Adt;
use aic_regs::aic::{Bank, Geometry};
use protocol::LineId;

use crate::error::Error;
use crate::proxy::{Op, Proxy};

use super::aic::controller_node;
use super::lines::LineSpace;
use super::text::node_path;
use super::{AicFacts, read_tree};

/// The loader's own number of the UART, if a request came over it.
const LOADERS_UART: u64 = 0;
const UCON: u64 = 0x04;
const UTRSTAT: u64 = 0x10;
const UTXH: u64 = 0x20;
/// UCON: the transmitter works by interrupts, and the one for an empty FIFO is enabled.
const TX_MODE: u32 = 3 << 2;
const TX_BY_INTERRUPT: u32 = 1 << 2;
const ENABLE_TX: u32 = 1 << 13;
/// UTRSTAT: it is pending.
const TX_PENDING: u32 = 1 << 5;
/// What is sent; it shows on no terminal.
const BYTE: u32 = 0;
/// A byte at the slowest usual speed, and more.
const RISE: Duration = Duration::from_millis(20);
const PAUSE: Duration = Duration::from_millis(1);

/// Why the port's line cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UartError {
    /// No port in the device tree.
    #[error(
        "--hw-line uart: the device tree has no /arm-io/uart6 that is the console, nor /arm-io/uart0"
    )]
    NoPort,
    /// It names no line of the controller.
    #[error("--hw-line uart: {path} names no line of the interrupt controller in the device tree")]
    NoLine {
        /// The node.
        path: String,
    },
    /// It has no registers in the device tree.
    #[error("--hw-line uart: {path} has no usable reg in the device tree")]
    NoRegisters {
        /// The node.
        path: String,
    },
    /// The loader is reached over it.
    #[error(
        "--hw-line uart is refused: the loader is reached over that very port, and would lose its link; allowed over USB"
    )]
    IsLink,
    /// Its line is no idle one.
    #[error("--hw-line uart is refused: its line {}:{} is high before anything was enabled", line.die, line.number)]
    High {
        /// The line.
        line: LineId,
    },
    /// Its line is not masked at the controller.
    #[error(
        "--hw-line uart is refused: its line {}:{} is not masked at the controller, somebody uses it",
        line.die, line.number
    )]
    Unmasked {
        /// The line.
        line: LineId,
    },
    /// Its line does not become high.
    #[error("--hw-line uart: line {}:{} did not become high within 20 ms of a byte sent with the transmit interrupt enabled", line.die, line.number)]
    Silent {
        /// The line.
        line: LineId,
    },
}

impl UartError {
    /// Whether it is refused as unsafe; else the target is not usable for it.
    #[must_use]
    pub const fn is_unsafe(&self) -> bool {
        matches!(
            self,
            Self::IsLink | Self::High { .. } | Self::Unmasked { .. }
        )
    }
}

/// The port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uart {
    /// Its node.
    pub path: String,
    /// Physical address.
    pub base: u64,
    /// Its line.
    pub line: LineId,
}

impl Uart {
    /// Finds the console's port; writes nothing.
    ///
    /// # Errors
    /// [`UartError`]; errors of the link and the device tree.
    pub fn find(proxy: &mut Proxy<'_>, aic: &AicFacts) -> Result<Self, Error> {
        let blob = read_tree(proxy, &mut Vec::new())?;
        let tree = Adt::new(&blob).map_err(super::TargetError::DeviceTree)?;
        let uart = Self::from_tree(&tree, &aic.geometry)?;
        if proxy.op(Op::IodevWhoami, &[])? == LOADERS_UART {
            return Err(UartError::IsLink.into());
        }
        // The loader would be given it.
        if !uart.reads(proxy, aic, Bank::MaskSet)? {
            return Err(UartError::Unmasked { line: uart.line }.into());
        }
        Ok(uart)
    }

    fn from_tree(tree: &Adt<'_>, geometry: &Geometry) -> Result<Self, UartError> {
        let console = tree.node("/arm-io/uart6");
        let console = console.filter(|n| n.child("debug-console").is_some());
        let node = console.or_else(|| tree.node("/arm-io/uart0"));
        let node = node.ok_or(UartError::NoPort)?;
        let path = node_path(node);
        let base = node.reg(0).map(|r| r.phys);
        let base = base.ok_or_else(|| UartError::NoRegisters { path: path.clone() })?;
        let aic = controller_node(tree).and_then(|n| n.phandle());
        let mut own = node.interrupts().filter(|i| i.parent == aic);
        let flat = own.find_map(|i| i.number());
        let line = flat.and_then(|flat| LineSpace::from(geometry).line(flat));
        // Real trees list line 0 as a filler.
        let line = line.filter(|line| line.number != 0);
        let line = line.ok_or_else(|| UartError::NoLine { path: path.clone() })?;
        Ok(Self { path, base, line })
    }

    /// Makes its line high.
    ///
    /// # Errors
    /// [`UartError::High`], [`UartError::Silent`]: everything is put back then; errors of the link.
    pub fn raise(&self, proxy: &mut Proxy<'_>, aic: &AicFacts) -> Result<Raised, Error> {
        if self.is_high(proxy, aic)? {
            return Err(UartError::High { line: self.line }.into());
        }
        let ucon = proxy.read32(self.base + UCON)?;
        let raised = Raised { ucon };
        proxy.write32(
            self.base + UCON,
            ucon & !TX_MODE | TX_BY_INTERRUPT | ENABLE_TX,
        )?;
        proxy.write32(self.base + UTXH, BYTE)?;
        let end = proxy.now() + RISE;
        loop {
            if self.is_high(proxy, aic)? {
                return Ok(raised);
            }
            if proxy.now() >= end {
                self.put_back(proxy, raised)?;
                return Err(UartError::Silent { line: self.line }.into());
            }
            proxy.pause(PAUSE)?;
        }
    }

    /// Puts the port back; whether it is as it was found.
    ///
    /// # Errors
    /// Errors of the link.
    pub fn put_back(&self, proxy: &mut Proxy<'_>, raised: Raised) -> Result<bool, Error> {
        proxy.write32(self.base + UCON, raised.ucon)?;
        proxy.write32(self.base + UTRSTAT, TX_PENDING)?;
        Ok(proxy.read32(self.base + UCON)? == raised.ucon)
    }

    fn is_high(&self, proxy: &mut Proxy<'_>, aic: &AicFacts) -> Result<bool, Error> {
        self.reads(proxy, aic, Bank::HwState)
    }

    /// The line's bit in a bank.
    fn reads(&self, proxy: &mut Proxy<'_>, aic: &AicFacts, bank: Bank) -> Result<bool, Error> {
        let LineId { die, number } = self.line;
        let number = u32::from(number);
        let geometry = &aic.geometry;
        let offset = geometry.bank_offset(bank, die, number / 32);
        let Some(offset) = offset else {
            return Ok(false);
        };
        Ok(proxy.read32(aic.base + u64::from(offset))? >> (number % 32) & 1 == 1)
    }
}

/// A port whose line was made high, and what it was like.
#[derive(Clone, Copy, Debug)]
pub struct Raised {
    ucon: u32,
}
