use super::*;

const T8140: &str = include_str!("../../../socs/t8140.toml");
const T8103: &str = include_str!("../../../socs/t8103.toml");
const T6020: &str = include_str!("../../../socs/t6020.toml");

#[test]
fn the_files_built_in_are_good() {
    let socs = all().unwrap();
    let ids: Vec<u32> = socs.iter().map(|soc| soc.chip_id).collect();
    let mut ordered = ids.clone();
    ordered.sort_unstable();
    ordered.dedup();
    assert_eq!(ids, ordered);
    let t8140 = of_chip(0x8140).unwrap().unwrap();
    assert_eq!(t8140.state, State::Silicon);
    let (id, cpu) = t8140.sole_acceptor().unwrap();
    assert_eq!((id, cpu.mpidr.0), (0, 0x8001_0100));
    let classes = t8140.values.by_value().map(|v| v.class);
    use Class::{Fallback, Never, Normal, Preferred};
    assert_eq!(classes, [Normal, Preferred, Fallback, Never]);
    assert_eq!(of_chip(0x1234).unwrap(), None);
}

/// Only one SoC's routing was measured and published: whoever adds another one has evidence for it.
#[test]
fn only_what_was_measured_is_silicon() {
    for soc in all().unwrap() {
        let measured = !soc.evidence.is_empty();
        assert_eq!(soc.state == State::Silicon, measured, "{}", soc.soc);
        assert!(measured || !soc.allow_list.listed, "{}", soc.soc);
    }
}

/// The models are stated apart from these files, and both from the same facts.
#[test]
fn the_models_agree() {
    for soc in all().unwrap() {
        let model = virtual_soc::SocModel::builtin(&soc.soc.to_lowercase()).expect("a model");
        let name = &soc.soc;
        assert_eq!(model.chip_id, soc.chip_id, "{name}");
        let (boot, others): (Vec<_>, Vec<_>) = model.cpu.iter().partition(|c| c.boot);
        let board = model.adt.target_type.as_str();
        let theirs: Vec<(u64, u64, bool)> = boot
            .into_iter()
            .chain(others)
            .map(|c| {
                (
                    c.mpidr,
                    model.loader.writes_siq_cfg.unwrap_or(c.siq_cfg),
                    c.present,
                )
            })
            .collect();
        let ours: Vec<(u64, u64, bool)> = soc
            .cpu
            .iter()
            .map(|c| {
                (
                    c.mpidr.0,
                    c.field.into(),
                    !c.absent_on.iter().any(|b| b == board),
                )
            })
            .collect();
        assert_eq!(ours, theirs, "{name}");
        let classes = soc.values.by_value().map(|v| v.class.name().to_owned());
        let modelled = model.siq.classes.map(|c| format!("{c:?}").to_lowercase());
        assert_eq!(classes, modelled, "{name}");
        assert_eq!(soc.aic.generation, model.aic.generation, "{name}");
        assert_eq!(u32::from(soc.aic.dies), model.aic.dies, "{name}");
        assert!(
            soc.aic.nr_irq.is_none_or(|n| n == model.aic.nr_irq),
            "{name}"
        );
    }
}

#[test]
fn what_is_wrong_is_named_with_its_place_and_what_is_allowed() {
    let cases = [
        (
            "schema = \"aicprobe.soc/1\"",
            "schema = \"aicprobe.soc/2\"",
            "schema: allowed is \"aicprobe.soc/1\"",
        ),
        (
            "chip_id = 0x8140",
            "chip_id = 0x40",
            "chip_id: allowed are 0x1000 to 0xffff",
        ),
        (
            "chip_id = 0x8140",
            "chip_id = 0x8142",
            "soc: the chip id is 0x8142: allowed is \"T8142\"",
        ),
        ("chip_id = 0x8140", "chip_id = -1", "line 4: invalid value"),
        ("name = \"A18 Pro\"", "name = \" \"", "name: it is empty"),
        (
            "name = \"A18 Pro\"",
            "name = \"A18\\nPro\"",
            "name: allowed are up to 500",
        ),
        (
            "name = \"A18 Pro\"",
            "name = \"A18 Pro\"\nnick = \"x\"",
            "line 6: unknown field `nick`",
        ),
        (
            "state = \"silicon\"",
            "state = \"certain\"",
            "line 6: unknown variant `certain`",
        ),
        (
            "accepting = [0]",
            "accepting = []",
            "accepting: by the fields and their classes it is [0]",
        ),
        (
            "accepting = [0]",
            "accepting = [6]",
            "accepting: CPU 6: allowed are 0 to 5",
        ),
        (
            "accepting = [0]",
            "accepting = [0, 1]",
            "accepting: CPU 1 has field 3, whose class is \"never\"",
        ),
        (
            "accepting = [0]",
            "accepting = [0, 0]",
            "accepting: by the fields and their classes it is [0]",
        ),
        (
            "online_refresh = false",
            "online_refresh = true",
            "online_refresh: 1 CPUs accept: allowed is false",
        ),
        (
            "field = 0",
            "field = 4",
            "cpu[0].field: 4: allowed are 0 to 3",
        ),
        ("field = 0", "field = 3", "accepting: CPU 0 has field 3"),
        (
            "field = 3",
            "field = 2",
            "accepting: by the fields and their classes it is [0, 1]",
        ),
        (
            "mpidr = 0x80000000",
            "mpidr = 0x80000001",
            "cpu[2].mpidr: 0x80000001: another CPU has it",
        ),
        (
            "mpidr = 0x80000000",
            "mpidr = 0",
            "cpu[1].mpidr: 0x0: allowed are 0x80000000 to 0x80ffffff",
        ),
        (
            "mpidr = 0x80000000",
            "mpidr = \"x\"",
            "invalid value: string \"x\"",
        ),
        (
            "core = \"P\"",
            "core = \"E\"",
            "cpu[0].core: MPIDR 0x80010100 is that of a core of kind P",
        ),
        (
            "boot = true",
            "boot = false",
            "cpu[0].boot: the boot CPU is the first one",
        ),
        (
            "boot = false",
            "boot = true",
            "cpu[1].boot: the boot CPU is the first one",
        ),
        (
            "boot = true",
            "boot = true\nabsent_on = [\"J1\"]",
            "cpu[0].absent_on: no machine lacks its boot CPU",
        ),
        (
            "compatible = \"apple,t8140-aic3\"",
            "compatible = \"arm,gic\"",
            "aic.compatible: allowed is",
        ),
        (
            "generation = 3",
            "generation = 4",
            "aic.generation: allowed are 1 to 3",
        ),
        (
            "nr_irq = 1504",
            "nr_irq = 0",
            "aic.nr_irq: allowed are 1 to 4096",
        ),
        ("dies = 1", "dies = 9", "aic.dies: allowed are 1 to 8"),
        ("dies = 1", "", "missing field `dies`"),
        ("[values.3]", "[values.4]", "unknown field `4`"),
        (
            "class = \"never\"",
            "class = \"normal\"",
            "accepting: by the fields and their classes it is [0, 1, 2, 3, 4, 5]",
        ),
        (
            "class = \"preferred\"\nstate = \"silicon\"",
            "class = \"preferred\"\nstate = \"model only\"",
            "state: \"silicon\", but some value or field is only \"model only\"",
        ),
        (
            "kind = \"publication\"",
            "kind = \"run\"",
            "evidence[0].date: allowed is YYYY-MM-DD",
        ),
        (
            "date = \"2026-10\"",
            "date = \"2026-13\"",
            "evidence[0].date: allowed is YYYY-MM or",
        ),
        (
            "misses = 0",
            "misses = 193",
            "evidence[0].misses: 193 of 192",
        ),
        (
            "kind = \"publication\"",
            "kind = \"publication\"\nurl = \"ftp://x\"",
            "evidence[0].url: allowed is",
        ),
        (
            "kind = \"publication\"",
            "kind = \"publication\"\nsha256 = \"ABC\"",
            "evidence[0].sha256: allowed are 64 digits",
        ),
        (
            "listed = true",
            "listed = \"yes\"",
            "invalid type: string \"yes\", expected a boolean",
        ),
    ];
    for (from, to, says) in cases {
        assert!(T8140.contains(from), "{from}");
        let text = T8140.replacen(from, to, 1);
        let error = parse("t8140.toml", &text).unwrap_err().to_string();
        assert!(error.starts_with("t8140.toml: "), "{error}");
        assert!(error.contains(says), "{to}: {error}, not {says}");
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn silicon_needs_evidence_and_a_list_needs_silicon() {
    let without = T8140.split("[[evidence]]").next().unwrap().to_owned();
    let without = without + "[allow_list]\nlisted = true\nwhy = \"w\"\n";
    let error = parse("t8140.toml", &without).unwrap_err().to_string();
    assert!(
        error.contains("state: \"silicon\" needs an [[evidence]]"),
        "{error}"
    );
    let listed = T6020.replacen("listed = false", "listed = true", 1);
    let error = parse("t6020.toml", &listed).unwrap_err().to_string();
    assert!(
        error.contains("allow_list.listed: the state is \"inference\""),
        "{error}"
    );
}

#[test]
fn a_run_is_counted_once() {
    let run = format!(
        "[[evidence]]\nkind = \"run\"\nwhat = \"verify\"\ndevice = \"J700\"\ndate = \"2026-12-01\"\nsha256 = \"{}\"\n\n",
        "0f".repeat(32)
    );
    let once = T8140.replacen("[allow_list]", &format!("{run}[allow_list]"), 1);
    assert_eq!(parse("t8140.toml", &once).unwrap().evidence.len(), 2);
    let twice = once.replacen("[allow_list]", &format!("{run}[allow_list]"), 1);
    let error = parse("t8140.toml", &twice).unwrap_err().to_string();
    assert!(
        error.contains("evidence[2].sha256: another entry has it"),
        "{error}"
    );
    let unproven = once.replacen("sha256", "#", 1);
    let error = parse("t8140.toml", &unproven).unwrap_err().to_string();
    assert!(error.contains("evidence[1].sha256: a run needs"), "{error}");
}

#[test]
fn the_field_says_nothing_on_aicv1() {
    let text = T8103.replacen("class = \"normal\"", "class = \"never\"", 1);
    let error = parse("t8103.toml", &text).unwrap_err().to_string();
    assert!(error.contains("values.0.class: AICv1 goes by"), "{error}");
}

#[test]
fn a_file_is_called_as_its_soc() {
    let error = parse("socs/t8142.toml", T8140).unwrap_err().to_string();
    assert!(error.contains("allowed is the name t8140.toml"), "{error}");
}

#[test]
fn json_and_toml_are_read_alike() {
    for soc in all().unwrap() {
        let json = serde_json::to_string(soc).unwrap();
        assert_eq!(&serde_json::from_str::<Soc>(&json).unwrap(), soc);
    }
}

#[test]
fn folders() {
    let folder = tempfile::tempdir().unwrap();
    let error = load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("no file of a SoC in it"), "{error}");
    std::fs::write(folder.path().join("t8140.toml"), T8140).unwrap();
    std::fs::write(folder.path().join("t6020.toml"), T6020).unwrap();
    std::fs::write(folder.path().join("README.md"), "no SoC").unwrap();
    let names: Vec<String> = load(folder.path())
        .unwrap()
        .into_iter()
        .map(|s| s.soc)
        .collect();
    assert_eq!(names, ["T6020", "T8140"]);
    std::fs::write(folder.path().join("t8142.toml"), b"\xff").unwrap();
    let error = load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("t8142.toml: byte 0: no UTF-8"), "{error}");
    let gone = folder.path().join("gone");
    assert!(
        load(&gone)
            .unwrap_err()
            .to_string()
            .contains("No such file")
    );
}

#[test]
fn boards_that_lack_cpus() {
    let soc = parse("t6020.toml", T6020).unwrap();
    let on = |board| soc.cpus_on(board).map(|c| c.mpidr.0).collect::<Vec<_>>();
    assert_eq!(on("J414s").len(), 12);
    let binned = on("J474s");
    assert_eq!(binned.len(), 10);
    assert!(!binned.contains(&0x8001_0103) && !binned.contains(&0x8001_0203));
}
