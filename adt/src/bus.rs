// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a node says about the addresses and interrupts of what is below it.

use crate::property::Property;

/// Address cells that a bus has when it does not say.
const DEFAULT_ADDRESS_CELLS: u32 = 2;
/// Size cells that a bus has when it does not say.
const DEFAULT_SIZE_CELLS: u32 = 1;

/// The first property of each of these names; a cell count of a wrong size counts as missing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bus<'a> {
    address_cells: Option<&'a [u8]>,
    size_cells: Option<&'a [u8]>,
    ranges: Option<&'a [u8]>,
    interrupt_parent: Option<&'a [u8]>,
}

impl<'a> Bus<'a> {
    /// A node that says nothing.
    pub(crate) const SILENT: Self = Self {
        address_cells: None,
        size_cells: None,
        ranges: None,
        interrupt_parent: None,
    };

    /// Takes a property into account.
    pub(crate) fn note(&mut self, property: &Property<'a>) {
        let place = match property.name {
            "#address-cells" => &mut self.address_cells,
            "#size-cells" => &mut self.size_cells,
            "ranges" => &mut self.ranges,
            "interrupt-parent" => &mut self.interrupt_parent,
            _ => return,
        };
        place.get_or_insert(property.value);
    }

    /// The cells of the addresses and sizes on this bus. Real trees leave both out under some nodes that have children
    /// with `reg`.
    pub(crate) fn cells(&self) -> (usize, usize) {
        let count = |value: Option<&[u8]>, usual: u32| {
            let word = value.and_then(|raw| Some(u32::from_le_bytes(raw.try_into().ok()?)));
            word.unwrap_or(usual) as usize
        };
        (
            count(self.address_cells, DEFAULT_ADDRESS_CELLS),
            count(self.size_cells, DEFAULT_SIZE_CELLS),
        )
    }

    /// How addresses on this bus become those of the bus above.
    pub(crate) fn ranges(&self) -> Option<&'a [u8]> {
        self.ranges
    }

    /// The controllers of what is below, unless that says otherwise; a property without a whole phandle says nothing.
    pub(crate) fn interrupt_parent(&self) -> Option<&'a [u8]> {
        self.interrupt_parent.filter(|value| value.len() >= 4)
    }
}
