// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fake system registers behave as the back-end promises.

use aic_regs::guard::Trap;
use aic_regs::sysreg::{
    CNTPCT, Encoding, FakeSysRegs, GuardedWritable, HID1, IPI_RR_GLOBAL, IPI_SR, IpiRequest, IpiSr,
    IpiType, MPIDR, Mpidr, SIQ_CFG, SiqCfg, SysRegAccess, SysRegs, SystemRegister, Writable,
};

const UNDEFINED: u64 = 0x0200_0000;

fn write<R: Writable>(cpu: &FakeSysRegs, value: R::Value) {
    // SAFETY: a fake has no state that could become unsound.
    unsafe { cpu.write::<R>(value) }
}

fn write_guarded<R: GuardedWritable>(cpu: &FakeSysRegs, value: R::Value) -> Result<(), Trap> {
    // SAFETY: a fake has no state that could become unsound.
    unsafe { cpu.write_guarded::<R>(value) }
}

#[test]
fn values_are_kept_and_accesses_logged_in_order() {
    let cpu = FakeSysRegs::new();
    cpu.set::<SIQ_CFG>(SiqCfg(3));
    assert_eq!(cpu.read::<SIQ_CFG>().routing(), 3);
    write::<SIQ_CFG>(&cpu, SiqCfg(3).with_routing(2));
    cpu.isb();
    cpu.dsb();
    let siq = SIQ_CFG::ENCODING;
    assert_eq!(
        cpu.take_log(),
        [
            SysRegAccess::Read(siq, Some(3)),
            SysRegAccess::Write(siq, 2, true),
            SysRegAccess::Isb,
            SysRegAccess::Dsb
        ]
    );
    assert_eq!(cpu.clone().get::<SIQ_CFG>().routing(), 2);
    assert_eq!(cpu.take_log(), []);
}

#[test]
fn a_trap_is_the_answer_of_a_guarded_access() {
    let cpu = FakeSysRegs::new();
    cpu.set::<SIQ_CFG>(SiqCfg(1));
    cpu.trap_reads::<SIQ_CFG>(Some(UNDEFINED));
    cpu.trap_writes::<SIQ_CFG>(Some(UNDEFINED));
    let trap = Trap { esr: UNDEFINED };
    assert_eq!(cpu.read_guarded::<SIQ_CFG>(), Err(trap));
    assert_eq!(write_guarded::<SIQ_CFG>(&cpu, SiqCfg(0)), Err(trap));
    assert_eq!(cpu.get::<SIQ_CFG>(), SiqCfg(1));
    cpu.trap_reads::<SIQ_CFG>(None);
    cpu.trap_writes::<SIQ_CFG>(None);
    assert_eq!(write_guarded::<SIQ_CFG>(&cpu, SiqCfg(0)), Ok(()));
    assert_eq!(cpu.read_guarded::<SIQ_CFG>(), Ok(SiqCfg(0)));
}

#[test]
#[should_panic(expected = "unguarded read of SIQ_CFG_EL1: trapped, ESR 0x2000000 (EC 0x00")]
fn an_unguarded_read_that_traps_fails_the_test() {
    let cpu = FakeSysRegs::new();
    cpu.trap_reads::<SIQ_CFG>(Some(UNDEFINED));
    let _ = cpu.read::<SIQ_CFG>();
}

#[test]
fn acknowledging_clears_the_pending_ipi() {
    let cpu = FakeSysRegs::new();
    cpu.set::<IPI_SR>(IpiSr(1));
    assert!(cpu.read::<IPI_SR>().pending());
    write::<IPI_SR>(&cpu, IpiSr(0));
    assert!(cpu.read::<IPI_SR>().pending(), "zeros do nothing");
    write::<IPI_SR>(&cpu, IpiSr::ACKNOWLEDGE);
    assert!(!cpu.read::<IPI_SR>().pending());
}

#[test]
fn the_counter_advances_by_its_step() {
    let cpu = FakeSysRegs::new();
    assert_eq!((cpu.read::<CNTPCT>(), cpu.read::<CNTPCT>()), (0, 0));
    cpu.set_counter_step(24);
    cpu.set::<CNTPCT>(u64::MAX);
    assert_eq!((cpu.read::<CNTPCT>(), cpu.read::<CNTPCT>()), (u64::MAX, 23));
}

#[test]
fn only_listed_registers_are_read_by_encoding() {
    let cpu = FakeSysRegs::new();
    cpu.set::<MPIDR>(Mpidr(0x8001_0100));
    assert_eq!(
        cpu.read_guarded_by_encoding(MPIDR::ENCODING),
        Some(Ok(0x8001_0100))
    );
    cpu.trap_reads::<SIQ_CFG>(Some(UNDEFINED));
    assert_eq!(
        cpu.read_guarded_by_encoding(SIQ_CFG::ENCODING),
        Some(Err(Trap { esr: UNDEFINED }))
    );
    assert_eq!(
        cpu.read_guarded_by_encoding(IPI_RR_GLOBAL::ENCODING),
        None,
        "write-only"
    );
    assert_eq!(
        cpu.read_guarded_by_encoding(HID1::ENCODING),
        None,
        "described only"
    );
}

#[test]
fn requests_are_written_as_they_are() {
    let cpu = FakeSysRegs::new();
    let request = IpiRequest::global(Mpidr(0x8001_0203), IpiType::Immediate);
    write::<IPI_RR_GLOBAL>(&cpu, request);
    assert_eq!(
        cpu.take_log(),
        [SysRegAccess::Write(
            Encoding::new(3, 5, 15, 0, 1),
            0x2_0003,
            true
        )]
    );
}

#[test]
fn fault_words_hold_the_syndrome() {
    assert_eq!(Trap::from_fault_word(0), None);
    assert_eq!(
        Trap::from_fault_word(Trap::fault_word(0)),
        Some(Trap { esr: 0 }),
        "ESR 0 is a fault too"
    );
    assert_eq!(
        Trap::from_fault_word(Trap::fault_word(UNDEFINED)),
        Some(Trap { esr: UNDEFINED })
    );
    let abort = Trap { esr: 0x9600_0010 };
    assert_eq!(
        abort.to_string(),
        "trapped, ESR 0x96000010 (EC 0x25: data abort)"
    );
}
