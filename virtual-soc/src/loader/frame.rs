//! Frames of the proxy protocol, stated from its public description (third party: loader sources; byte vectors confirmed in emulation).
//!
//! Little endian, no escaping; console text shares the stream between frames.

use std::collections::VecDeque;

pub(super) const REQUEST_LEN: usize = 64;
pub(super) const REPLY_LEN: usize = 36;
const PAYLOAD_LEN: usize = 56;

/// First three bytes of every frame, as the low 24 bits of a word.
const SYNC: u32 = 0x00aa_55ff;

/// Frame types.
pub(super) mod kind {
    pub(crate) const NOP: u8 = 0;
    pub(crate) const PROXY: u8 = 1;
    pub(crate) const MEMREAD: u8 = 2;
    pub(crate) const MEMWRITE: u8 = 3;
    pub(crate) const BOOT: u8 = 4;
}

/// Status words of a reply.
pub(super) mod status {
    pub(crate) const OK: i32 = 0;
    pub(crate) const BAD_COMMAND: i32 = -1;
    pub(crate) const TRANSFER: i32 = -3;
    pub(crate) const CHECKSUM: i32 = -4;
}

/// Stands in for a data checksum when data checksums are off.
pub(super) const NO_CHECKSUM: u32 = 0xd0de_cade;
/// Follows data when data checksums are off.
pub(super) const SENTINEL: u32 = 0xb0ca_cc10;
/// Feature bit: data checksums off.
pub(super) const FEATURE_NO_DATA_CHECKSUMS: u64 = 1;

/// Last step of the checksum.
pub(super) const CHECKSUM_FINAL: u32 = 0xadde_dbad;

/// Checksum of headers and data.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    let sum = bytes.iter().fold(0xdead_beef_u32, |s, b| {
        s.wrapping_mul(31337).wrapping_add(u32::from(b ^ 0x5a))
    });
    sum ^ CHECKSUM_FINAL
}

/// A request as it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) kind: u8,
    payload: [u8; PAYLOAD_LEN],
    /// Whether the frame checksum was right.
    pub(super) intact: bool,
}

impl Request {
    /// The n-th 64-bit word of the payload (0..=6).
    pub(super) fn word(&self, n: usize) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.payload[n * 8..n * 8 + 8]);
        u64::from_le_bytes(bytes)
    }
}

/// Bytes from the host, and the search for the next frame.
#[derive(Debug, Default)]
pub(super) struct Receiver {
    bytes: VecDeque<u8>,
    last: u32,
    /// Type of the frame whose start has been found.
    found: Option<u8>,
}

impl Receiver {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// The next whole request; noise before it is dropped.
    pub(super) fn request(&mut self) -> Option<Request> {
        while self.found.is_none() {
            let byte = self.bytes.pop_front()?;
            self.last = self.last >> 8 | u32::from(byte) << 24;
            if self.last & 0x00ff_ffff == SYNC {
                self.found = Some(byte);
                self.last = 0;
            }
        }
        let rest = self.take(REQUEST_LEN - 4)?;
        let kind = self.found.take()?;
        let mut frame = [0xff, 0x55, 0xaa, kind].to_vec();
        frame.extend(rest);
        let mut payload = [0; PAYLOAD_LEN];
        payload.copy_from_slice(&frame[4..60]);
        let intact = frame[60..] == checksum(&frame[..60]).to_le_bytes();
        Some(Request {
            kind,
            payload,
            intact,
        })
    }

    /// The next `n` bytes, once they are all there.
    pub(super) fn take(&mut self, n: usize) -> Option<Vec<u8>> {
        (self.bytes.len() >= n).then(|| self.bytes.drain(..n).collect())
    }

    /// Drop everything.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// A reply frame; `data` is padded with zeros to 24 bytes.
pub(super) fn reply(kind: u8, status: i32, data: &[u64]) -> Vec<u8> {
    let mut frame = vec![0xff, 0x55, 0xaa, kind];
    frame.extend(status.to_le_bytes());
    frame.extend(data.iter().take(3).flat_map(|w| w.to_le_bytes()));
    frame.resize(REPLY_LEN - 4, 0);
    let sum = checksum(&frame);
    frame.extend(sum.to_le_bytes());
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        digits
            .chunks(2)
            .map(|p| u8::from_str_radix(std::str::from_utf8(p).unwrap(), 16).unwrap())
            .collect()
    }

    fn padded(head: &str, len: usize, tail: &str) -> Vec<u8> {
        let mut bytes = hex(head);
        bytes.resize(len - 4, 0);
        bytes.extend(hex(tail));
        bytes
    }

    fn parse(bytes: &[u8]) -> Request {
        let mut r = Receiver::default();
        r.push(bytes);
        r.request().unwrap()
    }

    #[test]
    fn checksums_of_known_strings() {
        assert_eq!(checksum(b""), 0x7373_6542);
        assert_eq!(checksum(&[0]), 0x8f9f_edcc);
        assert_eq!(checksum(b"m1n1"), 0x946e_1585);
        assert_eq!(checksum(&[0; 4]), 0x895b_6b3a);
    }

    #[test]
    fn request_vectors() {
        let nop = parse(&padded("ff55aa00 01", 64, "f3d9031c"));
        assert_eq!((nop.kind, nop.word(0), nop.intact), (kind::NOP, 1, true));
        assert!(parse(&padded("ff55aa00", 64, "6839974b")).intact);
        assert!(parse(&padded("ff55aa01", 64, "2b196e2f")).intact);
        let whoami = parse(&padded("ff55aa01 0509", 64, "0173ff71"));
        assert_eq!((whoami.word(0), whoami.intact), (0x905, true));
        assert!(parse(&padded("ff55aa01 03", 64, "4079c31a")).intact);
        let read = parse(&padded(
            "ff55aa02 0000000000010000 1000000000000000",
            64,
            "e99978f7",
        ));
        assert_eq!(
            (read.word(0), read.word(1), read.intact),
            (0x100_0000_0000, 16, true)
        );
        let write = parse(&padded(
            "ff55aa03 0000000000010000 1000000000000000 ca10dc58",
            64,
            "c2a55f66",
        ));
        assert_eq!((write.word(2) as u32, write.intact), (0x58dc_10ca, true));
        assert!(!parse(&padded("ff55aa00 02", 64, "f3d9031c")).intact);
    }

    #[test]
    fn reply_vectors() {
        assert_eq!(
            reply(kind::NOP, 0, &[0]),
            padded("ff55aa00", 36, "404ab690")
        );
        assert_eq!(
            reply(kind::NOP, 0, &[1]),
            padded("ff55aa00 00000000 01", 36, "2b2bec34")
        );
        assert_eq!(
            reply(kind::BOOT, 0, &[]),
            padded("ff55aa04", 36, "dc929bf4")
        );
        assert_eq!(
            reply(kind::PROXY, 0, &[0, 0, 0]),
            padded("ff55aa01", 36, "636481a9")
        );
        assert_eq!(
            reply(kind::PROXY, 0, &[0x905, 0, 0]),
            padded("ff55aa01 00000000 0509", 36, "59d49793")
        );
        let unknown = reply(kind::PROXY, 0, &[0xffff, u64::MAX, 0]);
        assert_eq!(
            unknown,
            padded(
                "ff55aa01 00000000 ffff000000000000 ffffffffffffffff",
                36,
                "59d216d3"
            )
        );
        let data: Vec<u8> = (0..16).collect();
        assert_eq!(checksum(&data), 0x58dc_10ca);
        assert_eq!(
            reply(kind::MEMREAD, 0, &[0x58dc_10ca]),
            padded("ff55aa02 00000000 ca10dc58", 36, "384eecb1")
        );
        assert_eq!(
            reply(kind::MEMWRITE, 0, &[0x58dc_10ca]),
            padded("ff55aa03 00000000 ca10dc58", 36, "db18f74e")
        );
        assert_eq!(
            reply(kind::NOP, status::CHECKSUM, &[]),
            padded("ff55aa00 fcffffff", 36, "0fb7351f")
        );
    }

    #[test]
    fn frames_are_found_in_noise() {
        let mut r = Receiver::default();
        r.push(b"\xff\xff\x55\xff\x55noise");
        r.push(&padded("ff55aa00 01", 64, "f3d9031c")[..40]);
        assert_eq!(r.request(), None);
        r.push(&padded("ff55aa00 01", 64, "f3d9031c")[40..]);
        assert!(r.request().unwrap().intact);
        assert_eq!(r.request(), None);
    }
}
