//! Model files: what is wrong is said with file, key, value and what is allowed.

use virtual_soc::SocModel;

const T8140: &str = include_str!("../models/t8140.toml");

fn error(text: &str) -> String {
    SocModel::from_toml(text, "my.toml")
        .expect_err("must be refused")
        .to_string()
}

/// The built-in text with one replacement.
fn changed(from: &str, to: &str) -> String {
    assert!(T8140.contains(from), "{from:?} is not in the model");
    T8140.replacen(from, to, 1)
}

#[test]
fn malformed_text() {
    let e = error("name = ");
    assert!(e.starts_with("my.toml: ") && e.contains("line 1"), "{e}");
    assert!(error("").contains("missing field"), "{}", error(""));
}

#[test]
fn unknown_and_mistyped_keys() {
    let e = error(&changed("nr_irq = 1504", "nr_irqs = 1504"));
    assert!(e.contains("nr_irqs") && e.contains("nr_irq"), "{e}");
    let e = error(&changed("on_masked = \"move\"", "on_masked = \"jump\""));
    assert!(
        e.contains("jump") && e.contains("wait") && e.contains("move"),
        "{e}"
    );
    let e = error(&changed("nr_irq = 1504", "nr_irq = \"many\""));
    assert!(e.contains("many") && e.contains("nr_irq"), "{e}");
    let e = error(&changed(
        "classes_source = \"silicon",
        "classes_source = \"hearsay",
    ));
    assert!(e.contains("hearsay") && e.contains("third party"), "{e}");
}

#[test]
fn values_out_of_range() {
    let cases = [
        (
            "nr_irq = 1504",
            "nr_irq = 5000",
            "aic.nr_irq = 5000",
            "1 to 4096",
        ),
        (
            "max_irq = 0x1000",
            "max_irq = 0x1001",
            "aic.max_irq = 0x1001",
            "multiple of 32",
        ),
        ("boot = true", "boot = false", "cpu[].boot", "exactly one"),
        ("adt_id = 1", "adt_id = 0", "cpu[1].adt_id = 0", "cpu[0]"),
        (
            "size = 0x1cc000",
            "size = 0x10000",
            "aic.size = 0x10000",
            "0x14a00",
        ),
        (
            "size = 0x20000000",
            "size = 0x100000",
            "ram.size = 0x100000",
            "multiple of 0x2000000",
        ),
        (
            "event = 0x40000",
            "event = 0x1cc000",
            "aic.event = 0x1cc000",
            "inside aic.size",
        ),
        (
            "\"S3_1_C15_C0_0\"",
            "\"PMCR0\"",
            "sysregs.zero[0] = PMCR0",
            "S3_5_C15_C5_0",
        ),
        (
            "[\"self\", \"aic\", \"self\"]",
            "[\"gic\"]",
            "gic",
            "\"aic\"",
        ),
        (
            "bytes_per_second = 30000000",
            "bytes_per_second = 0",
            "loader.bytes_per_second = 0",
            "1000 to",
        ),
    ];
    for (from, to, key, allowed) in cases {
        let e = error(&changed(from, to));
        assert!(
            e.contains("my.toml") && e.contains(key) && e.contains(allowed),
            "{to}: {e}"
        );
    }
}

#[test]
fn absurd_values() {
    /// A change, the key it is refused for, and what is allowed.
    type Case = (fn(&mut SocModel), &'static str, &'static str);
    let refuse = |change: fn(&mut SocModel)| {
        let mut model = SocModel::builtin("t8140").expect("built in");
        change(&mut model);
        model.validate("x").expect_err("refused").to_string()
    };
    let cases: [Case; 15] = [
        (|m| m.counter.hz = 999, "counter.hz = 999", "1000 to"),
        (
            |m| m.counter.hz = 10_000_000_001,
            "counter.hz",
            "1000 to 10000000000",
        ),
        (
            |m| m.counter.step = 24_001,
            "counter.step = 24001",
            "1 to 24000",
        ),
        (
            |m| m.name = "a\u{1b}[2Jb".into(),
            "name = a\\u{1b}[2Jb",
            "control character",
        ),
        (
            |m| m.title = "two\nlines".into(),
            "title = two\\nlines",
            "control character",
        ),
        (|m| m.title = "x".repeat(201), "title", "200 characters"),
        (
            |m| m.aic.event = 0x14400,
            "aic.event = 0x14400",
            "outside every bank",
        ),
        (
            |m| m.aic.event = 4,
            "aic.event = 0x4",
            "beyond the global registers",
        ),
        (
            |m| m.aic.irq_cfg = 0x10,
            "aic.irq_cfg = 0x10",
            "beyond the global registers",
        ),
        (
            |m| (m.aic.dies, m.aic.set_stride) = (2, 0x100),
            "aic strides",
            "keep the banks of all dies apart",
        ),
        (
            |m| m.aic.base = m.ram.base - 0x1000,
            "aic.base",
            "apart from ram",
        ),
        (
            |m| m.aic.base = u64::MAX - 0x1000,
            "aic.base",
            "below 0x1000000000000",
        ),
        (
            |m| m.defect.swap_cpus = Some([0, 17]),
            "defect.swap_cpus = 17",
            "present CPU",
        ),
        (
            |m| m.loader.leaves_inactive = vec![6],
            "loader.leaves_inactive = 6",
            "present CPU",
        ),
        (
            |m| m.defect.move_after_ms = 10_001,
            "defect.move_after_ms",
            "0 to 10000",
        ),
    ];
    for (change, key, allowed) in cases {
        let e = refuse(change);
        assert!(e.contains(key) && e.contains(allowed), "{key}: {e}");
    }
    let huge = format!("# {}\n{T8140}", "x".repeat(1 << 20));
    let e = error(&huge);
    assert!(e.contains("at most 1048576"), "{e}");
}

#[test]
fn a_model_may_extend_a_built_in_one() {
    let text = "extends = \"t8140\"\nname = \"mine\"\n[siq]\ndelivery_ns = 5\n[aic]\nhigh = [{ number = 7 }]\n";
    let model = SocModel::from_toml(text, "mine.toml").expect("loads");
    assert_eq!(
        (model.name.as_str(), model.siq.delivery_ns, model.aic.nr_irq),
        ("mine", 5, 1504)
    );
    assert_eq!(model.aic.high.len(), 1);
    let e = error("extends = \"t9999\"");
    assert!(e.contains("t9999") && e.contains("t8140"), "{e}");
    let e = error("extends = \"t8140\"\n[siq]\npatience = 5\n");
    assert!(e.contains("patience"), "{e}");
    let e = error("extends = \"t8140\"\n[aic]\nhigh = [{ number = 1504 }]\n");
    assert!(
        e.contains("aic.high[0]") && e.contains("number below 1504"),
        "{e}"
    );
}

#[test]
fn lines_that_toggle_are_checked() {
    let with = |aic: &str| format!("extends = \"t8140\"\n[aic]\n{aic}\n");
    let good = with("toggles = [{ die = 0, number = 1503, half_period_ns = 1000 }]");
    let model = SocModel::from_toml(&good, "mine.toml").expect("loads");
    assert_eq!(model.aic.toggles[0].half_period_ns, 1000);
    for (aic, says) in [
        (
            "toggles = [{ number = 1504, half_period_ns = 1000 }]",
            "aic.toggles[0] = die 0, number 1504",
        ),
        (
            "toggles = [{ die = 1, number = 5, half_period_ns = 1000 }]",
            "die below 1",
        ),
        (
            "toggles = [{ number = 5, half_period_ns = 999 }]",
            "aic.toggles[0].half_period_ns = 999",
        ),
        (
            "toggles = [{ number = 5, half_period_ns = 10000000001 }]",
            "1000 to 10000000000",
        ),
        ("toggles = [{ number = 5 }]", "half_period_ns"),
        (
            "toggles = [{ number = 5, half_period_ns = 1000 }, { number = 5, half_period_ns = 2000 }]",
            "aic.toggles[1]",
        ),
        (
            "high = [{ number = 5 }]\ntoggles = [{ number = 5, half_period_ns = 1000 }]",
            "not in aic.high",
        ),
    ] {
        let e = error(&with(aic));
        assert!(e.contains(says), "{aic}: {e}");
    }
}

#[test]
fn a_base_is_not_a_machine() {
    assert!(SocModel::builtin("base-m4").is_none());
    assert!(!SocModel::builtin_names().contains(&"base-m4"));
    let e = error("extends = \"base-m4\"\nname = \"x\"\n");
    assert!(e.contains("missing field"), "{e}");
}

#[test]
fn t8140_says_where_its_facts_come_from() {
    let model = SocModel::builtin("t8140").expect("built in");
    use virtual_soc::model::SourceKind;
    assert_eq!(model.siq.classes_source.kind, SourceKind::Silicon);
    assert_eq!(model.siq.choice_source.kind, SourceKind::ModelOnly);
    assert_eq!(model.siq.masked_source.kind, SourceKind::Inference);
    let sources = model.sources();
    assert_eq!(sources.len(), 26);
    assert!(
        sources
            .iter()
            .any(|(key, s)| key == "aic.config" && s.kind == SourceKind::Inference)
    );
    let fields: Vec<u64> = model.cpu.iter().map(|c| c.siq_cfg).collect();
    assert_eq!(fields, [3, 3, 3, 3, 0, 3]);
}
