//! A line that no device names and that something drives all the same (hazard: the device tree of T6050 gives its serial
//! port line 360, and 702 is the live one). Here it is 131, in the middle of the largest gap: `odd/line-toggles`.

mod common;

use common::{aicprobe, stderr, stdout};
use serde_json::Value;

fn target() -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    format!("vm:{root}/../virtual-soc/models/odd/line-toggles.toml")
}

/// Runs the program; exit code, JSON of its standard output if it is any, standard error.
fn run(args: &[&str]) -> (Option<i32>, Value, String) {
    let output = aicprobe(args);
    let json = serde_json::from_str(&stdout(&output)).unwrap_or(Value::Null);
    (output.status.code(), json, stderr(&output))
}

#[test]
fn it_is_listed_as_suspicious() {
    let target = target();
    let (code, json, text) = run(&["lines", "--format", "json", "--target", &target]);
    assert_eq!(code, Some(0), "{text}");
    let suspicious = json["suspicious"].as_array().expect("a list");
    assert_eq!(suspicious.len(), 1, "{suspicious:?}");
    let found = &suspicious[0];
    assert_eq!(
        (&found["die"], &found["number"], &found["level"]),
        (&0.into(), &131.into(), &"toggles".into())
    );
    // The serial port's line is owned, and low at every look.
    let owned = json["owned"].as_array().expect("a list");
    let port = owned.iter().find(|o| o["line"] == 470).expect("owned");
    assert!(port.to_string().contains("dockchannel-uart"), "{port}");
    assert_eq!(json["looked"]["owned_high"], 0);
    // The device tree alone would put it first: it is in the middle of the largest gap.
    let gaps = json["gaps"].as_array().expect("a list");
    let len = |g: &Value| g["last"].as_u64().unwrap() - g["first"].as_u64().unwrap();
    let largest = gaps.iter().max_by_key(|g| len(g)).expect("a gap");
    assert_eq!(largest["first"].as_u64().unwrap() + len(largest) / 2, 131);
    assert_eq!(json["spare"][0]["number"], 131);
    let failed = json["spare"][0]["failed"].to_string();
    assert!(failed.contains("it toggles (HW_STATE)"), "{failed}");
    let (code, _, text) = run(&["-q", "lines", "--line", "131", "--target", &target]);
    assert_eq!(code, Some(7), "{text}");
}

#[test]
fn it_is_never_chosen() {
    let target = target();
    let plan = |target: &str| {
        let args = ["-q", "route", "--dry-run", "--target", target];
        let (code, _, text) = run(&args);
        assert_eq!(code, Some(0), "{text}");
        stdout(&aicprobe(&args))
    };
    assert!(plan("vm:t8140").contains("0:131"), "what is quiet is taken");
    let odd = plan(&target);
    assert!(odd.contains("0:132") && !odd.contains("0:131"), "{odd}");
}

#[test]
fn named_it_is_refused_with_the_test_that_it_fails() {
    let target = target();
    let (code, json, text) = run(&["-q", "route", "--line", "131", "--target", &target]);
    assert_eq!((code, json), (Some(7), Value::Null), "{text}");
    assert!(
        text.contains("line 0:131 is refused: it toggles (HW_STATE)")
            && text.contains("--force-line fires it all the same"),
        "{text}"
    );
}

#[test]
fn the_run_beside_it_is_clean() {
    needs_firmware!();
    let target = target();
    let args = ["-q", "route", "--format", "json", "--triggers", "8"];
    let (code, json, text) = run(&[&args[..], &["--target", &target]].concat());
    assert_eq!(code, Some(0), "{text}");
    for cell in json["cells"].as_array().expect("cells") {
        assert_eq!(cell["line"]["number"], 132);
        assert_eq!((&cell["fired"], &cell["lost"]), (&8.into(), &0.into()));
        assert_eq!(
            (&cell["duplicate"], &cell["spurious"]),
            (&0.into(), &0.into())
        );
    }
    assert_eq!(json["restored"], true);
}

#[test]
fn by_force_it_is_tried_and_marked() {
    needs_firmware!();
    let target = target();
    let args = [
        "-q",
        "route",
        "--format",
        "json",
        "--line",
        "131",
        "--force-line",
        // Longer than a period, so that it is high at some of them.
        "--triggers",
        "20000",
    ];
    let (code, json, text) = run(&[&args[..], &["--fire-cpu", "0", "--target", &target]].concat());
    // While it is high, it comes again at every unmask: it is left masked, and the target stays usable.
    assert_eq!(code, Some(6), "{text}");
    assert!(text.contains("the line fires without end"), "{text}");
    let marks = json["marks"].to_string();
    assert!(
        marks.contains("line 0:131 was fired with --force-line, although: it toggles"),
        "{marks}"
    );
    assert_eq!(json["restored"], true);
}
