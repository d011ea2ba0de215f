//! Lines that somebody owns.

use std::collections::BTreeMap;

use adt::Adt;
use aic_regs::aic::Geometry;
use protocol::LineId;

/// Who owns a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A device names it in `interrupts`.
    Device(String),
    /// It lies in a PCIe port's range of message-signalled interrupts, which no `interrupts` shows.
    Msi(String),
    /// The firmware routes it to a coprocessor (`aic-ext-intr-cfg`).
    Coprocessor(u8),
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Device(path) => write!(f, "{path} names it"),
            Self::Msi(path) => write!(f, "it belongs to the MSI range of {path}"),
            Self::Coprocessor(target) => {
                write!(
                    f,
                    "the firmware routes it to target {target} (aic-ext-intr-cfg)"
                )
            }
        }
    }
}

/// Owned lines of a controller; lines outside it are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineMap {
    owners: BTreeMap<(u8, u16), Owner>,
}

impl LineMap {
    /// Collects what a device tree says, by every parent that a node's specifiers have.
    #[must_use]
    pub fn from_tree(tree: &Adt<'_>, geometry: &Geometry) -> Self {
        let mut map = Self::default();
        let aic = tree.node("/arm-io/aic");
        let phandle = aic.and_then(|n| n.phandle());
        // The tree numbers lines flat over all dies.
        let mut own = |flat: u32, owner: Owner| {
            let (die, number) = (flat / geometry.max_irq, flat % geometry.max_irq);
            if die < geometry.dies && number < geometry.nr_irq {
                // `max_irq` is at most 0x1000 lines and there are at most 16 dies.
                map.owners
                    .entry((die as u8, number as u16))
                    .or_insert(owner);
            }
        };
        for node in tree.root().descendants() {
            for interrupt in node.interrupts() {
                // A parent that is no node may be anything: better to leave such a line alone.
                let ours = interrupt.parent == phandle || !interrupt.parent_found;
                if let (true, Some(flat)) = (ours, interrupt.number()) {
                    own(flat, Owner::Device(node.path().to_string()));
                }
            }
            if let (Some(first), Some(count)) =
                (node.uint("msi-vector-offset"), node.uint("#msi-vectors"))
            {
                let path = node.path().to_string();
                let end = first.saturating_add(count);
                let room = u64::from(geometry.max_irq) * u64::from(geometry.dies);
                for flat in first..end.min(room) {
                    own(flat as u32, Owner::Msi(path.clone()));
                }
            }
        }
        let routes = aic.and_then(|n| n.property("aic-ext-intr-cfg"));
        for route in routes.unwrap_or_default().chunks_exact(3) {
            let number = u32::from(route[0]) | u32::from(route[1] & 0xf) << 8;
            let flat = u32::from(route[1] >> 4) * geometry.max_irq + number;
            own(flat, Owner::Coprocessor(route[2]));
        }
        map
    }

    /// Who owns `line`, if anybody is known to.
    #[must_use]
    pub fn owner(&self, line: LineId) -> Option<&Owner> {
        self.owners.get(&(line.die, line.number))
    }

    /// Number of owned lines.
    #[must_use]
    pub fn len(&self) -> usize {
        self.owners.len()
    }

    /// Whether nobody owns anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// Runs of lines of a die that nobody owns, within 1 to `nr_irq - 1`: first and length, the longest first.
    #[must_use]
    pub fn gaps(&self, die: u8, nr_irq: u32) -> Vec<(u16, u16)> {
        let owned = self
            .owners
            .range((die, 0)..=(die, u16::MAX))
            .map(|((_, n), _)| *n);
        let mut gaps = Vec::new();
        let mut start = 1u32;
        for end in owned.map(u32::from).chain([nr_irq]) {
            let end = end.min(nr_irq);
            if end > start {
                // Both are at most 0x1000.
                gaps.push((start as u16, (end - start) as u16));
            }
            start = start.max(end + 1);
        }
        gaps.sort_by_key(|(first, len)| (std::cmp::Reverse(*len), *first));
        gaps
    }
}
