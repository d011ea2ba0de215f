//! defmt, one encoder and one buffer a CPU, into the CPU's own ring.

use core::arch::asm;
use core::cell::UnsafeCell;

use heapless::Vec;
use probe_fw::up_ring;
use protocol::Message;
use protocol::message::LOG_BYTES;

use super::cpu::{self, Cpu};

/// The frame that is being written on a CPU.
pub struct LogBuffer(UnsafeCell<Frame>);

struct Frame {
    encoder: defmt::Encoder,
    bytes: Vec<u8, LOG_BYTES>,
    daif: u64,
    cut: bool,
}

impl LogBuffer {
    pub const fn new() -> Self {
        Self(UnsafeCell::new(Frame {
            encoder: defmt::Encoder::new(),
            bytes: Vec::new(),
            daif: 0,
            cut: false,
        }))
    }
}

// No `defmt::timestamp!`: it keeps a pointer in the message table, which a position-independent link turns into a
// relocation of the image. The order within a ring is what the host needs.

#[defmt::global_logger]
struct Logger;

fn this_cpu() -> &'static Cpu {
    // SAFETY: log statements come after `Cpu::set_up` only.
    unsafe { &*Cpu::pointer(cpu::private_pointer()) }
}

/// The frame of this CPU.
///
/// # Safety
///
/// Between `acquire` and `release` only: IRQ and FIQ are masked there, so this CPU has no second user, and no other
/// CPU looks at it.
unsafe fn frame() -> &'static mut Frame {
    // SAFETY: the caller keeps to the one user.
    unsafe { &mut *this_cpu().log.0.get() }
}

fn append(frame: &mut Vec<u8, LOG_BYTES>, cut: &mut bool, bytes: &[u8]) {
    *cut |= frame.extend_from_slice(bytes).is_err();
}

// SAFETY: acquire to release is not re-entered: it runs with IRQ and FIQ masked, and the frame is this CPU's own.
unsafe impl defmt::Logger for Logger {
    fn acquire() {
        let daif: u64;
        // SAFETY: masks IRQ and FIQ until `release`.
        unsafe {
            asm!("mrs {}, daif", "msr daifset, #3", out(reg) daif, options(nostack, preserves_flags));
        }
        // SAFETY: this is acquire.
        let frame = unsafe { frame() };
        frame.daif = daif;
        frame.cut = false;
        frame.bytes.clear();
        let Frame {
            encoder,
            bytes,
            cut,
            ..
        } = frame;
        encoder.start_frame(|b| append(bytes, cut, b));
    }

    unsafe fn flush() {}

    unsafe fn release() {
        // SAFETY: called between acquire and its end.
        let frame = unsafe { frame() };
        let Frame {
            encoder,
            bytes,
            cut,
            ..
        } = frame;
        encoder.end_frame(|b| append(bytes, cut, b));
        // A frame that did not fit cannot be decoded: better none.
        if !frame.cut {
            let cpu = this_cpu();
            up_ring::push(cpu.block, cpu.id, &Message::Log(frame.bytes.clone()));
        }
        let daif = frame.daif;
        // SAFETY: as it was before `acquire`.
        unsafe { asm!("msr daif, {}", in(reg) daif, options(nostack, preserves_flags)) };
    }

    unsafe fn write(bytes: &[u8]) {
        // SAFETY: called between acquire and release.
        let frame = unsafe { frame() };
        let Frame {
            encoder,
            bytes: buffer,
            cut,
            ..
        } = frame;
        encoder.write(bytes, |b| append(buffer, cut, b));
    }
}
