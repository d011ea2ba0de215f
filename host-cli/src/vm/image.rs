//! Raw images of the user's: read whole, never looked into.

use std::path::{Path, PathBuf};

use crate::files::{ReadError, read_limited};

/// Larger files are no images for these machines, whose RAM is below it.
const MOST: u64 = 1 << 30;

/// A raw image and where it came from.
#[derive(Clone, Debug)]
pub struct Image {
    /// The file.
    pub path: PathBuf,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Why there is no image.
#[derive(Debug, thiserror::Error)]
pub enum ImageFileError {
    /// The file cannot be read.
    #[error("{}: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: ReadError,
    },
    /// Nothing in it.
    #[error("{}: {size} bytes; a raw image has at least 4", path.display())]
    Size {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
    },
}

impl Image {
    /// Reads `path`.
    ///
    /// # Errors
    /// [`ImageFileError`].
    pub fn read(path: &Path) -> Result<Self, ImageFileError> {
        let path = path.to_owned();
        match read_limited(&path, MOST) {
            Err(why) => Err(ImageFileError::Unreadable { path, why }),
            Ok(bytes) if bytes.len() < 4 => {
                let size = bytes.len() as u64;
                Err(ImageFileError::Size { path, size })
            }
            Ok(bytes) => Ok(Self { path, bytes }),
        }
    }

    /// The file's name without its folders.
    #[must_use]
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }
}
