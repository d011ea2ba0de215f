// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trees of real machines, where they are at hand: public captures that are not part of this repository.

mod common;

use adt::{Adt, Node, NodeBuilder};
use common::case;
use std::collections::BTreeSet;

/// Lines of the AIC that `interrupts` name, each under its own parent.
fn lines(tree: &Adt<'_>) -> BTreeSet<u32> {
    owned_lines(tree, |_| true)
}

fn owned_lines(tree: &Adt<'_>, counts: impl Fn(usize) -> bool) -> BTreeSet<u32> {
    let aic = tree
        .node("/arm-io/aic")
        .and_then(|aic| aic.phandle())
        .expect("the tree has an AIC");
    let of = |node: Node<'_>| -> Vec<u32> {
        let own = node
            .interrupts()
            .filter(|interrupt| interrupt.parent == Some(aic) && counts(interrupt.index));
        own.filter_map(|interrupt| interrupt.number()).collect()
    };
    tree.nodes().flat_map(of).collect()
}

/// Ranges of message-signalled interrupts: first line and count.
fn msi(tree: &Adt<'_>) -> BTreeSet<(u32, u32)> {
    let of = |node: Node<'_>| Some((node.u32("msi-vector-offset")?, node.u32("#msi-vectors")?));
    tree.nodes().filter_map(of).collect()
}

/// Lines that a single-parent parser would not find: those under a phandle other than the list's first.
fn through_other_parents(tree: &Adt<'_>) -> Vec<u32> {
    let aic = tree
        .node("/arm-io/aic")
        .and_then(|aic| aic.phandle())
        .expect("the tree has an AIC");
    let mut first = BTreeSet::new();
    for node in tree.nodes() {
        if node.u32s("interrupt-parent").next() == Some(aic) {
            let own = node
                .interrupts()
                .filter(|interrupt| interrupt.parent == Some(aic));
            first.extend(own.filter_map(|interrupt| interrupt.number()));
        }
    }
    lines(tree).difference(&first).copied().collect()
}

fn boot_cpu(tree: &Adt<'_>) -> Option<String> {
    let cpus = tree.node("/cpus")?;
    cpus.children()
        .find(|cpu| cpu.str("state") == Some("running"))
        .map(|cpu| cpu.name().to_string())
}

#[test]
fn t6020_mac_mini() {
    let Some(blob) = case("t6020-j474s.adt") else {
        return;
    };
    let tree = Adt::new(&blob).expect("a real tree");
    assert_eq!((tree.node_count(), tree.size()), (332, 0x775d8));
    assert_eq!(
        tree.nodes()
            .map(|node| node.properties().count())
            .sum::<usize>(),
        5515
    );
    assert_eq!(tree.nodes().map(|node| node.depth()).max(), Some(5));
    assert!(blob[tree.size()..].iter().all(|byte| *byte == 0));

    let aic = tree.node("/arm-io/aic").expect("it has an AIC");
    let reg = aic.reg(0).expect("with a window");
    assert_eq!(
        (reg.bus, reg.phys, reg.size, reg.translated),
        (0x8e10_0000, 0x2_8e10_0000, 0x5_0000, true)
    );
    assert!(aic.is_compatible("aic,2"));
    assert_eq!(
        (aic.u64("aic-iack-offset"), aic.u32("aic-iack-offset")),
        (Some(0xc000), None)
    );
    assert_eq!(
        (aic.phandle(), aic.u32("#main-cpus")),
        (Some(0x91), Some(12))
    );
    let external: Vec<(u32, u8)> = aic
        .property("aic-ext-intr-cfg")
        .unwrap_or_default()
        .chunks_exact(3)
        .map(|entry| {
            (
                u32::from(entry[0]) | u32::from(entry[1] & 0xf) << 8,
                entry[2],
            )
        })
        .collect();
    assert_eq!(external, [(353, 4), (355, 4), (357, 4), (1335, 3)]);

    let lines = lines(&tree);
    assert_eq!((lines.len(), lines.last()), (461, Some(&1832)));
    assert_eq!(
        through_other_parents(&tree),
        [354, 356, 358, 635, 644, 724, 728]
    );
    assert_eq!(
        Vec::from_iter(msi(&tree)),
        [(1672, 32), (1833, 32), (1865, 32), (1897, 32), (1929, 32)]
    );

    assert_eq!(boot_cpu(&tree).as_deref(), Some("cpu0"));
    let ids: Vec<u32> = tree
        .node("/cpus")
        .expect("it has CPUs")
        .children()
        .filter_map(|cpu| cpu.u32("cpu-id"))
        .collect();
    assert_eq!(ids, [0, 1, 2, 3, 4, 5, 6, 8, 9, 10]);
}

#[test]
fn t8132_mac_mini() {
    let Some(blob) = case("t8132-j773g.rebuilt.adt") else {
        return;
    };
    let tree = Adt::new(&blob).expect("a real tree");
    let aic = tree.node("/arm-io/aic").expect("it has an AIC");
    let reg = aic.reg(0).expect("with a window");
    assert_eq!(
        (reg.bus, reg.phys, reg.size),
        (0x1_8100_0000, 0x3_8100_0000, 0x1c_c000)
    );
    assert!(aic.is_compatible("aic,3"));
    assert_eq!(
        (aic.u32("extint-baseaddress"), aic.u32("hwintmon-stride")),
        (Some(0x1_0000), Some(0x4a00))
    );
    let lines = lines(&tree);
    assert_eq!((lines.len(), lines.last()), (385, Some(&1505)));
    assert_eq!(through_other_parents(&tree), [461, 513, 518, 520]);
    assert_eq!(Vec::from_iter(msi(&tree)), [(1506, 96), (1506, 512)]);
    assert_eq!(boot_cpu(&tree).as_deref(), Some("cpu6"));
    assert_eq!(
        tree.nodes()
            .filter(|node| node.property("AAPL,phandle").is_none())
            .count(),
        4
    );
}

#[test]
fn t8103_template() {
    let Some(blob) = case("t8103-macbookair.template.adt") else {
        return;
    };
    let tree = Adt::new(&blob).expect("a real tree");
    let lines = lines(&tree);
    assert_eq!((lines.len(), lines.last()), (259, Some(&895)));
    assert_eq!(through_other_parents(&tree), [319, 343, 353]);
    assert_eq!(
        Vec::from_iter(msi(&tree)),
        [(704, 32), (738, 32), (818, 32)]
    );
    let aic = tree.node("/arm-io/aic").expect("it has an AIC");
    let windows: Vec<u64> = aic.regs().map(|reg| reg.phys).collect();
    assert_eq!(windows, [0x2_3b10_0000, 0x2_3b10_8000]);
    assert_eq!(aic.property("ipid-mask").map(<[u8]>::len), Some(112));
    assert!(
        tree.nodes()
            .flat_map(|node| node.properties())
            .any(|property| property.placeholder)
    );
}

#[test]
fn t7000() {
    let Some(blob) = case("t7000-n61.rebuilt.adt") else {
        return;
    };
    let tree = Adt::new(&blob).expect("a real tree");
    let lines = lines(&tree);
    assert_eq!((lines.len(), lines.last()), (101, Some(&259)));
    assert_eq!(boot_cpu(&tree).as_deref(), Some("cpu0"));
    let cpus = tree.node("/cpus").expect("it has CPUs");
    assert!(
        cpus.children()
            .all(|cpu| cpu.u32("cpu-id").is_none() && cpu.u32("reg").is_some())
    );
}

#[test]
fn a_virtual_mac_has_no_aic() {
    let Some(blob) = case("virtualmac.template.adt") else {
        return;
    };
    let tree = Adt::new(&blob).expect("a real tree");
    assert!(tree.node("/arm-io").is_some());
    assert!(tree.node("/arm-io/aic").is_none());
}

#[test]
fn every_tree_is_rebuilt_byte_for_byte() {
    for name in common::CASES {
        let Some(blob) = case(name) else { continue };
        let tree = Adt::new(&blob).expect("a real tree");
        let rebuilt = NodeBuilder::from_node(&tree.root())
            .build_exact()
            .expect("within the limits");
        assert_eq!(rebuilt.len(), tree.size(), "{name}");
        assert!(rebuilt == blob[..tree.size()], "{name} comes out different");
        // One rebuilt tree has a node whose name is empty, but none lacks the property.
        for node in tree.nodes() {
            assert!(node.find("name").is_some(), "{name}: {node:?}");
            assert!(
                node.interrupts().count() <= node.u32s("interrupts").len(),
                "{name}: {node:?}"
            );
            assert!(
                node.regs().count() <= node.u32s("reg").len(),
                "{name}: {node:?}"
            );
        }
    }
}
