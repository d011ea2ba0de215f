//! The result of a run, made again of its plan and its counts.

use serde_json::Value;

use crate::error::Error;
use crate::fields;
use crate::handoff;
use crate::latency::{self, Around, Pairs};
use crate::output::{Form, render, render_routes};
use crate::plan::{Plan, PlannedCell};
use crate::result::{Aic, CpuState, Head, Restore, route_result};
use crate::session::{Answers, Measured, Outcome, Restoring};
use crate::soak;
use crate::storm;
use crate::verify::{self, VerifyResult};

use super::format::TargetFile;
use super::name;
use super::read::{EvidenceError, Stored, damaged};
use super::registers::RegistersFile;

/// Commands whose results can be made again.
pub const COMMANDS: &[&str] = &[
    "verify", "route", "fields", "latency", "handoff", "soak", "storm",
];

/// A result, made again.
#[derive(Clone, Debug)]
pub struct Again {
    /// In the form asked for.
    pub text: String,
    /// Where it is not what the run said; empty = equal. `None`: the run's own result is not there.
    pub differences: Option<Vec<String>>,
    /// Parts of the result that the counts of cells do not tell: taken from the run's own result.
    pub taken: Vec<&'static str>,
}

/// What results are made of.
struct Parts<'s> {
    stored: &'s Stored,
    options: Value,
    head: Head,
    aic: Aic,
    restore: Restore,
    cells: Vec<(PlannedCell, Measured)>,
    replies: Vec<crate::session::Reply>,
    plan: Plan,
    /// What the run said.
    said: Option<Value>,
    taken: Vec<&'static str>,
    form: Form,
}

/// Makes the result of `stored` again, in the form `form`.
///
/// # Errors
/// [`Error::Evidence`].
pub fn again(stored: &Stored, form: Form) -> Result<Again, Error> {
    let wrong = |why: EvidenceError| Error::Evidence {
        path: stored.path.clone(),
        why,
    };
    let run = stored.run().map_err(wrong)?;
    let counted = stored.cells().map_err(wrong)?;
    let target: TargetFile = stored.json(name::TARGET).map_err(wrong)?;
    let registers: RegistersFile = stored.json(name::REGISTERS).map_err(wrong)?;
    let mut parts = Parts {
        stored,
        options: run.options,
        head: target.head,
        aic: target.aic,
        restore: registers.restore,
        cells: counted.measured(),
        replies: counted.replies,
        plan: counted.plan.plan,
        said: stored.some(name::RESULT).map_err(wrong)?,
        taken: Vec::new(),
        form,
    };
    let (text, json) = match run.command.as_str() {
        "route" => parts.route()?,
        "fields" => parts.fields()?,
        "handoff" => {
            let made = handoff::report(parts.head.clone(), &parts.cells)?;
            parts.both(&made)?
        }
        "latency" => parts.latency()?,
        "soak" => parts.soak()?,
        "storm" => parts.storm()?,
        "verify" => parts.verify()?,
        other => return Err(wrong(EvidenceError::Command(other.to_owned()))),
    };
    let made: Value = serde_json::from_str(&json).map_err(|e| Error::Internal(e.to_string()))?;
    let differences = parts.said.as_ref().map(|said| {
        let mut all = Vec::new();
        super::diff::leaves("", said, &made, &mut all);
        all
    });
    Ok(Again {
        text,
        differences,
        taken: parts.taken,
    })
}

impl Parts<'_> {
    /// In the form asked for, and as JSON.
    fn both<D: crate::output::Document>(&self, made: &D) -> Result<(String, String), Error> {
        Ok((render(made, self.form)?, render(made, Form::Json)?))
    }

    /// The options that the command kept.
    fn options<T: serde::de::DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_value(self.options.clone()).map_err(|why| Error::Evidence {
            path: self.stored.path.clone(),
            why: damaged(name::RUN, format!("options: {why}")),
        })
    }

    /// A part of the run's own result.
    fn take<T: serde::de::DeserializeOwned>(
        &mut self,
        key: &'static str,
    ) -> Result<Option<T>, Error> {
        let value = self.said.as_ref().and_then(|said| said.get(key));
        let Some(value) = value.filter(|v| !v.is_null()) else {
            return Ok(None);
        };
        let taken = serde_json::from_value(value.clone()).map_err(|why| Error::Evidence {
            path: self.stored.path.clone(),
            why: damaged(name::RESULT, format!("{key}: {why}")),
        })?;
        self.taken.push(key);
        Ok(Some(taken))
    }

    fn route(&self) -> Result<(String, String), Error> {
        let (aic, restore) = (self.aic.clone(), self.restore.clone());
        let made = route_result(self.head.clone(), aic, restore, &self.cells)?;
        let of = |form| render_routes(&[&made], form);
        Ok((of(self.form)?, of(Form::Json)?))
    }

    fn verify(&mut self) -> Result<(String, String), Error> {
        let kept: Option<verify::Kept> = self.options()?;
        let setup = self.said.as_ref().and_then(|s| s.pointer("/setup/kind"));
        let measured = setup.is_none_or(|kind| kind == "fine");
        let Some(kept) = kept.filter(|_| measured) else {
            // The target could not be measured: why, only the result says.
            let missing = || self.wrong(EvidenceError::Missing(name::RESULT));
            let said = self.said.clone().ok_or_else(missing)?;
            let result = VerifyResult::from_json(said)
                .map_err(|why| self.wrong(damaged(name::RESULT, why)))?;
            self.taken.push("all but the rules");
            return self.both(&result.again());
        };
        let left_out = kept.left_out.clone();
        let (aic, restore) = (self.aic.clone(), self.restore.clone());
        let (cells, replies) = (&self.cells, &self.replies);
        let (mut head, questions) = (self.head.clone(), &self.plan.questions);
        // Counts that are not there say nothing for any rule.
        head.complete &= cells.len() == self.plan.cells.len();
        let record = verify::record(kept, head, aic, restore, cells, questions, replies)?;
        let impossible = |why| self.wrong(damaged(name::CELLS, why));
        record.check().map_err(impossible)?;
        let result = VerifyResult::of(record, |id| !left_out.iter().any(|l| l == id));
        self.both(&result)
    }

    fn wrong(&self, why: EvidenceError) -> Error {
        Error::Evidence {
            path: self.stored.path.clone(),
            why,
        }
    }

    fn fields(&mut self) -> Result<(String, String), Error> {
        let kept: fields::Kept = self.options()?;
        let mut made = fields::made(self.head.clone(), &self.cells, &kept);
        // What was tried behind the table was tried in sessions of their own.
        if let Some(further) = self.take("further")? {
            made.further = Some(further);
            if let Some(observations) = self.take("observations")? {
                made.observations = observations;
            }
            if let Some(marks) = self.take("marks")? {
                made.head.marks = marks;
            }
        }
        let of = |key: &str| self.said.as_ref().and_then(|s| s.get(key)?.as_bool());
        made.head.complete &= of("complete").unwrap_or(true);
        made.head.restored &= of("restored").unwrap_or(true);
        self.both(&made)
    }

    fn latency(&mut self) -> Result<(String, String), Error> {
        let kept: latency::Kept = self.options()?;
        let planned = Pairs {
            plan: self.plan.clone(),
            of: kept.of,
            marks: kept.marks,
        };
        let around = Around::default();
        let head = self.head.clone();
        let mut made = latency::result(head, &kept.ask, &planned, kept.line, &self.cells, &around)?;
        if made.spike.is_some() {
            made.spike = self.take("spike")?.or(made.spike);
        }
        self.both(&made)
    }

    fn soak(&mut self) -> Result<(String, String), Error> {
        let kept: soak::Kept = self.options()?;
        let (hz, cpus) = (self.head.counter.hz, self.head.cpus.len());
        let intervals = soak::Intervals::new(kept.ask.interval_ms, hz, cpus, kept.keep);
        let found = (kept.line, kept.expected);
        let around = Around::default();
        let head = self.head.clone();
        let mut made = soak::result(head, &kept.ask, found, &self.cells, intervals, &around)?;
        // Intervals are parts of cells, of which only the sums are kept.
        if let Some(intervals) = self.take("intervals")? {
            made.intervals = intervals;
        }
        if let Some(over) = self.take("over_intervals")? {
            made.over_intervals = over;
        }
        if let Some(every) = self.take("kept_every")? {
            made.kept_every = every;
        }
        if made.violation.is_some() {
            made.violation = self.take("violation")?.or(made.violation);
        }
        if let Some(marks) = self.take("marks")? {
            made.head.marks = marks;
        }
        self.both(&made)
    }

    fn storm(&mut self) -> Result<(String, String), Error> {
        let (shapes, us, repeat): (Vec<storm::Shape>, u32, u32) = self.options()?;
        let states: Vec<CpuState> = self.head.cpus.iter().map(|c| c.state).collect();
        let outcome = Outcome {
            cpus: states,
            answers: Answers {
                replies: std::mem::take(&mut self.replies),
                ..Answers::default()
            },
            cells: Vec::new(),
            restoring: Restoring::Untouched,
            marks: Vec::new(),
            interrupted: false,
            failure: None,
        };
        let (made, _) = storm::report(self.head.clone(), &shapes, us, repeat, &outcome);
        self.both(&made)
    }
}
