// SPDX-License-Identifier: MIT OR Apache-2.0
//! Nodes: their properties, children and ancestors.

use crate::bus::Bus;
#[cfg(feature = "std")]
use crate::controllers::Controllers;
use crate::interrupts::Interrupts;
use crate::layout::{MAX_DEPTH, MAX_NODE_NAME, NODE_HEADER, node_header};
use crate::property::{Properties, Property, Strings, Words, until_nul};
use crate::reg::{Reg, Regs};
use crate::tree::Nodes;
use core::fmt;

/// A node of a checked tree. It remembers its ancestors and what they say about the addresses and interrupts below them,
/// so `reg`, `interrupts` and paths need no search.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    /// The whole tree.
    bytes: &'a [u8],
    depth: usize,
    /// The ancestors from the root on, then the node itself at `depth`.
    line: [Level<'a>; MAX_DEPTH + 1],
}

/// A node on the way from the root to another.
#[derive(Clone, Copy)]
struct Level<'a> {
    /// Where the node begins.
    offset: usize,
    /// What it says for its children; known as soon as there is a child.
    bus: Bus<'a>,
}

impl<'a> Node<'a> {
    pub(crate) fn root(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            depth: 0,
            line: [Level {
                offset: 0,
                bus: Bus::SILENT,
            }; MAX_DEPTH + 1],
        }
    }

    /// This node's child whose offset is `offset`.
    pub(crate) fn with_child_at(mut self, offset: usize) -> Option<Self> {
        self.depth += 1;
        let level = self.line.get_mut(self.depth)?;
        level.offset = offset;
        level.bus = Bus::SILENT;
        node_header(self.bytes, offset)?;
        Some(self)
    }

    /// The ancestor at `level` (the root's is 0), or the node itself at its own level.
    pub(crate) fn at_level(mut self, level: usize) -> Option<Self> {
        if level > self.depth {
            return None;
        }
        self.depth = level;
        Some(self)
    }

    /// Byte offset of the node in the blob.
    pub fn offset(&self) -> usize {
        self.line.get(self.depth).map_or(0, |level| level.offset)
    }

    /// What the node says for its children, if this value was made as the parent of one.
    pub(crate) fn bus(&self) -> Bus<'a> {
        self.line
            .get(self.depth)
            .map_or(Bus::SILENT, |level| level.bus)
    }

    fn header(&self) -> (u32, u32) {
        node_header(self.bytes, self.offset()).unwrap_or_default()
    }

    /// Offset after the properties: of the first child, or of whatever follows a node without children.
    pub(crate) fn properties_end(&self) -> usize {
        let mut properties = self.properties();
        properties.by_ref().for_each(drop);
        properties.offset()
    }

    /// The node as the parent of its children, and the offset of the first of them.
    pub(crate) fn opened(mut self) -> (Self, usize) {
        let mut bus = Bus::SILENT;
        let mut properties = self.properties();
        for property in properties.by_ref() {
            bus.note(&property);
        }
        let end = properties.offset();
        if let Some(level) = self.line.get_mut(self.depth) {
            level.bus = bus;
        }
        (self, end)
    }

    /// The node as the root of the tree that it is in.
    pub(crate) fn tree_root(&self) -> Self {
        Self::root(self.bytes)
    }

    /// The name: property `name` up to its first NUL, at most [`MAX_NODE_NAME`] bytes of it; empty where that is missing or
    /// not UTF-8.
    pub fn name(&self) -> &'a str {
        let value = self.property("name").unwrap_or_default();
        let name = until_nul(value.get(..MAX_NODE_NAME).unwrap_or(value));
        match core::str::from_utf8(name) {
            Ok(name) => name,
            // Cut within a character.
            Err(why) if why.error_len().is_none() && value.len() > MAX_NODE_NAME => {
                let whole = name.get(..why.valid_up_to()).unwrap_or_default();
                core::str::from_utf8(whole).unwrap_or_default()
            }
            Err(_) => "",
        }
    }

    /// How far below the root; the root's depth is 0.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The path from the root, e.g. `/arm-io/aic`.
    pub fn path(&self) -> Path<'a> {
        Path(*self)
    }

    /// The parent; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        self.at_level(self.depth.checked_sub(1)?)
    }

    /// The ancestors from the parent up to the root.
    pub fn ancestors(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        core::iter::successors(self.parent(), Node::parent)
    }

    /// The properties in the tree's order.
    pub fn properties(&self) -> Properties<'a> {
        Properties::new(
            self.bytes,
            self.offset().saturating_add(NODE_HEADER),
            self.header().0,
        )
    }

    /// The first property called `name`.
    pub fn find(&self, name: &str) -> Option<Property<'a>> {
        self.properties().find(|property| property.name == name)
    }

    /// The bytes of the first property called `name`.
    pub fn property(&self, name: &str) -> Option<&'a [u8]> {
        self.find(name).map(|property| property.value)
    }

    /// A property of exactly 4 bytes; `None` also where the size is another. [`Node::find`] tells the two apart.
    pub fn u32(&self, name: &str) -> Option<u32> {
        self.find(name)?.u32()
    }

    /// A property of exactly 8 bytes.
    pub fn u64(&self, name: &str) -> Option<u64> {
        self.find(name)?.u64()
    }

    /// A property of 1, 2, 4 or 8 bytes.
    pub fn uint(&self, name: &str) -> Option<u64> {
        self.find(name)?.uint()
    }

    /// A property's text before its first NUL.
    pub fn str(&self, name: &str) -> Option<&'a str> {
        self.find(name)?.str()
    }

    /// The strings of a property; none where it is missing.
    pub fn strings(&self, name: &str) -> Strings<'a> {
        self.or_empty(name).strings()
    }

    /// The words of a property; none where it is missing.
    pub fn u32s(&self, name: &str) -> Words<'a> {
        self.or_empty(name).u32s()
    }

    fn or_empty(&self, name: &str) -> Property<'a> {
        self.find(name).unwrap_or(Property {
            name: "",
            value: &[],
            placeholder: false,
        })
    }

    /// The strings of `compatible`, most specific first.
    pub fn compatible(&self) -> Strings<'a> {
        self.strings("compatible")
    }

    /// Whether `compatible` lists `model`.
    pub fn is_compatible(&self, model: &str) -> bool {
        self.compatible().any(|listed| listed == model)
    }

    /// `AAPL,phandle`, by which other nodes refer to this one.
    pub fn phandle(&self) -> Option<u32> {
        self.u32("AAPL,phandle")
    }

    /// Number of children.
    pub fn child_count(&self) -> u32 {
        self.header().1
    }

    /// The children in the tree's order.
    pub fn children(&self) -> Children<'a> {
        let (parent, offset) = self.opened();
        Children {
            parent,
            offset,
            left: self.child_count(),
        }
    }

    /// The child called `name`, as in [`crate::Adt::node`].
    pub fn child(&self, name: &str) -> Option<Self> {
        self.children()
            .find(|child| child.name() == name)
            .or_else(|| {
                let named = |child: &Self| {
                    child
                        .name()
                        .split_once('@')
                        .is_some_and(|(stem, _)| stem == name)
                };
                self.children().find(named)
            })
    }

    /// The node and everything below it, parents before their children.
    pub fn descendants(&self) -> Nodes<'a> {
        Nodes::new(*self)
    }

    /// Entry `index` of `reg`, translated to a physical address; `None` past the last entry. See [`Regs`].
    pub fn reg(&self, index: usize) -> Option<Reg> {
        self.regs().nth(index)
    }

    /// The entries of `reg`, translated to physical addresses.
    pub fn regs(&self) -> Regs<'a> {
        Regs::new(*self)
    }

    /// The interrupts of the node, each with its own controller. See [`Interrupts`].
    ///
    /// Every change of controller within the list is a search of the whole tree: to go through many nodes, use
    /// `interrupts_in` (feature `std`).
    pub fn interrupts(&self) -> Interrupts<'a> {
        Interrupts::new(*self)
    }

    /// The same with controllers found before, so that going through every node of a tree takes time in proportion to its
    /// size.
    #[cfg(feature = "std")]
    pub fn interrupts_in<'c>(&self, controllers: &'c Controllers) -> Interrupts<'c>
    where
        'a: 'c,
    {
        Interrupts::new(*self).in_controllers(controllers)
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.bytes, other.bytes) && self.offset() == other.offset()
    }
}

impl Eq for Node<'_> {}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Node({} at {:#x})", self.path(), self.offset())
    }
}

/// Iterator over the children of a node.
#[derive(Clone, Debug)]
pub struct Children<'a> {
    parent: Node<'a>,
    offset: usize,
    left: u32,
}

impl<'a> Iterator for Children<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        self.left = self.left.checked_sub(1)?;
        let child = self.parent.with_child_at(self.offset)?;
        // Past everything below the child: each node that is passed adds its children to those still to pass.
        let mut to_pass = 1_u64;
        let mut at = child;
        while to_pass > 0 {
            to_pass = to_pass - 1 + u64::from(at.child_count());
            self.offset = at.properties_end();
            if to_pass > 0 {
                // Only its header and properties are read: that it stands at the child's depth does not matter.
                at = self.parent.with_child_at(self.offset)?;
            }
        }
        Some(child)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left as usize))
    }
}

impl core::iter::FusedIterator for Children<'_> {}

/// A node's path, for display.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a>(Node<'a>);

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.depth() == 0 {
            return f.write_str("/");
        }
        for level in 1..=self.0.depth() {
            let name = self
                .0
                .at_level(level)
                .map(|node| node.name())
                .unwrap_or_default();
            write!(f, "/{name}")?;
        }
        Ok(())
    }
}
