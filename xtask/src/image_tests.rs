//! Tests of the packing, on linked files made here.

use super::*;
use protocol::image::{HEADER_VERSION, MAGIC};

const SHF_WRITE: u64 = 1;
const SHF_ALLOC: u64 = 2;
const SHT_PROGBITS: u32 = 1;
const SHT_NOBITS: u32 = 8;
/// Where [`Linked::new`] puts its relocation table: after the header and 16 words of code and data.
const RELA_AT: usize = HEADER_SIZE + 128;

/// A linked file in the making: one segment at 0 and sections that describe it.
struct Linked {
    image: Vec<u8>,
    /// Size of the segment in memory.
    memory: u64,
    sections: Vec<(&'static str, u32, u64, u64, u64)>,
    kind: u16,
    machine: u16,
}

impl Linked {
    /// A fit file: header, 128 bytes of text, and these relocations (place, info, addend).
    fn new(relocations: &[(u64, u64, u64)]) -> Self {
        let mut image = vec![0; RELA_AT];
        image[..8].copy_from_slice(&MAGIC);
        image[offset::VERSION] = HEADER_VERSION as u8;
        for entry in [offset::BOOT_ENTRY, offset::WORKER_ENTRY] {
            image[entry..entry + 4].copy_from_slice(&(HEADER_SIZE as u32).to_le_bytes());
        }
        for (place, info, addend) in relocations {
            image.extend(
                [place, info, addend]
                    .into_iter()
                    .flat_map(|w| w.to_le_bytes()),
            );
        }
        let size = (relocations.len() * RELA_SIZE) as u64;
        Self {
            memory: image.len() as u64,
            image,
            sections: vec![
                (".head", SHT_PROGBITS, SHF_ALLOC, 0, HEADER_SIZE as u64),
                (
                    ".text",
                    SHT_PROGBITS,
                    SHF_ALLOC | 4,
                    HEADER_SIZE as u64,
                    128,
                ),
                (".rela.dyn", 4, SHF_ALLOC, RELA_AT as u64, size),
                (".defmt", SHT_PROGBITS, 0, 0, 3),
            ],
            kind: 3,
            machine: 183,
        }
    }

    fn section(mut self, name: &'static str, kind: u32, flags: u64, size: u64) -> Self {
        self.sections.push((name, kind, flags, 0x100, size));
        self
    }

    /// The ELF file: file header, program header, segment, section names, section headers.
    fn bytes(&self) -> Vec<u8> {
        const HEADERS: usize = 64 + 56;
        let mut names = vec![0];
        let mut table = vec![0; 64];
        let names_at = (HEADERS + self.image.len()) as u64;
        let mut add = |names: &mut Vec<u8>, name: &str, kind: u32, words: [u64; 4]| {
            table.extend((names.len() as u32).to_le_bytes());
            table.extend(kind.to_le_bytes());
            table.extend(words.iter().flat_map(|w| w.to_le_bytes()));
            // Link, info, alignment and entry size.
            table.extend([0; 8]);
            table.extend([1, 0_u64].iter().flat_map(|w| w.to_le_bytes()));
            names.extend(name.bytes().chain([0]));
        };
        for (name, kind, flags, address, size) in &self.sections {
            let place = HEADERS as u64 + address;
            add(&mut names, name, *kind, [*flags, *address, place, *size]);
        }
        let length = names.len() as u64 + ".names\0".len() as u64;
        add(&mut names, ".names", 3, [0, 0, names_at, length]);

        let mut file = b"\x7fELF\x02\x01\x01".to_vec();
        file.resize(16, 0);
        file.extend(
            [self.kind, self.machine]
                .iter()
                .flat_map(|h| h.to_le_bytes()),
        );
        file.extend(1_u32.to_le_bytes());
        let table_at = names_at + names.len() as u64;
        file.extend([0, 64, table_at].iter().flat_map(|w: &u64| w.to_le_bytes()));
        file.extend([0; 4]);
        let count = self.sections.len() as u16 + 2;
        let halves = [64, 56, 1, 64, count, count - 1];
        file.extend(halves.iter().flat_map(|h: &u16| h.to_le_bytes()));
        // PT_LOAD, readable and executable.
        file.extend([1_u32, 5].iter().flat_map(|w| w.to_le_bytes()));
        let size = self.image.len() as u64;
        let program = [HEADERS as u64, 0, 0, size, self.memory, 1];
        file.extend(program.iter().flat_map(|w| w.to_le_bytes()));
        file.extend(&self.image);
        file.extend(&names);
        file.extend(&table);
        file
    }

    fn pack(&self) -> Result<Image, PackError> {
        pack(&self.bytes())
    }
}

const GOOD: [(u64, u64, u64); 2] = [(0x108, 1027, 0x100), (0x110, 1027, 0x120)];

#[test]
fn a_fit_file_becomes_an_image_that_a_host_accepts() {
    let linked = Linked::new(&GOOD);
    let image = linked.pack().unwrap();
    assert_eq!(image.bytes.len(), linked.image.len());
    assert_eq!(image.bytes[HEADER_SIZE..], linked.image[HEADER_SIZE..]);
    assert_eq!(image.header.rela as usize, RELA_AT);
    assert_eq!(image.header.rela_count, 2);
    assert_eq!(Header::parse(&image.bytes), Ok(image.header));
}

#[test]
fn the_build_id_is_the_hash_of_everything_else() {
    let image = Linked::new(&GOOD).pack().unwrap();
    let mut plain = image.bytes.clone();
    plain[0x2c..0x40].fill(0);
    assert_eq!(image.header.build_id, Sha256::digest(&plain)[..16]);

    let mut linked = Linked::new(&GOOD);
    linked.image[HEADER_SIZE] ^= 1;
    let other_text = linked.pack().unwrap();
    let other_relocation = Linked::new(&[GOOD[0], (0x118, 1027, 0x120)])
        .pack()
        .unwrap();
    assert_ne!(other_text.header.build_id, image.header.build_id);
    assert_ne!(other_relocation.header.build_id, image.header.build_id);
}

#[test]
fn what_is_no_pie_for_this_machine_is_refused() {
    assert!(matches!(pack(b""), Err(PackError::Elf(_))));
    assert!(matches!(
        pack(b"#!/bin/sh\necho hello\n"),
        Err(PackError::Elf(_))
    ));
    let whole = Linked::new(&GOOD).bytes();
    assert!(matches!(
        pack(&whole[..whole.len() / 2]),
        Err(PackError::Elf(_))
    ));
    let x86 = Linked {
        machine: 62,
        ..Linked::new(&GOOD)
    };
    assert!(matches!(x86.pack(), Err(PackError::Kind(_))));
    let fixed = Linked {
        kind: 2,
        ..Linked::new(&GOOD)
    };
    assert!(matches!(fixed.pack(), Err(PackError::Kind(_))));
}

#[test]
fn only_relative_relocations_pass() {
    // R_AARCH64_ABS64, R_AARCH64_GLOB_DAT, R_AARCH64_IRELATIVE, and a relative one that names a symbol.
    for info in [257, 1025, 1032, 1 << 32 | 1027] {
        let linked = Linked::new(&[GOOD[0], (0x110, info, 0x120)]);
        let kind = info & 0xffff_ffff;
        assert_eq!(
            linked.pack(),
            Err(PackError::RelocationType { index: 1, kind })
        );
    }
}

#[test]
fn relocations_stay_inside_the_image() {
    let end = (RELA_AT + RELA_SIZE) as u64;
    for (place, addend) in [
        (0x28, 0x100),           // in the header
        (0x10c, 0x100),          // not aligned
        (RELA_AT as u64, 0x100), // in the table
        (end, 0x100),            // after the end
        (u64::MAX - 7, 0x100),   // far outside
        (0x108, end + 1),        // points outside
    ] {
        let error = Linked::new(&[(place, 1027, addend)]).pack();
        let expected = PackError::RelocationPlace {
            index: 0,
            place,
            addend,
        };
        assert_eq!(error, Err(expected));
    }
}

#[test]
fn a_cut_relocation_table_is_refused() {
    let mut linked = Linked::new(&GOOD);
    linked.sections[2].4 -= 8;
    assert!(matches!(
        linked.pack(),
        Err(PackError::RelocationTable { size: 40, .. })
    ));
    let mut linked = Linked::new(&GOOD);
    linked.image.truncate(RELA_AT + RELA_SIZE);
    linked.memory = linked.image.len() as u64;
    assert!(matches!(
        linked.pack(),
        Err(PackError::RelocationTable { .. })
    ));
}

#[test]
fn writable_and_zero_filled_sections_are_refused() {
    for (name, kind) in [
        (".data", SHT_PROGBITS),
        (".bss", SHT_NOBITS),
        (".tdata", SHT_PROGBITS),
        (".got.plt", SHT_PROGBITS),
        (".relr.dyn", 19),
        (".stray", SHT_PROGBITS),
    ] {
        let add = |size| Linked::new(&GOOD).section(name, kind, SHF_ALLOC | SHF_WRITE, size);
        let expected = PackError::Section {
            name: name.to_owned(),
            size: 8,
        };
        assert_eq!(add(8).pack(), Err(expected));
        assert!(add(0).pack().is_ok(), "{name} is there but empty");
    }
    let addresses =
        Linked::new(&GOOD).section(".data.rel.ro", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8);
    assert!(addresses.pack().is_ok());
}

#[test]
fn a_segment_with_zeros_behind_it_is_refused() {
    let mut linked = Linked::new(&GOOD);
    linked.memory += 16;
    assert_eq!(
        linked.pack(),
        Err(PackError::Zeros {
            address: 0,
            size: 16
        })
    );
}

#[test]
fn the_largest_image_passes_and_one_byte_more_does_not() {
    let mut linked = Linked::new(&GOOD);
    linked.image.resize(MAX_IMAGE, 0);
    linked.memory = MAX_IMAGE as u64;
    assert_eq!(linked.pack().unwrap().bytes.len(), 0x1_0000);
    linked.image.push(0);
    linked.memory += 1;
    assert_eq!(linked.pack(), Err(PackError::TooLarge { end: 0x1_0001 }));
}

#[test]
fn a_file_without_the_firmware_header_is_refused() {
    let mut linked = Linked::new(&GOOD);
    linked.image[0] ^= 1;
    assert_eq!(linked.pack(), Err(PackError::Header(ImageError::Magic)));
    let mut short = Linked::new(&[]);
    short.image.truncate(HEADER_SIZE - 1);
    short.memory = short.image.len() as u64;
    assert_eq!(
        short.pack(),
        Err(PackError::Header(ImageError::Length(255)))
    );
}
