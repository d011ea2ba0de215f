//! Archives: what is packed is read, the same bytes each time; what does not belong there is refused.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tar::{Builder, EntryType, Header};

use super::archive::{BYTES, FILES, inner_folder, is_name, read, working_folder};
use super::{name, pack};

fn filled(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fs::create_dir(folder).unwrap();
    let names = name::ALL.iter().chain([&name::MANIFEST]);
    names
        .map(|file| {
            let bytes = format!("what {file} holds\n").repeat(100).into_bytes();
            fs::write(folder.join(file), &bytes).unwrap();
            ((*file).to_owned(), bytes)
        })
        .collect()
}

#[test]
fn the_same_files_give_the_same_archive() {
    let place = tempfile::tempdir().unwrap();
    let mut packed = Vec::new();
    let mut files = BTreeMap::new();
    for at in ["one", "two"] {
        fs::create_dir(place.path().join(at)).unwrap();
        let archive = place.path().join(at).join("run.tar.zst");
        let folder = working_folder(&archive);
        files = filled(&folder);
        pack::pack(&folder, &archive, 1_700_000_000).unwrap();
        assert!(!folder.exists());
        packed.push(fs::read(&archive).unwrap());
    }
    assert_eq!(packed[0], packed[1]);
    assert_eq!(read(&packed[0][..]), Ok((files.clone(), None)));
    // Cut anywhere: never whole, never more than was there.
    for end in (0..packed[0].len()).step_by(7) {
        let (some, cut) = read(&packed[0][..end]).unwrap();
        assert!(cut.is_some(), "{end}");
        assert!(some.keys().all(|file| files.contains_key(file)));
    }
}

#[test]
fn names_of_archives() {
    assert!(is_name(Path::new("a/b.tar.zst")) && !is_name(Path::new("a.tar.zst/b")));
    for (archive, folder) in [
        ("x/run-1.tar.zst", "run-1"),
        (".tar.zst", "evidence"),
        ("a b.tar.zst", "evidence"),
    ] {
        assert_eq!(inner_folder(Path::new(archive)), folder);
    }
}

/// An archive of entries: kind, path, size as the header says, bytes.
fn archive(entries: &[(EntryType, &str, u64, &[u8])]) -> Vec<u8> {
    let mut tar = Builder::new(Vec::new());
    for (kind, path, size, bytes) in entries {
        let mut header = Header::new_gnu();
        header.set_entry_type(*kind);
        header.set_size(*size);
        // `set_path` would not take all of these.
        let raw = &mut header.as_mut_bytes()[..path.len()];
        raw.copy_from_slice(path.as_bytes());
        if *kind == EntryType::Symlink {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        tar.append(&header, *bytes).unwrap();
    }
    compress_to_vec(&tar.into_inner().unwrap()[..], CompressionLevel::Fastest)
}

#[test]
fn what_no_evidence_has_is_refused() {
    use EntryType::{Directory, Link, Regular, Symlink};
    type Entries<'e> = &'e [(EntryType, &'e str, u64, &'e [u8])];
    let cases: &[(Entries<'_>, &str)] = &[
        (&[(Regular, "../run.json", 1, b"x")], "no name in evidence"),
        (&[(Regular, "/run.json", 1, b"x")], "no name in evidence"),
        (
            &[(Regular, "a/../run.json", 1, b"x")],
            "no name in evidence",
        ),
        (&[(Regular, "a/b/run.json", 1, b"x")], "no name in evidence"),
        (&[(Regular, "a/.hidden", 1, b"x")], "no name in evidence"),
        (&[(Regular, "a\\run.json", 1, b"x")], "no name in evidence"),
        (&[(Symlink, "a/run.json", 0, b"")], "is a Symlink"),
        (&[(Link, "run.json", 0, b"")], "is a Link"),
        (&[(Directory, "a/b", 0, b"")], "is a Directory"),
        (&[(EntryType::Fifo, "run.json", 0, b"")], "is a Fifo"),
        (
            &[(Regular, "a/x", 1, b"x"), (Regular, "b/y", 1, b"x")],
            "folders a and b",
        ),
        (
            &[(Regular, "a/x", 1, b"x"), (Regular, "a/x", 1, b"x")],
            "there twice",
        ),
        (
            &[(Regular, "run.json", BYTES + 1, b"x")],
            "no evidence has so much",
        ),
    ];
    for (entries, what) in cases {
        let said = read(&archive(entries)[..]).unwrap_err();
        assert!(said.contains(what), "{entries:?}: {said}");
    }
    let names: Vec<String> = (0..=FILES).map(|n| format!("f{n}")).collect();
    let many: Vec<_> = names
        .iter()
        .map(|n| (Regular, n.as_str(), 0, &b""[..]))
        .collect();
    let said = read(&archive(&many)[..]).unwrap_err();
    assert!(said.contains("no evidence has so much"), "{said}");
    // As `tar -c .` and `tar -c NAME` make it.
    let good: Entries<'_> = &[(Directory, "./", 0, b""), (Regular, "./run.json", 2, b"{}")];
    let (files, cut) = read(&archive(good)[..]).unwrap();
    assert_eq!((files.len(), cut), (1, None));
}
