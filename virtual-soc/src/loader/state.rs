//! What the loader knows between requests.

use crate::model::LoaderModel;

use super::heap::Heap;
use super::layout::Layout;
use super::pages::Roots;

/// What an exception in guarded code does (third party: loader sources).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    /// Print and reboot.
    Off,
    /// Skip the instruction.
    Skip,
    /// Skip it and mark its destination register.
    Mark,
    /// Return from the function with the mark.
    Return,
}

/// The guard and its silence flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GuardMode {
    pub(super) guard: Guard,
    pub(super) silent: bool,
}

/// Value that stands for a faulting read.
pub(super) const FAULT_MARK: u64 = 0xacce_5515_abad_1dea;
const SILENT: u64 = 0x100;

impl GuardMode {
    pub(super) const OFF: Self = Self {
        guard: Guard::Off,
        silent: false,
    };

    /// From the argument of SET_EXC_GUARD; unknown values mean off.
    pub(super) const fn from_word(word: u64) -> Self {
        let guard = match word & 0xff {
            1 => Guard::Skip,
            2 => Guard::Mark,
            3 => Guard::Return,
            _ => Guard::Off,
        };
        Self {
            guard,
            silent: word & SILENT != 0,
        }
    }
}

/// What the loader knows of a secondary.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Secondary {
    pub(super) alive: bool,
    pub(super) busy: bool,
    pub(super) retval: u64,
    pub(super) stack: u64,
}

/// The loader's own state.
#[derive(Debug)]
pub(super) struct Loader {
    pub(super) model: LoaderModel,
    pub(super) layout: Layout,
    /// Device space that it maps.
    pub(super) devices: Vec<core::ops::Range<u64>>,
    pub(super) roots: Roots,
    pub(super) heap: Heap,
    pub(super) guard: GuardMode,
    /// What the guard becomes at the end of the request under way.
    pub(super) guard_after: GuardMode,
    pub(super) exceptions: u64,
    pub(super) exceptions_total: u64,
    pub(super) features: u64,
    pub(super) wfe_mode: bool,
    /// A secondary has crashed: the loader ends when the answer under way is out.
    pub(super) doomed: bool,
    /// START_SECONDARIES has been asked for: from then on the loader knows which CPU is the boot CPU.
    pub(super) knows_boot_cpu: bool,
    pub(super) boot_stack: u64,
    /// By logical id; the boot CPU's entry stays at its default.
    pub(super) secondaries: Vec<Secondary>,
    /// Logical id by the loader's index (the tree's cpu-id).
    pub(super) by_index: Vec<Option<usize>>,
    /// Text for the console that has not been sent yet.
    pub(super) console: Vec<u8>,
    pub(super) requests: u64,
}

impl Loader {
    /// Print a line on the console.
    pub(super) fn print(&mut self, text: &str) {
        self.console.extend(text.as_bytes());
        self.console.push(b'\n');
    }

    /// What the loader makes of an index.
    pub(super) fn callee(&self, index: u64) -> Callee {
        let Some(entry) = usize::try_from(index)
            .ok()
            .and_then(|i| self.by_index.get(i))
        else {
            return Callee::Ignored;
        };
        match entry {
            Some(0) if self.knows_boot_cpu => Callee::Ignored,
            Some(0) | None => Callee::Nobody,
            Some(id) => Callee::Secondary(*id),
        }
    }
}

/// Who an index of the loader stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Callee {
    /// The boot CPU, or an index beyond the table: nothing happens.
    Ignored,
    /// A place in the table that no CPU has taken (or the boot CPU, before secondaries were started): a call spins for ever.
    Nobody,
    /// This logical id.
    Secondary(usize),
}
