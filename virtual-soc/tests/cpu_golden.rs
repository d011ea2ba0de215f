//! Every group of ordinary instructions against golden results (`cpu_golden.txt`), each on the slow and the fast path.

mod cpu_support;

use cpu_support::*;
use virtual_soc::machine::Step;

/// x1-x10 of the three register sets.
const SETS: [[u64; 10]; 3] = [
    [
        0x0123_4567_89ab_cdef,
        0xfedc_ba98_7654_3210,
        5,
        1 << 63,
        u64::MAX,
        u64::MAX >> 1,
        0xffff_ffff,
        0x8000_0000,
        63,
        0x1234_5678,
    ],
    [
        0,
        0,
        33,
        0x7fff_ffff,
        0xffff_ffff_8000_0000,
        1,
        0xf0f0_f0f0_f0f0_f0f0,
        0xffff_ffff_ffff_ff80,
        1,
        0xdead_beef_cafe_f00d,
    ],
    [
        u64::MAX,
        1,
        0,
        1 << 63,
        1 << 63,
        u64::MAX,
        0x00ff_00ff_00ff_00ff,
        0x7f,
        64,
        0x8000_0000_ffff_ffff,
    ],
];

/// x0-x30 and SP before the instruction.
fn registers(set: usize) -> [u64; 32] {
    let mut r = [0; 32];
    r[0] = 0x1111_1111_1111_1111;
    r[1..11].copy_from_slice(&SETS[set]);
    r[11] = 0x1111;
    r[12] = 0x2222;
    for (n, v) in (13..20).zip(3..) {
        r[n] = v;
    }
    r[20] = DATA + 64;
    r[21] = 8;
    r[22] = 8u64.wrapping_neg();
    r[23] = 0xffff_fff0;
    for (n, v) in (24..30).zip(24..) {
        r[n] = v;
    }
    r[30] = CODE + 0x40;
    r[31] = DATA + 128;
    r
}

fn memory() -> Vec<u8> {
    (0..256u32)
        .map(|i| (i * 37 + (i >> 3) * 11 + 0x5a) as u8)
        .collect()
}

fn prepare(m: &mut M, word: u32, set: usize, nzcv: u8) {
    m.ram.write(DATA, &memory()).expect("in RAM");
    put(m, CODE, &[word]);
    let core = &mut m.cores[0];
    let r = registers(set);
    for n in 0..31u8 {
        core.set_x(n, r[usize::from(n)]);
    }
    core.set_sp(r[31]);
    core.set_nzcv(nzcv);
    core.set_pc(CODE);
}

/// What changed, in the file's notation.
fn changes(m: &M, set: usize, nzcv: u8) -> String {
    let (core, before, mem) = (&m.cores[0], registers(set), memory());
    let mut out = Vec::new();
    for n in 0..31 {
        if core.x(n) != before[n as usize] {
            out.push(format!("x{n}={:x}", core.x(n)));
        }
    }
    if core.sp() != before[31] {
        out.push(format!("sp={:x}", core.sp()));
    }
    if core.nzcv() != nzcv {
        out.push(format!("nzcv={:x}", core.nzcv()));
    }
    if core.pc() != CODE + 4 {
        out.push(format!("pc={:x}", core.pc()));
    }
    for off in (0..256).step_by(8) {
        let now = m.ram.read_u64(DATA + off).expect("in RAM");
        let then: [u8; 8] = mem[off as usize..off as usize + 8]
            .try_into()
            .expect("eight bytes");
        if now != u64::from_le_bytes(then) {
            out.push(format!("m{off:x}={now:x}"));
        }
    }
    out.join(" ")
}

#[test]
fn golden() {
    let mut m = machine(1);
    fresh(&mut m);
    let (mut rows, mut wrong) = (0, Vec::new());
    for line in include_str!("cpu_golden.txt")
        .lines()
        .filter(|l| !l.starts_with(['#', '=']))
    {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [word, text, input, want] = parts[..] else {
            panic!("bad line: {line}")
        };
        let word = u32::from_str_radix(word, 16).expect("a word");
        let (set, nzcv) = input.split_once(' ').expect("set and flags");
        let (set, nzcv) = (
            set.parse::<usize>().expect("a set"),
            u8::from_str_radix(nzcv, 16).expect("flags"),
        );
        // First with empty translation caches, then with full ones.
        set_reg_flush(&mut m);
        for path in ["slow", "fast"] {
            prepare(&mut m, word, set, nzcv);
            let step = m.step_core(0);
            let got = changes(&m, set, nzcv);
            if got != want || step != Step::Executed {
                wrong.push(format!("{text} ({word:08x}), set {set}, flags {nzcv:x}, {path}: {step:?} {got}; want {want}"));
            }
            if step == Step::Exception {
                fresh(&mut m);
            }
        }
        rows += 1;
    }
    assert!(rows > 2000, "{rows} rows");
    assert!(
        wrong.is_empty(),
        "{} of {rows} rows:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// EL2 with the MMU on and TGE off, so that LDTR and STTR are plain accesses.
fn fresh(m: &mut M) {
    boot(m, 0, CODE);
    mmu_on(m, 0);
    set(&mut m.cores[0], HCR_EL2, 0);
}

/// Writing a translation register empties the TLBs.
fn set_reg_flush(m: &mut M) {
    let v = get(m, TTBR0_EL2);
    set(&mut m.cores[0], TTBR0_EL2, v);
}
