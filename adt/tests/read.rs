// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the reader makes of trees with the shapes and hazards of real ones.

use adt::{Adt, Error, ErrorKind, MAX_DEPTH, Node, NodeBuilder};

fn node(name: &str) -> NodeBuilder {
    NodeBuilder::new(name)
}

/// A node with 2 address and 2 size cells.
fn bus(name: &str) -> NodeBuilder {
    node(name)
        .prop_u32("#address-cells", 2)
        .prop_u32("#size-cells", 2)
}

fn build(root: NodeBuilder) -> Vec<u8> {
    root.build().expect("the test's tree can be built")
}

fn open(blob: &[u8]) -> Adt<'_> {
    Adt::new(blob).expect("the test's tree is one")
}

fn find<'a>(tree: &Adt<'a>, path: &str) -> Node<'a> {
    tree.node(path).expect("the test's tree has this path")
}

#[test]
fn paths_take_the_first_of_duplicates_and_an_exact_name_before_a_unit_address() {
    let blob = build(
        bus("device-tree").child(
            node("arm-io")
                .child(node("uart@1").prop_u32("n", 1))
                .child(node("uart").prop_u32("n", 2))
                .child(node("uart").prop_u32("n", 3))
                .child(node("spi@7").prop_u32("n", 4)),
        ),
    );
    let tree = open(&blob);
    let n = |path| tree.node(path).and_then(|node| node.u32("n"));
    assert_eq!(n("/arm-io/uart"), Some(2));
    assert_eq!(n("/arm-io/uart@1"), Some(1));
    assert_eq!(n("/arm-io/spi"), Some(4));
    assert_eq!(n("arm-io/spi@7/"), Some(4));
    assert_eq!(n("/arm-io/sp"), None);
    assert_eq!(tree.node("/arm-io/spi@"), None);
    assert_eq!(tree.node("/"), Some(tree.root()));
    assert_eq!(tree.root().path().to_string(), "/");
    let spi = find(&tree, "/arm-io/spi");
    assert_eq!(spi.path().to_string(), "/arm-io/spi@7");
    assert_eq!(spi.parent().map(|parent| parent.name()), Some("arm-io"));
    assert_eq!(find(&tree, "/arm-io").children().count(), 4);
    assert_eq!(tree.node_count(), 6);
}

#[test]
fn values_are_what_their_bytes_allow() {
    let blob = build(
        node("device-tree")
            .prop_u32("word", 0x0102_0304)
            .prop_u64("double", 0x0102_0304_0506_0708)
            .prop_bytes("byte", &[7])
            .prop_bytes("half", &[1, 2])
            .prop_bytes("odd", &[1, 2, 3, 4, 5])
            .prop_bytes("latin", b"caf\xe9\0")
            .prop_bytes("open", b"no nul")
            .prop_strs("compatible", &["aic,3", "aic"])
            .prop_empty("empty"),
    );
    let root = open(&blob).root();
    assert_eq!(
        (root.u32("word"), root.u64("word"), root.uint("word")),
        (Some(0x0102_0304), None, Some(0x0102_0304))
    );
    assert_eq!(
        (root.u32("double"), root.u64("double")),
        (None, Some(0x0102_0304_0506_0708))
    );
    assert_eq!(
        (root.uint("byte"), root.uint("half"), root.uint("odd")),
        (Some(7), Some(0x201), None)
    );
    assert_eq!(root.u32s("odd").collect::<Vec<_>>(), [0x0403_0201]);
    assert_eq!(root.u32s("double").len(), 2);
    assert_eq!(
        root.find("double").map(|property| property.u64s().len()),
        Some(1)
    );
    assert_eq!(
        (root.str("latin"), root.str("open"), root.str("empty")),
        (None, Some("no nul"), Some(""))
    );
    assert_eq!(root.compatible().collect::<Vec<_>>(), ["aic,3", "aic"]);
    assert!(root.is_compatible("aic") && !root.is_compatible("aic,2"));
    assert_eq!(root.property("empty"), Some([].as_slice()));
    assert_eq!(root.property("missing"), None);
    assert_eq!(
        root.strings("missing").count() + root.u32s("missing").len(),
        0
    );
}

#[test]
fn lists_of_strings_keep_empty_ones_and_leave_out_what_is_not_utf8() {
    let blob = build(node("device-tree").prop_bytes("list", b"a\0\0\xff\0b"));
    assert_eq!(
        open(&blob).root().strings("list").collect::<Vec<_>>(),
        ["a", "", "b"]
    );
}

#[test]
fn registers_are_translated_by_every_level() {
    let blob = build(
        bus("device-tree").child(
            bus("arm-io")
                .prop_u64s(
                    "ranges",
                    &[
                        0,
                        0x2_0000_0000,
                        0x4_8000_0000,
                        0x7_0000_0000,
                        0x7_0000_0000,
                        0x1000,
                    ],
                )
                .child(
                    node("aic")
                        .prop_u64s(
                            "reg",
                            &[0x3_0240_0000, 0x1c_c000, 0x7_0000_0010, 4, 0x6_0000_0000, 8],
                        )
                        .child(node("deep").prop_u64s("reg", &[1, 2])),
                )
                .child(
                    node("bridge")
                        .prop_u32("#address-cells", 1)
                        .prop_u32("#size-cells", 1)
                        .prop_u32s("ranges", &[0x100, 0x9000, 0, 0x100])
                        .child(node("leaf").prop_u32s("reg", &[0x120, 8])),
                ),
        ),
    );
    let tree = open(&blob);
    let regs: Vec<_> = find(&tree, "/arm-io/aic")
        .regs()
        .map(|reg| (reg.bus, reg.phys, reg.size, reg.translated))
        .collect();
    assert_eq!(
        regs,
        [
            (0x3_0240_0000, 0x5_0240_0000, 0x1c_c000, true),
            (0x7_0000_0010, 0x7_0000_0010, 4, true),
            (0x6_0000_0000, 0x6_0000_0000, 8, false),
        ]
    );
    assert_eq!(find(&tree, "/arm-io/aic").reg(3), None);
    // The bridge holds 0x100 bytes at 0x9000 of arm-io, which adds 0x200000000.
    let leaf = find(&tree, "/arm-io/bridge/leaf")
        .reg(0)
        .expect("leaf has a reg");
    assert_eq!(
        (leaf.bus, leaf.phys, leaf.translated),
        (0x120, 0x2_0000_9020, true)
    );
}

#[test]
fn missing_cells_have_defaults_and_missing_ranges_end_the_translation() {
    let blob = build(
        bus("device-tree")
            .child(
                node("cpus")
                    .prop_u32("#address-cells", 1)
                    .prop_u32("#size-cells", 0)
                    .child(node("cpu6").prop_u32("reg", 0x100)),
            )
            .child(
                bus("arm-io")
                    .prop_u64s("ranges", &[0, 0x2_0000_0000, 0x1_0000_0000])
                    .child(node("dptx").child(node("core").prop_u32s("reg", &[0x10, 0, 0x20, 9])))
                    .child(
                        node("none")
                            .prop_u32("#address-cells", 0)
                            .prop_u32("#size-cells", 0)
                            .child(node("child").prop_u32("reg", 5)),
                    ),
            )
            .child(
                bus("flat")
                    .prop_empty("ranges")
                    .child(node("x").prop_u64s("reg", &[0x40, 1])),
            ),
    );
    let tree = open(&blob);
    let reg = |path| {
        find(&tree, path)
            .reg(0)
            .map(|reg| (reg.bus, reg.phys, reg.size, reg.translated))
    };
    assert_eq!(reg("/cpus/cpu6"), Some((0x100, 0x100, 0, false)));
    // No cells: 2 and 1. No ranges on dptx: arm-io's are not applied.
    assert_eq!(reg("/arm-io/dptx/core"), Some((0x10, 0x10, 0x20, false)));
    assert_eq!(
        find(&tree, "/arm-io/dptx/core").regs().count(),
        1,
        "the fourth word is a rest"
    );
    assert_eq!(reg("/arm-io/none/child"), None);
    assert_eq!(reg("/flat/x"), Some((0x40, 0x40, 1, true)));
}

#[test]
fn extreme_addresses_do_not_overflow() {
    let blob = build(
        bus("device-tree").child(
            bus("arm-io")
                .prop_u64s("ranges", &[u64::MAX - 1, u64::MAX, u64::MAX])
                .child(node("a").prop_u64s("reg", &[u64::MAX, u64::MAX, 0, 0])),
        ),
    );
    let tree = open(&blob);
    let regs: Vec<_> = find(&tree, "/arm-io/a")
        .regs()
        .map(|reg| (reg.phys, reg.translated))
        .collect();
    assert_eq!(regs, [(0, true), (0, false)]);
}

/// `/arm-io` with an AIC (1 cell), an SMC (2 cells) and the node under test.
fn controllers(under_test: NodeBuilder) -> Vec<u8> {
    build(
        node("device-tree").child(
            node("arm-io")
                .child(
                    node("aic")
                        .prop_u32("AAPL,phandle", 1)
                        .prop_u32("#interrupt-cells", 1),
                )
                .child(
                    node("smc")
                        .prop_u32("AAPL,phandle", 2)
                        .prop_u32("#interrupt-cells", 2),
                )
                .child(under_test),
        ),
    )
}

fn interrupts(blob: &[u8], path: &str) -> Vec<(Option<u32>, bool, Vec<u32>)> {
    let tree = open(blob);
    find(&tree, path)
        .interrupts()
        .map(|interrupt| {
            (
                interrupt.parent,
                interrupt.parent_found,
                interrupt.cells().collect(),
            )
        })
        .collect()
}

#[test]
fn each_specifier_belongs_to_its_own_parent_and_the_last_parent_repeats() {
    // As on every SPMI controller: [self, aic, self].
    let spmi = node("spmi")
        .prop_u32("AAPL,phandle", 3)
        .prop_u32("#interrupt-cells", 1)
        .prop_u32s("interrupt-parent", &[3, 1, 3])
        .prop_u32s("interrupts", &[10, 635, 11, 12]);
    let found = interrupts(&controllers(spmi), "/arm-io/spmi");
    let expected = [(3, 10), (1, 635), (3, 11), (3, 12)]
        .map(|(parent, line)| (Some(parent), true, vec![line]));
    assert_eq!(found, expected);
}

#[test]
fn specifiers_have_their_controllers_cell_count() {
    // As clpc: [aic, aic, smc, smc, ...] where smc takes a four-character code and a word.
    let clpc = node("clpc")
        .prop_u32s("interrupt-parent", &[1, 2, 1, 2])
        .prop_u32s(
            "interrupts",
            &[461, 0x7030_5452, 0, 513, 0x7030_5452, 1, 0x7030_5452, 2, 9],
        );
    let found = interrupts(&controllers(clpc), "/arm-io/clpc");
    let code = 0x7030_5452;
    assert_eq!(
        found,
        [
            (Some(1), true, vec![461]),
            (Some(2), true, vec![code, 0]),
            (Some(1), true, vec![513]),
            (Some(2), true, vec![code, 1]),
            (Some(2), true, vec![code, 2]),
        ],
        "the last word is half a specifier"
    );
}

#[test]
fn a_node_without_parent_inherits_and_an_unknown_parent_counts_one_cell() {
    let inner = node("inner").prop_u32s("interrupts", &[7, 8]);
    let outer = node("outer").prop_u32("interrupt-parent", 2).child(inner);
    assert_eq!(
        interrupts(&controllers(outer), "/arm-io/outer/inner"),
        [(Some(2), true, vec![7, 8])]
    );

    let stray = node("stray")
        .prop_u32("interrupt-parent", 99)
        .prop_u32s("interrupts", &[7, 8]);
    let expected = [7, 8].map(|line| (Some(99), false, vec![line]));
    assert_eq!(interrupts(&controllers(stray), "/arm-io/stray"), expected);

    let orphan = node("orphan").prop_u32s("interrupts", &[7]);
    assert_eq!(
        interrupts(&controllers(orphan), "/arm-io/orphan"),
        [(None, false, vec![7])]
    );

    let zero = node("zero")
        .prop_u32("AAPL,phandle", 3)
        .prop_u32("#interrupt-cells", 0);
    let zero = zero
        .prop_u32("interrupt-parent", 3)
        .prop_u32s("interrupts", &[7]);
    assert_eq!(
        interrupts(&controllers(zero), "/arm-io/zero"),
        [(Some(3), true, vec![7])]
    );
}

#[test]
fn indexes_count_up_and_numbers_are_first_cells() {
    let smc = node("user")
        .prop_u32("interrupt-parent", 2)
        .prop_u32s("interrupts", &[5, 6, 7, 8]);
    let blob = controllers(smc);
    let tree = open(&blob);
    let found: Vec<_> = find(&tree, "/arm-io/user")
        .interrupts()
        .map(|int| (int.index, int.number()))
        .collect();
    assert_eq!(found, [(0, Some(5)), (1, Some(7))]);
    assert_eq!(tree.by_phandle(2).map(|node| node.name()), Some("smc"));
    assert_eq!(tree.by_phandle(9), None);
}

#[test]
fn where_a_controller_is_named_is_told() {
    let child = node("child").prop_u32("interrupts", 9);
    let clpc = node("clpc")
        .prop_u32s("interrupt-parent", &[1, 1, 2])
        .prop_u32s("interrupts", &[7, 8, 5, 0, 6, 0])
        .child(child.clone())
        // Half a phandle is none.
        .child(child.prop_bytes("interrupt-parent", &[2, 0]));
    let blob = controllers(clpc);
    let tree = open(&blob);
    let of = |node: adt::Node<'_>| -> Vec<(usize, bool)> {
        let found = node.interrupts();
        found.map(|i| (i.parent_index, i.inherited)).collect()
    };
    let clpc = find(&tree, "/arm-io/clpc");
    assert_eq!(of(clpc), [(0, false), (1, false), (2, false), (2, false)]);
    for child in clpc.children() {
        assert_eq!(of(child), [(0, true)]);
        assert_eq!(child.interrupts().next().and_then(|i| i.parent), Some(1));
    }
    let controllers = tree.controllers();
    assert_eq!(
        (controllers.cells(1), controllers.cells(2)),
        (Some(1), Some(2))
    );
    assert_eq!(controllers.cells(3), None);
}

#[test]
fn an_address_that_no_range_holds_goes_up_as_it_is() {
    let blob = build(
        bus("device-tree").child(
            bus("arm-io")
                .prop_u64s("ranges", &[0, 0x2_0000_0000, 0x1_0000_0000])
                .child(
                    bus("bridge")
                        .prop_u64s("ranges", &[0x100, 0x9000, 0x100])
                        .child(node("leaf").prop_u64s("reg", &[0x5000, 8])),
                ),
        ),
    );
    let reg = find(&open(&blob), "/arm-io/bridge/leaf").reg(0);
    let reg = reg.map(|reg| (reg.bus, reg.phys, reg.translated));
    assert_eq!(reg, Some((0x5000, 0x2_0000_5000, false)));
}

#[test]
fn placeholders_are_marked_and_their_size_is_masked() {
    let blob = build(
        node("device-tree")
            .prop_bytes("mac", &[0; 6])
            .placeholder("mac")
            .prop_u32("after", 5),
    );
    let root = open(&blob).root();
    let mac = root.find("mac").expect("mac is there");
    assert!(mac.placeholder && mac.value.len() == 6);
    assert_eq!(root.u32("after"), Some(5));
    assert_eq!(
        root.properties()
            .filter(|property| property.placeholder)
            .count(),
        1
    );
}

#[test]
fn zero_padding_after_the_tree_is_ignored() {
    let exact = node("device-tree")
        .child(node("a"))
        .build_exact()
        .expect("builds");
    let mut window = exact.clone();
    window.resize(exact.len() + 4096, 0);
    assert_eq!(open(&window).size(), exact.len());
    assert_eq!(open(&window).nodes().count(), 2);
}

#[test]
fn names_are_cut_at_their_first_nul_and_may_fill_their_field() {
    let mut blob = node("device-tree")
        .prop_u32("x", 1)
        .build_exact()
        .expect("builds");
    let at = blob.len() - 40; // the property x: 32 bytes of name, size, value
    blob[at..at + 32].copy_from_slice(b"x\0garbage after the first nul...");
    assert_eq!(open(&blob).root().u32("x"), Some(1));
    blob[at..at + 32].fill(b'y');
    assert_eq!(open(&blob).root().u32(&"y".repeat(32)), Some(1));
}

#[test]
fn names_of_nodes_are_cut_at_their_limit() {
    let name = |text: &str| {
        let blob = build(node(text));
        open(&blob).root().name().to_string()
    };
    let limit = adt::MAX_NODE_NAME;
    assert_eq!(name(&"x".repeat(limit)), "x".repeat(limit));
    assert_eq!(name(&"x".repeat(1_000_000)), "x".repeat(limit));
    // Not within a character.
    let even = "é".repeat(1000);
    assert_eq!(name(&even), "é".repeat(limit / 2));
    let blob = build(node("").prop_bytes("name", b"caf\xe9\0"));
    assert_eq!(open(&blob).root().name(), "");
}

#[test]
fn the_last_value_may_lack_its_padding() {
    let mut blob = node("device-tree")
        .prop_bytes("x", &[1, 2, 3])
        .build_exact()
        .expect("builds");
    blob.pop();
    assert_eq!(open(&blob).root().property("x"), Some([1, 2, 3].as_slice()));
    assert_eq!(open(&blob).nodes().count(), 1);
}

#[test]
fn what_is_no_tree_is_refused_with_the_place_and_the_range() {
    let good = node("device-tree")
        .child(node("a"))
        .build_exact()
        .expect("builds");
    let child = good.len() - 8 - 36 - 4;
    let with = |offset: usize, word: u32| {
        let mut bad = good.clone();
        bad[offset..offset + 4].copy_from_slice(&word.to_le_bytes());
        bad
    };
    let cases = [
        (Vec::new(), 0, ErrorKind::Truncated, "ends inside"),
        (
            vec![0; 64],
            0,
            ErrorKind::PropertyCount(0),
            "0 properties (allowed: 1 to 2048)",
        ),
        (
            with(0, 2049),
            0,
            ErrorKind::PropertyCount(2049),
            "2049 properties",
        ),
        (with(4, 2049), 0, ErrorKind::ChildCount(2049), "0 to 2048"),
        (
            with(child, 0),
            child,
            ErrorKind::PropertyCount(0),
            "at byte",
        ),
        (with(8, 0xffff_ffff), 8, ErrorKind::PropertyName, "UTF-8"),
        (
            with(40, 1 << 20),
            8,
            ErrorKind::ValueSize(1 << 20),
            "0 to 1048575",
        ),
        (
            with(40, 1 << 31 | 1 << 20),
            8,
            ErrorKind::ValueSize(1 << 20),
            "1048576 bytes",
        ),
        (with(40, 1000), 8, ErrorKind::Truncated, "ends inside"),
        (
            good[..good.len() - 4].to_vec(),
            child + 8,
            ErrorKind::Truncated,
            "ends inside",
        ),
    ];
    for (blob, offset, kind, text) in cases {
        let error = Adt::new(&blob).expect_err(text);
        assert_eq!(error, Error { offset, kind });
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn nesting_ends_at_the_limit() {
    let chain = |levels| (0..levels).fold(node("x"), |inner, _| node("x").child(inner));
    let deepest = build(chain(MAX_DEPTH));
    assert_eq!(
        open(&deepest).nodes().map(|node| node.depth()).max(),
        Some(MAX_DEPTH)
    );
    let path = "/x".repeat(MAX_DEPTH);
    assert_eq!(find(&open(&deepest), &path).path().to_string(), path);
    // The builder refuses what is deeper, so the header of the last node is patched to have a child.
    let mut deeper = chain(MAX_DEPTH).build_exact().expect("builds");
    let last = deeper.len() - (8 + 36 + 4);
    deeper[last + 4] = 1;
    deeper.extend(node("x").build_exact().expect("builds"));
    assert_eq!(
        Adt::new(&deeper).expect_err("too deep").kind,
        ErrorKind::Depth
    );
}
