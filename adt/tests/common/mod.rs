// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tests share.
#![allow(dead_code, reason = "every test file uses a part of it")]

use adt::{Adt, Node, NodeBuilder};
use std::path::PathBuf;

/// The trees of real machines that may be at hand.
pub const CASES: [&str; 5] = [
    "t6020-j474s.adt",
    "t8132-j773g.rebuilt.adt",
    "t8103-macbookair.template.adt",
    "t7000-n61.rebuilt.adt",
    "virtualmac.template.adt",
];

/// The bytes of a captured tree, or `None` with the reason printed. `AICPROBE_CASES` names the folder that holds `adt/`.
pub fn case(name: &str) -> Option<Vec<u8>> {
    let folder = std::env::var_os("AICPROBE_CASES").map_or_else(
        || {
            [env!("CARGO_MANIFEST_DIR"), "..", "..", "shared", "cases"]
                .iter()
                .collect()
        },
        PathBuf::from,
    );
    match std::fs::read(folder.join("adt").join(name)) {
        Ok(blob) => Some(blob),
        Err(error) => {
            println!("skipped: {name} is not at hand ({error})");
            None
        }
    }
}

/// A tree of the shapes that real ones have: two levels of buses, several parents, placeholders, doubled names, nodes
/// without phandle or cells, odd sizes.
pub fn rich() -> NodeBuilder {
    let bus = |name: &str| {
        NodeBuilder::new(name)
            .prop_u32("#address-cells", 2)
            .prop_u32("#size-cells", 2)
    };
    bus("device-tree")
        .prop_str("target-type", "J700")
        .prop_str("panel-serial", "syscfg/PaSN")
        .placeholder("panel-serial")
        .child(
            NodeBuilder::new("cpus")
                .prop_u32("#address-cells", 1)
                .prop_u32("#size-cells", 0)
                .child(NodeBuilder::new("cpu0").prop_u32("reg", 0))
                .child(NodeBuilder::new("cpu6").prop_u32("reg", 0x100)),
        )
        .child(
            bus("arm-io")
                .prop_u64s("ranges", &[0, 0x2_0000_0000, 0x4_8000_0000])
                .prop_u32("interrupt-parent", 1)
                .child(
                    NodeBuilder::new("aic")
                        .prop_u32("AAPL,phandle", 1)
                        .prop_u32("#interrupt-cells", 1)
                        .prop_strs("compatible", &["aic,3"])
                        .prop_u64("aic-iack-offset", 0x4_0000)
                        .prop_u64s("reg", &[0x3_0240_0000, 0x1c_c000]),
                )
                .child(
                    NodeBuilder::new("smc")
                        .prop_u32("AAPL,phandle", 2)
                        .prop_u32("#interrupt-cells", 2)
                        .prop_u32s("interrupts", &[5, 6, 7]),
                )
                .child(
                    NodeBuilder::new("spmi")
                        .prop_u32("AAPL,phandle", 3)
                        .prop_u32("#interrupt-cells", 1)
                        .prop_u32s("interrupt-parent", &[3, 1, 2, 3])
                        .prop_u32s("interrupts", &[10, 635, 0x7030_5452, 1, 11, 12]),
                )
                .child(NodeBuilder::new("nco").prop_u32s("reg", &[1, 0, 2, 0]))
                .child(NodeBuilder::new("nco").prop_u32s("reg", &[3, 0, 4, 0]))
                .child(
                    NodeBuilder::new("bridge@9000")
                        .prop_u32("#address-cells", 1)
                        .prop_u32("#size-cells", 1)
                        .prop_u32s("ranges", &[0x100, 0x9000, 0, 0x100])
                        .child(NodeBuilder::new("leaf").prop_u32s("reg", &[0x120, 8])),
                )
                .child(
                    NodeBuilder::new("dptx").child(
                        NodeBuilder::new("core")
                            .prop_u32s("reg", &[0x10, 0, 0x20])
                            .prop_bytes("odd", &[1, 2, 3, 4, 5]),
                    ),
                ),
        )
        .child(NodeBuilder::new("chosen").prop_u32("chip-id", 0x8140))
}

/// Looks once at every value of a tree, as a listing of all of it would.
pub fn skim(blob: &[u8]) -> bool {
    let Ok(tree) = Adt::new(blob) else {
        return false;
    };
    let controllers = tree.controllers();
    let mut words = 0;
    for node in tree.nodes() {
        words += node.properties().map(|p| p.value.len()).sum::<usize>();
        let (regs, interrupts) = (node.u32s("reg").len(), node.u32s("interrupts").len());
        assert!(node.regs().take(regs + 1).count() <= regs);
        let found = node.interrupts_in(&controllers).take(interrupts + 1);
        assert!(found.filter_map(|i| i.number()).count() <= interrupts);
    }
    assert!(words <= blob.len());
    true
}

/// Looks at everything in a tree in every way, and checks what must hold of any tree that was accepted.
pub fn visit(blob: &[u8]) {
    let Ok(tree) = Adt::new(blob) else { return };
    assert!(tree.size() <= blob.len());
    let controllers = tree.controllers();
    let mut count = 0;
    let mut last = None;
    for node in tree.nodes() {
        count += 1;
        assert!(
            last.is_none_or(|last| last < node.offset()),
            "nodes come in the order of their offsets"
        );
        last = Some(node.offset());
        visit_node(&tree, node);
        let indexed: Vec<_> = node.interrupts_in(&controllers).collect();
        assert_eq!(indexed, node.interrupts().collect::<Vec<_>>());
    }
    assert_eq!(count, tree.node_count());
    assert!(tree.node("/arm-io/aic").is_none_or(|aic| aic.depth() == 2));
}

fn visit_node(tree: &Adt<'_>, node: Node<'_>) {
    assert_eq!(node.children().count() as u32, node.child_count());
    for child in node.children() {
        assert_eq!(child.parent(), Some(node));
        assert_eq!(child.depth(), node.depth() + 1);
    }
    assert_eq!(node.ancestors().count(), node.depth());
    assert!(
        node.ancestors()
            .last()
            .is_none_or(|root| root == tree.root())
    );
    for property in node.properties() {
        let _ = (
            property.u32(),
            property.u64(),
            property.uint(),
            property.str(),
        );
        assert!(property.strings().count() <= property.value.len());
        assert_eq!(property.u32s().count(), property.value.len() / 4);
        assert_eq!(property.u64s().count(), property.value.len() / 8);
    }
    // One too many shows an iterator that would never end.
    let (regs, interrupts) = (node.u32s("reg").len(), node.u32s("interrupts").len());
    assert!(node.regs().take(regs + 1).count() <= regs);
    assert!(node.interrupts().take(interrupts + 1).count() <= interrupts);
    for interrupt in node.interrupts() {
        assert!(interrupt.cells().count() >= 1);
        assert!(interrupt.parent_index <= interrupt.index);
    }
    // A path leads to the first node that has it.
    let path = node.path().to_string();
    let found = tree.node(&path);
    let ambiguous = path.contains("//") || node.name().contains('/') || node.name().is_empty();
    // A node below the second of two siblings of one name has a path that leads to the first, or nowhere.
    let second = node.ancestors().any(|a| {
        let leads_to = tree.node(&a.path().to_string());
        leads_to.is_none_or(|first| first.offset() != a.offset())
    });
    assert!(
        ambiguous
            || second
            || node.ancestors().any(|a| a.name().contains('/'))
            || found.is_some_and(|f| f.offset() <= node.offset()),
        "{path}"
    );
    let _ = (
        format!("{node:?}"),
        node.phandle(),
        node.compatible().count(),
    );
}
