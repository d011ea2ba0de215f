//! Bad input: one clear error each, its exit code, nothing on standard output.

mod common;

use std::path::Path;

use common::{aicprobe, stderr, stdout};
use protocol::image::{self, HEADER_SIZE, offset};
use protocol::{PROTOCOL_VERSION, SCHEMA_HASH};

/// Runs `route` with `args`: exit code and what it says. Without a built-in image the dry run finds the same errors.
fn route(args: &[&str]) -> (Option<i32>, String) {
    let mut all = vec!["-q", "route"];
    if !host_cli::firmware::Firmware::is_built_in() {
        all.push("--dry-run");
    }
    all.extend(args);
    let output = aicprobe(&all);
    assert_eq!(stdout(&output), "", "standard output is for results only");
    (output.status.code(), stderr(&output))
}

#[track_caller]
fn refused(args: &[&str], code: i32, says: &[&str]) {
    let (got, text) = route(args);
    assert_eq!(got, Some(code), "{args:?}: {text}");
    for part in says {
        assert!(
            text.contains(part),
            "{args:?} should say \"{part}\": {text}"
        );
    }
    let lines = text.lines().filter(|l| l.starts_with("aicprobe: ")).count();
    assert!(
        lines == 1 || text.starts_with("error: "),
        "one error: {text}"
    );
}

#[test]
fn targets() {
    refused(
        &["--target", "vm:t9999"],
        3,
        &["vm:t9999", "no such virtual SoC", "t8140"],
    );
    refused(&["--target", "nothing"], 3, &["nothing", "vm:FILE.toml"]);
    refused(&["--target", ""], 3, &["no such kind of target"]);
    refused(
        &["--target", "vm:no/such/file.toml"],
        3,
        &["no/such/file.toml"],
    );
}

#[test]
fn soc_files() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        format!("vm:{}", path.display())
    };
    let broken = file("broken.toml", "name = \n");
    refused(
        &["--target", &broken],
        3,
        &["broken.toml", "not a usable SoC model"],
    );
    let unknown = file("unknown.toml", "extends = \"t8140\"\ncolour = 1\n");
    refused(&["--target", &unknown], 3, &["unknown.toml", "colour"]);
    let range = file("range.toml", "extends = \"t8140\"\n[counter]\nhz = 0\n");
    refused(&["--target", &range], 3, &["range.toml", "counter.hz"]);
    let binary = dir.path().join("binary.toml");
    std::fs::write(&binary, [0xff, 0xfe, 0]).unwrap();
    let binary = format!("vm:{}", binary.display());
    refused(&["--target", &binary], 3, &["binary.toml"]);
}

#[test]
fn lines() {
    refused(&["--line", "1504"], 2, &["0:1504", "1 to 1503"]);
    refused(&["--line", "0"], 2, &["0:0", "filler", "/arm-io/wdt"]);
    refused(&["--line", "1:5"], 2, &["1:5", "die 0"]);
    refused(&["--line", "66532"], 2, &["66532", "hwirq", "0:996"]);
    refused(&["--line", "many"], 2, &["many", "NUMBER"]);
    refused(&["--line", "507"], 7, &["0:507", "in use", "/arm-io/wdt"]);
    refused(&["--line", "487"], 7, &["/arm-io/nub-spmi0"]);
    refused(&["--line", "1331"], 7, &["MSI", "/arm-io/apcie"]);
    refused(&["--line", "5", "--line", "0:5"], 2, &["0:5", "twice"]);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("high.toml");
    let text =
        "extends = \"t8140\"\n[aic]\nhigh = [{ number = 140 }]\nleft_set = [{ number = 141 }]\n";
    std::fs::write(&path, text).unwrap();
    let target = format!("vm:{}", path.display());
    refused(
        &["--target", &target, "--line", "140"],
        7,
        &["0:140", "high"],
    );
    refused(
        &["--target", &target, "--line", "141"],
        7,
        &["0:141", "set by software"],
    );
}

#[test]
fn cpus_fields_masks_and_numbers() {
    refused(&["--fire-cpu", "6"], 2, &["--fire-cpu 6", "0 to 5"]);
    refused(&["--set-field", "7=1"], 2, &["--set-field 7", "0 to 5"]);
    refused(&["--mask", "6:1"], 2, &["--mask 6", "0 to 5"]);
    refused(
        &["--set-field", "1=4"],
        2,
        &["field value 4", "0, 1, 2 and 3"],
    );
    refused(&["--set-field", "1=x"], 2, &["1=x"]);
    refused(&["--set-field", "1"], 2, &["CPU=V"]);
    refused(
        &["--set-field", "1=1", "--set-field", "1=2"],
        2,
        &["CPU 1", "twice"],
    );
    refused(&["--mask", "1:1", "--mask", "1:2"], 2, &["CPU 1", "twice"]);
    refused(
        &["--fire-cpu", "1", "--fire-cpu", "1"],
        2,
        &["CPU 1", "twice"],
    );
    refused(&["--mask", "0:0"], 2, &["0 ms", "0.001 to 1000"]);
    refused(&["--mask", "0:1001"], 2, &["1001 ms"]);
    refused(&["--triggers", "0"], 2, &["0 is not in 1..=1000000000"]);
    refused(&["--triggers", "-1"], 2, &["-1"]);
    refused(&["--timeout", "0"], 2, &["0 ms"]);
    refused(&["--timeout", "soon"], 2, &["soon"]);
    refused(&["--format", "xml"], 2, &["xml", "table", "json"]);
    refused(&["--nonsense"], 2, &["--nonsense"]);
}

#[test]
fn output_files() {
    refused(
        &["-o", "/no/such/folder/result.json"],
        2,
        &["/no/such/folder/result.json"],
    );
}

#[test]
fn no_result_leaves_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let new = dir.path().join("new.json");
    let old = dir.path().join("old.json");
    std::fs::write(&old, "mine").expect("written");
    for path in [&new, &old] {
        let name = path.display().to_string();
        refused(&["--target", "vm:nothing", "-o", &name], 3, &["vm:nothing"]);
    }
    assert!(!new.exists());
    assert_eq!(std::fs::read_to_string(&old).expect("text"), "mine");
}

/// The smallest image whose header is right.
fn image() -> Vec<u8> {
    let mut bytes = vec![0; HEADER_SIZE + 16];
    bytes[..8].copy_from_slice(&image::MAGIC);
    let mut word = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    word(offset::VERSION, &image::HEADER_VERSION.to_le_bytes());
    word(offset::PROTOCOL, &u32::from(PROTOCOL_VERSION).to_le_bytes());
    word(offset::SCHEMA, &SCHEMA_HASH.to_le_bytes());
    word(offset::BOOT_ENTRY, &(HEADER_SIZE as u32).to_le_bytes());
    word(offset::WORKER_ENTRY, &(HEADER_SIZE as u32).to_le_bytes());
    image::seal(&mut bytes, HEADER_SIZE as u32, 0, [7; 16]).expect("room for a header");
    bytes
}

#[track_caller]
fn image_refused(dir: &Path, name: &str, bytes: &[u8], says: &str) {
    let path = dir.join(name);
    std::fs::write(&path, bytes).expect("a temporary file");
    refused(
        &["--firmware", &path.display().to_string()],
        2,
        &[name, says],
    );
}

#[test]
fn firmware_images() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let good = image();
    let patched = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        bytes
    };
    let sealed = |at: usize, value: u8, id: [u8; 16]| {
        let mut bytes = patched(at, value);
        image::seal(&mut bytes, HEADER_SIZE as u32, 0, id).unwrap();
        bytes
    };
    refused(&["--firmware", "/no/such/image"], 2, &["/no/such/image"]);
    refused(
        &["--firmware", &dir.display().to_string()],
        2,
        &["--firmware"],
    );
    image_refused(dir, "empty", &[], "0 bytes long");
    for option in ["--firmware", "--loader", "--adt"] {
        refused(
            &[option, "/dev/zero"],
            2,
            &[option, "/dev/zero", "a device"],
        );
    }
    image_refused(dir, "short", &good[..100], "100 bytes long");
    image_refused(dir, "truncated", &good[..good.len() - 8], "truncated");
    image_refused(dir, "huge", &vec![0; 100_000], "too large");
    image_refused(dir, "other", &[0x7f; 4096], "does not begin with");
    image_refused(dir, "version", &patched(offset::VERSION, 9), "version 9");
    image_refused(dir, "damaged", &patched(HEADER_SIZE + 3, 1), "CRC");
    image_refused(dir, "unsealed", &sealed(0x80, 0, [0; 16]), "build id");
    image_refused(
        dir,
        "entry",
        &sealed(offset::BOOT_ENTRY + 1, 0, [7; 16]),
        "entry",
    );
    image_refused(
        dir,
        "protocol",
        &sealed(offset::PROTOCOL, 99, [7; 16]),
        "protocol 99",
    );
    image_refused(
        dir,
        "schema",
        &sealed(offset::SCHEMA, !good[offset::SCHEMA], [7; 16]),
        "schema",
    );
}

#[test]
fn no_command_is_a_usage_error() {
    let output = aicprobe(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("Usage"));
}
