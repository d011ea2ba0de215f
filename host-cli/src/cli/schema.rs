//! `aicprobe schema`: the JSON Schemas of all results.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use crate::allow_list::Assessment;
use crate::behaviour::Report;
use crate::compare::CompareResult;
use crate::doctor::DoctorReport;
use crate::error::{Error, exit};
use crate::evidence::{CheckResult, DiffResult, ShowResult};
use crate::fields::FieldsReport;
use crate::handoff::HandoffReport;
use crate::info::Info;
use crate::irqs::IrqsReport;
use crate::latency::LatencyResult;
use crate::link::PortList;
use crate::output::{DryRun, to_json};
use crate::raw::ReplayResult;
use crate::regs::{DecodeResult, RegsExport, RegsList, RegsShow};
use crate::result::{BenchLink, RouteResult};
use crate::soak::SoakResult;
use crate::storm::StormReport;
use crate::tables::Tables;
use crate::tree::{LinesReport, Listing};
use crate::verify::VerifyResult;

use super::all::All;
use super::args::exit_codes;
use super::write::Sink;

/// The schema of a result.
struct Entry {
    /// Value of the result's `schema`.
    id: &'static str,
    /// What has it.
    of: &'static str,
    make: fn() -> Schema,
}

const fn entry<T: JsonSchema>(id: &'static str, of: &'static str) -> Entry {
    Entry {
        id,
        of,
        make: make::<T>,
    }
}

/// Every result that is printed as JSON. A new one is a line here, a call in `tests/outputs.rs`, and `cargo xtask schemas`.
const SCHEMAS: &[Entry] = &[
    entry::<Listing>(Listing::SCHEMA, "adt"),
    entry::<Assessment>(Assessment::SCHEMA, "allow-list check"),
    entry::<BenchLink>(BenchLink::SCHEMA, "bench link"),
    entry::<CompareResult>(CompareResult::SCHEMA, "compare"),
    entry::<DoctorReport>(DoctorReport::SCHEMA, "doctor"),
    entry::<CheckResult>(CheckResult::SCHEMA, "evidence check"),
    entry::<DiffResult>(DiffResult::SCHEMA, "evidence diff"),
    entry::<ShowResult>(ShowResult::SCHEMA, "evidence show"),
    entry::<FieldsReport>(FieldsReport::SCHEMA, "fields"),
    entry::<HandoffReport>(HandoffReport::SCHEMA, "handoff"),
    entry::<Info>(Info::SCHEMA, "info"),
    entry::<IrqsReport>(IrqsReport::SCHEMA, "irqs"),
    entry::<LatencyResult>(LatencyResult::SCHEMA, "latency"),
    entry::<LinesReport>(LinesReport::SCHEMA, "lines"),
    entry::<PortList>(PortList::SCHEMA, "list"),
    entry::<Report>(Report::SCHEMA, "observe"),
    entry::<DryRun>(DryRun::SCHEMA, "route --dry-run"),
    entry::<RegsExport>(RegsExport::SCHEMA, "regs export --format json"),
    entry::<DecodeResult>(DecodeResult::SCHEMA, "regs decode"),
    entry::<RegsList<'_>>(RegsList::SCHEMA, "regs list"),
    entry::<RegsShow<'_>>(RegsShow::SCHEMA, "regs show"),
    entry::<ReplayResult>(ReplayResult::SCHEMA, "replay --counts"),
    entry::<RouteResult>(RouteResult::SCHEMA, "route"),
    entry::<All<'_>>(All::SCHEMA, "route --target vm:all"),
    entry::<SoakResult>(SoakResult::SCHEMA, "soak"),
    entry::<StormReport>(StormReport::SCHEMA, "storm"),
    entry::<VerifyResult>(VerifyResult::SCHEMA, "verify"),
    entry::<Tables<'_>>(Tables::SCHEMA, "tables --format json"),
];

/// Prints the JSON Schema (draft 2020-12) of a result. Without a name: lists all, a line each, with the command that has it.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct SchemaArgs {
    /// What a result says under \"schema\", like aicprobe.route/1.
    pub name: Option<String>,
    /// Write the schema to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write every schema to DIR, each as NAME.json with a dot for the slash.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["name", "output"])]
    pub write: Option<PathBuf>,
}

/// As results are written: what is never left out is required.
fn make<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}

impl Entry {
    /// As JSON text.
    fn text(&self) -> Result<String, Error> {
        let mut schema = (self.make)();
        schema.insert("title".to_owned(), Value::from(self.id));
        if let Some(id) = schema.pointer_mut("/properties/schema") {
            *id = json!({ "const": self.id });
        }
        to_json(&schema)
    }
}

/// Runs the command.
///
/// # Errors
/// [`Error::Usage`] for a name that no schema has; errors of the output.
pub fn run(args: &SchemaArgs) -> Result<u8, Error> {
    if let Some(folder) = &args.write {
        for entry in SCHEMAS {
            let path = folder.join(entry.id.replace('/', ".") + ".json");
            Sink::open(Some(&path))?.write(&entry.text()?)?;
        }
        return Ok(exit::OK);
    }
    let text = match &args.name {
        Some(name) => find(name)?.text()?,
        None => list(),
    };
    Sink::open(args.output.as_deref())?.write(&text)?;
    Ok(exit::OK)
}

fn find(name: &str) -> Result<&'static Entry, Error> {
    let found = SCHEMAS.iter().find(|entry| entry.id == name);
    found.ok_or_else(|| {
        let all: Vec<&str> = SCHEMAS.iter().map(|entry| entry.id).collect();
        Error::Usage(format!(
            "schema {name}: no result has it; allowed are {}",
            all.join(", ")
        ))
    })
}

fn list() -> String {
    let mut out = String::new();
    for entry in SCHEMAS {
        let _ = writeln!(out, "{:<24} {}", entry.id, entry.of);
    }
    out
}
