//! What a record says in the words of a SoC's file.

use crate::result::Cpu;
use crate::socs::Class;
use crate::verify;

/// SIQ_CFG bits \[1:0\] of a CPU as found; `None` if it was not read.
pub(super) fn field(cpu: &Cpu) -> Option<u8> {
    let digits = cpu.siq_cfg.as_deref()?.strip_prefix("0x")?;
    let value = u64::from_str_radix(digits, 16).ok()?;
    Some((value & 3) as u8)
}

/// The class as files name it.
pub(super) const fn class(class: verify::Class) -> Class {
    match class {
        verify::Class::Preferred => Class::Preferred,
        verify::Class::Normal => Class::Normal,
        verify::Class::Fallback => Class::Fallback,
        verify::Class::Never => Class::Never,
    }
}
