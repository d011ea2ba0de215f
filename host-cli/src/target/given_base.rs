//! Whether a controller can be where the user says. Its registers are written, so a wrong address must not get that far.

use adt::Adt;

use crate::error::Error;
use crate::proxy::{Proxy, ProxyError};

use super::TargetError;

/// Page of these machines; every device starts on one.
const PAGE: u64 = 0x4000;
/// `phys_base` and `mem_size` in the boot arguments (third party: m1n1 `src/xnuboot.h`).
const PHYS_BASE: u64 = 0x10;
const MEM_SIZE: u64 = 0x18;
/// Bytes of an entry of `ranges` with two cells for each number.
const RANGE: usize = 24;

/// Checks a base that was given: a page, no memory, and device space as far as the tree and the boot arguments tell.
///
/// # Errors
/// [`TargetError::GivenBase`]; errors of the link.
pub fn check(proxy: &mut Proxy<'_>, tree: &Adt<'_>, base: u64) -> Result<(), Error> {
    let refused = |what: String| Err(TargetError::GivenBase { base, what }.into());
    if !base.is_multiple_of(PAGE) {
        return refused(format!("no multiple of {PAGE:#x}"));
    }
    let memory = [told_memory(proxy)?, tree_memory(tree)];
    for (start, size) in memory.into_iter().flatten() {
        if base.wrapping_sub(start) < size {
            return refused(format!(
                "in memory, which is {start:#x} to {:#x}",
                start + size
            ));
        }
    }
    let ranges = device_space(tree);
    let inside = |(start, size): &(u64, u64)| base.wrapping_sub(*start) < *size;
    if !ranges.is_empty() && !ranges.iter().any(inside) {
        let ranges: Vec<String> = ranges
            .iter()
            .map(|(start, size)| format!("{start:#x} to {:#x}", start + size))
            .collect();
        return refused(format!("outside /arm-io, which is {}", ranges.join(", ")));
    }
    Ok(())
}

/// Memory as the boot arguments have it, unless they make no sense.
fn told_memory(proxy: &mut Proxy<'_>) -> Result<Option<(u64, u64)>, Error> {
    let args = proxy.boot_args()?;
    let mut words = [0; 2];
    for (word, offset) in words.iter_mut().zip([PHYS_BASE, MEM_SIZE]) {
        *word = match proxy.read64(args.wrapping_add(offset)) {
            Ok(value) => value,
            Err(ProxyError::AccessFault { .. }) => return Ok(None),
            Err(e) => return Err(e.into()),
        };
    }
    Ok(span(words[0], words[1]))
}

/// Memory as the tree has it, where it does.
fn tree_memory(tree: &Adt<'_>) -> Option<(u64, u64)> {
    let chosen = tree.node("/chosen")?;
    let word = |name| {
        chosen
            .property(name)?
            .try_into()
            .ok()
            .map(u64::from_le_bytes)
    };
    span(word("dram-base")?, word("dram-size")?)
}

/// Ranges of `/arm-io`; none where they cannot be read.
fn device_space(tree: &Adt<'_>) -> Vec<(u64, u64)> {
    let Some(node) = tree.node("/arm-io") else {
        return Vec::new();
    };
    let two = |name| node.u32(name) == Some(2);
    if !(two("#address-cells") && two("#size-cells")) {
        return Vec::new();
    }
    let raw = node.property("ranges").unwrap_or_default();
    let word = |entry: &[u8], at: usize| {
        let bytes = entry.get(at..at + 8).and_then(|b| b.try_into().ok());
        bytes.map_or(0, u64::from_le_bytes)
    };
    raw.chunks_exact(RANGE)
        .filter_map(|entry| span(word(entry, 8), word(entry, 16)))
        .collect()
}

/// A span that is not empty and ends.
fn span(start: u64, size: u64) -> Option<(u64, u64)> {
    (size != 0 && start.checked_add(size).is_some()).then_some((start, size))
}
