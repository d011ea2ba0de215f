//! The execution loop: straight-line code, branches, and memory accesses that hit a TLB.
//!
//! It never takes an exception and never talks to anything but RAM. What it cannot do it leaves, untouched, to the slow
//! path: the loop ends with pc at that instruction.

mod data;
mod exit;

use super::alu::*;
use super::code::{CodePage, PAGE_OFFSET};
use super::core::Core;
use super::insn::Op;
use super::monitor::GRANULE_BITS;
use crate::mem::Ram;
use data::*;
pub(crate) use exit::Exit;

/// Executes up to `left` instructions; returns why it ended and what is left of the budget.
#[allow(clippy::cognitive_complexity)]
pub(crate) fn run(core: &mut Core, ram: &mut Ram, mut left: u32) -> (Exit, u32) {
    if core.epoch != ram.epoch {
        core.flush_tlbs();
        core.epoch = ram.epoch;
    }
    let Ram {
        data,
        code,
        monitors,
        ..
    } = ram;
    let data: &mut [u8] = data;
    let mut pc = core.pc;
    let mut nzcv = core.nzcv;

    let exit = 'page: loop {
        let Some(slot) = core.codes.lookup(pc) else {
            break Exit::Fetch;
        };
        let page: &CodePage = &code.pages[slot as usize];
        let base_va = pc & !PAGE_OFFSET;
        let mut idx = (pc & PAGE_OFFSET) as usize >> 2;
        loop {
            // Past the page's end (or before its start, wrapped): find the page that pc is in now.
            let Some(insn) = page.get(idx) else {
                pc = base_va.wrapping_add((idx as u64) << 2);
                continue 'page;
            };
            if left == 0 {
                pc = base_va | (idx as u64) << 2;
                break 'page Exit::Budget;
            }

            macro_rules! here {
                () => {
                    base_va | (idx as u64) << 2
                };
            }
            macro_rules! slow {
                () => {{
                    pc = here!();
                    break 'page Exit::Slow(*insn);
                }};
            }
            macro_rules! x {
                ($r:ident) => {
                    core.regs[insn.$r as usize]
                };
            }
            macro_rules! w {
                ($r:ident) => {
                    core.regs[insn.$r as usize] as u32
                };
            }
            macro_rules! set {
                ($v:expr) => {{
                    let v = $v;
                    core.regs[insn.rd as usize] = v;
                }};
            }
            // Data processing, without and with flags.
            macro_rules! dp {
                ($shape:ident, $f:expr) => {
                    $shape(insn, &mut core.regs, $f)
                };
            }
            macro_rules! dpf {
                ($shape:ident, $f:expr) => {
                    $shape(insn, &mut core.regs, &mut nzcv, $f)
                };
            }
            macro_rules! choose {
                ($shape:ident, $f:expr) => {{
                    let first = holds(insn.sh, nzcv);
                    dp!($shape, |a, b| if first { a } else { $f(b) });
                }};
            }
            macro_rules! compare {
                ($compare:expr) => {
                    nzcv = if holds(insn.sh, nzcv) {
                        $compare.1
                    } else {
                        u32::from(insn.am)
                    }
                };
            }
            macro_rules! jump {
                () => {{
                    left -= 1;
                    idx = idx.wrapping_add(insn.imm as usize);
                    continue;
                }};
            }
            macro_rules! jump_to {
                ($target:expr) => {{
                    let target: u64 = $target;
                    left -= 1;
                    // Within this page (and aligned): no look-up.
                    let rel = target.wrapping_sub(base_va);
                    if rel & (!PAGE_OFFSET | 3) == 0 {
                        idx = (rel >> 2) as usize;
                        continue;
                    }
                    pc = target;
                    continue 'page;
                }};
            }
            // RAM offset of a read of `$size` bytes at `$va`.
            macro_rules! read_at {
                ($va:expr, $size:expr) => {{
                    let va: u64 = $va;
                    match core.reads.aligned(va, $size) {
                        Some(off) => off as usize,
                        None => match core.reads.unaligned(va, $size) {
                            Some(off) => off as usize,
                            None => slow!(),
                        },
                    }
                }};
            }
            macro_rules! write_at {
                ($va:expr, $size:expr) => {{
                    let va: u64 = $va;
                    let off = match core.writes.aligned(va, $size) {
                        Some(off) => off,
                        None => match core.writes.unaligned(va, $size) {
                            Some(off) => off,
                            None => slow!(),
                        },
                    };
                    // An unaligned store may end in the next granule.
                    let first = monitors.filter >> (off >> GRANULE_BITS & 63);
                    let last = monitors.filter >> ((off + ($size - 1)) >> GRANULE_BITS & 63);
                    if (first | last) & 1 != 0 {
                        slow!();
                    }
                    off as usize
                }};
            }
            macro_rules! get {
                ($off:expr, $t:ty) => {{
                    let off: usize = $off;
                    match data
                        .get(off..off.wrapping_add(size_of::<$t>()))
                        .and_then(|b| b.first_chunk())
                    {
                        Some(b) => <$t>::from_le_bytes(*b),
                        None => slow!(),
                    }
                }};
            }
            macro_rules! put {
                ($off:expr, $v:expr, $t:ty) => {{
                    let off: usize = $off;
                    match data
                        .get_mut(off..off.wrapping_add(size_of::<$t>()))
                        .and_then(|b| b.first_chunk_mut())
                    {
                        Some(b) => *b = ($v as $t).to_le_bytes(),
                        None => slow!(),
                    }
                }};
            }
            // The base register of a load or store, or the slow path if SP is misaligned.
            macro_rules! base {
                () => {{
                    let b = x!(rn);
                    if b & u64::from(insn.am) != 0 {
                        slow!();
                    }
                    b
                }};
            }
            macro_rules! writeback {
                ($b:expr) => {
                    core.regs[insn.rn as usize] = $b.wrapping_add(insn.aux as u64)
                };
            }
            macro_rules! load_imm {
                ($t:ty, $conv:expr) => {{
                    let v = get!(
                        read_at!(
                            base!().wrapping_add(insn.imm as u64),
                            size_of::<$t>() as u64
                        ),
                        $t
                    );
                    set!($conv(v));
                }};
            }
            macro_rules! load_idx {
                ($t:ty, $conv:expr) => {{
                    let b = base!();
                    let v = get!(
                        read_at!(b.wrapping_add(insn.imm as u64), size_of::<$t>() as u64),
                        $t
                    );
                    writeback!(b);
                    set!($conv(v));
                }};
            }
            macro_rules! index {
                () => {{
                    if insn.sh & 0x10 != 0 {
                        x!(rm) << (insn.sh & 7)
                    } else {
                        extend(x!(rm), insn.sh)
                    }
                }};
            }
            macro_rules! load_reg {
                ($t:ty, $conv:expr) => {{
                    let v = get!(
                        read_at!(base!().wrapping_add(index!()), size_of::<$t>() as u64),
                        $t
                    );
                    set!($conv(v));
                }};
            }
            macro_rules! load_literal {
                ($t:ty, $conv:expr) => {{
                    let va = here!().wrapping_add(insn.imm as u64);
                    set!($conv(get!(read_at!(va, size_of::<$t>() as u64), $t)));
                }};
            }
            macro_rules! store_imm {
                ($t:ty) => {{
                    let off = write_at!(
                        base!().wrapping_add(insn.imm as u64),
                        size_of::<$t>() as u64
                    );
                    put!(off, x!(rd), $t);
                }};
            }
            macro_rules! store_idx {
                ($t:ty) => {{
                    let b = base!();
                    let off = write_at!(b.wrapping_add(insn.imm as u64), size_of::<$t>() as u64);
                    put!(off, x!(rd), $t);
                    writeback!(b);
                }};
            }
            macro_rules! store_reg {
                ($t:ty) => {{
                    let off = write_at!(base!().wrapping_add(index!()), size_of::<$t>() as u64);
                    put!(off, x!(rd), $t);
                }};
            }
            // A pair lies in one page, each half aligned, or the slow path does it.
            macro_rules! pair_va {
                ($b:expr, $size:expr) => {{
                    let va = $b.wrapping_add(insn.imm as u64);
                    if va & PAGE_OFFSET > PAGE_OFFSET + 1 - 2 * $size {
                        slow!();
                    }
                    va
                }};
            }
            macro_rules! load_pair {
                ($t:ty, $conv:expr, $wb:expr) => {{
                    const SIZE: u64 = size_of::<$t>() as u64;
                    let b = base!();
                    let va = pair_va!(b, SIZE);
                    let Some(off) = core.reads.aligned(va, SIZE) else {
                        slow!()
                    };
                    let v1 = get!(off as usize, $t);
                    let v2 = get!(off as usize + SIZE as usize, $t);
                    if $wb {
                        writeback!(b);
                    }
                    core.regs[insn.rd as usize] = $conv(v1);
                    core.regs[insn.rm as usize] = $conv(v2);
                }};
            }
            macro_rules! store_pair {
                ($t:ty, $wb:expr) => {{
                    const SIZE: u64 = size_of::<$t>() as u64;
                    let b = base!();
                    let va = pair_va!(b, SIZE);
                    let Some(off) = core.writes.aligned(va, SIZE) else {
                        slow!()
                    };
                    let first = monitors.filter >> (off >> GRANULE_BITS & 63);
                    let last = monitors.filter >> ((off + SIZE) >> GRANULE_BITS & 63);
                    if (first | last) & 1 != 0 {
                        slow!();
                    }
                    let (v1, v2) = (x!(rd), x!(rm));
                    put!(off as usize, v1, $t);
                    put!(off as usize + SIZE as usize, v2, $t);
                    if $wb {
                        writeback!(b);
                    }
                }};
            }
            macro_rules! load_acquire {
                ($t:ty) => {{
                    let va = base!();
                    let Some(off) = core.reads.aligned(va, size_of::<$t>() as u64) else {
                        slow!()
                    };
                    let v = get!(off as usize, $t);
                    set!(u64::from(v));
                }};
            }
            macro_rules! store_release {
                ($t:ty) => {{
                    let va = base!();
                    let Some(off) = core.writes.aligned(va, size_of::<$t>() as u64) else {
                        slow!()
                    };
                    if monitors.filter >> (off >> GRANULE_BITS & 63) & 1 != 0 {
                        slow!();
                    }
                    put!(off as usize, x!(rd), $t);
                }};
            }

            match insn.op {
                Op::Nop => {}
                Op::MovImm => set!(insn.imm as u64),
                Op::MovK64 => insert64(insn, &mut core.regs, !(0xffff << insn.sh), insn.imm as u64),
                Op::MovK32 => insert32(insn, &mut core.regs, !(0xffff << insn.sh), insn.imm as u32),
                Op::Adr => set!(here!().wrapping_add(insn.imm as u64)),
                Op::Adrp => set!(base_va.wrapping_add(insn.imm as u64)),
                Op::Mov64 => set!(x!(rn)),
                Op::Mov32 => set!(x!(rn) & 0xffff_ffff),

                Op::AddI64 => dp!(imm64, u64::wrapping_add),
                Op::AddsI64 => dpf!(imm64_flags, adds64),
                Op::SubsI64 => dpf!(imm64_flags, subs64),
                Op::Add64 => dp!(reg64, u64::wrapping_add),
                Op::Sub64 => dp!(reg64, u64::wrapping_sub),
                Op::Adds64 => dpf!(reg64_flags, adds64),
                Op::Subs64 => dpf!(reg64_flags, subs64),
                Op::AddSh64 => dp!(shifted64, u64::wrapping_add),
                Op::SubSh64 => dp!(shifted64, u64::wrapping_sub),
                Op::AddsSh64 => dpf!(shifted64_flags, adds64),
                Op::SubsSh64 => dpf!(shifted64_flags, subs64),
                Op::AddExt64 => dp!(extended64, u64::wrapping_add),
                Op::SubExt64 => dp!(extended64, u64::wrapping_sub),
                Op::AddsExt64 => dpf!(extended64_flags, adds64),
                Op::SubsExt64 => dpf!(extended64_flags, subs64),
                Op::Adc64 => {
                    let carry = nzcv & 2 != 0;
                    dp!(carry64, |a, b| adcs64(a, b, carry).0);
                }
                Op::Adcs64 => {
                    let carry = nzcv & 2 != 0;
                    dpf!(carry64_flags, |a, b| adcs64(a, b, carry));
                }
                Op::AndI64 => dp!(imm64, |a, b| a & b),
                Op::OrrI64 => dp!(imm64, |a, b| a | b),
                Op::EorI64 => dp!(imm64, |a, b| a ^ b),
                Op::AndsI64 => dpf!(imm64_flags, ands64),
                Op::And64 => dp!(reg64, |a, b| a & b),
                Op::Orr64 => dp!(reg64, |a, b| a | b),
                Op::Eor64 => dp!(reg64, |a, b| a ^ b),
                Op::Ands64 => dpf!(reg64_flags, ands64),
                Op::AndSh64 => dp!(logic64, |a, b| a & b),
                Op::OrrSh64 => dp!(logic64, |a, b| a | b),
                Op::EorSh64 => dp!(logic64, |a, b| a ^ b),
                Op::AndsSh64 => dpf!(logic64_flags, ands64),

                Op::AddI32 => dp!(imm32, u32::wrapping_add),
                Op::AddsI32 => dpf!(imm32_flags, adds32),
                Op::SubsI32 => dpf!(imm32_flags, subs32),
                Op::Add32 => dp!(reg32, u32::wrapping_add),
                Op::Sub32 => dp!(reg32, u32::wrapping_sub),
                Op::Adds32 => dpf!(reg32_flags, adds32),
                Op::Subs32 => dpf!(reg32_flags, subs32),
                Op::AddSh32 => dp!(shifted32, u32::wrapping_add),
                Op::SubSh32 => dp!(shifted32, u32::wrapping_sub),
                Op::AddsSh32 => dpf!(shifted32_flags, adds32),
                Op::SubsSh32 => dpf!(shifted32_flags, subs32),
                Op::AddExt32 => dp!(extended32, u32::wrapping_add),
                Op::SubExt32 => dp!(extended32, u32::wrapping_sub),
                Op::AddsExt32 => dpf!(extended32_flags, adds32),
                Op::SubsExt32 => dpf!(extended32_flags, subs32),
                Op::Adc32 => {
                    let carry = nzcv & 2 != 0;
                    dp!(carry32, |a, b| adcs32(a, b, carry).0);
                }
                Op::Adcs32 => {
                    let carry = nzcv & 2 != 0;
                    dpf!(carry32_flags, |a, b| adcs32(a, b, carry));
                }
                Op::AndI32 => dp!(imm32, |a, b| a & b),
                Op::OrrI32 => dp!(imm32, |a, b| a | b),
                Op::EorI32 => dp!(imm32, |a, b| a ^ b),
                Op::AndsI32 => dpf!(imm32_flags, ands32),
                Op::And32 => dp!(reg32, |a, b| a & b),
                Op::Orr32 => dp!(reg32, |a, b| a | b),
                Op::Eor32 => dp!(reg32, |a, b| a ^ b),
                Op::Ands32 => dpf!(reg32_flags, ands32),
                Op::AndSh32 => dp!(logic32, |a, b| a & b),
                Op::OrrSh32 => dp!(logic32, |a, b| a | b),
                Op::EorSh32 => dp!(logic32, |a, b| a ^ b),
                Op::AndsSh32 => dpf!(logic32_flags, ands32),

                Op::Ubfm => dp!(one64, |a| a << (insn.sh & 63) >> (insn.am & 63)),
                Op::Sbfm64 => dp!(one64, |a| ((a << (insn.sh & 63)) as i64 >> (insn.am & 63))
                    as u64),
                Op::Sbfm32 => dp!(one32, |a| ((a << (insn.sh & 31)) as i32 >> (insn.am & 31))
                    as u32),
                Op::Bfm64 => {
                    let mask = insn.imm as u64;
                    let bits = x!(rn).rotate_right(u32::from(insn.sh)) & mask;
                    insert64(insn, &mut core.regs, !mask, bits);
                }
                Op::Bfm32 => {
                    let mask = insn.imm as u32;
                    let bits = w!(rn).rotate_right(u32::from(insn.sh)) & mask;
                    insert32(insn, &mut core.regs, !mask, bits);
                }
                Op::Extr64 => dp!(reg64, |a, b| extr64(a, b, insn.sh)),
                Op::Extr32 => dp!(reg32, |a, b| extr32(a, b, insn.sh)),

                Op::Csel64 => choose!(reg64, |b| b),
                Op::Csinc64 => choose!(reg64, |b: u64| b.wrapping_add(1)),
                Op::Csinv64 => choose!(reg64, |b: u64| !b),
                Op::Csneg64 => choose!(reg64, |b: u64| b.wrapping_neg()),
                Op::Csel32 => choose!(reg32, |b| b),
                Op::Csinc32 => choose!(reg32, |b: u32| b.wrapping_add(1)),
                Op::Csinv32 => choose!(reg32, |b: u32| !b),
                Op::Csneg32 => choose!(reg32, |b: u32| b.wrapping_neg()),
                Op::CcmpR64 => compare!(subs64(x!(rn), x!(rm))),
                Op::CcmpI64 => compare!(subs64(x!(rn), insn.imm as u64)),
                Op::CcmnR64 => compare!(adds64(x!(rn), x!(rm))),
                Op::CcmnI64 => compare!(adds64(x!(rn), insn.imm as u64)),
                Op::CcmpR32 => compare!(subs32(w!(rn), w!(rm))),
                Op::CcmpI32 => compare!(subs32(w!(rn), insn.imm as u32)),
                Op::CcmnR32 => compare!(adds32(w!(rn), w!(rm))),
                Op::CcmnI32 => compare!(adds32(w!(rn), insn.imm as u32)),

                Op::Rbit64 => dp!(one64, u64::reverse_bits),
                Op::Rbit32 => dp!(one32, u32::reverse_bits),
                Op::Rev16x64 => dp!(one64, rev16),
                Op::Rev16x32 => dp!(one32, |a| rev16(u64::from(a)) as u32),
                Op::Rev32x64 => dp!(one64, |a| a.swap_bytes().rotate_right(32)),
                Op::Rev64 => dp!(one64, u64::swap_bytes),
                Op::Rev32 => dp!(one32, u32::swap_bytes),
                Op::Clz64 => dp!(one64, |a| u64::from(a.leading_zeros())),
                Op::Clz32 => dp!(one32, u32::leading_zeros),
                Op::Cls64 => dp!(one64, |a| u64::from(cls64(a))),
                Op::Cls32 => dp!(one32, cls32),
                Op::Udiv64 => dp!(reg64, |a, b| a.checked_div(b).unwrap_or(0)),
                Op::Sdiv64 => dp!(reg64, sdiv64),
                Op::Lslv64 => dp!(reg64, |a, b| a << (b & 63)),
                Op::Lsrv64 => dp!(reg64, |a, b| a >> (b & 63)),
                Op::Asrv64 => dp!(reg64, |a, b| (a as i64 >> (b & 63)) as u64),
                Op::Rorv64 => dp!(reg64, |a, b| a.rotate_right(b as u32 & 63)),
                Op::Udiv32 => dp!(reg32, |a, b| a.checked_div(b).unwrap_or(0)),
                Op::Sdiv32 => dp!(reg32, sdiv32),
                Op::Lslv32 => dp!(reg32, |a, b| a << (b & 31)),
                Op::Lsrv32 => dp!(reg32, |a, b| a >> (b & 31)),
                Op::Asrv32 => dp!(reg32, |a, b| (a as i32 >> (b & 31)) as u32),
                Op::Rorv32 => dp!(reg32, |a, b| a.rotate_right(b & 31)),
                Op::Crc32 => set!(u64::from(crc(CRC32, w!(rn), x!(rm), insn.sh))),
                Op::Crc32c => set!(u64::from(crc(CRC32C, w!(rn), x!(rm), insn.sh))),

                Op::Madd64 => dp!(three64, |c, a, b| c.wrapping_add(a.wrapping_mul(b))),
                Op::Madd32 => dp!(three32, |c, a, b| c.wrapping_add(a.wrapping_mul(b))),
                Op::Msub64 => dp!(three64, |c, a, b| c.wrapping_sub(a.wrapping_mul(b))),
                Op::Msub32 => dp!(three32, |c, a, b| c.wrapping_sub(a.wrapping_mul(b))),
                Op::Smaddl => dp!(three64, |c, a, b| c.wrapping_add(smull(a, b))),
                Op::Smsubl => dp!(three64, |c, a, b| c.wrapping_sub(smull(a, b))),
                Op::Umaddl => dp!(three64, |c, a, b| c.wrapping_add(umull(a, b))),
                Op::Umsubl => dp!(three64, |c, a, b| c.wrapping_sub(umull(a, b))),
                Op::Smulh => dp!(reg64, smulh),
                Op::Umulh => dp!(reg64, umulh),

                Op::B => jump!(),
                Op::Bl => {
                    core.regs[30] = here!().wrapping_add(4);
                    jump!();
                }
                Op::BCond => {
                    if holds(insn.sh, nzcv) {
                        jump!();
                    }
                }
                Op::Cbz64 => {
                    if x!(rn) == 0 {
                        jump!();
                    }
                }
                Op::Cbz32 => {
                    if w!(rn) == 0 {
                        jump!();
                    }
                }
                Op::Cbnz64 => {
                    if x!(rn) != 0 {
                        jump!();
                    }
                }
                Op::Cbnz32 => {
                    if w!(rn) != 0 {
                        jump!();
                    }
                }
                Op::Tbz => {
                    if x!(rn) >> (insn.sh & 63) & 1 == 0 {
                        jump!();
                    }
                }
                Op::Tbnz => {
                    if x!(rn) >> (insn.sh & 63) & 1 != 0 {
                        jump!();
                    }
                }
                Op::Br | Op::Ret => jump_to!(x!(rn)),
                Op::Blr => {
                    let target = x!(rn);
                    core.regs[30] = here!().wrapping_add(4);
                    jump_to!(target);
                }

                Op::LdrBI => load_imm!(u8, u64::from),
                Op::LdrHI => load_imm!(u16, u64::from),
                Op::LdrWI => load_imm!(u32, u64::from),
                Op::LdrXI => load_imm!(u64, u64::from),
                Op::LdrSbWI => load_imm!(u8, sxb32),
                Op::LdrSbXI => load_imm!(u8, sxb64),
                Op::LdrShWI => load_imm!(u16, sxh32),
                Op::LdrShXI => load_imm!(u16, sxh64),
                Op::LdrSwI => load_imm!(u32, sxw),
                Op::LdrBP => load_idx!(u8, u64::from),
                Op::LdrHP => load_idx!(u16, u64::from),
                Op::LdrWP => load_idx!(u32, u64::from),
                Op::LdrXP => load_idx!(u64, u64::from),
                Op::LdrSbWP => load_idx!(u8, sxb32),
                Op::LdrSbXP => load_idx!(u8, sxb64),
                Op::LdrShWP => load_idx!(u16, sxh32),
                Op::LdrShXP => load_idx!(u16, sxh64),
                Op::LdrSwP => load_idx!(u32, sxw),
                Op::LdrBR => load_reg!(u8, u64::from),
                Op::LdrHR => load_reg!(u16, u64::from),
                Op::LdrWR => load_reg!(u32, u64::from),
                Op::LdrXR => load_reg!(u64, u64::from),
                Op::LdrSbWR => load_reg!(u8, sxb32),
                Op::LdrSbXR => load_reg!(u8, sxb64),
                Op::LdrShWR => load_reg!(u16, sxh32),
                Op::LdrShXR => load_reg!(u16, sxh64),
                Op::LdrSwR => load_reg!(u32, sxw),
                Op::LitW => load_literal!(u32, u64::from),
                Op::LitX => load_literal!(u64, u64::from),
                Op::LitSw => load_literal!(u32, sxw),
                Op::LdpWI => load_pair!(u32, u64::from, false),
                Op::LdpXI => load_pair!(u64, u64::from, false),
                Op::LdpSwI => load_pair!(u32, sxw, false),
                Op::LdpWP => load_pair!(u32, u64::from, true),
                Op::LdpXP => load_pair!(u64, u64::from, true),
                Op::LdpSwP => load_pair!(u32, sxw, true),
                Op::LdarB => load_acquire!(u8),
                Op::LdarH => load_acquire!(u16),
                Op::LdarW => load_acquire!(u32),
                Op::LdarX => load_acquire!(u64),

                Op::StrBI => store_imm!(u8),
                Op::StrHI => store_imm!(u16),
                Op::StrWI => store_imm!(u32),
                Op::StrXI => store_imm!(u64),
                Op::StrBP => store_idx!(u8),
                Op::StrHP => store_idx!(u16),
                Op::StrWP => store_idx!(u32),
                Op::StrXP => store_idx!(u64),
                Op::StrBR => store_reg!(u8),
                Op::StrHR => store_reg!(u16),
                Op::StrWR => store_reg!(u32),
                Op::StrXR => store_reg!(u64),
                Op::StpWI => store_pair!(u32, false),
                Op::StpXI => store_pair!(u64, false),
                Op::StpWP => store_pair!(u32, true),
                Op::StpXP => store_pair!(u64, true),
                Op::StlrB => store_release!(u8),
                Op::StlrH => store_release!(u16),
                Op::StlrW => store_release!(u32),
                Op::StlrX => store_release!(u64),

                _ => slow!(),
            }
            left -= 1;
            idx += 1;
        }
    };
    core.pc = pc;
    core.nzcv = nzcv;
    (exit, left)
}
