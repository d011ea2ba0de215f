// SPDX-License-Identifier: MIT OR Apache-2.0
//! `interrupts`: which line of which controller.

use crate::node::Node;
use crate::property::Words;

/// Cells of a specifier whose controller does not say.
const DEFAULT_INTERRUPT_CELLS: u32 = 1;

/// One interrupt of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupt<'a> {
    /// Position in the node's list.
    pub index: usize,
    /// Phandle of the controller that the specifier belongs to; `None` where neither the node nor an ancestor names one.
    pub parent: Option<u32>,
    /// Whether a node has this phandle; if not, its specifiers are taken to have one cell.
    pub parent_found: bool,
    specifier: &'a [u8],
}

impl<'a> Interrupt<'a> {
    /// The cells of the specifier.
    pub fn cells(&self) -> Words<'a> {
        Words::new(self.specifier)
    }

    /// The first cell: for the AIC, the line.
    pub fn number(&self) -> Option<u32> {
        self.cells().next()
    }
}

/// Iterator over the interrupts of a node.
///
/// `interrupt-parent` may hold several phandles: specifier i belongs to phandle i, the last phandle repeats, and each
/// specifier has as many cells as its own controller's `#interrupt-cells`. A node without `interrupt-parent` inherits the
/// nearest ancestor's. A rest shorter than its specifier is left out.
#[derive(Clone, Debug)]
pub struct Interrupts<'a> {
    root: Node<'a>,
    rest: &'a [u8],
    parents: Words<'a>,
    index: usize,
    /// The controller in use: phandle, whether it was found, cells.
    controller: (Option<u32>, bool, usize),
}

impl<'a> Interrupts<'a> {
    pub(crate) fn new(node: Node<'a>) -> Self {
        let named = |node: &Node<'a>| node.property("interrupt-parent");
        let parents =
            named(&node).or_else(|| node.ancestors().find_map(|ancestor| named(&ancestor)));
        Self {
            root: node.tree_root(),
            rest: node.property("interrupts").unwrap_or_default(),
            parents: Words::new(parents.unwrap_or_default()),
            index: 0,
            controller: (None, false, DEFAULT_INTERRUPT_CELLS as usize),
        }
    }

    fn look_up(&self, phandle: u32) -> (Option<u32>, bool, usize) {
        let controller = self
            .root
            .descendants()
            .find(|node| node.phandle() == Some(phandle));
        let cells = controller
            .and_then(|node| node.u32("#interrupt-cells"))
            .unwrap_or(DEFAULT_INTERRUPT_CELLS);
        // A specifier of no cells would never end.
        (Some(phandle), controller.is_some(), cells.max(1) as usize)
    }
}

impl<'a> Iterator for Interrupts<'a> {
    type Item = Interrupt<'a>;

    fn next(&mut self) -> Option<Interrupt<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        if let Some(phandle) = self.parents.next()
            && self.controller.0 != Some(phandle)
        {
            self.controller = self.look_up(phandle);
        }
        let (parent, parent_found, cells) = self.controller;
        let Some((specifier, rest)) = cells
            .checked_mul(4)
            .and_then(|size| self.rest.split_at_checked(size))
        else {
            self.rest = &[];
            return None;
        };
        self.rest = rest;
        let index = self.index;
        self.index += 1;
        Some(Interrupt {
            index,
            parent,
            parent_found,
            specifier,
        })
    }
}

impl core::iter::FusedIterator for Interrupts<'_> {}
