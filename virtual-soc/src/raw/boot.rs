//! What an image finds in memory, and where.

use crate::cpu::CoreConfig;
use crate::loader::{Layout, bootargs, devicetree};
use crate::machine::{Machine, MachineConfig};
use crate::model::{ModelError, SocModel};
use crate::soc::SocBus;

/// Alignment of an image, of what follows it and of the page tables of what boots here.
const ALIGN: u64 = 0x1_0000;
/// An image may lie on any page of this size.
const PAGE: u64 = 0x4000;
/// Zeros that follow an image, so that whoever looks for something appended to it finds an end.
const PADDING: u64 = 0x1_0000;
/// Room for the boot arguments.
const BOOT_ARGS_ROOM: u64 = 0x4000;
/// The entry of images that iBoot starts in raw mode (third party: loader sources).
const ENTRY_OFFSET: u64 = 0x800;
/// 1,500,000 baud, ten bits a byte.
const BYTES_PER_SECOND: u64 = 150_000;

/// How an image is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawOptions {
    /// Physical address of the image's first byte, 16 KiB aligned; `None` = where the model's firmware would put it.
    pub load_address: Option<u64>,
    /// From the image's base to its first instruction; a multiple of 4 below the image's length.
    pub entry_offset: u64,
    /// Feeds every random choice of the model.
    pub seed: u64,
    /// Speed of the serial port, both ways; 0 = bytes take no time.
    pub bytes_per_second: u64,
    /// Stop after exactly that many instructions of all CPUs together.
    pub max_insns: Option<u64>,
}

impl Default for RawOptions {
    fn default() -> Self {
        Self {
            load_address: None,
            entry_offset: ENTRY_OFFSET,
            seed: 1,
            bytes_per_second: BYTES_PER_SECOND,
            max_insns: None,
        }
    }
}

/// Why an image cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum RawError {
    /// The model is refused.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The image or its place is.
    #[error("{what} is {value:#x}: {allowed}")]
    Value {
        /// "load address", "entry offset", "image size".
        what: &'static str,
        /// As given.
        value: u64,
        /// What would be accepted.
        allowed: String,
    },
}

/// The machine, ready to run; its boot CPU stands at the entry.
pub(super) fn power_on(
    model: &SocModel,
    image: &[u8],
    options: &RawOptions,
) -> Result<Machine<SocBus>, RawError> {
    model.validate(&model.name)?;
    let layout = layout(model, image, options)?;
    let order = model.logical_order();
    let mut bus = SocBus::new(model, layout.loader, options.seed);
    bus.uart.set_byte_rate(options.bytes_per_second);
    let mut machine = Machine::new(
        MachineConfig {
            ram_base: model.ram.base,
            ram_size: model.ram.size,
            slice: model.timing.slice,
            ps_per_insn: model.timing.ps_per_insn,
            counter_hz: model.counter.hz,
            counter_step: model.counter.step,
            cores: order
                .iter()
                .map(|&i| CoreConfig {
                    mpidr: model.cpu[i].mpidr,
                    midr: model.cpu[i].midr,
                    lse: model.cpus.lse,
                    has_event_stream: model.cpus.event_stream,
                    wfi_loses_gprs: model.cpus.wfi_loses_gprs,
                    wfxt: model.cpus.wfxt,
                    wfit_loses_gprs: model.cpus.wfit_loses_gprs,
                })
                .collect(),
            host_call: 0..0,
        },
        bus,
    );
    let tree = devicetree::build(model, &layout).map_err(|e| ModelError::Value {
        origin: model.name.clone(),
        key: "adt".into(),
        value: e.to_string(),
        allowed: "what the format of the device tree holds".into(),
    })?;
    let room = layout.boot_args - layout.adt;
    let args = bootargs::build(&layout, &model.loader, model.ram.size, tree.len());
    let fits = tree.len() as u64 <= room
        && machine.ram.write(layout.loader, image).is_ok()
        && machine.ram.write(layout.adt, &tree).is_ok()
        && machine.ram.write(layout.boot_args, &args).is_ok();
    if !fits {
        return Err(too_big(image, model));
    }
    let now = machine.now();
    machine.limit_insns(options.max_insns.unwrap_or(u64::MAX));
    machine.bus.set_running(0, true, now);
    machine.cores[0].reset(layout.loader + options.entry_offset, 2, layout.boot_args);
    Ok(machine)
}

fn too_big(image: &[u8], model: &SocModel) -> RawError {
    RawError::Value {
        what: "image size",
        value: image.len() as u64,
        allowed: format!(
            "image, device tree and a heap must fit into {:#x} bytes of RAM at {:#x}",
            model.ram.size, model.ram.base
        ),
    }
}

/// Device tree, boot arguments and end of what firmware loaded follow the image.
fn layout(model: &SocModel, image: &[u8], options: &RawOptions) -> Result<Layout, RawError> {
    /// Room for a device tree.
    const ADT_ROOM: u64 = 0x10_0000;
    let mut layout = Layout::new(model);
    let size = image.len() as u64;
    let base = options.load_address.unwrap_or(layout.loader);
    let usable = layout.phys_base..layout.phys_base + layout.mem_size;
    if !usable.contains(&base) || !base.is_multiple_of(PAGE) {
        return Err(RawError::Value {
            what: "load address",
            value: base,
            allowed: format!(
                "a multiple of {PAGE:#x} from {:#x} to {:#x}",
                usable.start, usable.end
            ),
        });
    }
    if !options.entry_offset.is_multiple_of(4) || options.entry_offset.saturating_add(4) > size {
        return Err(RawError::Value {
            what: "entry offset",
            value: options.entry_offset,
            allowed: format!("a multiple of 4 inside the image of {size:#x} bytes"),
        });
    }
    layout.loader = base;
    layout.adt = (base + size + PADDING).next_multiple_of(ALIGN);
    layout.boot_args = layout.adt + ADT_ROOM;
    layout.top_of_kernel_data = (layout.boot_args + BOOT_ARGS_ROOM).next_multiple_of(ALIGN);
    if layout.top_of_kernel_data >= usable.end {
        return Err(too_big(image, model));
    }
    Ok(layout)
}
