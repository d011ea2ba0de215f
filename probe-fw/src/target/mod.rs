//! Start-up, vectors and the real platform.

mod cpu;
mod entry;
mod fault;
mod log;
