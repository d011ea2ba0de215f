//! `aicprobe vm --boot`: small images that speak on the emulated UART.
#![cfg(unix)]

mod vm_common;

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Output, Stdio};

use tempfile::TempDir;
use vm_common::{Client, Vm, ended, interrupt};

const SPIN: u32 = 0x1400_0000;

const fn wide(keep: bool, d: u32, imm: u32, half: u32) -> u32 {
    (if keep { 0xf280_0000 } else { 0xd280_0000 }) | half << 21 | imm << 5 | d
}

const fn load(t: u32, n: u32, offset: u32) -> u32 {
    0xb940_0000 | ((offset / 4) << 10) | n << 5 | t
}

const fn store(t: u32, n: u32, offset: u32) -> u32 {
    0xb900_0000 | ((offset / 4) << 10) | n << 5 | t
}

/// x1 = the model's UART; then each byte of `text`.
fn say(text: &str) -> Vec<u32> {
    let mut code = vec![wide(false, 1, 0x8520, 1), wide(true, 1, 3, 2)];
    for byte in text.bytes() {
        code.extend([wide(false, 2, byte.into(), 0), store(2, 1, 0x20)]);
    }
    code
}

/// Says hi, then gives back every byte.
fn echo() -> Vec<u32> {
    let mut code = say("hi\n");
    let wait_for_bit_0 = 0x3600_0000 | 0x3fff << 5 | 2;
    let back_to_wait = SPIN | (0x3ff_ffff - 3);
    code.extend([
        load(2, 1, 0x10),
        wait_for_bit_0,
        load(3, 1, 0x24),
        store(3, 1, 0x20),
        back_to_wait,
    ]);
    code
}

struct Images(TempDir);

impl Images {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a file of the test"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn image(&self, name: &str, entry: usize, code: &[u32]) -> String {
        let mut bytes = vec![0; entry];
        bytes.extend(code.iter().flat_map(|w| w.to_le_bytes()));
        std::fs::write(self.path(name), bytes).expect("a file of the test");
        self.path(name).to_str().expect("UTF-8").to_owned()
    }
}

fn vm(args: &[&str]) -> Output {
    vm_common::program()
        .arg("vm")
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts")
}

#[test]
fn an_image_speaks_and_every_instruction_is_traced() {
    let images = Images::new();
    let mut code = say("hi\n");
    code.push(SPIN);
    let image = images.image("hi", 0x40, &code);
    let trace = images.path("trace");
    let run = vm(&[
        "t8140",
        "--boot",
        &image,
        "--at",
        "0x10002000000",
        "--entry",
        "0x40",
        "--uart",
        "stdio",
        "--max-insns",
        "50000",
        "--trace",
        trace.to_str().expect("UTF-8"),
    ]);
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(0), "{said}");
    assert_eq!(run.stdout, b"hi\n");
    let text = std::fs::read_to_string(trace).expect("a file of the test");
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<String> = (0x100_0200_0040_u64..)
        .step_by(4)
        .zip(&code)
        .map(|(pc, word)| format!("0 {pc:x} {word:08x}"))
        .collect();
    assert_eq!(lines[..code.len()], wanted);
    // The rest of them spin at the last one.
    assert!(
        lines[code.len()..]
            .iter()
            .all(|l| *l == wanted[code.len() - 1])
    );
    // To the instruction.
    assert_eq!(lines.len(), 50_000);
    let counted = format!(
        "after {0} instructions, {0} of them in the trace",
        lines.len()
    );
    assert!(said.contains(&counted), "{said}");
}

/// Says a line, then has the watchdog reset the machine as loaders do: alarm, count, control.
fn resets() -> Vec<u32> {
    let mut code = say("up\n");
    code.extend([wide(false, 1, 0x4078, 1), wide(true, 1, 3, 2)]);
    for (value, half, offset) in [(0x10, 1, 0x14), (0, 0, 0x10), (4, 0, 0x1c)] {
        code.extend([wide(false, 2, value, half), store(2, 1, offset)]);
    }
    code.push(SPIN);
    code
}

#[test]
fn a_machine_that_is_reset_starts_the_image_again() {
    let images = Images::new();
    let image = images.image("resets", 0x800, &resets());
    // 0x100000 ticks of 24 MHz are 43.7 ms, and an instruction is a nanosecond long.
    let run = vm(&[
        "t8140",
        "--boot",
        &image,
        "--uart",
        "stdio",
        "--max-insns",
        "100000000",
    ]);
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(0), "{said}");
    assert_eq!(run.stdout, b"up\nup\nup\n");
    assert_eq!(
        said.matches("the watchdog has reset the machine").count(),
        2
    );
    assert!(said.contains("after 100000000 instructions"), "{said}");
}

#[test]
fn a_pseudo_terminal_for_one_client_after_the_other() {
    let images = Images::new();
    let image = images.image("echo", 0x800, &echo());
    let link = images.path("uart");
    let link = link.to_str().expect("UTF-8");
    let vm = Vm::start(&["t8140", "--boot", &image, "--link", link]);
    assert_eq!(
        std::fs::read_link(link)
            .expect("a file of the test")
            .to_str(),
        Some(&*vm.path)
    );
    // What it said before anybody listened is kept for the first one.
    let client = Client::open(link);
    assert_eq!(client.bytes(3), b"hi\n");
    for (n, client) in [client, Client::open(&vm.path)].into_iter().enumerate() {
        let data: Vec<u8> = (0..2000).map(|i| (i * 3 + n) as u8).collect();
        client.send(&data);
        assert_eq!(client.bytes(data.len()), data);
    }
    let client = Client::open(&vm.path);
    client.send(b"again");
    assert_eq!(client.bytes(5), b"again");
    let (status, said) = vm.interrupt();
    assert_eq!(status.code(), Some(0), "{said}");
    assert!(said.contains("ended after"), "{said}");
    assert!(std::fs::symlink_metadata(link).is_err(), "the link is left");
}

#[test]
fn standard_input_and_output_are_a_uart() {
    let images = Images::new();
    let image = images.image("echo", 0x800, &echo());
    let mut child = vm_common::program()
        .args(["vm", "t8140", "-q", "--uart", "stdio", "--boot", &image])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(b"some text").expect("a file of the test");
    // The end of the input is not the end of the machine.
    drop(stdin);
    let mut got = [0; 12];
    let stdout = child.stdout.as_mut().expect("piped");
    stdout.read_exact(&mut got).expect("a file of the test");
    assert_eq!(&got, b"hi\nsome text");
    interrupt(&child);
    assert_eq!(ended(&mut child).code(), Some(0));
}

#[test]
fn what_cannot_be() {
    let images = Images::new();
    let image = &*images.image("spin", 0x800, &[SPIN]);
    let empty = &*images.image("empty", 0, &[]);
    let taken = images.path("taken");
    std::fs::write(&taken, "").expect("a file of the test");
    let taken = taken.to_str().expect("UTF-8");
    let folder = images.0.path().to_str().expect("UTF-8");
    let cases: &[(&[&str], i32, &[&str])] = &[
        (&["t9999"], 3, &["t9999", "no such virtual SoC", "t8140"]),
        (&["no/such.toml"], 3, &["no/such.toml"]),
        (&["t8140", "--link", taken], 2, &["--link", taken]),
        (&["t8140", "--link", "/no/such/folder/x"], 2, &["--link"]),
        (&["t8140", "--at", "0x10000000000"], 2, &["--boot"]),
        (&["t8140", "--boot", "/no/such"], 2, &["--boot /no/such"]),
        (&["t8140", "--boot", folder], 2, &["--boot"]),
        (&["t8140", "--boot", empty], 2, &["0 bytes"]),
        (
            &["t8140", "--boot", image, "--at", "0x10002000004"],
            2,
            &["load address", "0x4000"],
        ),
        (
            &["t8140", "--boot", image, "--at", "0"],
            2,
            &["load address"],
        ),
        (
            &["t8140", "--boot", image, "--entry", "0x804"],
            2,
            &["entry offset", "0x804"],
        ),
        (
            &["t8140", "--boot", image, "--entry", "1"],
            2,
            &["entry offset"],
        ),
        (
            &["t8140", "--boot", image, "--entry", "x"],
            2,
            &["is no address"],
        ),
        (
            &["t8140", "--boot", image, "--max-insns", "0"],
            2,
            &["--max-insns"],
        ),
        (
            &["t8140", "--boot", image, "--uart", "stdio", "--link", "x"],
            2,
            &["--link", "--uart pty"],
        ),
        (
            &["t8140", "--boot", image, "--trace", "/no/such/x"],
            2,
            &["--trace /no/such/x"],
        ),
        (
            &[
                "t8140",
                "--boot",
                image,
                "--uart",
                "stdio",
                "--trace",
                "/dev/full",
            ],
            2,
            &["--trace /dev/full"],
        ),
        (
            &["t8140", "--boot", "/dev/zero"],
            2,
            &["a device", "1073741824"],
        ),
        (&["/dev/./zero"], 3, &["a device", "1048576"]),
    ];
    for (args, code, words) in cases {
        let run = vm(args);
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(*code), "{args:?}: {said}");
        for word in *words {
            assert!(said.contains(word), "{args:?}: no \"{word}\" in {said}");
        }
    }
    assert_eq!(std::fs::read(taken).expect("a file of the test"), b"");
}
