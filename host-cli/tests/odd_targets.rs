//! Targets that are odd, each a model of `virtual-soc/models/odd`: the same counts as on the plain one, with what was
//! assumed marked, or an error that says what is wrong and what helps.

mod common;

use std::path::PathBuf;

use common::{Run, aicprobe, all_on, route, stderr, stdout, t8140};
use host_cli::cli::exit_code;
use host_cli::error::exit;
use host_cli::link::{Link as _, VirtualLink};
use host_cli::plan::Request;
use host_cli::proxy::{Proxy, ProxyError};
use host_cli::result::{CpuState, MarkKind};
use host_cli::target::{BootArgs, Target};
use virtual_soc::{SocModel, VirtualTarget};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../virtual-soc/models/odd/{name}.toml"))
}

fn odd(name: &str) -> SocModel {
    let text = std::fs::read_to_string(path(name)).expect("a model");
    SocModel::from_toml(&text, name).expect("a usable model")
}

fn fire_from(cpu: u32) -> Request {
    Request {
        fire_cpus: vec![cpu],
        ..Request::default()
    }
}

/// Every CPU fires, and CPU 2 is a fallback that gets what CPU 0 masks.
fn some_of_everything() -> Request {
    Request {
        fire_cpus: vec![0, 3],
        set_fields: vec![(2, 2)],
        masks: vec![(0, 500)],
        triggers: 8,
        ..Request::default()
    }
}

fn marks(run: &Run, kind: MarkKind) -> Vec<String> {
    let marks = run.result().marks.iter().filter(|m| m.kind == kind);
    marks.map(|m| format!("{}: {}", m.about, m.text)).collect()
}

fn counts(run: &Run) -> Vec<(u64, Vec<u64>, u64, u64, u64)> {
    let cells = run.result().cells.iter();
    cells
        .map(|c| (c.fired, c.landed.clone(), c.lost, c.duplicate, c.spurious))
        .collect()
}

/// The counts are those of the plain target, and everything is as found.
fn assert_same_counts(run: &Run) {
    assert!(run.outcome.failure.is_none(), "{:?}", run.outcome.failure);
    let plain = route(&t8140(), &some_of_everything());
    assert_eq!(counts(run), counts(&plain));
    assert_eq!(run.target.stats().loader_took, 0);
    run.assert_restored();
}

/// Runs the program on an odd target.
fn program(name: &str, more: &[&str]) -> std::process::Output {
    let target = format!("vm:{}", path(name).display());
    let mut args = vec![
        "route",
        "-q",
        "--triggers",
        "3",
        "--fire-cpu",
        "1",
        "--format",
        "json",
        "--target",
        &target,
    ];
    args.extend(more);
    aicprobe(&args)
}

#[test]
fn nobody_says_hello_and_the_first_requests_are_not_heard() {
    needs_firmware!();
    let mut model = odd("no-boot-message");
    let greeting = |model: &SocModel| {
        let mut target = VirtualTarget::from_model(model, 1).unwrap();
        target.recv(&mut [0; 64], std::time::Duration::from_millis(50))
    };
    assert_eq!((greeting(&model), model.faults.deaf_requests), (0, 2));
    assert_same_counts(&route(&model, &some_of_everything()));
    // The same loader with its BOOT frame of 36 bytes.
    model.loader.boot_message = true;
    assert_eq!(greeting(&model), 36);
    assert_same_counts(&route(&model, &some_of_everything()));
}

#[test]
fn damaged_boot_arguments_are_told_and_a_tree_from_a_file_helps() {
    needs_firmware!();
    let output = program("boot-args-damaged", &[]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let text = stderr(&output);
    assert!(
        text.contains("boot arguments at 0x") && text.contains("--adt FILE"),
        "{text}"
    );

    let mut link = VirtualLink::new(VirtualTarget::from_model(&t8140(), 1).unwrap());
    let mut proxy = Proxy::connect(&mut link).unwrap();
    let args = BootArgs::read(&mut proxy).unwrap();
    let mut blob = vec![0; args.devtree_size as usize];
    proxy.read_memory(args.devtree, &mut blob).unwrap();
    let file = std::env::temp_dir().join(format!("aicprobe-odd-{}.adt", std::process::id()));
    std::fs::write(&file, &blob).unwrap();
    let name = file.to_str().unwrap();
    let output = program("boot-args-damaged", &["--adt", name]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json = stdout(&output);
    assert!(json.contains("(--adt), not the target's"), "{json}");
    assert!(json.contains("\"inferred\""), "{json}");

    // A file that is no tree, and none at all.
    std::fs::write(&file, &blob[..blob.len() / 2]).unwrap();
    let output = program("boot-args-damaged", &["--adt", name]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains(&format!("--adt {name}: ")),
        "{}",
        stderr(&output)
    );
    std::fs::remove_file(&file).unwrap();
    let output = program("boot-args-damaged", &["--adt", name]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn boot_arguments_of_an_unknown_revision_are_read_as_the_last_known_and_marked() {
    needs_firmware!();
    let run = route(&odd("boot-args-revision"), &some_of_everything());
    assert_same_counts(&run);
    let inferred = marks(&run, MarkKind::Inferred);
    let says = "soc, aic, cpus: boot arguments of revision 9: read as those of revision 3";
    assert_eq!(inferred, [says]);
}

#[test]
fn property_names_end_at_their_first_nul() {
    needs_firmware!();
    let model = odd("names-padded");
    let mut link = VirtualLink::new(VirtualTarget::from_model(&model, 1).unwrap());
    let mut proxy = Proxy::connect(&mut link).unwrap();
    let args = BootArgs::read(&mut proxy).unwrap();
    let mut blob = vec![0; args.devtree_size as usize];
    proxy.read_memory(args.devtree, &mut blob).unwrap();
    let padded = |name: &[u8]| blob.windows(name.len()).any(|w| w == name);
    assert!(padded(b"aic-iack-offset\0####") && padded(b"reg\0#########"));
    let run = route(&model, &some_of_everything());
    assert_same_counts(&run);
    assert_eq!(run.result().soc.chip_id, Some(0x8140));
}

#[test]
fn an_unknown_place_of_the_controller_can_be_given() {
    needs_firmware!();
    let output = program("no-aic-reg", &[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        stderr(&output).contains("--aic-base ADDR"),
        "{}",
        stderr(&output)
    );
    let output = program("no-aic-reg", &["--aic-base", "0x301000000"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json = stdout(&output);
    assert!(
        json.contains("given with --aic-base; the device tree does not say"),
        "{json}"
    );
    assert!(json.contains("\"base\": \"0x301000000\""), "{json}");
    // What would be written at is no place for a controller: loader and heap, what is between pages, what is no device.
    for (base, word) in [
        ("0x10001008000", "in memory, which is 0x10001000000"),
        ("0x10000000000", "in memory"),
        ("0x301000004", "no multiple of 0x4000"),
        (
            "0x100000000",
            "outside /arm-io, which is 0x200000000 to 0x600000000",
        ),
    ] {
        let output = program("no-aic-reg", &["--aic-base", base]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(7), "{said}");
        assert!(said.contains(base) && said.contains(word), "{said}");
        assert_eq!(common::remarks(&said), 1, "{said}");
    }
    // Where nothing answers: an error that says which access failed.
    let output = program("no-aic-reg", &["--aic-base", "0x3f0000000"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        stderr(&output).contains("faulted on the target"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn an_info3_of_zero_is_assumed_to_be_the_usual_and_can_be_overridden() {
    needs_firmware!();
    let run = route(&odd("info3-zero"), &some_of_everything());
    assert_same_counts(&run);
    let inferred = marks(&run, MarkKind::Inferred);
    assert_eq!(
        inferred,
        ["aic.max_irq: INFO3 reads 0: 0x1000 assumed (--max-irq N overrides)"]
    );
    let output = program("info3-zero", &["--max-irq", "0x1000"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("given with --max-irq; INFO3 says 0x0"));
    // Less room than the controller says that it has lines.
    let output = program("info3-zero", &["--max-irq", "0x400"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    // INFO3 says something: what contradicts it is not tried.
    let model = path("enabled").display().to_string();
    for (given, code) in [("0x1000", 0), ("0x800", 7), ("0x5e0", 7), ("0x600", 7)] {
        let target = format!("vm:{model}");
        let output = aicprobe(&[
            "-q",
            "route",
            "--target",
            &target,
            "--fire-cpu",
            "1",
            "--triggers",
            "3",
            "--max-irq",
            given,
        ]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{given}: {said}");
        assert!(code == 0 || said.contains("INFO3 says 0x1000"), "{said}");
    }
    for bad in ["0", "33", "0x2000", "x"] {
        let output = program("info3-zero", &["--max-irq", bad]);
        assert_eq!(output.status.code(), Some(2), "{bad}");
    }
}

#[test]
fn any_number_of_secondaries_starts() {
    needs_firmware!();
    for starting in 0..=5 {
        let mut model = t8140();
        let secondaries = model.cpu.iter_mut().filter(|c| !c.boot);
        for (i, cpu) in secondaries.enumerate() {
            // The last ones of the tree do not start, by turns because they are dead and because their MMU stays off.
            cpu.starts = i < starting || i % 2 == 1;
            cpu.mmu = i < starting;
        }
        let request = Request {
            triggers: 2,
            timeout_us: 1_000,
            ..Request::default()
        };
        let run = route(&model, &request);
        assert!(
            run.outcome.failure.is_none(),
            "{starting}: {:?}",
            run.outcome.failure
        );
        let states: Vec<CpuState> = run.result().cpus.iter().map(|c| c.state).collect();
        let of = |state| states.iter().filter(|s| **s == state).count();
        assert_eq!(
            of(CpuState::Running),
            starting + 1,
            "{starting}: {states:?}"
        );
        assert_eq!(
            of(CpuState::NoMmu) + of(CpuState::Dead),
            5 - starting,
            "{states:?}"
        );
        // One cell per firing CPU with and without the mask, 4 fields for each secondary with and without it.
        assert_eq!(run.result().cells.len(), 2 * (starting + 1) + 8 * starting);
        assert!(run.result().cells.iter().all(|c| c.lost == 0), "{starting}");
        let partial = marks(&run, MarkKind::Partial).len();
        assert_eq!(partial, if starting == 5 { 0 } else { 5 - starting + 1 });
        run.assert_as_found();
    }
}

#[test]
fn one_cpu_alone_and_cpus_without_mmu_are_measured_as_far_as_they_go() {
    needs_firmware!();
    let request = Request {
        triggers: 2,
        timeout_us: 1_000,
        ..Request::default()
    };
    for (name, dead, no_mmu) in [("none-start", 5, 0), ("mmu-off", 0, 2)] {
        let run = route(&odd(name), &request);
        assert!(run.outcome.failure.is_none(), "{:?}", run.outcome.failure);
        let cpus = &run.result().cpus;
        let of = |state| cpus.iter().filter(|c| c.state == state).count();
        let found = (of(CpuState::Dead), of(CpuState::NoMmu));
        assert_eq!(found, (dead, no_mmu), "{name}");
        assert!(
            run.result()
                .cells
                .iter()
                .all(|c| c.lost == 0 && c.fired > 0)
        );
        assert!(!marks(&run, MarkKind::Partial).is_empty(), "{name}");
        run.assert_as_found();
    }
    assert_same_counts(&route(&odd("guard-kept"), &some_of_everything()));
}

#[test]
fn a_guard_that_every_upload_resets_is_not_relied_on() {
    let mut link = VirtualLink::new(VirtualTarget::from_model(&t8140(), 1).unwrap());
    let mut proxy = Proxy::connect(&mut link).unwrap();
    let at = proxy.memalign(0x40, 0x40).unwrap();
    for _ in 0..3 {
        proxy.write_memory(at, &[1, 2, 3]).unwrap();
        let got = proxy.read32(0x3f0_0000_0000);
        assert!(
            matches!(got, Err(ProxyError::AccessFault { .. })),
            "{got:?}"
        );
        // The mark as a plain word of memory is a word.
        proxy.write64(at, 0xacce_5515_abad_1dea).unwrap();
        assert_eq!(proxy.read64(at).unwrap(), 0xacce_5515_abad_1dea);
    }
}

#[test]
fn the_loaders_own_handler_never_gets_an_interrupt_of_ours() {
    needs_firmware!();
    // The line that would be fired is high for ever and was left unmasked: whoever has IRQs open gets it as soon as the
    // controller delivers.
    let model = odd("line-high");
    let run = route(&model, &some_of_everything());
    assert_ne!(run.result().cells[0].line.number, 131);
    assert_same_counts(&run);
    // Named, it is refused before anything runs.
    let output = program("line-high", &["--line", "131"]);
    assert_eq!(
        output.status.code(),
        Some(i32::from(exit::UNSAFE)),
        "{}",
        stderr(&output)
    );
    assert!(
        stderr(&output).contains("is high already"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn registers_that_trap_or_keep_nothing_are_an_answer() {
    needs_firmware!();
    let set = Request {
        set_fields: vec![(1, 1)],
        ..fire_from(0)
    };
    let run = route(&odd("siq-traps-to-el2"), &set);
    let verdict = exit_code(&run.outcome);
    assert_eq!(verdict.code, exit::TARGET);
    assert!(
        verdict.messages[0].contains("traps, ESR 0x"),
        "{:?}",
        verdict.messages
    );
    assert!(run.result.is_none());
    run.assert_as_found();

    let run = route(&odd("siq-write-undefined"), &set);
    let verdict = exit_code(&run.outcome);
    assert_eq!(verdict.code, exit::TARGET, "{:?}", verdict.messages);
    assert!(
        verdict
            .messages
            .iter()
            .any(|m| m.contains("writing SIQ_CFG of CPU 1 traps, ESR 0x")),
        "{:?}",
        verdict.messages
    );
    run.assert_as_found();

    // What is read back counts, not what was asked for.
    for (name, reads) in [("siq-read-only", 3), ("siq-zero", 0)] {
        let run = route(&odd(name), &set);
        let cell = &run.result().cells[0];
        assert_eq!(
            (cell.fields[1], cell.fields_requested[1]),
            (Some(reads), Some(1)),
            "{name}"
        );
        assert_eq!(cell.landed, all_on(0, 32), "{name}");
        let note = format!("cells[0]: the field of CPU 1 was set to 1 and reads {reads}");
        assert!(
            marks(&run, MarkKind::Note).contains(&note),
            "{name}: {:?}",
            run.result().marks
        );
        run.assert_as_found();
    }
}

#[test]
fn a_controller_that_delivers_without_being_enabled() {
    needs_firmware!();
    let mut model = odd("no-enable");
    let run = route(&model, &some_of_everything());
    assert_same_counts(&run);
    assert_eq!(run.result().aic.config.as_deref(), Some("0x00000000"));
    // The model does what it says: what was left set and unmasked reaches the loader before anybody enables anything.
    let line = virtual_soc::model::LineModel {
        die: 0,
        number: 700,
    };
    model.aic.left_set = vec![line];
    model.aic.left_unmasked = vec![line];
    let mut target = VirtualTarget::from_model(&model, 1).unwrap();
    target.recv(&mut [0; 64], std::time::Duration::from_millis(1));
    assert_eq!(target.stats().loader_took, 1);
}

#[test]
fn cpus_without_lse_or_event_stream_are_enough() {
    needs_firmware!();
    let model = odd("no-lse");
    assert!(!model.cpus.lse);
    assert_same_counts(&route(&model, &some_of_everything()));
    let run = route(&odd("no-event-stream"), &some_of_everything());
    assert_same_counts(&run);
    assert!(!run.result().counter.event_stream);
}

#[test]
fn silence_is_a_dead_target_within_its_deadline() {
    // From the first byte on.
    let mut model = odd("silent");
    model.faults.link_dies_after = 0;
    model.faults.deaf_requests = u64::MAX;
    let mut link = VirtualLink::new(VirtualTarget::from_model(&model, 1).unwrap());
    let got = Proxy::connect(&mut link).map(drop);
    assert!(matches!(got, Err(ProxyError::Timeout { .. })), "{got:?}");
    assert!(link.now().as_millis() < 3_000, "{:?}", link.now());
    // In the middle of something.
    let target = VirtualTarget::from_model(&odd("silent"), 1).unwrap();
    let mut link = VirtualLink::new(target);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    let mut last = proxy.now();
    let mut asked = 0..1_000;
    let error = loop {
        asked.next().expect("it goes silent");
        match proxy.base() {
            Ok(_) => last = proxy.now(),
            Err(e) => break e,
        }
    };
    assert!(matches!(error, ProxyError::Timeout { .. }), "{error}");
    let silent = proxy.now() - last;
    assert!(silent.as_millis() < 2_000, "{silent:?}");
    let got = Target::discover(&mut proxy).map(drop);
    assert!(got.is_err());
    // And as the user sees it.
    let output = program("silent", &[]);
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    assert_eq!(common::remarks(&stderr(&output)), 1, "{}", stderr(&output));
}

#[test]
fn a_die_that_is_another_under_a_second_address_is_told_before_anything_is_fired() {
    needs_firmware!();
    let output = program("dies-alias", &[]);
    let text = stderr(&output);
    assert_eq!(
        (output.status.code(), stdout(&output)),
        (Some(3), String::new()),
        "{text}"
    );
    assert!(
        text.contains("under another address: die 1 has no registers of its own there")
            && text.contains("nothing was fired"),
        "{text}"
    );
}
