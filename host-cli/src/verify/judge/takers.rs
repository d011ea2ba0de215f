//! Who may take the interrupts of a cell, by the fields that were read back and what the values mean.

use crate::verify::{Class, Observed, Purpose, Record};

/// CPUs by logical id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Takers {
    /// All that accept.
    pub acceptors: Vec<u8>,
    /// Those of the best class among them.
    pub best: Vec<u8>,
    /// Those of the best class among acceptors that do not mask; where all mask, as `best`.
    pub open: Vec<u8>,
    /// Those whose field is 3 throughout.
    pub three: Vec<u8>,
}

impl Takers {
    /// Of a cell.
    #[must_use]
    pub fn of(record: &Record, of: &Observed) -> Self {
        let cell = &of.cell;
        if record.aic.generation == 1 {
            let targets = cell.target_cpus.clone().unwrap_or_default();
            let open = without(&targets, &cell.masked_cpus);
            return Self {
                open: if open.is_empty() {
                    targets.clone()
                } else {
                    open
                },
                best: targets.clone(),
                acceptors: targets,
                three: Vec::new(),
            };
        }
        let fields = (0u8..).zip(&cell.fields);
        let fields: Vec<(u8, u8)> = fields.filter_map(|(cpu, f)| f.map(|f| (cpu, f))).collect();
        if let Purpose::Waits { cpu } = of.purpose {
            let three = fields.iter().filter(|(c, f)| *f == 3 && *c != cpu);
            return Self {
                acceptors: vec![cpu],
                best: vec![cpu],
                open: vec![cpu],
                three: three.map(|(c, _)| *c).collect(),
            };
        }
        let class = |field: u8| record.table.class(field);
        let accepting: Vec<(u8, u8)> = fields
            .iter()
            .copied()
            .filter(|(_, f)| class(*f) != Class::Never)
            .collect();
        let best_of = |of: &[(u8, u8)]| {
            let best = of.iter().map(|(_, f)| class(*f)).min();
            let of = of.iter().filter(|(_, f)| Some(class(*f)) == best);
            of.map(|(cpu, _)| *cpu).collect::<Vec<u8>>()
        };
        let unmasked: Vec<(u8, u8)> = accepting
            .iter()
            .copied()
            .filter(|(cpu, _)| !cell.masked_cpus.contains(cpu))
            .collect();
        let best = best_of(&accepting);
        Self {
            open: if unmasked.is_empty() {
                best.clone()
            } else {
                best_of(&unmasked)
            },
            best,
            acceptors: accepting.iter().map(|(cpu, _)| *cpu).collect(),
            three: fields
                .iter()
                .filter(|(_, f)| *f == 3)
                .map(|(cpu, _)| *cpu)
                .collect(),
        }
    }
}

fn without(all: &[u8], left_out: &[u8]) -> Vec<u8> {
    all.iter()
        .copied()
        .filter(|c| !left_out.contains(c))
        .collect()
}
