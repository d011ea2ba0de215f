// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties and the ways to look at their values.

use crate::layout::{NAME_FIELD, PLACEHOLDER, PROPERTY_HEADER, padded, word};
use crate::steps::step;
use core::iter::FusedIterator;

/// A property: a name and bytes. The tree holds no types; each accessor looks at the bytes in its own way and says
/// `None` where they do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Property<'a> {
    /// Name, cut at its first NUL.
    pub name: &'a str,
    /// Value, without padding.
    pub value: &'a [u8],
    /// Whether this is a placeholder for the boot loader to fill (templates only): the value is not to be trusted.
    pub placeholder: bool,
}

impl<'a> Property<'a> {
    /// The property at `offset`, and the offset after it.
    pub(crate) fn parse(bytes: &'a [u8], offset: usize) -> Option<(Self, usize)> {
        step();
        let value_start = offset.checked_add(PROPERTY_HEADER)?;
        let size_word = word(bytes, offset + NAME_FIELD)?;
        let size = (size_word & !PLACEHOLDER) as usize;
        let value = bytes.get(value_start..value_start.checked_add(size)?)?;
        let name = until_nul(bytes.get(offset..offset + NAME_FIELD)?);
        let name = core::str::from_utf8(name).ok()?;
        let property = Self {
            name,
            value,
            placeholder: size_word & PLACEHOLDER != 0,
        };
        Some((property, value_start + padded(size)))
    }

    /// A value of exactly 4 bytes.
    pub fn u32(&self) -> Option<u32> {
        Some(u32::from_le_bytes(self.value.try_into().ok()?))
    }

    /// A value of exactly 8 bytes.
    pub fn u64(&self) -> Option<u64> {
        Some(u64::from_le_bytes(self.value.try_into().ok()?))
    }

    /// A value of 1, 2, 4 or 8 bytes.
    pub fn uint(&self) -> Option<u64> {
        match *self.value {
            [byte] => Some(byte.into()),
            [a, b] => Some(u16::from_le_bytes([a, b]).into()),
            _ => self.u32().map(u64::from).or_else(|| self.u64()),
        }
    }

    /// The text before the first NUL (or the whole value), if it is UTF-8.
    pub fn str(&self) -> Option<&'a str> {
        core::str::from_utf8(until_nul(self.value)).ok()
    }

    /// The texts of a list of NUL-terminated strings; those that are not UTF-8 are left out.
    pub fn strings(&self) -> Strings<'a> {
        Strings { rest: self.value }
    }

    /// The value as little-endian words; a rest of under 4 bytes is left out.
    pub fn u32s(&self) -> Words<'a> {
        Words { rest: self.value }
    }

    /// The value as little-endian double words; a rest of under 8 bytes is left out.
    pub fn u64s(&self) -> impl ExactSizeIterator<Item = u64> + Clone + 'a {
        self.value
            .chunks_exact(8)
            .map(|raw| u64::from_le_bytes(raw.try_into().unwrap_or_default()))
    }
}

pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// Iterator over the properties of a node, in the tree's order.
#[derive(Clone, Debug)]
pub struct Properties<'a> {
    bytes: &'a [u8],
    offset: usize,
    left: u32,
}

impl<'a> Properties<'a> {
    pub(crate) fn new(bytes: &'a [u8], offset: usize, count: u32) -> Self {
        Self {
            bytes,
            offset,
            left: count,
        }
    }

    /// Offset of the next property, or of the first child when none is left.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }
}

impl<'a> Iterator for Properties<'a> {
    type Item = Property<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        match Property::parse(self.bytes, self.offset) {
            Some((property, end)) => {
                self.offset = end;
                Some(property)
            }
            None => {
                self.left = 0;
                None
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left as usize))
    }
}

impl FusedIterator for Properties<'_> {}

/// Iterator over the strings of a property. Empty strings count, except after the last NUL.
#[derive(Clone, Debug)]
pub struct Strings<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Strings<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let raw = until_nul(self.rest);
            self.rest = self.rest.get(raw.len() + 1..).unwrap_or_default();
            if let Ok(text) = core::str::from_utf8(raw) {
                return Some(text);
            }
        }
        None
    }
}

impl FusedIterator for Strings<'_> {}

/// Iterator over the little-endian words of a property.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }
}

impl Iterator for Words<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<Self::Item> {
        let value = word(self.rest, 0)?;
        self.rest = self.rest.get(4..).unwrap_or_default();
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.rest.len() / 4, Some(self.rest.len() / 4))
    }
}

impl ExactSizeIterator for Words<'_> {}
impl FusedIterator for Words<'_> {}
