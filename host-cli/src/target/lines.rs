//! Lines that somebody owns, as the device tree tells.

use std::collections::BTreeMap;
use std::sync::Arc;

use adt::{Adt, Node};
use aic_regs::aic::Geometry;
use protocol::LineId;

use super::aic::controller_node;
use super::text::node_path;

/// Numbers of lines that a controller has. Device trees number lines flat over all dies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineSpace {
    /// Lines of a die: numbers are below it.
    pub nr_irq: u32,
    /// Lines of a die that the layout has room for: the first of the next die.
    pub max_irq: u32,
    /// Dies.
    pub dies: u32,
}

impl From<&Geometry> for LineSpace {
    fn from(g: &Geometry) -> Self {
        Self {
            nr_irq: g.nr_irq,
            max_irq: g.max_irq,
            dies: g.dies,
        }
    }
}

impl LineSpace {
    /// Whether the line exists.
    #[must_use]
    pub fn contains(&self, line: LineId) -> bool {
        u32::from(line.die) < self.dies && u32::from(line.number) < self.nr_irq
    }

    /// The line of a flat number, if there is one.
    #[must_use]
    pub fn line(&self, flat: u32) -> Option<LineId> {
        let (die, number) = (flat.checked_div(self.max_irq)?, flat % self.max_irq);
        if die >= self.dies || number >= self.nr_irq {
            return None;
        }
        let (die, number) = (u8::try_from(die).ok()?, u16::try_from(number).ok()?);
        Some(LineId { die, number })
    }
}

/// One specifier that names a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The node.
    pub path: Arc<str>,
    /// Position of the specifier in its `interrupts`.
    pub specifier: usize,
    /// Position of the controller's phandle in its `interrupt-parent`.
    pub parent: usize,
    /// Whether `interrupt-parent` is an ancestor's.
    pub inherited: bool,
    /// Whether the first phandle there is another controller's: a parser that takes one phandle misses the line.
    pub behind_another: bool,
    /// Whether the specifier's controller is no node of the tree: it may be the AIC, so its line is left alone.
    pub unknown_parent: bool,
}

/// A range of message-signalled interrupts, which no `interrupts` shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MsiRange {
    /// First line, flat over all dies.
    pub first: u32,
    /// Number of lines.
    pub count: u32,
    /// The nodes that have it.
    pub nodes: Vec<Arc<str>>,
}

impl MsiRange {
    fn end(&self) -> u32 {
        self.first.saturating_add(self.count)
    }

    /// Whether the flat number lies in it.
    #[must_use]
    pub fn contains(&self, flat: u32) -> bool {
        (self.first..self.end()).contains(&flat)
    }
}

/// A line that the firmware routes to a coprocessor (`aic-ext-intr-cfg`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The line, flat over all dies.
    pub flat: u32,
    /// Where it goes: IRQ_CFG's TARGET.
    pub target: u8,
}

/// Who owns a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A device names it in `interrupts`.
    Device(Claim),
    /// It lies in a PCIe port's range of message-signalled interrupts.
    Msi(MsiRange),
    /// The firmware routes it to a coprocessor.
    Coprocessor(u8),
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Device(claim) => {
                write!(f, "{} names it", claim.path)?;
                if claim.unknown_parent {
                    f.write_str(" under a controller that is no node")?;
                }
                Ok(())
            }
            Self::Msi(range) => write!(
                f,
                "it belongs to the MSI range {}-{} of {}",
                range.first,
                range.end().saturating_sub(1),
                some_of(&range.nodes)
            ),
            Self::Coprocessor(target) => write!(
                f,
                "the firmware routes it to target {target} (aic-ext-intr-cfg)"
            ),
        }
    }
}

/// The first few of a list.
fn some_of(nodes: &[Arc<str>]) -> String {
    const SHOWN: usize = 3;
    let mut text = nodes[..nodes.len().min(SHOWN)].join(", ");
    if nodes.len() > SHOWN {
        text += &format!(" and {} more", nodes.len() - SHOWN);
    }
    text
}

/// Owned lines of a controller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineMap {
    space: LineSpace,
    /// By flat number, those outside the controller too.
    claims: BTreeMap<u32, Vec<Claim>>,
    msi: Vec<MsiRange>,
    routes: Vec<Route>,
}

impl LineMap {
    /// Collects what a device tree says, by every parent that a node's specifiers have.
    #[must_use]
    pub fn from_tree(tree: &Adt<'_>, space: impl Into<LineSpace>) -> Self {
        let mut map = Self {
            space: space.into(),
            ..Self::default()
        };
        let aic = controller_node(tree);
        let phandle = aic.and_then(|n| n.phandle());
        let controllers = tree.controllers();
        let mut msi = BTreeMap::new();
        for node in tree.nodes() {
            let mut path: Option<Arc<str>> = None;
            let mut path = || path.get_or_insert_with(|| node_path(node).into()).clone();
            let mut first = None;
            for i in node.interrupts_in(&controllers) {
                let first = *first.get_or_insert(i.parent);
                // A parent that is no node may be anything: better to leave such a line alone.
                if let (true, Some(flat)) = (i.parent == phandle || !i.parent_found, i.number()) {
                    map.claims.entry(flat).or_default().push(Claim {
                        path: path(),
                        specifier: i.index,
                        parent: i.parent_index,
                        inherited: i.inherited,
                        behind_another: first != i.parent,
                        unknown_parent: i.parent != phandle,
                    });
                }
            }
            if let Some((first, count)) = msi_range(node) {
                let known = *msi.entry((first, count)).or_insert_with(|| {
                    map.msi.push(MsiRange {
                        first,
                        count,
                        nodes: Vec::new(),
                    });
                    map.msi.len() - 1
                });
                map.msi[known].nodes.push(path());
            }
        }
        let routes = aic.and_then(|n| n.property("aic-ext-intr-cfg"));
        // An entry has 3 bytes: number in 12 bits, die in 4, target.
        map.routes = routes
            .unwrap_or_default()
            .chunks_exact(3)
            .map(|raw| Route {
                flat: u32::from(raw[1] >> 4) * map.space.max_irq
                    + (u32::from(raw[0]) | u32::from(raw[1] & 0xf) << 8),
                target: raw[2],
            })
            .collect();
        map
    }

    /// The numbers that the controller has.
    #[must_use]
    pub const fn space(&self) -> LineSpace {
        self.space
    }

    /// Lines named in `interrupts`, with flat numbers; those outside the controller (pseudo-lines) too.
    pub fn claims(&self) -> impl Iterator<Item = (u32, &[Claim])> {
        self.claims
            .iter()
            .map(|(flat, claims)| (*flat, &claims[..]))
    }

    /// Ranges of message-signalled interrupts, in the tree's order, each once.
    #[must_use]
    pub fn msi(&self) -> &[MsiRange] {
        &self.msi
    }

    /// Lines that the firmware routes to coprocessors.
    #[must_use]
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    fn flat(&self, line: LineId) -> u32 {
        u32::from(line.die) * self.space.max_irq + u32::from(line.number)
    }

    /// Everybody who is known to own `line`; a device once, however often it names it.
    #[must_use]
    pub fn owners(&self, line: LineId) -> Vec<Owner> {
        let flat = self.flat(line);
        let mut owners: Vec<Owner> = Vec::new();
        let mut last: Option<&str> = None;
        for claim in self.claims.get(&flat).into_iter().flatten() {
            if last != Some(&claim.path) {
                owners.push(Owner::Device(claim.clone()));
            }
            last = Some(&claim.path);
        }
        let msi = self.msi.iter().filter(|range| range.contains(flat));
        owners.extend(msi.cloned().map(Owner::Msi));
        let routes = self.routes.iter().filter(|route| route.flat == flat);
        owners.extend(routes.map(|route| Owner::Coprocessor(route.target)));
        owners
    }

    /// Runs of owned lines as first and end, in order, without overlaps; flat numbers.
    fn owned_runs(&self) -> Vec<(u32, u32)> {
        let mut runs: Vec<(u32, u32)> = self
            .claims
            .keys()
            .map(|n| (*n, n.saturating_add(1)))
            .collect();
        runs.extend(self.msi.iter().map(|range| (range.first, range.end())));
        runs.extend(
            self.routes
                .iter()
                .map(|r| (r.flat, r.flat.saturating_add(1))),
        );
        runs.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (first, end) in runs {
            match merged.last_mut() {
                Some(last) if first <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((first, end)),
            }
        }
        merged
    }

    /// Runs of lines of a die that nobody owns, within 1 to NR_IRQ - 1: first and length, the longest first.
    #[must_use]
    pub fn gaps(&self, die: u8) -> Vec<(u16, u16)> {
        let die_start = u32::from(die) * self.space.max_irq;
        let nr_irq = self.space.nr_irq;
        let mut gaps = Vec::new();
        let mut start = 1u32;
        let owned = self.owned_runs().into_iter();
        let owned = owned.filter(|(_, end)| *end > die_start);
        let owned = owned.map(|(first, end)| (first.saturating_sub(die_start), end - die_start));
        for (first, end) in owned.chain([(nr_irq, nr_irq)]) {
            let first = first.min(nr_irq);
            if first > start
                && let (Ok(from), Ok(len)) = (u16::try_from(start), u16::try_from(first - start))
            {
                gaps.push((from, len));
            }
            start = start.max(end);
        }
        gaps.sort_by_key(|(first, len)| (std::cmp::Reverse(*len), *first));
        gaps
    }

    /// A NR_IRQ that a controller of one die cannot be below: one more than the highest line that the tree names. Lines of
    /// `/cpus` do not count: old trees list pseudo-lines there that the controller does not have.
    #[must_use]
    pub fn least_nr_irq(&self) -> u32 {
        let device = |claims: &[Claim]| claims.iter().any(|c| !c.path.starts_with("/cpus/"));
        let named = self.claims.iter().filter(|(_, claims)| device(claims));
        let ends = named.map(|(n, _)| n.saturating_add(1));
        let msi = self.msi.iter().map(MsiRange::end);
        let routes = self.routes.iter().map(|r| r.flat.saturating_add(1));
        ends.chain(msi).chain(routes).max().unwrap_or(1)
    }
}

fn msi_range(node: Node<'_>) -> Option<(u32, u32)> {
    let number = |name| node.uint(name).and_then(|n| u32::try_from(n).ok());
    let (first, count) = (number("msi-vector-offset")?, number("#msi-vectors")?);
    (count > 0).then_some((first, count))
}
