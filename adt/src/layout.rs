// SPDX-License-Identifier: MIT OR Apache-2.0
//! The layout of the blob, and its limits.
//!
//! A node is a header (property count, child count: two little-endian words), its properties, then its children. A
//! property is a 32-byte name, a size word and the value, padded to 4 bytes.

use crate::steps::step;

/// Most properties in a node (real trees: 330). A node has at least one.
pub const MAX_PROPERTIES: u32 = 2048;
/// Most children of a node (real trees: 254).
pub const MAX_CHILDREN: u32 = 2048;
/// Values are shorter than this (real trees: 67 KB).
pub const MAX_VALUE: u32 = 1 << 20;
/// Longest property name in bytes, without the NUL that should end it.
pub const MAX_NAME: usize = 31;
/// Longest name of a node in bytes (real trees: 31); what is longer is cut, so that paths stay short.
pub const MAX_NODE_NAME: usize = 255;
/// Deepest node; the root's depth is 0 (real trees: 5).
pub const MAX_DEPTH: usize = 16;
/// Entries of a `ranges` that are looked at (real trees: 27).
pub const MAX_RANGES: usize = 128;

/// Bytes of a node's header.
pub(crate) const NODE_HEADER: usize = 8;
/// Bytes of a property's name field.
pub(crate) const NAME_FIELD: usize = 32;
/// Bytes of a property before its value.
pub(crate) const PROPERTY_HEADER: usize = NAME_FIELD + 4;
/// Bit of the size word that marks a placeholder which the boot loader fills.
pub(crate) const PLACEHOLDER: u32 = 1 << 31;

/// The little-endian word at `offset`.
pub(crate) fn word(bytes: &[u8], offset: usize) -> Option<u32> {
    let raw = bytes.get(offset..offset.checked_add(4)?)?;
    Some(u32::from_le_bytes(raw.try_into().ok()?))
}

/// Property count and child count of the node at `offset`.
pub(crate) fn node_header(bytes: &[u8], offset: usize) -> Option<(u32, u32)> {
    step();
    Some((word(bytes, offset)?, word(bytes, offset.checked_add(4)?)?))
}

/// A size rounded up to the 4 bytes on which everything starts.
pub(crate) const fn padded(size: usize) -> usize {
    size.next_multiple_of(4)
}
