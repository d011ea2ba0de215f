//! `route --loader`: a real loader image instead of the stand-in.
//!
//! The image is not part of this repository: tests that need one run when `AICPROBE_M1N1_BIN` names it.

mod common;

use common::{aicprobe, stderr, stdout};
use serde_json::Value;

const TRIGGERS: &str = "20";

fn result(args: &[&str]) -> Value {
    let mut all = vec!["route", "-q", "--format", "json", "--triggers", TRIGGERS];
    all.extend(args);
    let run = aicprobe(&all);
    assert_eq!(run.status.code(), Some(0), "{args:?}: {}", stderr(&run));
    serde_json::from_str(&stdout(&run)).expect("JSON")
}

/// Everything but latencies (their last tick depends on when a trigger falls between two ticks of the counter) and marks.
fn counts(mut result: Value) -> Value {
    let whole = result.as_object_mut().expect("an object");
    assert!(whole.remove("marks").is_some());
    let cells = whole["cells"].as_array_mut().expect("cells");
    assert!(cells.len() > 50, "{}", cells.len());
    for cell in cells {
        let cell = cell.as_object_mut().expect("an object");
        assert!(cell.remove("latency_ns").is_some());
        assert_eq!(cell["fired"], cell["triggers"]);
    }
    result
}

fn same_counts(target: &str) {
    needs_firmware!();
    let Some(image) = std::env::var_os("AICPROBE_M1N1_BIN") else {
        eprintln!("skipped: AICPROBE_M1N1_BIN names no loader image");
        return;
    };
    let image = image.to_str().expect("a name in UTF-8");
    let stand_in = result(&["--target", target]);
    let real = result(&["--target", target, "--loader", image]);
    let marks = real["marks"].to_string();
    assert!(marks.contains("reached over its UART"), "{marks}");
    assert_eq!(real["restored"], true);
    assert_eq!(counts(real), counts(stand_in));
}

#[test]
fn on_t8140_counts_are_those_of_the_stand_in_cell_for_cell() {
    same_counts("vm:t8140");
}

#[test]
fn on_t6020_counts_are_those_of_the_stand_in_cell_for_cell() {
    same_counts("vm:t6020");
}

#[test]
fn what_is_no_loader() {
    needs_firmware!();
    let dir = tempfile::tempdir().expect("a file of the test");
    let file = |name: &str, words: &[u32]| {
        let path = dir.path().join(name);
        let mut bytes = vec![0; 0x800];
        bytes.extend(words.iter().flat_map(|w| w.to_le_bytes()));
        std::fs::write(&path, bytes).expect("a file of the test");
        path.to_str().expect("UTF-8").to_owned()
    };
    // Says "no" on the UART and spins.
    let silent = file(
        "silent",
        &[
            0xd2b0_a401,
            0xf2c0_0061,
            0xd280_0dc2,
            0xb900_2022,
            0xd280_0de2,
            0xb900_2022,
            0x1400_0000,
        ],
    );
    let cases: &[(&[&str], i32, &[&str])] = &[
        (
            &["--loader", &silent],
            3,
            &[&silent, "no BOOT message", "the last it said: \"no\""],
        ),
        (&["--loader", "/no/such"], 2, &["--loader /no/such"]),
        (
            &["--target", "/dev/null", "--loader", &silent],
            2,
            &["/dev/null", "only with a virtual SoC"],
        ),
    ];
    for (args, code, words) in cases {
        let mut all = vec!["route"];
        all.extend(*args);
        let run = aicprobe(&all);
        let said = stderr(&run);
        assert_eq!(run.status.code(), Some(*code), "{args:?}: {said}");
        for word in *words {
            assert!(said.contains(word), "{args:?}: no \"{word}\" in {said}");
        }
    }
}
