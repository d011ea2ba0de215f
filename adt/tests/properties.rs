// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any bytes, and any tree that can be built.

mod common;

use adt::{Adt, NodeBuilder};
use common::visit;
use proptest::prelude::*;

fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..40),
        // Small words: cell counts, phandles, addresses.
        proptest::collection::vec(0_u32..8, 0..10)
            .prop_map(|words| words.iter().flat_map(|word| word.to_le_bytes()).collect()),
    ]
}

fn property() -> impl Strategy<Value = (String, Vec<u8>, bool)> {
    let one_of =
        |names: &'static [&'static str]| prop::sample::select(names).prop_map(str::to_string);
    let numbers = one_of(&[
        "#address-cells",
        "#size-cells",
        "#interrupt-cells",
        "AAPL,phandle",
    ]);
    let number = (0_u32..4).prop_map(|number| number.to_le_bytes().to_vec());
    let lists = one_of(&[
        "reg",
        "ranges",
        "interrupt-parent",
        "interrupts",
        "#address-cells",
        "AAPL,phandle",
    ]);
    prop_oneof![
        3 => (numbers, number, any::<bool>()),
        3 => (lists, value(), any::<bool>()),
        1 => ("[a-z#,-]{1,31}", value(), any::<bool>()),
    ]
}

fn leaf() -> impl Strategy<Value = NodeBuilder> {
    (
        "[a-z0-9@-]{0,12}",
        proptest::collection::vec(property(), 0..8),
    )
        .prop_map(|(name, properties)| {
            properties.into_iter().fold(
                NodeBuilder::new(&name),
                |node, (name, value, placeholder)| {
                    let node = node.prop_bytes(&name, &value);
                    if placeholder {
                        node.placeholder(&name)
                    } else {
                        node
                    }
                },
            )
        })
}

fn tree() -> impl Strategy<Value = NodeBuilder> {
    leaf().prop_recursive(4, 40, 6, |inner| {
        (leaf(), proptest::collection::vec(inner, 0..6))
            .prop_map(|(node, children)| node.children(children))
    })
}

proptest! {
    #[test]
    fn any_bytes_are_safe(blob in proptest::collection::vec(any::<u8>(), 0..4096)) {
        visit(&blob);
    }

    /// Bytes that begin like a tree get further than random ones.
    #[test]
    fn headers_with_any_bytes_behind_are_safe(
        properties in 1_u32..5, children in 0_u32..5, rest in proptest::collection::vec(prop_oneof![4 => Just(0_u8), 1 => any::<u8>()], 0..2048),
    ) {
        let mut blob = [properties.to_le_bytes(), children.to_le_bytes()].concat();
        blob.extend(rest);
        visit(&blob);
    }

    #[test]
    fn built_trees_are_read(tree in tree()) {
        let blob = tree.build().expect("within the limits");
        let read = Adt::new(&blob).expect("the builder's output is a tree");
        prop_assert_eq!(&NodeBuilder::from_node(&read.root()), &tree);
        visit(&blob);
    }

    #[test]
    fn mutated_trees_are_safe(
        tree in tree(), cut: prop::sample::Index,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut blob = tree.build().expect("within the limits");
        for (place, byte) in changes {
            let place = place.index(blob.len());
            blob[place] = byte;
        }
        visit(&blob);
        blob.truncate(cut.index(blob.len()));
        visit(&blob);
    }

    /// Counts and sizes are what a hostile tree would change.
    #[test]
    fn trees_with_other_counts_are_safe(
        tree in tree(), words in proptest::collection::vec((any::<prop::sample::Index>(), 0_u32..64), 1..4),
    ) {
        let mut blob = tree.build().expect("within the limits");
        for (place, word) in words {
            let place = place.index(blob.len() / 4) * 4;
            blob[place..place + 4].copy_from_slice(&word.to_le_bytes());
        }
        visit(&blob);
    }
}
