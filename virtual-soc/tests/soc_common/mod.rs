//! A bus without running CPUs, with the register addresses of T8140 written out from the public facts.

#![allow(dead_code, reason = "each test file uses its own part")]

pub use virtual_soc::SocModel;
use virtual_soc::cpu::{Bus, BusFault, CpuView, SysReg, SysRegFault, Time};
use virtual_soc::soc::SocBus;

pub const AIC: u64 = 0x3_0100_0000;
pub const EVENT: u64 = AIC + 0x40000;
pub const CONFIG: u64 = AIC + 0x14;
pub const IRQ_CFG: u64 = AIC + 0x10000;
pub const SW_SET: u64 = AIC + 0x14000;
pub const SW_CLR: u64 = AIC + 0x14200;
pub const MASK_SET: u64 = AIC + 0x14400;
pub const MASK_CLR: u64 = AIC + 0x14600;
pub const HW_STATE: u64 = AIC + 0x14800;
/// "Active" register of the CPU-start block.
pub const ACTIVE: u64 = 0x3_4070_0000 + 0x34004;

pub const SIQ_CFG: SysReg = SysReg::new(3, 4, 15, 10, 4);
pub const IPI_RR_LOCAL: SysReg = SysReg::new(3, 5, 15, 0, 0);
pub const IPI_RR_GLOBAL: SysReg = SysReg::new(3, 5, 15, 0, 1);
pub const IPI_SR: SysReg = SysReg::new(3, 5, 15, 1, 1);

/// A line that no device of the model owns.
pub const LINE: u32 = 100;

pub fn t8140() -> SocModel {
    SocModel::builtin("t8140").expect("built in")
}

/// The bus of a machine, with a clock that the test moves.
pub struct Bench {
    pub bus: SocBus,
    pub now: Time,
    pub view: CpuView,
}

impl Bench {
    /// All CPUs alive, the controller enabled, [`LINE`] unmasked, nobody masked.
    pub fn new(model: &SocModel) -> Self {
        Self::with_active(model, 0x3f)
    }

    /// The same with only these bits written to the "active" register.
    pub fn with_active(model: &SocModel, active: u32) -> Self {
        model.validate("test").expect("model");
        let mut bench = Self {
            bus: SocBus::new(model, 0, 7),
            now: Time::from_micros(1),
            view: CpuView::default(),
        };
        bench.w(ACTIVE, active);
        bench.w(CONFIG, 1);
        bench.w(MASK_CLR + 4 * u64::from(LINE / 32), 1 << (LINE % 32));
        bench
    }

    pub fn r_as(&mut self, cpu: usize, pa: u64) -> u32 {
        self.bus.mmio_read(cpu, pa, 4, self.now).expect("read") as u32
    }

    pub fn r(&mut self, pa: u64) -> u32 {
        self.r_as(0, pa)
    }

    pub fn w(&mut self, pa: u64, value: u32) {
        self.bus
            .mmio_write(0, pa, 4, value.into(), self.now)
            .expect("write");
    }

    pub fn fault(&mut self, pa: u64, size: u8) -> Result<u64, BusFault> {
        self.bus.mmio_read(0, pa, size, self.now)
    }

    pub fn msr(&mut self, cpu: usize, reg: SysReg, value: u64) -> Result<(), SysRegFault> {
        self.bus.sysreg_write(cpu, reg, 2, value, self.now)
    }

    pub fn mrs(&mut self, cpu: usize, reg: SysReg) -> Result<u64, SysRegFault> {
        self.bus.sysreg_read(cpu, reg, 2, self.now)
    }

    /// Let time pass in steps of 100 ns, as rounds of a machine do.
    pub fn pass(&mut self, ns: u64) {
        for _ in 0..ns.div_ceil(100) {
            self.now = Time(self.now.0 + 100_000);
            let (now, view) = (self.now, self.view);
            self.bus.tick(now, &view);
        }
    }

    pub fn mask(&mut self, cpus: u64) {
        self.view.irq_masked = cpus;
        self.pass(100);
    }

    pub fn irq(&mut self) -> u64 {
        self.bus.irq_lines()
    }

    pub fn fiq(&mut self) -> u64 {
        self.bus.fiq_lines()
    }

    pub fn field(&mut self, cpu: usize, value: u64) {
        self.msr(cpu, SIQ_CFG, value).expect("SIQ_CFG");
    }

    /// Set the line by software and wait until it is delivered (or could have been).
    pub fn fire(&mut self) {
        self.w(SW_SET + 4 * u64::from(LINE / 32), 1 << (LINE % 32));
        self.pass(500);
    }

    /// What an end of interrupt does: clear the software bit, unmask.
    pub fn finish(&mut self) {
        self.w(SW_CLR + 4 * u64::from(LINE / 32), 1 << (LINE % 32));
        self.w(MASK_CLR + 4 * u64::from(LINE / 32), 1 << (LINE % 32));
    }

    /// Fire, and give the CPU that the line is offered to after `ns`.
    pub fn receiver(&mut self, ns: u64) -> Option<usize> {
        self.fire();
        self.pass(ns);
        let lines = self.irq();
        assert!(
            lines.count_ones() <= 1,
            "offered to several CPUs: {lines:#b}"
        );
        let cpu = (lines != 0).then(|| lines.trailing_zeros() as usize);
        if let Some(cpu) = cpu {
            assert_eq!(self.r_as(cpu, EVENT), 0x1_0000 | LINE);
        }
        self.finish();
        cpu
    }
}
