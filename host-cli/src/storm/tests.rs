use protocol::command::Pattern;
use protocol::message::{Refusal, StormResult};

use super::*;
use crate::plan::Question;
use crate::result::CpuState;
use crate::target::{Core, CpuFacts};

/// CPUs of clusters with these names and sizes, numbered through.
fn cpus(clusters: &[(u64, u8)]) -> Vec<CpuFacts> {
    let names = clusters
        .iter()
        .flat_map(|(name, n)| (0..*n).map(move |core| (*name, core)));
    (0u8..)
        .zip(names)
        .map(|(id, (name, core))| CpuFacts {
            id,
            adt_id: id.into(),
            reg: 0,
            mpidr: 0x8000_0000 | name << 8 | u64::from(core),
            cluster: name as u32 & 0xff,
            core: Core::P,
            boot: id == 0,
        })
        .collect()
}

/// Of CPUs that all run.
fn plan(
    cpus: &[CpuFacts],
    mmio: bool,
    options: &Options,
) -> Result<(Vec<Shape>, crate::plan::Plan), crate::Error> {
    super::plan(cpus, &vec![CpuState::Running; cpus.len()], mmio, options)
}

fn options() -> Options {
    Options {
        us: 100,
        repeat: 2,
        patterns: vec![Target::Pairs],
        ways: vec![Way::Global],
        paces: vec![Pace::Paced],
        accountings: vec![Accounting::Shared],
        cpus: None,
    }
}

fn shape() -> Shape {
    let (shapes, _) = plan(&cpus(&[(0, 2)]), false, &options()).expect("a plan");
    shapes[0].clone()
}

/// CPU 0 sends to 1, and 1 to 0.
fn result(sent: [u32; 2], received: [u32; 2], counted: u32) -> StormResult {
    StormResult {
        id: 0,
        refusal: None,
        trapped: None,
        elapsed: 2400,
        sent: sent.into_iter().collect(),
        sent_to: [sent[1], sent[0]].into_iter().collect(),
        received: received.into_iter().collect(),
        counted,
        missed: 0,
    }
}

fn row(shape: &Shape, results: &[StormResult]) -> Row {
    let results: Vec<&StormResult> = results.iter().collect();
    Row::new(shape, &results, 24_000_000, |_| true)
}

fn rules(shape: &Shape, result: StormResult) -> Vec<Rule> {
    let found = row(shape, &[result]).violations(3, shape);
    assert!(found.iter().all(|v| v.row == 3 && !v.text.is_empty()));
    found.iter().map(|v| v.rule).collect()
}

#[test]
fn sets_grow_by_cluster() {
    let lengths = |clusters: &[(u64, u8)]| {
        let all = sets(&cpus(clusters));
        all.iter().map(Vec::len).collect::<Vec<_>>()
    };
    assert_eq!(lengths(&[(0x101, 2), (0, 4)]), [2, 6]);
    assert_eq!(lengths(&[(0, 6), (1, 6)]), [2, 4, 6, 10, 12]);
    assert_eq!(lengths(&[(0, 1), (1, 2)]), [3]);
    assert_eq!(lengths(&[(0, 1)]), [0; 0]);
    // A P and an M cluster with the same affinity level 1 are two.
    assert_eq!(lengths(&[(0x101, 2), (0x401, 4)]), [2, 6]);
    // The boot CPU's cluster comes first, wherever its CPUs are.
    let mut mixed = cpus(&[(1, 1), (0, 2), (1, 1)]);
    mixed[3].mpidr |= 1;
    assert_eq!(sets(&mixed), [vec![0, 3], vec![0, 1, 2, 3]]);
}

#[test]
fn local_ones_stay_in_a_cluster_unless_cpus_are_named() {
    let machine = cpus(&[(0x101, 2), (0, 4)]);
    let local = Options {
        ways: vec![Way::Local],
        ..options()
    };
    let sets = |options: &Options| {
        let (shapes, plan) = plan(&machine, false, options).expect("a plan");
        assert_eq!(plan.questions.len(), shapes.len() * 2);
        let sets = shapes.into_iter().map(|s| (s.cpus.clone(), s.reaches()));
        sets.collect::<Vec<_>>()
    };
    assert_eq!(sets(&local), [(vec![0, 1], true), (vec![2, 3, 4, 5], true)]);
    let named = Options {
        cpus: Some(vec![3, 0]),
        ..local
    };
    assert_eq!(sets(&named), [(vec![0, 3], false)]);
    let any = Options {
        ways: Vec::new(),
        ..named
    };
    assert_eq!(sets(&any), [(vec![0, 3], true)], "global alone");
}

#[test]
fn storms_are_interleaved_and_name_their_sets() {
    let all = Options {
        patterns: Vec::new(),
        paces: Vec::new(),
        accountings: Vec::new(),
        ..options()
    };
    let (shapes, plan) = plan(&cpus(&[(0, 2), (1, 3)]), false, &all).expect("a plan");
    assert_eq!((shapes.len(), plan.questions.len()), (2 * 12, 2 * 24));
    let cell = |i: usize| match plan.questions[i] {
        Question::Storm(cell) => cell,
        _ => panic!("another question"),
    };
    assert_eq!((cell(1).cpus, cell(1).us), (0b11111, 100));
    assert_eq!(cell(0).pattern, Pattern::ToOne(0));
    assert!(!cell(0).paced && !cell(0).shared && cell(2).shared && cell(4).paced);
    assert_eq!(cell(24), cell(0));
}

#[test]
fn bad_sets_are_refused() {
    let machine = cpus(&[(0, 2)]);
    let refused = |ids: &[u32]| {
        let options = Options {
            cpus: Some(ids.to_vec()),
            ..options()
        };
        let said = plan(&machine, false, &options).expect_err("refused");
        said.to_string()
    };
    assert!(refused(&[0, 2]).contains("there is no CPU 2, allowed are 0 to 1"));
    assert!(refused(&[0, 256]).contains("there is no CPU 256"));
    assert!(refused(&[1, 1]).contains("names CPU 1 twice"));
    assert!(refused(&[1]).contains("two CPUs or more"));
    let mmio = Options {
        ways: vec![Way::Mmio],
        ..options()
    };
    assert!(plan(&machine, false, &mmio).is_err());
    assert!(plan(&machine, true, &mmio).is_ok());
    assert!(plan(&cpus(&[(0, 1)]), true, &options()).is_err());
}

#[test]
fn rates_are_of_target_time() {
    // 100 us.
    let r = row(
        &shape(),
        &[
            result([600, 400], [400, 600], 1000),
            result([100, 100], [100, 100], 200),
        ],
    );
    assert_eq!((r.runs, r.sent, r.received), (2, 1200, 1200));
    assert_eq!(
        (r.m_sent.mean, r.m_sent.min, r.m_sent.max),
        (6.0, 2.0, 10.0)
    );
    assert_eq!((r.per_cpu, r.counted), (3.0, Some(1200)));
    assert_eq!((r.merged, r.merged_share, r.lost), (0, Some(0.0), 0));
    assert!(r.violations(0, &shape()).is_empty());
}

#[test]
fn books_that_do_not_balance_are_found() {
    let paced = shape();
    assert_eq!(rules(&paced, result([9, 9], [9, 9], 18)), []);
    assert_eq!(
        rules(&paced, result([9, 9], [9, 9], 17)),
        [Rule::SharedCountEqualsReceived]
    );
    // One that was alone cannot have merged.
    assert_eq!(
        rules(&paced, result([9, 9], [9, 8], 17)),
        [Rule::AloneIsTaken]
    );
    let late = StormResult {
        missed: 1,
        ..result([9, 9], [9, 9], 18)
    };
    assert_eq!(rules(&paced, late), [Rule::TakenInTime]);
    assert_eq!(
        rules(&paced, result([9, 9], [10, 9], 19)),
        [Rule::NobodyElseTakes]
    );
    // In a flood it can, and in a set of three with all to all.
    let flood = Shape {
        pace: Pace::Flood,
        ..paced.clone()
    };
    let merged = row(&flood, &[result([9, 9], [9, 6], 15)]);
    assert_eq!((merged.merged, merged.lost), (3, 0));
    assert!(merged.violations(0, &flood).is_empty());
    let all = Shape {
        pattern: Target::All,
        cpus: vec![0, 1, 2],
        ..paced
    };
    assert_eq!(row(&all, &[result([9, 9], [9, 6], 15)]).merged, 3);
}

#[test]
fn what_cannot_arrive_is_told_and_breaks_no_rule() {
    let local = Shape {
        way: Way::Local,
        one_cluster: false,
        ..shape()
    };
    let nobody = StormResult {
        missed: 5,
        ..result([3, 3], [0, 0], 0)
    };
    let r = row(&local, &[nobody]);
    assert_eq!((r.lost, r.merged, r.received), (6, 0, 0));
    assert!(r.note.ends_with("it reached nobody"), "{}", r.note);
    assert!(r.violations(0, &local).is_empty());
    let itself = row(&local, &[result([3, 0], [3, 0], 3)]);
    assert_eq!((itself.lost, itself.strayed), (3, 3));
    assert!(itself.note.ends_with("CPU 0"), "{}", itself.note);
}

#[test]
fn refusals_and_traps_leave_no_counts() {
    let refused = StormResult {
        refusal: Some(Refusal::Cpu(1)),
        ..result([0, 0], [0, 0], 0)
    };
    let trapped = StormResult {
        trapped: Some(0x0200_0000),
        ..result([0, 0], [0, 0], 0)
    };
    for (bad, note) in [
        (refused, "CPU 1 is not in"),
        (
            trapped,
            "trapped: sending takes an exception, ESR 0x2000000",
        ),
    ] {
        let r = row(&shape(), &[bad]);
        assert_eq!((r.runs, r.merged_share), (0, None));
        assert!(r.note.contains(note), "{}", r.note);
    }
}
