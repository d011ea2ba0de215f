//! Rules about where interrupts land while nobody masks them.

use std::collections::BTreeMap;

use crate::verify::{Observed, Purpose, Record};

use super::{Found, V1, cells, landed, open_cells, running};

/// ROUTE-01.
pub fn exactly_once(record: &Record) -> Found {
    let mut found = Found::default();
    for (of, _) in open_cells(record).filter(|(_, t)| !t.acceptors.is_empty()) {
        let c = &of.cell;
        // What came late came; whether it came in time is another rule's.
        let missing = c.lost.saturating_sub(c.late);
        found.cell(
            c.fired.saturating_sub(missing),
            missing.saturating_add(c.duplicate),
            of,
        );
    }
    found
}

/// ROUTE-02.
pub fn on_acceptor(record: &Record) -> Found {
    let mut found = Found::default();
    for (of, takers) in cells(record) {
        let right = landed(of, |cpu| takers.acceptors.contains(&cpu));
        let wrong = landed(of, |cpu| !takers.acceptors.contains(&cpu));
        found.cell(right, wrong, of);
    }
    found
}

/// ROUTE-03.
pub fn three_never(record: &Record) -> Found {
    if record.aic.generation == 1 {
        return Found::nothing(V1);
    }
    let mut found = Found::default();
    for (of, takers) in cells(record).filter(|(_, t)| !t.three.is_empty()) {
        let wrong = landed(of, |cpu| takers.three.contains(&cpu));
        let offered = (0u8..).zip(&of.cell.offered);
        let offered: u64 = offered
            .filter(|(cpu, _)| takers.three.contains(cpu))
            .fold(0, |sum: u64, (_, n)| sum.saturating_add(*n));
        found.cell(
            of.cell.fired.saturating_sub(wrong),
            wrong.saturating_add(offered),
            of,
        );
    }
    found
}

/// ROUTE-04.
pub fn order(record: &Record) -> Found {
    if record.aic.generation == 1 {
        return Found::nothing(V1);
    }
    let mut found = Found::default();
    for (of, takers) in open_cells(record).filter(|(_, t)| t.acceptors.len() > t.best.len()) {
        let right = landed(of, |cpu| takers.best.contains(&cpu));
        let wrong = landed(of, |cpu| {
            takers.acceptors.contains(&cpu) && !takers.best.contains(&cpu)
        });
        found.cell(right, wrong, of);
    }
    if found.held + found.against == 0 {
        found.open = Some("no cell had acceptors of two classes".to_owned());
    }
    found
}

/// Everything that decides who takes an interrupt, beside line and firing CPU.
type State = (Vec<Option<u8>>, Option<Vec<u8>>);

fn state(of: &Observed) -> State {
    (of.cell.fields.clone(), of.cell.target_cpus.clone())
}

/// Compares cells that are the same in state and in what `held` names, and differ in `key`, where a single CPU should take everything:
/// in each such group most deliveries are on one CPU, and all others are against the rule.
fn same<H: Ord, K: Ord>(
    record: &Record,
    held: impl Fn(&Observed) -> H,
    key: impl Fn(&Observed) -> K,
) -> Found {
    let mut groups: BTreeMap<(State, H), BTreeMap<K, Vec<&Observed>>> = BTreeMap::new();
    for (of, _) in open_cells(record).filter(|(_, t)| t.best.len() == 1) {
        let by_key = groups.entry((state(of), held(of))).or_default();
        by_key.entry(key(of)).or_default().push(of);
    }
    let mut found = Found::default();
    for group in groups.values().filter(|g| g.len() > 1) {
        let all: Vec<&Observed> = group.values().flatten().copied().collect();
        let Some(usual) = most(&all) else {
            found.open = Some("nothing was delivered in some state".to_owned());
            continue;
        };
        for of in all {
            let there = landed(of, |cpu| cpu == usual);
            found.cell(there, landed(of, |cpu| cpu != usual), of);
        }
    }
    found
}

/// The CPU that took most.
fn most(of: &[&Observed]) -> Option<u8> {
    let cpus = of.iter().map(|o| o.cell.landed.len()).max()?;
    let sums = (0..cpus as u8).map(|cpu| {
        let taken = of.iter().map(|o| landed(o, |c| c == cpu));
        let sum = taken.fold(0, u64::saturating_add);
        (sum, cpu)
    });
    sums.filter(|(sum, _)| *sum > 0)
        .max_by_key(|(sum, cpu)| (*sum, std::cmp::Reverse(*cpu)))
        .map(|(_, cpu)| cpu)
}

/// ROUTE-05.
pub fn whoever_fires(record: &Record) -> Found {
    if running(record).count() < 2 {
        return Found::nothing("one CPU runs: nobody else could fire");
    }
    let line = |of: &Observed| (of.cell.line.die, of.cell.line.number);
    same(record, line, |of| of.cell.fire_cpu)
}

/// ROUTE-06.
pub fn whatever_line(record: &Record) -> Found {
    let held = |of: &Observed| (of.cell.fire_cpu, of.cell.line.die);
    let mut found = same(record, held, |of| of.cell.line.number);
    if found.held + found.against == 0 && found.open.is_none() {
        found.open = Some("no second line is spare".to_owned());
    }
    found
}

/// ROUTE-07.
pub fn whatever_die(record: &Record) -> Found {
    if record.aic.dies < 2 {
        return Found::nothing("the controller has one die");
    }
    let mut found = same(record, |of| of.cell.fire_cpu, |of| of.cell.line.die);
    if found.held + found.against == 0 && found.open.is_none() {
        found.open = Some("no line of another die is spare".to_owned());
    }
    found
}

/// ROUTE-08: cells as found, at the start and at the end. A CPU that took nothing at the start takes nothing at the end, and with one
/// acceptor that is all there is to say.
pub fn at_the_end(record: &Record) -> Found {
    let mut found = Found::default();
    let start: Vec<&Observed> = open_cells(record)
        .map(|(of, _)| of)
        .filter(|of| of.purpose == Purpose::AsFound)
        .collect();
    let took = |cpu: u8| start.iter().any(|of| landed(of, |c| c == cpu) > 0);
    let fields = start.first().map(|of| of.cell.fields.clone());
    for (of, _) in open_cells(record).filter(|(of, _)| of.purpose == Purpose::Again) {
        if Some(&of.cell.fields) != fields.as_ref() {
            found.cell(0, of.cell.fired, of);
            continue;
        }
        found.cell(landed(of, took), landed(of, |cpu| !took(cpu)), of);
    }
    if let (true, Some(first)) = (found.held + found.against == 0, start.first())
        && landed(first, |_| true) == 0
    {
        found.open = Some("nothing is delivered in the state as found".to_owned());
    }
    found
}

/// ROUTE-09.
pub fn in_time(record: &Record) -> Found {
    let mut found = Found::default();
    for (of, _) in open_cells(record).filter(|(_, t)| !t.acceptors.is_empty()) {
        let came = of.cell.fired.saturating_sub(of.cell.lost);
        let slow = of.slow.min(came);
        found.cell(came - slow, slow.saturating_add(of.cell.late), of);
    }
    found
}

/// ROUTE-10.
pub fn no_spurious(record: &Record) -> Found {
    let mut found = Found::default();
    for (of, _) in cells(record) {
        found.cell(of.cell.fired, of.cell.spurious, of);
    }
    found
}
