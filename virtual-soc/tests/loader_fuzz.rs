//! Any bytes on the link: the stand-in answers or stays silent, and does the same again for the same bytes.

#[path = "soc_common/client.rs"]
mod client;

use core::time::Duration;

use client::frame;
use proptest::prelude::*;
use virtual_soc::{SocModel, VirtualTarget};

/// Addresses around every edge that the stand-in decides by.
fn address() -> impl Strategy<Value = u64> {
    let edges = [
        0,
        0x2_0000_0000,
        0x3_0100_0000,
        0x3_0104_0000,
        0x3_011c_c000,
        0x3_4073_4004,
        0x100_0000_0000,
        0x100_0100_8000,
        0x100_1fff_fff8,
        0x100_2000_0000,
        0xd00_0100_8000,
        0xa00_0000_0000,
        u64::MAX,
    ];
    (prop::sample::select(edges.to_vec()), -16i64..64).prop_map(|(e, d)| e.wrapping_add_signed(d))
}

fn word() -> impl Strategy<Value = u64> {
    prop_oneof![address(), 0u64..256, any::<u64>()]
}

fn opcode() -> impl Strategy<Value = u64> {
    let known = prop::sample::select(vec![
        0x0, 0x2, 0x3, 0x4, 0x6, 0x7, 0x8, 0x13, 0x14, 0x309, 0x30f, 0x500, 0x501, 0x502, 0x503,
        0x504, 0x505, 0x506, 0x600, 0x601, 0x602, 0x603, 0x905,
    ]);
    prop_oneof![known, 0x100u64..0x118, 0x300u64..0x310, any::<u64>()]
}

fn chunk() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => (opcode(), prop::collection::vec(word(), 6)).prop_map(|(op, args)| {
            let mut words = vec![op];
            words.extend(args);
            frame(1, &words)
        }),
        1 => (0x200u64..0x208, address(), word(), 0u64..300).prop_map(|(op, d, s, n)| frame(1, &[op, d, s, n])),
        1 => (address(), 0u64..200).prop_map(|(a, n)| frame(2, &[a, n])),
        1 => address().prop_map(|a| frame(2, &[a, u64::MAX])),
        1 => (address(), prop::collection::vec(any::<u8>(), 0..80)).prop_map(|(a, data)| {
            let mut bytes = frame(3, &[a, data.len() as u64, client::checksum(&data).into()]);
            bytes.extend(data);
            bytes
        }),
        1 => (any::<u8>(), word()).prop_map(|(kind, w)| frame(kind, &[w])),
        1 => prop::collection::vec(any::<u8>(), 0..200),
    ]
}

fn run(chunks: &[Vec<u8>]) -> (Vec<u8>, Duration) {
    let mut target = VirtualTarget::from_model(&SocModel::builtin("t8140").expect("built in"), 3)
        .expect("model");
    let mut output = Vec::new();
    let mut buf = [0; 4096];
    for chunk in chunks {
        target.send(chunk);
        loop {
            let n = target.recv(&mut buf, Duration::from_micros(300));
            if n == 0 {
                break;
            }
            output.extend(&buf[..n]);
        }
    }
    (output, target.now())
}

proptest! {
    // Failures are printed with their input; no file is kept.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]
    #[test]
    fn any_requests_twice(chunks in prop::collection::vec(chunk(), 1..24)) {
        prop_assert_eq!(run(&chunks), run(&chunks));
    }
}
