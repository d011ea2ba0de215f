//! The loader stand-in: a host-side model of what answers on a Mac's USB port, and the machine it runs on.
//!
//! Behaviour is stated from public descriptions of the loader (third party): frames, opcodes, exception guard, page permissions, calls
//! that never return. What it does not model answers as an unknown opcode. Only called functions run on guest CPUs; the loader itself
//! runs on the host.
//!
//! # Measured against the real loader
//!
//! `tests/raw_differential.rs` puts the same requests to this stand-in and to an unmodified loader image (commit 7c7716b6, when
//! `AICPROBE_M1N1_BIN` names one) on the models t8140 and t6020, and to a recording of one in `tests/data`. Answers agree line by line.
//! What that comparison corrected here, each as observed on the image in this virtual machine:
//!
//! * The guard and its count: the guard in force before a PROXY request, or the one it set, is back after it, even if guard 3 (return)
//!   was used up in it. Register and memory requests work under a guard of their own that is never silent. Guard 3 prints a line even
//!   when silent. A MEMREAD of at least a byte and every MEMWRITE switch the guard off and zero the count.
//! * A read-modify-write that faults counts twice, its store after its load. MEMCPY and MEMSET give back 0 after a fault.
//! * A refused MEMREAD carries the mark with the checksum's last step in its checksum field. Both ends of a MEMWRITE are tried, so it
//!   counts up to 2. A MEMWRITE of nothing still compares its checksum.
//! * Heap blocks are aligned to 64 bytes and not to pages; MALLOC(0) gives memory; MEMALIGN rounds odd alignments up.
//! * Physical addresses below 0x8_0000_0000 are also mapped at 0xC0, 0xD0, 0xE0 and 0xF0_0000_0000.
//! * A secondary comes up with SCTLR as reset leaves it, and the loader takes at least a millisecond for each.
//! * SMP_SET_WFE_MODE sends a fast IPI to every CPU that is up. One in WFE leaves it pending (IPI_SR 1, F in ISR_EL1 set, masked).
//! * A secondary that is parked before SMP_SET_WFE_MODE(1) waits in WFI. On cores that lose their registers there (model key
//!   `cpus.wfi_loses_gprs`: M4 and later) whatever wakes it ends the loader with a data abort: SMP_SET_WFE_MODE itself, any call, an
//!   interrupt. Loaders save registers around WFI only where AIDR_EL1 says that cores retain state (bit 2); it reads 0 here, and what
//!   it reads on M4 and later is not known, so silicon may be kinder. On other cores the waiting CPU goes on in WFE.
//! * The boot CPU still finishes an answer while another CPU crashes; on the real one the crash's text may damage that answer.
//! * A call to an index below 24 that no CPU has, to address 0, to a CPU that is down, or to the boot CPU before secondaries were ever
//!   started never comes back; a call to the boot CPU after that, or to a higher index, is ignored.
//! * The CPU feature record of M1 to M3 has sleep mode 2 and uncore version 2, and names AMX and the data-cache switch.
//!
//! What stays different: console text has other words and is shorter; the heap ends at the end of RAM; time is that of the model and not
//! of the loader's code; EL0, EL1 and GL calls, decompression and device opcodes answer as unknown; SET_BAUD changes no speed; SPRR permissions are
//! modelled here and not on the cores, so an image that runs on them finds plain RAM executable on t6020.

mod access;
mod boot;
pub(crate) mod bootargs;
mod calls;
pub(crate) mod devicetree;
mod frame;
mod heap;
mod layout;
mod pages;
mod proxy;
mod regs;
mod smp;
mod snapshot;
mod state;
mod stats;
mod target;

pub(crate) use layout::Layout;
pub use snapshot::{CpuSnapshot, DieSnapshot, Difference, StateSnapshot};
pub use stats::RunStats;
pub use target::VirtualTarget;
