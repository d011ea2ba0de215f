//! The image's header: what is sealed is accepted, what is wrong is named, relocations land where they should.

use proptest::prelude::*;
use protocol::image::{
    HEADER_SIZE, HEADER_VERSION, Header, ImageError, MAGIC, MAX_IMAGE, R_AARCH64_RELATIVE,
    RELA_SIZE, offset, seal,
};

const BODY: usize = 64;
const RELA: usize = HEADER_SIZE + BODY;

fn put(image: &mut [u8], at: usize, bytes: &[u8]) {
    image[at..at + bytes.len()].copy_from_slice(bytes);
}

/// Header, 64 bytes of code, then relocation entries (place, type, addend).
fn unsealed(relocations: &[(u64, u64, u64)]) -> Vec<u8> {
    let mut image = vec![0; RELA + relocations.len() * RELA_SIZE];
    put(&mut image, 0, &MAGIC);
    put(&mut image, offset::VERSION, &HEADER_VERSION.to_le_bytes());
    put(&mut image, offset::PROTOCOL, &1u32.to_le_bytes());
    put(
        &mut image,
        offset::SCHEMA,
        &0x1234_5678_9abc_def0_u64.to_le_bytes(),
    );
    put(
        &mut image,
        offset::BOOT_ENTRY,
        &(HEADER_SIZE as u32).to_le_bytes(),
    );
    put(
        &mut image,
        offset::WORKER_ENTRY,
        &(HEADER_SIZE as u32 + 8).to_le_bytes(),
    );
    for (i, (place, kind, addend)) in relocations.iter().enumerate() {
        for (j, word) in [place, kind, addend].into_iter().enumerate() {
            put(
                &mut image,
                RELA + i * RELA_SIZE + j * 8,
                &word.to_le_bytes(),
            );
        }
    }
    image
}

fn sealed_with(mut image: Vec<u8>, count: u32, id: [u8; 16]) -> Vec<u8> {
    seal(&mut image, RELA as u32, count, id).expect("room for a header");
    image
}

fn sealed(relocations: &[(u64, u64, u64)]) -> Vec<u8> {
    sealed_with(unsealed(relocations), relocations.len() as u32, [9; 16])
}

const GOOD: (u64, u64, u64) = (HEADER_SIZE as u64 + 16, R_AARCH64_RELATIVE, 0x120);

#[test]
fn a_sealed_image_is_read_back() {
    let image = sealed(&[GOOD]);
    let header = Header::parse(&image).unwrap();
    assert_eq!((header.protocol, header.schema), (1, 0x1234_5678_9abc_def0));
    assert_eq!((header.boot_entry, header.worker_entry), (0x100, 0x108));
    assert_eq!((header.rela as usize, header.rela_count), (RELA, 1));
    assert_eq!(
        (header.size as usize, header.build_id),
        (image.len(), [9; 16])
    );
}

#[test]
fn relocations_are_applied_and_nothing_else_is_touched() {
    let second = (HEADER_SIZE as u64 + 32, R_AARCH64_RELATIVE, 0x150);
    let before = sealed(&[GOOD, second]);
    let mut image = before.clone();
    Header::parse(&image)
        .unwrap()
        .relocate(&mut image, 0xc01_0002_0000);
    for (i, (old, new)) in before.iter().zip(&image).enumerate() {
        let place = |p: u64| (p as usize..p as usize + 8).contains(&i);
        assert!(
            old == new || place(GOOD.0) || place(second.0),
            "byte {i:#x} changed"
        );
    }
    assert_eq!(image[0x110..0x118], 0xc01_0002_0120_u64.to_le_bytes());
    assert_eq!(image[0x120..0x128], 0xc01_0002_0150_u64.to_le_bytes());
}

#[test]
fn what_is_wrong_is_named() {
    let good = sealed(&[GOOD]);
    let parse = |image: &[u8]| Header::parse(image).unwrap_err();
    assert_eq!(parse(&[]), ImageError::Length(0));
    assert_eq!(parse(&good[..HEADER_SIZE - 1]), ImageError::Length(255));
    assert_eq!(
        parse(&vec![0; MAX_IMAGE + 1]),
        ImageError::Length(MAX_IMAGE + 1)
    );
    let mut other = good.clone();
    other[3] ^= 1;
    assert_eq!(parse(&other), ImageError::Magic);
    let mut newer = good.clone();
    newer[offset::VERSION] = 2;
    assert_eq!(parse(&newer), ImageError::Version(2));
    let cut = &good[..good.len() - 4];
    let size = ImageError::Size {
        header: good.len() as u32,
        file: cut.len(),
    };
    assert_eq!(parse(cut), size);
    let mut padded = good.clone();
    padded.push(0);
    assert!(matches!(parse(&padded), ImageError::Size { .. }));
    let none = sealed_with(unsealed(&[]), 0, [0; 16]);
    assert_eq!(parse(&none), ImageError::BuildId);
    assert_eq!(
        seal(&mut [0; 10], 0, 0, [1; 16]),
        Err(ImageError::Length(10))
    );
}

#[test]
fn entries_and_relocations_outside_the_image_are_refused() {
    let refused = |image: Vec<u8>| Header::parse(&image).unwrap_err() == ImageError::Layout;
    for entry in [0, 4, HEADER_SIZE as u32 + 2, 0x10_0000, u32::MAX] {
        let mut image = unsealed(&[]);
        put(&mut image, offset::WORKER_ENTRY, &entry.to_le_bytes());
        assert!(refused(sealed_with(image, 0, [9; 16])), "entry {entry:#x}");
    }
    let (place, kind, addend) = GOOD;
    for bad in [
        (place, kind - 1, addend),
        (place + 4, kind, addend),
        (8, kind, addend),
        (RELA as u64 + 1000, kind, addend),
        (u64::MAX - 7, kind, addend),
        (place, kind, u64::MAX),
    ] {
        assert!(refused(sealed(&[bad])), "{bad:x?}");
    }
    // A table longer than the image.
    assert!(refused(sealed_with(unsealed(&[GOOD]), 2, [9; 16])));
    assert!(refused(sealed_with(unsealed(&[GOOD]), u32::MAX, [9; 16])));
}

proptest! {
    #[test]
    fn any_changed_bit_is_found(at in 0..RELA + RELA_SIZE, bit in 0..8) {
        let mut image = sealed(&[GOOD]);
        image[at] ^= 1u8 << bit;
        prop_assert!(Header::parse(&image).is_err());
    }

    #[test]
    fn random_headers_do_not_panic(mut bytes in proptest::collection::vec(any::<u8>(), HEADER_SIZE..600), seal_it in any::<bool>(), rela in any::<u32>(), count in any::<u32>()) {
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[offset::VERSION..offset::VERSION + 4].copy_from_slice(&HEADER_VERSION.to_le_bytes());
        if seal_it {
            seal(&mut bytes, rela, count, [1; 16]).unwrap();
        }
        if let Ok(header) = Header::parse(&bytes) {
            header.relocate(&mut bytes, 0x1_0000);
        }
    }
}
