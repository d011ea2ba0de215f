//! Source of `guest.bin`: ordinary compiled code of the kind that firmware runs. Not part of the host build.
//!
//! ```text
//! rustc --edition 2024 --target aarch64-unknown-none-softfloat -C opt-level=3 -C panic=abort -C relocation-model=static \
//!       -C linker=rust-lld -C link-arg=-Tguest.ld -C link-arg=--oformat=binary -o guest.bin guest.rs
//! ```
#![no_std]
#![no_main]

use core::hint::black_box;

/// Numbers to messages, messages to frames, frames to a checksum, for ever. `buf` is 4 KiB of scratch memory.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.start")]
pub extern "C" fn start(buf: &mut [u8; 4096]) -> ! {
    let mut seed = 1u64;
    loop {
        let (message, frame) = buf.split_at_mut(1024);
        let mut histogram = [0u32; 32];
        let mut len = 0;
        while len < 960 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let value = seed >> (seed >> 59);
            histogram[(64 - value.leading_zeros() as usize) / 3] += 1;
            len += varint(value, &mut message[len..]);
        }
        sort(&mut histogram);
        for count in histogram {
            len += varint(u64::from(count), &mut message[len..]);
        }
        let n = cobs(&message[..len], frame);
        black_box(crc(&frame[..n]));
    }
}

#[inline(never)]
fn varint(mut v: u64, out: &mut [u8]) -> usize {
    let mut n = 0;
    loop {
        let Some(byte) = out.get_mut(n) else { return n };
        n += 1;
        if v < 0x80 {
            *byte = v as u8;
            return n;
        }
        *byte = v as u8 | 0x80;
        v >>= 7;
    }
}

#[inline(never)]
fn sort(v: &mut [u32]) {
    for i in 1..v.len() {
        let mut j = i;
        while j > 0 && v[j - 1] > v[j] {
            v.swap(j - 1, j);
            j -= 1;
        }
    }
}

#[inline(never)]
fn cobs(src: &[u8], dst: &mut [u8]) -> usize {
    let (mut code_at, mut n, mut code) = (0, 1, 1u8);
    for &b in src {
        if b != 0 {
            dst[n] = b;
            n += 1;
            code += 1;
        }
        if b == 0 || code == 0xff {
            dst[code_at] = code;
            code_at = n;
            n += 1;
            code = 1;
        }
    }
    dst[code_at] = code;
    n
}

#[inline(never)]
fn crc(data: &[u8]) -> u32 {
    let mut crc = !0u32;
    for &b in data {
        crc ^= u32::from(b);
        for _ in 0..8 {
            crc = crc >> 1 ^ 0xedb8_8320 & (crc & 1).wrapping_neg();
        }
    }
    !crc
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
