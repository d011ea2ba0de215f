//! Takes the target's byte stream apart: frames, raw data announced by a frame, and console text between them.

use super::checksum;
use super::frame::{Kind, MAX_EVENT, NO_CHECKSUM, PREFIX, REPLY, Reply};

/// Console text that is kept until somebody takes it, in bytes; older text goes first.
const CONSOLE_KEPT: usize = 64 * 1024;

/// A frame that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A reply or a BOOT frame.
    Reply(Reply),
    /// An EVENT frame.
    Event {
        /// What it reports.
        kind: u16,
        /// Its data.
        data: Vec<u8>,
    },
    /// Bytes that began like a frame and are none.
    Damaged,
}

/// Buffer and state of the receiving side.
#[derive(Default)]
pub struct Receiver {
    bytes: Vec<u8>,
    start: usize,
    console: Vec<u8>,
}

impl Receiver {
    /// Adds bytes as they came from the link.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start == self.bytes.len() {
            self.bytes.clear();
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Bytes received and not taken yet.
    pub fn available(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// Takes up to `out.len()` bytes as they are, without looking for frames in them.
    pub fn take_raw(&mut self, out: &mut [u8]) -> usize {
        let n = out.len().min(self.available());
        out[..n].copy_from_slice(&self.bytes[self.start..self.start + n]);
        self.start += n;
        n
    }

    /// The next frame, if one is complete. Text before it goes to the console.
    pub fn next(&mut self) -> Option<Item> {
        loop {
            let pending = &self.bytes[self.start..];
            let text = pending
                .iter()
                .position(|b| *b == PREFIX[0])
                .unwrap_or(pending.len());
            self.console_text(text);
            let pending = &self.bytes[self.start..];
            if pending.is_empty() {
                return None;
            }
            let n = pending.len().min(PREFIX.len());
            if pending[..n] != PREFIX[..n] {
                self.console_text(1);
                continue;
            }
            let kind = match pending.get(3) {
                None => return None,
                Some(byte) => Kind::from_byte(*byte),
            };
            match kind {
                None => self.console_text(1),
                Some(Kind::Event) => return self.event(),
                Some(_) => return self.reply(),
            }
        }
    }

    fn reply(&mut self) -> Option<Item> {
        let frame = self.bytes[self.start..].first_chunk::<REPLY>()?;
        let Some(reply) = Reply::parse(frame) else {
            // The rest may hold the frame that was meant; up to there it is no text either.
            let next = frame[1..].iter().position(|b| *b == PREFIX[0]);
            self.start += next.map_or(REPLY, |n| n + 1);
            return Some(Item::Damaged);
        };
        self.start += REPLY;
        Some(Item::Reply(reply))
    }

    fn event(&mut self) -> Option<Item> {
        let pending = &self.bytes[self.start..];
        let head = pending.first_chunk::<8>()?;
        let len = usize::from(u16::from_le_bytes([head[4], head[5]]));
        if len > MAX_EVENT {
            self.start += 1;
            return Some(Item::Damaged);
        }
        let sum = pending.get(8 + len..12 + len)?;
        let right = checksum(&pending[..8 + len]).to_le_bytes();
        if sum != right && sum != NO_CHECKSUM.to_le_bytes() {
            self.start += 1;
            return Some(Item::Damaged);
        }
        let item = Item::Event {
            kind: u16::from_le_bytes([head[6], head[7]]),
            data: pending[8..8 + len].to_vec(),
        };
        self.start += 12 + len;
        Some(item)
    }

    /// Nothing more will come for what looks like the start of a frame: gives up its first byte.
    /// `false` if nothing was pending.
    ///
    /// Two returns rather than one flag that is added and returned: rustc 1.95 drops the comparison behind such a flag
    /// where this is inlined with optimisation, and then nothing is ever given up (rust-lang/rust#158206).
    pub fn give_up(&mut self) -> bool {
        if self.available() == 0 {
            return false;
        }
        self.start += 1;
        true
    }

    /// Drops everything received.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.start = 0;
    }

    /// Console text since the last call.
    pub fn take_console(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.console)
    }

    fn console_text(&mut self, n: usize) {
        self.console
            .extend_from_slice(&self.bytes[self.start..self.start + n]);
        self.start += n;
        if self.console.len() > CONSOLE_KEPT {
            self.console.drain(..self.console.len() - CONSOLE_KEPT);
        }
    }
}
