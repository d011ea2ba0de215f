//! The stock Python client of m1n1 itself, start-up and everyday calls.
//!
//! It is not part of this repository: `AICPROBE_M1N1_PROXYCLIENT` names the folder that holds its package `m1n1`,
//! `AICPROBE_PYTHON` an interpreter with pyserial and construct (`python3` without it).
#![cfg(unix)]

mod vm_common;

use std::process::Command;

use virtual_soc::SocModel;
use vm_common::Vm;

fn passes(soc: &str, more: &[&str]) {
    let Some(folder) = std::env::var_os("AICPROBE_M1N1_PROXYCLIENT") else {
        eprintln!("skipped: AICPROBE_M1N1_PROXYCLIENT names no folder of the stock client");
        return;
    };
    let python = std::env::var_os("AICPROBE_PYTHON").unwrap_or("python3".into());
    let model = SocModel::builtin(soc).expect("built in");
    let others = model.cpu.iter().filter(|c| c.present && !c.boot);
    let others: Vec<String> = others
        .map(|c| format!("{}={:#x}", c.adt_id, c.mpidr))
        .collect();
    let mut args = vec![soc];
    args.extend(more);
    let vm = Vm::start(&args);
    // One client after the other.
    for _ in 0..2 {
        let run = Command::new(&python)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vm_stock.py"))
            .args(&others)
            .env("PYTHONPATH", &folder)
            .env("M1N1DEVICE", &vm.path)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .expect("the interpreter starts");
        let out = String::from_utf8_lossy(&run.stdout);
        let err = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{out}\n{err}");
        assert!(out.trim_end().ends_with("all calls passed"), "{out}\n{err}");
    }
}

#[test]
fn it_starts_and_works_on_t8140() {
    passes("t8140", &[]);
}

#[test]
fn it_starts_and_works_on_t6020() {
    passes("t6020", &[]);
}

#[test]
fn it_starts_and_works_with_a_real_loader() {
    let Some(image) = std::env::var_os("AICPROBE_M1N1_BIN") else {
        eprintln!("skipped: AICPROBE_M1N1_BIN names no loader image");
        return;
    };
    passes("t8140", &["--boot", image.to_str().expect("UTF-8")]);
}
