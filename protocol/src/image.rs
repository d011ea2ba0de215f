//! The header of the firmware image: its first 256 bytes.

use crate::frame::CRC;

/// First eight bytes of an image.
pub const MAGIC: [u8; 8] = *b"AICPROBE";
/// Version of this header.
pub const HEADER_VERSION: u32 = 1;
/// Bytes that the header takes at the start of the image.
pub const HEADER_SIZE: usize = 256;
/// Largest image, in bytes.
pub const MAX_IMAGE: usize = 0x1_0000;
/// Bytes of one relocation entry (an ELF64 RELA entry: offset, info, addend).
pub const RELA_SIZE: usize = 24;
/// The only relocation type there is: R_AARCH64_RELATIVE (ELF for the Arm 64-bit architecture, 1027).
pub const R_AARCH64_RELATIVE: u64 = 1027;

/// Offsets of the header's fields; all little endian.
pub mod offset {
    /// Magic, 8 bytes. Written by the linker's input.
    pub const MAGIC: usize = 0x00;
    /// Header version, u32. Written by the linker's input.
    pub const VERSION: usize = 0x08;
    /// Protocol version, u32. Written by the linker's input.
    pub const PROTOCOL: usize = 0x0c;
    /// Schema hash, u64. Written by the linker's input.
    pub const SCHEMA: usize = 0x10;
    /// Boot CPU's entry, u32 offset in the image. Written by the linker's input.
    pub const BOOT_ENTRY: usize = 0x18;
    /// Worker's entry, u32 offset in the image. Written by the linker's input.
    pub const WORKER_ENTRY: usize = 0x1c;
    /// Relocation entries, u32 offset in the image. Written when the image is packed.
    pub const RELA: usize = 0x20;
    /// Number of relocation entries, u32. Written when the image is packed.
    pub const RELA_COUNT: usize = 0x24;
    /// Size of the image in bytes, u32. Written when the image is packed.
    pub const SIZE: usize = 0x28;
    /// CRC-32 of the image with this field zero, u32. Written when the image is packed, last.
    pub const CRC: usize = 0x2c;
    /// Build id, 16 bytes. Written when the image is packed.
    pub const BUILD_ID: usize = 0x30;
}

/// A header that was checked against its image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Protocol version.
    pub protocol: u32,
    /// Schema hash.
    pub schema: u64,
    /// Offset of the boot CPU's entry.
    pub boot_entry: u32,
    /// Offset of the worker's entry.
    pub worker_entry: u32,
    /// Offset of the relocation entries.
    pub rela: u32,
    /// Number of relocation entries.
    pub rela_count: u32,
    /// Size of the image.
    pub size: u32,
    /// Build id.
    pub build_id: [u8; 16],
}

/// Why bytes are not an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageError {
    /// Shorter than a header or longer than [`MAX_IMAGE`].
    Length(usize),
    /// It does not begin with [`MAGIC`].
    Magic,
    /// Another header version.
    Version(u32),
    /// The size in the header is not the size of the file.
    Size {
        /// In the header.
        header: u32,
        /// Of the file.
        file: usize,
    },
    /// The CRC does not match.
    Crc {
        /// In the header.
        header: u32,
        /// Of the bytes.
        computed: u32,
    },
    /// An entry or the relocation table lies outside the image, or a relocation is of another type.
    Layout,
    /// The build id is all zero.
    BuildId,
}

impl core::fmt::Display for ImageError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Length(n) => write!(
                f,
                "{n} bytes long: a firmware image has {HEADER_SIZE} to {MAX_IMAGE}"
            ),
            Self::Magic => f.write_str("no firmware image: it does not begin with \"AICPROBE\""),
            Self::Version(v) => write!(
                f,
                "image header of version {v}: this tool knows version {HEADER_VERSION}"
            ),
            Self::Size { header, file } => write!(
                f,
                "truncated or padded: the header says {header} bytes, the file has {file}"
            ),
            Self::Crc { header, computed } => write!(
                f,
                "damaged: the header says CRC {header:#010x}, the bytes give {computed:#010x}"
            ),
            Self::Layout => f.write_str("damaged: an entry or relocation lies outside the image"),
            Self::BuildId => f.write_str("the build id is zero: not packed by the build"),
        }
    }
}

impl core::error::Error for ImageError {}

fn u32_at(image: &[u8], at: usize) -> u32 {
    let mut b = [0; 4];
    b.copy_from_slice(&image[at..at + 4]);
    u32::from_le_bytes(b)
}

fn u64_at(image: &[u8], at: usize) -> u64 {
    u64::from(u32_at(image, at)) | u64::from(u32_at(image, at + 4)) << 32
}

fn crc_without_field(image: &[u8]) -> u32 {
    let mut head = [0; HEADER_SIZE];
    head.copy_from_slice(&image[..HEADER_SIZE]);
    head[offset::CRC..offset::CRC + 4].fill(0);
    let mut digest = CRC.digest();
    digest.update(&head);
    digest.update(&image[HEADER_SIZE..]);
    digest.finalize()
}

impl Header {
    /// Checks `image` whole: length, magic, version, size, CRC, build id, entries and every relocation.
    ///
    /// # Errors
    /// The first [`ImageError`] found, in that order.
    pub fn parse(image: &[u8]) -> Result<Self, ImageError> {
        if image.len() < HEADER_SIZE || image.len() > MAX_IMAGE {
            return Err(ImageError::Length(image.len()));
        }
        if image[..8] != MAGIC {
            return Err(ImageError::Magic);
        }
        let version = u32_at(image, offset::VERSION);
        if version != HEADER_VERSION {
            return Err(ImageError::Version(version));
        }
        let size = u32_at(image, offset::SIZE);
        if size as usize != image.len() {
            return Err(ImageError::Size {
                header: size,
                file: image.len(),
            });
        }
        let (header, computed) = (u32_at(image, offset::CRC), crc_without_field(image));
        if header != computed {
            return Err(ImageError::Crc { header, computed });
        }
        let mut build_id = [0; 16];
        build_id.copy_from_slice(&image[offset::BUILD_ID..offset::BUILD_ID + 16]);
        if build_id == [0; 16] {
            return Err(ImageError::BuildId);
        }
        let head = Self {
            protocol: u32_at(image, offset::PROTOCOL),
            schema: u64_at(image, offset::SCHEMA),
            boot_entry: u32_at(image, offset::BOOT_ENTRY),
            worker_entry: u32_at(image, offset::WORKER_ENTRY),
            rela: u32_at(image, offset::RELA),
            rela_count: u32_at(image, offset::RELA_COUNT),
            size,
            build_id,
        };
        let code = HEADER_SIZE as u64..u64::from(size);
        let entries = [head.boot_entry, head.worker_entry];
        let table_end = u64::from(head.rela) + u64::from(head.rela_count) * RELA_SIZE as u64;
        if entries
            .iter()
            .any(|e| e % 4 != 0 || !code.contains(&u64::from(*e)))
            || table_end > u64::from(size)
            || !head.relocations(image).all(|(at, kind, addend)| {
                kind == R_AARCH64_RELATIVE
                    && at % 8 == 0
                    && at >= HEADER_SIZE as u64
                    && at <= u64::from(size) - 8
                    && addend <= u64::from(size)
            })
        {
            return Err(ImageError::Layout);
        }
        Ok(head)
    }

    fn relocations<'a>(&self, image: &'a [u8]) -> impl Iterator<Item = (u64, u64, u64)> + 'a {
        let (start, count) = (self.rela as usize, self.rela_count as usize);
        (0..count).map(move |i| {
            let at = start + i * RELA_SIZE;
            (
                u64_at(image, at),
                u64_at(image, at + 8) & 0xffff_ffff,
                u64_at(image, at + 16),
            )
        })
    }

    /// Applies the relocations in `image` (which this header was parsed from) for code that runs at `run_address`.
    pub fn relocate(&self, image: &mut [u8], run_address: u64) {
        for i in 0..self.rela_count as usize {
            let at = self.rela as usize + i * RELA_SIZE;
            let (place, addend) = (u64_at(image, at) as usize, u64_at(image, at + 16));
            image[place..place + 8]
                .copy_from_slice(&run_address.wrapping_add(addend).to_le_bytes());
        }
    }
}

/// Fills in what only the finished image knows: relocation table, size, build id, and the CRC last.
///
/// # Errors
/// [`ImageError::Length`] if the image cannot hold a header or is too long.
pub fn seal(
    image: &mut [u8],
    rela: u32,
    rela_count: u32,
    build_id: [u8; 16],
) -> Result<(), ImageError> {
    if image.len() < HEADER_SIZE || image.len() > MAX_IMAGE {
        return Err(ImageError::Length(image.len()));
    }
    let size = image.len() as u32;
    for (at, value) in [
        (offset::RELA, rela),
        (offset::RELA_COUNT, rela_count),
        (offset::SIZE, size),
    ] {
        image[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    image[offset::BUILD_ID..offset::BUILD_ID + 16].copy_from_slice(&build_id);
    let crc = crc_without_field(image);
    image[offset::CRC..offset::CRC + 4].copy_from_slice(&crc.to_le_bytes());
    Ok(())
}
