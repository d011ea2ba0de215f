//! A raw image of a few words on every model, at several load addresses: it starts all secondaries through the start blocks of all dies,
//! and every CPU finds itself at the image with its own MPIDR.

mod raw_support;

use core::time::Duration;

use raw_support::a64::*;
use virtual_soc::cpu::CoreState;
use virtual_soc::model::SocModel;
use virtual_soc::{RawOptions, RawTarget};

const ENTRY: usize = 0x800;
/// Bytes from one die's devices to the next one's.
const DIE: u64 = 0x20_0000_0000;

/// Load Xd with a value.
fn load(d: u32, value: u64) -> [u32; 3] {
    [
        movz(d, value as u32 & 0xffff, 0),
        movk(d, (value >> 16) as u32 & 0xffff, 1),
        movk(d, (value >> 32) as u32 & 0xffff, 2),
    ]
}

/// At 0, where reset vectors point: MPIDR to x1, then wait for ever. At the entry: the same, and all secondaries started before the wait.
fn image(model: &SocModel) -> Vec<u8> {
    let mpidr = mrs(1, 3, 0, 0, 0, 5);
    let secondary = [mpidr, movz(3, 77, 0), WFE, b(-1)];
    let pmgr = model.pmgr.as_ref().expect("a start block");
    let largest = model.cpu.iter().map(|c| c.reg & 0xff).max().unwrap_or(0) + 1;
    let mut boot = vec![];
    for cpu in model.cpu.iter().filter(|c| c.present && !c.boot) {
        let (core, cluster, die) = (cpu.reg & 0xff, cpu.reg >> 8 & 7, cpu.reg >> 11);
        let block = pmgr.base + u64::from(pmgr.cpu_start) + u64::from(die) * DIE;
        for (address, bit) in [
            (block + 4, cluster * largest.max(4) + core),
            (block + 8 + 4 * u64::from(cluster), core),
        ] {
            boot.extend(load(2, address));
            boot.extend(load(1, 1 << bit));
            boot.push(str_w(1, 2));
        }
    }
    boot.extend(secondary);
    let words = |code: &[u32]| -> Vec<u8> { code.iter().flat_map(|w| w.to_le_bytes()).collect() };
    let mut bytes = words(&secondary);
    bytes.resize(ENTRY, 0);
    bytes.extend(words(&boot));
    bytes
}

/// Runs the image at `at`; every present CPU must have come up.
fn comes_up(model: &SocModel, at: Option<u64>) {
    let options = RawOptions {
        load_address: at,
        ..RawOptions::default()
    };
    let mut target = RawTarget::from_image(model, &image(model), &options)
        .unwrap_or_else(|e| panic!("{}: {e}", model.name));
    target.recv(&mut [0], Duration::from_millis(1));
    for (id, &i) in model.logical_order().iter().enumerate() {
        let core = &target.machine().cores[id];
        let who = format!("{}: CPU {id} of image at {at:x?}", model.name);
        assert_eq!(core.state(), CoreState::Wfe, "{who}");
        assert_eq!((core.x(1), core.x(3)), (model.cpu[i].mpidr, 77), "{who}");
        assert_eq!(core.el(), 2, "{who}");
    }
}

#[test]
fn every_model_at_every_load_address_tried() {
    const USABLE: u64 = 16 << 20;
    for name in SocModel::builtin_names() {
        let model = SocModel::builtin(name).expect("built in");
        comes_up(&model, None);
        let last = model.ram.size - USABLE - (8 << 20);
        for at in [
            USABLE,
            USABLE + 0x1_0000,
            USABLE + 0x7_0000,
            0x555_0000,
            last,
        ] {
            comes_up(&model, Some(model.ram.base + at));
        }
    }
}

#[test]
fn any_number_of_cpus_from_2_to_24() {
    for count in 2..=24 {
        let mut model = SocModel::builtin("t6022").expect("built in");
        for cpu in &mut model.cpu[count..] {
            cpu.present = false;
        }
        comes_up(&model, None);
    }
}
