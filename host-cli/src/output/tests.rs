//! Outputs of a result made by hand.

use super::rows::{to_csv, to_json_lines, to_markdown};
use super::table::to_table;
use super::{Form, refuse_falling, render_routes, to_json};
use crate::plan::Group;
use crate::result::{
    Aic, Build, Cell, Counter, Cpu, CpuState, Line, Mark, MissBound, Restore, RouteResult, Summary,
};
use crate::stats::Latency;
use crate::target::{Core, SocFacts};

fn sample() -> RouteResult {
    let cpu = |id, state, boot| Cpu {
        id,
        adt_id: 4 - u32::from(id),
        mpidr: "0x80010100".into(),
        cluster: 1,
        core: Core::P,
        boot,
        state,
        siq_cfg: (state == CpuState::Running).then(|| "0x3".into()),
        midr: None,
    };
    let cell = Cell {
        id: 0,
        group: Group::Custom,
        line: Line::from(protocol::LineId {
            die: 1,
            number: 996,
        }),
        fire_cpu: 0,
        fields: vec![Some(2), None],
        fields_requested: vec![Some(2), None],
        target_cpus: None,
        irq_cfg: None,
        masked_cpus: vec![0],
        masked_us: vec![250],
        triggers: 32,
        timeout_us: 10_000,
        grace_us: 2,
        fired: 32,
        landed: vec![31, 0],
        offered: vec![32, 0],
        lost: 1,
        late: 0,
        duplicate: 0,
        spurious: 0,
        latency_ns: Some(Latency {
            min: 42,
            p50: 83,
            p95: 125,
            p99: 167,
            max: 208,
        }),
        latency_from: "unmask".into(),
        miss_rate: MissBound::of(1, 32),
        refused: Some("the line fires without end: it was left masked".into()),
    };
    RouteResult {
        schema: RouteResult::SCHEMA.into(),
        target: "vm:sample".into(),
        seed: 7,
        build: Build {
            tool: "0.1.0".into(),
            firmware: "ab".repeat(16),
            protocol: 1,
        },
        soc: SocFacts {
            name: "T8140".into(),
            chip_id: Some(0x8140),
            ..SocFacts::default()
        },
        aic: Aic {
            generation: 3,
            base: "0x301000000".into(),
            nr_irq: 1504,
            max_irq: 4096,
            dies: 2,
            config: Some("0x00000001".into()),
        },
        cpus: vec![
            cpu(0, CpuState::Running, true),
            cpu(1, CpuState::NoMmu, false),
        ],
        counter: Counter {
            hz: 24_000_000,
            step_ticks: 1,
            step_ns: 41.667,
            slice_ns: None,
            event_stream: true,
        },
        summary: Summary {
            fired: 32,
            landed: vec![31, 0],
            lost: 1,
            late: 0,
            duplicate: 0,
            spurious: 0,
            miss_rate: MissBound::of(1, 32),
        },
        cells: vec![cell],
        complete: false,
        restored: false,
        restore: Restore {
            checked: 9,
            different: 1,
            differences: vec!["AIC CONFIG: found 0x0, now 0x1".into()],
        },
        marks: vec![
            Mark::model_only("a sample"),
            Mark::partial("cells[0]", "stopped"),
        ],
    }
}

#[test]
fn json_comes_back_as_the_same_result() {
    let json = to_json(&sample()).unwrap();
    assert!(json.ends_with("}\n"));
    let back: RouteResult = serde_json::from_str(&json).unwrap();
    assert_eq!(back, sample());
}

#[test]
fn json_spells_things_as_the_contract_does() {
    let json: serde_json::Value = serde_json::from_str(&to_json(&sample()).unwrap()).unwrap();
    let cell = &json["cells"][0];
    assert_eq!(
        cell["line"].to_string(),
        r#"{"die":1,"hwirq":16843748,"number":996}"#
    );
    assert_eq!(cell["fields"].to_string(), "[2,null]");
    assert_eq!(cell["masked_us"].to_string(), "[250]");
    assert_eq!(json["cpus"][1]["state"], "no-mmu");
    assert_eq!(json["cpus"][0]["core"], "P");
    assert_eq!(json["marks"][0]["kind"], "model only");
    assert_eq!(json["soc"]["chip_id"], 0x8140);
    assert_eq!(cell["miss_rate"]["upper_95"], 0.139_849);
}

#[test]
fn tables_hide_nothing_that_matters() {
    let text = to_table(&sample());
    for part in [
        "T8140 (chip 0x8140), board -, model -\nMODEL ONLY: a sample\n",
        "AICv3 at 0x301000000: 1504 of 4096 lines per die, 2 dies\n",
        "counter 24000000 Hz, step 1 tick = 41.667 ns\n",
        "0    4       0x80010100  1        P     boot  running  0x3\n",
        "1    3       0x80010100  1        P           no-mmu   -\n",
        "0     1:996  0     2*.     0:0.25ms  0:31    0:32",
        "stopped: the line fires without end",
        "32 triggers: landed 0:31; 1 lost (0 late), 0 duplicate, 0 spurious\n",
        "1 of 32, at most 13.98 % (95 %)\n",
        "NOT as found: AIC CONFIG: found 0x0, now 0x1\n",
        "PARTIAL: ",
        "partial: cells[0]: stopped\n",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    assert!(
        text.lines().all(|l| l == l.trim_end()),
        "no spaces at line ends"
    );
}

#[test]
fn a_target_as_found_is_said_to_be() {
    let mut result = sample();
    result.restored = true;
    result.restore = Restore {
        checked: 137,
        ..Restore::default()
    };
    assert!(to_table(&result).contains("state of the target: as found (137 values read back)\n"));
    result.restored = false;
    result.restore = Restore::default();
    assert!(to_table(&result).contains("NOT known to be as found\n"));
}

#[test]
fn csv_has_a_line_per_cell_and_a_column_per_cpu() {
    let result = sample();
    let text = to_csv(&[&result, &result]).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2);
    let field = |name: &str| {
        let at = names.iter().position(|n| n == name).unwrap();
        rows[1].get(at).unwrap().to_owned()
    };
    for (name, value) in [
        ("target", "vm:sample"),
        ("group", "custom"),
        ("hwirq", "16843748"),
        ("fields", "2 -"),
        ("masked_us", "250"),
        ("landed_0", "31"),
        ("landed_1", "0"),
        ("offered_0", "32"),
        ("p99_ns", "167"),
        ("refused", "the line fires without end: it was left masked"),
        ("target_cpus", ""),
    ] {
        assert_eq!(field(name), value, "{name}");
    }
}

#[test]
fn json_lines_hold_the_run_and_its_cells() {
    let result = sample();
    let text = to_json_lines(&[&result]).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["run"]["schema"], "aicprobe.route/1");
    assert!(lines[0]["run"].get("cells").is_none());
    assert_eq!(lines[1]["cell"]["landed"], serde_json::json!([31, 0]));
    // Together they are the whole result.
    let mut whole = lines[0]["run"].clone();
    whole["cells"] = serde_json::json!([lines[1]["cell"]]);
    let back: RouteResult = serde_json::from_value(whole).unwrap();
    assert_eq!(back, result);
}

#[test]
fn markdown_has_tables() {
    let text = to_markdown(&sample());
    assert!(text.lines().any(|l| l.starts_with("|CPU ")), "{text}");
    assert!(text.contains("2\\*."), "a star that is no emphasis: {text}");
    assert!(
        text.lines().filter(|l| l.starts_with("|--")).count() >= 2,
        "{text}"
    );
    assert!(text.contains("* partial: cells[0]: stopped"), "{text}");
}

#[test]
fn percentiles_that_fall_are_shown_in_no_form() {
    let mut result = sample();
    // The first column of the seed text's table.
    result.cells[0].latency_ns = Some(Latency {
        min: 2,
        p50: 30,
        p95: 2384,
        p99: 2922,
        max: 1038,
    });
    for form in [
        Form::Table,
        Form::Json,
        Form::Jsonl,
        Form::Csv,
        Form::Markdown,
    ] {
        let said = render_routes(&[&sample(), &result], form).expect_err("refused");
        let text = said.to_string();
        assert!(text.contains("/1/cells/0/latency_ns"), "{text}");
        assert!(text.contains("p99 2922, max 1038"), "{text}");
    }
    assert!(to_json(&result).is_err() && refuse_falling(&result).is_err());
    // A result that was saved by others is no better.
    let mut saved = serde_json::to_value(sample()).unwrap();
    assert!(serde_json::from_value::<RouteResult>(saved.clone()).is_ok());
    saved["cells"][0]["latency_ns"] = serde_json::to_value(result.cells[0].latency_ns).unwrap();
    let said = serde_json::from_value::<RouteResult>(saved).expect_err("refused");
    assert!(said.to_string().contains("out of order"), "{said}");
}
