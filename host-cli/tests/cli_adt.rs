//! `aicprobe adt`.

mod common;

use common::trees::{Folder, case, synthetic};
use common::{aicprobe, stderr, stdout};
use serde_json::Value;

fn good(args: &[&str]) -> String {
    let output = aicprobe(args);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{args:?}: {}",
        stderr(&output)
    );
    stdout(&output)
}

#[track_caller]
fn refused(args: &[&str], code: i32, says: &[&str]) {
    let output = aicprobe(args);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    assert_eq!(stdout(&output), "", "standard output is for results only");
    assert_eq!(common::remarks(&text), 1, "one error: {text}");
    for part in says {
        assert!(
            text.contains(part),
            "{args:?} should say \"{part}\": {text}"
        );
    }
}

#[test]
fn a_tree_is_printed_with_what_its_values_most_likely_mean() {
    let folder = Folder::new();
    let blob = synthetic(2).build_exact().unwrap();
    let file = folder.file("tree.adt", &blob);
    let text = good(&["adt", &file]);
    for part in [
        "9 nodes",
        "\n/arm-io/nub-spmi@1000\n",
        "target-type                     \"J474s\"",
        "\"syscfg/SrNm\"  (placeholder for the boot loader)",
        "noise                           5 bytes\n    000000  01 02 03 04 05\n",
        "aic-iack-offset                 0xc000",
        "reg                             0x8e100000 0x50000",
        "000000  61 01 04",
        "interrupt-parent                3 1 2",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(
        text.matches("\n/arm-io/nco\n").count(),
        2,
        "both of one path"
    );

    // Zeros before and behind, as in a dump of memory.
    let padded = [&[0; 4096][..], &blob, &[0; 100]].concat();
    let padded = folder.file("padded.adt", &padded);
    let text = good(&["adt", &padded, "/arm-io/wdt"]);
    let first = text.lines().next().unwrap();
    assert!(
        first.contains("after 4096 zero bytes") && first.ends_with("100 zero bytes behind"),
        "{first}"
    );
    let more = folder.file("more.adt", &[&blob, &b"more"[..]].concat());
    assert!(good(&["adt", &more]).contains("4 bytes of something else behind"));
}

#[test]
fn addresses_are_shown_as_the_tree_states_them_and_as_a_cpu_uses_them() {
    let folder = Folder::new();
    let file = folder.file("tree.adt", &synthetic(2).build_exact().unwrap());
    let text = good(&["adt", &file, "/arm-io/aic", "--reg"]);
    let expected = "\n/arm-io/aic\n  reg[0]  bus 0x8e100000  physical 0x28e100000  size 0x50000\n";
    assert!(text.ends_with(expected), "{text}");
    let text = good(&["adt", &file, "/arm-io/nco", "--reg"]);
    assert_eq!(
        text.matches("reg[0]").count(),
        2,
        "both of one path: {text}"
    );
}

#[test]
fn interrupts_are_shown_with_their_controllers() {
    let folder = Folder::new();
    let file = folder.file("tree.adt", &synthetic(2).build_exact().unwrap());
    let text = good(&["adt", &file, "/arm-io/nub-spmi", "--interrupts"]);
    let expected = "\n/arm-io/nub-spmi@1000\
        \n  interrupts[0]  256  of /arm-io/nub-spmi@1000\
        \n  interrupts[1]  354  of /arm-io/aic  (interrupt-parent[1])\
        \n  interrupts[2]  0x70305452 1  of /arm-io/smc  (interrupt-parent[2])\n";
    assert!(text.ends_with(expected), "{text}");
    let json = good(&["adt", &file, "--interrupts", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["schema"], "aicprobe.adt/1");
    let nodes = json["nodes"].as_array().unwrap();
    let paths: Vec<&str> = nodes.iter().map(|n| n["path"].as_str().unwrap()).collect();
    assert_eq!(
        paths,
        ["/arm-io/smc", "/arm-io/nub-spmi@1000", "/arm-io/wdt"]
    );
    let wdt = &nodes[2]["interrupts"][0];
    assert_eq!(
        (&wdt["cells"][0], &wdt["inherited"]),
        (&719.into(), &true.into())
    );
    assert_eq!(wdt["controller"], "/arm-io/aic");
}

#[test]
fn one_property_is_shown_whole() {
    let folder = Folder::new();
    let tree = synthetic(2).prop_bytes("long", &[0xab; 1001]);
    let file = folder.file("tree.adt", &tree.build_exact().unwrap());
    let text = good(&["adt", &file, "/", "--property", "long"]);
    assert_eq!(text.matches("ab").count(), 1001, "{text}");
    assert!(good(&["adt", &file, "/"]).contains("(937 bytes more)"));
    let json = good(&["adt", &file, "/", "--format", "json", "--property", "long"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let property = &json["nodes"][0]["properties"][0];
    assert_eq!(
        (&property["type"], &property["size"]),
        (&"bytes".into(), &1001.into())
    );
    assert_eq!(property["value"].as_str().unwrap().len(), 2002);
    // Without a path: of every node that has it.
    assert_eq!(
        good(&["adt", &file, "--property", "reg"])
            .matches("\n/arm-io/")
            .count(),
        3
    );
}

#[test]
fn bad_files_are_one_error() {
    let folder = Folder::new();
    let blob = synthetic(2).build_exact().unwrap();
    refused(&["adt", &folder.path()], 2, &["it is a folder"]);
    refused(&["adt", "no/such/file"], 2, &["no/such/file: "]);
    let empty = folder.file("empty", b"");
    refused(&["adt", &empty], 3, &["no device tree in it", "0 bytes"]);
    let zeros = folder.file("zeros", &[0; 4096]);
    refused(&["adt", &zeros], 3, &["4096 bytes, all zero"]);
    let half = folder.file("half", &blob[..blob.len() / 2]);
    refused(&["adt", &half], 3, &["at byte 0x", "the data ends inside"]);
    let text = folder.file(
        "text",
        b"this is no device tree, whatever it says of itself",
    );
    refused(&["adt", &text], 3, &["properties (allowed: 1 to 2048)"]);
    let image4 = folder.file(
        "image4",
        b"\x30\x83\x01\x02\x03\x16\x04IM4P\x16\x04dtre\x16\x01",
    );
    refused(&["adt", &image4], 3, &["Image4"]);
    let linux = folder.file("linux", b"\xd0\x0d\xfe\xed\x00\x00\x10\x00");
    refused(&["adt", &linux], 3, &["flattened device tree"]);
    // A gibibyte of nothing is refused before it is read.
    let path = folder.file("sparse", b"");
    let sparse = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    sparse.set_len(1 << 30).unwrap();
    refused(&["adt", &path], 2, &["too large", "8388608"]);
}

#[test]
fn what_is_not_in_the_tree_is_one_error() {
    let folder = Folder::new();
    let file = folder.file("tree.adt", &synthetic(2).build_exact().unwrap());
    refused(
        &["adt", &file, "/arm-io/nothing"],
        2,
        &["no node /arm-io/nothing", "/arm-io has aic smc"],
    );
    refused(
        &["adt", &file, "/arm-io/wdt", "--property", "reg"],
        2,
        &[
            "/arm-io/wdt has no property \"reg\"",
            "it has name interrupts",
        ],
    );
    refused(
        &["adt", &file, "--property", "nothing"],
        2,
        &["no node has it"],
    );
}

#[test]
fn names_cannot_play_with_the_terminal() {
    let folder = Folder::new();
    let evil = adt::NodeBuilder::new("evil\u{1b}[2J").prop_str("x\u{1b}c", "y\u{1b}[31m");
    let file = folder.file("evil.adt", &synthetic(2).child(evil).build_exact().unwrap());
    for args in [
        &["adt", &file][..],
        &["adt", &file, "--reg"],
        &["adt", &file, "--interrupts"],
    ] {
        assert!(!good(args).contains('\u{1b}'), "{args:?}");
    }
    let nothing = aicprobe(&["adt", &file, "/no\u{1b}thing"]);
    assert!(!stderr(&nothing).contains('\u{1b}'));
}

#[test]
fn real_trees_are_printed_whole() {
    let counts = [
        ("t6020-j474s.adt", 332, 5515),
        ("t8132-j773g.rebuilt.adt", 0, 0),
        ("t8103-macbookair.template.adt", 331, 0),
        ("t7000-n61.rebuilt.adt", 0, 0),
        ("virtualmac.template.adt", 0, 0),
    ];
    for (name, nodes, properties) in counts {
        let Some(file) = case(name) else { continue };
        let json: Value = serde_json::from_str(&good(&["adt", &file, "--format", "json"])).unwrap();
        let listed = json["nodes"].as_array().unwrap();
        assert_eq!(listed.len() as u64, json["node_count"].as_u64().unwrap());
        let of = |n: &Value| n["properties"].as_array().map_or(0, Vec::len);
        let all: usize = listed.iter().map(of).sum();
        if nodes > 0 {
            assert_eq!(listed.len(), nodes, "{name}");
        }
        if properties > 0 {
            assert_eq!(all, properties, "{name}");
        }
        assert!(good(&["adt", &file]).lines().count() > all, "{name}");
        good(&["adt", &file, "--reg", "--interrupts"]);
    }
}
