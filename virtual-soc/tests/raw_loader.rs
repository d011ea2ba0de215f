//! An unmodified loader image named by `AICPROBE_M1N1_BIN` boots to its proxy and brings all CPUs up.

mod raw_support;

use raw_support::{a64, boot, client::RX, loader_image, model, script::Facts};
use virtual_soc::cpu::CoreState;

/// Most instructions that any boot here has taken is 24 million.
const BOOT_INSNS: u64 = 40_000_000;

fn boots(name: &str, siq_cfg: Option<u64>) {
    let Some(image) = loader_image() else { return };
    let facts = Facts::of(&model(name));
    let mut c = boot(name, &image);
    let hello = c.reply().expect("message at start");
    assert_eq!((hello.kind, hello.status, hello.words), (4, 0, [0; 3]));
    let insns = c.target.stats().total_insns();
    eprintln!(
        "{name}: proxy after {insns} instructions, {:?}",
        c.target.now()
    );
    assert!(insns < BOOT_INSNS, "{insns}");
    assert_eq!(c.request(0, &[1]).expect("NOP").words, [0; 3]);
    let found = c.target.snapshot();
    c.op(0x504, &[1]);
    c.op(0x500, &[]);
    let mpidr = c.code(&[a64::mrs(0, 3, 0, 0, 0, 5), a64::RET]);
    for index in &facts.others {
        assert_eq!(c.op(0x505, &[*index]), 1, "CPU {index}");
        c.op(0x30f, &[*index]);
        let cpu = model(name)
            .cpu
            .iter()
            .position(|m| u64::from(m.adt_id) == *index);
        let wanted = model(name).cpu[cpu.expect("known")].mpidr;
        assert_eq!(c.op(0x502, &[*index, mpidr | RX]), wanted, "CPU {index}");
    }
    for core in &c.target.machine().cores {
        assert!(matches!(core.state(), CoreState::Running | CoreState::Wfe));
    }
    let now = c.target.snapshot();
    for (cpu, state) in now.cpus.iter().enumerate() {
        let wanted = siq_cfg.unwrap_or(found.cpus[cpu].siq_cfg);
        assert_eq!(state.siq_cfg, wanted, "CPU {cpu}");
    }
}

#[test]
fn on_t8140_it_leaves_siq_cfg_as_found() {
    boots("t8140", None);
}

#[test]
fn on_t6020_it_writes_2_on_every_cpu() {
    boots("t6020", Some(2));
}
