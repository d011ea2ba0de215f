// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of exceptions that are plain words: no fields are given.

system_register! {
    /// Return address of the last exception (ELR_EL2 at EL2 under E2H).
    ELR_EL1: u64 = "ELR_EL1" (3, 0, 4, 0, 1) [Architecture] rw
}

system_register! {
    /// Saved state of the last exception (SPSR_EL2 at EL2 under E2H).
    SPSR_EL1: u64 = "SPSR_EL1" (3, 0, 4, 0, 0) [Architecture] rw
}

system_register! {
    /// Faulting address of the last abort (FAR_EL2 at EL2 under E2H).
    FAR_EL1: u64 = "FAR_EL1" (3, 0, 6, 0, 0) [Architecture] rw
}

system_register! {
    /// Vector base, 2 KiB aligned (VBAR_EL2 at EL2 under E2H).
    VBAR_EL1: u64 = "VBAR_EL1" (3, 0, 12, 0, 0) [Architecture] rw
}

system_register! {
    /// Thread pointer of EL0, free for use by whoever saves it.
    TPIDR_EL0: u64 = "TPIDR_EL0" (3, 3, 13, 0, 2) [Architecture] rw
}
