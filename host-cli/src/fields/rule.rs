//! Rules of routing, and which of them explains what was measured.
//!
//! A rule says in which class each value of the field puts a CPU, which CPU of the best class gets an interrupt, and what
//! happens when that CPU masks it. All rules of that form are tried (150 orders of the four values, seven choices, two ways with
//! masks), the strongest first: one that names a single CPU says more than one that names a set. Only if none of them explains
//! everything, the same are tried once more for a controller that goes by a write one interrupt late.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One measured cell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample<'m> {
    /// Its number in the plan.
    pub cell: u32,
    /// Fields read back, by logical CPU; above 3 = the CPU does not take part.
    pub fields: &'m [u8],
    /// The CPU that was masked, if any.
    pub masked: Option<u8>,
    /// First deliveries, by logical CPU.
    pub landed: &'m [u64],
    /// Triggers that were seen pending on the masked CPU.
    pub pending: u64,
    /// Triggers.
    pub fired: u64,
    /// Of these, not taken.
    pub lost: u64,
    /// Of these, taken later.
    pub late: u64,
    /// Further deliveries.
    pub duplicate: u64,
    /// Exceptions without an event of the line.
    pub spurious: u64,
}

impl Sample<'_> {
    /// Values of the CPUs that take part.
    pub(super) fn known(&self) -> impl Iterator<Item = u8> + '_ {
        self.fields.iter().copied().filter(|f| *f <= 3)
    }
}

/// Which CPU of the best class gets an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// The lowest logical id: the boot CPU, then device-tree order.
    LowestId,
    /// The lowest MPIDR.
    LowestMpidr,
    /// The highest logical id.
    HighestId,
    /// P cores first, the lowest logical id among them.
    PCoresFirst,
    /// The CPU that got the last one as long as it is in the best class, else any one of that class.
    Sticky,
    /// Each in turn: counts differ by at most one.
    RoundRobin,
    /// Any of them, seen to differ within a cell.
    Any,
}

impl Choice {
    /// From the one that says most to the one that says least.
    pub const ALL: [Self; 7] = [
        Self::LowestId,
        Self::LowestMpidr,
        Self::HighestId,
        Self::PCoresFirst,
        Self::Sticky,
        Self::RoundRobin,
        Self::Any,
    ];

    /// In words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::LowestId => "the lowest logical id",
            Self::LowestMpidr => "the lowest MPIDR",
            Self::HighestId => "the highest logical id",
            Self::PCoresFirst => "P cores before others, the lowest logical id among them",
            Self::Sticky => "the last receiver while it is among them",
            Self::RoundRobin => "each in turn",
            Self::Any => "any of them",
        }
    }
}

/// What becomes of an interrupt whose CPU masks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Masked {
    /// It waits for that CPU.
    Waits,
    /// It goes to the next CPU that accepts and does not mask it, of any class; it waits if there is none.
    Moves,
}

/// When routing goes by a field that was written, as far as whole cells tell: an ISB follows every write of theirs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Writes {
    /// With the next interrupt.
    #[default]
    Prompt,
    /// With the next but one: the first trigger of a cell lands as the fields of the cell before it say.
    Late,
}

/// A rule of routing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rule {
    /// Rank by field value, 0 first; `None` = never receives.
    pub rank: [Option<u8>; 4],
    /// Within a class.
    pub choice: Choice,
    /// When masked.
    pub masked: Masked,
    /// When a write acts.
    #[serde(default)]
    pub writes: Writes,
}

/// What a CPU is beside its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cpu {
    /// MPIDR_EL1.
    pub mpidr: u64,
    /// A P core.
    pub p_core: bool,
}

/// How well the best rule does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fit {
    /// The rule that the fewest cells contradict.
    pub rule: Rule,
    /// Cells that it explains.
    pub explained: usize,
    /// Cells that contradict it, by number in the plan: the first of them.
    pub contradictions: Vec<u32>,
    /// How many do.
    pub contradicted: usize,
}

impl Fit {
    /// Whether it explains everything.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.contradicted == 0
    }
}

/// Contradictions that are listed.
const LISTED: usize = 16;

/// The rule that the fewest samples contradict, the strongest of those; `None` without samples.
#[must_use]
pub fn explain(samples: &[Sample<'_>], cpus: &[Cpu]) -> Option<Fit> {
    if samples.is_empty() {
        return None;
    }
    let mut best = None;
    for writes in [Writes::Prompt, Writes::Late] {
        search(writes, samples, cpus, &mut best);
        if best.is_some_and(|(n, _)| n == 0) {
            break;
        }
    }
    let (contradicted, rule) = best?;
    let wrong = contradicting(&rule, samples, cpus);
    let wrong = samples.iter().zip(wrong).filter(|(_, wrong)| *wrong);
    Some(Fit {
        rule,
        explained: samples.len() - contradicted,
        contradictions: wrong.take(LISTED).map(|(s, _)| s.cell).collect(),
        contradicted,
    })
}

/// For each sample, whether it contradicts `rule`.
pub(super) fn contradicting(rule: &Rule, samples: &[Sample<'_>], cpus: &[Cpu]) -> Vec<bool> {
    let before = std::iter::once(None).chain(samples.iter().map(Some));
    let pairs = samples.iter().zip(before);
    pairs
        .map(|(s, before)| !rule.explains(s, before, cpus))
        .collect()
}

/// Tries every rule with `writes`; one that does better than `best` takes its place.
fn search(writes: Writes, samples: &[Sample<'_>], cpus: &[Cpu], best: &mut Option<(usize, Rule)>) {
    for choice in Choice::ALL {
        for masked in [Masked::Waits, Masked::Moves] {
            for rank in orders() {
                let rule = Rule {
                    rank,
                    choice,
                    masked,
                    writes,
                };
                let limit = best.map_or(usize::MAX, |(n, _)| n);
                let wrong = count_wrong(&rule, samples, cpus, limit);
                if wrong < limit {
                    *best = Some((wrong, rule));
                }
            }
        }
        if best.is_some_and(|(n, _)| n == 0) {
            return;
        }
    }
}

/// How many samples contradict `rule`, counted up to `limit`.
fn count_wrong(rule: &Rule, samples: &[Sample<'_>], cpus: &[Cpu], limit: usize) -> usize {
    let mut wrong = 0;
    let before = std::iter::once(None).chain(samples.iter().map(Some));
    for (sample, before) in samples.iter().zip(before) {
        if !rule.explains(sample, before, cpus) {
            wrong += 1;
            if wrong >= limit {
                break;
            }
        }
    }
    wrong
}

/// Every way to put four values into classes one behind the other, some of them into none.
fn orders() -> Vec<[Option<u8>; 4]> {
    let mut all = Vec::new();
    for n in 0..5u32.pow(4) {
        let digits = [n % 5, n / 5 % 5, n / 25 % 5, n / 125];
        let rank = digits.map(|d| (d < 4).then_some(d as u8));
        // Ranks in use are 0, 1, … without a gap.
        let most = rank.iter().flatten().max().copied();
        let whole = most.is_none_or(|most| (0..=most).all(|r| rank.contains(&Some(r))));
        if whole {
            all.push(rank);
        }
    }
    // Fewer classes first: the smaller rule.
    all.sort_by_key(|rank| {
        let classes = rank.iter().flatten().max().map_or(0, |most| most + 1);
        let never = rank.iter().filter(|r| r.is_none()).count();
        (classes, never)
    });
    all
}

impl Rule {
    /// In words. What a mask does was seen in windows of `mask_us`: what comes of longer ones nobody has looked at.
    #[must_use]
    pub fn text(&self, mask_us: u32) -> String {
        let classes = self.rank.iter().flatten().max().map_or(0, |most| most + 1);
        let of = |rank: Option<u8>| -> Vec<String> {
            let values = (0..4usize).filter(|v| self.rank[*v] == rank);
            values.map(|v| v.to_string()).collect()
        };
        let accepting = (0..classes).map(|class| of(Some(class)).join(" and "));
        let mut text = accepting.collect::<Vec<_>>().join(" before ");
        let never = of(None);
        if !never.is_empty() {
            let before = if classes == 0 { "" } else { ", " };
            text += &format!("{before}never {}", never.join(" nor "));
        }
        let masked = match self.masked {
            Masked::Waits => {
                format!("an interrupt waits for a CPU that masks it (seen within {mask_us} us)")
            }
            Masked::Moves => format!(
                "a CPU that masks it gives way within {mask_us} us to the next that does not"
            ),
        };
        text += &format!("; within a class {}; {masked}", self.choice.text());
        if self.writes == Writes::Late {
            text += "; what is written acts after one more interrupt";
        }
        text
    }
}
