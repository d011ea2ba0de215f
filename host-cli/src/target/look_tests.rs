//! Lines whose inputs do something, on a controller made of a list.

use std::time::Duration;

use adt::{Adt, NodeBuilder};
use aic_regs::aic::{Bank, Geometry};
use protocol::LineId;

use super::{
    AicFacts, Level, Levels, LineMap, Objection, Registers, SocFacts, Target, Watch, check_lines,
    find_spare,
};
use crate::error::{Error, exit};

/// What the registers read.
#[derive(Default)]
struct Inputs {
    now: Duration,
    high: Vec<LineId>,
    /// Line, and how long it stays as it is.
    toggling: Vec<(LineId, Duration)>,
    set: Vec<LineId>,
    routed: Vec<(LineId, u32)>,
    reads: usize,
}

struct Fake {
    aic: AicFacts,
    inputs: Inputs,
}

impl Registers for Fake {
    fn read32(&mut self, addr: u64) -> Result<u32, Error> {
        self.inputs.reads += 1;
        // A read takes some time of its own.
        self.inputs.now += Duration::from_micros(3);
        let offset = u32::try_from(addr - self.aic.base).unwrap();
        let g = &self.aic.geometry;
        let i = &self.inputs;
        for die in 0..g.dies as u8 {
            for number in 0..g.nr_irq as u16 {
                let place = g.irq_cfg + u32::from(die) * g.cfg_stride + u32::from(number) * 4;
                if place == offset {
                    let line = LineId { die, number };
                    return Ok(i
                        .routed
                        .iter()
                        .find(|(of, _)| *of == line)
                        .map_or(0, |r| r.1));
                }
            }
            for word in 0..g.words_per_die() {
                let of = |lines: &[LineId]| {
                    let here = lines
                        .iter()
                        .filter(|l| l.die == die && u32::from(l.number) / 32 == word);
                    here.fold(0, |bits, l| bits | 1 << (l.number % 32))
                };
                if g.bank_offset(Bank::HwState, die, word) == Some(offset) {
                    let up = |(line, half): &(LineId, Duration)| {
                        let odd = i.now.as_micros() / half.as_micros() % 2 == 1;
                        odd.then_some(*line)
                    };
                    let up: Vec<LineId> = i.toggling.iter().filter_map(up).collect();
                    return Ok(of(&i.high) | of(&up));
                }
                if g.bank_offset(Bank::SwSet, die, word) == Some(offset) {
                    return Ok(of(&i.set));
                }
            }
        }
        panic!("a read of {offset:#x}: nothing else is looked at");
    }

    fn pause(&mut self, time: Duration) -> Result<(), Error> {
        self.inputs.now += time;
        Ok(())
    }
}

const fn line(number: u16) -> LineId {
    LineId { die: 0, number }
}

/// The shape of T6050 around its dockchannel: 360 is named and silent, 702 is named by nothing and live.
fn target() -> Target {
    let node = |name: &str, lines: &[u32]| NodeBuilder::new(name).prop_u32s("interrupts", lines);
    let named: Vec<u32> = (1..650).chain(760..1000).collect();
    let io = NodeBuilder::new("arm-io")
        .prop_u32("interrupt-parent", 1)
        .child(
            NodeBuilder::new("aic")
                .prop_str("compatible", "aic,3")
                .prop_u32("AAPL,phandle", 1),
        )
        .child(node("others", &named))
        .child(node("dockchannel-uart", &[360]));
    let blob = NodeBuilder::new("device-tree").child(io).build().unwrap();
    let aic = AicFacts {
        base: 0x2_8040_0000,
        bus: None,
        size: 0x1c_c000,
        geometry: Geometry::v3(1000, 0x1000, 1, 0x4_0000),
        strides: [0; 4],
    };
    Target {
        soc: SocFacts::default(),
        cpus: Vec::new(),
        lines: LineMap::from_tree(&Adt::new(&blob).unwrap(), &aic.geometry),
        aic,
        marks: Vec::new(),
        tree: blob.into(),
    }
}

fn with(inputs: Inputs) -> (Target, Fake) {
    let target = target();
    let aic = target.aic;
    (target, Fake { aic, inputs })
}

#[test]
fn a_live_line_that_the_tree_misses_is_never_chosen() {
    // The gap is 650 to 759, its middle 704.
    let (target, mut quiet) = with(Inputs::default());
    assert_eq!(find_spare(&mut quiet, &target).unwrap(), line(704));
    assert!(quiet.inputs.now >= Watch::BEFORE_FIRING.time);
    let half = Duration::from_millis(3);
    let toggling = [702, 703, 704].map(|n| (line(n), half)).to_vec();
    let high = vec![line(705)];
    let (target, mut live) = with(Inputs {
        toggling,
        high,
        ..Inputs::default()
    });
    assert_eq!(find_spare(&mut live, &target).unwrap(), line(706));
    let error = check_lines(&mut live, &target, &[line(702)], false).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("line 0:702 is refused: it toggles (HW_STATE)"),
        "{text}"
    );
    assert!(
        text.ends_with("; --force-line fires it all the same"),
        "{text}"
    );
    assert_eq!(error.exit_code(), exit::UNSAFE);
    let forced = check_lines(&mut live, &target, &[line(702)], true).unwrap();
    assert_eq!(forced, [(line(702), vec![Objection::Toggles])]);
}

#[test]
fn a_line_that_moves_once_a_while_is_seen_by_a_longer_look() {
    let (target, mut live) = with(Inputs {
        toggling: vec![(line(702), Duration::from_millis(70))],
        ..Inputs::default()
    });
    let watch = Watch {
        time: Duration::from_millis(200),
        looks: 21,
    };
    let levels = Levels::of_all(&mut live, &target.aic, watch, &mut || false).unwrap();
    assert_eq!(levels.of(line(702)), Some(Level::Toggles));
    assert_eq!(levels.of(line(701)), Some(Level::Low));
    assert_eq!(levels.ever_high().collect::<Vec<_>>(), [line(702)]);
    assert_eq!(live.inputs.reads, 21 * 32, "1000 lines in 32 words");
    // Who stops gets what was seen until then.
    let levels = Levels::of_all(&mut live, &target.aic, watch, &mut || true).unwrap();
    assert!(levels.of(line(702)).is_some() && live.inputs.reads == 22 * 32);
}

#[test]
fn every_test_that_fails_is_named() {
    let (target, mut live) = with(Inputs {
        high: vec![line(360)],
        set: vec![line(360)],
        routed: vec![(line(360), 10), (line(700), 3)],
        ..Inputs::default()
    });
    let error = check_lines(&mut live, &target, &[line(360)], false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 0:360 is refused: in use: /arm-io/others names it; in use: /arm-io/dockchannel-uart names it; \
         it is high already (HW_STATE): something drives it; it is set by software already (SW_SET); \
         it is routed to target 10 (IRQ_CFG); --force-line fires it all the same"
    );
    let forced = check_lines(&mut live, &target, &[line(360)], true).unwrap();
    assert!(forced[0].1.iter().any(Objection::is_live), "{forced:?}");
    // Two lines: each is tested.
    let second = check_lines(&mut live, &target, &[line(704), line(700)], false).unwrap_err();
    assert!(second.to_string().contains("0:700"), "{second}");
    let both = check_lines(&mut live, &target, &[line(704), line(700)], true).unwrap();
    assert_eq!(both[0].1, []);
    assert_eq!(both[1].1, [Objection::Routed(3)]);
    assert!(
        check_lines(&mut live, &target, &[], false)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn lines_that_do_not_exist_are_usage_and_never_forced() {
    let (target, mut live) = with(Inputs::default());
    for number in [0, 1000, 4095, u16::MAX] {
        for force in [false, true] {
            let error = check_lines(&mut live, &target, &[line(number)], force).unwrap_err();
            assert_eq!(error.exit_code(), exit::USAGE, "{error}");
            assert!(!error.to_string().contains("--force-line"), "{error}");
        }
    }
    let other = LineId { die: 1, number: 5 };
    let error = check_lines(&mut live, &target, &[other], false).unwrap_err();
    assert!(error.to_string().contains("1 to 999 on die 0"), "{error}");
    assert_eq!(live.inputs.reads, 0, "nothing is read for them");
}

#[test]
fn where_everything_is_high_there_is_no_spare_line() {
    let (target, mut live) = with(Inputs {
        high: (650..760).map(line).collect(),
        ..Inputs::default()
    });
    let error = find_spare(&mut live, &target).unwrap_err();
    assert!(error.to_string().contains("tried 64 lines"), "{error}");
    assert_eq!(error.exit_code(), exit::UNSAFE);
}
