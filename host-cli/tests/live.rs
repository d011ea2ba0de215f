//! `--live`: the program on a pseudo-terminal, as a user has it.
#![cfg(unix)]

mod common;

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::pty::Pty;
use common::{aicprobe, stderr, stdout};
use host_cli::live::{About, Control, Dashboard};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

const ENTER: &str = "\x1b[?1049h";
const LEAVE: &str = "\x1b[?1049l";
/// Longer than anything here takes, on a machine that does other things too.
const LONG: Duration = Duration::from_secs(30);

/// A run on a terminal.
struct OnTerminal {
    pty: Pty,
    /// How it was set before.
    modes: String,
    child: Child,
    result: File,
    screen: Vec<u8>,
}

impl OnTerminal {
    fn start(args: &[&str]) -> Self {
        Self::start_on(Pty::new(), args)
    }

    fn start_on(pty: Pty, args: &[&str]) -> Self {
        let mut command = common::program();
        command.args(args);
        Self::run(pty, command)
    }

    fn run(pty: Pty, mut command: Command) -> Self {
        pty.cook();
        pty.resize(80, 24);
        let modes = pty.modes();
        let result = tempfile::tempfile().expect("a file");
        let child = command
            .env("TERM", "xterm")
            .stdin(pty.client())
            .stdout(result.try_clone().expect("a file"))
            .stderr(pty.client())
            .spawn()
            .expect("the program starts");
        Self {
            modes,
            pty,
            child,
            result,
            screen: Vec::new(),
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.screen).into_owned()
    }

    /// The end of it, for messages.
    fn end(&self) -> String {
        let text = self.text();
        let skip = text.chars().count().saturating_sub(500);
        text.chars().skip(skip).collect()
    }

    /// Takes what is drawn until `seen`.
    #[track_caller]
    fn until(&mut self, what: &str, seen: impl Fn(&str) -> bool) {
        let end = Instant::now() + LONG;
        while !seen(&self.text()) {
            assert!(Instant::now() < end, "{what} never came:\n{:?}", self.end());
            self.screen.extend(self.pty.take());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Takes everything until its end; its exit code, and its result.
    fn finish(&mut self) -> (Option<i32>, String) {
        let end = Instant::now() + LONG;
        let code = loop {
            self.screen.extend(self.pty.take());
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status.code();
            }
            assert!(Instant::now() < end, "it never ends:\n{:?}", self.end());
            std::thread::sleep(Duration::from_millis(5));
        };
        self.screen.extend(self.pty.take());
        (code, self.result())
    }

    fn result(&mut self) -> String {
        let mut text = String::new();
        self.result.rewind().expect("a file");
        self.result.read_to_string(&mut text).expect("text");
        text
    }

    /// What is on the terminal after the dashboard, if it came and went once.
    #[track_caller]
    fn after(&self) -> String {
        let text = self.text();
        assert_eq!(text.matches(ENTER).count(), 1, "{text:?}");
        let (before, after) = text.split_once(LEAVE).expect("it leaves its screen");
        assert!(before.contains(ENTER) && !after.contains(LEAVE), "{text:?}");
        assert!(
            before.ends_with("\x1b[?25h"),
            "the cursor is back: {text:?}"
        );
        assert_eq!(self.pty.modes(), self.modes, "the terminal is as it was");
        without_styles(&after.replace("\r\n", "\n"))
    }
}

/// Without the colours that a terminal gets.
fn without_styles(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit() && c != ';');
        match end.map(|at| part.split_at(at)) {
            Some((_, rest)) if rest.starts_with('m') => out += &rest[1..],
            _ => {
                out += "\x1b[";
                out += part;
            }
        }
    }
    out
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        // A test that failed leaves nothing behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One cell of `triggers`.
fn route(triggers: &str) -> Vec<&str> {
    vec![
        "route",
        "--format",
        "json",
        "--fire-cpu",
        "1",
        "--triggers",
        triggers,
    ]
}

/// A cell that no test waits for.
const ENDLESS: &str = "1000000000";

fn live(mut args: Vec<&str>) -> Vec<&str> {
    args.push("--live");
    args
}

#[track_caller]
fn assert_partial(result: &str) {
    let result: Value = serde_json::from_str(result).expect("a result");
    assert_eq!(
        (&result["complete"], &result["restored"]),
        (&false.into(), &true.into())
    );
    assert!(result["cells"][0]["fired"].as_u64() > Some(0), "{result}");
}

#[test]
fn the_result_is_the_same_and_what_was_said_is_on_the_terminal_afterwards() {
    needs_firmware!();
    let plain = aicprobe(&route("64"));
    let mut run = OnTerminal::start(&live(route("64")));
    let (code, result) = run.finish();
    assert_eq!((code, result), (Some(0), stdout(&plain)));
    let said: String = stderr(&plain)
        .lines()
        .filter(|line| !line.starts_with("cell 1/1"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(said.contains("uploading firmware\n"), "{said}");
    assert_eq!(run.after(), said);
}

#[test]
fn q_stops_it_and_the_result_is_a_partial_one() {
    needs_firmware!();
    let mut run = OnTerminal::start(&live(route(ENDLESS)));
    run.until("a landing bar", |text| text.contains('█'));
    assert!(run.pty.put(b"x\x1b[Aq"), "it reads its keys");
    let text = run.text();
    assert!(
        text.contains("MODEL ONLY") && text.contains("triggers/s"),
        "{text:?}"
    );
    let (code, result) = run.finish();
    assert_eq!(code, Some(130));
    assert_partial(&result);
    let after = run.after();
    assert!(
        after.contains("aicprobe: stopping: ") && after.contains("aicprobe: interrupted; "),
        "{after}"
    );
    // On a terminal it is coloured.
    let raw = run.text();
    assert!(
        raw.contains("\x1b[31maicprobe:\x1b[0m interrupted; "),
        "{raw:?}"
    );
}

#[test]
fn signals_end_it_as_without_a_dashboard() {
    needs_firmware!();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut run = OnTerminal::start(&live(route(ENDLESS)));
        run.until("a landing bar", |text| text.contains('█'));
        let pid = Pid::from_child(&run.child);
        kill_process(pid, signal).expect("it is there");
        let (code, result) = run.finish();
        assert_eq!(code, Some(130), "{signal:?}");
        assert_partial(&result);
        run.after();
    }
}

#[test]
fn it_is_drawn_anew_where_the_terminal_changes_its_size() {
    needs_firmware!();
    let mut run = OnTerminal::start(&live(route(ENDLESS)));
    run.until("a landing bar", |text| text.contains('█'));
    run.pty.resize(40, 12);
    run.screen.clear();
    // Only the narrow picture writes it like this.
    run.until("the narrow picture", |text| text.contains("spur\x1b"));
    let placed = run.text();
    assert!(
        !placed.contains("\x1b[13;"),
        "nothing below the twelfth row: {placed:?}"
    );
    run.pty.put(b"q");
    run.screen.splice(0..0, ENTER.bytes());
    assert_eq!(run.finish().0, Some(130));
    run.after();
}

#[test]
fn a_terminal_that_takes_nothing_keeps_nobody_waiting() {
    needs_firmware!();
    let plain = aicprobe(&route("64"));
    let pty = Pty::new();
    pty.stuff();
    let mut run = OnTerminal::start_on(pty, &live(route("64")));
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = run.child.try_wait().expect("a child") {
            break status;
        }
        assert!(begun.elapsed() < LONG, "it waits for its terminal");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!((status.code(), run.result()), (Some(0), stdout(&plain)));
    assert_eq!(run.pty.modes(), run.modes, "the terminal is as it was");
    run.screen = run.pty.take();
    assert!(
        !run.screen.is_empty() && !run.text().contains(ENTER),
        "it took something"
    );
}

#[test]
fn a_terminal_that_goes_away_ends_nothing() {
    needs_firmware!();
    let plain = aicprobe(&route("300000"));
    let mut run = OnTerminal::start(&live(route("300000")));
    run.until("a landing bar", |text| text.contains('█'));
    run.pty = Pty::new();
    let (code, result) = run.finish();
    assert_eq!((code, result), (Some(0), stdout(&plain)));
}

#[test]
fn elsewhere_it_comes_in_lines() {
    needs_firmware!();
    let plain = aicprobe(&route("64"));
    let output = aicprobe(&live(route("64")));
    assert_eq!(
        (output.status.code(), stdout(&output)),
        (Some(0), stdout(&plain))
    );
    let said = stderr(&output);
    let (note, rest) = said.split_once('\n').expect("lines");
    assert_eq!(
        note,
        "--live: standard error is no terminal; progress comes in lines"
    );
    assert_eq!(rest, stderr(&plain));
    // One that cannot place text, too.
    let pty = Pty::new();
    let output = common::program()
        .args(live(route("64")))
        .env("TERM", "dumb")
        .stderr(Stdio::from(pty.client()))
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&pty.take()).into_owned();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        said.contains("--live: this terminal cannot place text") && !said.contains(ENTER),
        "{said:?}"
    );
}

#[test]
fn a_soak_shows_how_far_it_is() {
    needs_firmware!();
    let mut run = OnTerminal::start(&["soak", "--duration", "100h", "--live", "--format", "json"]);
    run.until("the target's clock", |text| {
        text.contains("target time") && text.contains("█")
    });
    assert!(run.pty.put(b"q"), "it reads its keys");
    let (code, result) = run.finish();
    assert_eq!(code, Some(130));
    let text = run.text();
    assert!(
        text.contains("of 100 d") || text.contains("of 4 d 4 h"),
        "{}",
        run.end()
    );
    let result: Value = serde_json::from_str(&result).expect("a result");
    assert!(result["totals"]["fired"].as_u64() > Some(0), "{result}");
}

#[test]
fn storms_show_bars_and_rates() {
    needs_firmware!();
    let args = [
        "storm", "--repeat", "1000", "--us", "200", "--live", "--format", "json",
    ];
    let mut run = OnTerminal::start(&args);
    run.until("bars and a rate", |text| {
        text.contains("received, all storms") && text.contains("M IPI/s") && text.contains('█')
    });
    assert!(run.pty.put(b"q"), "it reads its keys");
    assert_eq!(run.finish().0, Some(130));
    run.after();
}

/// Two sides of one cell each.
fn sides(rounds: &str) -> Vec<&str> {
    vec![
        "compare",
        "vm:t8140",
        "vm:t8140",
        "--fire-cpu",
        "0",
        "--alternate",
        rounds,
        // Long enough that something of every run is drawn.
        "--triggers",
        "30000",
        "--format",
        "json",
    ]
}

#[test]
fn a_comparison_shows_which_run_it_is() {
    needs_firmware!();
    let plain = aicprobe(&sides("2"));
    let mut run = OnTerminal::start(&live(sides("2")));
    let (code, result) = run.finish();
    assert_eq!((code, result), (Some(0), stdout(&plain)));
    let text = run.text();
    // One dashboard a run.
    assert_eq!(text.matches(ENTER).count(), 4);
    for (side, n) in [("A", 1), ("B", 2), ("A", 3), ("B", 4)] {
        assert!(text.contains(&format!("side {side}, run {n} of 4")), "{n}");
    }
    // Elsewhere lines, and once why.
    let lines = aicprobe(&live(sides("2")));
    let said = stderr(&lines);
    assert_eq!(stdout(&lines), stdout(&plain));
    assert_eq!(
        said.matches("standard error is no terminal").count(),
        1,
        "{said}"
    );
    assert!(said.contains("side B, run 2 of 2"), "{said}");
}

#[test]
fn it_shows_one_target_and_is_never_quiet() {
    for (args, what) in [
        (
            &["route", "--live", "--quiet"][..],
            "cannot be used with '--quiet'",
        ),
        (
            &["--quiet", "fields", "--live"],
            "cannot be used with --quiet",
        ),
        (
            &["--quiet", "compare", "vm:t8140", "vm:t8140", "--live"],
            "cannot be used with --quiet",
        ),
        (
            &["compare", "a.json", "b.json", "--live"],
            "go only with a target",
        ),
        (
            &["route", "--live", "--target", "vm:all"],
            "--live shows one target",
        ),
    ] {
        let output = aicprobe(args);
        let said = stderr(&output);
        assert_eq!(
            (output.status.code(), stdout(&output)),
            (Some(2), String::new()),
            "{said}"
        );
        assert!(said.contains(what), "{said}");
    }
}

/// Not a test of its own: what the next one runs on a terminal.
#[test]
#[ignore = "panics"]
fn a_program_that_panics() {
    if std::env::var_os("AICPROBE_TEST_PANIC").is_none() {
        return;
    }
    let about = About {
        target: "vm:test".to_owned(),
        machine: String::new(),
        model: true,
        cpus: Vec::new(),
        cells: 0,
        triggers: 0,
        expected_us: 0,
        duration_us: None,
        run: String::new(),
    };
    let control = Control {
        stop: || {},
        stopping: || false,
    };
    let _board = Dashboard::open(about, control).expect("a terminal");
    std::thread::sleep(Duration::from_millis(300));
    panic!("on purpose");
}

#[test]
fn a_panic_gives_the_terminal_back_before_it_is_told() {
    let this = std::env::current_exe().expect("this program");
    let mut command = Command::new(this);
    command
        .args([
            "--ignored",
            "--exact",
            "--nocapture",
            "a_program_that_panics",
        ])
        .env("AICPROBE_TEST_PANIC", "1");
    let mut run = OnTerminal::run(Pty::new(), command);
    assert_eq!(run.finish().0, Some(101));
    let after = run.after();
    assert!(after.contains("on purpose"), "{after}");
}
