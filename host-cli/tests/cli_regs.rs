//! `aicprobe regs`: what it lists, shows and decodes is what the facts say; bad input is refused in one line.

mod common;

use common::regs::{HWIRQS, json, names, regs};
use common::{aicprobe, stderr, stdout};
use serde_json::Value;

#[test]
fn list_has_every_register_of_every_generation() {
    let of = |generation: &str| {
        let result = json(&["list", "--generation", generation, "--format", "json"]);
        assert_eq!(result["schema"], "aicprobe.regs.list/1");
        names(&result).len()
    };
    assert_eq!(
        [of("v1"), of("v2"), of("v3"), of("system")],
        [31, 20, 20, 97]
    );
    let all = json(&["list", "--format", "json"]);
    // EVENT and the five banks are of all generations, the other 14 of AICv2 are AICv3's too.
    assert_eq!(names(&all).len(), 31 + 14 + 97);
    let text = regs(&["list"]);
    for name in names(&all) {
        assert!(
            text.lines()
                .any(|line| line.split(' ').next() == Some(name)),
            "{name}"
        );
    }
    let line = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name));
        line.expect("a line")
            .split_whitespace()
            .take(5)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        line("EVENT "),
        ["EVENT", "0x2004", "0xc000", "0x40000", "1"]
    );
    assert_eq!(line("INFO3 "), ["INFO3", "-", "0xc", "0xc", "1"]);
    assert_eq!(
        line("TARGET_CPU "),
        ["TARGET_CPU", "0x3000", "-", "-", "1024"]
    );
    assert_eq!(line("SIQ_CFG_EL1 ")[1], "S3_4_C15_C10_4");
}

#[test]
fn list_of_one_generation_has_nothing_else() {
    let text = regs(&["list", "--generation", "v1"]);
    assert!(text.contains("WHOAMI") && !text.contains("INFO3") && !text.contains("SIQ_CFG"));
    let text = regs(&["list", "--generation", "system"]);
    assert!(text.starts_with("register") && text.contains("PMC9_EL1") && !text.contains("IRQ_CFG"));
}

#[test]
fn show_tells_place_fields_values_and_source() {
    let text = regs(&["show", "SIQ_CFG"]);
    for part in [
        "SIQ_CFG_EL1: system register, 64 bits, read-write; source: silicon",
        "also called APL_IRQ_CR_EL1",
        "S3_4_C15_C10_4; mrs x0 is 0xd53cfa80; msr from x0 is 0xd51cfa80",
        "routing  1:0    silicon",
        "= 0x3           never",
    ] {
        assert!(text.contains(part), "\"{part}\" in\n{text}");
    }
    let text = regs(&["show", "hw_state"]);
    for part in [
        "memory-mapped, 32 bits, read-only",
        "AICv1 at 0x4200, 32 words 0x4 bytes apart",
        "AICv2 at 0x6800, 128 words 0x4 bytes apart, the next die's 0x4a00 bytes further",
        "AICv3 at 0x14800",
    ] {
        assert!(text.contains(part), "\"{part}\" in\n{text}");
    }
    let text = regs(&["show", "CPU_IPI_SET"]);
    assert!(
        text.contains("AICv1 at 0x5008, 31 words 0x80 bytes apart"),
        "{text}"
    );
    assert!(text.contains("writing 1 to a bit sets it"), "{text}");
    let text = regs(&["show", "CNTPCT_LOW"]);
    assert!(
        text.contains("0x8020, outside the controller's window"),
        "{text}"
    );
    let text = regs(&["show", "UPMCR0"]);
    assert!(
        text.contains("T8015 (A11):") && text.contains("imode       10:8"),
        "{text}"
    );
}

#[test]
fn one_register_has_many_names_and_one_name_may_be_many_registers() {
    let called = |name: &str| {
        let result = json(&["show", name, "--format", "json"]);
        assert_eq!(result["schema"], "aicprobe.regs.show/1");
        names(&result).join(" ")
    };
    for name in ["siq_cfg_el1", "SIQ_CFG", "apl_irq_cr_el1", "s3_4_c15_c10_4"] {
        assert_eq!(called(name), "SIQ_CFG_EL1", "{name}");
    }
    assert_eq!(called("CAP0"), "CAP0 INFO1");
    assert_eq!(called("CONFIG"), "CONFIG GLB_CFG");
    assert_eq!(called("cntp_ctl"), "CNTP_CTL_EL0 CNTP_CTL_EL02");
}

#[test]
fn decode_takes_a_value_apart() {
    let text = regs(&["decode", "EVENT", "0x000103e4"]);
    for part in [
        "EVENT = 0x000103e4",
        "number  15:0   0x3e4 = 996  -",
        "kind    23:16  1            hardware line",
        "hardware line 0:996: die 0, number 996",
    ] {
        assert!(text.contains(part), "\"{part}\" in\n{text}");
    }
    assert_eq!(
        regs(&["decode", "event", "66532"]),
        text,
        "decimal is the same"
    );
    let text = regs(&["decode", "SIQ_CFG", "0xffffffffffffffff"]);
    assert!(
        text.contains("routing  1:0   3      never    silicon"),
        "{text}"
    );
    assert!(
        text.contains("bits of no known field: 0xfffffffffffffffc"),
        "{text}"
    );
    let text = regs(&["decode", "GLB_CFG", "0xe0477971"]);
    for part in [
        "wait_0       7:4    7",
        "wait_1       11:8   9",
        "clock_gates  31:29  7",
    ] {
        assert!(text.contains(part), "\"{part}\" in\n{text}");
    }
    assert!(text.contains("bits of no known field: 0x400000"), "{text}");
    let text = regs(&["decode", "PMCR0", "0x800"]);
    assert!(
        text.contains("iact                     11     1      active"),
        "{text}"
    );
    let text = regs(&["decode", "PMC3", "17"]);
    assert!(
        text.contains("PMC3_EL1 = 0x0000000000000011\n  no field is published"),
        "{text}"
    );
    let text = regs(&["decode", "ESR_EL1", "0x6230f815"]);
    assert!(text.contains("trapped MSR, MRS"), "{text}");
}

#[test]
fn decode_of_an_ambiguous_name_gives_every_reading() {
    let result = json(&["decode", "CFG", "1", "--format", "json"]);
    assert_eq!(result["schema"], "aicprobe.regs.decode/1");
    let readings = result["readings"].as_array().unwrap();
    let of: Vec<_> = readings
        .iter()
        .map(|r| r["register"].as_str().unwrap())
        .collect();
    assert_eq!(of, ["GLB_CFG", "CONFIG"]);
    let result = json(&["decode", "CONFIG", "1", "--format", "json"]);
    assert_eq!(result["readings"].as_array().unwrap().len(), 1);
    let field = &result["readings"][0]["fields"][0];
    assert_eq!(
        (&field["name"], &field["value"], &field["meaning"]),
        (&"enable".into(), &1.into(), &"on".into())
    );
}

#[test]
fn decode_hwirq_knows_the_published_numbers() {
    for (hwirq, number) in HWIRQS {
        let text = regs(&["decode", "hwirq", &hwirq.to_string()]);
        let line = format!("hardware line 0:{number}: die 0, number {number}");
        assert!(text.contains(&line), "{text}");
    }
    let die1 = json(&["decode", "HWIRQ", "0x01010168", "--format", "json"]);
    let hwirq = &die1["hwirq"];
    assert_eq!(
        (&hwirq["line"], &hwirq["reading"]),
        (&"1:360".into(), &"hardware-line".into())
    );
    assert_eq!(
        (&hwirq["die"], &hwirq["type"], &hwirq["number"]),
        (&1.into(), &1.into(), &360.into())
    );
    assert!(die1.get("readings").is_none());
}

#[test]
fn decode_hwirq_says_what_cannot_be_decoded() {
    let cases = [
        ("627", "plain line 0:627, hwirq 66163"),
        ("0", "physical timer of the hypervisor"),
        ("4", "performance counters of E cores"),
        ("5", "performance counters of P cores"),
        ("526336", "type 8 is not published"),
        ("524288", "rows of other interrupt controllers (PCI MSI"),
        ("0x00020168", "line 1:360, whose number is 0x1010168"),
        ("4294967295", "type 255"),
    ];
    for (hwirq, says) in cases {
        let text = regs(&["decode", "hwirq", hwirq]);
        assert!(
            text.contains("not decodable as") && text.contains(says),
            "{text}"
        );
        let result = json(&["decode", "hwirq", hwirq, "--format", "json"]);
        assert_eq!(result["hwirq"]["reading"], "not-decodable");
        assert_eq!(result["hwirq"]["line"], Value::Null);
    }
    let text = regs(&["decode", "hwirq", "0x40001"]);
    assert!(text.contains("AICv1: IPI from another CPU"), "{text}");
}

/// Runs `regs` with `args`, which must be refused with one line.
#[track_caller]
fn refused(args: &[&str], says: &[&str]) {
    let output = aicprobe(&[&["regs"], args].concat());
    let text = stderr(&output);
    assert_eq!(
        (output.status.code(), stdout(&output)),
        (Some(2), String::new()),
        "{text}"
    );
    assert!(
        text.starts_with("aicprobe: ") && common::remarks(&text) == 1,
        "{text}"
    );
    for part in says {
        assert!(text.contains(part), "\"{part}\" in {text}");
    }
}

#[test]
fn bad_input_is_refused_in_one_line() {
    refused(&["show", "SIQ"], &["\"SIQ\"", "did you mean SIQ_CFG_EL1?"]);
    refused(&["show", "EVNT"], &["did you mean EVENT"]);
    refused(
        &["show", "xyzzy"],
        &["no register is called \"xyzzy\"", "regs list"],
    );
    refused(&["show", ""], &["no register is called \"\""]);
    refused(&["show", "S3_4_C15_C10_9"], &["no register is called"]);
    refused(&["show", "hwirq"], &["no register is called \"hwirq\""]);
    refused(&["decode", "xyzzy", "1"], &["\"xyzzy\""]);
    refused(
        &["decode", "EVENT", "0x100000000"],
        &["0x100000000 does not fit EVENT", "32 bits"],
    );
    refused(
        &["decode", "CFG", "4294967296"],
        &["does not fit", "32 bits"],
    );
    for value in [
        "-1",
        "",
        "x",
        "0x",
        "1.5",
        "0x10000000000000000",
        "18446744073709551616",
        "1_0",
        "+1",
        "0x+1",
    ] {
        refused(
            &["decode", "SIQ_CFG", value],
            &["is no value of a register", "at most 64 bits"],
        );
    }
    for number in ["4294967296", "-1", "0x100000000", "", "many"] {
        refused(
            &["decode", "hwirq", number],
            &["is no interrupt number", "0 to 4294967295"],
        );
    }
    refused(
        &["export", "--format", "svd", "--soc", "T9999"],
        &["T9999", "T8140", "T6021"],
    );
    refused(
        &["export", "--format", "svd", "--base", "0x1000"],
        &["--base needs --soc or --generation"],
    );
    refused(
        &[
            "export", "--format", "json", "--soc", "T8140", "--base", "4096",
        ],
        &["--base goes only with"],
    );
}

#[test]
fn missing_and_unknown_options_are_usage() {
    let wrong: &[&[&str]] = &[
        &[],
        &["list", "--generation", "v4"],
        &["show"],
        &["decode", "EVENT"],
        &["export"],
        &["export", "--format", "xml"],
        &[
            "export",
            "--format",
            "svd",
            "--soc",
            "T8140",
            "--generation",
            "v3",
        ],
        &["export", "--format", "svd", "--generation", "system"],
        &[
            "export", "--format", "svd", "--soc", "T8140", "--base", "-1",
        ],
    ];
    for args in wrong {
        let output = aicprobe(&[&["regs"], *args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(stdout(&output), "", "{args:?}");
    }
}
