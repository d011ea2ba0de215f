//! Options of `compare`, and the settings of one side.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser};
use protocol::LineId;

use crate::compare::DIMENSIONS;
use crate::error::Error;
use crate::output::Form;
use crate::plan::{DEFAULT_TIMEOUT_US, DEFAULT_TRIGGERS, Request};

use super::super::args::{CpuSet, LinkArgs};
use super::super::values;

/// Most rounds, and most triggers of a cell in each.
const MAX_ROUNDS: i64 = 1000;
const MAX_TRIGGERS: i64 = 10_000_000;

/// Compares two sides, each a target or saved results (JSON; several with commas between). Targets are measured as by `route`, in
/// turns, ABAB…; a virtual one with another seed in each run. Saved results may be of `route`, `latency`, `handoff`, `storm`, `soak`
/// or `fields`, both sides of the same command; this command measures none of these but `route` itself.
///
/// Options that say what to measure hold for both sides; --a and --b take more of them for one side, in quotes, and those win.
/// Cells are paired by line, firing CPU, fields, masks and routing; what --a and --b set differently is what is compared, and
/// not paired by. Cells of latency are paired by load and CPUs, of handoff by load, way, relation and CPUs, of storm by CPUs, pattern,
/// way, pace and accounting; a soak by firing CPU and fields; of fields by fields and mask, and by claim. Every number is judged
/// "A higher", "B higher", "same" (no difference beyond the margin) or "cannot tell" (always with one run a side); then the states
/// that one side shows and the other never does are listed. Stopped with Ctrl-C it
/// compares the runs that both sides completed, marks the result as partial and ends with 130.
#[derive(Debug, Args)]
#[command(after_help = super::super::args::exit_codes())]
pub struct CompareArgs {
    /// One side: vm:NAME, vm:FILE.toml, usb, a serial port, or FILE.json[,FILE.json…].
    pub a: String,
    /// The other side.
    pub b: String,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub both: SideArgs,
    /// Settings of side A only, in quotes.
    #[arg(long = "a", value_name = "OPTIONS", allow_hyphen_values = true)]
    pub for_a: Option<String>,
    /// Settings of side B only, in quotes.
    #[arg(long = "b", value_name = "OPTIONS", allow_hyphen_values = true)]
    pub for_b: Option<String>,
    /// Runs of each target, in turns.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=MAX_ROUNDS))]
    pub alternate: u32,
    /// Percent below which a difference does not matter: of the mean for latencies and rates, percentage points for shares.
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0, value_parser = percent)]
    pub margin: f64,
    /// Do not pair cells by this; may be repeated.
    #[arg(long = "ignore", value_name = "WHAT", value_parser = clap::builder::PossibleValuesParser::new(DIMENSIONS))]
    pub ignored: Vec<String>,
    /// End with 5 where a difference stands when all numbers are judged together or a one-sided state is beyond chance, else
    /// with 6 where anything cannot be told.
    #[arg(long)]
    pub fail_on_difference: bool,
    /// In tables also the numbers that are the same, and every cell of one side (else 50 of them).
    #[arg(long)]
    pub all: bool,
    /// Keep the result of every run that is made in this folder, as a-1.json, b-1.json, …: to be compared again later.
    #[arg(long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub link: LinkArgs,
    /// Show every run as a dashboard on standard error while it lasts; q stops the comparison. Where that is no terminal: lines.
    #[arg(long, conflicts_with = "quiet")]
    pub live: bool,
    /// Do not ask before runs that take more than 10 minutes on hardware.
    #[arg(long)]
    pub yes: bool,
    /// Form of the result: schema "aicprobe.compare/1".
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// What is measured on a target, and with what. All as of `route`.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct SideArgs {
    /// Triggers per cell and run (32).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_TRIGGERS))]
    pub triggers: Option<u32>,
    /// Timeout of a trigger in milliseconds (10).
    #[arg(long, value_name = "MS", value_parser = values::timeout_ms)]
    pub timeout: Option<f64>,
    /// Seed of the first run of a virtual SoC; those that follow count up. Without it side A counts from 1, and side B from
    /// where A ends.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Fire this line, NUMBER or DIE:NUMBER; may be repeated.
    #[arg(long = "line", value_name = "L", value_parser = values::line)]
    pub lines: Vec<LineId>,
    /// Fire from this CPU (logical id); may be repeated.
    #[arg(long = "fire-cpu", value_name = "C")]
    pub fire_cpus: Vec<u32>,
    /// Set the routing field of SIQ_CFG of a CPU; may be repeated for other CPUs.
    #[arg(long = "set-field", value_name = "CPU=V", value_parser = values::set_field)]
    pub set_fields: Vec<(u32, u8)>,
    /// Keep IRQs of a CPU masked for MS milliseconds per trigger; may be repeated for other CPUs.
    #[arg(long = "mask", value_name = "CPU:MS", value_parser = values::mask)]
    pub masks: Vec<(u32, u32)>,
    /// AICv1: target the line at these CPUs; may be repeated.
    #[arg(long = "target-mask", value_name = "CPU[,CPU…]", value_parser = values::cpus)]
    pub target_masks: Vec<CpuSet>,
    /// AICv2 and AICv3: TARGET nibble of the line's IRQ_CFG; may be repeated.
    #[arg(long = "target-nibble", value_name = "N", value_parser = clap::value_parser!(u8).range(0..=15))]
    pub target_nibbles: Vec<u8>,
    /// Run this firmware image instead of the one built in.
    #[arg(long, value_name = "FILE")]
    pub firmware: Option<PathBuf>,
    /// On a virtual SoC: run this loader image instead of the stand-in.
    #[arg(long, value_name = "FILE")]
    pub loader: Option<PathBuf>,
}

/// The settings of a side by themselves.
#[derive(Debug, Parser)]
#[command(
    no_binary_name = true,
    disable_help_flag = true,
    disable_version_flag = true
)]
struct Alone {
    #[command(flatten)]
    side: SideArgs,
}

impl SideArgs {
    /// The settings in `text`, the value of `option`.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn parse(option: &str, text: &str) -> Result<Self, Error> {
        let words = shlex::split(text).ok_or_else(|| {
            Error::Usage(format!("{option} '{text}': a quote in it does not end"))
        })?;
        Alone::command()
            .try_get_matches_from(words)
            .and_then(|m| Alone::from_arg_matches(&m))
            .map(|alone| alone.side)
            .map_err(|e| {
                let said = e.to_string();
                let first = said.lines().next().unwrap_or_default();
                let first = first.strip_prefix("error: ").unwrap_or(first);
                let allowed: Vec<String> = Alone::command()
                    .get_arguments()
                    .filter_map(|a| Some(format!("--{}", a.get_long()?)))
                    .collect();
                Error::Usage(format!(
                    "{option} '{text}': {first}; allowed are {}",
                    allowed.join(", ")
                ))
            })
    }

    /// These, and what `more` says otherwise.
    #[must_use]
    pub fn overlaid(&self, more: &Self) -> Self {
        let several = |mine: &[LineId], theirs: &[LineId]| pick(mine, theirs);
        Self {
            triggers: more.triggers.or(self.triggers),
            timeout: more.timeout.or(self.timeout),
            seed: more.seed.or(self.seed),
            lines: several(&self.lines, &more.lines),
            fire_cpus: pick(&self.fire_cpus, &more.fire_cpus),
            set_fields: pick(&self.set_fields, &more.set_fields),
            masks: pick(&self.masks, &more.masks),
            target_masks: pick(&self.target_masks, &more.target_masks),
            target_nibbles: pick(&self.target_nibbles, &more.target_nibbles),
            firmware: more.firmware.clone().or_else(|| self.firmware.clone()),
            loader: more.loader.clone().or_else(|| self.loader.clone()),
        }
    }

    /// The plan asked for.
    #[must_use]
    pub fn request(&self) -> Request {
        let timeout = self.timeout.unwrap_or(f64::from(DEFAULT_TIMEOUT_US) / 1e3);
        Request {
            lines: self.lines.clone(),
            fire_cpus: self.fire_cpus.clone(),
            set_fields: self.set_fields.clone(),
            masks: self.masks.clone(),
            triggers: self.triggers.unwrap_or(DEFAULT_TRIGGERS),
            // The parser has checked the range.
            timeout_us: (timeout * 1e3).round() as u32,
            targets: self.target_masks.iter().map(|set| set.0.clone()).collect(),
            nibbles: self.target_nibbles.clone(),
        }
    }

    /// Dimensions of cells that both sides set, and differently: what is compared, so not paired by.
    #[must_use]
    pub fn differing(&self, other: &Self) -> Vec<String> {
        let mut names = Vec::new();
        let routing =
            self.target_masks != other.target_masks || self.target_nibbles != other.target_nibbles;
        for (name, differs) in [
            ("line", self.lines != other.lines),
            ("fields", self.set_fields != other.set_fields),
            ("masked", self.masks != other.masks),
            ("routing", routing),
        ] {
            if differs {
                names.push(name.to_owned());
            }
        }
        names
    }
}

fn pick<T: Clone>(mine: &[T], theirs: &[T]) -> Vec<T> {
    if theirs.is_empty() { mine } else { theirs }.to_vec()
}

fn percent(text: &str) -> Result<f64, String> {
    let allowed = || format!("{text} is not allowed: 0 to 100");
    let value: f64 = text.parse().map_err(|_| allowed())?;
    if (0.0..=100.0).contains(&value) {
        Ok(value)
    } else {
        Err(allowed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_side_win() {
        let both = SideArgs::parse("x", "--triggers 8 --set-field 1=1").unwrap();
        let b = SideArgs::parse("--b", "--set-field 2=1 --seed 9 --firmware 'a b.img'").unwrap();
        let over = both.overlaid(&b);
        assert_eq!((over.triggers, over.seed), (Some(8), Some(9)));
        assert_eq!(over.set_fields, [(2, 1)]);
        assert_eq!(over.firmware, Some(PathBuf::from("a b.img")));
        assert_eq!(both.differing(&over), ["fields"]);
        assert!(both.differing(&both).is_empty());
        assert_eq!(both.overlaid(&SideArgs::default()), both);
        assert_eq!(SideArgs::default().request(), Request::default());
    }

    #[test]
    fn what_is_wrong_with_a_side() {
        let said = |text: &str| SideArgs::parse("--b", text).unwrap_err().to_string();
        assert!(said("'open").contains("--b ''open': a quote"));
        let unknown = said("--nonsense 3");
        assert!(
            unknown.contains("--nonsense") && unknown.contains("--set-field"),
            "{unknown}"
        );
        assert!(!unknown.contains('\n'), "{unknown}");
        assert!(said("--set-field 1=9").contains("field value 9 does not exist"));
        assert!(said("word").contains("word"));
    }
}
