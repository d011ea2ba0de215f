//! Boot arguments and device tree of a real boot, and of the same shape.

mod common;

use common::trees::case_of;
use host_cli::target::BootArgs;

/// Bytes of the boot arguments that are read.
const SIZE: usize = 0x6c;

fn parse(bytes: &[u8]) -> (u64, u32) {
    let head = bytes[..SIZE].try_into().expect("long enough");
    let args = BootArgs::parse(0x100_0361_0000, head).expect("usable");
    assert!(args.is_known(), "{args:?}");
    (args.devtree, args.devtree_size)
}

#[test]
fn addresses_below_their_base_wrap() {
    let mut bytes = [0; SIZE];
    bytes[0] = 2;
    for (at, value) in [
        (0x08, 0xffff_ffff_ff02_0000_u64),
        (0x10, 0x100_0102_0000),
        (0x60, 0x161_c000),
    ] {
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
    bytes[0x68..].copy_from_slice(&0x7_8000_u32.to_le_bytes());
    assert_eq!(parse(&bytes), (0x100_0361_c000, 0x7_8000));
}

#[test]
fn those_of_a_real_boot_lead_to_its_tree() {
    let names = ["t6020-j474s.bootargs.bin", "t6020-j474s.adt"];
    let [Some(args), Some(window)] = names.map(|name| case_of("adt", name)) else {
        return;
    };
    let [args, window] = [args, window].map(|path| std::fs::read(path).expect("readable"));
    assert_eq!(parse(&args), (0x100_0361_c000, 0x7_8000));
    // The tree ends before its window does; zeros follow.
    assert_eq!(window.len(), 0x7_8000);
    let tree = adt::Adt::new(&window).expect("a tree");
    assert_eq!(tree.size(), 0x7_75d8);
    assert!(window[tree.size()..].iter().all(|byte| *byte == 0));
}
