//! Firmware that crashes: the report reaches the user, the boot CPU comes home, and what can be put back is.
//!
//! The images are the real one with an undefined instruction put where a symbol of its ELF file says.

mod common;

use common::{Run, run_firmware, t8140};
use host_cli::cli::exit_code;
use host_cli::error::exit;
use host_cli::firmware::Firmware;
use host_cli::plan::Request;
use host_cli::route::make_plan;
use host_cli::session::Silent;
use object::{Object, ObjectSymbol};
use protocol::image::{HEADER_SIZE, Header, seal};

/// UDF #0.
const UNDEFINED: [u8; 4] = [0; 4];

/// The built-in image with its first instruction at `symbol` undefined.
fn crashing_at(symbol: &str) -> Firmware {
    let Some(path) = option_env!("AICPROBE_FW_ELF") else {
        panic!("built with an image but without its ELF file");
    };
    let elf = std::fs::read(path).expect("the ELF file of the image");
    let file = object::File::parse(&*elf).expect("an ELF file");
    let at = file
        .symbols()
        .find(|s| s.name() == Ok(symbol))
        .unwrap_or_else(|| panic!("no symbol {symbol}"))
        .address() as usize;
    assert!(at >= HEADER_SIZE && at.is_multiple_of(4));
    let Firmware { mut image, header } = Firmware::load(None).expect("an image");
    image[at..at + 4].copy_from_slice(&UNDEFINED);
    seal(&mut image, header.rela, header.rela_count, header.build_id).expect("an image");
    let header = Header::parse(&image).expect("an image");
    Firmware { image, header }
}

fn run(symbol: &str, request: &Request) -> Run {
    run_firmware(
        &crashing_at(symbol),
        &t8140(),
        |proxy, target| make_plan(proxy, target, request).expect("a plan"),
        &mut Silent,
    )
}

/// The exit code, and messages with all of `says`.
fn assert_told(run: &Run, code: u8, says: &[&str]) {
    let verdict = exit_code(&run.outcome);
    assert_eq!(verdict.code, code, "{:?}", verdict.messages);
    let text = verdict.messages.join("\n");
    for part in says {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

#[test]
fn a_fault_of_the_boot_cpu_comes_home_with_its_report() {
    needs_firmware!();
    // The handler of the first interrupt, which lands on CPU 0 in the middle of a cell.
    let run = run("rust_irq", &Request::default());
    assert_told(&run, exit::TARGET_FAULT, &["CPU 0", "0x80010100", "ESR"]);
    run.assert_as_found();
}

#[test]
fn a_fault_of_a_worker_ends_the_cell_and_names_it() {
    needs_firmware!();
    let request = Request {
        fire_cpus: vec![0],
        set_fields: vec![(5, 1)],
        ..Request::default()
    };
    let run = run("rust_irq", &request);
    // The worker is parked with what it had, and nobody can read its register back. (The interrupt that it never took
    // moved on to CPU 0, which has the same handler.)
    assert_told(
        &run,
        exit::NOT_RESTORED,
        &[
            "SIQ_CFG of CPU 5",
            "CPU 5 (MPIDR 0x80010101) stopped",
            "CPU 0 (MPIDR 0x80010100) stopped",
        ],
    );
    // The boot CPU and the controller are as found.
    let differences = run.target.as_found().differences(&run.target.snapshot());
    for difference in &differences {
        let text = difference.to_string();
        assert!(text.contains("CPU 5"), "{text}");
    }
}

#[test]
fn a_fault_before_anything_is_set_up_comes_home_too() {
    needs_firmware!();
    let firmware = crashing_at("rust_boot");
    let target = virtual_soc::VirtualTarget::from_model(&t8140(), 1).expect("a usable model");
    let mut link = host_cli::link::VirtualLink::new(target);
    let mut proxy = host_cli::proxy::Proxy::connect(&mut link).expect("the loader answers");
    let soc = host_cli::target::Target::discover(&mut proxy).expect("a usable target");
    let plan = make_plan(&mut proxy, &soc, &Request::default()).expect("a plan");
    let outcome = host_cli::session::run(&mut proxy, &soc, &firmware, &plan, 1, &mut Silent)
        .expect("the session starts");
    assert!(outcome.failure.is_some());
    drop(proxy);
    let target = link.into_target();
    assert!(target.as_found().differences(&target.snapshot()).is_empty());
}
