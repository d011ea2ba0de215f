//! How fast the core is: millions of guest instructions per second of host time.
//!
//! `cargo run --release -p virtual-soc --example mips [slice] [running cores] [MMU 0|1] [waiting cores]`
//!
//! The guest fills, sums and sorts a small array for ever: loads, stores, arithmetic, branches, calls.

use std::time::Instant;

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

#[rustfmt::skip]
const GUEST: &[u32] = &[
    0xaa0003f3, // mov x19, x0
    0xd2800014, // mov x20, #0x0                   
    0xaa1303e0, // mov x0, x19
    0xd2800801, // mov x1, #0x40                  
    0x94000009, // bl 34 <fill>
    0xaa1303e0, // mov x0, x19
    0xd2800801, // mov x1, #0x40                  
    0x94000016, // bl 74 <sum>
    0x8b000294, // add x20, x20, x0
    0xaa1303e0, // mov x0, x19
    0xd2800801, // mov x1, #0x40                  
    0x9400001e, // bl a4 <sort>
    0x17fffff6, // b 8 <outer>
    0xa9be7bfd, // stp x29, x30, [sp, #-32]!
    0x910003fd, // mov x29, sp
    0xa90153f3, // stp x19, x20, [sp, #16]
    0xd2800002, // mov x2, #0x0                   
    0x5289cda3, // mov w3, #0x4e6d                
    0x72a838c3, // movk w3, #0x41c6, lsl #16
    0x1b030e94, // madd w20, w20, w3, w3
    0x4a543e84, // eor w4, w20, w20, lsr #15
    0x12003c84, // and w4, w4, #0xffff
    0xb8227804, // str w4, [x0, x2, lsl #2]
    0x91000442, // add x2, x2, #0x1
    0xeb01005f, // cmp x2, x1
    0x54ffff41, // b.ne 4c <fill+0x18>  // b.any
    0xa94153f3, // ldp x19, x20, [sp, #16]
    0xa8c27bfd, // ldp x29, x30, [sp], #32
    0xd65f03c0, // ret 
    0xd2800002, // mov x2, #0x0                   
    0xb4000121, // cbz x1, 9c <sum+0x28>
    0xb8404403, // ldr w3, [x0], #4
    0x8b234042, // add x2, x2, w3, uxtw
    0x36000043, // tbz w3, #0, 8c <sum+0x18>
    0xd1000442, // sub x2, x2, #0x1
    0x53042864, // ubfx w4, w3, #4, #7
    0x8b040c42, // add x2, x2, x4, lsl #3
    0xf1000421, // subs x1, x1, #0x1
    0x54ffff21, // b.ne 7c <sum+0x8>  // b.any
    0xaa0203e0, // mov x0, x2
    0xd65f03c0, // ret 
    0xd2800022, // mov x2, #0x1                   
    0xeb01005f, // cmp x2, x1
    0x540001c2, // b.cs e4 <sort+0x40>  // b.hs, b.nlast
    0xb8627803, // ldr w3, [x0, x2, lsl #2]
    0xaa0203e4, // mov x4, x2
    0xb4000104, // cbz x4, d8 <sort+0x34>
    0xd1000485, // sub x5, x4, #0x1
    0xb8657806, // ldr w6, [x0, x5, lsl #2]
    0x6b0300df, // cmp w6, w3
    0x54000089, // b.ls d8 <sort+0x34>  // b.plast
    0xb8247806, // str w6, [x0, x4, lsl #2]
    0xaa0503e4, // mov x4, x5
    0x17fffff9, // b b8 <sort+0x14>
    0xb8247803, // str w3, [x0, x4, lsl #2]
    0x91000442, // add x2, x2, #0x1
    0x17fffff2, // b a8 <sort+0x4>
    0xd65f03c0, // ret 
];

const RAM: u64 = 0x8_0000_0000;
const CODE: u64 = RAM + 0x1_0000;
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
    for (i, word) in GUEST.iter().enumerate() {
        m.ram
            .write_u32(CODE + 4 * i as u64, *word)
            .expect("the guest fits");
    }
    // 16 KiB granule, 36-bit addresses: one 32 MiB block, Normal memory, access flag set.
    m.ram
        .write_u64(TABLES + 8 * (RAM >> 25 & 0x7ff), RAM | 1 << 10 | 3 << 8 | 1)
        .expect("in RAM");
    for cpu in 0..cores {
        let core = &mut m.cores[cpu as usize];
        core.reset(CODE, 2, RAM + 0x20_0000 + cpu * 0x1_0000);
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
        m.ram.write_u32(CODE + 0x1000, 0xd503_205f).expect("in RAM");
        m.ram.write_u32(CODE + 0x1004, 0x17ff_ffff).expect("in RAM");
        m.cores[cpu as usize].reset(CODE + 0x1000, 2, 0);
    }
    let mut step = |ms: u64| {
        let before = m.total_insns();
        let start = Instant::now();
        m.run(m.now() + std::time::Duration::from_millis(ms));
        (m.total_insns() - before, start.elapsed())
    };
    step(1);
    for _ in 0..5 {
        let (insns, took) = step(200);
        let mips = insns as f64 / 1e6 / took.as_secs_f64();
        println!(
            "{cores} core(s), slices of {slice}: {insns} instructions in {took:.2?}: {mips:.0} MIPS"
        );
    }
}
