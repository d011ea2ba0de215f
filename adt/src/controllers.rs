// SPDX-License-Identifier: MIT OR Apache-2.0
//! The nodes that others can name as their interrupt controller.

use crate::interrupts::DEFAULT_INTERRUPT_CELLS;
use crate::tree::Adt;
use std::collections::BTreeMap;

/// Cells of a specifier of every node that has a phandle, found in one pass over a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Controllers {
    cells: BTreeMap<u32, u32>,
}

impl Controllers {
    pub(crate) fn of(tree: &Adt<'_>) -> Self {
        let mut cells = BTreeMap::new();
        for node in tree.nodes() {
            if let Some(phandle) = node.phandle() {
                // The first node with a phandle counts, as in a search.
                cells.entry(phandle).or_insert_with(|| {
                    node.u32("#interrupt-cells")
                        .unwrap_or(DEFAULT_INTERRUPT_CELLS)
                });
            }
        }
        Self { cells }
    }

    /// Words of a specifier of the node with this phandle (1 where it does not say); `None` where there is no such node.
    pub fn cells(&self, phandle: u32) -> Option<u32> {
        self.cells.get(&phandle).copied()
    }
}
