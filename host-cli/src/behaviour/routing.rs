//! Who gets an interrupt: fields, masks, TARGET nibbles, ENABLE, exception level.

use protocol::command::{Action, IpiCell, Reach, Receive};

use crate::plan::{Question, Routing};
use crate::session::Reply;

use super::Observation;
use super::lab::{CellExt as _, Judge, Lab, NO_ACCEPTOR, about_cell, hits, landed, untried};

const SECONDARY: &str = "there is no secondary";
const V1: &str = "AICv1 routes by TARGET_CPU, not by fields";

/// Row 2: a CPU that waits at EL1, with each accepting field.
pub fn at_el1(lab: &mut Lab<'_>) -> Judge {
    const IDS: [(&str, &str); 3] = [
        (
            "el1-field-0-delivers-once",
            "an interrupt for a CPU at EL1 with field 0 comes exactly once",
        ),
        (
            "el1-field-1-delivers-once",
            "an interrupt for a CPU at EL1 with field 1 comes exactly once",
        ),
        (
            "el1-field-2-delivers-once",
            "an interrupt for a CPU at EL1 with field 2 comes exactly once",
        ),
    ];
    if lab.cpus() < 2 {
        return untried(2, &IDS, SECONDARY);
    }
    let mut cells = Vec::new();
    for (value, (id, claim)) in (0u8..).zip(IDS) {
        let mut cell = lab.accepting(&[1]);
        if !lab.is_v1() {
            cell.fields[1] = Some(value);
        }
        cell.special.at_el1 = 1 << 1;
        // It brings the value that it is about.
        cells.push((lab.add_any(cell), id, claim));
        if lab.is_v1() {
            break;
        }
    }
    let judges: Vec<Judge> = cells
        .into_iter()
        .map(|(cell, id, claim)| {
            about_cell(cell, id, 2, claim, |m| {
                let odd = m.lost + m.duplicate + m.spurious;
                (landed(m, 1).saturating_sub(m.duplicate), odd)
            })
        })
        .collect();
    Box::new(move |e| judges.iter().flat_map(|j| j(e)).collect())
}

/// Row 3: nobody accepts, then one CPU does.
pub fn pending_until_accepted(lab: &mut Lab<'_>) -> Judge {
    const ID: &str = "pending-until-accepted";
    const CLAIM: &str =
        "an interrupt that no CPU accepts waits, and lands on the CPU that accepts later";
    if lab.is_v1() {
        return untried(3, &[(ID, CLAIM)], V1);
    }
    let cpu = lab.cpus() - 1;
    let cell = lab
        .accepting(&[])
        .step(200, cpu, Action::SetField(lab.accept()));
    let early = u64::from(200 * 9 / 10u32);
    let cell = lab.add(cell);
    about_cell(cell, ID, 3, CLAIM, move |m| {
        // The shortest latency tells whether one came before the release; there are 24 ticks or more to a microsecond.
        let before = m.min_ticks < early && m.latencies > 0;
        let held = landed(m, cpu).min(hits(m, 0));
        if before {
            (0, m.fired)
        } else {
            (held, m.fired - held)
        }
    })
}

/// Row 5: two CPUs accept, the one that would get the interrupt masks it for a while.
pub fn masked_gives_way(lab: &mut Lab<'_>) -> Judge {
    const ID: &str = "masked-acceptor-gives-way";
    const CLAIM: &str = "an interrupt moves from an acceptor that masks it to one that does not";
    if lab.cpus() < 2 {
        return untried(5, &[(ID, CLAIM)], SECONDARY);
    }
    let cells: Vec<(u32, u8)> = [(0, 1), (1, 0)]
        .into_iter()
        .map(|(masked, other)| {
            let cell = lab.accepting(&[0, 1]).masked(masked, 1_000);
            (lab.add(cell), other)
        })
        .collect();
    Box::new(move |e| {
        let (held, against, why) = e.sum(cells.iter().map(|(cell, _)| *cell), |at, m| {
            let moved = landed(m, cells[at].1);
            (moved, m.fired - moved)
        });
        vec![Observation::counted(ID, 5, CLAIM, held, against).noted(why)]
    })
}

/// Row 6: the only CPU that accepts masks the interrupt.
pub fn sole_acceptor_keeps(lab: &mut Lab<'_>) -> Judge {
    let cell = lab.accepting(&[0]).masked(0, 5_000);
    let cell = lab.add(cell);
    about_cell(
        cell,
        "masked-sole-acceptor-keeps",
        6,
        "an interrupt waits for its only acceptor to unmask it, and is offered meanwhile",
        |m| {
            let offered = m.offered.first().copied().unwrap_or(0);
            let held = landed(m, 0).min(offered);
            (held, m.fired - held)
        },
    )
}

/// Row 7: every CPU alone accepts; and takes fast IPIs.
pub fn every_cpu_receives(lab: &mut Lab<'_>) -> Judge {
    const IRQ: &str = "sole-acceptor-receives";
    const IRQ_CLAIM: &str = "a CPU that alone accepts receives every interrupt";
    const IPI: &str = "cpu-takes-fast-ipis";
    const IPI_CLAIM: &str = "a CPU takes every fast IPI that is sent to it";
    let usable = lab.facts.acceptor.field.is_some();
    let mut tried = Vec::new();
    for cpu in 0..lab.cpus() {
        let cell = lab.accepting(&[cpu]);
        let cell = lab.add(cell);
        let from = u8::from(cpu == 0 && lab.cpus() > 1);
        let ipi = lab.ask(Question::Ipi(IpiCell {
            id: cpu.into(),
            from,
            to: cpu,
            reach: Reach::Global,
            kind: 0,
            receive: Receive::Normal,
            count: 8,
            timeout_us: 1_000,
        }));
        tried.push((cpu, cell, ipi));
    }
    Box::new(move |e| {
        let (mut irqs, mut ipis) = ((0, 0), (0, 0));
        let (mut deaf, mut silent, mut why) = (Vec::new(), Vec::new(), String::new());
        for (cpu, cell, ipi) in &tried {
            let mut takes_ipis = false;
            match e.reply(*ipi) {
                Some(Reply::Ipi(r)) if r.trapped.is_none() && r.refusal.is_none() => {
                    ipis.0 += u64::from(r.sent - r.missed);
                    ipis.1 += u64::from(r.missed);
                    takes_ipis = r.missed == 0 && r.sent > 0;
                    if !takes_ipis {
                        silent.push(cpu.to_string());
                    }
                }
                _ => {}
            }
            match e.cell(*cell) {
                Ok(m) => {
                    irqs.0 += landed(m, *cpu);
                    irqs.1 += m.fired - landed(m, *cpu);
                    if landed(m, *cpu) == 0 {
                        let but = if takes_ipis { " (but fast IPIs)" } else { "" };
                        deaf.push(format!("{cpu}{but}"));
                    }
                }
                Err(reason) if usable => why = format!("CPU {cpu}: {reason}"),
                Err(reason) => why = reason,
            }
        }
        let list = |what: &str, cpus: &[String]| {
            if cpus.is_empty() {
                String::new()
            } else {
                format!("{what} CPU {}", cpus.join(", "))
            }
        };
        vec![
            Observation::counted(IRQ, 7, IRQ_CLAIM, irqs.0, irqs.1)
                .noted(list("no AIC interrupt reaches", &deaf))
                .noted(why),
            Observation::counted(IPI, 7, IPI_CLAIM, ipis.0, ipis.1)
                .noted(list("not all reached", &silent)),
        ]
    })
}

/// Row 22: every value of IRQ_CFG's TARGET nibble.
pub fn nibbles(lab: &mut Lab<'_>) -> Judge {
    const ZERO: &str = "target-0-delivers";
    const ZERO_CLAIM: &str = "a line with TARGET 0 is delivered to a CPU";
    const REST: &str = "target-1-to-15-delivers";
    const REST_CLAIM: &str = "a line with TARGET 1 to 15 is delivered to a CPU";
    if lab.is_v1() {
        let claims = [(ZERO, ZERO_CLAIM), (REST, REST_CLAIM)];
        return untried(22, &claims, "AICv1 has TARGET_CPU masks instead");
    }
    let usable = lab.facts.acceptor.field.is_some();
    // Whatever the nibble names: nobody refuses.
    let everybody: Vec<u8> = (0..lab.cpus()).collect();
    let mut cells = Vec::new();
    for nibble in 0..16 {
        let mut cell = lab.accepting(&everybody);
        cell.routing = Routing::Word(lab.facts.word & !0xf | nibble);
        cell.triggers = cell.triggers.min(4);
        cells.push(lab.add_any(cell));
    }
    Box::new(move |e| {
        let count = |cells: &[u32]| {
            let mut some = Vec::new();
            let (held, against, why) = e.sum(cells.iter().copied(), |at, m| {
                if m.lost < m.fired {
                    some.push((at + 1).to_string());
                }
                (m.fired - m.lost, m.lost)
            });
            (held, against, some, why)
        };
        // A spare line has TARGET 0 as found. If it reaches nobody, the reason is the nibble only if another value does.
        let (held, _, _, why) = count(&cells);
        if !usable && held == 0 {
            let why = if why.is_empty() { NO_ACCEPTOR } else { &why };
            return vec![
                Observation::untried(ZERO, 22, ZERO_CLAIM, why),
                Observation::untried(REST, 22, REST_CLAIM, why),
            ];
        }
        let (held, against, _, why) = count(&cells[..1]);
        let zero = Observation::counted(ZERO, 22, ZERO_CLAIM, held, against).noted(why);
        let (held, against, some, why) = count(&cells[1..]);
        let rest = Observation::counted(REST, 22, REST_CLAIM, held, against).noted(why);
        vec![
            zero,
            if some.is_empty() {
                rest
            } else {
                rest.noted(format!("delivered with {}", some.join(", ")))
            },
        ]
    })
}

/// Row 36: with and without CONFIG.ENABLE.
pub fn enable(lab: &mut Lab<'_>) -> Judge {
    const OFF: &str = "delivers-without-enable";
    const OFF_CLAIM: &str = "interrupts are delivered while CONFIG.ENABLE is 0";
    const ON: &str = "delivers-with-enable";
    const ON_CLAIM: &str = "interrupts are delivered while CONFIG.ENABLE is 1";
    if lab.is_v1() {
        let claims = [(OFF, OFF_CLAIM), (ON, ON_CLAIM)];
        return untried(36, &claims, "nobody is known to switch AICv1");
    }
    // A controller may deliver only while ENABLE is 0.
    let acceptor = lab.facts.acceptor;
    let cells = [false, true].map(|on| {
        let Some(value) = acceptor.field.or(acceptor.disabled) else {
            return lab.add(lab.cell());
        };
        let mut cell = lab.accepting_with(&[0], value);
        cell.special.enable = Some(on);
        lab.add_any(cell)
    });
    Box::new(move |e| {
        let found = match e.config() {
            Some(config) if config & 1 == 0 => "found off",
            Some(_) => "found on",
            None => "",
        };
        let names = [(OFF, OFF_CLAIM), (ON, ON_CLAIM)];
        cells
            .iter()
            .zip(names)
            .map(|(cell, (id, claim))| match e.cell(*cell) {
                Ok(m) => Observation::counted(id, 36, claim, m.fired - m.lost, m.lost).noted(found),
                Err(why) => Observation::untried(id, 36, claim, why),
            })
            .collect()
    })
}
