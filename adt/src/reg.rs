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
    /// Whether the search ended after [`MAX_RANGES`] entries: `translated` is then `false`, and `phys` is what had been found
    /// by then.
    pub too_many_ranges: bool,
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
/// at the first ancestor without `ranges`, and an address that no entry holds goes up as it is. Both is how drivers take it.
/// After [`MAX_RANGES`] entries of all levels together an address is given up ([`Reg::too_many_ranges`]), so that a tree
/// made for it cannot make going through it slow.
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
        let (phys, end) = to_root(self.node, bus);
        Some(Reg {
            bus,
            phys,
            size,
            translated: end == End::Root,
            too_many_ranges: end == End::TooManyRanges,
        })
    }
}

impl core::iter::FusedIterator for Regs<'_> {}

/// How a translation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Every level up to the root held the address.
    Root,
    /// A level has no `ranges`, or none that holds the address.
    NotHeld,
    /// There was more to look at than is looked at.
    TooManyRanges,
}

/// What a level makes of an address.
enum Level {
    Held(u64),
    NotHeld,
    TooManyRanges,
}

/// Translates an address on the bus of `node`'s parent as far towards the root as `ranges` go.
fn to_root(node: Node<'_>, bus_address: u64) -> (u64, End) {
    let mut address = bus_address;
    let mut end = End::Root;
    let mut left = MAX_RANGES;
    // The root's bus is the CPU's: only the levels below it translate.
    for bus in node.ancestors() {
        let Some(above) = bus.parent() else {
            break;
        };
        let Some(ranges) = bus.bus().ranges() else {
            return (address, End::NotHeld);
        };
        match translate(bus.bus(), above.bus(), ranges, address, &mut left) {
            Level::Held(parent_address) => address = parent_address,
            // No entry holds the address: it goes up as it is.
            Level::NotHeld => end = End::NotHeld,
            Level::TooManyRanges => return (address, End::TooManyRanges),
        }
    }
    (address, end)
}

/// Translates one level: from the bus of `bus`, which has `ranges`, to that of its parent `above`. `left` is how many entries
/// may still be looked at.
fn translate(bus: Bus<'_>, above: Bus<'_>, ranges: &[u8], address: u64, left: &mut usize) -> Level {
    let (child_cells, size_cells) = bus.cells();
    let (parent_cells, _) = above.cells();
    if ranges.is_empty() {
        return Level::Held(address); // The standard's way to say "the same addresses".
    }
    let mut words = Words::new(ranges);
    let mut entry = || {
        let child = take(&mut words, child_cells)?;
        let parent = take(&mut words, parent_cells)?;
        let size = take(&mut words, size_cells)?;
        Some((child, parent, size))
    };
    // Entries of no cells would never end.
    let endless = child_cells == 0 && parent_cells == 0 && size_cells == 0;
    while let (false, Some((child, parent, size))) = (endless, entry()) {
        let Some(fewer) = left.checked_sub(1) else {
            return Level::TooManyRanges;
        };
        *left = fewer;
        if let Some(within) = address.checked_sub(child)
            && within < size
        {
            return Level::Held(parent.wrapping_add(within));
        }
    }
    Level::NotHeld
}
