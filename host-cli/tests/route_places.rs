//! The image runs wherever the loader has room, with any number of CPUs, and a session costs the target little beside its
//! triggers.

mod common;

use std::collections::BTreeSet;

use common::{Run, route, run_plan, t8140};
use host_cli::firmware::Firmware;
use host_cli::link::VirtualLink;
use host_cli::plan::Request;
use host_cli::proxy::Proxy;
use host_cli::result::CpuState;
use host_cli::route::make_plan;
use host_cli::session::Silent;
use protocol::context;
use virtual_soc::SocModel;

const MIB: u64 = 1 << 20;
/// Where the loader maps memory as code.
const EXECUTABLE: u64 = 0xc00_0000_0000;

/// The whole plan, as short as it gets.
fn two_each() -> Request {
    Request {
        triggers: 2,
        ..Request::default()
    }
}

/// Every trigger landed once, and everything is as found.
fn assert_whole(run: &Run, cpus: usize, what: &str) {
    assert!(
        run.outcome.failure.is_none(),
        "{what}: {:?}",
        run.outcome.failure
    );
    let result = run.result();
    assert!(result.complete, "{what}");
    assert_eq!(result.cpus.len(), cpus, "{what}");
    // As found and with CPU 0 masked from every CPU; four fields of every secondary, each both ways.
    assert_eq!(result.cells.len(), 2 * cpus + 8 * (cpus - 1), "{what}");
    for cell in &result.cells {
        let landed: u64 = cell.landed.iter().sum();
        let odd = [cell.lost, cell.late, cell.duplicate, cell.spurious];
        assert_eq!(
            (cell.fired, landed, odd),
            (2, 2, [0; 4]),
            "{what}: {cell:?}"
        );
    }
    assert_eq!(run.target.stats().loader_took, 0, "{what}");
    run.assert_restored();
}

/// Runs with this much of the heap taken before; where image and block were.
fn run_behind(taken: u64) -> (u64, u64) {
    let firmware = Firmware::load(None).expect("an image");
    let run = run_plan(
        &t8140(),
        |proxy, target| {
            if taken > 0 {
                proxy.memalign(context::ALIGN, taken).expect("room");
            }
            make_plan(proxy, target, &two_each()).expect("a plan")
        },
        &mut Silent,
    );
    assert_whole(&run, 6, &format!("behind {taken:#x} bytes"));
    // What was given back is given out again, with the image in it still: relocated for that place.
    let mut link = VirtualLink::new(run.target);
    let mut proxy = Proxy::connect(&mut link).expect("the loader answers");
    let len = firmware.image.len() as u64;
    let len = len.next_multiple_of(context::ALIGN);
    let image = proxy.memalign(context::ALIGN, len).expect("room");
    let block = proxy.memalign(context::ALIGN, context::size(6));
    let mut there = vec![0; firmware.image.len()];
    proxy.read_memory(image, &mut there).expect("memory");
    let want = firmware.relocated(image | EXECUTABLE);
    assert!(there == want, "no image at {image:#x}");
    (image, block.expect("room"))
}

#[test]
fn at_any_load_address() {
    needs_firmware!();
    let taken = [
        0,
        0x1_0000,
        0x5_0000,
        MIB,
        7 * MIB + 0x3_0000,
        17 * MIB,
        64 * MIB,
        129 * MIB + 0x7_0000,
        256 * MIB,
    ];
    let places: Vec<(u64, u64)> = taken.map(run_behind).to_vec();
    for (image, block) in &places {
        assert!(image.is_multiple_of(0x1_0000) && block.is_multiple_of(0x1_0000));
    }
    let images: BTreeSet<u64> = places.iter().map(|p| p.0).collect();
    let blocks: BTreeSet<u64> = places.iter().map(|p| p.1).collect();
    assert_eq!((images.len(), blocks.len()), (taken.len(), taken.len()));
    let span = images.last().unwrap() - images.first().unwrap();
    assert!(span >= 256 * MIB, "{span:#x}");
}

/// Two dies of twelve CPUs, of which the first `count` are there.
fn with_cpus(count: usize) -> SocModel {
    let mut model = SocModel::builtin("t6022").expect("built in");
    for cpu in &mut model.cpu[count..] {
        cpu.present = false;
    }
    model
}

#[test]
fn with_any_number_of_cpus() {
    needs_firmware!();
    for count in [2, 3, 5, 8, 13, 20, 24] {
        let run = route(&with_cpus(count), &two_each());
        assert_whole(&run, count, &format!("{count} CPUs"));
    }
}

/// A session with one trigger; instructions of all CPUs.
fn session_cost(model: &SocModel) -> (Run, u64) {
    let request = Request {
        fire_cpus: vec![0],
        triggers: 1,
        ..Request::default()
    };
    let run = route(model, &request);
    assert!(run.outcome.failure.is_none(), "{:?}", run.outcome.failure);
    assert_eq!(run.result().summary.landed.iter().sum::<u64>(), 1);
    let cost = run.target.stats().total_insns();
    (run, cost)
}

/// CPUs that wait for the others sleep: one that polls costs up to a million instructions in every millisecond, and to call
/// 23 CPUs takes 5 of them.
#[test]
fn waiting_cpus_sleep_from_the_start() {
    needs_firmware!();
    for name in ["t8140", "t6002", "t6022"] {
        let (run, cost) = session_cost(&SocModel::builtin(name).expect("built in"));
        assert!(cost < 2_000_000, "{name}: {cost} instructions");
        run.assert_restored();
    }
}

/// The first CPU that can tries the event stream; those before it are left out.
#[test]
fn cpus_that_cannot_work_are_passed_over_at_the_start() {
    needs_firmware!();
    use CpuState::{Dead, NoMmu, Running};
    let mut model = t8140();
    model.cpu[0].starts = false;
    model.cpu[1].mmu = false;
    let (run, cost) = session_cost(&model);
    assert_eq!(
        run.outcome.cpus,
        [Running, Dead, NoMmu, Running, Running, Running]
    );
    assert!(run.result().counter.event_stream);
    assert!(cost < 2_000_000, "{cost} instructions");
    run.assert_as_found();
}
