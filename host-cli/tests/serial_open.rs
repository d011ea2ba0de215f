//! Ports that cannot be opened: each reason is told apart, with exit code 3.
#![cfg(unix)]

mod common;

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use common::pty::{Pty, Server, Turn, open_free};
use common::{aicprobe, stderr, stdout, t8140};
use host_cli::link::{OpenError, SerialLink};
use virtual_soc::VirtualTarget;

#[track_caller]
fn refused(target: &str, says: &[&str]) {
    let run = aicprobe(&["-q", "bench", "link", "--target", target]);
    let text = stderr(&run);
    assert_eq!(run.status.code(), Some(3), "{text}");
    assert_eq!(stdout(&run), "");
    assert_eq!(common::remarks(&text), 1, "one error: {text}");
    for part in says {
        assert!(
            text.contains(part),
            "{target} should say \"{part}\": {text}"
        );
    }
}

#[test]
fn what_is_not_there_and_what_is_no_port() {
    refused(
        "/dev/m1n1-is-not-there",
        &["/dev/m1n1-is-not-there", "does not exist", "aicprobe list"],
    );
    refused("/dev/null", &["is no serial port"]);
    let file = tempfile::NamedTempFile::new().unwrap();
    refused(file.path().to_str().unwrap(), &["is no serial port"]);
    refused("/dev", &["is no serial port"]);
}

#[test]
fn a_busy_port_names_its_holder() {
    let pty = Pty::new();
    let held = open_free(&pty.path);
    let again = SerialLink::open(pty.path.as_ref(), None);
    assert!(matches!(again, Err(OpenError::Busy { .. })));
    let pid = format!("(pid {})", std::process::id());
    let who = if cfg!(target_os = "linux") {
        &pid[..]
    } else {
        "in use"
    };
    refused(&pty.path, &["in use by", who]);
    drop(held);
    open_free(&pty.path);
}

/// Who opens a port the plain way neither locks it nor asks for it alone.
#[cfg(target_os = "linux")]
#[test]
fn a_port_that_somebody_has_open_without_any_lock_is_refused() {
    let pty = Pty::new();
    // Its far end is this process, which has the near end open, too: that is no second client.
    let server = {
        let make = || VirtualTarget::from_model(&t8140(), 1).unwrap();
        Server::start(pty, make, |_| Turn::Serve)
    };
    let mut other = Command::new("sleep")
        .arg("600")
        .stdin(std::fs::File::open(&server.path).unwrap())
        .spawn()
        .unwrap();
    refused(
        &server.path,
        &["in use by sleep", &format!("(pid {})", other.id())],
    );
    other.kill().unwrap();
    other.wait().unwrap();
    let run = aicprobe(&["-q", "bench", "link", "--target", &server.path]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    server.finish();
}

#[test]
fn no_permission_is_no_missing_port() {
    const NOBODY: u32 = 65_534;
    let pty = Pty::new();
    std::fs::set_permissions(&pty.path, std::fs::Permissions::from_mode(0o000)).unwrap();
    let mut program = common::program();
    program.args(["-q", "bench", "link", "--target", &pty.path]);
    if rustix::process::geteuid().is_root() {
        // Root may open everything: somebody else has to try.
        program.uid(NOBODY).gid(NOBODY);
    }
    let run = match program.output() {
        Ok(run) => run,
        Err(e) => {
            eprintln!("skipped: the program cannot be run as another user here ({e})");
            return;
        }
    };
    let text = stderr(&run);
    assert_eq!(run.status.code(), Some(3), "{text}");
    assert!(text.contains("no permission to open"), "{text}");
    assert!(text.contains("group"), "{text}");
    assert!(!text.contains("does not exist"), "{text}");
}

#[test]
fn nobody_at_the_far_end_is_a_lost_link() {
    let pty = Pty::new();
    let run = aicprobe(&["-q", "bench", "link", "--target", &pty.path]);
    assert_eq!(run.status.code(), Some(4), "{}", stderr(&run));
    assert!(
        stderr(&run).contains("no answer to the first NOP"),
        "{}",
        stderr(&run)
    );
}

#[test]
fn the_program_may_be_started_before_its_target() {
    let pty = Pty::new();
    let path = pty.path.clone();
    // A node that appears late, like that of a device that is still starting.
    let dir = tempfile::tempdir().unwrap();
    let node = dir.path().join("m1n1");
    let later = node.clone();
    let waiting = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        let make = || VirtualTarget::from_model(&t8140(), 1).unwrap();
        let server = Server::start(pty, make, |_| Turn::Serve);
        std::os::unix::fs::symlink(path, later).unwrap();
        server
    });
    let run = aicprobe(&[
        "-q",
        "bench",
        "link",
        "--iterations",
        "2",
        "--size",
        "8",
        "--wait",
        "60",
        "--target",
        node.to_str().unwrap(),
    ]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    waiting.join().unwrap().finish();
}

#[test]
fn lists_have_their_schema() {
    let run = aicprobe(&["list", "--format", "json"]);
    assert_eq!(run.status.code(), Some(0));
    let list: serde_json::Value = serde_json::from_str(&stdout(&run)).unwrap();
    assert_eq!(list["schema"], "aicprobe.list/1");
    assert!(list["ports"].is_array());
}
