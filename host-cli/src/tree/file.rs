//! A device tree in a file: the blob as it lies in memory, with whatever lies around it.

use std::path::Path;

use adt::Adt;

use crate::files::{ReadError, read_limited};

/// Largest file that is read, in bytes; real trees have up to 1.5 MiB.
pub const MAX_FILE: u64 = 8 << 20;

/// Why a file is no device tree.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("{0}")]
    Read(#[from] ReadError),
    /// There is nothing in it but zeros.
    #[error("there is no device tree in it: {0} bytes, all zero")]
    Empty(usize),
    /// It is something else.
    #[error("it is {0}; allowed is the bare binary form of an Apple device tree")]
    Other(&'static str),
    /// It is no tree.
    #[error("{0}")]
    Tree(adt::Error),
}

/// A tree read from a file.
#[derive(Clone, Debug)]
pub struct TreeFile {
    bytes: Vec<u8>,
    /// Bytes before the tree, all zero.
    pub before: usize,
    /// Bytes after the tree.
    pub after: usize,
    /// Whether those are all zero.
    pub padded: bool,
}

impl TreeFile {
    /// Reads a file.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::parse(read_limited(path, MAX_FILE)?)
    }

    /// Takes bytes: zeros, a tree, anything.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn parse(bytes: Vec<u8>) -> Result<Self, FileError> {
        // Every node has at least one property, so a tree does not begin with a word of zero.
        let Some(first) = bytes.iter().position(|byte| *byte != 0) else {
            return Err(FileError::Empty(bytes.len()));
        };
        if let Some(other) = other_format(&bytes[first..]) {
            return Err(FileError::Other(other));
        }
        // The first byte of the count may be zero itself.
        let before = first - first % 4;
        let size = match Adt::new(&bytes[before..]) {
            Ok(tree) => tree.size(),
            Err(mut why) => {
                why.offset += before;
                return Err(FileError::Tree(why));
            }
        };
        let rest = &bytes[before + size..];
        let (after, padded) = (rest.len(), rest.iter().all(|byte| *byte == 0));
        let mut file = Self {
            bytes,
            before,
            after,
            padded,
        };
        file.bytes.drain(..before);
        file.bytes.truncate(size);
        Ok(file)
    }

    /// The bytes of the tree alone.
    #[must_use]
    pub fn into_blob(self) -> Vec<u8> {
        self.bytes
    }

    /// The tree.
    ///
    /// # Errors
    /// None in fact: the bytes were checked when they were read.
    pub fn tree(&self) -> Result<Adt<'_>, FileError> {
        Adt::new(&self.bytes).map_err(FileError::Tree)
    }
}

/// What it is, if it is something well known that is often taken for a device tree.
fn other_format(bytes: &[u8]) -> Option<&'static str> {
    let head = &bytes[..bytes.len().min(64)];
    let has = |what: &[u8]| head.windows(what.len()).any(|part| part == what);
    if head.first() == Some(&0x30) && (has(b"IM4P") || has(b"IMG4") || has(b"IM4M")) {
        Some("an Image4 container, whose payload has to be taken out and decompressed first")
    } else if head.starts_with(b"\xd0\x0d\xfe\xed") {
        Some("a flattened device tree of the kind that Linux uses")
    } else if head.starts_with(b"bvx") {
        Some("LZFSE-compressed")
    } else if head.starts_with(b"complzss") {
        Some("LZSS-compressed")
    } else if head.starts_with(b"\x1f\x8b") {
        Some("gzip-compressed")
    } else if head.starts_with(b"\x7fELF") || head.starts_with(b"\xcf\xfa\xed\xfe") {
        Some("an executable")
    } else {
        None
    }
}
