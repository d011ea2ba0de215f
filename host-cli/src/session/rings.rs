//! The rings in target memory: commands down, packets up.

use std::collections::VecDeque;
use std::mem::offset_of;

use protocol::context::{Control, CpuBlock, DOWN_RING, DOWN_RING_SIZE, UP_RING, UP_RING_SIZE, cpu};
use protocol::frame::{Decoder, MAX_FRAME, encode};
use protocol::{Command, Packet, ring};

use crate::error::Error;
use crate::proxy::Proxy;

use super::SessionError;

/// Commands on their way to the firmware.
#[derive(Default)]
pub struct DownRing {
    waiting: VecDeque<Vec<u8>>,
    /// Bytes ever written.
    head: u64,
    /// Bytes that the firmware has consumed, as it said last.
    tail: u64,
}

impl DownRing {
    /// Puts a command in line.
    ///
    /// # Errors
    /// [`Error::Internal`] if it is longer than any command.
    pub fn push(&mut self, command: &Command) -> Result<(), Error> {
        let mut frame = [0; MAX_FRAME];
        let n = encode(command, &mut frame).map_err(|e| Error::Internal(e.to_string()))?;
        self.waiting.push_back(frame[..n].to_vec());
        Ok(())
    }

    /// Takes back what the firmware has not been given yet.
    pub fn forget_waiting(&mut self) {
        self.waiting.clear();
    }

    /// Notes how far the firmware came; whether that is farther than before.
    ///
    /// # Errors
    /// [`SessionError::Ring`] if it cannot be there.
    pub fn consumed_to(&mut self, tail: u64) -> Result<bool, SessionError> {
        let ahead = ring::filled(self.head, tail, DOWN_RING_SIZE);
        if tail < self.tail || ahead.is_none() {
            let head = self.head;
            return Err(SessionError::Ring { cpu: 0, head, tail });
        }
        let moved = tail != self.tail;
        self.tail = tail;
        Ok(moved)
    }

    /// Writes as many waiting frames as there is room for. Only between slices.
    ///
    /// # Errors
    /// Errors of the link.
    pub fn feed(&mut self, proxy: &mut Proxy<'_>, context: u64) -> Result<(), Error> {
        let mut bytes: Vec<u8> = Vec::new();
        while let Some(frame) = self.waiting.front()
            && (bytes.len() + frame.len()) as u64
                <= ring::room(self.head, self.tail, DOWN_RING_SIZE)
        {
            bytes.extend(frame);
            self.waiting.pop_front();
        }
        if bytes.is_empty() {
            return Ok(());
        }
        let mut rest = &bytes[..];
        for (offset, len) in ring::pieces(self.head, bytes.len() as u64, DOWN_RING_SIZE) {
            let (piece, after) = rest.split_at(len as usize);
            rest = after;
            if !piece.is_empty() {
                proxy.write_memory(context + DOWN_RING + offset, piece)?;
            }
        }
        self.head += bytes.len() as u64;
        let word = context + offset_of!(Control, down_head) as u64;
        proxy.write64(word, self.head)?;
        Ok(())
    }
}

/// Packets of one CPU.
pub struct UpRing {
    cpu: u8,
    /// Bytes taken.
    tail: u64,
    /// Packets that came.
    seen: u32,
    dropped: u32,
    ended: bool,
    decoder: Decoder,
}

impl UpRing {
    /// The stream of logical CPU `cpu`, from its start.
    pub const fn new(cpu: u8) -> Self {
        Self {
            cpu,
            tail: 0,
            seen: 0,
            dropped: 0,
            ended: false,
            decoder: Decoder::new(),
        }
    }

    /// Logical id of its CPU.
    pub const fn cpu(&self) -> u8 {
        self.cpu
    }

    /// Whether END has come.
    pub const fn ended(&self) -> bool {
        self.ended
    }

    /// Takes everything below `head` and decodes it into `out`.
    ///
    /// # Errors
    /// [`SessionError`] if the stream is damaged; errors of the link.
    pub fn drain(
        &mut self,
        proxy: &mut Proxy<'_>,
        context: u64,
        head: u64,
        out: &mut Vec<(u8, protocol::Message)>,
    ) -> Result<(), Error> {
        let (cpu_id, tail) = (self.cpu, self.tail);
        let filled = ring::filled(head, tail, UP_RING_SIZE).ok_or(SessionError::Ring {
            cpu: cpu_id,
            head,
            tail,
        })?;
        if filled == 0 {
            return Ok(());
        }
        let base = context + cpu(usize::from(self.cpu));
        let mut bytes = vec![0; filled as usize];
        let mut rest = &mut bytes[..];
        for (offset, len) in ring::pieces(tail, filled, UP_RING_SIZE) {
            let (piece, after) = rest.split_at_mut(len as usize);
            rest = after;
            if !piece.is_empty() {
                proxy.read_memory(base + UP_RING + offset, piece)?;
            }
        }
        self.tail = head;
        proxy.write64(base + offset_of!(CpuBlock, up_tail) as u64, head)?;
        for byte in bytes {
            if let Some(packet) = self.decoder.push::<Packet>(byte) {
                let packet = packet.map_err(|why| SessionError::Frame { cpu: cpu_id, why })?;
                out.push((cpu_id, self.accept(packet)?));
            }
        }
        Ok(())
    }

    /// Checks a packet's place in the stream.
    fn accept(&mut self, packet: Packet) -> Result<protocol::Message, SessionError> {
        let (cpu, expected) = (self.cpu, self.seen);
        if packet.seq != expected {
            let found = packet.seq;
            return Err(SessionError::Gap {
                cpu,
                expected,
                found,
            });
        }
        if self.ended {
            return Err(SessionError::Unexpected(format!(
                "a packet of CPU {cpu} after its END"
            )));
        }
        self.seen += 1;
        self.dropped = packet.dropped;
        if let protocol::Message::End { packets, dropped } = packet.message {
            self.ended = true;
            self.dropped = dropped;
            if packets != self.seen {
                return Err(SessionError::Totals {
                    cpu,
                    said: packets,
                    seen: self.seen,
                });
            }
        }
        Ok(packet.message)
    }

    /// Packets that had no room so far.
    pub const fn dropped(&self) -> u32 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Message;

    fn packet(seq: u32, message: Message) -> Packet {
        Packet {
            seq,
            dropped: 0,
            message,
        }
    }

    const NOTHING: Message = Message::BadCommand { at: 0 };

    #[test]
    fn gaps_and_wrong_totals_are_told() {
        let mut up = UpRing::new(3);
        assert_eq!(up.accept(packet(0, NOTHING)), Ok(NOTHING));
        let gap = SessionError::Gap {
            cpu: 3,
            expected: 1,
            found: 2,
        };
        assert_eq!(up.accept(packet(2, NOTHING)), Err(gap));

        let mut up = UpRing::new(3);
        let end = Message::End {
            packets: 2,
            dropped: 0,
        };
        let totals = SessionError::Totals {
            cpu: 3,
            said: 2,
            seen: 1,
        };
        assert_eq!(up.accept(packet(0, end)), Err(totals));

        let mut up = UpRing::new(3);
        let end = Message::End {
            packets: 1,
            dropped: 5,
        };
        assert!(up.accept(packet(0, end)).is_ok());
        assert!(up.ended() && up.dropped() == 5);
        assert!(up.accept(packet(1, NOTHING)).is_err());
    }

    #[test]
    fn the_firmware_cannot_be_ahead_or_go_back() {
        let mut down = DownRing {
            head: 100,
            ..DownRing::default()
        };
        assert_eq!(down.consumed_to(60), Ok(true));
        assert_eq!(down.consumed_to(60), Ok(false));
        assert!(down.consumed_to(59).is_err());
        assert!(down.consumed_to(101).is_err());
    }
}
