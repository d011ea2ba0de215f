//! From the linked firmware to the image file: one flat piece, header filled in.
//!
//! The layout is `protocol::image`'s. Everything that would make the image misbehave at run time is refused here:
//! writable data, a place for zeros, a relocation that the host cannot apply, an image that is too large.

use object::{Architecture, Object, ObjectKind, ObjectSection, ObjectSegment, SectionFlags, elf};
use protocol::image::{
    HEADER_SIZE, Header, ImageError, MAX_IMAGE, R_AARCH64_RELATIVE, RELA_SIZE, offset, seal,
};
use sha2::{Digest, Sha256};

/// Why a linked file is not fit to be an image.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PackError {
    /// It is no ELF file that can be read.
    #[error("not a readable ELF file: {0}")]
    Elf(String),
    /// It is an ELF file of another kind.
    #[error("not a little-endian 64-bit AArch64 PIE (found {0})")]
    Kind(String),
    /// Something is loaded below 0 or past the largest image.
    #[error("a segment ends at {end:#x}: the image may have at most {MAX_IMAGE:#x} bytes")]
    TooLarge {
        /// First address after the segment.
        end: u64,
    },
    /// A section that must not be there has bytes.
    #[error(
        "section {name} has {size} bytes: the firmware has no writable or zero-filled data, no linkage table and no sections but {SECTIONS:?}"
    )]
    Section {
        /// Name of the section.
        name: String,
        /// Its size in bytes.
        size: u64,
    },
    /// A segment is longer in memory than in the file.
    #[error(
        "the segment at {address:#x} ends in {size} bytes of zeros that the file does not hold"
    )]
    Zeros {
        /// Where the segment begins.
        address: u64,
        /// Number of bytes.
        size: u64,
    },
    /// A relocation that the host cannot apply.
    #[error(
        "relocation {index} is of type {kind}: only R_AARCH64_RELATIVE ({R_AARCH64_RELATIVE}) can be applied"
    )]
    RelocationType {
        /// Its number in the table.
        index: usize,
        /// Its type.
        kind: u64,
    },
    /// A relocation outside the image, not aligned, inside the header or inside the table itself.
    #[error(
        "relocation {index} writes at {place:#x} the address of {addend:#x}: both must lie in the image, the place aligned to 8"
    )]
    RelocationPlace {
        /// Its number in the table.
        index: usize,
        /// Where it writes.
        place: u64,
        /// What it writes, relative to the load address.
        addend: u64,
    },
    /// The relocation table itself is malformed or outside the image.
    #[error(
        "section .rela.dyn ({address:#x}, {size} bytes) is not a table of {RELA_SIZE}-byte entries inside the image"
    )]
    RelocationTable {
        /// Its address.
        address: u64,
        /// Its size in bytes.
        size: u64,
    },
    /// The packed image does not pass the check that hosts make.
    #[error("the packed image would be refused by its host: {0}")]
    Header(ImageError),
}

/// A packed image.
#[derive(Debug, PartialEq, Eq)]
pub struct Image {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its header, as a host reads it.
    pub header: Header,
}

/// Packs a linked firmware.
///
/// The build id is the first 16 bytes of SHA-256 over the whole image, relocation table included, with the build id and
/// CRC fields zero.
///
/// # Errors
/// [`PackError`]: the first thing found that makes it unfit.
pub fn pack(elf: &[u8]) -> Result<Image, PackError> {
    let file = object::File::parse(elf).map_err(unreadable)?;
    if file.architecture() != Architecture::Aarch64
        || !file.is_64()
        || !file.is_little_endian()
        || file.kind() != ObjectKind::Dynamic
    {
        return Err(PackError::Kind(format!(
            "{:?}, {}-bit, {}-endian, {:?}",
            file.architecture(),
            if file.is_64() { 64 } else { 32 },
            if file.is_little_endian() {
                "little"
            } else {
                "big"
            },
            file.kind()
        )));
    }
    refuse_sections(&file)?;
    let mut bytes = flatten(&file)?;
    let (rela, count) = relocations(&file, &bytes)?;
    seal(&mut bytes, rela, count, [0; 16]).map_err(PackError::Header)?;
    let id = build_id(&bytes);
    seal(&mut bytes, rela, count, id).map_err(PackError::Header)?;
    let header = Header::parse(&bytes).map_err(PackError::Header)?;
    Ok(Image { bytes, header })
}

fn unreadable(error: object::Error) -> PackError {
    PackError::Elf(error.to_string())
}

fn build_id(sealed: &[u8]) -> [u8; 16] {
    let mut bytes = sealed.to_vec();
    bytes[offset::BUILD_ID..offset::BUILD_ID + 16].fill(0);
    bytes[offset::CRC..offset::CRC + 4].fill(0);
    let mut id = [0; 16];
    id.copy_from_slice(&Sha256::digest(&bytes)[..16]);
    id
}

/// Sections that an image consists of. `.data.rel.ro` and `.got` hold addresses: the host writes them once, before the
/// upload, and nobody after that.
const SECTIONS: [&str; 7] = [
    ".head",
    ".text",
    ".vectors",
    ".rodata",
    ".data.rel.ro",
    ".got",
    ".rela.dyn",
];

/// Refuses what is loaded but must not be: the linker script says the same, but a script can be edited.
fn refuse_sections(file: &object::File<'_>) -> Result<(), PackError> {
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            continue;
        };
        let name = section.name().map_err(unreadable)?;
        let loaded = sh_flags.contains(elf::SHF_ALLOC) && section.size() > 0;
        if loaded && !SECTIONS.contains(&name) {
            return Err(PackError::Section {
                name: name.to_owned(),
                size: section.size(),
            });
        }
    }
    Ok(())
}

/// The loaded segments, laid at their addresses from 0.
fn flatten(file: &object::File<'_>) -> Result<Vec<u8>, PackError> {
    let mut bytes = Vec::new();
    for segment in file.segments() {
        let data = segment.data().map_err(unreadable)?;
        if segment.size() > data.len() as u64 {
            return Err(PackError::Zeros {
                address: segment.address(),
                size: segment.size() - data.len() as u64,
            });
        }
        let start = segment.address();
        let end = start.saturating_add(segment.size());
        if end > MAX_IMAGE as u64 {
            return Err(PackError::TooLarge { end });
        }
        let (start, end) = (start as usize, end as usize);
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        bytes[start..end].copy_from_slice(data);
    }
    if bytes.len() < HEADER_SIZE {
        return Err(PackError::Header(ImageError::Length(bytes.len())));
    }
    Ok(bytes)
}

/// Offset and number of the relocation entries, each checked.
fn relocations(file: &object::File<'_>, image: &[u8]) -> Result<(u32, u32), PackError> {
    let Some(section) = file.section_by_name(".rela.dyn").filter(|s| s.size() > 0) else {
        return Ok((0, 0));
    };
    let (address, size) = (section.address(), section.size());
    let malformed = PackError::RelocationTable { address, size };
    let end = address.saturating_add(size);
    if size % RELA_SIZE as u64 != 0 || address < HEADER_SIZE as u64 || end > image.len() as u64 {
        return Err(malformed);
    }
    let table = &image[address as usize..end as usize];
    for (index, entry) in table.chunks_exact(RELA_SIZE).enumerate() {
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&entry[at..at + 8]);
            u64::from_le_bytes(word)
        };
        let (place, info, addend) = (word(0), word(8), word(16));
        // The upper half of r_info is a symbol, which a relative relocation has none of.
        if info != R_AARCH64_RELATIVE {
            return Err(PackError::RelocationType {
                index,
                kind: info & 0xffff_ffff,
            });
        }
        let limit = image.len() as u64;
        let outside = place < HEADER_SIZE as u64 || place > limit - 8 || addend > limit;
        if outside || place % 8 != 0 || (place + 8 > address && place < end) {
            return Err(PackError::RelocationPlace {
                index,
                place,
                addend,
            });
        }
    }
    // Both fit: the image has at most 64 KiB.
    Ok((address as u32, (table.len() / RELA_SIZE) as u32))
}

#[cfg(test)]
#[path = "image_tests.rs"]
mod tests;
