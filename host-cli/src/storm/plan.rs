//! Which storms there are to be.

use clap::ValueEnum;
use protocol::command::{Pattern, StormCell, Via};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::first_look::all_run;
use crate::plan::{Plan, Question};
use crate::result::CpuState;
use crate::session::SessionError;
use crate::target::CpuFacts;

/// Who sends to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// Every other CPU to the one with the lowest id.
    One,
    /// Every CPU to every other one in turn.
    All,
    /// Two by two to each other.
    Pairs,
}

impl Target {
    /// As in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::All => "all",
            Self::Pairs => "pairs",
        }
    }
}

/// How IPIs go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Fast IPI by IPI_RR_LOCAL: reaches the sender's own cluster.
    Local,
    /// Fast IPI by IPI_RR_GLOBAL.
    Global,
    /// AICv1: IPI_SEND of the controller.
    Mmio,
}

impl Way {
    /// As in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Global => "global",
            Self::Mmio => "mmio",
        }
    }
}

/// When a sender sends again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pace {
    /// At once.
    Flood,
    /// When its target has counted.
    Paced,
}

impl Pace {
    /// As in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flood => "flood",
            Self::Paced => "paced",
        }
    }
}

/// Where receivers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Accounting {
    /// Each in a word of its own.
    PerCpu,
    /// And in one word that all share.
    Shared,
}

impl Accounting {
    /// As in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PerCpu => "per-cpu",
            Self::Shared => "shared",
        }
    }
}

/// What is asked for; an empty list stands for everything that fits the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Length of a storm, in microseconds: 1 to [`super::MAX_US`].
    pub us: u32,
    /// Times that every storm is repeated.
    pub repeat: u32,
    /// Patterns.
    pub patterns: Vec<Target>,
    /// Ways.
    pub ways: Vec<Way>,
    /// Paces.
    pub paces: Vec<Pace>,
    /// Accountings.
    pub accountings: Vec<Accounting>,
    /// Just this set of logical CPUs.
    pub cpus: Option<Vec<u32>>,
}

/// One kind of storm among one set of CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Logical CPUs, ascending; at least two.
    pub cpus: Vec<u8>,
    /// They are all of one cluster.
    pub one_cluster: bool,
    /// Pattern.
    pub pattern: Target,
    /// Way.
    pub way: Way,
    /// Pace.
    pub pace: Pace,
    /// Accounting.
    pub accounting: Accounting,
}

impl Shape {
    /// Every request has a CPU that it can reach: a local one names no cluster.
    #[must_use]
    pub fn reaches(&self) -> bool {
        self.way != Way::Local || self.one_cluster
    }

    /// No two of `cpus` CPUs send to the same one.
    #[must_use]
    pub fn is_alone(&self, cpus: usize) -> bool {
        self.pattern == Target::Pairs || cpus == 2
    }

    fn cell(&self, id: u32, us: u32) -> StormCell {
        StormCell {
            id,
            cpus: self.cpus.iter().fold(0, |set, cpu| set | 1 << cpu),
            pattern: match self.pattern {
                Target::One => Pattern::ToOne(self.cpus.first().copied().unwrap_or(0)),
                Target::All => Pattern::ToAll,
                Target::Pairs => Pattern::Pairs,
            },
            via: match self.way {
                Way::Local => Via::Local,
                Way::Global => Via::Global,
                Way::Mmio => Via::Mmio,
            },
            paced: self.pace == Pace::Paced,
            shared: self.accounting == Accounting::Shared,
            us,
        }
    }
}

/// Cluster of a CPU: affinity levels 1 and 2.
const fn cluster(cpu: &CpuFacts) -> u64 {
    cpu.mpidr >> 8 & 0xffff
}

/// Sets that grow by cluster: two CPUs of the boot cluster, doubled until it is whole, then one cluster after the other with
/// steps of 4, 8, 16 inside large ones. Logical ids, ascending; a machine of one CPU has none.
#[must_use]
pub fn sets(cpus: &[CpuFacts]) -> Vec<Vec<u8>> {
    let mut clusters: Vec<(u64, Vec<u8>)> = Vec::new();
    for cpu in cpus {
        match clusters.iter_mut().find(|(name, _)| *name == cluster(cpu)) {
            Some((_, ids)) => ids.push(cpu.id),
            None => clusters.push((cluster(cpu), vec![cpu.id])),
        }
    }
    let mut sets: Vec<Vec<u8>> = Vec::new();
    let mut before: Vec<u8> = Vec::new();
    for (i, (_, ids)) in clusters.iter().enumerate() {
        let first = if i == 0 { 2 } else { 4 };
        let steps = std::iter::successors(Some(first), |n| Some(n * 2));
        let steps = steps.take_while(|n| *n < ids.len());
        for step in steps.chain([ids.len()]) {
            let mut set = [&before[..], &ids[..step]].concat();
            set.sort_unstable();
            if set.len() >= 2 {
                sets.push(set);
            }
        }
        before.extend(ids);
    }
    sets
}

/// Whole clusters beside that of the boot CPU, for local IPIs.
fn other_clusters(cpus: &[CpuFacts]) -> Vec<Vec<u8>> {
    let own = cpus.first().map(cluster);
    let mut found: Vec<(u64, Vec<u8>)> = Vec::new();
    for cpu in cpus.iter().filter(|c| Some(cluster(c)) != own) {
        match found.iter_mut().find(|(name, _)| *name == cluster(cpu)) {
            Some((_, ids)) => ids.push(cpu.id),
            None => found.push((cluster(cpu), vec![cpu.id])),
        }
    }
    let sets = found.into_iter().map(|(_, ids)| ids);
    sets.filter(|ids| ids.len() >= 2).collect()
}

fn is_one_cluster(cpus: &[CpuFacts], set: &[u8]) -> bool {
    let mut names = cpus.iter().filter(|c| set.contains(&c.id)).map(cluster);
    let first = names.next();
    names.all(|name| Some(name) == first)
}

/// The set that the user named.
fn named(cpus: &[CpuFacts], states: &[CpuState], ids: &[u32]) -> Result<Vec<u8>, Error> {
    let mut set = Vec::new();
    for id in ids {
        let known = cpus.iter().find(|c| u32::from(c.id) == *id);
        let Some(cpu) = known else {
            let last = cpus.len().saturating_sub(1);
            return Err(Error::Usage(format!(
                "--cpus: there is no CPU {id}, allowed are 0 to {last}"
            )));
        };
        if set.contains(&cpu.id) {
            return Err(Error::Usage(format!("--cpus names CPU {id} twice")));
        }
        set.push(cpu.id);
    }
    set.sort_unstable();
    if set.len() < 2 {
        let text = "--cpus: a storm takes two CPUs or more";
        return Err(Error::Usage(text.to_owned()));
    }
    all_run(set.iter().copied(), states)?;
    Ok(set)
}

fn or_all<T: ValueEnum + Copy>(chosen: &[T]) -> Vec<T> {
    if chosen.is_empty() {
        T::value_variants().to_vec()
    } else {
        chosen.to_vec()
    }
}

/// The storms, and the plan that runs them: all of them, then all again, as often as they are repeated. `mmio`: the controller
/// has IPI_SEND (AICv1). `states`: of each CPU; those that do not run are in no storm.
///
/// # Errors
/// [`Error::Usage`] for CPUs that are not there, fewer than two of them, and a way that the controller does not have;
/// [`SessionError::CpuMissing`] for one that is named and does not run, [`SessionError::OneCpu`] where no two run.
pub fn plan(
    cpus: &[CpuFacts],
    states: &[CpuState],
    mmio: bool,
    options: &Options,
) -> Result<(Vec<Shape>, Plan), Error> {
    let mut ways = or_all(&options.ways);
    if !mmio {
        if options.ways.contains(&Way::Mmio) {
            let text = "--via mmio: only AICv1 has IPI_SEND";
            return Err(Error::Usage(text.to_owned()));
        }
        ways.retain(|way| *way != Way::Mmio);
    }
    let given = options.cpus.as_deref().map(|ids| named(cpus, states, ids));
    let given = given.transpose()?;
    let running: Vec<CpuFacts> = cpus
        .iter()
        .zip(states)
        .filter(|(_, state)| **state == CpuState::Running)
        .map(|(cpu, _)| cpu.clone())
        .collect();
    let cpus = &running[..];
    let all = match &given {
        Some(set) => vec![set.clone()],
        None => sets(cpus),
    };
    if all.is_empty() {
        return Err(SessionError::OneCpu { what: "a storm" }.into());
    }
    let mut shapes = Vec::new();
    for way in ways {
        let mut sets = all.clone();
        if way == Way::Local && given.is_none() {
            sets.extend(other_clusters(cpus));
            sets.retain(|set| is_one_cluster(cpus, set));
        }
        for pattern in or_all(&options.patterns) {
            for pace in or_all(&options.paces) {
                for accounting in or_all(&options.accountings) {
                    for set in &sets {
                        let one_cluster = is_one_cluster(cpus, set);
                        // Asked for by name it is shown what becomes of it.
                        if way == Way::Local && !one_cluster && options.ways.is_empty() {
                            continue;
                        }
                        shapes.push(Shape {
                            cpus: set.clone(),
                            one_cluster,
                            pattern,
                            way,
                            pace,
                            accounting,
                        });
                    }
                }
            }
        }
    }
    let mut plan = Plan::of(Vec::new());
    for _ in 0..options.repeat {
        for (id, shape) in (0u32..).zip(&shapes) {
            plan.questions
                .push(Question::Storm(shape.cell(id, options.us)));
        }
    }
    Ok((shapes, plan))
}
