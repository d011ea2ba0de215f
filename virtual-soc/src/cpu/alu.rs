//! Arithmetic shared by the decoder and the execution loop. Flags are N, Z, C, V in bits 3:0.

/// `CONDITION[cond]` has bit `nzcv` set if the condition holds with those flags (C1.2.4).
pub(crate) const CONDITION: [u16; 16] = conditions();

const fn conditions() -> [u16; 16] {
    let mut table = [0u16; 16];
    let mut cond = 0;
    while cond < 16 {
        let mut f = 0u32;
        while f < 16 {
            let (n, z, c, v) = (f & 8 != 0, f & 4 != 0, f & 2 != 0, f & 1 != 0);
            let base = match cond >> 1 {
                0 => z,
                1 => c,
                2 => n,
                3 => v,
                4 => c && !z,
                5 => n == v,
                6 => n == v && !z,
                _ => true,
            };
            // The odd conditions are the inverse, but 15 is "always" like 14.
            if base != (cond & 1 == 1 && cond != 15) {
                table[cond] |= 1 << f;
            }
            f += 1;
        }
        cond += 1;
    }
    table
}

/// True if condition `cond` holds.
#[inline(always)]
pub(crate) fn holds(cond: u8, nzcv: u32) -> bool {
    CONDITION[cond as usize & 15] >> (nzcv & 15) & 1 != 0
}

#[inline(always)]
fn nz64(r: u64) -> u32 {
    ((r >> 63) as u32) << 3 | u32::from(r == 0) << 2
}

#[inline(always)]
fn nz32(r: u32) -> u32 {
    (r >> 31) << 3 | u32::from(r == 0) << 2
}

/// Flags are N, Z, C, V; a logical operation clears C and V.
#[inline(always)]
pub(crate) fn ands64(a: u64, b: u64) -> (u64, u32) {
    (a & b, nz64(a & b))
}

#[inline(always)]
pub(crate) fn ands32(a: u32, b: u32) -> (u32, u32) {
    (a & b, nz32(a & b))
}

#[inline(always)]
pub(crate) fn adds64(a: u64, b: u64) -> (u64, u32) {
    let (r, c) = a.overflowing_add(b);
    let v = ((a ^ r) & (b ^ r)) >> 63;
    (r, nz64(r) | u32::from(c) << 1 | v as u32)
}

#[inline(always)]
pub(crate) fn subs64(a: u64, b: u64) -> (u64, u32) {
    let r = a.wrapping_sub(b);
    let v = ((a ^ b) & (a ^ r)) >> 63;
    (r, nz64(r) | u32::from(a >= b) << 1 | v as u32)
}

#[inline(always)]
pub(crate) fn adds32(a: u32, b: u32) -> (u32, u32) {
    let (r, c) = a.overflowing_add(b);
    let v = ((a ^ r) & (b ^ r)) >> 31;
    (r, nz32(r) | u32::from(c) << 1 | v)
}

#[inline(always)]
pub(crate) fn subs32(a: u32, b: u32) -> (u32, u32) {
    let r = a.wrapping_sub(b);
    let v = ((a ^ b) & (a ^ r)) >> 31;
    (r, nz32(r) | u32::from(a >= b) << 1 | v)
}

/// a + b + carry.
#[inline(always)]
pub(crate) fn adcs64(a: u64, b: u64, carry: bool) -> (u64, u32) {
    let (t, c1) = a.overflowing_add(b);
    let (r, c2) = t.overflowing_add(u64::from(carry));
    let v = ((a ^ r) & (b ^ r)) >> 63;
    (r, nz64(r) | u32::from(c1 | c2) << 1 | v as u32)
}

#[inline(always)]
pub(crate) fn adcs32(a: u32, b: u32, carry: bool) -> (u32, u32) {
    let (t, c1) = a.overflowing_add(b);
    let (r, c2) = t.overflowing_add(u32::from(carry));
    let v = ((a ^ r) & (b ^ r)) >> 31;
    (r, nz32(r) | u32::from(c1 | c2) << 1 | v)
}

/// Shifted register operand: type in bits 7:6 of `sh`, amount in 5:0.
#[inline(always)]
pub(crate) fn shift64(v: u64, sh: u8) -> u64 {
    let n = u32::from(sh & 63);
    match sh >> 6 {
        0 => v << n,
        1 => v >> n,
        2 => ((v as i64) >> n) as u64,
        _ => v.rotate_right(n),
    }
}

/// 32-bit shifted register operand; the amount is below 32.
#[inline(always)]
pub(crate) fn shift32(v: u32, sh: u8) -> u32 {
    let n = u32::from(sh & 31);
    match sh >> 6 {
        0 => v << n,
        1 => v >> n,
        2 => ((v as i32) >> n) as u32,
        _ => v.rotate_right(n),
    }
}

/// Extended register operand: option in bits 6:4 of `sh`, left shift in 2:0.
#[inline(always)]
pub(crate) fn extend(v: u64, sh: u8) -> u64 {
    let e = match sh >> 4 {
        0 => u64::from(v as u8),
        1 => u64::from(v as u16),
        2 => u64::from(v as u32),
        4 => v as i8 as u64,
        5 => v as i16 as u64,
        6 => v as i32 as u64,
        _ => v,
    };
    e << (sh & 7)
}

/// The immediate of a logical instruction (DecodeBitMasks); `None` if reserved.
pub(crate) fn bit_mask(wide: bool, n: bool, imms: u32, immr: u32) -> Option<u64> {
    if n && !wide {
        return None;
    }
    let sizes = u32::from(n) << 6 | (!imms & 63);
    // The element's size is the highest set bit; one-bit elements do not exist.
    let len = sizes.checked_ilog2()?;
    if len == 0 {
        return None;
    }
    let size = 1 << len;
    let levels = size - 1;
    let (s, r) = (imms & levels, immr & levels);
    if s == levels {
        return None;
    }
    let ones = (1u64 << (s + 1)) - 1;
    let element_mask = u64::MAX >> (64 - size);
    let element = if r == 0 {
        ones
    } else {
        (ones >> r | ones << (size - r)) & element_mask
    };
    let mut value = element;
    let mut width = size;
    while width < 64 {
        value |= value << width;
        width *= 2;
    }
    Some(if wide { value } else { value & 0xffff_ffff })
}

/// CRC-32 of `bytes` low bytes of `data` with a reflected polynomial.
pub(crate) fn crc(poly: u32, acc: u32, data: u64, bytes: u8) -> u32 {
    let mut crc = acc;
    for i in 0..bytes {
        crc ^= u32::from((data >> (8 * i)) as u8);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (poly & (crc & 1).wrapping_neg());
        }
    }
    crc
}

/// Polynomial of CRC32 (0x04C11DB7 reflected).
pub(crate) const CRC32: u32 = 0xedb8_8320;
/// Polynomial of CRC32C (0x1EDC6F41 reflected).
pub(crate) const CRC32C: u32 = 0x82f6_3b78;

/// Number of bits after the first that equal it.
#[inline(always)]
pub(crate) fn cls64(v: u64) -> u32 {
    // Bit i of the XOR is set where bit i differs from bit i + 1; the top bit of the XOR is always clear.
    (v ^ ((v as i64) >> 1) as u64).leading_zeros() - 1
}

/// See [`cls64`].
#[inline(always)]
pub(crate) fn cls32(v: u32) -> u32 {
    (v ^ ((v as i32) >> 1) as u32).leading_zeros() - 1
}

/// SDIV: a division by zero gives 0, the overflow gives the dividend.
#[inline(always)]
pub(crate) fn sdiv64(a: u64, b: u64) -> u64 {
    if b == 0 {
        0
    } else {
        (a as i64).wrapping_div(b as i64) as u64
    }
}

/// See [`sdiv64`].
#[inline(always)]
pub(crate) fn sdiv32(a: u32, b: u32) -> u32 {
    if b == 0 {
        0
    } else {
        (a as i32).wrapping_div(b as i32) as u32
    }
}

#[inline(always)]
pub(crate) fn smull(a: u64, b: u64) -> u64 {
    (i64::from(a as i32) * i64::from(b as i32)) as u64
}

#[inline(always)]
pub(crate) fn umull(a: u64, b: u64) -> u64 {
    u64::from(a as u32) * u64::from(b as u32)
}

/// The 64 bits from bit `lsb` of a:b.
#[inline(always)]
pub(crate) fn extr64(a: u64, b: u64, lsb: u8) -> u64 {
    ((u128::from(a) << 64 | u128::from(b)) >> (lsb & 63)) as u64
}

/// The 32 bits from bit `lsb` of a:b.
#[inline(always)]
pub(crate) fn extr32(a: u32, b: u32, lsb: u8) -> u32 {
    ((u64::from(a) << 32 | u64::from(b)) >> (lsb & 31)) as u32
}

/// Bytes swapped in each halfword.
#[inline(always)]
pub(crate) fn rev16(v: u64) -> u64 {
    const LOW: u64 = 0x00ff_00ff_00ff_00ff;
    (v & LOW) << 8 | v >> 8 & LOW
}

/// High half of the signed product.
#[inline(always)]
pub(crate) fn smulh(a: u64, b: u64) -> u64 {
    ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64
}

/// High half of the unsigned product.
#[inline(always)]
pub(crate) fn umulh(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// Sign extensions of loads: byte or halfword to 32 or 64 bits, word to 64 bits.
#[inline(always)]
pub(crate) fn sxb32(v: u8) -> u64 {
    u64::from(v as i8 as u32)
}

#[inline(always)]
pub(crate) fn sxb64(v: u8) -> u64 {
    v as i8 as u64
}

#[inline(always)]
pub(crate) fn sxh32(v: u16) -> u64 {
    u64::from(v as i16 as u32)
}

#[inline(always)]
pub(crate) fn sxh64(v: u16) -> u64 {
    v as i16 as u64
}

#[inline(always)]
pub(crate) fn sxw(v: u32) -> u64 {
    v as i32 as u64
}
