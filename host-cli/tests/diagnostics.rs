//! How an error is told: a line, its code and the next step; coloured where somebody looks.

mod common;

use common::{aicprobe, program, remarks, stderr, stdout};

const WRONG: [&str; 3] = ["route", "--target", "nonsense"];

#[test]
fn an_error_has_its_code_and_the_next_step_below_its_line() {
    let run = aicprobe(&WRONG);
    assert_eq!((run.status.code(), stdout(&run).as_str()), (Some(3), ""));
    let said = stderr(&run);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!((lines.len(), remarks(&said)), (3, 1), "{said}");
    assert!(
        lines[0].starts_with("aicprobe: --target nonsense: "),
        "{said}"
    );
    assert_eq!(lines[1], "  code: aicprobe::target::unknown");
    assert!(lines[2].starts_with("  next: `aicprobe list`"), "{said}");
    assert!(!said.contains('\x1b'), "no colours in a file");
}

#[cfg(unix)]
#[test]
fn a_terminal_gets_colours_unless_they_are_not_wanted() {
    use common::pty::Pty;
    use std::process::Stdio;
    let plain = stderr(&aicprobe(&WRONG)).replace('\n', "\r\n");
    for (variable, value, coloured) in [
        ("TERM", "xterm", true),
        ("NO_COLOR", "1", false),
        ("TERM", "dumb", false),
    ] {
        let pty = Pty::new();
        pty.cook();
        let status = program()
            .args(WRONG)
            .env("TERM", "xterm")
            .env(variable, value)
            .stderr(Stdio::from(pty.client()))
            .status()
            .expect("the program starts");
        assert_eq!(status.code(), Some(3));
        let said = String::from_utf8(pty.take()).expect("text");
        assert_eq!(said.contains("\x1b[31m"), coloured, "{variable}: {said:?}");
        assert_eq!(said == plain, !coloured, "{variable}: {said:?}");
    }
}
