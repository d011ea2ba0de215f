//! What the probe firmware and its host say to each other, and where they say it.
//!
//! One wire format serves every link: a [`frame`] is a COBS-framed, CRC-checked [postcard] encoding of a
//! [`Packet`] (firmware to host) or a [`Command`] (host to firmware). The frames travel through rings in
//! target memory, laid out by [`context`]; the firmware file itself starts with the header of [`image`].
//!
//! The crate knows nobody else in the workspace: not the registers, not the engine, not the host.
//!
//! [postcard]: https://docs.rs/postcard
#![cfg_attr(not(any(test, feature = "std")), no_std)]
#![forbid(unsafe_code)]

pub mod command;
pub mod context;
pub mod event;
pub mod frame;
pub mod image;
pub mod latency;
pub mod message;
pub mod ring;

pub use command::{Cell, Command, Hello as HelloRequest, LineId, Mask, Register};
pub use context::MAX_CPUS;
pub use message::{Message, Packet};

/// Version of commands, messages and shared-memory layout together. A host refuses a firmware of another one.
pub const PROTOCOL_VERSION: u16 = 3;

/// A hash over the definitions of everything that crosses the boundary (FNV-1a over the source text of the
/// wire modules): two builds that disagree about a field disagree about this number, even if somebody forgot to
/// raise [`PROTOCOL_VERSION`]. It is conservative: a changed comment changes it too.
pub const SCHEMA_HASH: u64 = {
    let mut h = 0xcbf2_9ce4_8422_2325;
    h = fnv1a(h, include_bytes!("command.rs"));
    h = fnv1a(h, include_bytes!("message.rs"));
    h = fnv1a(h, include_bytes!("context.rs"));
    h = fnv1a(h, include_bytes!("event.rs"));
    fnv1a(h, include_bytes!("latency.rs"))
};

const fn fnv1a(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        i += 1;
    }
    hash
}
