//! The bus: decodes addresses and implementation-defined registers, and holds the devices.

mod registers;

use std::collections::BTreeMap;

use crate::cpu::{Bus, BusFault, CpuView, SysReg, SysRegFault, Time};
use crate::model::{Outside, RegisterAccess, SocModel};

use super::aic::Aic;
use super::ipi::FastIpi;
use super::pmgr::{Pmgr, Request};
use super::uart::Uart;
use super::wdt::Watchdog;
use registers::{Listed, listed};

const UART_SIZE: u64 = 0x4000;

/// CPUs that are parked in the loader, which the host side models; bit i = CPU i. The loader's own handler takes what such a CPU
/// does not mask. The boot CPU's part of the loader runs with A, I and F open, the others' with I and F masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct InLoader {
    pub(crate) cpus: u64,
    pub(crate) irq_open: u64,
    pub(crate) fiq_open: u64,
    /// CPUs that wait in WFI and lose their registers there.
    pub(crate) wfi_loses: u64,
}

/// An interrupt that the loader's handler took while a CPU sat in the loader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consumed {
    /// CPU that something woke from a WFI in which it had lost its registers.
    LostInWfi(usize),
    /// CPU, EVENT word and time in picoseconds.
    Irq(usize, u32, u64),
    /// CPU that got a fast IPI.
    FastIpi(usize),
}

/// All devices and implementation-defined registers of a SoC.
pub struct SocBus {
    aic_base: u64,
    aic_size: u64,
    /// The interrupt controller.
    pub aic: Aic,
    uart_base: Option<u64>,
    /// The serial port.
    pub uart: Uart,
    /// Its line, on die 0, and the level that the line was given last.
    uart_line: Option<(u32, bool)>,
    ipi: FastIpi,
    pub(crate) pmgr: Pmgr,
    pub(crate) watchdog: Watchdog,
    /// Device memory that is plain storage: base and size, and the 8-byte words that were written.
    plain: Vec<(u64, u64)>,
    plain_words: BTreeMap<u64, u64>,
    listed: BTreeMap<SysReg, Listed>,
    stored: BTreeMap<(usize, SysReg), u64>,
    /// By logical id.
    siq_access: Vec<RegisterAccess>,
    siq_writable: u64,
    /// CPUs whose timers do not reach their FIQ input.
    cold: u64,
    siq_stuck: Option<(usize, u64)>,
    siq_writes: u64,
    /// Bits that a write of SIQ_CFG inverts.
    siq_write_flips: u64,
    /// Bits that it sets.
    siq_write_sets: u64,
    /// A write of the first CPU's SIQ_CFG is one of the second's, too.
    siq_spills: Option<(usize, usize)>,
    /// Field 3 keeps FIQs away, too.
    fiq_needs_field: bool,
    outside: Outside,
    pub(crate) in_loader: InLoader,
    pub(crate) loader_reads_event: bool,
    pub(crate) consumed: Vec<Consumed>,
    /// CPUs that the start block has been told to start or stop since somebody looked.
    start_requests: u64,
    stop_requests: u64,
    pub(crate) taken: Vec<u64>,
    pub(crate) empty_events: Vec<u64>,
    pub(crate) loader_took: u64,
}

impl SocBus {
    /// The devices of a model at power-on: only the boot CPU is taken for running. CPUs are numbered by logical id;
    /// `reset_vector` is what their (locked) reset-vector registers hold.
    ///
    /// The model must have passed [`SocModel::validate`].
    #[must_use]
    pub fn new(model: &SocModel, reset_vector: u64, seed: u64) -> Self {
        let order = &model.logical_order()[..];
        let logical = |id: u32| order.iter().position(|&i| model.cpu[i].adt_id == id);
        let stuck = model.faults.siq_stuck_cpu.and_then(logical);
        Self {
            aic_base: model.aic.base,
            aic_size: model.aic.size,
            aic: Aic::new(model, order, seed),
            uart_base: model.uart.as_ref().map(|u| u.base),
            uart: Uart::default(),
            uart_line: model.uart.as_ref().and_then(|u| Some((u.line?, false))),
            ipi: FastIpi::new(model, order),
            pmgr: Pmgr::new(model, order, reset_vector),
            watchdog: Watchdog::new(model.wdt.as_ref().map(|w| w.base), model.counter.hz),
            plain: model.mmio.iter().map(|m| (m.base, m.size)).collect(),
            plain_words: BTreeMap::new(),
            listed: listed(model),
            stored: BTreeMap::new(),
            siq_access: order
                .iter()
                .map(|&i| model.cpu[i].siq_access.unwrap_or(model.siq.access))
                .collect(),
            siq_writable: model.siq.writable,
            cold: (0..order.len())
                .filter(|&cpu| !model.cpu[order[cpu]].timer_fiq)
                .fold(0, |set, cpu| set | 1 << cpu),
            siq_stuck: stuck.map(|cpu| (cpu, model.faults.siq_stuck_after)),
            siq_writes: 0,
            siq_write_flips: model.defect.siq_write_flips,
            siq_write_sets: model.defect.siq_write_sets,
            siq_spills: model
                .defect
                .siq_spills
                .and_then(|[from, to]| Some((logical(from)?, logical(to)?))),
            fiq_needs_field: model.defect.fiq_needs_field,
            outside: model.faults.outside,
            in_loader: InLoader::default(),
            loader_reads_event: model.loader.reads_event,
            consumed: Vec::new(),
            start_requests: 0,
            stop_requests: 0,
            taken: vec![0; order.len()],
            empty_events: vec![0; order.len()],
            loader_took: 0,
        }
    }

    /// SIQ_CFG of a CPU, whatever an access by the guest would do.
    #[must_use]
    pub fn siq_cfg(&self, cpu: usize) -> u64 {
        self.aic.siq_cfg(cpu)
    }

    /// Change SIQ_CFG of a CPU from outside the guest.
    pub fn set_siq_cfg(&mut self, cpu: usize, value: u64, now: Time) {
        self.aic.set_siq_cfg(cpu, value, now.as_picos());
    }

    /// Drive the hardware level of a line from outside the guest.
    pub fn set_line(&mut self, die: usize, number: u32, high: bool, now: Time) {
        self.aic.set_hw(die, number, high, now.as_picos());
    }

    /// CPUs that the start block has been told to start and to stop since the last call.
    pub(crate) fn take_requests(&mut self) -> (u64, u64) {
        (
            std::mem::take(&mut self.start_requests),
            std::mem::take(&mut self.stop_requests),
        )
    }

    /// A CPU runs, or not. Where interrupts ask for its "active" bit, that bit alone makes them reach it.
    pub(crate) fn set_running(&mut self, cpu: usize, running: bool, now: Time) {
        self.pmgr.set_running(cpu, running);
        if !self.pmgr.gates || cpu == 0 || !running {
            self.aic.set_alive(cpu, running, now.as_picos());
        }
    }

    /// Fast IPIs sent, and how many of them came while one was pending on their target.
    #[must_use]
    pub const fn ipis(&self) -> (u64, u64) {
        (self.ipi.sent, self.ipi.merged)
    }

    /// The boot CPU's loader sends a fast IPI to the CPU with this MPIDR.
    pub(crate) fn send_ipi_from_loader(&mut self, mpidr: u64, now_ps: u64) {
        let target = mpidr & 0xff | (mpidr & 0xff00) << 8;
        self.ipi.send_global(0, target, now_ps);
    }

    /// Drop a pending fast IPI, as a loader's FIQ handler does; true if there was one.
    pub(crate) fn acknowledge_ipi(&mut self, cpu: usize) -> bool {
        let pending = self.ipi.status(cpu) & 1 == 1;
        self.ipi.acknowledge(cpu, 1);
        self.ipi.synchronize(cpu);
        pending
    }

    /// Read EVENT for a CPU on the loader's behalf.
    pub(crate) fn loader_event(&mut self, cpu: usize, now: Time) -> u32 {
        let word = self.aic_read(cpu, self.aic.event_offset(), now.as_picos());
        self.loader_took += u64::from(word != 0);
        word
    }

    fn aic_read(&mut self, cpu: usize, offset: u32, now: u64) -> u32 {
        let value = self.aic.read(cpu, offset, now);
        if let Some(reader) = self.aic.event_of(cpu, offset) {
            if value == 0 {
                self.empty_events[reader] += 1
            } else {
                self.taken[reader] += 1
            }
        }
        value
    }

    fn nobody<T: Default>(&self) -> Result<T, BusFault> {
        Err(match self.outside {
            Outside::Abort => BusFault::Abort,
            Outside::SError => BusFault::SError,
        })
    }

    fn aic_offset(&self, pa: u64) -> Option<u32> {
        let offset = pa.wrapping_sub(self.aic_base);
        (offset < self.aic_size).then_some(offset as u32)
    }

    fn uart_offset(&self, pa: u64) -> Option<u32> {
        let offset = pa.wrapping_sub(self.uart_base?);
        (offset < UART_SIZE).then_some(offset as u32)
    }

    /// The port's line gets the level that the port gives it.
    fn drive_uart_line(&mut self, now: Time) {
        let Some((number, was)) = self.uart_line else {
            return;
        };
        let high = self.uart.line(now);
        if high != was {
            self.uart_line = Some((number, high));
            self.aic.set_hw(0, number, high, now.as_picos());
        }
    }

    fn is_plain(&self, pa: u64) -> bool {
        self.plain
            .iter()
            .any(|(base, size)| pa.wrapping_sub(*base) < *size)
    }

    /// Nothing comes to this CPU as FIQ (a defect).
    fn fiq_closed(&self, cpu: usize) -> bool {
        self.fiq_needs_field && self.siq_cfg(cpu) & 3 == 3
    }

    /// FIQ inputs that fast IPIs hold high.
    fn ipi_lines(&self) -> u64 {
        let lines = self.ipi.lines();
        if !self.fiq_needs_field {
            return lines;
        }
        bits(lines)
            .filter(|&cpu| !self.fiq_closed(cpu))
            .fold(0, |set, cpu| set | 1 << cpu)
    }

    /// The loader's exception handler on the CPUs that sit in the loader with interrupts open.
    fn loader_takes_interrupts(&mut self, now: Time) {
        let raised = self.aic.irq_lines() | self.ipi_lines();
        for cpu in bits(self.in_loader.wfi_loses & raised) {
            self.in_loader.wfi_loses &= !(1 << cpu);
            self.consumed.push(Consumed::LostInWfi(cpu));
        }
        let irqs = if self.loader_reads_event {
            self.in_loader.irq_open
        } else {
            0
        };
        for cpu in bits(irqs & self.aic.irq_lines()) {
            loop {
                let word = self.loader_event(cpu, now);
                if word == 0 {
                    break;
                }
                self.consumed.push(Consumed::Irq(cpu, word, now.as_picos()));
            }
        }
        for cpu in bits(self.in_loader.fiq_open & self.ipi_lines()) {
            self.acknowledge_ipi(cpu);
            self.consumed.push(Consumed::FastIpi(cpu));
        }
    }

    fn set_alive_mask(&mut self, set: u64, alive: bool, now: Time) {
        if !self.pmgr.gates {
            return;
        }
        for cpu in bits(set) {
            self.aic.set_alive(cpu, alive, now.as_picos());
        }
    }

    fn pmgr_write(&mut self, pa: u64, value: u64, now: Time) -> Result<(), BusFault> {
        match self.pmgr.write(pa, value) {
            // Writing a locked reset vector gives an SError (third party).
            Err(()) => return Err(BusFault::SError),
            Ok(Request::None) => {}
            Ok(Request::Start(set)) => self.start_requests |= set,
            Ok(Request::Stop(set)) => {
                self.stop_requests |= set;
                self.set_alive_mask(set, false, now);
            }
            Ok(Request::Active(set)) => self.set_alive_mask(set, true, now),
        }
        Ok(())
    }
}

impl Bus for SocBus {
    fn mmio_read(&mut self, cpu: usize, pa: u64, size: u8, now: Time) -> Result<u64, BusFault> {
        if let Some(offset) = self.uart_offset(pa) {
            let value = self.uart.read(cpu, offset, now);
            self.drive_uart_line(now);
            return Ok(value.into());
        }
        self.uart.not_idle(cpu);
        if let Some(offset) = self.aic_offset(pa) {
            let ps = now.as_picos();
            return match size {
                4 => Ok(self.aic_read(cpu, offset, ps).into()),
                8 => {
                    let low = u64::from(self.aic_read(cpu, offset, ps));
                    Ok(low | u64::from(self.aic_read(cpu, offset + 4, ps)) << 32)
                }
                _ => self.nobody(),
            };
        }
        if self.pmgr.contains(pa) {
            return Ok(self.pmgr.read(pa));
        }
        if let Some(offset) = self.watchdog.offset(pa) {
            return Ok(self.watchdog.read(offset, now).into());
        }
        if self.is_plain(pa) {
            let word = self.plain_words.get(&(pa & !7)).copied().unwrap_or(0);
            return Ok(word >> (8 * (pa & 7)) & (u64::MAX >> (64 - 8 * u32::from(size))));
        }
        self.nobody()
    }

    fn mmio_write(
        &mut self,
        cpu: usize,
        pa: u64,
        size: u8,
        value: u64,
        now: Time,
    ) -> Result<(), BusFault> {
        self.uart.not_idle(cpu);
        if let Some(offset) = self.aic_offset(pa) {
            let ps = now.as_picos();
            match size {
                4 => self.aic.write(cpu, offset, value as u32, ps),
                8 => {
                    self.aic.write(cpu, offset, value as u32, ps);
                    self.aic.write(cpu, offset + 4, (value >> 32) as u32, ps);
                }
                _ => return self.nobody(),
            }
            return Ok(());
        }
        if let Some(offset) = self.uart_offset(pa) {
            self.uart.write(cpu, offset, value as u32, now);
            self.drive_uart_line(now);
            return Ok(());
        }
        if self.pmgr.contains(pa) {
            return self.pmgr_write(pa, value, now);
        }
        if let Some(offset) = self.watchdog.offset(pa) {
            self.watchdog.write(offset, value as u32, now);
            return Ok(());
        }
        if self.is_plain(pa) {
            let shift = 8 * (pa & 7);
            let mask = (u64::MAX >> (64 - 8 * u32::from(size))) << shift;
            let word = self.plain_words.entry(pa & !7).or_insert(0);
            *word = *word & !mask | value << shift & mask;
            return Ok(());
        }
        self.nobody()
    }

    fn sysreg_read(
        &mut self,
        cpu: usize,
        reg: SysReg,
        _el: u8,
        _now: Time,
    ) -> Result<u64, SysRegFault> {
        self.read_register(cpu, reg)
    }

    fn sysreg_write(
        &mut self,
        cpu: usize,
        reg: SysReg,
        _el: u8,
        value: u64,
        now: Time,
    ) -> Result<(), SysRegFault> {
        self.uart.not_idle(cpu);
        self.write_register(cpu, reg, value, now.as_picos())
    }

    fn synchronize(&mut self, cpu: usize, now: Time) {
        self.ipi.synchronize(cpu);
        self.aic.synchronize(cpu, now.as_picos());
    }

    fn irq_lines(&self) -> u64 {
        self.aic.irq_lines()
    }

    fn fiq_lines(&self) -> u64 {
        self.ipi_lines()
    }

    fn timer_fiq_gate(&self, cpu: usize) -> u8 {
        if self.cold >> cpu & 1 == 1 || self.fiq_closed(cpu) {
            0
        } else {
            0xf
        }
    }

    fn tick(&mut self, now: Time, view: &CpuView) {
        self.drive_uart_line(now);
        self.aic.tick(view, now.as_picos());
        self.ipi.tick(view.waiting, now.as_picos());
        self.loader_takes_interrupts(now);
    }

    fn next_event(&self, now: Time) -> Option<Time> {
        let port = self.uart_line.and(self.uart.next_interrupt(now));
        let now = now.as_picos();
        let events = [
            self.aic.next_event(now),
            self.ipi.next_event(now),
            port.map(Time::as_picos),
        ];
        events.into_iter().flatten().min().map(Time)
    }
}

/// Numbers of the bits that are set.
fn bits(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |i| set >> i & 1 == 1)
}
