//! A tree, or a part of it.

use adt::{Adt, Node};
use schemars::JsonSchema;
use serde::Serialize;

use crate::target::{node_path, printable};

use super::TreeFile;
use super::value::Value;

/// What to list.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only the nodes at this path, and what is below them.
    pub path: Option<String>,
    /// Only this property.
    pub property: Option<String>,
    /// The controller of every interrupt.
    pub interrupts: bool,
    /// The addresses of every window.
    pub reg: bool,
}

impl Wanted {
    /// Whether whole nodes are wanted, not just a part of each.
    #[must_use]
    pub const fn whole(&self) -> bool {
        self.property.is_none() && !self.interrupts && !self.reg
    }
}

/// What is asked for is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// No node at the path.
    #[error("no node {path}; {above} has {children}")]
    NoNode {
        /// The path.
        path: String,
        /// The last part of it that is there.
        above: String,
        /// What is below that.
        children: String,
    },
    /// No such property.
    #[error("{place} has no property \"{name}\"; {has}")]
    NoProperty {
        /// Where.
        place: String,
        /// The name.
        name: String,
        /// What is there instead.
        has: String,
    },
}

/// A listing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Listing {
    /// "aicprobe.adt/1".
    pub schema: &'static str,
    /// Where the tree comes from.
    pub file: String,
    /// Nodes in the whole tree.
    pub node_count: usize,
    /// Size of the whole tree in bytes.
    pub size: usize,
    /// Bytes before it in the file.
    pub before: usize,
    /// Bytes after it.
    pub after: usize,
    /// Whether those are zeros, as behind a tree in memory.
    pub padded: bool,
    /// The nodes, parents before their children.
    pub nodes: Vec<NodeInfo>,
}

/// A node.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NodeInfo {
    /// Its path; names that are not fit to be shown are changed. Several nodes may have the same.
    pub path: String,
    /// Where it begins in the tree, in bytes.
    pub offset: usize,
    /// Its properties.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<PropertyInfo>,
    /// Its windows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reg: Vec<RegInfo>,
    /// Its interrupts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interrupts: Vec<InterruptInfo>,
}

/// A property.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PropertyInfo {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: usize,
    /// Whether the boot loader has still to fill it (templates): the value says with what.
    pub placeholder: bool,
    /// Its value.
    #[serde(flatten)]
    pub value: Value,
}

/// An entry of `reg`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RegInfo {
    /// Address on the bus of the parent, as the tree states it.
    pub bus: String,
    /// Address as a CPU uses it.
    pub physical: String,
    /// Size in bytes.
    pub size: String,
    /// Whether every level up to the root translated it.
    pub translated: bool,
    /// Whether the ranges above are too many to look through; left out where they are not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub too_many_ranges: bool,
}

/// An interrupt.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InterruptInfo {
    /// Position in `interrupts`.
    pub specifier: usize,
    /// The words of the specifier; for the AIC the line.
    pub cells: Vec<u32>,
    /// Phandle of the controller.
    pub phandle: Option<u32>,
    /// The controller; `null` where no node has the phandle.
    pub controller: Option<String>,
    /// Position of the phandle in `interrupt-parent`.
    pub parent_index: usize,
    /// Whether `interrupt-parent` is an ancestor's.
    pub inherited: bool,
}

impl Listing {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.adt/1";

    /// Lists what is wanted.
    ///
    /// # Errors
    /// [`ListError`].
    pub fn new(
        name: String,
        file: &TreeFile,
        tree: &Adt<'_>,
        wanted: &Wanted,
    ) -> Result<Self, ListError> {
        let mut nodes = Vec::new();
        let starts = match wanted.path.as_deref() {
            None => vec![tree.root()],
            Some(path) => at_path(tree, path)?,
        };
        // A path asks for the nodes there; a whole tree, or a part of every node, for all below as well.
        let deep = wanted.path.is_none() || !wanted.whole() && wanted.property.is_none();
        let lister = Lister::new(tree, wanted);
        for start in &starts {
            let below = start.descendants().skip(1).take_while(|_| deep);
            nodes.extend(
                std::iter::once(*start)
                    .chain(below)
                    .filter_map(|n| lister.node(n)),
            );
        }
        if let (true, Some(name)) = (nodes.is_empty(), &wanted.property) {
            return Err(no_property(&starts, wanted.path.is_some(), name));
        }
        Ok(Self {
            schema: Self::SCHEMA,
            file: name,
            node_count: tree.node_count(),
            size: tree.size(),
            before: file.before,
            after: file.after,
            padded: file.padded,
            nodes,
        })
    }
}

/// Every node at a path. A part without `@` also means nodes that have that name and a unit address.
fn at_path<'a>(tree: &Adt<'a>, path: &str) -> Result<Vec<Node<'a>>, ListError> {
    let mut here = vec![tree.root()];
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let named = |node: &Node<'_>| {
            let name = node.name();
            name == part || name.split_once('@').is_some_and(|(stem, _)| stem == part)
        };
        let next: Vec<Node<'a>> = here.iter().flat_map(Node::children).filter(named).collect();
        if next.is_empty() {
            let children = here.iter().flat_map(Node::children);
            return Err(ListError::NoNode {
                path: printable(path),
                above: here.first().map_or_else(String::new, |n| node_path(*n)),
                children: some(children.map(|n| n.name()), "no children"),
            });
        }
        here = next;
    }
    Ok(here)
}

fn no_property(starts: &[Node<'_>], named: bool, name: &str) -> ListError {
    let (place, has) = match starts {
        [first, ..] if named => (
            node_path(*first),
            format!(
                "it has {}",
                some(first.properties().map(|p| p.name), "none")
            ),
        ),
        _ => ("the tree".to_owned(), "no node has it".to_owned()),
    };
    ListError::NoProperty {
        place,
        name: printable(name),
        has,
    }
}

/// The first few names.
fn some<'n>(names: impl Iterator<Item = &'n str>, none: &str) -> String {
    const SHOWN: usize = 12;
    let mut shown: Vec<String> = names.take(SHOWN + 1).map(printable).collect();
    if shown.len() > SHOWN {
        shown[SHOWN] = "…".to_owned();
    }
    match shown.is_empty() {
        true => none.to_owned(),
        false => shown.join(" "),
    }
}

struct Lister<'t, 'w> {
    tree: Adt<'t>,
    wanted: &'w Wanted,
    controllers: adt::Controllers,
    /// Paths of the nodes that have a phandle.
    paths: std::collections::BTreeMap<u32, Node<'t>>,
}

impl<'t, 'w> Lister<'t, 'w> {
    fn new(tree: &Adt<'t>, wanted: &'w Wanted) -> Self {
        let mut paths = std::collections::BTreeMap::new();
        if wanted.interrupts {
            for node in tree.nodes() {
                if let Some(phandle) = node.phandle() {
                    paths.entry(phandle).or_insert(node);
                }
            }
        }
        Self {
            tree: *tree,
            wanted,
            controllers: tree.controllers(),
            paths,
        }
    }

    /// A node, if anything of it is wanted.
    fn node(&self, node: Node<'t>) -> Option<NodeInfo> {
        let wanted = self.wanted;
        let mut info = NodeInfo {
            path: node_path(node),
            offset: node.offset(),
            properties: Vec::new(),
            reg: Vec::new(),
            interrupts: Vec::new(),
        };
        let whole = wanted.whole();
        let name = wanted.property.as_deref();
        if whole || name.is_some() {
            let listed = node.properties().filter(|p| whole || name == Some(p.name));
            info.properties = listed.map(|p| property(node, &p)).collect();
        }
        if wanted.reg {
            info.reg = node.regs().map(|r| reg_info(&r)).collect();
        }
        if wanted.interrupts {
            let found = node.interrupts_in(&self.controllers);
            info.interrupts = found.map(|i| self.interrupt(&i)).collect();
        }
        let empty = info.properties.is_empty() && info.reg.is_empty() && info.interrupts.is_empty();
        debug_assert!(node.offset() < self.tree.size());
        (!empty).then_some(info)
    }

    fn interrupt(&self, interrupt: &adt::Interrupt<'_>) -> InterruptInfo {
        let controller = interrupt.parent.and_then(|p| self.paths.get(&p));
        InterruptInfo {
            specifier: interrupt.index,
            cells: interrupt.cells().collect(),
            phandle: interrupt.parent,
            controller: controller.map(|node| node_path(*node)),
            parent_index: interrupt.parent_index,
            inherited: interrupt.inherited,
        }
    }
}

fn property(node: Node<'_>, property: &adt::Property<'_>) -> PropertyInfo {
    // `reg` has the cells of the bus that the node is on, `ranges` those of its own.
    let bus = match property.name {
        "reg" => node.parent(),
        _ => Some(node),
    };
    let wide = bus.is_some_and(|bus| {
        let cells = |name| bus.u32(name).unwrap_or(2);
        cells("#address-cells") == 2 && cells("#size-cells") == 2
    });
    PropertyInfo {
        name: printable(property.name),
        size: property.value.len(),
        placeholder: property.placeholder,
        value: Value::of(property, wide),
    }
}

fn reg_info(reg: &adt::Reg) -> RegInfo {
    RegInfo {
        bus: format!("{:#x}", reg.bus),
        physical: format!("{:#x}", reg.phys),
        size: format!("{:#x}", reg.size),
        translated: reg.translated,
        too_many_ranges: reg.too_many_ranges,
    }
}
