//! Power-on: the machine as it is when the loader waits for its first request.

use crate::cpu::{CoreConfig, CoreState};
use crate::machine::{Machine, MachineConfig};
use crate::mem::Ram;
use crate::model::{CpuModel, LinkKind, ModelError, SocModel};
use crate::soc::SocBus;

use super::calls::stub_page;
use super::frame::{kind, reply};
use super::heap::Heap;
use super::layout::{FEATURES, Layout, PAGE, RETURN_STUB};
use super::snapshot::StateSnapshot;
use super::state::{GuardMode, Loader, Secondary};
use super::target::{Phase, VirtualTarget};
use super::{bootargs, devicetree, pages, regs};

const BOOT_STACK: u64 = 0x1_0000;
/// The loader's CPU indices.
const INDICES: usize = 24;

pub(super) fn power_on(model: &SocModel, seed: u64) -> Result<VirtualTarget, ModelError> {
    model.validate(&model.name)?;
    let order = model.logical_order();
    let layout = Layout::new(model);
    let bus = SocBus::new(model, layout.loader, seed);
    let cores = order.iter().map(|&i| CoreConfig {
        mpidr: model.cpu[i].mpidr,
        midr: model.cpu[i].midr,
        lse: model.cpus.lse,
        has_event_stream: model.cpus.event_stream,
        wfi_loses_gprs: model.cpus.wfi_loses_gprs,
        wfxt: model.cpus.wfxt,
        wfit_loses_gprs: model.cpus.wfit_loses_gprs,
    });
    let config = MachineConfig {
        ram_base: model.ram.base,
        ram_size: model.ram.size,
        slice: model.timing.slice,
        ps_per_insn: model.timing.ps_per_insn,
        counter_hz: model.counter.hz,
        counter_step: model.counter.step,
        cores: cores.collect(),
        host_call: layout.loader..layout.loader + PAGE,
    };
    let mut machine = Machine::new(config, bus);
    let refuse = |key: &str, value: String, allowed: &str| ModelError::Value {
        origin: model.name.clone(),
        key: key.to_owned(),
        value,
        allowed: allowed.to_owned(),
    };
    let tree = devicetree::build(model, &layout).map_err(|e| {
        refuse(
            "adt",
            e.to_string(),
            "what the format of the device tree holds",
        )
    })?;
    let end = model.ram.base + model.ram.size;
    let (roots, heap_start) =
        fill_memory(&mut machine.ram, model, &layout, &tree).map_err(|e| {
            refuse(
                "ram.size",
                e.to_string(),
                "room for loader, device tree and page tables",
            )
        })?;
    let mut heap = Heap::new(heap_start, end);
    let boot_stack = heap.memalign(PAGE, BOOT_STACK) + BOOT_STACK;
    let mut by_index = vec![None; INDICES];
    for (id, &i) in order.iter().enumerate() {
        by_index[model.cpu[i].adt_id as usize] = Some(id);
    }
    let tree_order = (0..model.cpu.len())
        .filter_map(|i| order.iter().position(|o| *o == i))
        .collect();
    let loader = Loader {
        model: model.loader.clone(),
        layout,
        devices: pages::device_ranges(model).collect(),
        roots,
        heap,
        guard: GuardMode::OFF,
        guard_after: GuardMode::OFF,
        exceptions: 0,
        exceptions_total: 0,
        features: 0,
        wfe_mode: false,
        doomed: false,
        knows_boot_cpu: false,
        boot_stack,
        secondaries: vec![Secondary::default(); order.len()],
        by_index,
        console: model.loader.banner.clone().into_bytes(),
        requests: 0,
    };
    let as_found = StateSnapshot::take(&machine);
    let mut target = VirtualTarget {
        machine,
        as_found,
        loader,
        phase: Phase::Idle,
        call_result: None,
        mpidrs: order.iter().map(|&i| model.cpu[i].mpidr).collect(),
        siq_survives_stop: model.siq.survives_stop,
        cpu_models: order.iter().map(|&i| as_loaded(model, i)).collect(),
        tree_order,
        counter_hz: model.counter.hz,
        chip_id: model.chip_id.into(),
        faults: model.faults.clone(),
        receiver: Default::default(),
        output: Default::default(),
        replies: 0,
    };
    target.start_boot_cpu();
    if model.loader.link == LinkKind::Uart && model.loader.boot_message {
        // Only the serial port gets a message at start.
        target.output.extend(reply(kind::BOOT, 0, &[]));
    }
    Ok(target)
}

/// Loader image, boot arguments, device tree and page tables; gives the tables' roots and where the heap goes on.
fn fill_memory(
    ram: &mut Ram,
    model: &SocModel,
    layout: &Layout,
    tree: &[u8],
) -> Result<(pages::Roots, u64), crate::mem::OutOfRam> {
    for (offset, word) in stub_page() {
        ram.write_u32(layout.loader + offset, word)?;
    }
    ram.write(layout.loader + FEATURES, &features(model))?;
    ram.write(layout.adt, tree)?;
    ram.write(
        layout.boot_args,
        &bootargs::build(layout, &model.loader, model.ram.size, tree.len()),
    )?;
    pages::build(ram, layout.top_of_kernel_data, layout, model)
}

/// A CPU as the loader brings it up.
fn as_loaded(model: &SocModel, i: usize) -> CpuModel {
    let mut cpu = model.cpu[i].clone();
    cpu.starts &= !model.loader.leaves_down.contains(&cpu.adt_id);
    cpu.mmu &= !model.loader.leaves_mmu_off.contains(&cpu.adt_id);
    cpu
}

/// The CPU feature record: two words, then flags. A loader that writes SIQ_CFG is one for M1-M3, where system registers are unlocked.
fn features(model: &SocModel) -> [u8; 20] {
    let unlocked = u8::from(model.loader.writes_siq_cfg.is_some());
    let mut record = [0; 20];
    let flags = [
        unlocked,                               // disable_dc_mva
        unlocked,                               // acc_cfg
        unlocked,                               // apple_sysregs_unlocked
        0,                                      // workaround_cyclone_cache
        unlocked,                               // nex_powergating
        1,                                      // fast_ipi
        u8::from(model.loader.sprr) | unlocked, // mmu_sprr
        unlocked,                               // siq_cfg
        unlocked,                               // amx
        1,                                      // actlr_el2
        0,                                      // counter_redirect
    ];
    // The kind of sleep and the version of the uncore counters; later cores have none that the loader knows.
    (record[0], record[4]) = (2 * unlocked, 2 * unlocked);
    record[8..8 + flags.len()].copy_from_slice(&flags);
    record
}

impl VirtualTarget {
    /// The boot CPU in the loader: EL2, MMU on, everything but D open.
    fn start_boot_cpu(&mut self) {
        let now = self.machine.now();
        let base = self.loader.layout.loader;
        self.machine.bus.set_running(0, true, now);
        let core = &mut self.machine.cores[0];
        core.reset(base + RETURN_STUB, 2, 0);
        core.set_state(CoreState::Parked);
        core.set_daif(0);
        core.set_sp(self.loader.boot_stack);
        let index = self.cpu_models[0].adt_id;
        for (reg, value) in [
            (regs::HCR_EL2, regs::HCR),
            (regs::VBAR_EL2, base),
            (regs::TPIDR_EL2, index.into()),
        ] {
            core.set_sysreg(reg, value);
        }
        for timer in regs::TIMERS {
            core.set_sysreg(timer.control, regs::TIMER_MASKED);
        }
        self.mmu_on(0);
        if let Some(value) = self.loader.model.writes_siq_cfg {
            self.machine.bus.set_siq_cfg(0, value, now);
        }
        self.found(0);
        self.enters_loader(0);
    }
}
