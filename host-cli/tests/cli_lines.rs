//! `aicprobe lines`, and lines named for `route`.

mod common;

use common::trees::{Folder, case, synthetic};
use common::{aicprobe, stderr, stdout};
use serde_json::Value;

fn report(args: &[&str]) -> Value {
    let mut all = vec!["lines", "--format", "json"];
    all.extend(args);
    let output = aicprobe(&all);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{args:?}: {}",
        stderr(&output)
    );
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["schema"], "aicprobe.lines/1");
    json
}

fn numbers(json: &Value) -> Vec<u64> {
    json.as_array()
        .expect("a list")
        .iter()
        .map(|n| n.as_u64().expect("a number"))
        .collect()
}

/// Whether a line may be fired by what `args` tell, and why not.
fn verdict(args: &[&str], line: u32) -> (Option<i32>, String) {
    let line = line.to_string();
    let mut all = vec!["-q", "lines", "--line", &line];
    all.extend(args);
    let output = aicprobe(&all);
    (output.status.code(), stderr(&output))
}

#[test]
fn a_file_tells_what_is_owned_and_what_is_spare() {
    let folder = Folder::new();
    let file = folder.file("tree.adt", &synthetic(2).build().unwrap());
    let json = report(&["--adt", &file, "--nr-irq", "1961"]);
    assert_eq!(
        (&json["nr_irq"], &json["max_irq"]),
        (&1961.into(), &4096.into())
    );
    let counts = &json["counts"];
    assert_eq!(
        (&counts["named"], &counts["highest"]),
        (&4.into(), &719.into())
    );
    assert_eq!(numbers(&counts["behind_another"]), [354]);
    let owned: Vec<u64> = json["owned"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| o["line"].as_u64().unwrap())
        .collect();
    assert_eq!(owned, [0, 40, 354, 719]);
    let owner = &json["owned"][2]["owners"][0];
    assert_eq!(
        (&owner["node"], &owner["parent"]),
        (&"/arm-io/nub-spmi@1000".into(), &1.into())
    );
    assert_eq!(
        (&json["msi"][0]["first"], &json["msi"][0]["count"]),
        (&800.into(), &32.into())
    );
    assert_eq!(
        (&json["routed"][0]["line"], &json["routed"][0]["target"]),
        (&353.into(), &4.into())
    );
    // The largest gap is 832 to 1960, its middle 1396.
    assert_eq!(json["spare"][0]["number"], 1396);
    assert_eq!(
        (&json["gaps"][0]["first"], &json["gaps"][0]["last"]),
        (&832.into(), &1960.into())
    );
    assert!(json["suspicious"].is_null(), "nobody looked");
    assert_eq!(json["source"]["base"], "0x28e100000");
    assert_eq!(json["source"]["bus"], "0x8e100000");
    assert!(
        json["marks"].as_array().unwrap().is_empty(),
        "{}",
        json["marks"]
    );

    // Without --nr-irq only what the tree shows to exist is believed to.
    let json = report(&["--adt", &file]);
    assert_eq!(json["nr_irq"], 832);
    let text = json["marks"][0]["text"].as_str().unwrap();
    assert!(text.contains("--nr-irq N"), "{text}");
    let last = json["gaps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|g| g["last"].as_u64().unwrap())
        .max();
    assert_eq!(last, Some(799));
}

#[test]
fn every_line_that_fails_a_test_is_refused_with_the_reason() {
    let folder = Folder::new();
    let file = folder.file("tree.adt", &synthetic(2).build().unwrap());
    let args = ["--adt", &file, "--nr-irq", "1961"];
    for (line, code, says) in [
        (1396, 0, ""),
        (354, 7, "/arm-io/nub-spmi@1000 names it"),
        (719, 7, "/arm-io/wdt names it"),
        (815, 7, "the MSI range 800-831 of /arm-io/apcie"),
        (353, 7, "routes it to target 4"),
        (0, 2, "line 0 is a filler"),
        (1961, 2, "allowed are 1 to 1960 on die 0"),
    ] {
        let (got, text) = verdict(&args, line);
        assert_eq!(got, Some(code), "{line}: {text}");
        assert!(
            text.contains(says) && (code == 0) == text.is_empty(),
            "{line}: {text}"
        );
    }
}

#[test]
fn every_line_asked_for_is_answered_in_the_result() {
    let folder = Folder::new();
    let file = folder.file("tree.adt", &synthetic(2).build().unwrap());
    let mut args = vec!["-q", "lines", "--adt", &file, "--nr-irq", "1961"];
    args.extend(["--line", "1396", "--line", "719", "--line", "353"]);
    let output = aicprobe(&args);
    assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
    let text = stdout(&output);
    for part in [
        "\n0:1396  spare\n",
        "\n0:719  refused: in use: /arm-io/wdt names it\n",
        "\n0:353  refused: in use: the firmware routes it to target 4",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    args.extend(["--format", "json"]);
    let json: Value = serde_json::from_str(&stdout(&aicprobe(&args))).expect("JSON");
    let asked = json["asked"].as_array().expect("a list");
    let answers: Vec<_> = asked
        .iter()
        .map(|a| {
            (
                a["number"].as_u64().unwrap(),
                a["spare"].as_bool().unwrap(),
                a["tests"].to_string(),
            )
        })
        .collect();
    assert_eq!(
        answers,
        [
            (1396, true, "[]".to_owned()),
            (719, false, "[\"owned\"]".to_owned()),
            (353, false, "[\"ext-intr-cfg\"]".to_owned()),
        ]
    );
}

/// Levels and set bits of a die mean nothing where its banks are somewhere else.
#[test]
fn no_line_is_judged_by_registers_that_are_not_where_they_should_be() {
    let folder = Folder::new();
    let text = "extends = \"t8132\"\n[aic]\ndies = 2\nbanks = 2\n[adt]\ncfg_stride = 0x5000\nset_stride = 0x5000\nclear_stride = 0x5000\nhw_state_stride = 0x5000\n";
    let target = format!("vm:{}", folder.file("strides.toml", text.as_bytes()));
    for command in [&["lines"][..], &["route", "--dry-run", "--line", "1:900"]] {
        let mut args = command.to_vec();
        args.extend(["-q", "--target", &target]);
        let output = aicprobe(&args);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(3), "{command:?}: {text}");
        assert!(
            text.contains("not laid out as the device tree says")
                && text.contains("SW_SET and SW_CLR of die 1"),
            "{command:?}: {text}"
        );
        assert_eq!(stdout(&output), "", "{command:?}");
    }
}

#[test]
fn the_table_has_all_its_parts() {
    let folder = Folder::new();
    let file = folder.file("tree.adt", &synthetic(2).build().unwrap());
    let output = aicprobe(&["lines", "--adt", &file, "--nr-irq", "1961"]);
    let text = stdout(&output);
    for part in [
        "T6020, board J474s",
        "AICv2 at 0x28e100000 (bus address 0x8e100000): NR_IRQ 1961 (--nr-irq)",
        "4 lines named in interrupts, highest 719",
        "named only behind another controller's phandle: 354",
        "354    /arm-io/nub-spmi@1000[1]  (interrupt-parent[1])",
        "40     /arm-io/smc[0]  (inherited)",
        "800-831  32 lines  /arm-io/apcie",
        "353  target 4",
        "0:832-1960     1129 lines",
        "suspicious lines: not looked for",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn trees_of_the_first_generation_tell_how_many_lines_there_are() {
    let folder = Folder::new();
    let mut tree = synthetic(1);
    let io = tree.child_mut("arm-io").unwrap();
    let aic = io.child_mut("aic").unwrap();
    *aic = aic
        .clone()
        .without("aic-ext-intr-cfg")
        .prop_bytes("ipid-mask", &[0xff; 112])
        .prop_u64s("reg", &[0xe10_0000, 0x1000]);
    *io = io
        .clone()
        .child(adt::NodeBuilder::new("pseudo").prop_u32s("interrupts", &[896, 897]));
    let file = folder.file("tree.adt", &tree.build().unwrap());
    let json = report(&["--adt", &file]);
    assert_eq!(
        (&json["source"]["generation"], &json["nr_irq"]),
        (&1.into(), &896.into())
    );
    assert_eq!(json["max_irq"], 1024);
    assert_eq!(numbers(&json["counts"]["outside"]), [896, 897]);
    let marks = json["marks"].to_string();
    assert!(marks.contains("EVENT lies outside"), "{marks}");
}

#[test]
fn a_target_is_looked_at_and_left_alone() {
    let json = report(&["--target", "vm:t8140"]);
    assert_eq!(
        (&json["nr_irq"], &json["counts"]["named"]),
        (&1504.into(), &55.into())
    );
    assert_eq!(json["suspicious"].as_array().map(Vec::len), Some(0));
    assert_eq!(
        (&json["looked"]["ms"], &json["looked"]["looks"]),
        (&200.0.into(), &21.into())
    );
    assert_eq!(json["looked"]["owned_low"], 55);
    assert_eq!(json["marks"][0]["kind"], "model only");
    let again = report(&["--target", "vm:t8140"]);
    assert_eq!(json, again, "the same seed gives the same bytes");

    let folder = Folder::new();
    let text = "extends = \"t8140\"\n[aic]\nhigh = [{ number = 131 }, { number = 507 }]\nleft_set = [{ number = 132 }]\n";
    let target = format!("vm:{}", folder.file("high.toml", text.as_bytes()));
    let json = report(&["--target", &target, "--watch", "20"]);
    let found = json["suspicious"].as_array().unwrap();
    assert_eq!(found.len(), 1, "507 is a device's: {found:?}");
    assert_eq!(
        (&found[0]["number"], &found[0]["level"]),
        (&131.into(), &"high".into())
    );
    assert_eq!(json["looked"]["owned_high"], 1);
    let spare = &json["spare"];
    assert_eq!(spare[0]["number"], 131);
    assert!(
        spare[0]["failed"][0].as_str().unwrap().contains("high"),
        "{spare}"
    );
    assert!(
        spare[1]["failed"][0]
            .as_str()
            .unwrap()
            .contains("set by software"),
        "{spare}"
    );
    assert_eq!(spare[2]["failed"], Value::Array(Vec::new()));
    let (code, text) = verdict(&["--target", &target], 131);
    assert_eq!(code, Some(7), "{text}");
    assert!(
        text.contains("it is high") && text.contains("--force-line fires it all the same"),
        "{text}"
    );
}

#[test]
fn targets_of_every_generation_and_of_two_dies() {
    for (soc, generation, dies) in [("t8103", 1, 1), ("t6002", 2, 2), ("t6030", 3, 1)] {
        let json = report(&["--target", &format!("vm:{soc}"), "--watch", "10"]);
        assert_eq!(json["source"]["generation"], generation, "{soc}");
        assert_eq!(json["dies"], dies, "{soc}");
        let spare = json["spare"].as_array().unwrap();
        for die in 0..dies {
            assert!(spare.iter().any(|s| s["die"] == die), "{soc}: die {die}");
        }
        // What is low, clear and routed nowhere passes on every generation.
        let passes = |s: &Value| s["failed"] == Value::Array(Vec::new());
        assert!(spare.iter().all(passes), "{soc}: {spare:?}");
    }
}

/// `route --dry-run` shows what would be fired.
fn route(args: &[&str]) -> (Option<i32>, String) {
    let mut all = vec!["-q", "route", "--dry-run"];
    all.extend(args);
    let output = aicprobe(&all);
    (output.status.code(), stdout(&output) + &stderr(&output))
}

#[test]
fn a_line_in_use_is_fired_only_by_force() {
    let (code, text) = route(&["--line", "507"]);
    assert_eq!(code, Some(7), "{text}");
    assert!(
        text.contains("/arm-io/wdt names it; --force-line fires it all the same"),
        "{text}"
    );
    let (code, text) = route(&["--line", "507", "--force-line"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("line 0:507"), "{text}");
    let (code, text) = route(&["--line", "1504", "--force-line"]);
    assert_eq!(code, Some(2), "{text}");
    let (code, text) = route(&["--force-line"]);
    assert_eq!(code, Some(2), "force goes with a line: {text}");
}

#[test]
fn bad_input_is_one_error() {
    let folder = Folder::new();
    let no_aic = adt::NodeBuilder::new("device-tree").child(adt::NodeBuilder::new("arm-io"));
    let no_aic = folder.file("no-aic", &no_aic.build().unwrap());
    let good = folder.file("good", &synthetic(2).build().unwrap());
    let text = folder.file("text", b"nothing of the kind");
    for (args, code, says) in [
        (&["--adt", &no_aic][..], 3, "no /arm-io/aic"),
        (&["--adt", &text], 3, "--adt "),
        (&["--adt", "no/such/file"], 2, "no/such/file"),
        (&["--adt", &good, "--nr-irq", "5000"], 2, "5000"),
        (&["--nr-irq", "100"], 2, "--nr-irq"),
        (&["--target", "vm:none"], 3, "vm:none"),
        (&["--watch", "0"], 2, "--watch"),
        (&["--adt", &good, "--line", "many"], 2, "many"),
    ] {
        let mut all = vec!["lines"];
        all.extend(args);
        let output = aicprobe(&all);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
        assert!(text.contains(says), "{args:?}: {text}");
        assert_eq!(stdout(&output), "");
    }
}

struct Case {
    file: &'static str,
    nr_irq: u32,
    named: u64,
    highest: u64,
    msi: &'static [(u64, u64)],
    behind: &'static [u64],
    routed: &'static [(u64, u64)],
    outside: &'static [u64],
}

/// Figures of real trees, taken from them with another parser.
const CASES: [Case; 4] = [
    Case {
        file: "t6020-j474s.adt",
        nr_irq: 1961,
        named: 461,
        highest: 1832,
        msi: &[(1672, 32), (1833, 32), (1865, 32), (1897, 32), (1929, 32)],
        behind: &[354, 356, 358, 635, 644, 724, 728],
        routed: &[(353, 4), (355, 4), (357, 4), (1335, 3)],
        outside: &[],
    },
    Case {
        file: "t8132-j773g.rebuilt.adt",
        nr_irq: 2048,
        named: 385,
        highest: 1505,
        msi: &[(1506, 96), (1506, 512)],
        behind: &[461, 513, 518, 520],
        routed: &[],
        outside: &[],
    },
    Case {
        file: "t8103-macbookair.template.adt",
        nr_irq: 896,
        named: 259,
        highest: 895,
        msi: &[(704, 32), (738, 32), (818, 32)],
        behind: &[319, 343, 353],
        routed: &[],
        outside: &[],
    },
    Case {
        file: "t7000-n61.rebuilt.adt",
        nr_irq: 256,
        named: 101,
        highest: 259,
        msi: &[(224, 32)],
        behind: &[],
        routed: &[],
        outside: &[256, 257, 258, 259],
    },
];

#[test]
fn real_trees_give_their_figures() {
    for case_of in &CASES {
        let Some(file) = case(case_of.file) else {
            continue;
        };
        let nr_irq = case_of.nr_irq.to_string();
        let json = report(&["--adt", &file, "--nr-irq", &nr_irq]);
        let name = case_of.file;
        let counts = &json["counts"];
        assert_eq!(
            (&counts["named"], &counts["highest"]),
            (&case_of.named.into(), &case_of.highest.into()),
            "{name}"
        );
        assert_eq!(numbers(&counts["behind_another"]), case_of.behind, "{name}");
        assert_eq!(numbers(&counts["outside"]), case_of.outside, "{name}");
        let pairs = |list: &Value, a: &str, b: &str| -> Vec<(u64, u64)> {
            let mut pairs: Vec<_> = list
                .as_array()
                .unwrap()
                .iter()
                .map(|v| (v[a].as_u64().unwrap(), v[b].as_u64().unwrap()))
                .collect();
            pairs.sort_unstable();
            pairs
        };
        assert_eq!(pairs(&json["msi"], "first", "count"), case_of.msi, "{name}");
        assert_eq!(
            pairs(&json["routed"], "line", "target"),
            case_of.routed,
            "{name}"
        );
        // Nothing named, reserved or routed is among the spare ones.
        for spare in json["spare"].as_array().unwrap() {
            let n = spare["number"].as_u64().unwrap();
            let msi = case_of
                .msi
                .iter()
                .any(|(first, count)| (*first..first + count).contains(&n));
            let owned = json["owned"]
                .as_array()
                .unwrap()
                .iter()
                .any(|o| o["line"] == n);
            assert!(
                !msi && !owned && n > 0 && n < u64::from(case_of.nr_irq),
                "{name}: {n}"
            );
        }
    }
}

#[test]
fn lines_that_people_took_for_spare_on_a_t6020() {
    let Some(file) = case("t6020-j474s.adt") else {
        return;
    };
    let args = ["--adt", &file, "--nr-irq", "1961"];
    assert_eq!(verdict(&args, 1800), (Some(0), String::new()));
    for line in (1913..=1960)
        .step_by(47)
        .chain([1936, 354, 356, 358, 635, 644, 724, 728, 353, 1335])
    {
        let (code, text) = verdict(&args, line);
        assert_eq!(code, Some(7), "{line}: {text}");
    }
    // All of the window at once, by the gaps.
    let json = report(&args);
    for gap in json["gaps"].as_array().unwrap() {
        assert!(gap["last"].as_u64().unwrap() < 1913, "{gap}");
    }
}

#[test]
fn a_virtual_mac_has_no_controller() {
    let Some(file) = case("virtualmac.template.adt") else {
        return;
    };
    let output = aicprobe(&["lines", "--adt", &file]);
    assert_eq!(output.status.code(), Some(3));
    let text = "aicprobe: the device tree has no /arm-io/aic (no Apple interrupt controller)";
    assert_eq!(stderr(&output).lines().next(), Some(text));
}
