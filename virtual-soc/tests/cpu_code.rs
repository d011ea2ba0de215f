//! Decoded code follows memory: self-modifying code, aliases, code pages that become data.

mod cpu_support;

use cpu_support::a64::*;
use cpu_support::*;
use virtual_soc::cpu::Time;

#[test]
fn a_store_to_code_takes_effect() {
    // The third instruction is patched by the second, after it was executed once.
    let words = [
        b(2),
        str_w(2, 1),
        movz(0, 1, 0),
        cbnz(3, 3),
        movz(3, 1, 0),
        b(-4),
        b(0),
    ];
    let mut m = start(&words);
    mmu_on(&mut m, 0);
    m.cores[0].set_x(1, CODE + 8);
    m.cores[0].set_x(2, u64::from(movz(0, 2, 0)));
    steps(&mut m, 2);
    assert_eq!(m.cores[0].x(0), 1);
    steps(&mut m, 5);
    assert_eq!(m.cores[0].x(0), 2);
}

#[test]
fn the_host_and_other_cores_can_patch_too() {
    let mut m = machine(2);
    put(&mut m, CODE, &[movz(0, 1, 0), b(-1)]);
    put(&mut m, CODE + 0x2000, &[str_w(2, 1), b(0)]);
    boot(&mut m, 0, CODE);
    boot(&mut m, 1, CODE + 0x2000);
    m.cores[1].set_x(1, CODE);
    m.cores[1].set_x(2, u64::from(movz(0, 2, 0)));
    steps(&mut m, 4);
    assert_eq!(m.cores[0].x(0), 1);
    m.step_core(1);
    steps(&mut m, 2);
    assert_eq!(m.cores[0].x(0), 2);
    put(&mut m, CODE, &[movz(0, 3, 0)]);
    steps(&mut m, 2);
    assert_eq!(m.cores[0].x(0), 3);
    m.ram.fill(CODE, 0x1000, 0).expect("in RAM");
    m.step_core(0);
    assert_eq!(
        (ec(get(&m, ESR_EL2)), get(&m, ELR_EL2)),
        (0, CODE),
        "a whole page overwritten: UNDEFINED now"
    );
}

#[test]
fn writes_through_a_cached_translation_are_seen() {
    // The page is written (so it is in the write TLB) before it becomes code, and again after.
    let target = DATA + 0x400;
    let mut m = start(&[str_w(2, 1), blr(1), str_w(3, 1), blr(1), b(0)]);
    mmu_on(&mut m, 0);
    put(&mut m, target, &[NOP, RET]);
    m.cores[0].set_x(1, target);
    m.cores[0].set_x(2, u64::from(movz(0, 5, 0)));
    m.cores[0].set_x(3, u64::from(movz(0, 6, 0)));
    steps(&mut m, 4);
    assert_eq!(m.cores[0].x(0), 5);
    steps(&mut m, 4);
    assert_eq!(m.cores[0].x(0), 6);
}

#[test]
fn another_core_s_cached_translation_is_no_way_around() {
    // Core 1 can write the page before core 0 executes from it for the first time.
    let target = DATA + 0x400;
    let mut m = machine(2);
    put(&mut m, CODE, &[str_w(2, 1), str_w(3, 1), b(0)]);
    put(&mut m, target, &[NOP, b(-1)]);
    for (cpu, entry) in [(0, target), (1, CODE)] {
        boot(&mut m, cpu, entry);
        mmu_on(&mut m, cpu);
        m.cores[cpu].set_x(1, target);
        m.cores[cpu].set_x(2, u64::from(movz(0, 5, 0)));
        m.cores[cpu].set_x(3, u64::from(movz(0, 6, 0)));
    }
    m.step_core(1);
    steps(&mut m, 2);
    assert_eq!(m.cores[0].x(0), 5);
    m.step_core(1);
    steps(&mut m, 2);
    assert_eq!(m.cores[0].x(0), 6);
}

#[test]
fn a_page_of_code_and_data_works_however_often_it_is_written() {
    // A counter in the same page as the loop, more writes than it takes to stop being code.
    let words = [
        ldr(0, 1, 0),
        add_imm(0, 0, 1),
        str(0, 1, 0),
        subs_imm(2, 2, 1),
        cbnz(2, -4),
        b(0),
    ];
    for mmu in [false, true] {
        let mut m = start(&words);
        if mmu {
            mmu_on(&mut m, 0);
        }
        m.cores[0].set_x(1, CODE + 0x800);
        m.cores[0].set_x(2, 1000);
        m.run(Time::from_micros(10));
        assert_eq!(m.ram.read_u64(CODE + 0x800), Ok(1000));
        assert_eq!(m.cores[0].pc(), CODE + 20);
    }
}

#[test]
fn code_runs_on_across_pages_and_back() {
    let mut m = start(&[]);
    mmu_on(&mut m, 0);
    let end = CODE + 0x1000;
    put(
        &mut m,
        end - 8,
        &[movz(0, 1, 0), movz(1, 2, 0), movz(2, 3, 0), b(-0x3ff)],
    );
    put(&mut m, end + 8 - 0x1000, &[b(0)]);
    m.cores[0].set_pc(end - 8);
    m.run(Time(1));
    let c = &m.cores[0];
    assert_eq!((c.x(0), c.x(1), c.x(2), c.pc()), (1, 2, 3, CODE + 8));
    assert_eq!(c.insns(), 100);
}
