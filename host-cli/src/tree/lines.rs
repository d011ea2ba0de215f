//! Who owns which interrupt line, and which lines nobody owns.

use std::sync::Arc;

use protocol::LineId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::result::Mark;
use crate::target::{
    Candidate, Claim, Level, Levels, LineMap, LineSpace, Objection, SocFacts, Watch, candidates,
    objections,
};

/// Candidates listed of each die.
const CANDIDATES: usize = 8;

/// Where the controller is, and where its numbers of lines come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Source {
    /// The file or the target.
    pub name: String,
    /// Generation of the controller.
    pub generation: u8,
    /// Its physical address.
    pub base: String,
    /// Its address as the device tree states it.
    pub bus: Option<String>,
    /// Where NR_IRQ comes from.
    pub nr_irq_from: String,
}

/// What a look at the controller's registers brought.
#[derive(Clone, Debug)]
pub struct Looked {
    /// Levels of all lines.
    pub levels: Levels,
    /// How long and how often was looked.
    pub watch: Watch,
    /// Tests of their registers that candidates fail.
    pub failed: Vec<(LineId, Vec<Objection>)>,
}

/// The report.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LinesReport {
    /// "aicprobe.lines/1".
    pub schema: &'static str,
    /// Chip and board.
    pub soc: SocFacts,
    /// Controller.
    pub source: Source,
    /// Lines per die.
    pub nr_irq: u32,
    /// Room for lines per die: flat numbers count with it.
    pub max_irq: u32,
    /// Dies.
    pub dies: u32,
    /// Counts.
    pub counts: Counts,
    /// Lines that devices name, in order.
    pub owned: Vec<Owned>,
    /// Ranges of message-signalled interrupts, in no `interrupts`.
    pub msi: Vec<Msi>,
    /// Lines that the firmware routes to coprocessors (`aic-ext-intr-cfg`), in no `interrupts` either.
    pub routed: Vec<Routed>,
    /// Runs of lines that nobody owns, the longest of each die first.
    pub gaps: Vec<Gap>,
    /// The best lines to fire, the best of each die first.
    pub spare: Vec<Spare>,
    /// Lines that nobody owns and that are or were high. `null` where nobody looked.
    pub suspicious: Option<Vec<Suspicious>>,
    /// Lines that devices name and that were low at every look: silent by nature, or named wrongly. `null` where nobody looked.
    pub never_changed: Option<Vec<u32>>,
    /// The answer for every line that was asked for.
    pub asked: Vec<Asked>,
    /// How long was looked. `null` where nobody looked.
    pub looked: Option<LookedInfo>,
    /// What was inferred instead of read.
    pub marks: Vec<Mark>,
}

/// Counts of a device tree's lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Lines named in `interrupts`, those outside the controller too.
    pub named: usize,
    /// The highest of them.
    pub highest: Option<u32>,
    /// Named only behind another controller's phandle: who takes one phandle misses them.
    pub behind_another: Vec<u32>,
    /// Named by more than one node.
    pub shared: usize,
    /// Named, but at or above NR_IRQ (pseudo-lines of old SoCs), or on a die that is not there.
    pub outside: Vec<u32>,
    /// Named under a controller that is no node.
    pub unknown_parent: Vec<u32>,
    /// Lines from 1 up that nobody owns.
    pub spare: usize,
}

/// A line with owners.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Owned {
    /// The line, flat over all dies.
    pub line: u32,
    /// Who names it.
    pub owners: Vec<OwnerInfo>,
    /// What its input did; `null` where nobody looked.
    pub level: Option<&'static str>,
}

/// A specifier.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OwnerInfo {
    /// The node.
    #[serde(serialize_with = "as_text")]
    pub node: Arc<str>,
    /// Position in its `interrupts`.
    pub specifier: usize,
    /// Position of the controller in its `interrupt-parent`.
    pub parent: usize,
    /// Whether `interrupt-parent` is an ancestor's.
    pub inherited: bool,
    /// Whether the controller is no node of the tree.
    pub unknown_parent: bool,
}

/// An MSI range.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Msi {
    /// First line, flat over all dies.
    pub first: u32,
    /// Number of lines.
    pub count: u32,
    /// The nodes that have it.
    pub nodes: Vec<String>,
}

/// A line that goes to a coprocessor.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Routed {
    /// The line, flat over all dies.
    pub line: u32,
    /// IRQ_CFG's TARGET.
    pub target: u8,
}

/// A run of lines that nobody owns.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Gap {
    /// Die.
    pub die: u8,
    /// First line.
    pub first: u16,
    /// Last line.
    pub last: u16,
}

/// A line to fire.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Spare {
    /// Die.
    pub die: u8,
    /// Line of the die.
    pub number: u16,
    /// The gap that it lies in.
    pub gap: Gap,
    /// How far the nearest line that is not spare is.
    pub distance: u16,
    /// Tests that it fails; empty where nobody looked at its registers.
    pub failed: Vec<String>,
}

/// A line that the device tree misses but that does something.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Suspicious {
    /// Die.
    pub die: u8,
    /// Line of the die.
    pub number: u16,
    /// What its input did.
    pub level: &'static str,
}

/// The answer for a line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Asked {
    /// Die.
    pub die: u8,
    /// Line of the die.
    pub number: u16,
    /// Whether it passes every test that was made.
    pub spare: bool,
    /// The tests that it fails, in one word each.
    pub tests: Vec<&'static str>,
    /// The same in words.
    pub failed: Vec<String>,
}

/// A look.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LookedInfo {
    /// Milliseconds from the first look to the last.
    pub ms: f64,
    /// Looks.
    pub looks: u32,
    /// Owned lines that were high at every look.
    pub owned_high: usize,
    /// Owned lines that changed.
    pub owned_toggled: usize,
    /// Owned lines that were low at every look.
    pub owned_low: usize,
}

fn as_text<S: serde::Serializer>(text: &str, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(text)
}

const fn level_name(level: Level) -> &'static str {
    match level {
        Level::Low => "low",
        Level::High => "high",
        Level::Toggles => "toggles",
    }
}

impl LinesReport {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.lines/1";

    /// Puts together what is known.
    #[must_use]
    pub fn new(
        soc: SocFacts,
        source: Source,
        map: &LineMap,
        looked: Option<&Looked>,
        marks: Vec<Mark>,
    ) -> Self {
        let space = map.space();
        let dies: Vec<u8> = (0..u8::try_from(space.dies).unwrap_or(u8::MAX)).collect();
        let level = |flat: u32| {
            let levels = &looked?.levels;
            levels.of(space.line(flat)?).map(level_name)
        };
        let owned: Vec<Owned> = map
            .claims()
            .map(|(line, claims)| Owned {
                line,
                owners: claims.iter().map(owner_info).collect(),
                level: level(line),
            })
            .collect();
        let msi = map.msi().iter().map(|range| Msi {
            first: range.first,
            count: range.count,
            nodes: range.nodes.iter().map(ToString::to_string).collect(),
        });
        let routed = map.routes().iter().map(|route| Routed {
            line: route.flat,
            target: route.target,
        });
        let gaps: Vec<Gap> = dies
            .iter()
            .flat_map(|die| map.gaps(*die).into_iter().map(|g| gap(*die, g)))
            .collect();
        let best = dies
            .iter()
            .flat_map(|die| candidates(map, *die).take(CANDIDATES));
        let failed = |line| {
            let tested = looked.and_then(|l| l.failed.iter().find(|(of, _)| *of == line));
            tested.map(|(_, found)| found.iter().map(ToString::to_string).collect())
        };
        let spare = best.map(|c| spare(&c, failed(c.line).unwrap_or_default()));
        Self {
            schema: Self::SCHEMA,
            soc,
            source,
            nr_irq: space.nr_irq,
            max_irq: space.max_irq,
            dies: space.dies,
            counts: counts(map, space, &gaps),
            spare: spare.collect(),
            msi: msi.collect(),
            routed: routed.collect(),
            suspicious: looked.map(|l| suspicious(map, &l.levels)),
            never_changed: looked.map(|_| never_changed(&owned)),
            asked: Vec::new(),
            looked: looked.map(|l| looked_info(l, &owned)),
            owned,
            gaps,
            marks,
        }
    }

    /// The same with the answers for lines that were asked for.
    #[must_use]
    pub fn asked(mut self, asked: &[(LineId, Vec<Objection>)]) -> Self {
        self.asked = asked.iter().map(answer).collect();
        self
    }

    /// The candidates whose registers are worth a look.
    #[must_use]
    pub fn best(map: &LineMap) -> Vec<LineId> {
        let dies = u8::try_from(map.space().dies).unwrap_or(u8::MAX);
        (0..dies)
            .flat_map(|die| candidates(map, die).take(CANDIDATES))
            .map(|candidate| candidate.line)
            .collect()
    }
}

fn answer((line, found): &(LineId, Vec<Objection>)) -> Asked {
    Asked {
        die: line.die,
        number: line.number,
        spare: found.is_empty(),
        tests: found.iter().map(Objection::name).collect(),
        failed: found.iter().map(ToString::to_string).collect(),
    }
}

fn never_changed(owned: &[Owned]) -> Vec<u32> {
    // Line 0 is a filler.
    let low = owned
        .iter()
        .filter(|o| o.line != 0 && o.level == Some("low"));
    low.map(|o| o.line).collect()
}

fn owner_info(claim: &Claim) -> OwnerInfo {
    OwnerInfo {
        node: Arc::clone(&claim.path),
        specifier: claim.specifier,
        parent: claim.parent,
        inherited: claim.inherited,
        unknown_parent: claim.unknown_parent,
    }
}

const fn gap(die: u8, (first, len): (u16, u16)) -> Gap {
    Gap {
        die,
        first,
        last: first + len.saturating_sub(1),
    }
}

fn spare(candidate: &Candidate, failed: Vec<String>) -> Spare {
    let LineId { die, number } = candidate.line;
    Spare {
        die,
        number,
        gap: gap(die, candidate.gap),
        distance: candidate.distance(),
        failed,
    }
}

fn counts(map: &LineMap, space: LineSpace, gaps: &[Gap]) -> Counts {
    let ours = |claims: &[Claim]| claims.iter().any(|c| !c.unknown_parent);
    let named: Vec<(u32, &[Claim])> = map.claims().filter(|(_, c)| ours(c)).collect();
    let those = |test: &dyn Fn(u32, &[Claim]) -> bool| -> Vec<u32> {
        let found = named.iter().filter(|(flat, claims)| test(*flat, claims));
        found.map(|(flat, _)| *flat).collect()
    };
    let shared = |claims: &[Claim]| claims.iter().any(|c| c.path != claims[0].path);
    Counts {
        named: named.len(),
        highest: named.last().map(|(flat, _)| *flat),
        behind_another: those(&|_, claims| claims.iter().all(|c| c.behind_another)),
        shared: named.iter().filter(|(_, claims)| shared(claims)).count(),
        outside: those(&|flat, _| space.line(flat).is_none()),
        unknown_parent: map
            .claims()
            .filter(|(_, claims)| !ours(claims))
            .map(|(flat, _)| flat)
            .collect(),
        spare: gaps.iter().map(|g| usize::from(g.last - g.first) + 1).sum(),
    }
}

/// Lines that were ever high and that nobody owns.
fn suspicious(map: &LineMap, levels: &Levels) -> Vec<Suspicious> {
    let space = map.space();
    levels
        .ever_high()
        .filter(|line| u32::from(line.number) < space.nr_irq && map.owners(*line).is_empty())
        .map(|line| Suspicious {
            die: line.die,
            number: line.number,
            level: levels.of(line).map_or("high", level_name),
        })
        .collect()
}

fn looked_info(looked: &Looked, owned: &[Owned]) -> LookedInfo {
    let count = |level| owned.iter().filter(|o| o.level == Some(level)).count();
    LookedInfo {
        ms: looked.watch.time.as_secs_f64() * 1e3,
        looks: looked.watch.looks,
        owned_high: count("high"),
        owned_toggled: count("toggles"),
        owned_low: count("low"),
    }
}

/// Tests that a line fails by the device tree and by what its input did.
#[must_use]
pub fn verdict(map: &LineMap, levels: Option<&Levels>, line: LineId) -> Vec<Objection> {
    let mut found = objections(map, line);
    match levels.and_then(|levels| levels.of(line)) {
        Some(Level::High) => found.push(Objection::High),
        Some(Level::Toggles) => found.push(Objection::Toggles),
        Some(Level::Low) | None => {}
    }
    found
}
