//! How the execution loop hands over.

use crate::cpu::insn::Insn;

/// Why the loop ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Exit {
    /// The budget is used up.
    Budget,
    /// This instruction, at pc, needs the slow path.
    Slow(Insn),
    /// pc is not in the instruction TLB.
    Fetch,
}
