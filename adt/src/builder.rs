// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds trees, for models and tests.

use crate::layout::{
    MAX_CHILDREN, MAX_DEPTH, MAX_NAME, MAX_PROPERTIES, MAX_VALUE, NAME_FIELD, PLACEHOLDER, padded,
};
use crate::node::Node;
use core::fmt;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

/// A node to be built: properties and children in the order in which they are added.
///
/// `name` is an ordinary property, so [`NodeBuilder::new`] adds it first; m1n1's readers require it on every node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeBuilder {
    properties: Vec<OwnedProperty>,
    children: Vec<NodeBuilder>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct OwnedProperty {
    name: String,
    value: Vec<u8>,
    placeholder: bool,
}

impl NodeBuilder {
    /// A node called `name`. The root's is `device-tree` by convention.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            properties: Vec::new(),
            children: Vec::new(),
        }
        .prop_str("name", name)
    }

    /// A copy of a node and everything below it, property for property.
    #[must_use]
    pub fn from_node(node: &Node<'_>) -> Self {
        let properties = node.properties().map(|property| OwnedProperty {
            name: property.name.to_string(),
            value: property.value.to_vec(),
            placeholder: property.placeholder,
        });
        // Depth is bounded by the reader, so this recursion is.
        let children = node.children().map(|child| Self::from_node(&child));
        Self {
            properties: properties.collect(),
            children: children.collect(),
        }
    }

    /// Adds a property, or replaces the value of the one that has this name.
    #[must_use]
    pub fn prop_bytes(mut self, name: &str, value: &[u8]) -> Self {
        match self
            .properties
            .iter_mut()
            .find(|property| property.name == name)
        {
            Some(property) => property.value = value.to_vec(),
            None => self.properties.push(OwnedProperty {
                name: name.to_string(),
                value: value.to_vec(),
                placeholder: false,
            }),
        }
        self
    }

    /// As [`NodeBuilder::prop_bytes`] with a word.
    #[must_use]
    pub fn prop_u32(self, name: &str, value: u32) -> Self {
        self.prop_bytes(name, &value.to_le_bytes())
    }

    /// As [`NodeBuilder::prop_bytes`] with a double word.
    #[must_use]
    pub fn prop_u64(self, name: &str, value: u64) -> Self {
        self.prop_bytes(name, &value.to_le_bytes())
    }

    /// As [`NodeBuilder::prop_bytes`] with words.
    #[must_use]
    pub fn prop_u32s(self, name: &str, values: &[u32]) -> Self {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        self.prop_bytes(name, &bytes)
    }

    /// As [`NodeBuilder::prop_bytes`] with double words.
    #[must_use]
    pub fn prop_u64s(self, name: &str, values: &[u64]) -> Self {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        self.prop_bytes(name, &bytes)
    }

    /// As [`NodeBuilder::prop_bytes`] with a NUL-terminated text.
    #[must_use]
    pub fn prop_str(self, name: &str, value: &str) -> Self {
        self.prop_bytes(name, format!("{value}\0").as_bytes())
    }

    /// As [`NodeBuilder::prop_bytes`] with a list of NUL-terminated texts.
    #[must_use]
    pub fn prop_strs(self, name: &str, values: &[&str]) -> Self {
        let text: String = values.iter().map(|value| format!("{value}\0")).collect();
        self.prop_bytes(name, text.as_bytes())
    }

    /// Adds an empty property.
    #[must_use]
    pub fn prop_empty(self, name: &str) -> Self {
        self.prop_bytes(name, &[])
    }

    /// Marks the property called `name`, if there is one, as a placeholder for the boot loader to fill.
    #[must_use]
    pub fn placeholder(mut self, name: &str) -> Self {
        if let Some(property) = self
            .properties
            .iter_mut()
            .find(|property| property.name == name)
        {
            property.placeholder = true;
        }
        self
    }

    /// Removes the property called `name`, if there is one.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.properties.retain(|property| property.name != name);
        self
    }

    /// Adds a child after the others.
    #[must_use]
    pub fn child(mut self, child: Self) -> Self {
        self.children.push(child);
        self
    }

    /// Adds children after the others.
    #[must_use]
    pub fn children(mut self, children: impl IntoIterator<Item = Self>) -> Self {
        self.children.extend(children);
        self
    }

    /// The first child whose name is `name`, to be changed in place.
    pub fn child_mut(&mut self, name: &str) -> Option<&mut Self> {
        self.children
            .iter_mut()
            .find(|child| child.node_name() == name)
    }

    fn node_name(&self) -> String {
        let name = self
            .properties
            .iter()
            .find(|property| property.name == "name");
        let value = name
            .map(|property| property.value.as_slice())
            .unwrap_or_default();
        String::from_utf8_lossy(crate::property::until_nul(value)).into_owned()
    }

    /// The blob of the tree whose root this node is.
    ///
    /// After the tree follows one valid node that is not part of it. m1n1's iterators look at what follows a node's last
    /// child, and crash where that is no node: without it, nothing whose children they walk (`/cpus`, the root) could
    /// stand last in the blob. Readers of the tree ignore it ([`crate::Adt::size`] is where it starts).
    ///
    /// # Errors
    ///
    /// The first name, value or count that the format cannot hold.
    pub fn build(&self) -> Result<Vec<u8>, BuildError> {
        let mut blob = self.build_exact()?;
        Self::new("end").emit(&mut blob, "", 0)?;
        Ok(blob)
    }

    /// The bytes of the tree alone, without the node that [`NodeBuilder::build`] puts after it.
    ///
    /// # Errors
    ///
    /// As [`NodeBuilder::build`].
    pub fn build_exact(&self) -> Result<Vec<u8>, BuildError> {
        let mut blob = Vec::new();
        self.emit(&mut blob, "", 0)?;
        Ok(blob)
    }

    /// Recursion ends at [`MAX_DEPTH`].
    fn emit(&self, blob: &mut Vec<u8>, parent: &str, depth: usize) -> Result<(), BuildError> {
        let path = if depth == 0 {
            String::from("/")
        } else {
            format!("{}/{}", parent, self.node_name())
        };
        if depth > MAX_DEPTH {
            return Err(BuildError::Depth { path });
        }
        let count = |what, found: usize, allowed: u32, least: usize| match u32::try_from(found) {
            Ok(small) if small <= allowed && found >= least => Ok(small),
            _ => Err(BuildError::Count {
                path: path.clone(),
                what,
                found,
                allowed,
            }),
        };
        let properties = count("properties", self.properties.len(), MAX_PROPERTIES, 1)?;
        let children = count("children", self.children.len(), MAX_CHILDREN, 0)?;
        blob.extend(properties.to_le_bytes());
        blob.extend(children.to_le_bytes());
        for property in &self.properties {
            property.emit(blob, &path)?;
        }
        let prefix = if depth == 0 { "" } else { &path };
        self.children
            .iter()
            .try_for_each(|child| child.emit(blob, prefix, depth + 1))
    }
}

impl OwnedProperty {
    fn emit(&self, blob: &mut Vec<u8>, path: &str) -> Result<(), BuildError> {
        if self.name.is_empty() || self.name.len() > MAX_NAME || self.name.contains('\0') {
            return Err(BuildError::Name {
                path: path.to_string(),
                name: self.name.clone(),
            });
        }
        let size = match u32::try_from(self.value.len()) {
            Ok(size) if size < MAX_VALUE => size,
            _ => {
                return Err(BuildError::Value {
                    path: path.to_string(),
                    name: self.name.clone(),
                    size: self.value.len(),
                });
            }
        };
        let start = blob.len();
        blob.extend(self.name.as_bytes());
        blob.resize(start + NAME_FIELD, 0);
        blob.extend((size | if self.placeholder { PLACEHOLDER } else { 0 }).to_le_bytes());
        blob.extend(&self.value);
        blob.resize(padded(blob.len()), 0);
        Ok(())
    }
}

/// Why a tree cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// A property's name is empty, too long or holds a NUL.
    Name {
        /// The node.
        path: String,
        /// The property.
        name: String,
    },
    /// A property's value is too long.
    Value {
        /// The node.
        path: String,
        /// The property.
        name: String,
        /// Its size in bytes.
        size: usize,
    },
    /// A node has no properties, or too many properties or children.
    Count {
        /// The node.
        path: String,
        /// Properties or children.
        what: &'static str,
        /// How many it has.
        found: usize,
        /// How many it may have.
        allowed: u32,
    },
    /// A node is nested too deep.
    Depth {
        /// The node.
        path: String,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { path, name } => {
                write!(
                    f,
                    "{path}: property name {name:?} (allowed: 1 to {MAX_NAME} bytes without NUL)"
                )
            }
            Self::Value { path, name, size } => {
                write!(
                    f,
                    "{path}: property {name} has {size} bytes (allowed: 0 to {})",
                    MAX_VALUE - 1
                )
            }
            Self::Count {
                path,
                what,
                found,
                allowed,
            } => {
                write!(
                    f,
                    "{path}: {found} {what} (allowed: at most {allowed}, and at least one property)"
                )
            }
            Self::Depth { path } => {
                write!(f, "{path}: nested too deep (allowed: {MAX_DEPTH} levels)")
            }
        }
    }
}

impl std::error::Error for BuildError {}
