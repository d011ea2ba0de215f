//! The proofs of the main job, on the virtual T8140 with the real firmware image.

mod common;

use common::{Run, aicprobe, all_on, route, stderr, stdout, t8140, variant};
use host_cli::plan::Request;
use host_cli::result::Cell;

/// Every CPU fires, one cell each, with CPU 0 masked for `us` per trigger (0 = not masked).
fn from_every_cpu(us: u32) -> Request {
    Request {
        fire_cpus: (0..6).collect(),
        masks: if us == 0 { vec![] } else { vec![(0, us)] },
        ..Request::default()
    }
}

fn nothing_odd(cell: &Cell) {
    let odd = [cell.lost, cell.late, cell.duplicate, cell.spurious];
    assert_eq!(odd, [0; 4], "{cell:?}");
    assert_eq!(cell.refused, None);
}

/// What the virtual SoC counted from outside agrees with what the firmware says.
fn counted_outside(run: &Run, fired: u64, taken: [u64; 6]) {
    let stats = run.target.stats();
    assert_eq!(stats.triggers, fired);
    assert_eq!(stats.taken, taken);
    assert_eq!(
        stats.loader_took, 0,
        "the loader's handler took an interrupt of ours"
    );
}

/// (a) 32 triggers from each of 6 CPUs land on CPU 0, whoever fires.
#[test]
fn everything_lands_on_cpu_0_whoever_fires() {
    needs_firmware!();
    let run = route(&t8140(), &from_every_cpu(0));
    let result = run.result();
    assert!(result.complete && result.cells.len() == 6);
    for (cell, cpu) in result.cells.iter().zip(0..) {
        assert_eq!((cell.fire_cpu, cell.fired), (cpu, 32));
        assert_eq!(cell.landed, all_on(0, 32));
        assert_eq!(cell.fields, [0, 3, 3, 3, 3, 3].map(Some));
        assert_eq!((&cell.latency_from[..], cell.offered[0]), ("sw_set", 0));
        nothing_odd(cell);
    }
    assert_eq!(result.summary.landed, all_on(0, 192));
    assert_eq!(result.summary.miss_rate.upper_95, Some(0.015_481_7));
    counted_outside(&run, 192, all_on(0, 192));
    run.assert_restored();
}

/// (b) The same while CPU 0 is masked for 35 ms: delivered after the unmask, none lost.
#[test]
fn a_masked_cpu_0_gets_everything_after_the_unmask() {
    needs_firmware!();
    let run = route(&t8140(), &from_every_cpu(35_000));
    let result = run.result();
    assert!(result.complete && result.cells.len() == 6);
    for cell in &result.cells {
        assert_eq!(
            (cell.fired, &cell.masked_cpus[..], &cell.masked_us[..]),
            (32, &[0][..], &[35_000][..])
        );
        assert_eq!(cell.landed, all_on(0, 32));
        assert_eq!(cell.offered, all_on(0, 32), "pending in every window");
        assert_eq!(cell.latency_from, "unmask");
        // From the unmask, not from the store 35 ms before it.
        assert!(cell.latency_ns.expect("landed").max < 10_000, "{cell:?}");
        nothing_odd(cell);
    }
    // 192 windows of 35 ms passed on the target's clock.
    assert!(run.target.now().as_millis() >= 192 * 35);
    counted_outside(&run, 192, all_on(0, 192));
    run.assert_restored();
}

/// (c) A secondary with 2 is a fallback, with 1 it is preferred.
#[test]
fn two_is_a_fallback_and_one_is_preferred() {
    needs_firmware!();
    for secondary in [1, 5] {
        for (field, masked, lands_on) in [
            (2, false, 0),
            (2, true, secondary),
            (1, false, secondary),
            (1, true, secondary),
            (3, false, 0),
            (3, true, 0),
            (0, false, 0),
        ] {
            let request = Request {
                fire_cpus: vec![0],
                set_fields: vec![(secondary as u32, field)],
                masks: if masked { vec![(0, 1_000)] } else { vec![] },
                ..Request::default()
            };
            let run = route(&t8140(), &request);
            let cell = &run.result().cells[0];
            let what = format!("CPU {secondary} set to {field}, CPU 0 masked: {masked}");
            assert_eq!(cell.landed, all_on(lands_on, 32), "{what}");
            assert_eq!(cell.fields[secondary], Some(field), "{what}");
            assert_eq!(cell.fields_requested[secondary], Some(field));
            assert_eq!(cell.fields_requested.iter().flatten().count(), 1);
            nothing_odd(cell);
            counted_outside(&run, 32, all_on(lands_on, 32));
            run.assert_restored();
        }
    }
}

/// (d) With 3 everywhere nothing is delivered: lost within the timeout, not hung.
#[test]
fn nobody_accepts_and_everything_is_lost_in_time() {
    needs_firmware!();
    for masks in [vec![], vec![(0, 500)]] {
        let request = Request {
            fire_cpus: (0..6).collect(),
            set_fields: (0..6).map(|cpu| (cpu, 3)).collect(),
            masks,
            timeout_us: 1_000,
            ..Request::default()
        };
        let run = route(&t8140(), &request);
        let result = run.result();
        assert!(result.complete);
        for cell in &result.cells {
            assert_eq!((cell.fired, cell.lost, cell.late), (32, 32, 0));
            assert_eq!(cell.landed, [0; 6]);
            assert_eq!(cell.latency_ns, None);
        }
        // 192 timeouts of 1 ms (and windows of half that), and little else.
        let ms = run.target.now().as_millis();
        assert!((192..600).contains(&ms), "{ms} ms");
        counted_outside(&run, 192, [0; 6]);
        run.assert_restored();
    }
}

/// (e) After the whole default plan the state is as found.
#[test]
fn the_default_plan_leaves_everything_as_found() {
    needs_firmware!();
    let run = route(&t8140(), &Request::default());
    let result = run.result();
    assert_eq!(result.cells.len(), 52);
    assert!(result.complete && result.cells.iter().all(|c| c.lost == 0));
    assert_eq!((result.summary.fired, result.summary.lost), (52 * 32, 0));
    run.assert_restored();
}

/// (e) The same where earlier stages left things in an unusual state.
#[test]
fn an_unusual_state_is_left_as_found_too() {
    needs_firmware!();
    let model = variant(
        "[aic]\nconfig = 0x10000001\nmasked = true\n\
         left_unmasked = [{ number = 507 }, { number = 1010 }]\nleft_set = [{ number = 700 }]\n",
    );
    let run = route(&model, &from_every_cpu(0));
    assert_eq!(run.result().summary.landed, all_on(0, 192));
    assert_eq!(run.result().aic.config.as_deref(), Some("0x10000001"));
    run.assert_restored();
}

/// (f) A SIQ_CFG that traps: a clear answer and exit code, nothing measured, nothing left behind.
#[test]
fn a_trapping_siq_cfg_is_told_and_nothing_runs() {
    needs_firmware!();
    let output = aicprobe(&[
        "route",
        "--target",
        "vm:t8140-siq-traps",
        "--format",
        "json",
    ]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert_eq!(stdout(&output), "");
    let text = stderr(&output);
    assert!(
        text.contains("SIQ_CFG of CPU 0 (MPIDR 0x80010100) traps, ESR 0x"),
        "{text}"
    );

    let model = virtual_soc::SocModel::builtin("t8140-siq-traps").unwrap();
    let run = route(&model, &Request::default());
    assert!(run.result.is_none());
    assert_eq!(run.target.stats().triggers, 0);
    run.assert_as_found();
}

/// (g) Same seed, same bytes.
#[test]
fn same_seed_same_bytes() {
    needs_firmware!();
    let json = |seed: &str| {
        let args = [
            "-q", "route", "--target", "vm:t8140", "--format", "json", "--seed", seed,
        ];
        let output = aicprobe(&args);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    let first = json("7");
    assert_eq!(first, json("7"));
    assert!(first.contains("\"seed\": 7"));
}

/// A loader that maps RAM without execution (SPRR) changes nothing.
#[test]
fn the_same_with_sprr() {
    needs_firmware!();
    let model = virtual_soc::SocModel::builtin("t8140-sprr").unwrap();
    let run = route(&model, &from_every_cpu(0));
    assert_eq!(run.result().summary.landed, all_on(0, 192));
    run.assert_restored();
}
