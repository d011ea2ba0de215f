//! How fast the core is: millions of guest instructions per second of host time.
//!
//! `cargo run --release -p virtual-soc --example mips [slice] [running cores] [MMU 0|1] [waiting cores]`
//!
//! The guest is compiled Rust (`guest.rs`): messages, frames and checksums, as firmware does it.

use std::time::{Duration, Instant};

use virtual_soc::cpu::{Bus, BusFault, CoreConfig, CpuView, SysReg, SysRegFault, Time};
use virtual_soc::machine::{Machine, MachineConfig};

/// Nothing outside the cores.
struct NoBus;

impl Bus for NoBus {
    fn mmio_read(&mut self, _: usize, _: u64, _: u8, _: Time) -> Result<u64, BusFault> {
        Err(BusFault::Abort)
    }
    fn mmio_write(&mut self, _: usize, _: u64, _: u8, _: u64, _: Time) -> Result<(), BusFault> {
        Err(BusFault::Abort)
    }
    fn sysreg_read(&mut self, _: usize, _: SysReg, _: u8, _: Time) -> Result<u64, SysRegFault> {
        Err(SysRegFault::Undefined)
    }
    fn sysreg_write(
        &mut self,
        _: usize,
        _: SysReg,
        _: u8,
        _: u64,
        _: Time,
    ) -> Result<(), SysRegFault> {
        Err(SysRegFault::Undefined)
    }
    fn irq_lines(&self) -> u64 {
        0
    }
    fn fiq_lines(&self) -> u64 {
        0
    }
    fn tick(&mut self, _: Time, _: &CpuView) {}
    fn next_event(&self, _: Time) -> Option<Time> {
        None
    }
}

/// Position-dependent code for [`CODE`]; x0 = 4 KiB of scratch memory. See `guest.rs`.
const GUEST: &[u8] = include_bytes!("guest.bin");

const RAM: u64 = 0x8_0000_0000;
const CODE: u64 = RAM + 0x1_0000;
/// Scratch memory of core 0; the others' follow.
const BUFFER: u64 = RAM + 0x20_0000;
/// A core that waits loops here.
const WAIT: u64 = RAM + 0x8000;
const TABLES: u64 = RAM + 0x10_0000;

fn main() {
    let arg = |n: usize, default: u64| {
        std::env::args()
            .nth(n)
            .and_then(|s| s.parse().ok())
            .unwrap_or(default)
    };
    let (slice, cores, mmu) = (arg(1, 100), arg(2, 2).clamp(1, 6), arg(3, 1) != 0);
    let cfg = MachineConfig {
        ram_base: RAM,
        ram_size: 16 << 20,
        slice: slice as u32,
        cores: vec![CoreConfig::default(); 6],
        ..MachineConfig::default()
    };
    let mut m = Machine::new(cfg, NoBus);
    m.ram.write(CODE, GUEST).expect("the guest fits");
    // 16 KiB granule, 36-bit addresses: one 32 MiB block, Normal memory, access flag set.
    m.ram
        .write_u64(TABLES + 8 * (RAM >> 25 & 0x7ff), RAM | 1 << 10 | 3 << 8 | 1)
        .expect("in RAM");
    for cpu in 0..cores {
        let core = &mut m.cores[cpu as usize];
        core.reset(CODE, 2, BUFFER + cpu * 0x1_0000);
        core.set_sp(RAM + 0x30_0000 + cpu * 0x1_0000);
        if mmu {
            core.set_sysreg(SysReg::new(3, 4, 10, 2, 0), 0xff);
            core.set_sysreg(SysReg::new(3, 4, 2, 0, 0), TABLES);
            core.set_sysreg(SysReg::new(3, 4, 2, 0, 2), 28 | 2 << 14 | 3 << 32 | 1 << 23);
            core.set_sysreg(SysReg::new(3, 4, 1, 0, 0), 0x30d0_0801);
        }
    }
    for cpu in cores..(cores + arg(4, 0)).min(6) {
        // WFE for ever: what a waiting core costs the others.
        m.ram.write_u32(WAIT, 0xd503_205f).expect("in RAM");
        m.ram.write_u32(WAIT + 4, 0x17ff_ffff).expect("in RAM");
        m.cores[cpu as usize].reset(WAIT, 2, 0);
    }
    measure(&mut m, 1);
    for _ in 0..5 {
        let before = m.ram.bytes(BUFFER, 4096).expect("in RAM").to_vec();
        let (insns, took) = measure(&mut m, 200);
        assert_ne!(
            m.ram.bytes(BUFFER, 4096),
            Ok(&before[..]),
            "the guest has stopped"
        );
        let mips = insns as f64 / 1e6 / took.as_secs_f64();
        println!(
            "{cores} core(s), slices of {slice}: {insns} instructions in {took:.2?}: {mips:.0} MIPS"
        );
    }
}

/// Runs `ms` milliseconds of the machine's time: instructions executed, host time taken.
fn measure(m: &mut Machine<NoBus>, ms: u64) -> (u64, Duration) {
    let before = m.total_insns();
    let start = Instant::now();
    m.run(m.now() + Duration::from_millis(ms));
    (m.total_insns() - before, start.elapsed())
}
