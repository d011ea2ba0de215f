// SPDX-License-Identifier: MIT OR Apache-2.0
//! `reg`: address windows, and their translation through `ranges`.

use crate::bus::Bus;
use crate::layout::MAX_RANGES;
use crate::node::Node;
use crate::property::Words;
use crate::steps::step;

/// One entry of `reg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reg {
    /// Address as the tree states it, on the bus of the node's parent.
    pub bus: u64,
    /// Address as a CPU uses it. On Macs it usually differs from `bus`: show both.
    pub phys: u64,
    /// Size in bytes.
    pub size: u64,
    /// Whether every level up to the root translated the address. `false` where an ancestor has no `ranges` or none that
    /// holds the address: `phys` is then what the levels below gave, as drivers take it.
    pub translated: bool,
}

/// Takes a number of `cells` words, least significant first. Of more than two words the first ones are flags (PCI): the
/// last two hold the number.
fn take(words: &mut Words<'_>, cells: usize) -> Option<u64> {
    step();
    match cells {
        0 => Some(0),
        1 => words.next().map(u64::from),
        _ => {
            if cells > 2 {
                words.nth(cells - 3)?;
            }
            let low = words.next()?;
            let high = words.next()?;
            Some(u64::from(high) << 32 | u64::from(low))
        }
    }
}

/// Iterator over the entries of a node's `reg`.
///
/// The parent's `#address-cells` and `#size-cells` give the shape of an entry (2 and 1 where the parent has none); a rest
/// shorter than an entry is left out. Each ancestor's `ranges` translates the address towards the root; translation stops
/// at the first ancestor without `ranges`, and an address that no entry holds (the first [`MAX_RANGES`] are looked at)
/// goes up as it is. Both is how drivers take it.
#[derive(Clone, Debug)]
pub struct Regs<'a> {
    node: Node<'a>,
    words: Words<'a>,
    cells: (usize, usize),
}

impl<'a> Regs<'a> {
    pub(crate) fn new(node: Node<'a>) -> Self {
        let cells = node.parent().map_or(Bus::SILENT, |bus| bus.bus()).cells();
        let words = node.u32s("reg");
        Self { node, words, cells }
    }
}

impl Iterator for Regs<'_> {
    type Item = Reg;

    fn next(&mut self) -> Option<Reg> {
        if self.cells == (0, 0) {
            return None; // Entries of no cells would never end.
        }
        let bus = take(&mut self.words, self.cells.0)?;
        let size = take(&mut self.words, self.cells.1)?;
        let (phys, translated) = to_root(self.node, bus);
        Some(Reg {
            bus,
            phys,
            size,
            translated,
        })
    }
}

impl core::iter::FusedIterator for Regs<'_> {}

/// Translates an address on the bus of `node`'s parent as far towards the root as `ranges` go.
fn to_root(node: Node<'_>, bus_address: u64) -> (u64, bool) {
    let mut address = bus_address;
    let mut translated = true;
    // The root's bus is the CPU's: only the levels below it translate.
    for bus in node.ancestors() {
        let Some(above) = bus.parent() else {
            break;
        };
        if bus.bus().ranges().is_none() {
            return (address, false);
        }
        match translate(bus.bus(), above.bus(), address) {
            Some(parent_address) => address = parent_address,
            // No entry holds the address: it goes up as it is.
            None => translated = false,
        }
    }
    (address, translated)
}

/// Translates one level: from the bus of `bus` to that of its parent `above`.
fn translate(bus: Bus<'_>, above: Bus<'_>, address: u64) -> Option<u64> {
    let (child_cells, size_cells) = bus.cells();
    let (parent_cells, _) = above.cells();
    let ranges = bus.ranges()?;
    if ranges.is_empty() {
        return Some(address); // The standard's way to say "the same addresses".
    }
    let mut words = Words::new(ranges);
    for _ in 0..MAX_RANGES {
        let child = take(&mut words, child_cells)?;
        let parent = take(&mut words, parent_cells)?;
        let size = take(&mut words, size_cells)?;
        if let Some(within) = address.checked_sub(child)
            && within < size
        {
            return Some(parent.wrapping_add(within));
        }
    }
    None
}
