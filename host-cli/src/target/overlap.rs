//! Register banks that would lie on each other.
//!
//! Strides and offsets come from a device tree: a wrong one must not make a store to one bank change another.

use aic_regs::aic::{Bank, Geometry};

/// A bank of a die, or a single register.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    first: u64,
    end: u64,
    name: String,
}

/// The first two places of a layout that overlap, in words.
pub(super) fn overlap(g: &Geometry) -> Option<String> {
    let mut places = Vec::new();
    let mut add = |name: String, first: u64, size: u64| {
        let end = first + size;
        places.push(Place { first, end, name });
    };
    for (name, offset) in [
        ("VERSION", g.version),
        ("INFO1", g.info1),
        ("INFO3", g.info3),
        ("CONFIG", g.config),
        ("EVENT", g.event),
    ] {
        // AICv1 has no INFO3: its place repeats INFO1's.
        if name != "INFO3" || g.info3 != g.info1 {
            add(name.to_owned(), offset.into(), 4);
        }
    }
    for die in 0..g.dies {
        let at = |start: u32, stride: u32| u64::from(start) + u64::from(die) * u64::from(stride);
        let lines = u64::from(g.max_irq) * 4;
        add(
            format!("IRQ_CFG of die {die}"),
            at(g.irq_cfg, g.cfg_stride),
            lines,
        );
        for bank in Bank::ALL {
            let start = at(g.bank_start(bank), g.bank_stride(bank));
            add(format!("{bank:?} of die {die}"), start, lines / 32);
        }
    }
    places.sort_by_key(|p| (p.first, p.end));
    let pair = places.windows(2).find(|p| p[0].end > p[1].first)?;
    Some(format!(
        "{} ({:#x} to {:#x}) and {} (from {:#x}) overlap",
        pair[0].name,
        pair[0].first,
        pair[0].end - 1,
        pair[1].name,
        pair[1].first
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_layouts_do_not_overlap() {
        for g in [
            Geometry::v1(896),
            Geometry::v2(1961, 0x1000, 2, 0xc000),
            Geometry::v2(1961, 0x1000, 1, 0xc000),
            Geometry::v3(1504, 0x1000, 4, 0x4_0000),
        ] {
            assert_eq!(overlap(&g), None);
        }
    }

    #[test]
    fn absurd_strides_and_offsets_are_found() {
        let v3 = Geometry::v3(1504, 0x1000, 2, 0x4_0000);
        let text = overlap(&v3.with_strides(0x4a00, 0x200, 0x4a00, 0x4a00)).unwrap();
        assert!(text.contains("die 1") && text.contains("overlap"), "{text}");
        assert!(overlap(&v3.with_strides(4, 4, 4, 4)).is_some());
        assert!(overlap(&v3.with_header(0x1_0000, 4, 12, 20)).is_some());
        assert!(overlap(&v3.with_irq_cfg(0)).is_some());
        let one = Geometry::v3(1504, 0x1000, 1, 0x1_4000);
        assert!(overlap(&one).unwrap().contains("EVENT"));
    }
}
