//! Public reports of people who bring up such machines, each replayed on input of the same shape that was made for this test.
//! The address above a test is that of the report.

mod common;

use adt::NodeBuilder;
use common::regs::HWIRQS;
use common::trees::{Folder, synthetic};
use common::{aicprobe, stderr, stdout};
use host_cli::target::BootArgs;
use serde_json::Value;

/// Runs the program; exit code, JSON of its standard output if it is any, standard error.
fn run(args: &[&str]) -> (Option<i32>, Value, String) {
    let output = aicprobe(args);
    let json = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), json, stderr(&output))
}

/// The result of a command that has to succeed.
#[track_caller]
fn good(args: &[&str]) -> Value {
    let mut all = vec!["-q"];
    all.extend(args);
    all.extend(["--format", "json"]);
    let (code, json, text) = run(&all);
    assert_eq!(code, Some(0), "{args:?}: {text}");
    json
}

/// A virtual machine: a built-in one, changed.
fn machine(folder: &Folder, base: &str, changes: &str) -> String {
    let text = format!("extends = \"{base}\"\nname = \"report\"\n{changes}");
    format!("vm:{}", folder.file("machine.toml", text.as_bytes()))
}

fn list(json: &Value) -> &Vec<Value> {
    json.as_array().expect("a list")
}

/// The tree that most tests start from, `/arm-io` changed.
fn tree(folder: &Folder, change: impl FnOnce(NodeBuilder) -> NodeBuilder) -> String {
    let mut root = synthetic(2);
    let io = root.child_mut("arm-io").expect("there");
    *io = change(io.clone());
    folder.file("tree.adt", &root.build().expect("a tree"))
}

/// The bus and the physical address of a node's first window.
fn window(file: &str, path: &str) -> (String, String) {
    let json = good(&["adt", file, path, "--reg"]);
    let reg = &json["nodes"][0]["reg"][0];
    let text = |key: &str| reg[key].as_str().expect("an address").to_owned();
    (text("bus"), text("physical"))
}

/// The device tree names a line for the serial port that never moves, and the live one is named by nothing.
/// <https://github.com/AsahiLinux/m1n1/pull/628>
#[test]
fn the_tree_names_a_dead_line_and_misses_the_live_one() {
    let folder = Folder::new();
    let toggles = "[aic]\ntoggles = [{ number = 702, half_period_ns = 3300000 }]\n";
    let target = machine(&folder, "t8140", toggles);
    let json = good(&["lines", "--target", &target]);
    let live: Vec<_> = list(&json["suspicious"])
        .iter()
        .map(|s| (s["number"].clone(), s["level"].clone()))
        .collect();
    assert_eq!(live, [(702.into(), "toggles".into())]);
    assert!(
        list(&json["never_changed"]).contains(&470.into()),
        "the line that the tree names for the serial port: {}",
        json["never_changed"]
    );
    let (code, _, text) = run(&["-q", "lines", "--target", &target, "--line", "702"]);
    assert_eq!(code, Some(7), "{text}");
    assert!(text.contains("it toggles (HW_STATE)"), "{text}");
    // A line that is named and moves is no such finding.
    let target = machine(&folder, "t8140", &toggles.replace("702", "470"));
    let json = good(&["lines", "--target", &target]);
    assert!(!list(&json["never_changed"]).contains(&470.into()));
    assert_eq!(json["looked"]["owned_toggled"], 1);
}

/// A property whose layout nobody knows.
/// <https://github.com/AsahiLinux/m1n1/issues/215>
#[test]
fn a_property_of_unknown_layout_stays_bytes_and_the_rest_is_read() {
    let folder = Folder::new();
    let odd = [0x07, 0, 0, 0x80, 0x01, 0xff, 0x13, 0, 0, 0, 0xaa];
    let file = tree(&folder, |io| {
        io.child(NodeBuilder::new("pmgr").prop_bytes("devices", &odd))
            .child(NodeBuilder::new("behind").prop_u32s("interrupts", &[33]))
    });
    let json = good(&["adt", &file, "/arm-io/pmgr"]);
    let properties = list(&json["nodes"][0]["properties"]);
    let devices = properties.iter().find(|p| p["name"] == "devices");
    let devices = devices.expect("listed");
    assert_eq!(
        (&devices["type"], &devices["value"]),
        (&"bytes".into(), &"0700008001ff13000000aa".into())
    );
    let lines = good(&["lines", "--adt", &file]);
    assert!(list(&lines["owned"]).iter().any(|o| o["line"] == 33));
}

/// Nodes with `reg` below a parent that does not say how many cells an address has.
/// <https://github.com/AsahiLinux/m1n1/pull/535>
#[test]
fn missing_cell_counts_have_defaults() {
    let folder = Folder::new();
    let file = tree(&folder, |io| {
        let core =
            NodeBuilder::new("aux-core").prop_bytes("reg", &[1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0]);
        io.child(NodeBuilder::new("dptx-phy").prop_u32("x", 1).child(core))
    });
    let (bus, _) = window(&file, "/arm-io/dptx-phy/aux-core");
    assert_eq!(bus, "0x1");
    // The walk over all nodes does not end there.
    let json = good(&["adt", &file, "--reg"]);
    assert!(list(&json["nodes"]).len() >= 4, "{json}");
}

/// An ancestor without `ranges`.
/// <https://github.com/AsahiLinux/m1n1/pull/571>
#[test]
fn a_missing_ranges_ends_the_translation() {
    let folder = Folder::new();
    let file = tree(&folder, |io| {
        let bus = |name: &str| {
            NodeBuilder::new(name)
                .prop_u32("#address-cells", 2)
                .prop_u32("#size-cells", 2)
        };
        let rom = |name: &str| NodeBuilder::new(name).prop_u64s("reg", &[0x40, 0x10]);
        io.child(bus("spi3").child(rom("spinor"))).child(
            bus("soc")
                .prop_u64s("ranges", &[0, 0x1000, 0x1000])
                .child(rom("uart")),
        )
    });
    assert_eq!(
        window(&file, "/arm-io/spi3/spinor"),
        ("0x40".to_owned(), "0x40".to_owned())
    );
    assert_eq!(window(&file, "/arm-io/soc/uart").1, "0x200001040");
}

/// CPUs of old machines without `cpu-id`.
/// <https://github.com/AsahiLinux/m1n1/pull/417>
#[test]
fn cpus_without_ids_are_numbered_by_reg_and_the_running_one_is_the_boot_cpu() {
    let folder = Folder::new();
    let cpu = |reg: u32, state: &str| {
        NodeBuilder::new(&format!("cpu{reg}"))
            .prop_u32("reg", reg)
            .prop_str("state", state)
    };
    // As the virtual T8140 has them, so that its loader can be asked: the boot CPU is the fifth.
    let model = virtual_soc::SocModel::builtin("t8140").expect("built in");
    let cpus = model.cpu.iter().map(|c| {
        let state = if c.boot { "running" } else { "waiting" };
        cpu(c.reg, state)
    });
    let io = NodeBuilder::new("arm-io")
        .prop_u32("#address-cells", 2)
        .prop_u32("#size-cells", 2)
        .prop_u64s("ranges", &[0, 0x2_0000_0000, 0x4_0000_0000])
        .child(
            NodeBuilder::new("aic")
                .prop_str("compatible", "aic,3")
                .prop_u32("AAPL,phandle", 1)
                .prop_u32("#interrupt-cells", 1)
                .prop_u64s("reg", &[0x1_0100_0000, 0x1c_c000])
                .prop_u64("aic-iack-offset", 0x4_0000)
                .prop_u64("cap0-offset", 4)
                .prop_u64("maxnumirq-offset", 12),
        );
    let root = NodeBuilder::new("device-tree")
        .prop_u32("#address-cells", 2)
        .prop_u32("#size-cells", 2)
        .child(NodeBuilder::new("cpus").children(cpus))
        .child(io);
    let file = folder.file("old.adt", &root.build().expect("a tree"));
    let mut link = host_cli::link::VirtualLink::new(
        virtual_soc::VirtualTarget::from_model(&model, 1).expect("usable"),
    );
    let mut proxy = host_cli::proxy::Proxy::connect(&mut link).expect("a loader");
    let overrides = host_cli::target::Overrides {
        adt: Some(host_cli::target::AdtFile {
            origin: file.clone(),
            blob: std::fs::read(&file).expect("written"),
        }),
        ..host_cli::target::Overrides::default()
    };
    let target = host_cli::target::Target::discover_with(&mut proxy, &overrides).expect("usable");
    let boot = &target.cpus[0];
    assert!(boot.boot && target.cpus[1..].iter().all(|c| !c.boot));
    assert_eq!(boot.adt_id, boot.reg, "reg stands for the id");
    let marks = format!("{:?}", target.marks);
    assert!(marks.contains("no cpu-id: reg is used"), "{marks}");
}

/// Addresses of a tree taken for what a CPU uses.
/// wallace, 2026-07-27-t6040-adt-ranges-address-correction.md
#[test]
fn bus_and_physical_addresses_are_two_numbers() {
    let folder = Folder::new();
    let file = tree(&folder, |io| {
        io.prop_u64s("ranges", &[0, 0x2_0000_0000, 0x4_8000_0000])
            .child(NodeBuilder::new("intc").prop_u64s("reg", &[0x3_0240_0000, 0x1c_c000]))
            .child(NodeBuilder::new("uart0").prop_u64s("reg", &[0x2_2920_0000, 0x4000]))
    });
    for (path, bus, physical) in [
        ("/arm-io/intc", "0x302400000", "0x502400000"),
        ("/arm-io/uart0", "0x229200000", "0x429200000"),
    ] {
        assert_eq!(window(&file, path), (bus.to_owned(), physical.to_owned()));
        let text = stdout(&aicprobe(&["adt", &file, path, "--reg"]));
        let both = format!("bus {bus}  physical {physical}");
        assert!(text.contains(&both), "{text}");
    }
}

/// Boot arguments whose tree lies, as a number, below their virtual base.
/// <https://github.com/jbrahy/BraiNIXOS>
#[test]
fn the_address_of_the_tree_wraps() {
    let args = |devtree: u64, size: u32| {
        let mut bytes = [0u8; 0x6c];
        bytes[0] = 2;
        for (at, value) in [
            (0x08, 0xffff_ffff_ff02_0000u64),
            (0x10, 0x100_0102_0000),
            (0x60, devtree),
        ] {
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        bytes[0x68..].copy_from_slice(&size.to_le_bytes());
        BootArgs::parse(0x100_0361_0000, &bytes)
    };
    let found = args(0x161_c000, 0x7_8000).expect("usable");
    assert_eq!(
        (found.devtree, found.devtree_size),
        (0x100_0361_c000, 0x7_8000)
    );
    let wrong = args(0x161_c000, u32::MAX);
    assert!(wrong.is_err(), "a tree of 4 GiB: {wrong:?}");
}

/// What `route` says of a virtual machine, and its exit code.
fn route(target: &str, more: &[&str]) -> (Option<i32>, Value, String) {
    let mut args = vec!["-q", "route", "--format", "json", "--target", target];
    args.extend(more);
    run(&args)
}

/// One number of every CPU.
fn of_cpus(json: &Value, key: &str) -> Vec<Value> {
    list(&json["cpus"]).iter().map(|c| c[key].clone()).collect()
}

fn count(json: &Value, key: &str, value: &str) -> usize {
    of_cpus(json, key).iter().filter(|v| *v == value).count()
}

/// The boot CPU is not the first of the tree, and waking it stops the machine.
/// <https://github.com/AsahiLinux/m1n1/pull/357> and <https://github.com/AsahiLinux/m1n1/pull/563>
#[test]
fn a_boot_cpu_in_the_middle_is_cpu_0_and_is_never_woken() {
    needs_firmware!();
    let (code, json, text) = route("vm:t6040", &["--triggers", "2", "--fire-cpu", "1"]);
    assert_eq!(code, Some(0), "{text}");
    let boot = &json["cpus"][0];
    assert_eq!(
        (&boot["id"], &boot["adt_id"], &boot["mpidr"], &boot["boot"]),
        (&0.into(), &4.into(), &"0x80010100".into(), &true.into())
    );
    assert_eq!(
        of_cpus(&json, "boot")
            .iter()
            .filter(|b| **b == true)
            .count(),
        1
    );
    // Each said its own MPIDR, and whoever was called is the one that answered: the first of the tree is CPU 1.
    let next = &json["cpus"][1];
    assert_eq!(
        (&next["adt_id"], &next["mpidr"]),
        (&0.into(), &"0x80000000".into())
    );
    assert_eq!(count(&json, "state", "running"), 14);
    assert_eq!(json["cells"][0]["landed"][0], 2);
}

/// CPUs that are fused off leave gaps in the ids.
/// wallace, 2026-07-10-t6040-stagec-boot-session.md
#[test]
fn gaps_in_the_ids_shift_nobody() {
    needs_firmware!();
    let (code, json, text) = route("vm:t6040", &["--triggers", "2", "--fire-cpu", "13"]);
    assert_eq!(code, Some(0), "{text}");
    let ids = of_cpus(&json, "adt_id");
    assert!(!ids.contains(&9.into()), "{ids:?}");
    let after = list(&json["cpus"]).iter().find(|c| c["adt_id"] == 10);
    let after = after.expect("the one behind the gap");
    assert_eq!(
        (&after["id"], &after["mpidr"]),
        (&9.into(), &"0x80010200".into())
    );
    let cell = &json["cells"][0];
    assert_eq!(list(&cell["landed"]).len(), 14, "{cell}");
    assert_eq!((&cell["fire_cpu"], &cell["fired"]), (&13.into(), &2.into()));
    // T6020 lacks 7 and 11.
    let (code, json, text) = route("vm:t6020", &["--triggers", "2", "--fire-cpu", "9"]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(of_cpus(&json, "adt_id"), [0, 1, 2, 3, 4, 5, 6, 8, 9, 10]);
}

/// Reset vectors that cannot be written, and only some CPUs come up, or one.
/// The kind of <https://github.com/AsahiLinux/m1n1/pull/357>: machines whose other CPUs are not to be had.
#[test]
fn locked_reset_vectors_and_few_cpus_are_measured_as_far_as_they_go() {
    needs_firmware!();
    let folder = Folder::new();
    for (down, running) in [("[1, 2, 4, 5, 7]", 5), ("[0, 1, 2, 3, 4, 5, 7, 8, 9]", 1)] {
        let target = machine(
            &folder,
            "t8132",
            &format!("[loader]\nleaves_down = {down}\n"),
        );
        let (code, json, text) = route(&target, &["--triggers", "2"]);
        assert_eq!(code, Some(0), "{text}");
        assert_eq!(count(&json, "state", "running"), running);
        assert_eq!(count(&json, "state", "dead"), 10 - running);
        assert!(
            list(&json["cells"])
                .iter()
                .all(|c| c["fired"] == 2 && c["lost"] == 0)
        );
        assert_eq!(json["restored"], true);
        let marks = json["marks"].to_string();
        assert!(marks.contains("partial"), "{marks}");
    }
}

/// A read elsewhere raises an SError and the loader's protocol is out of step; or the target vanishes in the middle of a run.
/// <https://github.com/Gibgoyt/AppleSiliconM4>
#[test]
fn a_read_that_ends_in_serror_and_a_target_that_vanishes_end_the_session_cleanly() {
    let folder = Folder::new();
    let serror = machine(&folder, "t8140", "[faults]\noutside = \"s-error\"\n");
    let (code, json, text) = route(&serror, &["--aic-base", "0x311000000", "--dry-run"]);
    assert_eq!((code, json), (Some(3), Value::Null), "{text}");
    assert_eq!(
        text.lines().next(),
        Some("aicprobe: P_READ32 of 0x311000004 faulted on the target")
    );
    assert_eq!(common::remarks(&text), 1, "{text}");
    needs_firmware!();
    // Nothing outside known devices is read: such a machine is measured like any other.
    let (code, json, text) = route(&serror, &["--triggers", "2", "--fire-cpu", "1"]);
    assert_eq!((code, &json["restored"]), (Some(0), &true.into()), "{text}");

    let vanishes = machine(&folder, "t8140", "[faults]\nlink_dies_after = 1100\n");
    let (code, json, text) = route(&vanishes, &[]);
    assert_eq!(code, Some(4), "{text}");
    assert_eq!(json["complete"], false);
    let fired: u64 = list(&json["cells"])
        .iter()
        .filter_map(|c| c["fired"].as_u64())
        .sum();
    assert!(fired > 0, "what was measured is kept");
    assert!(
        text.contains(&format!("saved in the result: {fired} triggers"))
            && text.contains("restart it"),
        "{text}"
    );
}

/// The new controller's TARGET names no CPU: which of them takes an interrupt is up to each CPU's own register.
/// <http://artulab.com/gitweb/?a=commit&h=defbb6a1a100cf354b8df9b3b5577ffa63a8e97f&p=openbsd>
#[test]
fn target_and_willingness_are_told_apart() {
    needs_firmware!();
    let more = ["--target-nibble", "0", "--triggers", "8", "--fire-cpu", "0"];
    let (code, json, text) = route("vm:t6020", &more);
    assert_eq!(code, Some(0), "{text}");
    let cell = &json["cells"][0];
    assert_eq!(cell["irq_cfg"], "0x0");
    let takers = |cell: &Value| {
        let landed = list(&cell["landed"]).iter();
        landed.filter(|n| n.as_u64() > Some(0)).count()
    };
    assert!(takers(cell) > 1, "TARGET 0 is not CPU 0: {cell}");
    // With the same TARGET the fields decide: one CPU alone is willing.
    let mut alone = vec!["--target-nibble", "0", "--triggers", "8", "--fire-cpu", "0"];
    let folder = Folder::new();
    let changes: String = (0..12)
        .filter(|id| ![4, 7, 11].contains(id))
        .map(|id| format!("[[cpu_change]]\nadt_id = {id}\nsiq_cfg = 3\n"))
        .collect();
    let target = machine(
        &folder,
        "t6020",
        &format!("[loader]\nwrites_siq_cfg = 3\n{changes}"),
    );
    alone.extend(["--set-field", "4=2"]);
    let (code, json, text) = route(&target, &alone);
    assert_eq!(code, Some(0), "{text}");
    let cell = &json["cells"][0];
    assert_eq!(
        (&cell["irq_cfg"], &cell["fields"][4], &cell["landed"][4]),
        (&"0x0".into(), &2.into(), &8.into()),
        "{cell}"
    );
    // And with everybody willing, another TARGET reaches nobody.
    let (code, json, text) = route("vm:t6020", &["--target-nibble", "5", "--triggers", "8"]);
    assert_eq!(code, Some(0), "{text}");
    for cell in list(&json["cells"]) {
        assert_eq!((takers(cell), &cell["lost"]), (0, &8.into()), "{cell}");
    }
}

/// A device's line comes thousands of times a second.
/// <https://github.com/AsahiLinux/linux/issues/568>
#[test]
fn a_storm_is_stopped_its_line_left_masked_and_its_owner_named() {
    needs_firmware!();
    let folder = Folder::new();
    let device = "[aic]\nhigh = [{ number = 507 }]\n";
    let target = machine(&folder, "t8140", device);
    let line = ["--line", "507", "--triggers", "8", "--fire-cpu", "1"];
    let (code, _, text) = route(&target, &line);
    assert_eq!(code, Some(7), "{text}");
    assert!(text.contains("/arm-io/wdt names it"), "{text}");
    let forced = [&line[..], &["--force-line"]].concat();
    let (code, json, text) = route(&target, &forced);
    assert_eq!(code, Some(6), "{text}");
    assert!(
        text.contains("fires without end: it was left masked")
            && text.contains("/arm-io/wdt names it"),
        "{text}"
    );
    assert_eq!(json["restored"], true);
    let took = &json["cells"][0]["landed"];
    let took: u64 = list(took).iter().filter_map(Value::as_u64).sum();
    assert!(took < 100, "stopped after few: {took}");
}

/// Lines of devices pend already when somebody unmasks them, on a machine of two dies.
/// <https://github.com/nix-community/nixos-apple-silicon/issues/263>
#[test]
fn lines_that_pend_are_seen_before_anything_is_unmasked() {
    let folder = Folder::new();
    let changes =
        "[aic]\nhigh = [{ die = 1, number = 427 }]\nleft_unmasked = [{ die = 1, number = 427 }]\n";
    let target = machine(&folder, "t6002", changes);
    let (code, _, text) = route(&target, &["--line", "1:427", "--dry-run"]);
    assert_eq!(code, Some(7), "{text}");
    assert!(text.contains("it is high already (HW_STATE)"), "{text}");
    needs_firmware!();
    let (code, json, text) = route(
        &target,
        &["--line", "1:900", "--triggers", "4", "--fire-cpu", "1"],
    );
    assert_eq!(code, Some(0), "{text}");
    let cell = &json["cells"][0];
    assert_eq!(
        (&cell["fired"], &cell["lost"], &cell["spurious"]),
        (&4.into(), &0.into(), &0.into())
    );
    assert_eq!(json["restored"], true, "unmasked as it was");
}

/// A device that is hidden from everybody drives its line, and nobody is there to calm it.
/// <https://github.com/AsahiLinux/m1n1/pull/70>
#[test]
fn a_live_line_without_a_driver_is_listed_and_stays_masked() {
    let folder = Folder::new();
    let changes = "[aic]\nhigh = [{ number = 900 }]\nleft_unmasked = [{ number = 900 }]\n";
    let target = machine(&folder, "t8140", changes);
    let json = good(&["lines", "--target", &target]);
    let found = list(&json["suspicious"]);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (&found[0]["number"], &found[0]["level"]),
        (&900.into(), &"high".into())
    );
    needs_firmware!();
    let (code, json, text) = route(&target, &["--triggers", "64", "--fire-cpu", "0"]);
    assert_eq!(code, Some(0), "{text}");
    let cell = &json["cells"][0];
    assert_eq!(
        (&cell["landed"][0], &cell["spurious"], &cell["lost"]),
        (&64.into(), &0.into(), &0.into()),
        "its event is never taken"
    );
    assert_ne!(cell["line"]["number"], 900);
}

/// Lines that look unused and are PCIe ports' messages.
/// aurora, INTERRUPT_ISSUE.md
#[test]
fn lines_that_no_interrupts_names_can_belong_to_msi_ranges() {
    let folder = Folder::new();
    let file = tree(&folder, |io| {
        let port = |name: &str, first: u32| {
            NodeBuilder::new(name)
                .prop_u32("msi-vector-offset", first)
                .prop_u32("#msi-vectors", 32)
        };
        io.child(NodeBuilder::new("last").prop_u32s("interrupts", &[1832]))
            .child(port("apciec0", 1833))
            .child(port("apciec1", 1865))
            .child(port("apciec2", 1897))
            .child(port("apciec3", 1929))
    });
    let lines: Vec<String> = (1913..=1960).map(|n| n.to_string()).collect();
    let mut args = vec![
        "-q", "lines", "--format", "json", "--adt", &file, "--nr-irq", "1961",
    ];
    for line in &lines {
        args.extend(["--line", line]);
    }
    args.extend(["--line", "1800"]);
    let (code, json, text) = run(&args);
    assert_eq!(code, Some(7), "{text}");
    let asked = list(&json["asked"]);
    assert_eq!(asked.len(), 49);
    for line in &asked[..48] {
        assert_eq!(line["tests"], serde_json::json!(["msi-range"]), "{line}");
    }
    assert_eq!(
        (&asked[48]["number"], &asked[48]["spare"]),
        (&1800.into(), &true.into())
    );
    assert!(
        list(&json["gaps"])
            .iter()
            .all(|g| g["last"].as_u64() < Some(1833))
    );
}

/// Every number of /proc/interrupts that was collected from such reports, and what it is.
#[test]
fn numbers_of_proc_interrupts_are_their_lines() {
    let decode = |number: &str| good(&["regs", "decode", "hwirq", number])["hwirq"].clone();
    for (number, line) in HWIRQS {
        let found = decode(&number.to_string());
        assert_eq!(
            (&found["reading"], &found["line"]),
            (&"hardware-line".into(), &format!("0:{line}").into()),
            "{number}"
        );
    }
    let found = decode("0x01010168");
    assert_eq!(found["line"], "1:360", "the second die is bits 31:24");
    for number in ["627", "0", "4", "5", "526336", "524288", "0x00020168"] {
        let found = decode(number);
        assert_eq!(found["reading"], "not-decodable", "{number}");
        assert!(found["line"].is_null(), "{number}");
    }
}
