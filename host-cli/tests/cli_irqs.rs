//! `aicprobe irqs`: listings of /proc/interrupts.

mod common;

use common::trees::{Folder, case_of, synthetic};
use common::{aicprobe, stderr, stdout};
use serde_json::Value;

/// The shape of today's driver: event words, FIQs, MSIs, GPIOs, IPIs of Linux, a sum over all CPUs. CPU 1 is offline.
const TODAY: &str = "\
           CPU0       CPU2       CPU3
 33:          1          2          3       KVM   0 Level     a guest's timer
 35:        100        200        300   AIC-FIQ   0 Level     timer
 49:          0          0          1   AIC-FIQ   4 Level     counters
 41:         10          0          0      AIC2 65890 Level     spmi
 42:          5          0         15      AIC2 66255 Level     wdt, wdt
 43:          0          0          0      AIC2 66351 Edge      msi
 44:          0          0          0      AIC2 16842757 Level     far away
 46:          0          0          0      AIC2 627 Level     odd
 47:          0          0          2      AIC2 66036 Level     unknown to the tree
104:         39          7         52  PCIe MSI 526336 Edge      radio
105:          1          1          1  Apple-GPIO   8 Level     1-0038
106:          1          1          1  dockchannel-irqc   2 Edge      console
IPI0:         9          9          9       Rescheduling interrupts
Err:          0
";

/// The shape of an old driver for AICv1: plain lines.
const OLD: &str = "\
           CPU0       CPU1       \r
 36:     111443      82596       FIQ   0 Level     arch_timer\r
 38:       7609          0       AIC 627 Level     235010000.i2c0\r
 39:          0          0       AIC 65 Level     two, handlers\r
";

fn report(folder: &Folder, text: &str, args: &[&str]) -> Value {
    let file = folder.file("listing", text.as_bytes());
    let mut all = vec!["irqs", "--format", "json", &file];
    all.extend(args);
    let output = aicprobe(&all);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The row of an interrupt as Linux numbers it.
fn row<'j>(json: &'j Value, irq: &str) -> &'j Value {
    let rows = json["rows"].as_array().expect("rows");
    rows.iter().find(|r| r["irq"] == irq).expect(irq)
}

#[test]
fn rows_of_todays_driver_are_event_words() {
    let json = report(&Folder::new(), TODAY, &[]);
    assert_eq!(json["schema"], "aicprobe.irqs/1");
    assert_eq!(json["cpus"], serde_json::json!([0, 2, 3]));
    for (irq, kind, line) in [
        ("41", "aic-line", Some("0:354")),
        ("42", "aic-line", Some("0:719")),
        ("43", "aic-line", Some("0:815")),
        ("44", "aic-line", Some("1:5")),
        ("46", "aic-unknown", None),
        ("33", "other-controller", None),
        ("35", "fiq", None),
        ("49", "fiq", None),
        ("104", "other-controller", None),
        ("105", "other-controller", None),
        ("106", "other-controller", None),
        ("IPI0", "not-a-line", None),
        ("Err", "not-a-line", None),
    ] {
        let row = row(&json, irq);
        assert_eq!(
            (row["kind"].as_str(), row["line"].as_str()),
            (Some(kind), line),
            "{row}"
        );
        assert!(row["owners"].is_null(), "no tree was given");
    }
    let wdt = row(&json, "42");
    assert_eq!(wdt["counts"], serde_json::json!([5, 0, 15]));
    assert_eq!(
        (&wdt["total"], &wdt["trigger"], &wdt["handlers"]),
        (&20.into(), &"level".into(), &"wdt, wdt".into())
    );
    assert_eq!(row(&json, "104")["chip"], "PCIe MSI");
    assert_eq!(row(&json, "104")["hwirq"], 526_336);
    let odd = row(&json, "46")["note"].as_str().expect("a note");
    assert!(odd.contains("type 0"), "{odd}");
    // Only rows of the AIC count: 10 + 5 on CPU 0, 15 + 2 on CPU 3.
    assert_eq!(json["total"], 32);
    let counts: Vec<_> = (0..3).map(|i| json["totals"][i]["count"].clone()).collect();
    assert_eq!(counts, [15, 0, 17]);
    assert_eq!(json["totals"][0]["share"], 15.0 / 32.0);
    assert_eq!(json["taking"], serde_json::json!([0, 3]));
    assert_eq!(json["not_taking"], serde_json::json!([2]));
}

#[test]
fn rows_of_the_old_driver_are_plain_lines() {
    let json = report(&Folder::new(), OLD, &[]);
    let i2c = row(&json, "38");
    assert_eq!(
        (&i2c["kind"], &i2c["line"], &i2c["die"], &i2c["number"]),
        (
            &"aic-plain-line".into(),
            &"0:627".into(),
            &0.into(),
            &627.into()
        )
    );
    assert_eq!(row(&json, "36")["kind"], "fiq");
    assert_eq!(row(&json, "39")["handlers"], "two, handlers");
    assert_eq!(json["taking"], serde_json::json!([0]));
    assert_eq!(json["not_taking"], serde_json::json!([1]));
}

#[test]
fn owners_come_from_the_device_tree() {
    let folder = Folder::new();
    let tree = folder.file("tree.adt", &synthetic(2).build().unwrap());
    let json = report(&folder, TODAY, &["--adt", &tree]);
    let owners = |irq| row(&json, irq)["owners"].clone();
    assert_eq!(
        owners("41"),
        serde_json::json!(["/arm-io/nub-spmi@1000"]),
        "behind another controller's phandle"
    );
    assert_eq!(owners("42"), serde_json::json!(["/arm-io/wdt"]));
    assert!(owners("43").to_string().contains("MSI range 800-831"));
    assert_eq!(owners("47"), serde_json::json!([]), "the tree is silent");
    assert!(owners("46").is_null() && owners("35").is_null());
    let marks = json["marks"].to_string();
    assert!(marks.contains("owners are those of"), "{marks}");

    let file = folder.file("listing", TODAY.as_bytes());
    let text = stdout(&aicprobe(&["irqs", &file, "--adt", &tree]));
    for part in [
        "3 CPUs, 14 rows, 6 of them the AIC's",
        "0:5 3:15",
        "/arm-io/nub-spmi@1000",
        "nobody in the device tree",
        "numbers of PCIe MSI, no line of the AIC: radio",
        "FIQ, performance counters of E cores: counters",
        "CPUs that take interrupts of the AIC: 2 of 3: 0 (15, 46.9 %), 3 (17, 53.1 %)",
        "CPUs that took none: 2",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn the_result_goes_to_a_file_too() {
    let folder = Folder::new();
    let file = folder.file("listing", OLD.as_bytes());
    let out = format!("{}/out", folder.path());
    let output = aicprobe(&["irqs", &file, "-o", &out]);
    assert_eq!(
        (output.status.code(), stdout(&output)),
        (Some(0), String::new())
    );
    assert_eq!(
        std::fs::read_to_string(out).expect("written"),
        stdout(&aicprobe(&["irqs", &file]))
    );
}

#[test]
fn nothing_of_the_aic_is_told_as_such() {
    let folder = Folder::new();
    let file = folder.file("listing", b"CPU0\n 1: 5 GICv3 27 Level timer\n");
    let text = stdout(&aicprobe(&["irqs", &file]));
    assert!(text.contains("no row is the AIC's"), "{text}");
    assert!(
        text.contains("no CPU took an interrupt of the AIC"),
        "{text}"
    );
}

#[test]
fn bad_input_is_one_error_with_its_line() {
    let folder = Folder::new();
    let max = u64::MAX;
    let sum = format!("CPU0 CPU1\n 1: {max} 1 AIC2 66000 Level x\n");
    let column = format!("CPU0\n 1: {max} AIC2 66000 Level x\n 2: 1 AIC2 66001 Level y\n");
    for (name, bytes, says) in [
        ("empty", &b""[..], "it is empty"),
        ("blank", b" \n\n", "it is empty"),
        (
            "no header",
            b" 1: 5 AIC2 66000 Level x\n",
            "line 1: no line of CPUs",
        ),
        ("prose", b"the quick brown fox\n", "no line of CPUs"),
        (
            "order",
            b"CPU1 CPU0\n 1: 5 6 AIC2 66000 Level x\n",
            "no line of CPUs",
        ),
        ("header alone", b"   CPU0 CPU1\n", "no row follows"),
        (
            "binary",
            b"\x7fELF\x02\x01\x01\0\0\0",
            "it is no text (byte 0)",
        ),
        (
            "not UTF-8",
            b"CPU0\n 1: 5 \xff\xfe",
            "it is no text (byte 11)",
        ),
        (
            "nul",
            b"CPU0\n 1: 5 AIC2 66000\0 Level x\n",
            "it is no text",
        ),
        (
            "counts",
            b"CPU0 CPU1\n 1: 5 AIC2 66000 Level x\n",
            "line 2: row 1 has 1 counts",
        ),
        (
            "half",
            b"CPU0 CPU1\n 1: 5 6 AIC2 66000 Level x\n 2: 5 6 AI",
            "line 3: row 2 has no number",
        ),
        (
            "colon",
            b"CPU0\n 1: 5 AIC2 66000 Level x\n 2",
            "line 3: no colon",
        ),
        (
            "count",
            b"CPU0\n 1: 18446744073709551616 AIC2 66000 Level x\n",
            "line 2: the count",
        ),
        (
            "hwirq",
            b"CPU0\n 1: 5 AIC2 4294967296 Level x\n",
            "line 2: AIC2 4294967296 is no number",
        ),
        (
            "sum",
            sum.as_bytes(),
            "line 2: the counts add up to more than",
        ),
        (
            "column",
            column.as_bytes(),
            "line 3: the counts add up to more than",
        ),
    ] {
        let file = folder.file("bad", bytes);
        let output = aicprobe(&["irqs", &file]);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{name}: {text}");
        assert!(text.contains(says), "{name}: {text}");
        assert_eq!(
            (common::remarks(&text), stdout(&output)),
            (1, String::new()),
            "{name}: {text}"
        );
    }
    // A file that says it is 1 GiB takes no room: it has a hole.
    let path = format!("{}/huge", folder.path());
    let huge = std::fs::File::create(&path).expect("a file");
    huge.set_len(1 << 30).expect("a hole");
    for (file, says) in [
        (path, "it is too large: allowed are up to 8388608 bytes"),
        (folder.path(), "it is a folder"),
        ("no/such/file".to_owned(), "no/such/file"),
    ] {
        let output = aicprobe(&["irqs", &file]);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(says), "{text}");
    }
    let file = folder.file("good", TODAY.as_bytes());
    let output = aicprobe(&["irqs", &file, "--adt", &file]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
}

#[test]
fn real_listings_give_their_figures() {
    let read = |name| {
        let file = case_of("logs", name)?;
        let output = aicprobe(&["irqs", "--format", "json", &file]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        Some(serde_json::from_slice::<Value>(&output.stdout).expect("JSON"))
    };
    let of_kind = |json: &Value, kind: &str| {
        let rows = json["rows"].as_array().expect("rows");
        rows.iter().filter(|r| r["kind"] == kind).count()
    };
    if let Some(json) = read("t8112-proc-interrupts.txt") {
        assert_eq!(of_kind(&json, "aic-line"), 24);
        assert_eq!(of_kind(&json, "fiq"), 3);
        assert_eq!(of_kind(&json, "other-controller"), 11);
        assert_eq!(row(&json, "37")["line"], "0:712");
        assert_eq!(row(&json, "55")["line"], "0:1035");
        let nvme = row(&json, "51");
        assert_eq!(
            (&nvme["line"], &nvme["total"]),
            (&"0:724".into(), &400_690.into())
        );
        assert_eq!(json["not_taking"], serde_json::json!([]));
    }
    if let Some(json) = read("pearl-issue31-t8103-proc-interrupts.txt") {
        assert_eq!(of_kind(&json, "aic-plain-line"), 5);
        assert_eq!(row(&json, "38")["line"], "0:627");
        assert_eq!(json["taking"], serde_json::json!([0]));
    }
}
