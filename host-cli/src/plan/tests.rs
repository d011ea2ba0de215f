use super::*;
use protocol::command::FIELD_AS_FOUND;

const SPARE: LineId = LineId {
    die: 0,
    number: 800,
};

#[test]
fn the_default_plan_for_six_cpus_has_52_cells() {
    let plan = build(&Request::default(), 6, SPARE).unwrap();
    assert_eq!(plan.cells.len(), 52);
    let of = |group| plan.cells.iter().filter(|c| c.group == group).count();
    assert_eq!(
        [
            Group::AsFound,
            Group::Masked,
            Group::Field,
            Group::FieldMasked
        ]
        .map(of),
        [6, 6, 20, 20]
    );
    assert!(plan.cells.iter().zip(0..).all(|(c, i)| c.id == i));
    assert!(
        plan.cells
            .iter()
            .all(|c| c.triggers == 32 && c.line == SPARE)
    );
    let masked = &plan.cells[8];
    assert_eq!(
        (masked.fire_cpu, &masked.masked[..]),
        (2, &[MaskedCpu { cpu: 0, us: 35_000 }][..])
    );
    let field = &plan.cells[12 + 2 * (4 * 2 + 1) + 1];
    assert_eq!(field.fields[3], Some(1));
    assert_eq!(field.fields.iter().flatten().count(), 1);
    assert_eq!((field.fire_cpu, field.window_us()), (0, 1_000));
    assert_eq!(plan.lines(), [SPARE]);
}

#[test]
fn one_cpu_can_answer_what_one_cpu_can() {
    assert_eq!(build(&Request::default(), 1, SPARE).unwrap().cells.len(), 2);
}

#[test]
fn naming_anything_replaces_the_plan_and_lines_and_firing_cpus_multiply() {
    let other = LineId { die: 0, number: 7 };
    let request = Request {
        lines: vec![SPARE, other],
        fire_cpus: vec![4, 1, 2],
        set_fields: vec![(2, 1)],
        masks: vec![(0, 200)],
        triggers: 5,
        ..Request::default()
    };
    let plan = build(&request, 6, SPARE).unwrap();
    assert_eq!(plan.cells.len(), 6);
    assert!(plan.cells.iter().all(|c| c.fields[2] == Some(1)
        && c.masked == [MaskedCpu { cpu: 0, us: 200 }]
        && c.triggers == 5));
    let fired: Vec<_> = plan
        .cells
        .iter()
        .map(|c| (c.line.number, c.fire_cpu))
        .collect();
    assert_eq!(
        fired,
        [(800, 4), (800, 1), (800, 2), (7, 4), (7, 1), (7, 2)]
    );

    let request = Request {
        masks: vec![(1, 500)],
        ..Request::default()
    };
    let plan = build(&request, 4, SPARE).unwrap();
    let fired: Vec<_> = plan.cells.iter().map(|c| c.fire_cpu).collect();
    assert_eq!((fired, plan.custom), (vec![0, 1, 2, 3], true));
}

#[test]
fn triggers_and_timeout_alone_keep_the_default_plan() {
    let request = Request {
        triggers: 3,
        timeout_us: 77,
        ..Request::default()
    };
    let plan = build(&request, 6, SPARE).unwrap();
    assert_eq!((plan.cells.len(), plan.custom), (52, false));
    assert!(
        plan.cells
            .iter()
            .all(|c| (c.triggers, c.timeout_us) == (3, 77))
    );
}

#[test]
fn wrong_cpus_and_doubles_are_named() {
    let say = |r: Request| build(&r, 6, SPARE).unwrap_err().to_string();
    let base = Request::default;
    assert_eq!(
        say(Request {
            fire_cpus: vec![6],
            ..base()
        }),
        "--fire-cpu 6: this target has CPUs 0 to 5 (logical ids)"
    );
    assert_eq!(
        say(Request {
            set_fields: vec![(300, 1)],
            ..base()
        }),
        "--set-field 300: this target has CPUs 0 to 5 (logical ids)"
    );
    assert_eq!(
        say(Request {
            masks: vec![(1, 5), (2, 5), (1, 6)],
            ..base()
        }),
        "--mask names CPU 1 twice: once is allowed"
    );
    assert_eq!(
        say(Request {
            set_fields: vec![(1, 0), (1, 0)],
            ..base()
        }),
        "--set-field names CPU 1 twice: once is allowed"
    );
    assert_eq!(
        say(Request {
            fire_cpus: vec![2, 2],
            ..base()
        }),
        "--fire-cpu names CPU 2 twice: once is allowed"
    );
    assert_eq!(
        say(Request {
            lines: vec![SPARE, SPARE],
            ..base()
        }),
        "--line names line 0:800 twice: once is allowed"
    );
    let many = (1..=33).map(|number| LineId { die: 0, number }).collect();
    assert_eq!(
        say(Request {
            lines: many,
            ..base()
        }),
        "33 lines are named: at most 32 are allowed"
    );
}

#[test]
fn a_cell_becomes_the_firmwares_command() {
    let request = Request {
        fire_cpus: vec![3],
        set_fields: vec![(1, 2)],
        masks: vec![(0, 9)],
        ..Request::default()
    };
    let plan = build(&request, 4, SPARE).unwrap();
    let cell = plan.cells[0].to_command(&[]);
    assert_eq!(
        &cell.fields[..],
        [FIELD_AS_FOUND, 2, FIELD_AS_FOUND, FIELD_AS_FOUND]
    );
    assert_eq!(
        (cell.masked[0].cpu, cell.masked[0].us, cell.fire_cpu),
        (0, 9, 3)
    );
    assert_eq!(plan.cells[0].cpus().collect::<Vec<_>>(), [3, 1, 0]);
}

#[test]
fn estimates_count_windows_and_timeouts() {
    let e = Estimate::of(&build(&Request::default(), 6, SPARE).unwrap());
    // 192 windows of 35 ms and 640 of 1 ms are 7.36 s of it; 1664 timeouts of 10 ms come on top.
    assert!((9_000..11_000).contains(&e.expected_ms), "{e}");
    assert!(
        (16_600..16_700).contains(&(e.worst_ms - e.expected_ms)),
        "{e}"
    );
    assert!(!e.needs_consent());
    let long = Request {
        triggers: 3_000,
        ..Request::default()
    };
    assert!(Estimate::of(&build(&long, 6, SPARE).unwrap()).needs_consent());
}

#[test]
fn a_cell_of_aicv1_targets_the_boot_cpu_unless_told_otherwise() {
    use aic_regs::aic::Generation;
    let request = Request {
        fire_cpus: vec![1],
        ..Request::default()
    };
    let routing = |request: &Request, generation| {
        let plan = build_for(request, 4, generation, SPARE).unwrap();
        let cells = plan.cells.into_iter();
        cells.map(|cell| cell.routing).collect::<Vec<_>>()
    };
    let boot = [Routing::Cpus(vec![0])];
    assert_eq!(routing(&request, Generation::V1), boot);
    assert_eq!(routing(&request, Generation::V2), [Routing::AsFound]);
    let told = Request {
        targets: vec![vec![2, 3]],
        ..request
    };
    assert_eq!(routing(&told, Generation::V1), [Routing::Cpus(vec![2, 3])]);
}
