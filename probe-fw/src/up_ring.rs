//! Packets from a CPU to the host.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use protocol::context::UP_RING_SIZE;
use protocol::frame::{self, MAX_FRAME};
use protocol::{Message, ring};

use crate::block::Block;

/// Room in `cpu`'s up ring, in bytes.
#[must_use]
pub fn room(block: Block<'_>, cpu: usize) -> u64 {
    let words = block.words(cpu);
    ring::room(
        words.up_head.load(Relaxed),
        words.up_tail.load(Acquire),
        UP_RING_SIZE,
    )
}

/// Puts `message` into the ring of `cpu`, which must be the CPU that calls. Without room it is counted as dropped:
/// the firmware never waits for the host.
pub fn push(block: Block<'_>, cpu: usize, message: &Message) {
    let private = block.private(cpu);
    let packets = private.packets.load(Relaxed);
    let dropped = private.dropped.load(Relaxed);
    let mut bytes = [0; MAX_FRAME];
    let encoded = frame::encode_packet(packets as u32, dropped as u32, message, &mut bytes);
    match encoded {
        Ok(n) if n as u64 <= room(block, cpu) => {
            copy(block, cpu, &bytes[..n]);
            private.packets.store(packets + 1, Relaxed);
        }
        _ => private.dropped.store(dropped + 1, Relaxed),
    }
}

fn copy(block: Block<'_>, cpu: usize, bytes: &[u8]) {
    let words = block.words(cpu);
    let head = words.up_head.load(Relaxed);
    let mut from = 0;
    for (offset, len) in ring::pieces(head, bytes.len() as u64, UP_RING_SIZE) {
        let len = len as usize;
        // SAFETY: `pieces` keeps inside the ring; this CPU is the ring's only writer, and the host reads only
        // below `up_head`, which is moved after the copy.
        unsafe {
            block
                .up_ring(cpu)
                .add(offset as usize)
                .copy_from_nonoverlapping(core::ptr::NonNull::from(&bytes[from..]).cast(), len);
        }
        from += len;
    }
    words.up_head.store(head + bytes.len() as u64, Release);
}
