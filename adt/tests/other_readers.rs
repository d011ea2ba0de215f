// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the builder makes, read by readers that share nothing with it: one below, written from the layout alone, and that
//! of m1n1's Python client.
//!
//! The latter is not part of this repository: `AICPROBE_M1N1_PROXYCLIENT` names the folder that holds its package `m1n1`,
//! `AICPROBE_PYTHON` an interpreter with construct (`python3` without it).

mod common;

use adt::{Adt, Node, NodeBuilder};
use common::{case, rich};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// One line per node and per property, as every reader here gives it: depth, name, size word, value.
fn line(text: &mut String, depth: usize, name: &str, placeholder: bool, value: &[u8]) {
    let _ = write!(text, "{depth} {name} {} ", u8::from(placeholder));
    for byte in value {
        let _ = write!(text, "{byte:02x}");
    }
    text.push('\n');
}

fn by_the_reader(node: Node<'_>, text: &mut String) {
    for node in node.descendants() {
        let _ = writeln!(text, "{} node {}", node.depth(), node.child_count());
        for p in node.properties() {
            line(text, node.depth(), p.name, p.placeholder, p.value);
        }
    }
}

/// Recursive and trusting, for trees known to be good. Returns what is left.
fn by_another_reader<'b>(mut bytes: &'b [u8], depth: usize, text: &mut String) -> &'b [u8] {
    let mut take = |size: usize| {
        let (taken, rest) = bytes.split_at(size);
        bytes = rest;
        taken
    };
    let number = |raw: &[u8]| {
        raw.iter()
            .rev()
            .fold(0, |n, byte| n << 8 | usize::from(*byte))
    };
    let (properties, children) = (number(take(4)), number(take(4)));
    let _ = writeln!(text, "{depth} node {children}");
    for _ in 0..properties {
        let name = String::from_utf8_lossy(take(32)).into_owned();
        let word = number(take(4));
        let size = word % (1 << 31);
        let value = take(size);
        take((4 - size % 4) % 4);
        line(
            text,
            depth,
            name.trim_end_matches('\0'),
            word >> 31 == 1,
            value,
        );
    }
    for _ in 0..children {
        bytes = by_another_reader(bytes, depth + 1, text);
    }
    bytes
}

/// The trees to compare: a synthetic one of every shape, and the real ones at hand, taken apart and built again.
fn trees() -> Vec<(String, Vec<u8>)> {
    let mut trees = vec![("rich".to_string(), rich().build().expect("builds"))];
    for name in common::CASES {
        let Some(blob) = case(name) else { continue };
        let tree = Adt::new(&blob).expect("a real tree");
        let built = NodeBuilder::from_node(&tree.root()).build();
        trees.push((name.to_string(), built.expect("builds")));
    }
    trees
}

#[test]
fn a_reader_written_from_the_layout_agrees() {
    for (name, blob) in trees() {
        let tree = Adt::new(&blob).expect("a tree");
        let (mut ours, mut theirs) = (String::new(), String::new());
        by_the_reader(tree.root(), &mut ours);
        let rest = by_another_reader(&blob, 0, &mut theirs);
        assert!(ours == theirs, "{name}");
        assert_eq!(blob.len() - rest.len(), tree.size(), "{name}");
    }
}

#[test]
fn the_reader_of_m1n1s_client_agrees() {
    let Some(folder) = std::env::var_os("AICPROBE_M1N1_PROXYCLIENT") else {
        println!("skipped: AICPROBE_M1N1_PROXYCLIENT names no folder of the stock client");
        return;
    };
    let python = std::env::var_os("AICPROBE_PYTHON").unwrap_or("python3".into());
    for (name, blob) in trees() {
        let tree = Adt::new(&blob).expect("a tree");
        let mut ours = String::new();
        by_the_reader(tree.root(), &mut ours);
        // How the client takes values apart and translates addresses is tried on the tree that has only usual ones.
        let typed = name == "rich";
        if typed {
            let cells = |bus: Node<'_>| (bus.u32("#address-cells"), bus.u32("#size-cells"));
            for node in tree.nodes() {
                if node.parent().map(cells) == Some((Some(2), Some(2))) {
                    for reg in node.regs() {
                        let _ = writeln!(ours, "reg {:#x} {:#x}", reg.phys, reg.size);
                    }
                }
            }
        }
        let mut run = Command::new(&python)
            .arg(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/tests/other_reader.py"
            ))
            .arg(if typed { "typed" } else { "plain" })
            .env("PYTHONPATH", &folder)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the interpreter starts");
        let mut input = run.stdin.take().expect("piped");
        let writer = std::thread::spawn(move || input.write_all(&blob));
        let output = run.wait_with_output().expect("it ends");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {error}");
        writer.join().expect("no panic").expect("all is taken");
        let theirs = String::from_utf8_lossy(&output.stdout);
        let differs = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
        assert_eq!(differs, None, "{name}");
        assert_eq!(ours.lines().count(), theirs.lines().count(), "{name}");
    }
}
