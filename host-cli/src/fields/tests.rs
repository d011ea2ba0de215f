use super::rule::Cpu;
use super::*;

const CPUS: usize = 4;

fn cpus() -> Vec<Cpu> {
    // The boot CPU is a P core, and not the one with the lowest MPIDR.
    let mpidrs = [0x8001_0100, 0x8000_0000, 0x8000_0001, 0x8001_0101];
    mpidrs
        .map(|mpidr| Cpu {
            mpidr,
            p_core: mpidr >> 16 & 1 != 0,
        })
        .to_vec()
}

/// Landings of 32 triggers by a rule stated in other words than the ones under test.
type Machine = fn(&[u8], Option<u8>, &mut u64) -> Option<usize>;

/// Fields, masked CPU, landings, lost.
type Cell = (Vec<u8>, Option<u8>, Vec<u64>, u64);

fn measured(machine: Machine) -> Vec<Cell> {
    let clusters = [1, 0, 0, 1];
    let (all, coverage) = combinations(&clusters, 1);
    assert_eq!((all.len(), coverage.of), (256, Some(256)));
    assert_eq!(coverage.pairs, coverage.pairs_of);
    let mut state = 0;
    let mut cells = Vec::new();
    for fields in all {
        for masked in [None, Some(0)] {
            let (mut landed, mut lost) = (vec![0; CPUS], 0);
            for _ in 0..32 {
                match machine(&fields, masked, &mut state) {
                    Some(cpu) => landed[cpu] += 1,
                    None => lost += 1,
                }
            }
            cells.push((fields.clone(), masked, landed, lost));
        }
    }
    cells
}

fn samples(cells: &[Cell]) -> Vec<Sample<'_>> {
    (0..)
        .zip(cells)
        .map(|(cell, (fields, masked, landed, lost))| Sample {
            cell,
            fields,
            masked: *masked,
            landed,
            fired: 32,
            lost: *lost,
            ..Sample::default()
        })
        .collect()
}

fn fit(machine: Machine) -> Fit {
    let cells = measured(machine);
    explain(&samples(&cells), &cpus()).expect("samples")
}

/// CPUs of the best value in `order`, without `not`.
fn best(fields: &[u8], order: &[u8], not: Option<u8>) -> Vec<usize> {
    let found = order.iter().find_map(|value| {
        let who: Vec<usize> = (0..fields.len())
            .filter(|cpu| fields[*cpu] == *value && Some(*cpu as u8) != not)
            .collect();
        (!who.is_empty()).then_some(who)
    });
    found.unwrap_or_default()
}

#[test]
fn the_rule_of_t8140_is_found() {
    let fit = fit(|fields, masked, _| {
        let free = best(fields, &[1, 0, 2], masked);
        let any = best(fields, &[1, 0, 2], None);
        free.first().or(any.first()).copied()
    });
    assert!(fit.is_complete(), "{fit:?}");
    assert_eq!(fit.rule.rank, [Some(1), Some(0), Some(2), None]);
    assert_eq!(
        (fit.rule.choice, fit.rule.masked),
        (Choice::LowestId, Masked::Moves)
    );
    assert_eq!(
        fit.rule.text(200),
        "1 before 0 before 2, never 3; within a class the lowest logical id; \
         a CPU that masks it gives way within 200 us to the next that does not"
    );
}

#[test]
fn other_rules_are_found_too() {
    let waits = fit(|fields, _, _| {
        let who = best(fields, &[3, 2], None);
        let mpidr = [0x10100, 0, 1, 0x10101];
        who.into_iter().min_by_key(|cpu| mpidr[*cpu])
    });
    assert!(waits.is_complete());
    assert_eq!(waits.rule.rank, [None, None, Some(1), Some(0)]);
    assert_eq!(
        (waits.rule.choice, waits.rule.masked),
        (Choice::LowestMpidr, Masked::Waits)
    );
    let turns = fit(|fields, masked, state| {
        let mut who = best(fields, &[0], masked);
        if who.is_empty() {
            who = best(fields, &[0], None);
        }
        *state += 1;
        (!who.is_empty()).then(|| who[*state as usize % who.len()])
    });
    assert!(turns.is_complete());
    assert_eq!(
        (turns.rule.choice, turns.rule.masked),
        (Choice::RoundRobin, Masked::Moves)
    );
    // A controller that does not look at the fields.
    let blind = fit(|_, _, _| Some(2));
    assert!(blind.is_complete());
    assert_eq!(
        (blind.rule.rank, blind.rule.choice),
        ([Some(0); 4], Choice::Sticky)
    );
}

#[test]
fn no_rule_is_made_up() {
    // The sum of all fields decides: no order of values does.
    let odd =
        fit(|fields, _, _| Some(fields.iter().map(|f| usize::from(*f)).sum::<usize>() % CPUS));
    assert!(odd.contradicted > 100, "{odd:?}");
    assert!(!odd.contradictions.is_empty());
    assert_eq!(odd.explained + odd.contradicted, 512);
    // One wrong cell is found and named.
    let mut cells = measured(|fields, masked, _| {
        let free = best(fields, &[0], masked);
        free.first().or(best(fields, &[0], None).first()).copied()
    });
    let wrong = cells.iter().position(|c| c.3 == 0).expect("a cell");
    cells[wrong].2 = vec![0, 0, 0, 32];
    let fit = explain(&samples(&cells), &cpus()).expect("samples");
    assert_eq!(fit.contradictions, [wrong as u32]);
    assert_eq!(explain(&[], &cpus()), None);
}

#[test]
fn many_cpus_are_covered_by_pairs_and_clusters() {
    let clusters: Vec<u64> = (0..20).map(|cpu| cpu / 4).collect();
    let (chosen, coverage) = combinations(&clusters, 1);
    assert_eq!(coverage.pairs, 20 * 19 / 2 * 16);
    assert_eq!(coverage.pairs, coverage.pairs_of);
    assert!(chosen.len() < 400, "{}", chosen.len());
    assert!(coverage.by_cluster == 256 && coverage.of == 4u64.checked_pow(20));
    assert_eq!(chosen, combinations(&clusters, 1).0);
    assert_ne!(chosen, combinations(&clusters, 2).0);
}

/// A controller that goes by a write one interrupt late: the first trigger of a cell lands as the cell before says.
#[test]
fn a_late_controller_has_a_rule_too() {
    let order = [1, 0, 2];
    let mut acting = vec![3; CPUS];
    let mut cells: Vec<Cell> = Vec::new();
    for fields in combinations(&[1, 0, 0, 1], 1).0 {
        for masked in [None, Some(0)] {
            let (mut landed, mut lost) = (vec![0; CPUS], 0);
            for _ in 0..8 {
                if best(&acting, &order, None).is_empty() {
                    acting.clone_from(&fields);
                }
                let free = best(&acting, &order, masked);
                match free.first().or(best(&acting, &order, None).first()) {
                    Some(cpu) => landed[*cpu] += 1,
                    None => lost += 1,
                }
                acting.clone_from(&fields);
            }
            cells.push((fields.clone(), masked, landed, lost));
        }
    }
    let late: Vec<Sample<'_>> = samples(&cells)
        .into_iter()
        .map(|s| Sample { fired: 8, ..s })
        .collect();
    let fit = explain(&late, &cpus()).expect("samples");
    assert!(fit.is_complete(), "{fit:?}");
    assert_eq!(fit.rule.rank, [Some(1), Some(0), Some(2), None]);
    assert_eq!(
        (fit.rule.choice, fit.rule.masked, fit.rule.writes),
        (Choice::LowestId, Masked::Moves, Writes::Late)
    );
    assert!(fit.rule.text(1).ends_with("acts after one more interrupt"));
}

/// FIQs that do not come are counted against the value of that CPU's field.
#[test]
fn fiqs_are_counted_by_value() {
    use crate::session::Reply;
    use protocol::message::FiqResult;
    let questions = fiqs::questions(&[0, 1]);
    assert_eq!(questions.len(), 8);
    assert!(fiqs::questions(&[0]).is_empty(), "nobody who could send");
    let replies: Vec<Reply> = (0..8)
        .map(|id| {
            Reply::Fiq(FiqResult {
                id,
                refusal: None,
                field: (id % 4) as u8,
                sent: 8,
                ipis: if id == 7 { 5 } else { 8 },
                armed: 8,
                timers: 8,
            })
        })
        .collect();
    let (all, seen) = fiqs::judge(&questions, &replies);
    assert_eq!((all.len(), all[7].cpu, all[7].field), (8, 1, 3));
    let count = |id: &str| {
        let found = seen.iter().find(|s| s.id == id).expect("a claim");
        (found.held, found.against)
    };
    assert_eq!(count("fast-ipi-comes-with-field-3"), (13, 3));
    assert_eq!(count("timer-comes-with-field-3"), (16, 0));
    assert_eq!(count("fast-ipi-comes-with-field-0"), (16, 0));
}
