// SPDX-License-Identifier: MIT OR Apache-2.0
//! `reg`: address windows, and their translation through `ranges`.

use crate::node::Node;
use crate::property::Words;

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

/// Address cells that a bus has when it does not say.
const DEFAULT_ADDRESS_CELLS: u32 = 2;
/// Size cells that a bus has when it does not say.
const DEFAULT_SIZE_CELLS: u32 = 1;

/// The cells of the addresses and sizes on a node's bus. Real trees leave both out under some nodes that have children
/// with `reg`.
fn cells(bus: Node<'_>) -> (usize, usize) {
    let address = bus.u32("#address-cells").unwrap_or(DEFAULT_ADDRESS_CELLS);
    let size = bus.u32("#size-cells").unwrap_or(DEFAULT_SIZE_CELLS);
    (address as usize, size as usize)
}

/// Takes a number of `cells` words, least significant first. Of more than two words the first ones are flags (PCI): the
/// last two hold the number.
fn take(words: &mut Words<'_>, cells: usize) -> Option<u64> {
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
/// at the first ancestor without `ranges`.
#[derive(Clone, Debug)]
pub struct Regs<'a> {
    node: Node<'a>,
    words: Words<'a>,
    cells: (usize, usize),
}

impl<'a> Regs<'a> {
    pub(crate) fn new(node: Node<'a>) -> Self {
        let cells = node.parent().map_or(
            (DEFAULT_ADDRESS_CELLS as usize, DEFAULT_SIZE_CELLS as usize),
            cells,
        );
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
    // The root's bus is the CPU's: only the levels below it translate.
    for bus in node.ancestors() {
        let Some(above) = bus.parent() else {
            return (address, true);
        };
        match translate(bus, above, address) {
            Some(parent_address) => address = parent_address,
            None => return (address, false),
        }
    }
    (address, true)
}

/// Translates one level: from the bus of `bus` to that of its parent `above`.
fn translate(bus: Node<'_>, above: Node<'_>, address: u64) -> Option<u64> {
    let (child_cells, size_cells) = cells(bus);
    let (parent_cells, _) = cells(above);
    let ranges = bus.find("ranges")?;
    if ranges.value.is_empty() {
        return Some(address); // The standard's way to say "the same addresses".
    }
    if (child_cells, parent_cells, size_cells) == (0, 0, 0) {
        return None;
    }
    let mut words = ranges.u32s();
    loop {
        let child = take(&mut words, child_cells)?;
        let parent = take(&mut words, parent_cells)?;
        let size = take(&mut words, size_cells)?;
        if let Some(within) = address.checked_sub(child)
            && within < size
        {
            return Some(parent.wrapping_add(within));
        }
    }
}
