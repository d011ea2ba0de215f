//! Observations of the controller's registers by themselves.

use aic_regs::aic::{Bank, Generation, Geometry};
use protocol::LineId;

use crate::error::Error;
use crate::proxy::Proxy;

use super::{Facts, Observation};
use crate::target::STRIDES;
use crate::target::block::{Block, LineBits, routing_offset, try_mask_pair, try_software_pair};

/// Makes them; and what could not be put back.
pub fn observe(
    proxy: &mut Proxy<'_>,
    facts: &Facts<'_>,
) -> Result<(Vec<Observation>, Vec<String>), Error> {
    let mut block = Block {
        proxy,
        base: facts.target.aic.base,
    };
    let mut out = Vec::new();
    let mut differences = Vec::new();
    if facts.wants(8) || facts.wants(10) {
        out.extend(banks(&mut block, facts)?);
    }
    if facts.wants(24) {
        out.push(left_set(&mut block, facts)?);
    }
    if facts.wants(25) {
        out.extend(reset(&mut block, facts, &mut differences)?);
    }
    if facts.wants(27) {
        out.push(clear_keeps_level(&mut block, facts)?);
    }
    if facts.wants(34) {
        out.push(beyond_writable(&mut block, facts)?);
    }
    Ok((out, differences))
}

/// Bytes from one die's registers to the next by the layout rule of drivers.
fn computed_stride(g: &Geometry) -> u64 {
    u64::from(g.max_irq) * 4 + 5 * 4 * u64::from(g.max_irq / 32)
}

/// Rows 8 and 10: the registers behind those of the last die that INFO counts, and where the second die's are.
fn banks(block: &mut Block<'_, '_>, facts: &Facts<'_>) -> Result<Vec<Observation>, Error> {
    const BEYOND: (&str, &str) = (
        "bank-beyond-claimed-dies-answers",
        "registers of one die more than INFO counts are there",
    );
    const ALIAS: (&str, &str) = (
        "bank-beyond-is-alias",
        "the registers beyond those of the last die are die 0's under another address",
    );
    const STRIDE: (&str, &str) = (
        "die-stride-as-computed",
        "each die's registers follow the one before as computed from the room for lines",
    );
    const GIVEN: (&str, &str) = (
        "die-stride-as-device-tree-says",
        "each die's registers are where the stride properties of the device tree say",
    );
    let g = &facts.target.aic.geometry;
    let all = [BEYOND, ALIAS, STRIDE, GIVEN];
    if g.generation == Generation::V1 {
        let rows = [8, 8, 10, 10];
        let untried =
            |((id, claim), row)| Observation::untried(id, row, claim, "AICv1 has one die");
        return Ok(all.into_iter().zip(rows).map(untried).collect());
    }
    let mut out = Vec::new();
    let stride = computed_stride(g);
    let first = LineBits::of(facts.target, facts.line);
    // Only what lies below EVENT, in the same window: anything else may be a hole that ends the machine.
    let fits = |die: u64| {
        let end = u64::from(g.irq_cfg) + (die + 1) * stride;
        end <= u64::from(g.event).min(facts.target.aic.size)
    };
    let beyond = u64::from(g.dies);
    if facts.wants(8) {
        if fits(beyond) {
            let at = first.moved(beyond * stride);
            let pair = try_mask_pair(block, at, Some(first.mask_set))?;
            let works = u64::from(pair.works);
            out.push(
                Observation::counted(BEYOND.0, 8, BEYOND.1, works, 1 - works).noted(
                    match max_dies(block, g)? {
                        0 => format!("LAST_DIE of INFO counts {}, MAX_DIE reads 0", g.dies),
                        most => format!("INFO counts {} of {most} dies", g.dies),
                    },
                ),
            );
            let alias = u64::from(pair.seen_at_watched);
            out.push(if pair.works {
                Observation::counted(ALIAS.0, 8, ALIAS.1, alias, 1 - alias)
            } else {
                Observation::untried(ALIAS.0, 8, ALIAS.1, "nothing answers there")
            });
        } else {
            let why = "they would reach to EVENT or out of the window";
            out.push(Observation::untried(BEYOND.0, 8, BEYOND.1, why));
        }
    }
    if facts.wants(10) {
        if g.dies < 2 {
            let note = format!(
                "one die; {}",
                properties(facts).unwrap_or(NO_STRIDES.into())
            );
            for (id, claim) in [STRIDE, GIVEN] {
                out.push(Observation::untried(id, 10, claim, note.as_str()));
            }
            return Ok(out);
        }
        let pair = try_mask_pair(block, first.moved(stride), Some(first.mask_set))?;
        let held = u64::from(pair.works && !pair.seen_at_watched);
        let seen = Observation::counted(STRIDE.0, 10, STRIDE.1, held, 1 - held);
        out.push(seen.noted(format!("stride {stride:#x}")));
        out.push(match properties(facts) {
            None => Observation::untried(GIVEN.0, 10, GIVEN.1, NO_STRIDES),
            Some(note) => {
                let (held, against) = given_strides(block, facts)?;
                Observation::counted(GIVEN.0, 10, GIVEN.1, held, against).noted(note)
            }
        });
    }
    Ok(out)
}

const NO_STRIDES: &str = "the device tree gives no strides, or 0";

/// How the stride properties compare with the rule; `None` if there are none.
fn properties(facts: &Facts<'_>) -> Option<String> {
    let rule = computed_stride(&facts.target.aic.geometry);
    let given = STRIDES.iter().zip(facts.target.aic.strides);
    let given: Vec<(&str, u64)> = given
        .map(|(name, stride)| (*name, u64::from(stride)))
        .filter(|(_, stride)| *stride != 0)
        .collect();
    let wrong: Vec<String> = given
        .iter()
        .filter(|(_, stride)| *stride != rule)
        .map(|(name, stride)| format!("{name} says {stride:#x}"))
        .collect();
    if given.is_empty() {
        None
    } else if wrong.is_empty() {
        Some(format!("the properties agree with the rule, {rule:#x}"))
    } else {
        Some(format!("{}, the rule {rule:#x}", wrong.join(", ")))
    }
}

/// How many of the stride properties hold, and how many do not. Those of SET and CLR registers are tried together, with the
/// mask of die 1. The others cannot be: IRQ_CFG must not be written where it may not be, HW_STATE is only read; they are
/// compared with the rule.
fn given_strides(block: &mut Block<'_, '_>, facts: &Facts<'_>) -> Result<(u64, u64), Error> {
    let rule = computed_stride(&facts.target.aic.geometry);
    let [cfg, set, clear, hw_state] = facts.target.aic.strides;
    let mut results = Vec::new();
    if set != 0 || clear != 0 {
        let watched = LineBits::of(facts.target, facts.line).mask_set;
        let line = LineId {
            die: 1,
            ..facts.line
        };
        let pair = try_mask_pair(block, LineBits::of(facts.target, line), Some(watched))?;
        results.push(pair.works && !pair.seen_at_watched);
    }
    let compared = [cfg, hw_state].into_iter().filter(|stride| *stride != 0);
    results.extend(compared.map(|stride| u64::from(stride) == rule));
    let held = results.iter().filter(|held| **held).count() as u64;
    Ok((held, results.len() as u64 - held))
}

/// MAX_DIE of INFO3.
fn max_dies(block: &mut Block<'_, '_>, g: &Geometry) -> Result<u32, Error> {
    Ok(block.read(g.info3.into())? >> 24 & 0xf)
}

/// Row 24: software state that a former stage left.
fn left_set(block: &mut Block<'_, '_>, facts: &Facts<'_>) -> Result<Observation, Error> {
    let g = &facts.target.aic.geometry;
    let (mut with, mut without) = (0, 0);
    let mut lines = Vec::new();
    for die in 0..g.dies {
        for word in 0..g.nr_irq.div_ceil(32) {
            let Some(offset) = g.bank_offset(Bank::SwSet, die as u8, word) else {
                continue;
            };
            let bits = block.read(offset.into())?;
            with += u64::from(bits != 0);
            without += u64::from(bits == 0);
            let set = (0..32).filter(|bit| bits >> bit & 1 != 0);
            lines.extend(set.map(|bit| format!("{die}:{}", word * 32 + bit)));
        }
    }
    let more = lines.len().saturating_sub(8);
    lines.truncate(8);
    let mut note = lines.join(" ");
    if more > 0 {
        note += &format!(" and {more} more");
    }
    let claim = "a former stage left lines set by software (counted in words of 32 lines)";
    Ok(Observation::counted("software-state-left", 24, claim, with, without).noted(note))
}

/// Row 25: what RESET does to masks, software state and routing words.
fn reset(
    block: &mut Block<'_, '_>,
    facts: &Facts<'_>,
    differences: &mut Vec<String>,
) -> Result<Vec<Observation>, Error> {
    const CLAIMS: [(&str, &str); 4] = [
        (
            "reset-keeps-masked-lines-masked",
            "a masked line is masked after RESET",
        ),
        (
            "reset-keeps-open-lines-open",
            "an unmasked line is unmasked after RESET",
        ),
        (
            "reset-keeps-software-state",
            "a line set by software is set after RESET",
        ),
        (
            "reset-keeps-routing-words",
            "IRQ_CFG and TARGET_CPU are as before after RESET",
        ),
    ];
    if !facts.options.reset {
        let why = "only with --allow-reset";
        let untried = |(id, claim)| Observation::untried(id, 25, claim, why);
        return Ok(CLAIMS.into_iter().map(untried).collect());
    }
    let g = facts.target.aic.geometry;
    let state = |block: &mut Block<'_, '_>| snapshot(block, &g);
    let found = state(block)?;
    // One line set and masked, another clear and open.
    let (set, open) = (
        LineBits::of(facts.target, facts.line),
        LineBits::of(facts.target, facts.second),
    );
    block.write(set.mask_set, set.bit)?;
    block.write(set.sw_set, set.bit)?;
    block.write(open.mask_clr, open.bit)?;
    let routed = [facts.line, facts.second].map(|line| routing_offset(facts.target, line));
    for offset in routed {
        let word = block.read(offset)?;
        block.write(offset, word ^ 0x20)?;
    }
    let words = [block.read(routed[0])?, block.read(routed[1])?];
    let at = match g.generation {
        Generation::V1 => 0x0c,
        _ => Geometry::RESET,
    };
    let old = block.read(at.into())?;
    block.write(at.into(), old | 1)?;
    let kept = [
        block.read(set.mask_set)? & set.bit != 0,
        block.read(open.mask_set)? & open.bit == 0,
        block.read(set.sw_set)? & set.bit != 0,
        [block.read(routed[0])?, block.read(routed[1])?] == words,
    ];
    block.write(set.sw_clr, set.bit)?;
    put_back(block, &g, &found)?;
    let now = state(block)?;
    for ((offset, was), (_, is)) in found.iter().zip(&now) {
        if was != is {
            differences.push(format!("AIC +{offset:#x}: found {was:#x}, now {is:#x}"));
        }
    }
    Ok(CLAIMS
        .into_iter()
        .zip(kept)
        .map(|((id, claim), kept)| {
            Observation::counted(id, 25, claim, kept.into(), u64::from(!kept))
        })
        .collect())
}

/// CONFIG, masks, software state and routing words: offsets and values.
fn snapshot(block: &mut Block<'_, '_>, g: &Geometry) -> Result<Vec<(u64, u32)>, Error> {
    let mut offsets = vec![u64::from(g.config)];
    for die in 0..g.dies {
        for word in 0..g.words_per_die() {
            for bank in [Bank::MaskSet, Bank::SwSet] {
                offsets.extend(g.bank_offset(bank, die as u8, word).map(u64::from));
            }
        }
        let first = u64::from(g.irq_cfg) + u64::from(die) * u64::from(g.cfg_stride);
        offsets.extend((0..u64::from(g.nr_irq)).map(|line| first + line * 4));
    }
    offsets
        .into_iter()
        .map(|offset| Ok((offset, block.read(offset)?)))
        .collect()
}

/// Writes back what reads otherwise now: software state first, CONFIG as it was, then routing words, then masks.
fn put_back(block: &mut Block<'_, '_>, g: &Geometry, found: &[(u64, u32)]) -> Result<(), Error> {
    // From a word that sets to the one that clears.
    let pair = |offset: u64| {
        [(Bank::MaskSet, Bank::MaskClr), (Bank::SwSet, Bank::SwClr)]
            .into_iter()
            .find_map(|(set, clear)| {
                (0..g.dies).find_map(|die| {
                    let first = u64::from(g.bank_offset(set, die as u8, 0)?);
                    let len = u64::from(g.words_per_die()) * 4;
                    let word = offset.checked_sub(first).filter(|at| *at < len)?;
                    Some(u64::from(g.bank_offset(clear, die as u8, 0)?) + word)
                })
            })
    };
    for (offset, was) in found {
        let is = block.read(*offset)?;
        if is == *was {
            continue;
        }
        match pair(*offset) {
            Some(clear) => {
                block.write(*offset, was & !is)?;
                block.write(clear, is & !was)?;
            }
            None => block.write(*offset, *was)?,
        }
    }
    Ok(())
}

/// Row 27: SW_CLR on a line whose hardware level is high.
fn clear_keeps_level(block: &mut Block<'_, '_>, facts: &Facts<'_>) -> Result<Observation, Error> {
    const ID: &str = "software-clear-keeps-level";
    const CLAIM: &str = "clearing a line's software state leaves its hardware level high";
    let Some(line) = facts.options.live_line else {
        let why = "--live-line names no line that is high";
        return Ok(Observation::untried(ID, 27, CLAIM, why));
    };
    let at = LineBits::of(facts.target, line);
    if block.read(at.hw_state)? & at.bit == 0 {
        let why = format!("line {}:{} is low", line.die, line.number);
        return Ok(Observation::untried(ID, 27, CLAIM, why));
    }
    let was_masked = block.read(at.mask_set)? & at.bit != 0;
    let was_set = block.read(at.sw_set)? & at.bit != 0;
    block.write(at.mask_set, at.bit)?;
    block.write(at.sw_set, at.bit)?;
    block.write(at.sw_clr, at.bit)?;
    let high = block.read(at.hw_state)? & at.bit != 0;
    if was_set {
        block.write(at.sw_set, at.bit)?;
    }
    if !was_masked {
        block.write(at.mask_clr, at.bit)?;
    }
    Ok(Observation::counted(
        ID,
        27,
        CLAIM,
        high.into(),
        u64::from(!high),
    ))
}

/// Row 34: software state of lines beyond NR_IRQ.
fn beyond_writable(block: &mut Block<'_, '_>, facts: &Facts<'_>) -> Result<Observation, Error> {
    const ID: &str = "line-beyond-nr-keeps-state";
    const CLAIM: &str =
        "a line that the layout has room for, beyond what INFO counts, keeps its software state";
    let g = &facts.target.aic.geometry;
    if g.nr_irq >= g.max_irq {
        return Ok(Observation::untried(
            ID,
            34,
            CLAIM,
            "INFO counts every line",
        ));
    }
    let (mut held, mut against) = (0, 0);
    for number in [g.nr_irq, g.max_irq - 1] {
        let line = LineId {
            die: 0,
            number: number as u16,
        };
        let keeps = try_software_pair(block, LineBits::of(facts.target, line))?;
        held += u64::from(keeps);
        against += u64::from(!keeps);
    }
    Ok(Observation::counted(ID, 34, CLAIM, held, against))
}
