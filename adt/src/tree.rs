// SPDX-License-Identifier: MIT OR Apache-2.0
//! The checked tree.

#[cfg(feature = "std")]
use crate::controllers::Controllers;
use crate::error::{Error, ErrorKind};
use crate::layout::{
    MAX_CHILDREN, MAX_DEPTH, MAX_PROPERTIES, MAX_VALUE, NAME_FIELD, NODE_HEADER, PLACEHOLDER,
    node_header, word,
};
use crate::node::Node;
use crate::property::Property;

/// A device tree whose every node and property has been checked to lie inside its bytes and its limits.
#[derive(Clone, Copy, Debug)]
pub struct Adt<'a> {
    /// Exactly the tree, without what follows it.
    bytes: &'a [u8],
    nodes: usize,
}

impl<'a> Adt<'a> {
    /// Checks the tree that starts at the first byte of `bytes`. What follows the root's last node is ignored: iBoot's
    /// window ends in zeros.
    ///
    /// # Errors
    ///
    /// The first place where the bytes stop being a tree.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Error> {
        // Children that each open level still has to come; the root is the only child of level 0.
        let mut open = [0_u32; MAX_DEPTH + 1];
        let mut depth = 0;
        let mut offset = 0;
        let mut nodes = 0;
        open[0] = 1;
        loop {
            let Some(left) = open.get_mut(depth) else {
                return Err(Error {
                    offset,
                    kind: ErrorKind::Depth,
                });
            };
            if *left == 0 {
                if depth == 0 {
                    break;
                }
                depth -= 1;
                continue;
            }
            *left -= 1;
            let (children, first_child) = check_node(bytes, offset)?;
            nodes += 1;
            offset = first_child;
            if children > 0 {
                depth += 1;
                match open.get_mut(depth) {
                    Some(level) => *level = children,
                    None => {
                        return Err(Error {
                            offset,
                            kind: ErrorKind::Depth,
                        });
                    }
                }
            }
        }
        let bytes = bytes.get(..offset).unwrap_or(bytes);
        Ok(Self { bytes, nodes })
    }

    /// Size of the tree in bytes: where whatever follows it starts.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes
    }

    /// The root.
    pub fn root(&self) -> Node<'a> {
        Node::root(self.bytes)
    }

    /// The first node at `path`, e.g. `/arm-io/aic`; `/` is the root.
    ///
    /// At every level the first child with exactly the given name is taken; if there is none and the given name has no
    /// `@`, the first child whose name is the given one and a unit address (`name@...`). Real trees hold duplicate
    /// names: to see all of them, use [`Node::children`].
    pub fn node(&self, path: &str) -> Option<Node<'a>> {
        path.split('/')
            .filter(|part| !part.is_empty())
            .try_fold(self.root(), |node, part| node.child(part))
    }

    /// Every node, parents before their children, in the tree's order.
    pub fn nodes(&self) -> Nodes<'a> {
        self.root().descendants()
    }

    /// The nodes that others can name as their interrupt controller, for [`Node::interrupts_in`].
    #[cfg(feature = "std")]
    pub fn controllers(&self) -> Controllers {
        Controllers::of(self)
    }

    /// The first node whose `AAPL,phandle` is `phandle`.
    pub fn by_phandle(&self, phandle: u32) -> Option<Node<'a>> {
        self.nodes().find(|node| node.phandle() == Some(phandle))
    }
}

/// Checks one node without its children: how many there are and where the first begins.
fn check_node(bytes: &[u8], offset: usize) -> Result<(u32, usize), Error> {
    let (properties, children) = node_header(bytes, offset).ok_or(Error {
        offset,
        kind: ErrorKind::Truncated,
    })?;
    if properties == 0 || properties > MAX_PROPERTIES {
        return Err(Error {
            offset,
            kind: ErrorKind::PropertyCount(properties),
        });
    }
    if children > MAX_CHILDREN {
        return Err(Error {
            offset,
            kind: ErrorKind::ChildCount(children),
        });
    }
    let mut at = offset + NODE_HEADER;
    for _ in 0..properties {
        let truncated = Error {
            offset: at,
            kind: ErrorKind::Truncated,
        };
        let size = word(bytes, at.saturating_add(NAME_FIELD)).ok_or(truncated)? & !PLACEHOLDER;
        if size >= MAX_VALUE {
            return Err(Error {
                offset: at,
                kind: ErrorKind::ValueSize(size),
            });
        }
        let value_end = at + NAME_FIELD + 4 + size as usize;
        if value_end > bytes.len() {
            return Err(truncated);
        }
        let Some((_, end)) = Property::parse(bytes, at) else {
            return Err(Error {
                offset: at,
                kind: ErrorKind::PropertyName,
            });
        };
        // Padding may be missing after the very last value.
        at = end.min(bytes.len());
    }
    Ok((children, at))
}

/// Iterator over a node and everything below it, parents before their children.
#[derive(Clone, Debug)]
pub struct Nodes<'a> {
    next: Option<Node<'a>>,
    base_depth: usize,
    /// Children that each level from `base_depth` on still has to come.
    left: [u32; MAX_DEPTH + 1],
}

impl<'a> Nodes<'a> {
    pub(crate) fn new(start: Node<'a>) -> Self {
        Self {
            next: Some(start),
            base_depth: start.depth(),
            left: [0; MAX_DEPTH + 1],
        }
    }
}

impl<'a> Iterator for Nodes<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        let node = self.next.take()?;
        let depth = node.depth();
        if let Some(level) = self.left.get_mut(depth) {
            *level = node.child_count();
        }
        let (opened, after) = node.opened();
        // Down to the first child, else on to the next sibling of the nearest ancestor that has one left.
        for level in (self.base_depth..=depth).rev() {
            match self.left.get_mut(level) {
                Some(left) if *left > 0 => {
                    *left -= 1;
                    self.next = opened
                        .at_level(level)
                        .and_then(|parent| parent.with_child_at(after));
                    break;
                }
                _ => {}
            }
        }
        Some(node)
    }
}

impl core::iter::FusedIterator for Nodes<'_> {}
