//! What the rows of a listing mean.

use schemars::JsonSchema;
use serde::Serialize;

use crate::regs::{Hwirq, HwirqReading, fiq_name};
use crate::result::Mark;
use crate::target::{LineMap, Owner};
use aic_regs::aic::Line;
use protocol::LineId;

use super::parse::{Listing, ListingError, Row, Trigger};

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A line of the AIC, its number an event word.
    AicLine,
    /// A line of the AIC under an old driver for AICv1: its number is the line of die 0.
    AicPlainLine,
    /// An IPI of AICv1.
    AicIpi,
    /// A row of the AIC whose number is neither.
    AicUnknown,
    /// A FIQ (timers, performance counters): not the AIC's.
    Fiq,
    /// Another interrupt controller's, with numbers of its own.
    OtherController,
    /// No interrupt line: IPIs of Linux, errors and the like.
    NotALine,
}

impl Kind {
    /// Whether the AIC delivers it.
    #[must_use]
    pub const fn is_aic(self) -> bool {
        matches!(
            self,
            Self::AicLine | Self::AicPlainLine | Self::AicIpi | Self::AicUnknown
        )
    }
}

/// Who owns a line by the device tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Owners(pub Vec<String>);

/// A row and its meaning.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RowInfo {
    /// Linux's own number, or a word.
    pub irq: String,
    /// The interrupt controller as its driver calls itself.
    pub chip: String,
    /// Its number for the interrupt.
    pub hwirq: Option<u64>,
    /// "level" or "edge", where the kernel shows it.
    pub trigger: Option<&'static str>,
    /// What the row is.
    pub kind: Kind,
    /// The line as `--line` takes it.
    pub line: Option<String>,
    /// Its die.
    pub die: Option<u8>,
    /// Its number on the die.
    pub number: Option<u16>,
    /// Who owns it by the device tree; `null` without `--adt` and for what is no line of the AIC.
    pub owners: Option<Owners>,
    /// Who handles it on that Linux, or what the row is.
    pub handlers: String,
    /// Counts, parallel to `cpus`; one for all CPUs where the row has no more.
    pub counts: Vec<u64>,
    /// Their sum.
    pub total: u64,
    /// What else there is to say about the number.
    pub note: Option<String>,
}

/// What a CPU took.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CpuTotal {
    /// Linux's number: the boot CPU is 0.
    pub cpu: u32,
    /// Interrupts of the AIC.
    pub count: u64,
    /// Their part of all, 0 to 1; `null` if there was none at all.
    pub share: Option<f64>,
}

/// The report.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IrqsReport {
    /// "aicprobe.irqs/1".
    pub schema: &'static str,
    /// The file.
    pub file: String,
    /// CPUs of the listing, by Linux's number.
    pub cpus: Vec<u32>,
    /// Rows in the listing's order.
    pub rows: Vec<RowInfo>,
    /// Interrupts of the AIC by CPU.
    pub totals: Vec<CpuTotal>,
    /// All interrupts of the AIC.
    pub total: u64,
    /// CPUs that took one.
    pub taking: Vec<u32>,
    /// CPUs that took none.
    pub not_taking: Vec<u32>,
    /// What was inferred instead of read.
    pub marks: Vec<Mark>,
}

impl IrqsReport {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.irqs/1";

    /// Takes every row of a listing; owners by `map`, if there is a device tree.
    ///
    /// # Errors
    /// [`ListingError::Row`] where counts have no sum within 64 bits, or a number of the AIC has more than 32.
    pub fn new(
        file: String,
        listing: &Listing,
        map: Option<&LineMap>,
        marks: Vec<Mark>,
    ) -> Result<Self, ListingError> {
        let mut sums = vec![0u64; listing.cpus.len()];
        let mut total = 0u64;
        let mut rows = Vec::with_capacity(listing.rows.len());
        for row in &listing.rows {
            let fails = |what: String| ListingError::Row { line: row.at, what };
            let info = meaning(row, map).map_err(fails)?;
            if info.kind.is_aic() {
                for (sum, count) in sums.iter_mut().zip(&info.counts) {
                    *sum = sum.checked_add(*count).ok_or_else(|| fails(no_sum()))?;
                }
                total = total
                    .checked_add(info.total)
                    .ok_or_else(|| fails(no_sum()))?;
            }
            rows.push(info);
        }
        let totals: Vec<CpuTotal> = listing
            .cpus
            .iter()
            .zip(&sums)
            .map(|(cpu, count)| CpuTotal {
                cpu: *cpu,
                count: *count,
                share: (total > 0).then(|| *count as f64 / total as f64),
            })
            .collect();
        let those = |taking: bool| -> Vec<u32> {
            let found = totals.iter().filter(|t| (t.count > 0) == taking);
            found.map(|t| t.cpu).collect()
        };
        Ok(Self {
            schema: Self::SCHEMA,
            file,
            cpus: listing.cpus.clone(),
            taking: those(true),
            not_taking: those(false),
            rows,
            totals,
            total,
            marks,
        })
    }
}

fn no_sum() -> String {
    format!("the counts add up to more than {}", u64::MAX)
}

fn meaning(row: &Row, map: Option<&LineMap>) -> Result<RowInfo, String> {
    let mut total = 0u64;
    for count in &row.counts {
        total = total.checked_add(*count).ok_or_else(no_sum)?;
    }
    let (kind, line, note) = match (row.chip.as_str(), row.hwirq) {
        (_, None) => (Kind::NotALine, None, None),
        (chip @ ("AIC" | "AIC2" | "AIC3"), Some(number)) => aic(chip, number)?,
        ("AIC-FIQ" | "FIQ", Some(number)) => {
            let name = usize::try_from(number).ok().and_then(fiq_name);
            (Kind::Fiq, None, name.map(str::to_owned))
        }
        (_, Some(_)) => (Kind::OtherController, None, None),
    };
    let owners = map.zip(line).map(|(map, line)| {
        let Line { die, number } = line;
        let owners = map.owners(LineId { die, number });
        Owners(owners.iter().map(owner).collect())
    });
    Ok(RowInfo {
        irq: row.label.clone(),
        chip: row.chip.clone(),
        hwirq: row.hwirq,
        trigger: row.trigger.map(|trigger| match trigger {
            Trigger::Level => "level",
            Trigger::Edge => "edge",
        }),
        kind,
        line: line.map(|line| line.to_string()),
        die: line.map(|line| line.die),
        number: line.map(|line| line.number),
        owners,
        handlers: row.handlers.clone(),
        counts: row.counts.clone(),
        total,
        note,
    })
}

/// A number of the AIC's driver: an event word, or under the name that the old driver had too a plain line.
fn aic(chip: &str, number: u64) -> Result<(Kind, Option<Line>, Option<String>), String> {
    let word = u32::try_from(number).map_err(|_| {
        format!(
            "{chip} {number} is no number of the AIC: allowed are 0 to {}",
            u32::MAX
        )
    })?;
    let hwirq = Hwirq::new(word);
    let line = |die, number| Some(Line { die, number });
    Ok(match hwirq.reading {
        HwirqReading::HardwareLine => (Kind::AicLine, line(hwirq.die, hwirq.number), None),
        HwirqReading::Ipi => (Kind::AicIpi, None, hwirq.notes.first().cloned()),
        HwirqReading::NotDecodable if chip == "AIC" && (hwirq.die, hwirq.kind) == (0, 0) => {
            let note = "plain line of an old driver for AICv1";
            (Kind::AicPlainLine, line(0, hwirq.number), Some(note.into()))
        }
        HwirqReading::NotDecodable => (Kind::AicUnknown, None, hwirq.notes.first().cloned()),
    })
}

fn owner(owner: &Owner) -> String {
    match owner {
        Owner::Device(claim) if !claim.unknown_parent => claim.path.to_string(),
        other => other.to_string(),
    }
}
