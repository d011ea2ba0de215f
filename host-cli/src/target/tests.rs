//! Discovery from trees of the shapes that real ones have.

use adt::{Adt, NodeBuilder};
use aic_regs::aic::{Generation, Geometry};
use protocol::LineId;

use super::{Core, LineMap, LineSpace, Overrides, Owner, SocFacts, TargetError, aic::Place, cpus};
use crate::link::VirtualLink;
use crate::proxy::tests::{Scripted, value};
use crate::proxy::{Op, Proxy};
use crate::result::Mark;

const AIC: u32 = 0x10;

fn tree(cpus: NodeBuilder, arm_io: NodeBuilder) -> Vec<u8> {
    NodeBuilder::new("device-tree")
        .prop_u32("#address-cells", 2)
        .prop_u32("#size-cells", 2)
        .prop_str("target-type", "J700")
        .prop_str("model", "Mac17,0")
        .child(NodeBuilder::new("chosen").prop_u32("chip-id", 0x8140))
        .child(cpus)
        .child(arm_io)
        .build()
        .unwrap()
}

fn arm_io() -> NodeBuilder {
    NodeBuilder::new("arm-io")
        .prop_u32("#address-cells", 2)
        .prop_u32("#size-cells", 2)
        .prop_u64s("ranges", &[0, 0x2_0000_0000, 0x4_0000_0000])
        .prop_u32("interrupt-parent", AIC)
}

fn aic(compatible: &str) -> NodeBuilder {
    NodeBuilder::new("aic")
        .prop_str("compatible", compatible)
        .prop_u32("AAPL,phandle", AIC)
        .prop_u32("#interrupt-cells", 1)
        .prop_u64s("reg", &[0x1_0100_0000, 0x1c_c000])
        .prop_u64("aic-iack-offset", 0x4_0000)
}

fn cpu(id: u32, reg: u32, kind: &str, state: &str) -> NodeBuilder {
    NodeBuilder::new(&format!("cpu{id}"))
        .prop_u32("cpu-id", id)
        .prop_u32("reg", reg)
        .prop_str("cluster-type", kind)
        .prop_str("state", state)
}

fn no_cpus() -> NodeBuilder {
    NodeBuilder::new("cpus")
}

fn marks_about(marks: &[Mark], about: &str) -> usize {
    marks.iter().filter(|m| m.about == about).count()
}

#[test]
fn the_boot_cpu_is_0_and_the_others_keep_their_order() {
    // T6040's shape: a gap in the ids, boot CPU 4.
    let node = NodeBuilder::new("cpus").children([
        cpu(0, 0x000, "E", "waiting"),
        cpu(1, 0x001, "E", "waiting"),
        cpu(4, 0x100, "P", "running"),
        cpu(10, 0x201, "M", "waiting"),
    ]);
    let blob = tree(node, arm_io());
    let mut marks = Vec::new();
    let table = cpus::from_tree(&Adt::new(&blob).unwrap(), &mut marks).unwrap();
    let ids: Vec<_> = table.iter().map(|c| (c.id, c.adt_id, c.mpidr)).collect();
    assert_eq!(
        ids,
        [
            (0, 4, 0x8001_0100),
            (1, 0, 0x8000_0000),
            (2, 1, 0x8000_0001),
            (3, 10, 0x8004_0201)
        ]
    );
    assert!(table[0].boot && !table[1].boot);
    assert_eq!((table[3].core, table[3].cluster), (Core::M, 2));
    assert!(marks.is_empty(), "{marks:?}");
}

#[test]
fn trees_without_cpu_ids_or_a_running_cpu() {
    let old = |state| {
        NodeBuilder::new("cpu0")
            .prop_u32("reg", 1)
            .prop_str("state", state)
    };
    let blob = tree(NodeBuilder::new("cpus").child(old("running")), arm_io());
    let mut marks = Vec::new();
    let table = cpus::from_tree(&Adt::new(&blob).unwrap(), &mut marks).unwrap();
    assert_eq!((table[0].adt_id, table[0].core), (1, Core::Unknown));
    assert_eq!(marks_about(&marks, "cpus.adt_id"), 1);

    let blob = tree(NodeBuilder::new("cpus").child(old("waiting")), arm_io());
    let none = cpus::from_tree(&Adt::new(&blob).unwrap(), &mut Vec::new());
    assert!(matches!(none, Err(TargetError::NoBootCpu)), "{none:?}");
}

#[test]
fn lines_are_owned_by_devices_msi_ranges_and_coprocessors() {
    let spmi = 0x20;
    let node = arm_io()
        .child(aic("aic,3").prop_bytes("aic-ext-intr-cfg", &[0x61, 0x01, 4]))
        .child(NodeBuilder::new("wdt").prop_u32s("interrupts", &[507, 0]))
        .child(
            // As on every M-series tree: the second of three specifiers is the AIC's.
            NodeBuilder::new("spmi")
                .prop_u32("AAPL,phandle", spmi)
                .prop_empty("interrupt-controller")
                .prop_u32("#interrupt-cells", 1)
                .prop_u32s("interrupt-parent", &[spmi, AIC, spmi])
                .prop_u32s("interrupts", &[0x5254_3070, 461, 0x5254_3071]),
        )
        .child(
            NodeBuilder::new("gpio-user")
                .prop_u32("interrupt-parent", spmi)
                .prop_u32("interrupts", 77),
        )
        .child(
            NodeBuilder::new("lost-parent")
                .prop_u32("interrupt-parent", 0x999)
                .prop_u32("interrupts", 78),
        )
        .child(
            NodeBuilder::new("apcie")
                .prop_u32("msi-vector-offset", 1331)
                .prop_u32("#msi-vectors", 32),
        )
        .child(NodeBuilder::new("pseudo").prop_u32("interrupts", 1504));
    let blob = tree(no_cpus(), node);
    let map = LineMap::from_tree(
        &Adt::new(&blob).unwrap(),
        &Geometry::v3(1504, 4096, 1, 0x4_0000),
    );
    let owners = |number| map.owners(LineId { die: 0, number });
    let texts =
        |number| -> Vec<String> { owners(number).iter().map(ToString::to_string).collect() };
    assert_eq!(texts(507), ["/arm-io/wdt names it"]);
    assert_eq!(texts(461), ["/arm-io/spmi names it"]);
    let Owner::Device(claim) = &owners(461)[0] else {
        panic!("a device");
    };
    assert!(claim.behind_another && !claim.inherited && claim.parent == 1);
    assert!(owners(77).is_empty());
    let lost = "/arm-io/lost-parent names it under a controller that is no node";
    assert_eq!(texts(78), [lost], "a parent that is no node may be the AIC");
    let msi = "it belongs to the MSI range 1331-1362 of /arm-io/apcie";
    assert_eq!(
        (texts(1331), texts(1362)),
        (vec![msi.into()], vec![msi.into()])
    );
    assert!(owners(1330).is_empty() && owners(1363).is_empty());
    assert_eq!(owners(0x161), [Owner::Coprocessor(4)]);
    // 0, 78, 461, 507 and 1504, which is outside.
    let named: Vec<u32> = map.claims().map(|(line, _)| line).collect();
    assert_eq!(named, [0, 78, 461, 507, 1504]);
    assert_eq!(map.gaps(0)[0], (508, 1331 - 508));
    let spare: u32 = map.gaps(0).iter().map(|(_, len)| u32::from(*len)).sum();
    assert_eq!(
        spare,
        1503 - 4 - 32,
        "lines 78, 353, 461 and 507, and the MSIs"
    );
    assert_eq!(map.least_nr_irq(), 1505);
}

#[test]
fn a_second_die_has_its_own_lines() {
    let node = arm_io()
        .child(aic("aic,2"))
        .child(NodeBuilder::new("dev").prop_u32s("interrupts", &[5, 4096 + 6]));
    let blob = tree(no_cpus(), node);
    let adt = Adt::new(&blob).unwrap();
    let map = LineMap::from_tree(&adt, &Geometry::v2(1000, 4096, 2, 0xc000));
    let has = |die, number| !map.owners(LineId { die, number }).is_empty();
    assert!(has(0, 5) && has(1, 6) && !has(1, 5) && !has(0, 6));
    assert_eq!(map.gaps(1), [(7, 993), (1, 5)]);
}

#[test]
fn gaps_of_nothing_and_of_everything() {
    let blob = tree(no_cpus(), arm_io().child(aic("aic,3")));
    let map = |nr_irq| {
        let space = LineSpace {
            nr_irq,
            max_irq: 0x1000,
            dies: 1,
        };
        LineMap::from_tree(&Adt::new(&blob).unwrap(), space).gaps(0)
    };
    assert_eq!(map(100), [(1, 99)]);
    assert_eq!(map(1), []);
}

#[test]
fn controllers_that_cannot_be_driven() {
    let place = |aic: Option<NodeBuilder>| {
        let node = aic.into_iter().fold(arm_io(), NodeBuilder::child);
        let blob = tree(no_cpus(), node);
        Place::from_tree(
            &Adt::new(&blob).unwrap(),
            &Overrides::default(),
            &mut Vec::new(),
        )
        .map(drop)
    };
    let say = |aic| place(aic).unwrap_err().to_string();
    assert_eq!(
        say(None),
        "the device tree has no /arm-io/aic (no Apple interrupt controller)"
    );
    assert_eq!(
        say(Some(aic("aic,4"))),
        "interrupt controller \"aic,4\": allowed are aic,1, aic,2 and aic,3"
    );
    assert_eq!(
        say(Some(aic("aic,3").without("aic-iack-offset"))),
        "/arm-io/aic: property aic-iack-offset is missing or no number of 32 bits"
    );
    assert_eq!(
        say(Some(aic("aic,3").without("reg"))),
        "/arm-io/aic: property reg is missing (--aic-base ADDR gives the address)"
    );
    assert!(place(Some(aic("aic,2"))).is_ok());
}

#[test]
fn offsets_that_a_tree_does_not_give_are_marked() {
    let blob = tree(no_cpus(), arm_io().child(aic("aic,3")));
    let mut marks = Vec::new();
    assert!(Place::from_tree(&Adt::new(&blob).unwrap(), &Overrides::default(), &mut marks).is_ok());
    assert_eq!(marks_about(&marks, "aic"), 4, "{marks:?}");
    let given = aic("aic,3")
        .prop_u32("cap0-offset", 4)
        .prop_u32("maxnumirq-offset", 12)
        .prop_u32("aicglbcfg-offset", 20)
        .prop_u32("extint-baseaddress", 0x1_0000);
    let blob = tree(no_cpus(), arm_io().child(given));
    let mut marks = Vec::new();
    assert!(Place::from_tree(&Adt::new(&blob).unwrap(), &Overrides::default(), &mut marks).is_ok());
    assert!(marks.is_empty(), "{marks:?}");
}

/// Reads INFO1 and INFO3 as given.
fn read_aic(window: u64, info1: u64, info3: u64) -> (Result<super::AicFacts, String>, Vec<Mark>) {
    let node = aic("aic,2").prop_u64s("reg", &[0x8e10_0000, window]);
    let blob = tree(no_cpus(), arm_io().child(node));
    let mut marks = Vec::new();
    let place =
        Place::from_tree(&Adt::new(&blob).unwrap(), &Overrides::default(), &mut marks).unwrap();
    let mut link = Scripted::new([value(Op::Read32, info1), value(Op::Read32, info3)]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    let got = place.read(&mut proxy, &mut marks);
    (got.map_err(|e| e.to_string()), marks)
}

#[test]
fn the_controller_says_how_large_it_is() {
    let (got, marks) = read_aic(0x5_0000, 0x0000_07a9, 0x0100_1000);
    let aic = got.unwrap();
    let g = aic.geometry;
    assert_eq!(
        (aic.base, g.nr_irq, g.max_irq, g.dies),
        (0x2_8e10_0000, 1961, 4096, 1)
    );
    assert_eq!((g.irq_cfg, g.sw_set, g.hw_state), (0x2000, 0x6000, 0x6800));
    assert!(marks.is_empty(), "{marks:?}");

    let (got, marks) = read_aic(0x5_0000, 0x0100_07a9, 0x0100_1000);
    assert_eq!(got.unwrap().geometry.dies, 2);
    assert_eq!(
        marks_about(&marks, "aic.strides"),
        1,
        "computed strides are marked: {marks:?}"
    );

    let (got, marks) = read_aic(0x5_0000, 0x0000_07a9, 0);
    assert_eq!(got.unwrap().geometry.max_irq, 0x1000);
    assert_eq!(marks_about(&marks, "aic.max_irq"), 1);
}

#[test]
fn a_controller_that_makes_no_sense_is_told() {
    let says = |window, info1, info3| read_aic(window, info1, info3).0.unwrap_err();
    let text = says(0x5_0000, 0, 0x1000);
    assert!(
        text.starts_with("the interrupt controller at 0x28e100000 makes no sense"),
        "{text}"
    );
    let text = says(0x5_0000, 0x2000, 0x1000);
    assert!(text.contains("8192"), "more lines than room: {text}");
    let text = says(0x8000, 0x7a9, 0x1000);
    assert!(text.contains("its window has 0x8000 bytes"), "{text}");
}

#[test]
fn chip_and_board() {
    let blob = tree(no_cpus(), arm_io());
    let soc = SocFacts::from_tree(&Adt::new(&blob).unwrap());
    assert_eq!((&soc.name[..], soc.chip_id), ("T8140", Some(0x8140)));
    assert_eq!((&soc.board[..], &soc.firmware[..]), ("J700", ""));
    let named = arm_io().prop_str("compatible", "arm-io,t6020");
    let blob = tree(no_cpus(), named);
    assert_eq!(SocFacts::from_tree(&Adt::new(&blob).unwrap()).name, "T6020");
}

fn discover(toml: &str) -> Result<super::Target, crate::Error> {
    let model = virtual_soc::SocModel::from_toml(toml, "test").unwrap();
    let target = virtual_soc::VirtualTarget::from_model(&model, 1).unwrap();
    let mut link = VirtualLink::new(target);
    let mut proxy = Proxy::connect(&mut link)?;
    super::Target::discover(&mut proxy)
}

fn variant(more: &str) -> String {
    format!("extends = \"t8140\"\nname = \"x\"\ntitle = \"test\"\n{more}")
}

#[test]
fn a_virtual_t8140_is_read_through_its_loader() {
    let t = discover(&variant("")).unwrap();
    let g = &t.aic.geometry;
    assert_eq!(
        (g.generation, g.nr_irq, g.max_irq, g.dies),
        (Generation::V3, 1504, 4096, 1)
    );
    assert_eq!(
        (t.aic.base, g.sw_set, g.event),
        (0x3_0100_0000, 0x1_4000, 0x4_0000)
    );
    assert_eq!(
        (t.cpus.len(), t.cpus[0].adt_id, t.cpus[0].mpidr),
        (6, 4, 0x8001_0100)
    );
    assert!(t.marks.is_empty(), "{:?}", t.marks);
    // The SPMI line behind two other parents, and an MSI.
    for number in [487, 1340] {
        assert!(!t.lines.owners(LineId { die: 0, number }).is_empty());
    }
}

#[test]
fn strides_of_0_are_computed() {
    let zero = discover(&variant("[adt]\nstrides = \"zero\"\n")).unwrap();
    let present = discover(&variant("")).unwrap();
    assert_eq!(zero.aic.geometry, present.aic.geometry);
    // What the tree says is kept beside what was made of it.
    assert_eq!(
        (zero.aic.strides, present.aic.strides),
        ([0; 4], [0x4a00; 4])
    );
}

/// Reads INFO of an AICv1 as given.
fn read_v1(node: NodeBuilder, info: u64) -> (Result<super::AicFacts, String>, Vec<Mark>) {
    let blob = tree(no_cpus(), arm_io().child(node));
    let mut marks = Vec::new();
    let given = Overrides::default();
    let place = Place::from_tree(&Adt::new(&blob).unwrap(), &given, &mut marks).unwrap();
    let mut link = Scripted::new([value(Op::Read32, info)]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    let got = place.read(&mut proxy, &mut marks);
    (got.map_err(|e| e.to_string()), marks)
}

fn aic_v1(size: u64) -> NodeBuilder {
    NodeBuilder::new("aic")
        .prop_strs("compatible", &["aic,1"])
        .prop_u32("AAPL,phandle", AIC)
        .prop_u64s("reg", &[0x3b10_0000, size, 0x3b10_8000, 0x1000])
}

#[test]
fn a_controller_of_the_first_generation_needs_no_properties() {
    let (got, marks) = read_v1(aic_v1(0x8000), 896);
    let aic = got.unwrap();
    let g = aic.geometry;
    assert_eq!(
        (g.generation, g.nr_irq, g.max_irq, g.dies),
        (Generation::V1, 896, 0x400, 1)
    );
    assert_eq!(
        (aic.base, aic.bus, aic.size, g.event, g.hw_state),
        (0x2_3b10_0000, Some(0x3b10_0000), 0x8000, 0x2004, 0x4200)
    );
    assert!(marks.is_empty(), "{marks:?}");

    // A7 to A9: EVENT lies outside the window of the tree.
    let (got, marks) = read_v1(aic_v1(0x1000), 192);
    assert_eq!(got.unwrap().size, 0x8000);
    assert_eq!(marks_about(&marks, "aic.window"), 1, "{marks:?}");

    // The tree may say how many lines there are; the controller is believed.
    let (got, marks) = read_v1(aic_v1(0x8000).prop_bytes("ipid-mask", &[0; 48]), 384);
    assert_eq!((got.unwrap().geometry.nr_irq, marks.len()), (384, 0));
    let (got, marks) = read_v1(aic_v1(0x8000).prop_bytes("ipid-mask", &[0; 48]), 896);
    assert_eq!(got.unwrap().geometry.nr_irq, 896);
    assert_eq!(marks_about(&marks, "aic.nr_irq"), 1, "{marks:?}");

    let (got, _) = read_v1(aic_v1(0x8000), 0);
    let text = got.unwrap_err();
    assert!(text.contains("makes no sense"), "{text}");
}

#[test]
fn generations_are_looked_for_in_the_order_of_drivers() {
    for (compatible, generation) in [
        (["aic,3", "aic,1"], Generation::V1),
        (["aic,3", "aic,2"], Generation::V2),
        (["t8122-aic", "aic,3"], Generation::V3),
    ] {
        let node = aic("").prop_strs("compatible", &compatible);
        let blob = tree(no_cpus(), arm_io().child(node));
        let given = Overrides::default();
        let place = Place::from_tree(&Adt::new(&blob).unwrap(), &given, &mut Vec::new());
        assert_eq!(place.unwrap().generation, generation, "{compatible:?}");
    }
    // A controller that is not where it always was is found by what it is, and that is told.
    let elsewhere = NodeBuilder::new("ic").prop_str("compatible", "aic,2");
    let node = elsewhere
        .prop_u64s("reg", &[0x10, 0x5_0000])
        .prop_u64("aic-iack-offset", 0xc000);
    let blob = tree(no_cpus(), arm_io().child(node));
    let mut marks = Vec::new();
    let given = Overrides::default();
    assert!(Place::from_tree(&Adt::new(&blob).unwrap(), &given, &mut marks).is_ok());
    assert!(marks[0].text.contains("/arm-io/ic"), "{marks:?}");
}

#[test]
fn properties_of_a_wrong_size_count_as_missing_and_are_told() {
    let node = aic("aic,3")
        .prop_u64("cap0-offset", 4)
        .prop_bytes("maxnumirq-offset", &[12])
        .prop_u32("extint-baseaddress", 0x1_0000)
        .prop_u32("aicglbcfg-offset", 0x14)
        .prop_u64("intmaskset-stride", 0x4a00)
        .prop_u32("extintrcfg-stride", 0)
        .prop_u32("aic-iack-offset", 0x4_0000);
    let blob = tree(no_cpus(), arm_io().child(node));
    let mut marks = Vec::new();
    let given = Overrides::default();
    let place = Place::from_tree(&Adt::new(&blob).unwrap(), &given, &mut marks).unwrap();
    let texts: Vec<&str> = marks.iter().map(|m| &m.text[..]).collect();
    assert_eq!(
        texts,
        [
            "cap0-offset is missing or of a wrong size: 0x4 assumed",
            "maxnumirq-offset is missing or of a wrong size: 0xc assumed",
            "aic-iack-offset has 4 bytes instead of 8: its 0x40000 is taken",
            "intmaskset-stride has 8 bytes instead of 4: taken as missing",
        ]
    );
    let mut link = Scripted::new([value(Op::Read32, 1504), value(Op::Read32, 0x100_1000)]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    let mut marks = Vec::new();
    let aic = place.read(&mut proxy, &mut marks).unwrap();
    assert_eq!(aic.geometry.set_stride, 0x4a00, "computed");
    assert_eq!(marks_about(&marks, "aic.strides"), 1, "{marks:?}");
}

#[test]
fn strides_that_put_banks_on_each_other_are_refused() {
    let node = aic("aic,3")
        .prop_u64s("reg", &[0, 0x100_0000])
        .prop_u32("extintrcfg-stride", 0x100)
        .prop_u32("intmaskset-stride", 0x4a00);
    let blob = tree(no_cpus(), arm_io().child(node));
    let given = Overrides::default();
    let place = Place::from_tree(&Adt::new(&blob).unwrap(), &given, &mut Vec::new()).unwrap();
    let mut link = Scripted::new([value(Op::Read32, 0x100_0400), value(Op::Read32, 0x100_1000)]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    let text = place
        .read(&mut proxy, &mut Vec::new())
        .unwrap_err()
        .to_string();
    for part in [
        "makes no sense",
        "IRQ_CFG of die 0",
        "IRQ_CFG of die 1",
        "overlap",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
