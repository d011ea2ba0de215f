//! States, limits and surroundings at which a run must still give right numbers and leave the target as found.

mod common;

use common::{aicprobe_with_stderr, all_on, route, t8140, variant};
use host_cli::cli::exit_code;
use host_cli::error::exit;
use host_cli::plan::Request;
use protocol::message::Refusal;

fn fire_from(cpus: &[u32], triggers: u32) -> Request {
    Request {
        fire_cpus: cpus.to_vec(),
        triggers,
        ..Request::default()
    }
}

/// A device's line is high and unmasked while the controller is off: its event must never be ours to take.
#[test]
fn a_live_line_that_was_found_unmasked_is_left_alone() {
    needs_firmware!();
    let model = variant("[aic]\nhigh = [{ number = 581 }]\nleft_unmasked = [{ number = 581 }]\n");
    // Several slices, so that their ends are seen too.
    let run = route(&model, &fire_from(&[0, 1], 20_000));
    for cell in &run.result().cells {
        assert_eq!(cell.landed, all_on(0, 20_000));
        assert_eq!((cell.spurious, cell.lost), (0, 0));
    }
    run.assert_restored();
}

/// A line that is high is fired by force: it comes without end, is left masked, and everything is as found.
#[test]
fn a_high_line_by_force_is_a_storm_that_is_stopped() {
    needs_firmware!();
    let folder = tempfile::tempdir().expect("a folder of the test");
    let path = folder.path().join("high.toml");
    let text = "extends = \"t8140\"\nname = \"high\"\ntitle = \"T8140, 900 high, 901 set\"\n[aic]\nhigh = [{ number = 900 }]\nleft_set = [{ number = 901 }]\n";
    std::fs::write(&path, text).expect("a file of the test");
    let target = format!("vm:{}", path.display());
    let route = |line: &str, more: &[&str]| {
        let mut args = vec!["route", "-q", "--target", &target, "--fire-cpu", "1"];
        args.extend(["--triggers", "4", "--format", "json", "--line", line]);
        args.extend(more);
        let run = common::aicprobe(&args);
        (
            run.status.code(),
            common::stdout(&run),
            common::stderr(&run),
        )
    };
    let (code, _, said) = route("900", &[]);
    assert_eq!(code, Some(7), "{said}");
    let (code, out, said) = route("900", &["--force-line"]);
    assert_eq!(code, Some(6), "{said}");
    let result: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(result["restored"], true);
    assert!(
        result["cells"][0]["refused"]
            .as_str()
            .is_some_and(|why| why.contains("without end"))
    );
    // One that was set by software comes once for that, and is set again at the end.
    let (code, out, said) = route("901", &["--force-line"]);
    assert_eq!(code, Some(0), "{said}");
    let result: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (&result["restored"], &result["cells"][0]["fired"]),
        (&true.into(), &4.into())
    );
}

/// Delivered half a millisecond after the timeout: lost, and late.
#[test]
fn what_comes_after_the_timeout_is_lost_and_late() {
    needs_firmware!();
    let run = route(
        &variant("[siq]\ndelivery_ns = 10_500_000\n"),
        &fire_from(&[0, 1], 8),
    );
    for cell in &run.result().cells {
        assert_eq!((cell.lost, cell.late, cell.duplicate), (8, 8, 0));
        assert_eq!(cell.landed, all_on(0, 0));
    }
    run.assert_restored();
}

/// Longer than the workers' patience with a dead host.
#[test]
fn a_long_timeout_does_not_send_the_workers_home() {
    needs_firmware!();
    let request = Request {
        timeout_us: 6_000_000,
        set_fields: vec![(0, 3)],
        ..fire_from(&[0, 1], 1)
    };
    let run = route(&t8140(), &request);
    assert_eq!(exit_code(&run.outcome).code, exit::OK);
    for cell in &run.result().cells {
        assert_eq!((cell.fired, cell.lost), (1, 1));
    }
    run.assert_restored();
}

#[test]
fn a_controller_that_stays_off_is_no_routing_result() {
    needs_firmware!();
    let run = route(
        &variant("[faults]\nconfig_stuck = true\n"),
        &fire_from(&[0], 32),
    );
    assert_eq!(run.outcome.cells[0].1.refusal, Some(Refusal::NotEnabled));
    assert_eq!(run.outcome.cells[0].1.fired, 0);
    assert_eq!(exit_code(&run.outcome).code, exit::INCONCLUSIVE);
    run.assert_as_found();
}

#[cfg(target_os = "linux")]
#[test]
fn nobody_has_to_read_standard_error() {
    needs_firmware!();
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("/dev/full");
    let output = aicprobe_with_stderr(&["-v", "route", "--fire-cpu", "0"], full.into());
    assert_eq!(output.status.code(), Some(0));
    assert!(common::stdout(&output).contains("as found"));
}
