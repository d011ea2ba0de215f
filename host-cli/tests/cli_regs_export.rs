//! `aicprobe regs export`: a stock reader of SVD understands it, and the JSON says the same.

mod common;

use common::regs::{json, names, regs};
use serde_json::Value;
use svd_parser::svd::{Access, Device, MaybeArray, ModifiedWriteValues, ReadAction};

/// An export as a stock reader of the format understands it, arrays and clusters expanded.
#[track_caller]
fn svd(args: &[&str]) -> Device {
    let text = regs(&[&["export", "--format", "svd"], args].concat());
    let config = svd_parser::Config::default().expand(true);
    svd_parser::parse_with_config(&text, &config).expect("SVD")
}

/// Address of a register of the only peripheral.
fn address(device: &Device, name: &str) -> u64 {
    let peripheral = &device.peripherals[0];
    let offset = peripheral
        .registers()
        .find(|r| r.name == name)
        .map(|r| r.address_offset);
    peripheral.base_address + u64::from(offset.unwrap_or_else(|| panic!("no {name}")))
}

#[test]
fn svd_of_all_generations() {
    let device = svd(&[]);
    let found: Vec<_> = device
        .peripherals
        .iter()
        .map(|p| (p.name.as_str(), p.base_address, p.registers().count()))
        .collect();
    // Single registers, then arrays.
    let v1 = 17 + 4 + 3 + 1024 + 6 * 31 + 5 * 32;
    let v2 = 13 + 8 + 4096 + 5 * 128;
    assert_eq!(
        found,
        [
            ("AICv1", 0x2_3b10_0000, v1),
            ("AICv2", 0x2_8e10_0000, v2),
            ("AICv3", 0x3_0100_0000, v2)
        ]
    );
}

#[test]
fn svd_of_v1_has_the_published_addresses() {
    let device = svd(&["--soc", "t8103"]);
    assert_eq!(device.name, "T8103");
    let base = 0x2_3b10_0000;
    let expected = [
        ("REV", 0x0),
        ("GLB_CFG", 0x10),
        ("WHOAMI", 0x2000),
        ("EVENT", 0x2004),
        ("IPI_SEND", 0x2008),
        ("IPI_ACK", 0x200c),
        ("IPI_MASK_SET", 0x2024),
        ("IPI_MASK_CLR", 0x2028),
        ("TARGET_CPU0", 0x3000),
        ("TARGET_CPU605", 0x3000 + 605 * 4),
        ("SW_SET0", 0x4000),
        ("SW_CLR31", 0x40fc),
        ("MASK_SET0", 0x4100),
        ("MASK_CLR0", 0x4180),
        ("HW_STATE0", 0x4200),
        ("CPU_WHOAMI0", 0x5000),
        ("CPU_IPI_SET7", 0x5388),
        ("CPU_IPI_MASK_CLR30", 0x5f28),
        ("CNTPCT_LOW", 0x8020),
        ("CNTPCT_HIGH", 0x8028),
    ];
    for (name, offset) in expected {
        assert_eq!(address(&device, name), base + offset, "{name}");
    }
}

#[test]
fn svd_tells_access_side_effects_fields_and_values() {
    let device = svd(&["--soc", "T8140"]);
    let registers: Vec<_> = device.peripherals[0].registers().collect();
    let get = |name: &str| {
        registers
            .iter()
            .find(|r| r.name == name)
            .expect("the register")
    };
    let event = get("EVENT");
    assert_eq!(event.read_action, Some(ReadAction::Modify));
    assert_eq!(event.properties.access, Some(Access::ReadOnly));
    let fields: Vec<_> = event
        .fields()
        .map(|f| (f.name.as_str(), f.bit_range.msb(), f.bit_range.lsb()))
        .collect();
    assert_eq!(
        fields,
        [("number", 15, 0), ("kind", 23, 16), ("die", 31, 24)]
    );
    let kind = event.fields().nth(1).unwrap();
    let values: Vec<_> = kind.enumerated_values[0]
        .values
        .iter()
        .map(|v| (v.name.as_str(), v.value))
        .collect();
    assert_eq!(
        values,
        [
            ("nothing_pending", Some(0)),
            ("hardware_line", Some(1)),
            ("ipi_of_aicv1", Some(4))
        ]
    );
    assert_eq!(
        get("SW_SET5").modified_write_values,
        Some(ModifiedWriteValues::OneToSet)
    );
    assert_eq!(
        get("MASK_CLR5").modified_write_values,
        Some(ModifiedWriteValues::OneToClear)
    );
    assert_eq!(get("CONFIG").modified_write_values, None);
    assert!(
        get("EVENT")
            .description
            .as_ref()
            .unwrap()
            .contains("third party (driver)")
    );
}

#[test]
fn svd_of_two_dies_and_of_another_base() {
    let device = svd(&["--soc", "T6022"]);
    let base = 0x2_8e10_0000;
    let names: Vec<_> = device.peripherals[0]
        .all_registers()
        .map(|r| r.name.clone())
        .collect();
    assert_eq!(
        names.len(),
        13 + 8 + 2 * (4096 + 5 * 128),
        "{:?}",
        &names[..30]
    );
    let die1 = [
        ("DIE1_IRQ_CFG1832", 0x6a00 + 1832 * 4),
        ("DIE1_SW_SET0", 0xaa00),
        ("DIE1_SW_CLR0", 0xac00),
        ("DIE1_MASK_SET0", 0xae00),
        ("DIE1_MASK_CLR0", 0xb000),
        ("DIE1_HW_STATE0", 0xb200),
        ("DIE0_HW_STATE0", 0x6800),
        ("EVENT", 0xc000),
    ];
    for (name, offset) in die1 {
        assert_eq!(address(&device, name), base + offset, "{name}");
    }
    let device = svd(&["--generation", "v2", "--base", "0x700000000"]);
    assert_eq!(device.name, "AIC");
    assert_eq!(address(&device, "SW_SET0"), 0x7_0000_6000);
    let device = svd(&["--soc", "T8112"]);
    assert_eq!(address(&device, "EVENT"), 0x2_3b0c_8000);
    let blocks = device.peripherals[0].address_block.as_ref().unwrap();
    let blocks: Vec<_> = blocks.iter().map(|b| (b.offset, b.size)).collect();
    assert_eq!(blocks, [(0, 0x8000), (0x8000, 4)]);
}

/// Everything that both exports say of a SoC is the same.
#[test]
fn svd_and_json_agree() {
    for soc in ["T8015", "T8103", "T8112", "T6020", "T6031", "T8140"] {
        let text = regs(&["export", "--format", "svd", "--soc", soc]);
        let device = svd_parser::parse(&text).expect("SVD");
        let result = json(&["export", "--format", "json", "--soc", soc]);
        let controllers = result["controllers"].as_array().unwrap();
        assert_eq!(controllers.len(), 1, "{soc}");
        let base = controllers[0]["base"].as_str().unwrap();
        assert_eq!(base, format!("{:#x}", device.peripherals[0].base_address));
        let mut from_svd: Vec<_> = device.peripherals[0].registers().map(of_svd).collect();
        let registers = result["registers"].as_array().unwrap();
        let mut from_json: Vec<_> = registers
            .iter()
            .filter(|r| r["kind"] == "mmio")
            .map(of_json)
            .collect();
        from_svd.sort();
        from_json.sort();
        assert_eq!(from_svd, from_json, "{soc}");
    }
}

/// Name, offset, words, stride, fields.
type Summary = (String, u64, u64, u64, Vec<(String, u64, u64)>);

fn of_svd(r: &svd_parser::svd::Register) -> Summary {
    let (count, stride) = match r {
        MaybeArray::Single(_) => (1, 4),
        MaybeArray::Array(_, dim) => (dim.dim.into(), dim.dim_increment.into()),
    };
    let fields = r.fields().map(|f| {
        (
            f.name.clone(),
            f.bit_range.msb().into(),
            f.bit_range.lsb().into(),
        )
    });
    let name = r.name.trim_end_matches("[%s]").to_owned();
    (
        name,
        r.address_offset.into(),
        count,
        stride,
        fields.collect(),
    )
}

fn of_json(r: &Value) -> Summary {
    let number = |v: &Value| v.as_u64().expect("a number");
    let places = r["places"].as_array().expect("places");
    assert_eq!(places.len(), 1, "{r}");
    let place = &places[0];
    let offset = place["offset"]
        .as_str()
        .and_then(|text| text.strip_prefix("0x"));
    let offset = u64::from_str_radix(offset.expect("hex"), 16).expect("hex");
    let fields = r["fields"].as_array().expect("fields").iter().map(|f| {
        let name = f["name"].as_str().expect("a name").to_owned();
        (name, number(&f["msb"]), number(&f["lsb"]))
    });
    let name = r["name"].as_str().expect("a name").to_owned();
    (
        name,
        offset,
        number(&place["count"]),
        number(&place["stride"]),
        fields.collect(),
    )
}

#[test]
fn json_export_has_everything_with_sources() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("regs.json");
    let written = regs(&["export", "--format", "json", "-o", path.to_str().unwrap()]);
    assert_eq!(written, "");
    let text = std::fs::read_to_string(&path).unwrap();
    let result: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(result["schema"], "aicprobe.regs/1");
    assert_eq!(names(&result).len(), 142);
    assert_eq!(result["controllers"].as_array().unwrap().len(), 18);
    let words: Vec<_> = result["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["source"].clone())
        .collect();
    let known = |source: &Value| assert!(words.contains(source), "{source}");
    for register in result["registers"].as_array().unwrap() {
        known(&register["source"]);
        for field in register["fields"].as_array().unwrap() {
            known(&field["source"]);
            for value in field["values"].as_array().into_iter().flatten() {
                known(&value["source"]);
            }
        }
        if let Some(e) = register.get("encoding") {
            check_encoding(e, &register["access"]);
        }
    }
    let siq = result["registers"]
        .as_array()
        .unwrap()
        .iter()
        .find(|r| r["name"] == "SIQ_CFG_EL1")
        .unwrap();
    assert_eq!(siq["fields"][0]["values"][1]["source"], "silicon");
}

/// The instruction words follow from the five numbers.
fn check_encoding(e: &Value, access: &Value) {
    let n = |key: &str| e[key].as_u64().expect("a number");
    let name = format!(
        "S{}_{}_C{}_C{}_{}",
        n("op0"),
        n("op1"),
        n("crn"),
        n("crm"),
        n("op2")
    );
    assert_eq!(e["name"], name);
    let fields = n("op0") << 19 | n("op1") << 16 | n("crn") << 12 | n("crm") << 8 | n("op2") << 5;
    let (mrs, msr) = (0xd520_0000 | fields, 0xd500_0000 | fields);
    if access != "write-only" {
        assert_eq!(e["mrs_x0"], format!("{mrs:#x}"), "{name}");
    }
    if access != "read-only" {
        assert_eq!(e["msr_x0"], format!("{msr:#x}"), "{name}");
    }
    assert_eq!(e.get("mrs_x0").is_none(), access == "write-only", "{name}");
    assert_eq!(e.get("msr_x0").is_none(), access == "read-only", "{name}");
}

#[test]
fn a_base_is_a_page_with_room_behind_it() {
    let export = |base| {
        let output = common::program()
            .args([
                "regs", "export", "--format", "svd", "--soc", "T8140", "--base", base,
            ])
            .output()
            .expect("the program starts");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), text)
    };
    for base in [
        "0x1",
        "0x301002000",
        "0xffffffffffffffff",
        "0xffffffffffffc000",
    ] {
        let (code, text) = export(base);
        assert_eq!(code, Some(2), "{base}: {text}");
        assert!(
            text.contains("multiples of 0x4000 up to 0x"),
            "{base}: {text}"
        );
    }
    assert_eq!(export("0xffffffffffe34000"), (Some(0), String::new()));
    let (code, text) = export("0xffffffffffe38000");
    assert_eq!(code, Some(2), "its end would wrap: {text}");
}
