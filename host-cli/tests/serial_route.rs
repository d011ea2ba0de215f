//! `aicprobe route` over a pseudo-terminal: the same program and protocol as with a Mac's USB port.
#![cfg(unix)]

mod common;

use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use common::pty::{Pty, Server, Turn, open_free};
use common::{aicprobe, stderr, stdout, t8140, variant};
use host_cli::link::VirtualLink;
use host_cli::proxy::Proxy;
use serde_json::Value;
use virtual_soc::{SocModel, VirtualTarget};

fn target(model: &SocModel) -> VirtualTarget {
    VirtualTarget::from_model(model, 1).expect("a usable model")
}

fn serve(watch: impl FnMut(&VirtualTarget) -> Turn + Send + 'static) -> Server {
    Server::start(Pty::new(), || target(&t8140()), watch)
}

/// Who landed where, cell by cell.
fn landed(json: &str) -> Vec<Value> {
    let result: Value = serde_json::from_str(json).expect("JSON");
    let cells = result["cells"].as_array().expect("cells");
    cells
        .iter()
        .map(|c| serde_json::json!([c["fields"], c["landed"], c["lost"], c["fired"]]))
        .collect()
}

#[test]
fn a_run_over_a_terminal_counts_what_a_run_in_process_counts() {
    needs_firmware!();
    const PLAN: [&str; 6] = ["-q", "route", "--triggers", "20", "--format", "json"];
    let run = |target: &str| aicprobe(&[&PLAN[..], &["--target", target]].concat());
    let inside = run("vm:t8140");
    let server = serve(|_| Turn::Serve);
    let outside = run(&server.path);
    assert_eq!(outside.status.code(), Some(0), "{}", stderr(&outside));
    let cells = landed(&stdout(&outside));
    assert!(cells.len() > 6, "{cells:?}");
    assert_eq!(cells, landed(&stdout(&inside)));
    let result: Value = serde_json::from_str(&stdout(&outside)).unwrap();
    let marks = result["marks"].to_string();
    assert!(marks.contains("pseudo-terminal"), "{marks}");
    assert_eq!(server.finish(), [""; 0]);
}

#[test]
fn a_uart_target_is_measured_with_data_checksums() {
    needs_firmware!();
    let model = variant("[loader]\nlink = \"uart\"\nbytes_per_second = 150000\n");
    let server = Server::start(Pty::new(), move || target(&model), |_| Turn::Serve);
    let run = aicprobe(&[
        "-q",
        "route",
        "--target",
        &server.path,
        "--fire-cpu",
        "1",
        "--triggers",
        "20",
        "--format",
        "json",
    ]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    assert_eq!(landed(&stdout(&run))[0][1][0], 20);
    assert_eq!(server.finish(), [""; 0]);
}

#[test]
fn stale_bytes_and_a_broken_off_write_do_not_matter() {
    let pty = Pty::new();
    // What an earlier client left unread, a frame cut off in the middle last.
    assert!(pty.put(b"old text\n\xff\x55\xaa\x01\x00\x00\x00\x00 and no more"));
    // An earlier client died in the middle of the longest write of ours.
    let mut write = vec![0xff, 0x55, 0xaa, 3];
    for word in [0x100_1000_0000_u64, 128 * 1024, 0xd0de_cade] {
        write.extend(word.to_le_bytes());
    }
    write.resize(60, 0);
    write.extend(host_cli::proxy::checksum(&write).to_le_bytes());
    write.extend([0x5a; 1000]);
    let make = move || {
        let mut target = target(&t8140());
        target.send(&write);
        target
    };
    let server = Server::start(pty, make, |_| Turn::Serve);
    let run = aicprobe(&["-q", "route", "--dry-run", "--target", &server.path]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    assert!(stdout(&run).contains("SIQ_CFG"), "{}", stdout(&run));
    server.finish();
}

/// Pulls the plug, or restarts the target, when that many triggers were fired.
fn ends_after(triggers: u64, end: fn() -> Turn) -> (Option<i32>, String, String) {
    let server = serve(move |t| {
        if t.stats().triggers >= triggers {
            end()
        } else {
            Turn::Serve
        }
    });
    let run = aicprobe(&[
        "-q",
        "route",
        "--target",
        &server.path,
        "--triggers",
        "20000",
        "--format",
        "json",
    ]);
    server.finish();
    (run.status.code(), stdout(&run), stderr(&run))
}

fn assert_partial(json: &str) {
    let result: Value = serde_json::from_str(json).expect("the partial result");
    let fired: u64 = result["cells"]
        .as_array()
        .expect("cells")
        .iter()
        .map(|c| c["fired"].as_u64().expect("a count"))
        .sum();
    assert!((20_000..100_000).contains(&fired), "{fired} fired");
    assert_eq!(result["complete"], false, "{}", result["complete"]);
}

#[test]
fn a_pulled_cable_is_told_in_one_line_and_what_was_measured_is_kept() {
    needs_firmware!();
    let (code, out, err) = ends_after(60_000, || Turn::Unplug);
    assert_eq!(code, Some(4), "{err}");
    assert!(err.contains("is gone"), "{err}");
    assert!(err.contains("saved"), "{err}");
    assert_partial(&out);
}

#[test]
fn a_target_that_restarts_is_told_apart_from_a_pulled_cable() {
    needs_firmware!();
    let (code, out, err) = ends_after(60_000, || Turn::Reboot);
    assert_eq!(code, Some(4), "{err}");
    assert!(err.contains("rebooted"), "{err}");
    assert!(err.contains("saved"), "{err}");
    assert_partial(&out);
}

/// Requests that connecting to a loader takes if every one is answered.
fn requests_of_a_connection() -> u64 {
    let mut link = VirtualLink::new(target(&t8140()));
    let proxy = Proxy::connect(&mut link).expect("the loader answers");
    proxy.stats().requests
}

/// Sends SIGINT to the program once the loader has seen `requests` requests; then the loader must be waiting for a
/// request and nothing else.
fn interrupted_after(requests: u64) {
    let (tell, told): (_, Receiver<()>) = channel();
    let mut tell = Some(tell);
    let server = serve(move |t| {
        if t.stats().requests >= requests {
            drop(tell.take());
        }
        Turn::Serve
    });
    let child = common::program()
        .args([
            "-q",
            "route",
            "--triggers",
            "100000",
            "--target",
            &server.path,
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let reached = told.recv_timeout(Duration::from_secs(60));
    assert_eq!(
        reached,
        Err(std::sync::mpsc::RecvTimeoutError::Disconnected)
    );
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it is there");
    let output = child.wait_with_output().expect("it ends");
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(130), "after {requests}: {said}");
    assert!(said.contains("interrupted"), "after {requests}: {said}");
    let mut link = open_free(&server.path);
    let proxy = Proxy::connect(&mut link).expect("the loader answers");
    let (stats, usual) = (proxy.stats(), requests_of_a_connection());
    assert_eq!(stats.requests, usual, "after {requests}: none is swallowed");
    drop(link);
    assert_eq!(server.finish(), [""; 0]);
}

#[test]
fn ctrl_c_leaves_a_loader_that_waits_for_requests() {
    needs_firmware!();
    // In the device tree, in the upload, among the first slices, in the measurement.
    for requests in [3, 8, 30, 90, 150] {
        interrupted_after(requests);
    }
}

/// A client that starts the secondaries and nothing else, then a run of ours: code, standard error.
fn after_a_start(wfe_mode_first: bool, model: &'static str) -> (Option<i32>, String) {
    let make = move || {
        let model = SocModel::builtin(model).expect("built in");
        let mut link = VirtualLink::new(target(&model));
        let mut proxy = Proxy::connect(&mut link).expect("a proxy");
        if wfe_mode_first {
            proxy
                .op(host_cli::proxy::Op::SmpSetWfeMode, &[1])
                .expect("an answer");
        }
        proxy.start_secondaries().expect("an answer");
        link.into_target()
    };
    let server = Server::start(Pty::new(), make, |_| Turn::Serve);
    let run =
        |args: &[&str]| aicprobe(&[&["-q", "route", "--target", &server.path], args].concat());
    let first = run(&["--fire-cpu", "1", "--triggers", "3"]);
    // Refused or not, the target is there.
    let still = run(&["--dry-run"]);
    assert_eq!(still.status.code(), Some(0), "{}", stderr(&still));
    server.finish();
    (first.status.code(), stderr(&first))
}

#[test]
fn secondaries_that_somebody_else_started_are_not_woken_where_that_may_end_the_loader() {
    needs_firmware!();
    for wfe_mode_first in [false, true] {
        let (code, said) = after_a_start(wfe_mode_first, "t8140");
        assert_eq!(code, Some(3), "{said}");
        for word in [
            "CPUs 1, 2, 3, 4, 5",
            "P_SMP_SET_WFE_MODE(1)",
            "restart the target",
        ] {
            assert!(said.contains(word), "no {word} in {said}");
        }
        assert_eq!(common::remarks(&said), 1, "{said}");
    }
    // These cores keep their registers.
    let (code, said) = after_a_start(false, "t6020");
    assert_eq!((code, &*said), (Some(0), ""));
}

/// Workers of an earlier run wait in WFE, and what they returned tells.
#[test]
fn a_second_run_of_ours_is_no_stranger() {
    needs_firmware!();
    let server = serve(|_| Turn::Serve);
    for _ in 0..2 {
        let run = aicprobe(&[
            "-q",
            "route",
            "--target",
            &server.path,
            "--fire-cpu",
            "1",
            "--triggers",
            "3",
        ]);
        assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    }
    assert_eq!(server.finish(), [""; 0]);
}
