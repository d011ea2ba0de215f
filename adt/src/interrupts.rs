// SPDX-License-Identifier: MIT OR Apache-2.0
//! `interrupts`: which line of which controller.

#[cfg(feature = "std")]
use crate::controllers::Controllers;
use crate::node::Node;
use crate::property::Words;
use crate::steps::step;

/// Cells of a specifier whose controller does not say.
pub(crate) const DEFAULT_INTERRUPT_CELLS: u32 = 1;

/// One interrupt of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupt<'a> {
    /// Position in the node's list.
    pub index: usize,
    /// Phandle of the controller that the specifier belongs to; `None` where neither the node nor an ancestor names one.
    pub parent: Option<u32>,
    /// Position of that phandle in `interrupt-parent`: above 0 for what a parser that takes one phandle would miss.
    pub parent_index: usize,
    /// Whether `interrupt-parent` is an ancestor's, not the node's own.
    pub inherited: bool,
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

/// The controller that specifiers belong to.
#[derive(Clone, Copy, Debug)]
struct Controller {
    phandle: Option<u32>,
    /// Position in `interrupt-parent`.
    index: usize,
    found: bool,
    cells: usize,
}

/// Iterator over the interrupts of a node.
///
/// `interrupt-parent` may hold several phandles: specifier i belongs to phandle i, the last phandle repeats, and each
/// specifier has as many cells as its own controller's `#interrupt-cells`. A node without `interrupt-parent` inherits the
/// nearest ancestor's. A rest shorter than its specifier is left out.
#[derive(Clone, Debug)]
pub struct Interrupts<'a> {
    root: Node<'a>,
    #[cfg(feature = "std")]
    controllers: Option<&'a Controllers>,
    rest: &'a [u8],
    parents: Words<'a>,
    /// Phandles taken from the list.
    taken: usize,
    inherited: bool,
    index: usize,
    controller: Controller,
}

impl<'a> Interrupts<'a> {
    pub(crate) fn new(node: Node<'a>) -> Self {
        let rest = node.property("interrupts").unwrap_or_default();
        let own = node
            .property("interrupt-parent")
            .filter(|value| value.len() >= 4);
        let parents = match own {
            Some(own) => Some(own),
            None => node
                .ancestors()
                .find_map(|ancestor| ancestor.bus().interrupt_parent()),
        };
        Self {
            root: node.tree_root(),
            #[cfg(feature = "std")]
            controllers: None,
            rest,
            parents: Words::new(parents.unwrap_or_default()),
            taken: 0,
            inherited: own.is_none(),
            index: 0,
            controller: Controller {
                phandle: None,
                index: 0,
                found: false,
                cells: DEFAULT_INTERRUPT_CELLS as usize,
            },
        }
    }

    /// The same, with the controllers found before.
    #[cfg(feature = "std")]
    pub(crate) fn in_controllers(mut self, controllers: &'a Controllers) -> Self {
        self.controllers = Some(controllers);
        self
    }

    /// Whether a node has this phandle, and the cells of its specifiers.
    fn look_up(&self, phandle: u32) -> (bool, u32) {
        #[cfg(feature = "std")]
        if let Some(controllers) = self.controllers {
            let cells = controllers.cells(phandle);
            return (cells.is_some(), cells.unwrap_or(DEFAULT_INTERRUPT_CELLS));
        }
        let node = self
            .root
            .descendants()
            .find(|node| node.phandle() == Some(phandle));
        let cells = node.and_then(|node| node.u32("#interrupt-cells"));
        (node.is_some(), cells.unwrap_or(DEFAULT_INTERRUPT_CELLS))
    }

    /// Goes on to the next phandle of the list; the last one stays.
    fn next_parent(&mut self) {
        let Some(phandle) = self.parents.next() else {
            return;
        };
        if self.controller.phandle != Some(phandle) {
            let (found, cells) = self.look_up(phandle);
            self.controller.phandle = Some(phandle);
            self.controller.found = found;
            // A specifier of no cells would never end.
            self.controller.cells = cells.max(1) as usize;
        }
        self.controller.index = self.taken;
        self.taken += 1;
    }
}

impl<'a> Iterator for Interrupts<'a> {
    type Item = Interrupt<'a>;

    fn next(&mut self) -> Option<Interrupt<'a>> {
        step();
        if self.rest.is_empty() {
            return None;
        }
        self.next_parent();
        let Controller {
            phandle,
            index: parent_index,
            found,
            cells,
        } = self.controller;
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
            parent: phandle,
            parent_index,
            inherited: self.inherited,
            parent_found: found,
            specifier,
        })
    }
}

impl core::iter::FusedIterator for Interrupts<'_> {}
