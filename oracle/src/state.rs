//! What both sides start from and what is compared afterwards.

use std::fmt;

/// Address of the code pages, which are read-only; also the start of the virtual machine's RAM.
pub const CODE: u64 = 0x1_0000_0000;
/// Size of the code pages.
pub const CODE_SIZE: u64 = 0x1_0000;
/// Address of the data pages, which are not executable. Nothing else is mapped.
pub const DATA: u64 = CODE + 0x4_0000;
/// Size of the data pages.
pub const DATA_SIZE: u64 = 0x1_0000;
/// Pointers lie near the middle, so that the largest scaled offset (4095 * 8) stays inside.
pub const DATA_MID: u64 = DATA + DATA_SIZE / 2 - 0x200;

/// Physical addresses of the oracle end here (its ID_AA64MMFR0_EL1.PARange says 44 bits).
const ORACLE_ADDRESSES: u64 = 1 << 44;

/// SCTLR_EL1 of both sides without the MMU bit. RES1 of Armv8.0, SPAN, caches on, and EL0 may use cache maintenance,
/// DC ZVA, CTR_EL0, WFE, WFI and DAIF; alignment is not checked (the oracle cannot check SP).
pub const SCTLR: u64 =
    0x30d0_0800 | 1 << 26 | 1 << 18 | 1 << 16 | 1 << 15 | 1 << 14 | 1 << 12 | 1 << 9 | 1 << 2;

/// MAIR_EL1 of both sides: attribute 0, the only one used, is Normal write-back memory.
pub const MAIR: u64 = 0xff;

/// Translation regime of the core under test. The oracle is always in its EL1 or EL0 with the MMU off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// EL1&0: HCR_EL2.TGE = 0.
    Guest,
    /// EL2&0: HCR_EL2.{E2H,TGE} = {1,1}; the core's EL2 is compared with the oracle's EL1.
    Host,
}

/// Registers of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// X0-X30.
    pub x: [u64; 31],
    /// The stack pointer in use.
    pub sp: u64,
    /// Next instruction; after an exception, the address that it would return to.
    pub pc: u64,
    /// NZCV, DAIF and mode in the layout of SPSR_ELx; EL2 of [`World::Host`] shows as EL1.
    pub pstate: u64,
}

/// Bits of PSTATE that are compared: NZCV, PAN, IL, DAIF, EL and SP.
pub const PSTATE_COMPARED: u64 = 0xf050_03cf;
/// EL1 with its own stack pointer, DAIF masked.
pub const EL1H: u64 = 0x3c5;
/// EL0, DAIF masked.
pub const EL0: u64 = 0x3c0;

/// How an instruction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It completed.
    None,
    /// UNDEFINED, or trapped as if it were.
    Undefined,
    /// SVC.
    Svc,
    /// HVC taken to EL2.
    Hvc,
    /// SMC taken or trapped.
    Smc,
    /// BRK.
    Brk,
    /// An access to an unmapped page, or a store to the code pages.
    Data {
        /// First faulting address.
        address: u64,
        /// A store.
        write: bool,
    },
    /// An access that has to be aligned and is not.
    Unaligned,
    /// The oracle only: an access that is not aligned, or one to an address above its physical ones; it does not tell.
    UnalignedOrTooHigh,
    /// Trapped system instruction (EC 0x18 and others), or an exception without a name here; the number is the side's.
    Other(u32),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::None => write!(f, "completed"),
            Event::Undefined => write!(f, "UNDEFINED"),
            Event::Svc => write!(f, "SVC"),
            Event::Hvc => write!(f, "HVC"),
            Event::Smc => write!(f, "SMC"),
            Event::Brk => write!(f, "BRK"),
            Event::Data { address, write } => {
                write!(
                    f,
                    "data abort, {} at {address:#x}",
                    if *write { "write" } else { "read" }
                )
            }
            Event::Unaligned => write!(f, "alignment fault"),
            Event::UnalignedOrTooHigh => write!(f, "alignment or address size fault"),
            Event::Other(n) => write!(f, "exception {n:#x}"),
        }
    }
}

impl Event {
    /// True if the core's event is the oracle's.
    pub fn agrees(self, oracle: Event) -> bool {
        match (self, oracle) {
            (Event::Unaligned, Event::UnalignedOrTooHigh) => true,
            (Event::Data { address, .. }, Event::UnalignedOrTooHigh) => address >= ORACLE_ADDRESSES,
            _ => self == oracle,
        }
    }
}

/// Where one side is after a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How the last instruction ended.
    pub event: Event,
    /// Registers afterwards.
    pub state: State,
}

impl Outcome {
    /// True if the core is where the oracle is.
    pub fn agrees(&self, oracle: &Outcome) -> bool {
        self.event.agrees(oracle.event) && self.state == oracle.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_oracle_does_not_tell_apart() {
        let oracle = Event::UnalignedOrTooHigh;
        let read = |address| Event::Data {
            address,
            write: false,
        };
        assert!(Event::Unaligned.agrees(oracle));
        assert!(read(1 << 44).agrees(oracle));
        assert!(!read((1 << 44) - 1).agrees(oracle));
        assert!(!Event::None.agrees(oracle));
        assert!(!Event::Undefined.agrees(oracle));
    }

    #[test]
    fn every_register_counts() {
        let start = Outcome {
            event: Event::None,
            state: State {
                x: [0; 31],
                sp: 1,
                pc: 2,
                pstate: 3,
            },
        };
        assert!(start.agrees(&start.clone()));
        let changes: [fn(&mut State); 5] = [
            |s| s.x[0] = 9,
            |s| s.x[30] = 9,
            |s| s.sp = 9,
            |s| s.pc = 9,
            |s| s.pstate = 9,
        ];
        for change in changes {
            let mut other = start.clone();
            change(&mut other.state);
            assert!(!start.agrees(&other));
        }
    }
}
