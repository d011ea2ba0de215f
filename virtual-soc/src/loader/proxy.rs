//! PROXY requests: one function call each (third party: loader sources).

use crate::model::LinkKind;

use super::VirtualTarget;
use super::access::Fault;
use super::layout::FEATURES;
use super::state::{FAULT_MARK, GuardMode};
use super::target::Job;

/// Opcodes that this stand-in knows. All others answer "unknown", as an older loader would.
pub(super) mod op {
    pub(crate) const NOP: u64 = 0x000;
    pub(crate) const CALL: u64 = 0x002;
    pub(crate) const GET_BOOTARGS: u64 = 0x003;
    pub(crate) const GET_BASE: u64 = 0x004;
    pub(crate) const SET_BAUD: u64 = 0x005;
    pub(crate) const UDELAY: u64 = 0x006;
    pub(crate) const SET_EXC_GUARD: u64 = 0x007;
    pub(crate) const GET_EXC_COUNT: u64 = 0x008;
    pub(crate) const REBOOT: u64 = 0x010;
    pub(crate) const GET_CHIPID: u64 = 0x013;
    pub(crate) const GET_CPU_FEATURES: u64 = 0x014;
    pub(crate) const WRITE: u64 = 0x100;
    pub(crate) const READ: u64 = 0x104;
    pub(crate) const SET: u64 = 0x108;
    pub(crate) const CLEAR: u64 = 0x10c;
    pub(crate) const WRITEREAD: u64 = 0x114;
    pub(crate) const REGISTER_END: u64 = 0x118;
    pub(crate) const MEMCPY: u64 = 0x200;
    pub(crate) const MEMSET: u64 = 0x204;
    pub(crate) const MEMORY_END: u64 = 0x208;
    pub(crate) const CACHE: u64 = 0x300;
    pub(crate) const CACHE_END: u64 = 0x30b;
    pub(crate) const MMU_INIT_SECONDARY: u64 = 0x30f;
    pub(crate) const SMP_START_SECONDARIES: u64 = 0x500;
    pub(crate) const SMP_CALL: u64 = 0x501;
    pub(crate) const SMP_CALL_SYNC: u64 = 0x502;
    pub(crate) const SMP_WAIT: u64 = 0x503;
    pub(crate) const SMP_SET_WFE_MODE: u64 = 0x504;
    pub(crate) const SMP_IS_ALIVE: u64 = 0x505;
    pub(crate) const SMP_STOP_SECONDARIES: u64 = 0x506;
    pub(crate) const HEAPBLOCK_ALLOC: u64 = 0x600;
    pub(crate) const MALLOC: u64 = 0x601;
    pub(crate) const MEMALIGN: u64 = 0x602;
    pub(crate) const FREE: u64 = 0x603;
    pub(crate) const IODEV_WHOAMI: u64 = 0x905;
}

/// Size of the CPU feature record, which a caller must name.
const FEATURES_SIZE: u64 = 20;
/// Most words that SET_BAUD sends; the real loader sends as many as it is told (model only: memory of the host).
const MOST_WORDS: u64 = 0x1_0000;
/// Widths in bytes of the four opcodes of a group.
const WIDTHS: [u8; 4] = [8, 4, 2, 1];

/// How a request ends.
#[derive(Debug)]
pub(super) enum Outcome {
    /// With this return value.
    Done(u64),
    /// No such opcode.
    Unknown,
    /// Later.
    Job(Job),
    /// Never.
    Hang,
    /// The machine goes away.
    Reboot,
}

impl VirtualTarget {
    pub(super) fn proxy(&mut self, opcode: u64, args: &[u64; 6]) -> Outcome {
        match opcode {
            op::NOP => Outcome::Done(0),
            op::CALL => self.call(args),
            op::GET_BOOTARGS => Outcome::Done(self.loader.layout.boot_args),
            op::GET_BASE => Outcome::Done(self.loader.layout.loader),
            op::SET_BAUD => Outcome::Done(self.set_baud(args[0], args[1], args[2] as u32)),
            op::UDELAY => self.delay(args[0]),
            op::SET_EXC_GUARD => {
                self.loader.guard_after = GuardMode::from_word(args[0]);
                self.loader.exceptions = 0;
                Outcome::Done(0)
            }
            op::GET_EXC_COUNT => Outcome::Done(std::mem::take(&mut self.loader.exceptions)),
            op::REBOOT => Outcome::Reboot,
            op::GET_CHIPID => Outcome::Done(self.chip_id),
            op::GET_CPU_FEATURES if args[0] == FEATURES_SIZE => {
                Outcome::Done(self.loader.layout.loader + FEATURES)
            }
            op::GET_CPU_FEATURES => {
                self.loader.print("The CPU feature record has another size");
                Outcome::Done(0)
            }
            op::WRITE..op::REGISTER_END => Outcome::Done(self.register_op(opcode, args)),
            op::MEMCPY..op::MEMORY_END => Outcome::Done(self.memory_op(opcode, args)),
            // Memory is coherent in this model; there is nothing to clean.
            op::CACHE..op::CACHE_END => Outcome::Done(0),
            op::MMU_INIT_SECONDARY => self.mmu_init_secondary(args[0]),
            op::SMP_START_SECONDARIES..=op::SMP_STOP_SECONDARIES => self.smp(opcode, args),
            op::HEAPBLOCK_ALLOC => Outcome::Done(self.loader.heap.block(args[0])),
            op::MALLOC => Outcome::Done(self.loader.heap.malloc(args[0])),
            op::MEMALIGN => Outcome::Done(self.loader.heap.memalign(args[0], args[1])),
            op::FREE => {
                self.loader.heap.free(args[0]);
                Outcome::Done(0)
            }
            op::IODEV_WHOAMI => Outcome::Done(self.link_id()),
            _ => Outcome::Unknown,
        }
    }

    fn call(&mut self, args: &[u64; 6]) -> Outcome {
        self.call_result = None;
        let stack = self.loader.boot_stack;
        self.enter(0, args[0], &args[1..6], stack);
        Outcome::Job(Job::Call)
    }

    /// The words that let a host find the new speed go out on the UART, whatever link the request came on. Bytes have no speed here:
    /// a line that changes its speed is the link's business.
    fn set_baud(&mut self, baud: u64, count: u64, word: u32) -> u64 {
        self.loader
            .print(&format!("The UART now runs at {baud} baud"));
        if self.loader.model.link == LinkKind::Uart {
            let times = count.min(MOST_WORDS) as usize;
            let words = word.to_le_bytes().repeat(times);
            self.loader.console.extend(words);
        }
        0
    }

    /// Wait that many microseconds, then return 0.
    pub(super) fn delay(&self, us: u64) -> Outcome {
        let until = self.machine.now().after_picos(us.saturating_mul(1_000_000));
        Outcome::Job(Job::Delay { until })
    }

    fn register_op(&mut self, opcode: u64, args: &[u64; 6]) -> u64 {
        let width = WIDTHS[(opcode & 3) as usize];
        let group = opcode & !3;
        let [va, a, b, ..] = *args;
        let marked = FAULT_MARK & width_mask(width);
        // A faulting load leaves the mark in its register, a faulting store in the register it stores from; the operation goes on.
        match group {
            op::WRITE => {
                self.guarded_store(va, width, a);
                0
            }
            op::READ => self.guarded_load(va, width).unwrap_or(marked),
            op::WRITEREAD => {
                self.guarded_store(va, width, a);
                self.guarded_load(va, width).unwrap_or(marked)
            }
            _ => {
                let old = self.guarded_load(va, width).unwrap_or(marked);
                let new = match group {
                    op::SET => old | a,
                    op::CLEAR => old & !a,
                    // MASK
                    _ => old & !a | b,
                };
                let new = new & width_mask(width);
                if self.guarded_store(va, width, new) {
                    new
                } else {
                    marked
                }
            }
        }
    }

    fn guarded_load(&mut self, va: u64, width: u8) -> Option<u64> {
        let value = self.load(va, width).ok();
        if value.is_none() {
            self.guarded_fault("register read", va);
        }
        value
    }

    fn guarded_store(&mut self, va: u64, width: u8, value: u64) -> bool {
        let stored = self.store(va, width, value).is_ok();
        if !stored {
            self.guarded_fault("register write", va);
        }
        stored
    }

    fn memory_op(&mut self, opcode: u64, args: &[u64; 6]) -> u64 {
        let width = u64::from(WIDTHS[(opcode & 3) as usize]);
        let [dst, source, size, ..] = *args;
        // The remainder below the width is not done.
        let count = size / width;
        let (mut at, mut done) = (0, Ok(()));
        while at < count && done.is_ok() {
            let offset = at * width;
            let value = if opcode & !3 == op::MEMSET {
                Ok(source)
            } else {
                self.load(source.wrapping_add(offset), width as u8)
            };
            done = value.and_then(|v| self.store(dst.wrapping_add(offset), width as u8, v));
            at += 1;
        }
        match done {
            Ok(()) => 0,
            Err(Fault) => {
                // The functions that copy and set give nothing back.
                self.guarded_fault("memory operation", dst);
                0
            }
        }
    }
}

const fn width_mask(width: u8) -> u64 {
    u64::MAX >> (64 - 8 * width as u32)
}
