//! Requests and replies as bytes.

use super::checksum;

/// First three bytes of every frame.
pub const PREFIX: [u8; 3] = [0xff, 0x55, 0xaa];
/// Bytes of a request.
pub const REQUEST: usize = 64;
/// Bytes of a reply.
pub const REPLY: usize = 36;
/// NOP feature bit: data goes without checksums, where the loader grants it (USB does, UARTs do not).
pub const FEATURE_NO_DATA_CHECKSUMS: u64 = 1;
/// Stands in the data checksum field when there is none.
pub const NO_CHECKSUM: u32 = 0xd0de_cade;
/// Follows data that goes without checksum.
pub const SENTINEL: [u8; 4] = 0xb0ca_cc10_u32.to_le_bytes();
/// Longest EVENT data that is believed; the two known kinds have 8 and 32 bytes.
pub const MAX_EVENT: usize = 1024;

/// Kind of a frame: the fourth byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Nothing but the features; both ways.
    Nop = 0,
    /// An operation; both ways.
    Proxy = 1,
    /// Memory from the target.
    MemRead = 2,
    /// Memory to the target.
    MemWrite = 3,
    /// The target (re)started or took an exception; from the target only.
    Boot = 4,
    /// A trace event; from the target only.
    Event = 5,
}

impl Kind {
    /// The kind behind a byte.
    #[must_use]
    pub const fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            0 => Self::Nop,
            1 => Self::Proxy,
            2 => Self::MemRead,
            3 => Self::MemWrite,
            4 => Self::Boot,
            5 => Self::Event,
            _ => return None,
        })
    }
}

/// A request frame with `payload` (at most 56 bytes, zero padded).
#[must_use]
pub fn request(kind: Kind, payload: &[u8]) -> [u8; REQUEST] {
    let mut frame = [0; REQUEST];
    frame[..3].copy_from_slice(&PREFIX);
    frame[3] = kind as u8;
    frame[4..4 + payload.len()].copy_from_slice(payload);
    let sum = checksum(&frame[..REQUEST - 4]);
    frame[REQUEST - 4..].copy_from_slice(&sum.to_le_bytes());
    frame
}

/// Payload made of 64-bit words.
#[must_use]
pub fn words<const N: usize>(words: [u64; N]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// A reply whose checksum was right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Kind of the request it answers, or [`Kind::Boot`].
    pub kind: Kind,
    /// Status word; 0 is success.
    pub status: i32,
    /// The 24 bytes behind it.
    pub data: [u8; 24],
}

impl Reply {
    /// Takes a whole frame; `None` if prefix, kind or checksum are wrong.
    #[must_use]
    pub fn parse(frame: &[u8; REPLY]) -> Option<Self> {
        let kind = Kind::from_byte(frame[3]).filter(|k| *k != Kind::Event)?;
        let sum = checksum(&frame[..REPLY - 4]).to_le_bytes();
        if frame[..3] != PREFIX || frame[REPLY - 4..] != sum {
            return None;
        }
        let mut data = [0; 24];
        data.copy_from_slice(&frame[8..32]);
        Some(Self {
            kind,
            status: u32_at(frame, 4).cast_signed(),
            data,
        })
    }

    /// 64-bit word `i` of the data.
    #[must_use]
    pub fn word(&self, i: usize) -> u64 {
        u64::from(u32_at(&self.data, i * 8)) | u64::from(u32_at(&self.data, i * 8 + 4)) << 32
    }

    /// 32-bit word `i` of the data: 0 is the data checksum of a memory transfer or the reason of a BOOT frame.
    #[must_use]
    pub fn half(&self, i: usize) -> u32 {
        u32_at(&self.data, i * 4)
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}
