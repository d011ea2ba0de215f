//! A deterministic virtual Apple SoC: A64 cores, interrupt controller, UART and a loader stand-in.
//!
//! Time is counted instructions, never the host's clock: the same input gives the same output, byte for byte.

pub mod cpu;
pub mod machine;
pub mod mem;
pub mod soc;
