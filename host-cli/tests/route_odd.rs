//! Targets that are odd, and runs that do not go to their end.

mod common;

use common::{Run, all_on, route, route_watched, t8140, variant};
use host_cli::cli::exit_code;
use host_cli::error::exit;
use host_cli::plan::Request;
use host_cli::result::{CpuState, MarkKind};
use host_cli::session::{Event, Observer, Restoring};

fn fire_from(cpu: u32) -> Request {
    Request {
        fire_cpus: vec![cpu],
        ..Request::default()
    }
}

fn marks(run: &Run, kind: MarkKind) -> Vec<String> {
    let marks = run.result().marks.iter();
    marks
        .filter(|m| m.kind == kind)
        .map(|m| format!("{}: {}", m.about, m.text))
        .collect()
}

#[test]
fn swallowed_triggers_are_lost() {
    needs_firmware!();
    let run = route(
        &variant("[faults]\nlose_trigger_every = 8\n"),
        &fire_from(0),
    );
    let cell = &run.result().cells[0];
    assert_eq!((cell.fired, cell.lost, cell.landed[0]), (32, 4, 28));
    assert_eq!((cell.miss_rate.misses, cell.miss_rate.triggers), (4, 32));
    assert_eq!(exit_code(&run.outcome).code, exit::OK);
    run.assert_restored();
}

#[test]
fn second_deliveries_are_duplicates() {
    needs_firmware!();
    let run = route(&variant("[faults]\nduplicate_every = 4\n"), &fire_from(0));
    let cell = &run.result().cells[0];
    assert_eq!((cell.fired, cell.lost, cell.landed[0]), (32, 0, 32));
    assert!(cell.duplicate >= 8, "{cell:?}");
    run.assert_restored();
}

#[test]
fn empty_events_are_spurious() {
    needs_firmware!();
    let run = route(&variant("[faults]\nspurious_every = 4\n"), &fire_from(0));
    let cell = &run.result().cells[0];
    assert_eq!((cell.fired, cell.lost, cell.landed[0]), (32, 0, 32));
    assert_eq!(cell.spurious, 8);
    run.assert_restored();
}

#[test]
fn a_field_that_does_not_stick_is_told() {
    needs_firmware!();
    // Device-tree id 0 is logical CPU 1.
    let model = variant("[faults]\nsiq_stuck_cpu = 0\nsiq_stuck_after = 0\n");
    let request = Request {
        set_fields: vec![(1, 1)],
        ..fire_from(0)
    };
    let run = route(&model, &request);
    let cell = &run.result().cells[0];
    assert_eq!(cell.fields[1], Some(3), "{cell:?}");
    assert_eq!(cell.landed, all_on(0, 32));
    let notes = marks(&run, MarkKind::Note);
    assert_eq!(
        notes,
        ["cells[0]: the field of CPU 1 was set to 1 and reads 3"]
    );
    run.assert_as_found();
}

#[test]
fn damaged_answers_do_not_change_the_result() {
    needs_firmware!();
    let clean = route(&t8140(), &Request::default());
    let noisy = route(
        &variant("[faults]\ncorrupt_reply_every = 7\n"),
        &Request::default(),
    );
    assert!(
        noisy.outcome.failure.is_none(),
        "{:?}",
        noisy.outcome.failure
    );
    let counts = |run: &Run| {
        let cells = run.result().cells.iter();
        cells
            .map(|c| (c.fired, c.landed.clone(), c.lost, c.duplicate))
            .collect::<Vec<_>>()
    };
    assert_eq!(counts(&noisy), counts(&clean));
    noisy.assert_restored();
}

#[test]
fn a_slow_serial_link_is_waited_for() {
    needs_firmware!();
    let model =
        variant("[loader]\nlink = \"uart\"\nbytes_per_second = 11520\nrequest_ns = 1000000\n");
    let run = route(&model, &fire_from(3));
    assert!(run.outcome.failure.is_none(), "{:?}", run.outcome.failure);
    assert_eq!(run.result().cells[0].landed, all_on(0, 32));
    run.assert_restored();
}

#[test]
fn a_dead_link_is_told_and_never_waited_for_without_end() {
    needs_firmware!();
    for after in [60, 300, 800, 1_000] {
        let model = variant(&format!("[faults]\nlink_dies_after = {after}\n"));
        let Ok(run) = std::panic::catch_unwind(|| route(&model, &Request::default())) else {
            // It died before any CPU was in the firmware: the session did not even start.
            assert!(after <= 300);
            continue;
        };
        let verdict = exit_code(&run.outcome);
        assert_eq!(verdict.code, exit::LINK, "{:?}", verdict.messages);
        assert_ne!(
            run.outcome.restoring,
            Restoring::Checked {
                checked: 0,
                different: 0,
                differences: vec![]
            }
        );
        if let Some(result) = &run.result {
            assert!(!result.complete);
        }
    }
}

#[test]
fn cpus_that_do_not_start_are_listed_and_left_out() {
    needs_firmware!();
    let mut model = t8140();
    // Device order: 0 to 3 are logical 1 to 4, 4 is the boot CPU.
    model.cpu[1].starts = false;
    model.cpu[3].mmu = false;
    let run = route(&model, &Request::default());
    assert!(run.outcome.failure.is_none(), "{:?}", run.outcome.failure);
    let result = run.result();
    let states: Vec<_> = result.cpus.iter().map(|c| c.state).collect();
    use CpuState::{Dead, NoMmu, Running};
    assert_eq!(states, [Running, Running, Dead, Running, NoMmu, Running]);
    // Without the cells that need CPU 2 or 4: 2 + 2 of who fires, 2 * 8 of the fields.
    assert_eq!(result.cells.len(), 52 - 4 - 16);
    assert!(result.cells.iter().all(|c| c.lost == 0));
    assert_eq!(
        result.cells[0].fields,
        [Some(0), Some(3), None, Some(3), None, Some(3)]
    );
    let partial = marks(&run, MarkKind::Partial);
    assert_eq!(partial.len(), 3, "{partial:?}");
    assert!(
        marks(&run, MarkKind::Inferred)
            .iter()
            .any(|m| m.starts_with("cpus[2].mpidr"))
    );
    run.assert_as_found();
}

#[test]
fn a_named_cpu_that_does_not_run_ends_the_run() {
    needs_firmware!();
    let mut model = t8140();
    model.cpu[1].starts = false;
    let run = route(&model, &fire_from(2));
    let verdict = exit_code(&run.outcome);
    assert_eq!(verdict.code, exit::TARGET);
    let said: Vec<_> = verdict.messages.iter().map(|m| m.lines().next()).collect();
    assert_eq!(said, [Some("CPU 2 is dead: the cells asked for need it")]);
    run.assert_as_found();
}

#[test]
fn one_cpu_can_answer_what_one_cpu_can() {
    needs_firmware!();
    let mut model = t8140();
    for cpu in model.cpu.iter_mut().filter(|c| !c.boot) {
        cpu.starts = false;
    }
    // Without a worker nobody can try the event stream, so time is waited for by polling: few triggers are enough.
    let request = Request {
        triggers: 2,
        ..Request::default()
    };
    let run = route(&model, &request);
    assert_eq!(run.result().cells.len(), 2);
    assert!(run.result().cells.iter().all(|c| c.landed == all_on(0, 2)));
    assert!(!run.result().counter.event_stream, "one CPU cannot tell");
    run.assert_as_found();
}

/// Stops the run when `0` cells are left to be told about.
struct StopAfter(usize);

impl Observer for StopAfter {
    fn on(&mut self, event: Event<'_>) {
        if matches!(event, Event::Done { .. }) {
            self.0 = self.0.saturating_sub(1);
        }
    }

    fn stop(&self) -> bool {
        self.0 == 0
    }
}

#[test]
fn an_interrupted_run_keeps_its_cells_and_restores() {
    needs_firmware!();
    for after in [0, 1, 9] {
        let run = route_watched(&t8140(), &Request::default(), &mut StopAfter(after));
        assert!(run.outcome.interrupted);
        assert_eq!(exit_code(&run.outcome).code, exit::INTERRUPTED);
        run.assert_as_found();
        if after == 0 {
            assert!(run.result.is_none());
            continue;
        }
        let result = run.result();
        assert!(result.cells.len() >= after && result.cells.len() < 52);
        assert!(!result.complete && result.restored);
    }
}

#[test]
fn a_long_cell_is_counted_whole_and_reported_in_between() {
    needs_firmware!();
    struct Count(u64, bool);
    impl Observer for Count {
        fn on(&mut self, event: Event<'_>) {
            match event {
                Event::Progress { so_far, .. } => {
                    assert!(so_far.fired >= self.0, "counts went back");
                    self.0 = so_far.fired;
                }
                Event::Done { counts, .. } => self.1 = counts.complete,
                _ => {}
            }
        }
    }
    let mut seen = Count(0, false);
    let request = Request {
        triggers: 20_000,
        ..fire_from(2)
    };
    let run = route_watched(&t8140(), &request, &mut seen);
    assert!(seen.0 > 0 && seen.1);
    let cell = &run.result().cells[0];
    assert_eq!((cell.fired, cell.landed[0], cell.lost), (20_000, 20_000, 0));
    run.assert_restored();
}

#[test]
fn several_lines_and_masks_at_once() {
    needs_firmware!();
    let line = |number| protocol::LineId { die: 0, number };
    let request = Request {
        lines: vec![line(130), line(800)],
        fire_cpus: vec![0, 3],
        set_fields: vec![(1, 1), (2, 2)],
        masks: vec![(0, 300), (1, 500)],
        triggers: 10,
        ..Request::default()
    };
    let run = route(&t8140(), &request);
    let result = run.result();
    let fired: Vec<_> = result
        .cells
        .iter()
        .map(|c| (c.line.hwirq, c.fire_cpu))
        .collect();
    assert_eq!(
        fired,
        [(0x10082, 0), (0x10082, 3), (0x10320, 0), (0x10320, 3)]
    );
    for cell in &result.cells {
        // The preferred CPU 1 and CPU 0 are masked, so the fallback gets it.
        assert_eq!(cell.landed, all_on(2, 10), "{cell:?}");
        assert_eq!(cell.masked_us, [300, 500]);
    }
    run.assert_restored();
}

#[test]
fn a_line_that_is_high_is_never_fired() {
    needs_firmware!();
    let model = variant("[aic]\nhigh = [{ number = 131 }]\n");
    let run = route(&model, &fire_from(0));
    assert_ne!(run.result().cells[0].line.number, 131);
    assert_eq!(run.result().cells[0].landed, all_on(0, 32));
    run.assert_restored();
}
