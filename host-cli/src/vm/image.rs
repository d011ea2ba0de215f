//! Raw images of the user's: read whole, never looked into.

use std::path::{Path, PathBuf};

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
        why: std::io::Error,
    },
    /// Nothing in it, or too much.
    #[error("{}: {size} bytes; a raw image has 4 to {MOST}", path.display())]
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
        let unreadable = |why| ImageFileError::Unreadable {
            path: path.to_owned(),
            why,
        };
        let size = std::fs::metadata(path).map_err(unreadable)?.len();
        let wrong = |size| ImageFileError::Size {
            path: path.to_owned(),
            size,
        };
        if size > MOST {
            return Err(wrong(size));
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        if bytes.len() < 4 {
            return Err(wrong(bytes.len() as u64));
        }
        Ok(Self {
            path: path.to_owned(),
            bytes,
        })
    }

    /// The file's name without its folders.
    #[must_use]
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }
}
