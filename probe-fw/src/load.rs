//! Waiting under load: a CPU that works on something between two looks at its word.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed};

use protocol::command::Load;

use crate::block::Block;
use crate::platform::Platform;

/// Steps of a piece of work: a microsecond or less on any known core.
const STEPS: u64 = 64;
/// Distance of two steps in memory, in bytes: a cache line of these CPUs (128, third party).
const STRIDE: u64 = 128;

/// The word of [`crate::state::Private::load`] for a load.
#[must_use]
pub const fn word(load: Load) -> u64 {
    match load {
        Load::Idle => 0,
        Load::Spin => 1,
        Load::Memory => 2,
    }
}

/// [`Platform::wait`], under the load of this CPU.
pub fn wait<P: Platform>(
    block: Block<'_>,
    platform: &P,
    cpu: usize,
    watched: &AtomicU64,
    old: u64,
    until: u64,
) -> u64 {
    let private = block.private(cpu);
    let load = private.load.load(Relaxed);
    if load == 0 {
        return platform.wait(watched, old, until);
    }
    loop {
        let value = watched.load(Acquire);
        if value != old || platform.now() >= until {
            return value;
        }
        let from = private.hammered.load(Relaxed);
        match block.hammer(cpu) {
            Some(words) if load == word(Load::Memory) => {
                let next = (0..STEPS).fold(from, |at, _| {
                    words.touch(at);
                    let at = at + STRIDE;
                    if at < words.len() { at } else { 0 }
                });
                private.hammered.store(next, Relaxed);
            }
            _ => {
                let mixed = (0..STEPS).fold(from, |x, _| {
                    core::hint::black_box(x.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ x >> 29)
                });
                private.hammered.store(mixed & 0xfff, Relaxed);
            }
        }
    }
}
