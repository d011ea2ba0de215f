// SPDX-License-Identifier: MIT OR Apache-2.0
//! What going through trees made to be expensive costs, in steps.

use crate::layout::{MAX_DEPTH, MAX_RANGES};
use crate::steps::steps_of;
use crate::{Adt, NodeBuilder};
use std::format;
use std::vec::Vec;

/// Steps of a pass that looks at every value of every node, with addresses translated and interrupts resolved.
fn pass(blob: &[u8]) -> u64 {
    steps_of(|| {
        let tree = Adt::new(blob).expect("a tree");
        let controllers = tree.controllers();
        for node in tree.nodes() {
            let _ = format!("{}", node.path());
            assert_eq!(node.children().count() as u32, node.child_count());
            let _ = node.properties().count() + node.regs().count();
            let _ = node.interrupts_in(&controllers).count();
        }
    })
}

/// Steps for every byte of the tree.
fn cost(root: &NodeBuilder) -> u64 {
    let blob = root.build_exact().expect("within the limits");
    pass(&blob) / blob.len() as u64
}

/// A pass over any tree takes at most so many steps for a byte of it, without the addresses: every level is passed once
/// by the pass over each of the levels above it, and each property is read a few times.
const LINEAR: u64 = MAX_DEPTH as u64;

#[test]
fn wide_trees_cost_their_size() {
    let leaf = || {
        NodeBuilder::new("x")
            .prop_u64s("reg", &[1, 2])
            .prop_u32s("interrupts", &[1])
    };
    let wide = |children| {
        let many = (0..300).fold(NodeBuilder::new("r"), |node, n| {
            node.prop_empty(&format!("p{n}"))
        });
        many.prop_u32("#address-cells", 2)
            .prop_u32("interrupt-parent", 1)
            .children((0..children).map(|_| leaf()))
    };
    let (small, large) = (cost(&wide(200)), cost(&wide(2000)));
    assert!(small <= LINEAR && large <= LINEAR, "{small} {large}");
}

/// Bytes of names are no steps, so this is about the length of what is made of them.
#[test]
fn paths_below_a_long_name_stay_short() {
    let leaves = (0..100).map(|_| NodeBuilder::new("leaf"));
    let long = NodeBuilder::new(&"x".repeat(1_000_000)).children(leaves);
    let blob = NodeBuilder::new("r")
        .child(long)
        .build_exact()
        .expect("builds");
    let tree = Adt::new(&blob).expect("a tree");
    let paths: usize = tree
        .nodes()
        .map(|node| format!("{}", node.path()).len())
        .sum();
    assert!(paths < blob.len(), "{paths}");
}

#[test]
fn deep_trees_cost_their_size() {
    // Every level is as wide as it is deep.
    let mut node = NodeBuilder::new("x");
    for _ in 0..MAX_DEPTH {
        let leaves = (0..100).map(|_| NodeBuilder::new("leaf").prop_u32s("reg", &[1, 2, 3]));
        node = NodeBuilder::new("x").children(leaves).child(node);
    }
    assert!(cost(&node) <= LINEAR, "{}", cost(&node));
}

#[test]
fn controllers_that_alternate_cost_a_look_each() {
    let controllers = |count: u32| {
        (1..=count).map(|n| {
            NodeBuilder::new("c")
                .prop_u32("AAPL,phandle", n)
                .prop_u32("#interrupt-cells", 1)
        })
    };
    let tree = |count| {
        let parents: Vec<u32> = (0..20_000).map(|n| n % count + 1).collect();
        let user = NodeBuilder::new("user")
            .prop_u32s("interrupt-parent", &parents)
            .prop_u32s("interrupts", &parents);
        NodeBuilder::new("r")
            .children(controllers(count))
            .child(user)
    };
    assert!(cost(&tree(2)) <= LINEAR && cost(&tree(1500)) <= LINEAR);
}

#[test]
fn addresses_cost_one_look_through_the_ranges_above() {
    // Thousands of addresses below thousands of ranges, none of which holds them, at every level.
    let useless: Vec<u32> = (0..3 * 2000).map(|_| 0).collect();
    let addresses: Vec<u32> = (0..4000).map(|n| n + 1).collect();
    let mut node = NodeBuilder::new("user").prop_u32s("reg", &addresses);
    for _ in 1..MAX_DEPTH {
        node = NodeBuilder::new("bus")
            .prop_u32("#address-cells", 1)
            .prop_u32("#size-cells", 0)
            .prop_u32s("ranges", &useless)
            .child(node);
    }
    let blob = NodeBuilder::new("r")
        .prop_u32("#address-cells", 1)
        .child(node)
        .build_exact()
        .expect("within the limits");
    let steps = pass(&blob);
    let most = 4000 * MAX_DEPTH as u64 * MAX_RANGES as u64 * 3 + blob.len() as u64;
    assert!(steps <= most, "{steps} of {most}");
}

/// Counts and sizes that promise more than there is are refused before anything is done about them.
#[test]
fn promises_cost_nothing() {
    let mut blob = NodeBuilder::new("r").build_exact().expect("builds");
    for (properties, children) in [(2048_u32, 2048_u32), (1, 2048), (2048, 0)] {
        blob[..4].copy_from_slice(&properties.to_le_bytes());
        blob[4..8].copy_from_slice(&children.to_le_bytes());
        let steps = steps_of(|| assert!(Adt::new(&blob).is_err()));
        assert!(steps < 10, "{steps}");
    }
}
