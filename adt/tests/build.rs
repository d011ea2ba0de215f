// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the builder makes, byte by byte, and what it refuses.

use adt::{Adt, BuildError, MAX_DEPTH, MAX_VALUE, NodeBuilder};

#[test]
fn a_tree_is_these_bytes() {
    let blob = NodeBuilder::new("r")
        .prop_bytes("v", &[1, 2, 3, 4, 5])
        .child(NodeBuilder::new("c"))
        .build_exact();
    let mut expected = Vec::new();
    let property = |name: &[u8], size: u8, value: &[u8]| {
        let mut bytes = name.to_vec();
        bytes.resize(32, 0);
        bytes.extend([size, 0, 0, 0]);
        bytes.extend(value);
        bytes
    };
    expected.extend([2, 0, 0, 0, 1, 0, 0, 0]);
    expected.extend(property(b"name", 2, b"r\0\0\0"));
    expected.extend(property(b"v", 5, &[1, 2, 3, 4, 5, 0, 0, 0]));
    expected.extend([1, 0, 0, 0, 0, 0, 0, 0]);
    expected.extend(property(b"name", 2, b"c\0\0\0"));
    assert_eq!(blob, Ok(expected));
}

/// m1n1's iterators read the header of whatever follows a node's last child, also for the last node of the tree.
#[test]
fn a_valid_node_follows_the_last_one() {
    let root = NodeBuilder::new("device-tree")
        .child(NodeBuilder::new("cpus").child(NodeBuilder::new("cpu0")));
    let blob = root.build().expect("builds");
    let tree = Adt::new(&blob).expect("reads");
    assert_eq!(tree.size(), root.build_exact().expect("builds").len());
    let after = Adt::new(&blob[tree.size()..]).expect("a node follows the tree");
    assert_eq!((after.node_count(), after.root().name()), (1, "end"));
    assert_eq!(tree.size() + after.size(), blob.len());
}

#[test]
fn properties_are_replaced_in_place_and_removed() {
    let root = NodeBuilder::new("r")
        .prop_u32("a", 1)
        .prop_u32("b", 2)
        .prop_u64("a", 3);
    let blob = root.clone().build().expect("builds");
    let names: Vec<_> = Adt::new(&blob)
        .expect("reads")
        .root()
        .properties()
        .map(|property| property.name)
        .collect();
    assert_eq!(names, ["name", "a", "b"]);
    assert_eq!(Adt::new(&blob).expect("reads").root().u64("a"), Some(3));
    let blob = root
        .without("a")
        .without("nothing")
        .build()
        .expect("builds");
    assert_eq!(Adt::new(&blob).expect("reads").root().property("a"), None);
}

#[test]
fn children_are_changed_in_place() {
    let mut root = NodeBuilder::new("r").children([NodeBuilder::new("a"), NodeBuilder::new("b")]);
    let b = root.child_mut("b").expect("b is there");
    *b = b.clone().prop_u32("x", 9);
    assert!(root.child_mut("c").is_none());
    let blob = root.build().expect("builds");
    assert_eq!(
        Adt::new(&blob)
            .expect("reads")
            .node("/b")
            .and_then(|node| node.u32("x")),
        Some(9)
    );
}

#[test]
fn what_the_format_cannot_hold_is_refused_with_its_path() {
    let under = |child: NodeBuilder| {
        NodeBuilder::new("r")
            .child(NodeBuilder::new("io").child(child))
            .build()
    };
    let name = "n".repeat(32);
    let error = under(NodeBuilder::new("x").prop_u32(&name, 1)).expect_err("32 bytes");
    assert_eq!(
        error,
        BuildError::Name {
            path: "/io/x".into(),
            name: name.clone()
        }
    );
    assert!(error.to_string().contains("1 to 31 bytes"), "{error}");
    assert!(under(NodeBuilder::new("x").prop_u32(&name[1..], 1)).is_ok());
    assert!(under(NodeBuilder::new("x").prop_u32("", 1)).is_err());
    assert!(under(NodeBuilder::new("x").prop_u32("a\0b", 1)).is_err());

    let value = vec![0; MAX_VALUE as usize];
    let error = under(NodeBuilder::new("x").prop_bytes("v", &value)).expect_err("1 MiB");
    assert_eq!(
        error,
        BuildError::Value {
            path: "/io/x".into(),
            name: "v".into(),
            size: 1 << 20
        }
    );
    assert!(under(NodeBuilder::new("x").prop_bytes("v", &value[1..])).is_ok());

    let error = under(NodeBuilder::new("x").without("name")).expect_err("no properties");
    assert_eq!(
        error,
        BuildError::Count {
            path: "/io/".into(),
            what: "properties",
            found: 0,
            allowed: 2048
        }
    );
    let many = NodeBuilder::new("x").children((0..2049).map(|_| NodeBuilder::new("c")));
    let error = under(many).expect_err("2049 children");
    assert_eq!(
        error,
        BuildError::Count {
            path: "/io/x".into(),
            what: "children",
            found: 2049,
            allowed: 2048
        }
    );

    let deep = (0..=MAX_DEPTH).fold(NodeBuilder::new("x"), |inner, _| {
        NodeBuilder::new("x").child(inner)
    });
    assert!(
        matches!(deep.build(), Err(BuildError::Depth { path }) if path == "/x".repeat(MAX_DEPTH + 1))
    );
}
