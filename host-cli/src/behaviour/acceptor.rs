//! Which value of SIQ_CFG's field makes a CPU accept interrupts here.
//!
//! Values mean different things on different machines, and which of them accept is not published for most: so it is tried
//! before anything that needs a CPU that accepts.

use crate::session::Outcome;

use super::lab::Lab;

/// Values in the order in which they are preferred: 0 accepts on T8140 (silicon), 2 is what a loader writes on M1 to M3
/// (third party). 3 accepts nothing on T8140 (silicon) and stands for "does not accept" in every experiment.
const VALUES: [u8; 3] = [0, 2, 1];
/// Triggers of a cell: one that is lost now and then is no reason to pass a value over.
const TRIGGERS: u32 = 4;

/// What makes a CPU accept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acceptor {
    /// The field's value; `None` if interrupts are delivered with none.
    pub field: Option<u8>,
    /// The same while CONFIG.ENABLE is 0, where it was tried.
    pub disabled: Option<u8>,
}

impl Acceptor {
    /// AICv1 does not look at the field: any value does.
    pub const ANY: Self = Self {
        field: Some(0),
        disabled: Some(0),
    };
}

/// A cell of the search: the field's value, and whether ENABLE is 0.
struct Tried {
    cell: u32,
    value: u8,
    enabled: bool,
}

/// The cells of the search.
pub struct Search(Vec<Tried>);

impl Search {
    /// Puts them into the plan: first CPU 0 alone accepts, then every CPU, then CPU 0 while ENABLE is 0.
    pub fn new(lab: &mut Lab<'_>) -> Self {
        let everybody: Vec<u8> = (0..lab.cpus()).collect();
        let mut tried = Vec::new();
        for (cpus, enabled) in [(&[0][..], true), (&everybody, true), (&[0], false)] {
            for value in VALUES {
                let mut cell = lab.accepting_with(cpus, value);
                cell.triggers = cell.triggers.min(TRIGGERS);
                if !enabled {
                    cell.special.enable = Some(false);
                }
                tried.push(Tried {
                    cell: lab.add_any(cell),
                    value,
                    enabled,
                });
            }
        }
        Self(tried)
    }

    /// The first value of each kind with which anything was delivered, to whomever.
    pub fn found(&self, outcome: &Outcome) -> Acceptor {
        let delivered = |id: u32| {
            let found = outcome.cells.iter().find(|(cell, _)| cell.id == id);
            found.is_some_and(|(_, m)| m.fired > m.lost)
        };
        let first = |enabled: bool| {
            let of = self.0.iter().filter(|t| t.enabled == enabled);
            of.into_iter().find(|t| delivered(t.cell)).map(|t| t.value)
        };
        Acceptor {
            field: first(true),
            disabled: first(false),
        }
    }
}
