// SPDX-License-Identifier: MIT OR Apache-2.0
//! AICv1 on its fake: targets, IPIs, views of other CPUs, and that later generations are left alone.

use aic_regs::aic::{
    Aic, Bank, CpuView, EventKind, EventWord, Geometry, GeometryError, IpiFlags, IpiSend, Line,
    LineHandle, TargetCpu, Timebase,
};
use aic_regs::mmio::{Access, FakeMmio, Mmio};
use proptest::prelude::*;
use std::cell::RefCell;

const T8103: Geometry = Geometry::v1(896);

/// A controller that is on, as CPU 0 sees it.
fn controller() -> (FakeMmio, Aic<FakeMmio>) {
    let fake = FakeMmio::new(T8103);
    fake.poke(0x10, 0xe047_7971);
    (fake.clone(), Aic::new(fake, T8103))
}

fn on_cpu(fake: &FakeMmio, cpu: u8) -> Aic<FakeMmio> {
    Aic::new(fake.as_cpu(cpu), T8103)
}

fn handle(number: u16) -> LineHandle {
    T8103
        .line(Line { die: 0, number })
        .expect("the test names lines that exist")
}

fn view(aic: &Aic<FakeMmio>, cpu: u8) -> CpuView<'_, FakeMmio> {
    aic.cpu_view(cpu)
        .expect("the test names CPUs that a view exists of")
}

const WRITE: fn(u32, u32) -> Access = |off, value| Access::Write { off, value };

#[test]
fn the_layout_is_the_published_one() {
    let g = T8103;
    assert_eq!((g.version, g.info1, g.config), (0x0, 0x4, 0x10));
    assert_eq!((g.event, g.irq_cfg, g.sw_set), (0x2004, 0x3000, 0x4000));
    assert_eq!((g.sw_clr, g.mask_set), (0x4080, 0x4100));
    assert_eq!((g.mask_clr, g.hw_state), (0x4180, 0x4200));
    assert_eq!((g.nr_irq, g.max_irq, g.dies), (896, 0x400, 1));
    assert_eq!(g.bank_offset(Bank::HwState, 0, 31), Some(0x427c));
    assert_eq!(g.bank_offset(Bank::HwState, 0, 32), None);
    assert_eq!(g.extent(), 0x5f80);
    assert_eq!(g.check(), Ok(()));
    assert!(
        g.line(Line {
            die: 0,
            number: 895
        })
        .is_some()
    );
    assert!(
        g.line(Line {
            die: 0,
            number: 896
        })
        .is_none()
    );
    assert!(g.line(Line { die: 1, number: 0 }).is_none());
}

#[test]
fn other_sizes_than_those_of_v1_are_refused() {
    let two = Geometry { dies: 2, ..T8103 };
    let wide = Geometry {
        max_irq: 0x800,
        ..T8103
    };
    let refusal = |dies, max_irq| Err(GeometryError::NotV1 { dies, max_irq });
    assert_eq!(two.check(), refusal(2, 0x400));
    assert_eq!(wide.check(), refusal(1, 0x800));
    let text = two.check().unwrap_err().to_string();
    assert!(text.contains("2 dies") && text.contains("1024"), "{text}");
    let none = Geometry::v1(0).check();
    assert!(matches!(none, Err(GeometryError::NrIrq { nr_irq: 0, .. })));
    let many = Geometry::v1(1025).check();
    assert!(matches!(
        many,
        Err(GeometryError::NrIrq { nr_irq: 1025, .. })
    ));
}

#[test]
fn each_operation_is_one_access_at_the_published_offset() {
    let (fake, aic) = controller();
    let line = handle(605); // word 18, bit 29
    aic.set_target_cpu(&line, TargetCpu::cpu(5));
    aic.sw_set(&line);
    aic.sw_clr(&line);
    aic.mask(&line);
    aic.unmask(&line);
    aic.ipi_send(IpiSend::to(3).and(IpiSend::SELF));
    aic.ipi_ack(IpiFlags::BOTH);
    aic.ipi_mask_set(IpiFlags::SELF);
    aic.ipi_mask_clr(IpiFlags::OTHER);
    let third = view(&aic, 3);
    third.ipi_set(IpiFlags::OTHER);
    third.ipi_clr(IpiFlags::OTHER);
    third.ipi_mask_set(IpiFlags::SELF);
    third.ipi_mask_clr(IpiFlags::SELF);
    assert_eq!(
        fake.take_log(),
        [
            WRITE(0x3000 + 605 * 4, 1 << 5),
            WRITE(0x4000 + 18 * 4, 1 << 29),
            WRITE(0x4080 + 18 * 4, 1 << 29),
            WRITE(0x4100 + 18 * 4, 1 << 29),
            WRITE(0x4180 + 18 * 4, 1 << 29),
            WRITE(0x2008, 1 << 31 | 1 << 3),
            WRITE(0x200c, 1 << 31 | 1),
            WRITE(0x2024, 1 << 31),
            WRITE(0x2028, 1),
            WRITE(0x5188, 1),
            WRITE(0x518c, 1),
            WRITE(0x51a4, 1 << 31),
            WRITE(0x51a8, 1 << 31),
        ]
    );
}

#[test]
fn the_header_is_at_its_offsets() {
    let (fake, aic) = controller();
    for (off, value) in [(0x0, 7), (0x4, 0x000a_0380), (0x8, 0x0018_0018), (0xc, 1)] {
        fake.poke(off, value);
    }
    assert_eq!(aic.version().version(), 7);
    let cap0 = aic.cap0().unwrap();
    assert_eq!((cap0.nr_irq(), cap0.last_target()), (896, 10));
    assert_eq!((aic.info1().nr_irq(), aic.info1().last_die()), (896, 0));
    assert_eq!(aic.cap1().unwrap().bits(), 0x0018_0018);
    assert_eq!(aic.reset_state().bits(), 1);
    fake.take_log();
    assert_eq!((aic.info3().max_irq(), aic.info3().max_die()), (1024, 1));
    assert_eq!(fake.take_log(), [], "AICv1 has no INFO3");
}

#[test]
fn glb_cfg_has_the_fields_of_the_notes() {
    let (fake, aic) = controller();
    let mut config = aic.glb_cfg().unwrap();
    assert!(config.enable() && aic.config().enable());
    let waits = [
        config.wait_0(),
        config.wait_1(),
        config.wait_2(),
        config.wait_3(),
    ];
    assert_eq!((waits, config.clock_gates()), ([7, 9, 7, 7], 7));
    config.set_enable(false);
    aic.set_glb_cfg(config);
    assert_eq!(fake.peek(0x10), 0xe047_7970);
}

#[test]
fn a_line_goes_to_the_cpu_that_its_target_names() {
    let (fake, aic) = controller();
    let line = handle(605);
    aic.sw_set(&line);
    assert!((0..32).all(|cpu| !fake.as_cpu(cpu).irq_pending()));
    aic.set_target_cpu(&line, TargetCpu::cpu(5));
    assert_eq!(aic.target_cpu(&line), TargetCpu::cpu(5));
    let offered: Vec<u8> = (0..32)
        .filter(|cpu| fake.as_cpu(*cpu).irq_pending())
        .collect();
    assert_eq!(offered, [5]);
    assert!(aic.event().is_none());
    assert_eq!(on_cpu(&fake, 5).event().line(), Some(line.line()));
    assert!(aic.is_masked(&line) && !fake.as_cpu(5).irq_pending());
    aic.unmask(&line);
    assert_eq!(view(&aic, 5).event().line(), Some(line.line()));
}

#[test]
fn with_several_targets_any_of_them_may_take_the_line_once() {
    let (fake, aic) = controller();
    let line = handle(33);
    let both = TargetCpu::cpu(1).and(TargetCpu::cpu(31));
    assert!(both.contains(1) && both.contains(31) && !both.contains(0));
    aic.set_target_cpu(&line, both);
    aic.sw_set(&line);
    assert!(fake.as_cpu(1).irq_pending() && fake.as_cpu(31).irq_pending());
    assert!(!on_cpu(&fake, 31).event().is_none());
    assert!(on_cpu(&fake, 1).event().is_none());
    assert_eq!(TargetCpu::cpu(32), TargetCpu::NONE);
}

/// What M1 was measured to do with an IPI that CPU 0 sends to CPU 0 as "other".
#[test]
fn an_ipi_is_masked_by_its_event_and_pending_until_it_is_acknowledged() {
    let (fake, aic) = controller();
    aic.ipi_send(IpiSend::to(0));
    assert!(fake.irq_pending());
    assert_eq!(aic.event(), EventWord(0x0004_0001));
    assert!(!fake.irq_pending());
    for off in [0x2008, 0x200c, 0x2024, 0x2028, 0x5008, 0x500c] {
        assert_eq!(aic.mmio().read32(off), 1, "{off:#x}");
    }
    aic.ipi_mask_clr(IpiFlags::OTHER);
    assert_eq!(aic.event(), EventWord(0x0004_0001), "still pending");
    aic.ipi_ack(IpiFlags::OTHER);
    aic.ipi_mask_clr(IpiFlags::OTHER);
    assert_eq!(aic.ipi_pending(), IpiFlags::NONE);
    assert!(aic.event().is_none());
}

#[test]
fn ipis_reach_their_cpu_and_self_means_the_sender() {
    let (fake, _) = controller();
    let second = on_cpu(&fake, 2);
    second.ipi_send(IpiSend::SELF.and(IpiSend::to(7)));
    let pending: Vec<_> = (0..31)
        .map(|cpu| (cpu, view(&second, cpu).ipi_pending()))
        .filter(|(_, flags)| *flags != IpiFlags::NONE)
        .collect();
    assert_eq!(pending, [(2, IpiFlags::SELF), (7, IpiFlags::OTHER)]);
    assert_eq!(second.event().decode(), EventKind::Ipi(2));
    let seventh = on_cpu(&fake, 7);
    seventh.ipi_mask_set(IpiFlags::OTHER);
    assert_eq!(view(&second, 7).ipi_masked(), IpiFlags::OTHER);
    assert!(seventh.event().is_none());
    view(&second, 7).ipi_mask_clr(IpiFlags::OTHER);
    assert_eq!(seventh.event().decode(), EventKind::Ipi(1));
    assert_eq!(IpiSend::to(31), IpiSend(0), "bit 31 is the sender");
}

#[test]
fn self_comes_before_other_and_both_before_lines() {
    let (fake, aic) = controller();
    let line = handle(0);
    aic.set_target_cpu(&line, TargetCpu::cpu(0));
    aic.sw_set(&line);
    aic.ipi_send(IpiSend::to(0).and(IpiSend::SELF));
    let order = [(); 4].map(|()| aic.event().0);
    assert_eq!(order, [0x0004_0002, 0x0004_0001, 0x0001_0000, 0]);
    fake.poke(0x10, 0);
    aic.unmask(&line);
    aic.ipi_mask_clr(IpiFlags::BOTH);
    assert!(aic.event().is_none(), "off");
}

#[test]
fn whoami_is_the_number_of_the_accessing_cpu_and_of_a_view_its_own() {
    let (fake, aic) = controller();
    assert_eq!(aic.whoami().unwrap().cpu(), 0);
    assert_eq!(on_cpu(&fake, 6).whoami().unwrap().cpu(), 6);
    assert_eq!(view(&aic, 6).whoami().cpu(), 6);
    assert_eq!(aic.cpu_view(30).map(|view| view.whoami().cpu()), Some(30));
    assert!(aic.cpu_view(31).is_none());
}

#[test]
fn what_a_generation_lacks_is_never_accessed() {
    let (fake, aic) = controller();
    assert_eq!(aic.delay_group(0), None);
    let words = [
        aic.timeout().bits(),
        aic.cluster_priority().bits(),
        aic.counter().bits(),
        aic.latency().bits(),
        aic.idle_clusters().bits(),
        aic.timestamp().bits(),
        aic.info2().bits(),
    ];
    assert_eq!((words, fake.take_log()), ([0; 7], vec![]));

    let v3 = Geometry::v3(1504, 4096, 1, 0x40000);
    let fake = FakeMmio::new(v3);
    let aic = Aic::new(fake.clone(), v3);
    let line = aic.line(Line { die: 0, number: 5 }).unwrap();
    aic.set_target_cpu(&line, TargetCpu::cpu(0));
    aic.ipi_send(IpiSend::to(0));
    aic.ipi_ack(IpiFlags::BOTH);
    aic.ipi_mask_set(IpiFlags::BOTH);
    aic.ipi_mask_clr(IpiFlags::BOTH);
    aic.set_glb_cfg(aic_regs::aic::GlbCfg(1));
    assert!(aic.whoami().is_none() && aic.cpu_view(0).is_none());
    assert!(aic.cap0().is_none() && aic.cap1().is_none() && aic.glb_cfg().is_none());
    assert_eq!(aic.target_cpu(&line), TargetCpu::NONE);
    assert_eq!((aic.ipi_pending(), aic.ipi_masked()), Default::default());
    assert_eq!(fake.take_log(), []);
}

/// A counter that advances by `step` between any two reads of its page.
struct Running(RefCell<u64>, u64);

impl Mmio for Running {
    fn read32(&self, off: u32) -> u32 {
        let now = *self.0.borrow();
        *self.0.borrow_mut() += self.1;
        match off {
            0x20 => now as u32,
            0x28 => (now >> 32) as u32,
            other => panic!("read at {other:#x}"),
        }
    }

    fn write32(&self, off: u32, _: u32) {
        panic!("write at {off:#x}");
    }
}

proptest! {
    #[test]
    fn the_mirror_of_the_counter_is_never_torn(start: u64, step in 0_u64..1000) {
        let start = start >> 1;
        for start in [start, start | 0xffff_ff00, (start | 0xffff_ffff) - step] {
            let count = Timebase::new(Running(RefCell::new(start), step)).count();
            prop_assert!((start..=start + 4 * step).contains(&count), "{start:#x} {count:#x}");
        }
    }

    #[test]
    fn every_line_is_delivered_once_to_its_cpu(lines in proptest::collection::btree_map(0_u16..896, 0_u8..8, 0..40)) {
        let (fake, aic) = controller();
        for (number, cpu) in &lines {
            aic.set_target_cpu(&handle(*number), TargetCpu::cpu(*cpu));
            aic.sw_set(&handle(*number));
        }
        for cpu in 0..8 {
            let own = on_cpu(&fake, cpu);
            let mut seen = Vec::new();
            while let Some(line) = own.event().line() {
                seen.push(line.number);
            }
            let expected: Vec<u16> = lines.iter().filter(|(_, to)| **to == cpu).map(|(number, _)| *number).collect();
            prop_assert_eq!(seen, expected);
        }
    }
}
