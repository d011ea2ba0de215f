//! An unmodified loader image named by `AICPROBE_M1N1_BIN`: it must reach its proxy and serve it. Says so when there is none.

#[path = "soc_common/client.rs"]
mod client;

use client::Client;
use core::time::Duration;
use virtual_soc::{RawOptions, RawTarget, SocModel};

fn image() -> Option<Vec<u8>> {
    match std::env::var_os("AICPROBE_M1N1_BIN") {
        Some(path) => Some(std::fs::read(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"))),
        None => {
            eprintln!("skipped: AICPROBE_M1N1_BIN names no loader image");
            None
        }
    }
}

#[test]
fn boots_and_serves() {
    let Some(image) = image() else { return };
    let model = SocModel::builtin("t8140").unwrap();
    let options = RawOptions {
        bytes_per_second: 3_000_000,
        ..RawOptions::default()
    };
    let mut c = Client::over(RawTarget::from_image(&model, &image, &options).unwrap());
    let boot = c.reply().expect("BOOT frame");
    eprintln!(
        "to proxy: {:?} {:?}",
        c.target.now(),
        c.target.stats().insns
    );
    assert_eq!(boot.kind, 4);
    assert_eq!(c.request(0, &[1]).unwrap().words[0], 0);
    c.console.clear();
    let code = c.code(&[0xd53800a0, 0xd65f03c0, 0xd5381000, 0xd65f03c0]);
    eprintln!("code {code:#x} call {:x}", c.op(2, &[code | client::RX]));
    c.op(0x504, &[1]);
    c.op(0x500, &[]);
    for i in 0..7 {
        eprintln!("alive {i} {:x}", c.op(0x505, &[i]));
    }
    for i in 0..6 {
        eprintln!("mpidr {i} {:x}", c.op(0x502, &[i, code]));
    }
    for i in 0..6 {
        eprintln!("sctlr {i} {:x}", c.op(0x502, &[i, code + 8]));
    }
    for i in 0..6 {
        eprintln!("mmu {i} {:x}", c.op(0x30f, &[i]));
    }
    for i in 0..6 {
        eprintln!("sctlr {i} {:x}", c.op(0x502, &[i, client::RX | (code + 8)]));
    }
    eprintln!("{}", c.text());
    eprintln!("end: {:?} {:?}", c.target.now(), c.target.stats().insns);
    let _ = Duration::ZERO;
}
