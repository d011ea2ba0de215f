//! The device tree that firmware would hand over, built from the model.
//!
//! Shape, property names and sizes follow real trees (third party); what a tree needs beyond the model so that a stock client starts
//! (a primary PMU, a `devices` table) is model only.

use adt::{BuildError, NodeBuilder};

use crate::model::{DeviceModel, SocModel, StrideProperties};
use crate::soc::Watchdog;

use super::layout::Layout;
use super::pages::{ARM_IO, device_ranges};

const ROOT_PHANDLE: u32 = 1;
const AIC_PHANDLE: u32 = 0x10;
const CPU_PHANDLE: u32 = 0x40;
const DEVICE_PHANDLE: u32 = 0x100;
/// Size of a CPU's implementation block as a real tree gives it.
const IMPL_SIZE: u64 = 0x9010;
/// Bytes of one entry in the power manager's `devices`.
const PMGR_DEVICE: usize = 48;
/// Offset of the page with the counter in the window of version 1.
const AIC_1_TIMEBASE: u64 = 0x8000;
/// Name of the watchdog's node.
const WDT: &str = "wdt";
/// Flag of an entry that no loader touches.
const PMGR_VIRTUAL: u8 = 0x10;

/// The blob.
pub(crate) fn build(model: &SocModel, layout: &Layout) -> Result<Vec<u8>, BuildError> {
    let compatible: Vec<&str> = model.adt.compatible.iter().map(String::as_str).collect();
    NodeBuilder::new("device-tree")
        .prop_u32("#address-cells", 2)
        .prop_u32("#size-cells", 2)
        .prop_u32("AAPL,phandle", ROOT_PHANDLE)
        .prop_str("model", &model.adt.model)
        .prop_str("target-type", &model.adt.target_type)
        .prop_strs("compatible", &compatible)
        .prop_str("serial-number", &model.adt.serial)
        .prop_str("manufacturer", "Virtual")
        .child(chosen(model, layout))
        .child(cpus(model))
        .child(arm_io(model))
        .build()
        .map(|mut blob| {
            if model.adt.names_padded {
                pad_names(&mut blob, 0);
            }
            blob
        })
}

/// Fills what is behind the NUL of every property's name; the node at `at` and all below it. Returns where it ends.
fn pad_names(blob: &mut [u8], at: usize) -> usize {
    const NAME: usize = 32;
    const TEMPLATE: u32 = 1 << 31;
    let word = |blob: &[u8], at: usize| {
        let bytes = blob.get(at..at + 4).and_then(|b| b.try_into().ok());
        u32::from_le_bytes(bytes.unwrap_or_default())
    };
    let (properties, children) = (word(blob, at), word(blob, at + 4));
    let mut at = at + 8;
    for _ in 0..properties {
        let name = blob.get_mut(at..at + NAME).unwrap_or_default();
        let end = name.iter().position(|b| *b == 0).map_or(NAME, |n| n + 1);
        name.get_mut(end..).unwrap_or_default().fill(b'#');
        let size = word(blob, at + NAME) & !TEMPLATE;
        at += NAME + 4 + size.next_multiple_of(4) as usize;
    }
    for _ in 0..children {
        at = pad_names(blob, at);
    }
    at
}

fn chosen(model: &SocModel, layout: &Layout) -> NodeBuilder {
    NodeBuilder::new("chosen")
        .prop_u32("chip-id", model.chip_id)
        .prop_u32("board-id", 0)
        .prop_str("firmware-version", &model.adt.firmware_version)
        .prop_u64("dram-base", model.ram.base)
        .prop_u64("dram-size", model.ram.size)
        .child(NodeBuilder::new("memory-map").prop_u64s("BootArgs", &[layout.boot_args, 0x4000]))
}

fn cpus(model: &SocModel) -> NodeBuilder {
    let present = || model.cpu.iter().filter(|c| c.present);
    let of = |kind: &str| {
        present()
            .filter(|c| c.cluster_type.letter() == kind)
            .count() as u32
    };
    let mut node = NodeBuilder::new("cpus")
        .prop_u32("#address-cells", 1)
        .prop_u32("#size-cells", 0)
        .prop_u32("max_cpus", model.cpu.len() as u32);
    for (name, kind) in [
        ("e-core-count", "E"),
        ("p-core-count", "P"),
        ("m-core-count", "M"),
    ] {
        if of(kind) != 0 {
            node = node.prop_u32(name, of(kind));
        }
    }
    node.children(present().enumerate().map(|(i, cpu)| {
        let node = NodeBuilder::new(&format!("cpu{}", cpu.adt_id))
            .prop_str("device_type", "cpu")
            .prop_u32("AAPL,phandle", CPU_PHANDLE + i as u32)
            .prop_u32("cpu-id", cpu.adt_id)
            .prop_u32("reg", cpu.reg)
            .prop_str("cluster-type", cpu.cluster_type.letter())
            .prop_u32("cluster-id", cpu.reg >> 8 & 7)
            .prop_str("state", if cpu.boot { "running" } else { "waiting" });
        if cpu.impl_reg == 0 {
            node
        } else {
            node.prop_u64s("cpu-impl-reg", &[cpu.impl_reg, IMPL_SIZE])
        }
    }))
}

fn arm_io(model: &SocModel) -> NodeBuilder {
    let dies = device_ranges(model);
    let ranges: Vec<u64> = dies
        .flat_map(|r| [bus(r.start), r.start, r.end - r.start])
        .collect();
    let mut node = NodeBuilder::new("arm-io")
        .prop_u32("#address-cells", 2)
        .prop_u32("#size-cells", 2)
        .prop_u64s("ranges", &ranges)
        .prop_u32("interrupt-parent", AIC_PHANDLE)
        .child(aic(model));
    if let Some(uart) = &model.uart {
        let port = NodeBuilder::new("uart0")
            .prop_str("compatible", "uart-1,samsung")
            .prop_u64s("reg", &[bus(uart.base), 0x4000]);
        node = node.child(match uart.line {
            Some(line) => port
                .prop_u32("interrupt-parent", AIC_PHANDLE)
                .prop_u32("interrupts", line),
            None => port,
        });
    }
    if let Some(pmgr) = &model.pmgr {
        node = node.child(
            NodeBuilder::new("pmgr")
                .prop_u64s("reg", &[bus(pmgr.base), pmgr.size])
                .prop_bytes("devices", &pmgr_devices()),
        );
    }
    let named = model.adt.device.iter().any(|d| d.name == WDT);
    if let Some(wdt) = model.wdt.as_ref().filter(|_| !named) {
        let window = [bus(wdt.base), Watchdog::SIZE];
        node = node.child(NodeBuilder::new(WDT).prop_u64s("reg", &window));
    }
    // A stock client looks for a primary PMU below a node whose name starts with i2c.
    let pmu = NodeBuilder::new("pmu")
        .prop_str("compatible", "pmu,virtual")
        .prop_u32s("reg", &[0, 0, 0]);
    let i2c = NodeBuilder::new("i2c9")
        .prop_u64s("reg", &[0x1_0000_0000, 0x4000])
        .child(pmu);
    node.children(
        model
            .adt
            .device
            .iter()
            .enumerate()
            .map(|(i, d)| device(model, i, d)),
    )
    .child(i2c)
}

fn aic(model: &SocModel) -> NodeBuilder {
    let aic = &model.aic;
    let node = NodeBuilder::new("aic")
        .prop_str(
            "compatible",
            match aic.generation {
                1 => "aic,1",
                2 => "aic,2",
                _ => "aic,3",
            },
        )
        .prop_str("device_type", "interrupt-controller")
        .prop_str("interrupt-controller", "master")
        .prop_u32("#interrupt-cells", 1)
        .prop_u32("AAPL,phandle", AIC_PHANDLE)
        .prop_u32(
            "#main-cpus",
            model.cpu.iter().filter(|c| c.present).count() as u32,
        );
    let node = match aic.generation {
        1 => only_version_1(node, model),
        2 => node.prop_u64("aic-iack-offset", aic.event.into()),
        _ => offsets_of_version_3(node, model),
    };
    let window = [bus(aic.base), aic.size];
    let node = match (model.adt.aic_without_reg, aic.generation) {
        (true, _) => node,
        // The second window is that of the timestamps.
        (false, 1) => {
            let [base, _] = window;
            let windows = [base, aic.size, base + AIC_1_TIMEBASE, 0x1000];
            node.prop_u64s("reg", &windows)
        }
        (false, _) => node.prop_u64s("reg", &window),
    };
    if model.adt.ext_routes.is_empty() {
        return node;
    }
    // Three bytes an entry: number [7:0]; number [11:8] and die [7:4]; target.
    let routes = model.adt.ext_routes.iter();
    let bytes: Vec<u8> = routes
        .flat_map(|r| {
            [
                r.number as u8,
                (r.number >> 8 & 0xf) as u8 | (r.die << 4) as u8,
                r.target,
            ]
        })
        .collect();
    node.prop_bytes("aic-ext-intr-cfg", &bytes)
}

/// As in the trees of M1: the number of lines follows from the length of `ipid-mask`, one bit a line.
fn only_version_1(node: NodeBuilder, model: &SocModel) -> NodeBuilder {
    let ipids = vec![0xff; model.aic.nr_irq.div_ceil(8) as usize];
    node.prop_u32("aic-version", 2)
        .prop_bytes("ipid-mask", &ipids)
}

fn offsets_of_version_3(node: NodeBuilder, model: &SocModel) -> NodeBuilder {
    let aic = &model.aic;
    let computed = 4 * aic.max_irq + 5 * (aic.max_irq / 8);
    let tree = &model.adt;
    let strides = [
        ("extintrcfg-stride", tree.cfg_stride, aic.cfg_stride),
        ("intmaskset-stride", tree.set_stride, aic.set_stride),
        ("intmaskclear-stride", tree.clear_stride, aic.clear_stride),
        ("hwintmon-stride", tree.hw_state_stride, aic.hw_state_stride),
    ];
    let node = node
        .prop_u64("aic-iack-offset", aic.event.into())
        .prop_u32("rev-offset", 0)
        .prop_u32("cap0-offset", 4)
        .prop_u32("maxnumirq-offset", 0xc)
        .prop_u32("aicglbcfg-offset", 0x14)
        .prop_u32("extint-baseaddress", aic.irq_cfg);
    strides
        .into_iter()
        .fold(node, |node, (name, said, stride)| match tree.strides {
            StrideProperties::Absent => node,
            StrideProperties::Zero => node.prop_u32(name, 0),
            StrideProperties::Present => {
                let own = if stride == 0 { computed } else { stride };
                node.prop_u32(name, said.unwrap_or(own))
            }
        })
}

fn device(model: &SocModel, index: usize, device: &DeviceModel) -> NodeBuilder {
    let phandle = |i: usize| DEVICE_PHANDLE + i as u32;
    let compatible: Vec<&str> = device.compatible.iter().map(String::as_str).collect();
    let mut node = NodeBuilder::new(&device.name).prop_u32("AAPL,phandle", phandle(index));
    if !compatible.is_empty() {
        node = node.prop_strs("compatible", &compatible);
    }
    let own = model.wdt.as_ref().filter(|_| device.name == WDT);
    let own = own.map(|wdt| [wdt.base, Watchdog::SIZE]);
    if own.is_some() || !device.reg.is_empty() {
        let words: Vec<u64> = own
            .iter()
            .chain(&device.reg)
            .flat_map(|[base, size]| [bus(*base), *size])
            .collect();
        node = node.prop_u64s("reg", &words);
    }
    if !device.interrupts.is_empty() {
        let parent = |name: &String| match name.as_str() {
            "aic" => AIC_PHANDLE,
            "self" => phandle(index),
            other => model
                .adt
                .device
                .iter()
                .position(|d| d.name == other)
                .map_or(AIC_PHANDLE, phandle),
        };
        let parents: Vec<u32> = device.interrupt_parents.iter().map(parent).collect();
        node = node
            .prop_u32s(
                "interrupt-parent",
                if parents.is_empty() {
                    &[AIC_PHANDLE]
                } else {
                    &parents
                },
            )
            .prop_u32s("interrupts", &device.interrupts);
    }
    let is_parent = device.interrupt_parents.iter().any(|p| p == "self")
        || model
            .adt
            .device
            .iter()
            .any(|d| d.interrupt_parents.contains(&device.name));
    if is_parent {
        node = node
            .prop_empty("interrupt-controller")
            .prop_u32("#interrupt-cells", 1);
    }
    if let Some(offset) = device.msi_vector_offset {
        node = node.prop_u32("msi-vector-offset", offset);
    }
    if let Some(count) = device.msi_vectors {
        node = node.prop_u32("#msi-vectors", count);
    }
    node
}

fn pmgr_devices() -> Vec<u8> {
    let mut table = vec![0; 2 * PMGR_DEVICE];
    for (i, entry) in table.chunks_mut(PMGR_DEVICE).enumerate() {
        entry[0] = PMGR_VIRTUAL;
        entry[3] = i as u8 + 1;
        entry[26] = i as u8 + 1;
        let name = format!("VIRTUAL{i}");
        entry[32..32 + name.len()].copy_from_slice(name.as_bytes());
    }
    table
}

/// Bus address of a physical one; addresses below the range stay as they are (nothing translates them).
const fn bus(phys: u64) -> u64 {
    phys.saturating_sub(ARM_IO.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(model: &SocModel) -> Vec<u8> {
        build(model, &Layout::new(model)).unwrap()
    }

    #[test]
    fn the_controller_as_a_loader_wants_it() {
        let blob = tree(&SocModel::builtin("t8140").unwrap());
        let adt = adt::Adt::new(&blob).unwrap();
        let aic = adt.node("/arm-io/aic").unwrap();
        assert_eq!(aic.reg(0).unwrap().phys, 0x3_0100_0000);
        assert_eq!(aic.property("aic-iack-offset").map(<[u8]>::len), Some(8));
        assert_eq!(aic.u32("extint-baseaddress"), Some(0x10000));
        assert_eq!(aic.u32("extintrcfg-stride"), Some(0x4a00));
        assert!(aic.is_compatible("aic,3"));
    }

    #[test]
    fn cpus_in_order_with_one_running() {
        let blob = tree(&SocModel::builtin("t8140").unwrap());
        let adt = adt::Adt::new(&blob).unwrap();
        let cpus: Vec<_> = adt.node("/cpus").unwrap().children().collect();
        assert_eq!(
            cpus.iter()
                .map(|c| c.u32("cpu-id").unwrap())
                .collect::<Vec<_>>(),
            [0, 1, 2, 3, 4, 5]
        );
        let running: Vec<_> = cpus
            .iter()
            .filter(|c| c.str("state") == Some("running"))
            .map(|c| c.u32("reg"))
            .collect();
        assert_eq!(running, [Some(0x100)]);
    }

    #[test]
    fn lines_with_several_parents_are_found() {
        let model = SocModel::builtin("t8140").unwrap();
        let blob = tree(&model);
        let adt = adt::Adt::new(&blob).unwrap();
        let spmi: Vec<_> = adt
            .node("/arm-io/nub-spmi0")
            .unwrap()
            .interrupts()
            .collect();
        assert_eq!(spmi.len(), 3, "{spmi:?}");
    }

    #[test]
    fn routes_to_coprocessors_in_three_bytes() {
        let mut model = SocModel::builtin("t8140").unwrap();
        model.adt.ext_routes = vec![crate::model::ExtRoute {
            die: 1,
            number: 0x537,
            target: 3,
        }];
        let blob = tree(&model);
        let adt = adt::Adt::new(&blob).unwrap();
        assert_eq!(
            adt.node("/arm-io/aic")
                .unwrap()
                .property("aic-ext-intr-cfg"),
            Some(&[0x37, 0x15, 3][..])
        );
    }
}
