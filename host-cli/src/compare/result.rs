//! Result of `compare`; serialised it is the JSON schema "aicprobe.compare/1".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::judge::Verdict;
use super::run::Key;

/// What two sides have in common and what not. Differences are B - A.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompareResult {
    /// "aicprobe.compare/1".
    pub schema: String,
    /// Version of this program.
    pub tool: String,
    /// Schema of the results compared.
    pub of: String,
    /// The first side.
    pub a: Side,
    /// The second side.
    pub b: Side,
    /// Confidence of every interval.
    pub confidence: f64,
    /// Percent below which a difference does not matter: of the mean for values, percentage points for shares.
    pub margin_percent: f64,
    /// Dimensions of cells by which they were not paired.
    pub ignored: Vec<String>,
    /// Numbers, those over all paired cells first.
    pub metrics: Vec<MetricRow>,
    /// What triggers did on one side only.
    pub states: Vec<StateRow>,
    /// Cells that one side has not: compared with nothing.
    pub unpaired: Vec<Only>,
    /// What held differently while paired cells ran.
    pub conditions: Vec<Condition>,
    /// All of it in numbers.
    pub summary: Summary,
    /// What has to be said beside.
    pub notes: Vec<String>,
    /// Every run that was to be made was made.
    pub complete: bool,
    /// The table leaves out numbers that are the same.
    #[serde(skip)]
    pub brief: bool,
}

impl CompareResult {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.compare/1";
}

/// One side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// As named by the user, with its settings.
    pub name: String,
    /// A virtual SoC answered: in whose words. `null` on hardware.
    pub model: Option<String>,
    /// Chip and board.
    pub chip: String,
    /// Its runs, in the order in which they were made or named.
    pub runs: Vec<RunInfo>,
}

impl Side {
    /// "A" or "B", with a model named as one.
    #[must_use]
    pub fn label(&self, side: WhichSide) -> String {
        let model = if self.model.is_some() { " (model)" } else { "" };
        format!("{}{model}", side.name())
    }
}

/// Where numbers come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunInfo {
    /// The file, or what was measured.
    pub origin: String,
    /// The target as its user named it.
    pub target: String,
    /// Its seed.
    pub seed: u64,
    /// Build id of the firmware.
    pub firmware: String,
    /// Every cell ran to its end.
    pub complete: bool,
    /// The target was as found afterwards.
    pub restored: bool,
}

/// A side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum WhichSide {
    /// The first.
    A,
    /// The second.
    B,
}

impl WhichSide {
    /// As in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }
}

/// A number of both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricRow {
    /// The cell; `null` = over all paired cells.
    pub cell: Option<Key>,
    /// Its name, with its unit unless it is a share of what was tried (0 to 1); `m_…_per_s`: millions a second.
    pub metric: String,
    /// What latencies count from; empty for others.
    pub basis: String,
    /// Runs of side A that have it.
    pub a_runs: usize,
    /// Runs of side B.
    pub b_runs: usize,
    /// Side A: pooled share, or mean of its runs.
    pub a: f64,
    /// Side B.
    pub b: f64,
    /// B - A.
    pub difference: f64,
    /// Lower end of the interval of the difference; `null` with one run a side.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The word, this number judged alone.
    pub verdict: Verdict,
    /// A difference that also stands when all numbers are judged together: with `confidence` none of them is there by chance.
    pub stands: bool,
}

/// What triggers of a cell did on one side and never on the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StateRow {
    /// The cell.
    pub cell: Key,
    /// What they did.
    pub state: String,
    /// The side that shows it.
    pub only_in: WhichSide,
    /// Triggers of side A that did it.
    pub a: u64,
    /// Of how many.
    pub a_of: u64,
    /// Runs of side A that show it.
    pub a_runs: usize,
    /// The same of side B.
    pub b: u64,
    /// See `a_of`.
    pub b_of: u64,
    /// See `a_runs`.
    pub b_runs: usize,
    /// Upper 95 % bound of the state's rate on the side that never shows it (Clopper-Pearson).
    pub never_upper_95: f64,
    /// The lower 95 % bound of its rate on the other side lies above that, and most runs show it.
    pub beyond_chance: bool,
    /// What it means.
    pub says: String,
}

/// A cell of one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Only {
    /// The side that has it.
    pub only_in: WhichSide,
    /// The cell.
    pub cell: Key,
}

/// Something that is no part of a cell's key and was not the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Condition {
    /// What.
    pub name: String,
    /// On side A; several values with commas between.
    pub a: String,
    /// On side B.
    pub b: String,
    /// In so many paired cells.
    pub cells: usize,
    /// The first of them.
    pub first: Key,
}

/// All of it in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Cells that both sides have.
    pub cells: usize,
    /// Numbers that are higher on side A.
    pub a_higher: usize,
    /// Numbers that are higher on side B.
    pub b_higher: usize,
    /// Numbers that are the same.
    pub same: usize,
    /// Numbers of which nothing can be said.
    pub cannot_tell: usize,
    /// Differences that stand when all numbers are judged together.
    pub standing: usize,
    /// States that only side A shows.
    pub states_only_in_a: usize,
    /// States that only side B shows.
    pub states_only_in_b: usize,
    /// Of both, those beyond chance.
    pub states_beyond_chance: usize,
    /// States that both show.
    pub states_shared: usize,
}

impl Summary {
    /// A difference that stands, or a one-sided state beyond chance.
    #[must_use]
    pub const fn found(&self) -> bool {
        self.standing > 0 || self.states_beyond_chance > 0
    }

    /// Something may differ, or nothing was compared.
    #[must_use]
    pub const fn undecided(&self) -> bool {
        self.cells == 0
            || self.cannot_tell + self.a_higher + self.b_higher > 0
            || self.states_only_in_a + self.states_only_in_b > 0
    }
}

/// Six significant digits: what an estimate is good for, and the same on every platform's floating point.
pub fn significant(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}
