//! Who the loader is: by what lies in memory, not by what it calls itself on USB.
//!
//! A loader of this kind is a raw image whose text and read-only data lie before everything that it writes, and whose read-only
//! data carries its version behind a fixed word (third party: m1n1's linker script and `main.c`). So the pages from its base to
//! that of the version text do not change while it runs. They are hashed one by one and together; what lies behind them is not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::firmware::hex;
use crate::proxy::{Proxy, ProxyError};
use crate::result::hex as number;

use super::sha256;

/// Size of a page in bytes.
pub const PAGE: usize = 16 << 10;
/// Pages that are looked through: over a slow UART each takes more than a second. Whole images of today have some 80.
const MOST: usize = 128;
/// What stands before the version.
const MARK: &[u8] = b"##m1n1_ver##";
/// Longest version.
const LONGEST: usize = 128;

/// `loader.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Loader {
    /// What kind it is.
    pub kind: LoaderKind,
    /// The version text that its image carries.
    pub version: Option<String>,
    /// Where the image begins.
    pub base: Option<String>,
    /// Bytes from there that were hashed: to the end of the page with the version text.
    pub bytes: usize,
    /// SHA-256 of these bytes.
    pub sha256: Option<String>,
    /// Bytes of a page.
    pub page_size: usize,
    /// SHA-256 of each page of them, in order.
    pub pages: Vec<String>,
    /// What else there is to say.
    pub note: Option<String>,
}

/// Kinds of loaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoaderKind {
    /// An image in memory that carries a version.
    Image,
    /// The stand-in for the loader of a virtual SoC: no image.
    StandIn,
    /// None was found.
    Unknown,
}

impl LoaderKind {
    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::StandIn => "stand-in for the loader",
            Self::Unknown => "unknown",
        }
    }
}

/// Memory of a target.
pub trait Memory {
    /// Reads bytes that nobody changes meanwhile.
    ///
    /// # Errors
    /// [`ProxyError`].
    fn read(&mut self, addr: u64, out: &mut [u8]) -> Result<(), ProxyError>;
}

impl Memory for Proxy<'_> {
    fn read(&mut self, addr: u64, out: &mut [u8]) -> Result<(), ProxyError> {
        self.read_memory(addr, out)
    }
}

impl Loader {
    fn unknown(base: u64, note: String) -> Self {
        Self {
            kind: LoaderKind::Unknown,
            base: Some(number(base)),
            note: Some(note),
            ..Self::stand_in()
        }
    }

    /// The stand-in of a virtual SoC.
    #[must_use]
    pub fn stand_in() -> Self {
        Self {
            kind: LoaderKind::StandIn,
            version: None,
            base: None,
            bytes: 0,
            sha256: None,
            page_size: PAGE,
            pages: Vec::new(),
            note: None,
        }
    }
}

/// Reads the loader's image at `base`, as far as it does not change.
///
/// # Errors
/// [`ProxyError`] of a lost link. Memory that cannot be read, or that changes meanwhile, ends the search.
pub fn identify(memory: &mut dyn Memory, base: u64) -> Result<Loader, ProxyError> {
    let mut image: Vec<u8> = Vec::new();
    let mut pages = Vec::new();
    while pages.len() < MOST {
        let mut page = vec![0; PAGE];
        match memory.read(base + image.len() as u64, &mut page) {
            Ok(()) => {}
            Err(
                why @ (ProxyError::AccessFault { .. }
                | ProxyError::Refused { .. }
                | ProxyError::Damaged { .. }),
            ) => {
                let note = format!(
                    "no version text in {} bytes from its base, and what follows cannot be read: {why}",
                    image.len()
                );
                return Ok(Loader::unknown(base, note));
            }
            Err(why) => return Err(why),
        }
        if pages.is_empty() && page.iter().all(|b| *b == 0) {
            let note = "there is no image at its base: nothing but zeros";
            return Ok(Loader::unknown(base, note.to_owned()));
        }
        pages.push(sha256(&page));
        // The text may lie across two pages.
        let from = image.len().saturating_sub(MARK.len() + LONGEST);
        image.extend(page);
        if let Some(version) = version(&image[from..]) {
            let mut all = Sha256::new();
            all.update(&image);
            return Ok(Loader {
                kind: LoaderKind::Image,
                version: Some(version),
                base: Some(number(base)),
                bytes: image.len(),
                sha256: Some(hex(&all.finalize())),
                page_size: PAGE,
                pages,
                note: None,
            });
        }
    }
    let note = format!("no version text in {} bytes from its base", image.len());
    Ok(Loader::unknown(base, note))
}

/// The version in part of an image, if its end is in it too.
fn version(bytes: &[u8]) -> Option<String> {
    let at = bytes.windows(MARK.len()).position(|w| w == MARK)?;
    let text = &bytes[at + MARK.len()..];
    let end = text.iter().take(LONGEST).position(|b| *b == 0)?;
    let text = &text[..end];
    let plain = !text.is_empty() && text.iter().all(|b| (0x20..0x7f).contains(b));
    plain.then(|| String::from_utf8_lossy(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: u64 = 0x1_0000;

    /// Bytes at [`BASE`]; reading what lies behind them is a fault.
    struct Fake(Vec<u8>);

    impl Memory for Fake {
        fn read(&mut self, addr: u64, out: &mut [u8]) -> Result<(), ProxyError> {
            let at = (addr - BASE) as usize;
            match self.0.get(at..at + out.len()) {
                Some(bytes) => out.copy_from_slice(bytes),
                None => {
                    let what = "MEMREAD".to_owned();
                    return Err(ProxyError::AccessFault { what });
                }
            }
            Ok(())
        }
    }

    fn image(pages: usize, at: usize, version: &[u8]) -> Fake {
        let mut bytes: Vec<u8> = (0..pages * PAGE).map(|i| (i % 251) as u8).collect();
        let text = [MARK, version, b"\0"].concat();
        bytes[at..at + text.len()].copy_from_slice(&text);
        Fake(bytes)
    }

    #[test]
    fn an_image_is_hashed_to_its_version() {
        let mut fake = image(5, 2 * PAGE + 77, b"v1.5.0-12-gabcdef");
        let found = identify(&mut fake, BASE).unwrap();
        assert_eq!(found.kind, LoaderKind::Image);
        assert_eq!(found.version.as_deref(), Some("v1.5.0-12-gabcdef"));
        assert_eq!((found.bytes, found.pages.len()), (3 * PAGE, 3));
        assert_eq!(found.pages[1], sha256(&fake.0[PAGE..2 * PAGE]));
        assert_eq!(found.sha256, Some(sha256(&fake.0[..3 * PAGE])));
        // What it writes lies behind, and is not looked at.
        fake.0[4 * PAGE] ^= 1;
        assert_eq!(identify(&mut fake, BASE).unwrap(), found);
        fake.0[10] ^= 1;
        let other = identify(&mut fake, BASE).unwrap();
        assert_ne!(other.sha256, found.sha256);
        assert_eq!(other.pages[1..], found.pages[1..]);
    }

    #[test]
    fn a_version_across_two_pages_is_found() {
        for before in [1, MARK.len(), MARK.len() + 2] {
            let mut fake = image(3, PAGE - before, b"v2");
            let found = identify(&mut fake, BASE).unwrap();
            assert_eq!(found.version.as_deref(), Some("v2"), "{before}");
            assert_eq!(found.bytes, 2 * PAGE);
        }
    }

    #[test]
    fn what_is_no_image_is_unknown_and_says_why() {
        let said = |mut fake: Fake| {
            let found = identify(&mut fake, BASE).unwrap();
            assert_eq!(found.kind, LoaderKind::Unknown);
            assert_eq!((found.sha256, found.version), (None, None));
            found.note.unwrap()
        };
        assert!(said(Fake(vec![0; MOST * PAGE])).contains("nothing but zeros"));
        assert!(said(Fake(vec![7; MOST * PAGE])).starts_with("no version text in 2097152"));
        assert!(said(Fake(vec![7; 2 * PAGE])).contains("cannot be read"));
        // No end, or no text.
        assert!(said(image(2, 9, &[b'v'; LONGEST + 1])).contains("no version text"));
        assert!(said(image(2, 9, b"\x1b[2J")).contains("no version text"));
    }

    #[test]
    fn a_lost_link_is_an_error() {
        struct Lost;
        impl Memory for Lost {
            fn read(&mut self, _: u64, _: &mut [u8]) -> Result<(), ProxyError> {
                let what = "MEMREAD".to_owned();
                Err(ProxyError::Interrupted { what })
            }
        }
        assert!(identify(&mut Lost, BASE).is_err());
    }
}
