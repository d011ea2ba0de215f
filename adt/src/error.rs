// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why bytes are not a device tree.

use crate::layout::{MAX_CHILDREN, MAX_DEPTH, MAX_PROPERTIES, MAX_VALUE};
use core::fmt;

/// What is wrong, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// Byte offset in the blob.
    pub offset: usize,
    /// What is wrong there.
    pub kind: ErrorKind,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The blob ends inside a node or a property.
    Truncated,
    /// A node's property count is 0 or too large.
    PropertyCount(u32),
    /// A node's child count is too large.
    ChildCount(u32),
    /// A property's size is too large.
    ValueSize(u32),
    /// A property's name is not UTF-8.
    PropertyName,
    /// A node is too deep.
    Depth,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a device tree: at byte {:#x}, ", self.offset)?;
        match self.kind {
            ErrorKind::Truncated => f.write_str("the data ends inside a node"),
            ErrorKind::PropertyCount(count) => {
                write!(
                    f,
                    "a node has {count} properties (allowed: 1 to {MAX_PROPERTIES})"
                )
            }
            ErrorKind::ChildCount(count) => write!(
                f,
                "a node has {count} children (allowed: 0 to {MAX_CHILDREN})"
            ),
            ErrorKind::ValueSize(size) => {
                write!(
                    f,
                    "a property has {size} bytes (allowed: 0 to {})",
                    MAX_VALUE - 1
                )
            }
            ErrorKind::PropertyName => f.write_str("a property's name is not UTF-8"),
            ErrorKind::Depth => write!(
                f,
                "a node is nested too deep (allowed: {MAX_DEPTH} levels below the root)"
            ),
        }
    }
}

impl core::error::Error for Error {}
