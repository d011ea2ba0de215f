//! Boot arguments: where the device tree is.
//!
//! Layout: third party (m1n1 `src/xnuboot.h`).

use crate::error::Error;
use crate::proxy::Proxy;

use super::TargetError;

/// Bytes up to the end of the last field used here.
const SIZE: usize = 0x6c;
/// Largest device tree that is believed; real ones have up to 1.5 MiB.
const MAX_TREE: u32 = 16 << 20;

/// The fields used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BootArgs {
    /// Layout revision; 1 to 3 are known, and the fields used here are the same in all of them.
    pub revision: u16,
    /// Physical address of the device tree.
    pub devtree: u64,
    /// Its size in bytes.
    pub devtree_size: u32,
}

impl BootArgs {
    /// Whether the layout is one of those that are known.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        matches!(self.revision, 1..=3)
    }

    /// Reads them from where the loader says they are.
    ///
    /// # Errors
    /// [`TargetError::BootArgs`]; errors of the link.
    pub fn read(proxy: &mut Proxy<'_>) -> Result<Self, Error> {
        let addr = proxy.boot_args()?;
        let mut bytes = [0; SIZE];
        proxy.read_memory(addr, &mut bytes)?;
        Ok(Self::parse(addr, &bytes)?)
    }

    /// Takes them apart.
    ///
    /// # Errors
    /// [`TargetError::BootArgs`] if the device tree cannot be where they say.
    pub fn parse(addr: u64, bytes: &[u8; SIZE]) -> Result<Self, TargetError> {
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let word = |at: usize| u32::from(half(at)) | u32::from(half(at + 2)) << 16;
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let (virt_base, phys_base, virt) = (long(0x08), long(0x10), long(0x60));
        // The two bases may be anything: real values make this wrap.
        let devtree = virt.wrapping_sub(virt_base).wrapping_add(phys_base);
        let devtree_size = word(0x68);
        let bad = |what: String| TargetError::BootArgs { addr, what };
        if !(8..=MAX_TREE).contains(&devtree_size) {
            return Err(bad(format!(
                "a device tree of {devtree_size} bytes (allowed: 8 to {MAX_TREE})"
            )));
        }
        if devtree.checked_add(devtree_size.into()).is_none() || devtree % 4 != 0 {
            return Err(bad(format!("a device tree at {devtree:#x}")));
        }
        Ok(Self {
            revision: half(0),
            devtree,
            devtree_size,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(fields: &[(usize, u64)], size: u32) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        bytes[0] = 3;
        for (at, value) in fields {
            bytes[*at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        bytes[0x68..].copy_from_slice(&size.to_le_bytes());
        bytes
    }

    #[test]
    fn the_address_wraps() {
        let virt_base = 0xffff_fe00_0700_4000;
        let bytes = with(
            &[
                (0x08, virt_base),
                (0x10, 0x100_0000_0000),
                (0x60, virt_base + 0x8000),
            ],
            0x1234,
        );
        let args = BootArgs::parse(0, &bytes).unwrap();
        assert_eq!(
            (args.devtree, args.devtree_size, args.revision),
            (0x100_0000_8000, 0x1234, 3)
        );
        // Device tree below virt_base: the subtraction wraps and the sum wraps back.
        let bytes = with(
            &[(0x08, 0x9000), (0x10, 0x100_0000_0000), (0x60, 0x1000)],
            8,
        );
        assert_eq!(BootArgs::parse(0, &bytes).unwrap().devtree, 0xff_ffff_8000);
    }

    #[test]
    fn nonsense_is_told() {
        let say = |size| {
            BootArgs::parse(0x10, &with(&[], size))
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            say(0),
            "boot arguments at 0x10 are damaged: a device tree of 0 bytes (allowed: 8 to 16777216); --adt FILE gives the tree instead"
        );
        assert!(say(u32::MAX).contains("4294967295"));
        let odd = with(&[(0x60, 2)], 64);
        assert!(BootArgs::parse(0, &odd).is_err());
    }
}
