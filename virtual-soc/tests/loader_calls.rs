//! Guest code called through the loader: page permissions, interrupts, exceptions, several CPUs.

#[path = "soc_common/a64.rs"]
mod a64;
#[path = "soc_common/client.rs"]
mod client;

use a64::*;
use client::{Client, RX};
use core::time::Duration;
use virtual_soc::SocModel;

const AIC: u64 = 0x3_0100_0000;
const EVENT: u64 = AIC + 0x40000;
const CONFIG: u64 = AIC + 0x14;
const SW_SET: u64 = AIC + 0x14000;
const SW_CLR: u64 = AIC + 0x14200;
const MASK_SET: u64 = AIC + 0x14400;
const MASK_CLR: u64 = AIC + 0x14600;
/// Line 100: word 3, bit 4.
const WORD: u64 = 12;
const BIT: u64 = 1 << 4;
const MARK: u64 = 0xacce_5515_abad_1dea;
const CALL: u64 = 0x002;
const SMP_CALL: u64 = 0x501;
const SMP_CALL_SYNC: u64 = 0x502;
const SMP_WAIT: u64 = 0x503;
/// Loader indices of the secondaries of T8140; the boot CPU is 4.
const SECONDARIES: [u64; 5] = [0, 1, 2, 3, 5];

fn t8140() -> SocModel {
    SocModel::builtin("t8140").expect("built in")
}

/// Load a 64-bit constant.
fn constant(d: u32, value: u64) -> [u32; 4] {
    [
        movz(d, (value & 0xffff) as u32, 0),
        movk(d, (value >> 16 & 0xffff) as u32, 1),
        movk(d, (value >> 32 & 0xffff) as u32, 2),
        movk(d, (value >> 48) as u32, 3),
    ]
}

#[test]
fn a_function_is_called_and_returns() {
    let mut c = Client::new(&t8140());
    // x0 + x1 + x4
    let f = c.code(&[add_reg(0, 0, 1), add_reg(0, 0, 4), RET]);
    assert_eq!(c.op(CALL, &[f | RX, 1000, 200, 5, 5, 30]), 1230);
    assert_eq!(
        c.op(CALL, &[f, 1, 2, 0, 0, 3]),
        6,
        "plain RAM is executable without SPRR"
    );
    let f = c.code(&[mrs(0, 3, 0, 0, 0, 5), RET]);
    assert_eq!(c.op(CALL, &[f | RX]), 0x8001_0100, "MPIDR of the boot CPU");
    let f = c.code(&[mrs(0, 3, 4, 13, 0, 2), RET]);
    assert_eq!(c.op(CALL, &[f | RX]), 4, "TPIDR_EL2 is the loader's index");
    let f = c.code(&[mrs(0, 3, 0, 4, 2, 2), RET]);
    assert_eq!(c.op(CALL, &[f | RX]), 2 << 2, "CurrentEL");
    let f = c.code(&[mrs(0, 3, 3, 4, 2, 1), RET]);
    assert_eq!(c.op(CALL, &[f | RX]), 0, "DAIF open");
}

#[test]
fn stores_through_the_executable_alias_fault() {
    let mut c = Client::new(&t8140());
    let data = c.op(0x601, &[64]);
    let store = c.code(&[str(1, 0), movz(0, 7, 0), RET]);
    assert_eq!(c.op(CALL, &[store | RX, data, 0x55]), 7);
    assert_eq!(c.op(0x104, &[data]), 0x55);
    c.op(0x007, &[1]);
    c.op(CALL, &[store | RX, data | RX, 0x66]);
    assert_eq!((c.op(0x104, &[data]), c.op(0x008, &[])), (0x55, 1));
    // The loader's own text is not writable either.
    let base = c.op(0x004, &[]);
    c.op(0x007, &[1]);
    c.op(CALL, &[store | RX, base + 0x2000, 0x66]);
    assert_eq!(c.op(0x008, &[]), 1);
}

#[test]
fn with_sprr_plain_ram_does_not_execute() {
    let mut c = Client::new(&SocModel::builtin("t8140-sprr").unwrap());
    let f = c.code(&[movz(0, 7, 0), RET]);
    assert_eq!(c.op(CALL, &[f | RX]), 7);
    c.op(0x007, &[3]);
    assert_eq!(c.op(CALL, &[f]), MARK, "the guard returns from the call");
    assert!(c.text().contains("Exception"));
}

#[test]
fn guard_modes() {
    let mut c = Client::new(&t8140());
    // A read where nothing is: x0 = marker value, x1 counts what ran after it.
    let f = c.code(&[
        movz(1, 5, 0),
        ldr(2, 0),
        add(1, 1, 1),
        str(1, 3),
        str(2, 4),
        movz(0, 1, 0),
        RET,
    ]);
    let out = c.op(0x601, &[64]);
    let mut run = |mode: u64| {
        c.op(0x100, &[out, 0]);
        c.op(0x100, &[out + 8, 0]);
        c.op(0x007, &[mode]);
        let x0 = c.op(CALL, &[f | RX, 0x10, 0, 0x77, out, out + 8]);
        (
            x0,
            c.op(0x104, &[out]),
            c.op(0x104, &[out + 8]),
            c.op(0x008, &[]),
        )
    };
    assert_eq!(run(1), (1, 6, 0x77, 1), "skip");
    assert_eq!(run(2), (1, 6, MARK, 1), "mark");
    assert_eq!(run(3), (MARK, 0, 0, 1), "return");
}

#[test]
fn an_unguarded_fault_reboots() {
    let mut c = Client::new(&t8140());
    let f = c.code(&[ldr(0, 0), RET]);
    assert_eq!(c.try_op(CALL, &[f | RX, 0x10]), None);
    let mut rest = [0; 1000];
    let n = c.target.recv(&mut rest, Duration::from_millis(1));
    assert_eq!(n, 0, "all text came with the silence");
    assert_eq!(c.request(0, &[0]), None);
}

#[test]
fn a_call_that_does_not_return_blocks_the_link() {
    let mut c = Client::new(&t8140());
    let f = c.code(&[b(0)]);
    c.timeout = Duration::from_millis(20);
    assert_eq!(c.try_op(CALL, &[f | RX]), None);
    assert_eq!(c.request(0, &[0]), None);
    assert!(c.target.stats().insns[0] > 10_000_000);
}

/// Enable the controller, unmask line 100.
fn open_line(c: &mut Client) {
    c.op(0x101, &[CONFIG, 1]);
    c.op(0x101, &[MASK_CLR + WORD, BIT]);
}

#[test]
fn the_loader_takes_interrupts_while_the_boot_cpu_is_in_it() {
    let mut c = Client::new(&t8140());
    open_line(&mut c);
    c.op(0x101, &[SW_SET + WORD, BIT]);
    c.op(0x000, &[]);
    assert_eq!(c.target.stats().loader_took, 1);
    assert!(c.text().contains("number 100"), "{}", c.text());
    assert_eq!(
        c.op(0x105, &[MASK_SET + WORD]) & BIT,
        BIT,
        "masked by the loader's read of EVENT"
    );
    assert_eq!(c.op(0x105, &[EVENT]), 0);
}

#[test]
fn the_loader_takes_interrupts_in_a_called_function_that_leaves_its_vectors() {
    let mut c = Client::new(&t8140());
    open_line(&mut c);
    // Fire, then count to 2000.
    let mut words = constant(9, SW_SET + WORD).to_vec();
    words.extend([
        movz(10, BIT as u32, 0),
        str_w(10, 9),
        movz(0, 2000, 0),
        sub(0, 0, 1),
        cbnz(0, -1),
        movz(0, 9, 0),
        RET,
    ]);
    let f = c.code(&words);
    assert_eq!(c.op(CALL, &[f | RX]), 9);
    assert_eq!(c.target.stats().loader_took, 1);
    assert!(c.text().contains("Exception: IRQ"));
}

/// A function that masks, installs its own vectors (at its code page + 0x800), fires line 100, waits with interrupts open, puts
/// everything back; x0 = table {vectors, event word, count of interrupts}.
fn routing_program() -> Vec<u32> {
    let mut w = Vec::new();
    w.extend([
        MASK_IF,
        mov(20, 0),
        mrs_vbar(21),
        ldr(1, 20),
        msr_vbar(1),
        ISB,
    ]);
    w.extend(constant(9, SW_SET + WORD));
    w.extend([movz(10, BIT as u32, 0), str_w(10, 9), OPEN_IF]);
    // Until the handler has stored an event word, at most 5000 rounds.
    w.extend([
        add(11, 20, 8),
        movz(12, 5000, 0),
        ldr(13, 11),
        cbnz(13, 3),
        sub(12, 12, 1),
        cbnz(12, -3),
    ]);
    w.extend([MASK_IF, msr_vbar(21), ISB, OPEN_IF, ldr(0, 11), RET]);
    w.resize(0x800 / 4, NOP);
    // Vector "IRQ, current level, SP_ELx" at +0x280 of the table.
    w.resize((0x800 + 0x280) / 4, b(0));
    w.extend(constant(14, EVENT));
    w.extend([
        ldr_w(15, 14),
        add(16, 20, 8),
        str(15, 16),
        add(16, 20, 16),
        ldr(17, 16),
        add(17, 17, 1),
        str(17, 16),
    ]);
    // SW_CLR, then return.
    w.extend(constant(14, SW_CLR + WORD));
    w.extend([movz(15, BIT as u32, 0), str_w(15, 14), ERET]);
    w
}

#[test]
fn a_function_with_its_own_vectors_receives_the_line_itself() {
    let mut c = Client::new(&t8140());
    open_line(&mut c);
    let f = c.code(&routing_program());
    let table = c.op(0x601, &[64]);
    c.op(0x100, &[table, (f | RX) + 0x800]);
    c.op(0x100, &[table + 8, 0]);
    c.op(0x100, &[table + 16, 0]);
    let before = c.target.snapshot();
    assert_eq!(c.op(CALL, &[f | RX, table]), 0x1_0064);
    assert_eq!(c.op(0x104, &[table + 16]), 1, "one interrupt");
    assert_eq!(c.target.stats().loader_took, 0);
    assert_eq!(
        (c.target.stats().triggers, c.target.stats().taken[0]),
        (1, 1)
    );
    // Only the mask bit differs afterwards, and the snapshot says so.
    let differences = before.differences(&c.target.snapshot());
    assert_eq!(differences.len(), 1, "{differences:?}");
    assert_eq!(
        differences[0].to_string(),
        "AIC die 0 mask word 3: 0xffffffef before, 0xffffffff after"
    );
}

#[test]
fn secondaries_start_call_and_wait() {
    let mut c = Client::new(&t8140());
    assert_eq!(c.op(0x505, &[0]), 0);
    c.start(&SECONDARIES);
    assert_eq!(c.op(0x505, &[4]), 0, "no mark for the boot CPU");
    assert_eq!(c.op(0x505, &[9]), 0);
    assert!(c.text().contains("Started."));
    let f = c.code(&[mrs(0, 3, 0, 0, 0, 5), RET]);
    let mpidr = [
        0x8000_0000u64,
        0x8000_0001,
        0x8000_0002,
        0x8000_0003,
        0x8001_0101,
    ];
    for (i, m) in SECONDARIES.iter().zip(mpidr) {
        assert_eq!(c.op(SMP_CALL_SYNC, &[*i, f | RX]), m);
    }
    let f = c.code(&[mrs(0, 3, 3, 4, 2, 1), RET]);
    assert_eq!(c.op(SMP_CALL_SYNC, &[0, f | RX]), 0xc0, "I and F masked");
    // CALL returns at once, WAIT brings the value.
    let slow = c.code(&[sub(0, 0, 1), cbnz(0, -1), mov(0, 1), RET]);
    let t0 = c.target.now();
    c.op(SMP_CALL, &[5, slow | RX, 1_000_000, 77]);
    assert!(c.target.now() - t0 < Duration::from_millis(1));
    assert_eq!(c.op(SMP_WAIT, &[5]), 77);
    assert!(
        c.target.now() - t0 >= Duration::from_millis(2),
        "two instructions a round"
    );
    // Boot CPU and out of range: ignored.
    assert_eq!(c.op(SMP_CALL_SYNC, &[4, f | RX]), 0);
    assert_eq!(c.op(SMP_WAIT, &[99]), 0);
    c.op(0x506, &[0]);
    assert_eq!(c.op(0x505, &[0]), 0);
}

/// MSR and MRS of SIQ_CFG_EL1 with x0.
const WRITE_SIQ: u32 = 0xd51c_fa80;
const READ_SIQ: u32 = 0xd53c_fa80;

#[test]
fn siq_cfg_of_a_cpu_that_was_stopped() {
    // T8140's secondaries are found with 3; a loader that writes 2 writes it again.
    for (survives, writes, after) in [
        (false, None, 3),
        (true, None, 1),
        (false, Some(2), 2),
        (true, Some(2), 2),
    ] {
        let mut model = t8140();
        model.siq.survives_stop = survives;
        model.loader.writes_siq_cfg = writes;
        let mut c = Client::new(&model);
        c.start(&SECONDARIES);
        let read = c.code(&[READ_SIQ, RET]);
        let write = c.code(&[WRITE_SIQ, RET]);
        assert_eq!(
            c.op(SMP_CALL_SYNC, &[0, read | RX]),
            writes.unwrap_or(3),
            "{survives} {writes:?}"
        );
        c.op(SMP_CALL_SYNC, &[0, write | RX, 1]);
        c.op(0x506, &[0]);
        c.start(&SECONDARIES);
        assert_eq!(
            c.op(SMP_CALL_SYNC, &[0, read | RX]),
            after,
            "{survives} {writes:?}"
        );
    }
}

#[test]
fn calls_that_hang_hang() {
    let hung = |prepare: &dyn Fn(&mut Client, u64), index: u64| {
        let mut c = Client::new(&t8140());
        let spin = c.code(&[b(0)]);
        c.timeout = Duration::from_millis(50);
        prepare(&mut c, spin);
        let hangs = c.try_op(SMP_CALL, &[index, spin | RX]).is_none();
        hangs && c.request(0, &[0]).is_none()
    };
    assert!(hung(&|_, _| {}, 0), "never started");
    assert!(hung(
        &|c, spin| {
            c.start(&[0]);
            c.op(SMP_CALL, &[0, spin | RX]);
        },
        0
    ));
    // The other CPUs are not affected by a busy one.
    assert!(!hung(
        &|c, spin| {
            c.start(&[0, 1]);
            c.op(SMP_CALL, &[0, spin | RX]);
        },
        1
    ));
    // Strict model: no call before WFE mode.
    assert!(hung(
        &|c, _| {
            c.op(0x500, &[]);
        },
        0
    ));
}

#[test]
fn dead_cpus_and_cpus_without_mmu() {
    let mut model = t8140();
    model.cpu[2].starts = false;
    model.cpu[3].mmu = false;
    let mut c = Client::new(&model);
    c.op(0x504, &[1]);
    let t0 = c.target.now();
    c.op(0x500, &[]);
    assert!(
        c.target.now() - t0 >= Duration::from_millis(100),
        "the loader waits for the dead one"
    );
    let alive: Vec<u64> = SECONDARIES.iter().map(|i| c.op(0x505, &[*i])).collect();
    assert_eq!(alive, [1, 1, 0, 1, 1]);
    assert!(c.text().contains("Failed!"));
    let sctlr = c.code(&[mrs(0, 3, 4, 1, 0, 0), RET]);
    c.op(0x30f, &[1]);
    c.op(0x30f, &[3]);
    assert_eq!(c.op(SMP_CALL_SYNC, &[1, sctlr | RX]) & 1, 1);
    // Without MMU code is called at its plain address.
    assert_eq!(c.op(SMP_CALL_SYNC, &[3, sctlr]) & 1, 0);
    assert_eq!(
        c.op(SMP_CALL_SYNC, &[0, sctlr]) & 1,
        0,
        "MMU_INIT_SECONDARY was not called for it"
    );
}

#[test]
fn another_cpu_fires_and_cpu_0_receives() {
    let mut c = Client::new(&t8140());
    c.start(&SECONDARIES);
    open_line(&mut c);
    // CPU index 2 stores to SW_SET; the boot CPU sits in the loader, which reads EVENT.
    let fire = c.code(&[str_w(1, 0), RET]);
    c.op(SMP_CALL_SYNC, &[2, fire | RX, SW_SET + WORD, BIT]);
    c.op(0x000, &[]);
    assert_eq!(
        (c.target.stats().taken[0], c.target.stats().loader_took),
        (1, 1)
    );
    // With field 1 on that CPU the parked (masked) CPU keeps it: preferred but not taking; after a while CPU 0 gets it.
    let siq = c.code(&[msr_siq(0), ISB, mrs_siq(0), RET]);
    assert_eq!(c.op(SMP_CALL_SYNC, &[2, siq | RX, 1]), 1);
    c.op(0x101, &[SW_CLR + WORD, BIT]);
    c.op(0x101, &[MASK_CLR + WORD, BIT]);
    c.op(0x101, &[SW_SET + WORD, BIT]);
    c.op(0x000, &[]);
    assert_eq!(c.target.stats().loader_took, 2);
}

#[test]
fn a_masked_boot_cpu_sees_the_line_in_isr_and_a_fallback_takes_it() {
    let mut c = Client::new(&t8140());
    c.start(&SECONDARIES);
    open_line(&mut c);
    // CPU 0: mask, fire, wait 3000 rounds, return ISR_EL1, everything masked; the caller reads EVENT as data.
    let mut w = constant(9, SW_SET + WORD).to_vec();
    w.extend([
        MASK_IF,
        movz(10, BIT as u32, 0),
        str_w(10, 9),
        movz(0, 3000, 0),
        sub(0, 0, 1),
        cbnz(0, -1),
        mrs_isr(0),
    ]);
    w.extend(constant(11, MASK_SET + WORD));
    w.extend([str_w(10, 11), OPEN_IF, RET]);
    let f = c.code(&w);
    assert_eq!(c.op(CALL, &[f | RX]), 0x80, "ISR_EL1.I");
    assert_eq!(
        c.target.stats().loader_took,
        0,
        "masked again before interrupts were opened"
    );
    c.op(0x101, &[SW_CLR + WORD, BIT]);
    c.op(0x101, &[MASK_CLR + WORD, BIT]);
    // A fallback CPU that polls EVENT with interrupts open in its own vectors takes it instead.
    let receiver = c.code(&receiver_program());
    let table = c.op(0x601, &[64]);
    c.op(0x100, &[table, (receiver | RX) + 0x800]);
    c.op(0x100, &[table + 8, 0]);
    c.op(SMP_CALL, &[5, receiver | RX, table, 2]);
    assert_eq!(c.op(CALL, &[f | RX]), 0, "moved on after the refusal");
    assert_eq!(c.op(SMP_WAIT, &[5]), 0x1_0064);
    assert_eq!(c.target.stats().taken, [0, 0, 0, 0, 0, 1]);
}

/// x0 = table {vectors, event word}, x1 = SIQ_CFG: receives one interrupt with its own vectors, returns the event word.
fn receiver_program() -> Vec<u32> {
    let mut w = Vec::new();
    w.extend([
        mov(20, 0),
        mrs_vbar(21),
        ldr(2, 20),
        msr_vbar(2),
        mrs_siq(22),
        msr_siq(1),
        ISB,
        add(11, 20, 8),
        OPEN_IF,
    ]);
    w.extend([
        ldr(13, 11),
        cbz(13, -1),
        MASK_IF,
        msr_siq(22),
        msr_vbar(21),
        ISB,
        mov(0, 13),
        RET,
    ]);
    w.resize((0x800 + 0x280) / 4, b(0));
    w.extend(constant(14, EVENT));
    w.extend([ldr_w(15, 14), str(15, 11)]);
    w.extend(constant(14, SW_CLR + WORD));
    w.extend([movz(15, BIT as u32, 0), str_w(15, 14), ERET]);
    w
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let run = |seed: u64| {
        let mut model = t8140();
        model.siq.jitter_ns = 3000;
        let mut c = Client::with_seed(&model, seed);
        c.start(&SECONDARIES);
        open_line(&mut c);
        let mut log = Vec::new();
        for _ in 0..20 {
            c.op(0x101, &[SW_SET + WORD, BIT]);
            c.op(0x000, &[]);
            c.op(0x101, &[SW_CLR + WORD, BIT]);
            c.op(0x101, &[MASK_CLR + WORD, BIT]);
            log.push(c.target.now());
        }
        (log, c.text(), c.target.stats())
    };
    let first = run(1);
    assert_eq!(first, run(1));
    assert_ne!(first.1, run(2).1, "times of arrival depend on the seed");
}

#[test]
fn a_model_whose_siq_cfg_traps() {
    let mut c = Client::new(&SocModel::builtin("t8140-siq-traps").unwrap());
    let f = c.code(&[mrs_siq(0), RET]);
    c.op(0x007, &[2]);
    assert_eq!(c.op(CALL, &[f | RX]), MARK);
    assert_eq!(c.op(0x008, &[]), 1);
    assert!(c.text().contains("ESR 0x2000000"), "EC 0: {}", c.text());
}

#[test]
fn as_found_is_what_firmware_must_leave() {
    let mut c = Client::new(&t8140());
    c.start(&SECONDARIES);
    let f = c.code(&[movz(0, 1, 0), RET]);
    for i in SECONDARIES {
        c.op(SMP_CALL_SYNC, &[i, f | RX]);
    }
    c.op(CALL, &[f | RX]);
    assert_eq!(c.target.as_found().differences(&c.target.snapshot()), []);
    // A CPU that keeps its own vectors and its own field, and a controller left on.
    let dirty = c.code(&[msr_vbar(0), msr_siq(1), RET]);
    c.op(SMP_CALL_SYNC, &[5, dirty | RX, 0x1_0000_0800, 2]);
    c.op(0x101, &[CONFIG, 1]);
    let texts: Vec<String> = c
        .target
        .as_found()
        .differences(&c.target.snapshot())
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert_eq!(texts[0], "AIC CONFIG: 0x0 before, 0x1 after");
    assert_eq!(texts[1], "CPU 5 SIQ_CFG: 0x3 before, 0x2 after");
    assert!(texts[2].starts_with("CPU 5 VBAR_EL2: 0x"), "{texts:?}");
}

#[test]
fn a_changing_buffer_does_not_match_its_checksum() {
    let mut c = Client::new(&t8140());
    c.start(&[0]);
    let at = c.op(0x602, &[0x4000, 0x20000]);
    // Count in memory for ever.
    let count = c.code(&[add(1, 1, 1), str(1, 0), b(-2)]);
    c.op(SMP_CALL, &[0, count | RX, at + 0x1000, 0]);
    // 128 KiB take 4 ms on the link, after the checksum was taken.
    c.target.send(&client::frame(2, &[at, 0x20000]));
    let r = c.reply().unwrap();
    let mut data = vec![0; 0x20000];
    let mut got = 0;
    while got < data.len() {
        got += c.target.recv(&mut data[got..], Duration::from_secs(1));
    }
    assert_ne!(u64::from(client::checksum(&data)), r.words[0]);
}

#[test]
fn firing_timers_and_stray_ipis_are_acknowledged_by_the_loader() {
    let mut c = Client::new(&t8140());
    // CNTV (CNTHV under VHE): TVAL = 24 (1 us), enabled; wait; give its control register back.
    let f = c.code(&[
        movz(1, 24, 0),
        msr(1, 3, 3, 14, 3, 0),
        movz(1, 1, 0),
        msr(1, 3, 3, 14, 3, 1),
        movz(2, 3000, 0),
        sub(2, 2, 1),
        cbnz(2, -1),
        mrs(0, 3, 3, 14, 3, 1),
        RET,
    ]);
    assert_eq!(c.op(CALL, &[f | RX]), 7, "enabled, masked, firing");
    assert!(c.text().contains("FIQ, timer"), "{}", c.text());
    // An IPI to itself, taken through the loader's vectors.
    let f = c.code(&[
        movz(1, 1, 1),
        msr(1, 3, 5, 15, 0, 1),
        movz(2, 1000, 0),
        sub(2, 2, 1),
        cbnz(2, -1),
        mrs(0, 3, 5, 15, 1, 1),
        RET,
    ]);
    assert_eq!(c.op(CALL, &[f | RX]), 0);
    assert!(c.text().contains("FIQ, fast IPI"), "{}", c.text());
    // The same while the boot CPU sits in the loader.
    c.start(&[0]);
    c.console.clear();
    let f = c.code(&[movz(1, 1, 1), msr(1, 3, 5, 15, 0, 1), RET]);
    c.op(SMP_CALL_SYNC, &[0, f | RX]);
    c.op(0x000, &[]);
    assert!(c.text().contains("FIQ, fast IPI"), "{}", c.text());
    assert_eq!(c.target.stats().ipis, 2);
}

#[test]
fn a_loader_that_does_not_read_event_leaves_the_line_pending() {
    let mut model = t8140();
    model.loader.reads_event = false;
    let mut c = Client::new(&model);
    open_line(&mut c);
    c.op(0x101, &[SW_SET + WORD, BIT]);
    c.op(0x000, &[]);
    let isr = c.code(&[MASK_IF, mrs_isr(0), OPEN_IF, RET]);
    // Taken once on entry, masked from then on.
    assert_eq!(c.op(CALL, &[isr | RX]), 0x80);
    assert_eq!(
        (c.target.stats().loader_took, c.target.stats().taken[0]),
        (0, 0)
    );
}

#[test]
fn an_serror_is_counted_by_the_guard() {
    let mut model = t8140();
    model.faults.outside = virtual_soc::model::Outside::SError;
    let mut c = Client::new(&model);
    let f = c.code(&[ldr_w(0, 0), DSB_SY, ISB, movz(0, 3, 0), RET]);
    c.op(0x007, &[1]);
    assert_eq!(c.op(CALL, &[f | RX, 0x2_0000_0000]), 3);
    assert_eq!(c.op(0x008, &[]), 1);
    assert!(c.text().contains("SError"));
}

#[test]
fn a_secondary_left_open_in_the_loader_takes_what_it_is_offered() {
    let mut c = Client::new(&t8140());
    c.start(&[0]);
    open_line(&mut c);
    let open = c.code(&[msr_siq(0), ISB, OPEN_IF, RET]);
    c.op(SMP_CALL_SYNC, &[0, open | RX, 1]);
    c.op(0x101, &[SW_SET + WORD, BIT]);
    c.op(0x000, &[]);
    // Index 0 is logical CPU 1.
    assert_eq!(
        (c.target.stats().taken[1], c.target.stats().loader_took),
        (1, 1)
    );
    let texts: Vec<String> = c
        .target
        .as_found()
        .differences(&c.target.snapshot())
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(
        texts.contains(&"CPU 1 DAIF: 0xc0 before, 0x0 after".to_owned()),
        "{texts:?}"
    );
}

#[test]
fn the_start_block_can_be_used_without_the_loader() {
    let mut c = Client::new(&t8140());
    const START: u64 = 0x3_4070_0000 + 0x34000;
    // Core 3 of cluster 0, which is index 3.
    c.op(0x101, &[START + 4, 1 << 3]);
    c.op(0x101, &[START + 8, 1 << 3]);
    assert_eq!([c.op(0x505, &[2]), c.op(0x505, &[3])], [0, 1]);
    assert_eq!(
        c.op(0x105, &[0x2_1035_0100]),
        1,
        "its status register says it runs"
    );
    assert_eq!(
        c.op(0x104, &[0x2_1035_0000]) & 1,
        1,
        "its reset vector is locked"
    );
    c.op(0x101, &[START, 1 << 3]);
    assert_eq!(c.op(0x505, &[3]), 0);
}

#[test]
fn a_loader_for_older_machines_writes_siq_cfg() {
    let mut model = t8140();
    model.loader.writes_siq_cfg = Some(2);
    let mut c = Client::new(&model);
    c.start(&SECONDARIES);
    let fields: Vec<u64> = c.target.snapshot().cpus.iter().map(|s| s.siq_cfg).collect();
    assert_eq!(fields, [2; 6]);
    assert_eq!(c.target.as_found().differences(&c.target.snapshot()), []);
}
