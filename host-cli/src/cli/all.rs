//! `route --target vm:all`: every built-in virtual SoC but variants of another, side by side.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemars::JsonSchema;
use serde::Serialize;
use virtual_soc::SocModel;

use crate::diagnose::told;
use crate::error::{Error, exit};
use crate::firmware::Firmware;
use crate::output::{DryRun, Form, render_routes, to_json};
use crate::result::RouteResult;
use crate::target::Overrides;

use super::args::{Cli, RouteArgs};
use super::route::{Kept, Made, one};
use super::tell::tell;
use super::write::Sink;

/// The target that stands for all of them.
pub const NAME: &str = "vm:all";

/// The result of `route --target vm:all`, or with `--dry-run` its plans.
#[derive(Serialize, JsonSchema)]
pub(super) struct All<'a> {
    schema: &'static str,
    results: Vec<&'a RouteResult>,
    plans: Vec<&'a DryRun>,
}

impl All<'_> {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.route.all/1";
}

/// Runs the request on every model; the worst exit code of all.
///
/// # Errors
/// Errors of the output; what goes wrong on one model is told, and counts.
pub fn run(
    cli: &Cli,
    args: &RouteArgs,
    firmware: Option<&Firmware>,
    overrides: &Overrides,
    sink: Sink,
) -> Result<u8, Error> {
    // A dash in its name marks a variant of another model.
    let targets: Vec<String> = SocModel::builtin_names()
        .iter()
        .filter(|name| !name.contains('-'))
        .map(|name| format!("vm:{name}"))
        .collect();
    let made: Vec<Mutex<Option<Result<Made, Error>>>> =
        targets.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(targets.len()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(target) = targets.get(at) else {
                        return;
                    };
                    let result = one(cli, args, target, firmware, overrides, Kept::default());
                    if let Ok(mut slot) = made[at].lock() {
                        *slot = Some(result);
                    }
                }
            });
        }
    });
    let made: Vec<Option<Result<Made, Error>>> = made
        .into_iter()
        .map(|slot| slot.into_inner().unwrap_or_default())
        .collect();
    let good = || made.iter().flatten().flatten();
    let results: Vec<&RouteResult> = good().filter_map(result).collect();
    let plans: Vec<&DryRun> = good().filter_map(plan).collect();
    let text = match args.format {
        Form::Json => to_json(&All {
            schema: All::SCHEMA,
            results,
            plans,
        })?,
        Form::Table if !plans.is_empty() => {
            let parts: Vec<String> = plans.iter().map(|dry| dry.to_text()).collect();
            parts.join("\n\n")
        }
        format => render_routes(&results, format)?,
    };
    sink.write(&text)?;
    let mut code = exit::OK;
    for (target, made) in targets.iter().zip(&made) {
        let (worst, messages) = match made {
            Some(Ok(made)) => {
                let verdict = made.verdict();
                (verdict.code, verdict.messages)
            }
            Some(Err(e)) => (e.exit_code(), vec![told(e)]),
            None => (exit::INTERNAL, vec!["it was not run".to_owned()]),
        };
        code = code.max(worst);
        for message in messages {
            tell(&format!("{target}: {message}"));
        }
    }
    Ok(code)
}

fn result(made: &Made) -> Option<&RouteResult> {
    match made {
        Made::Result(result, ..) => result.as_deref(),
        Made::Plan(_) => None,
    }
}

fn plan(made: &Made) -> Option<&DryRun> {
    match made {
        Made::Plan(dry) => Some(dry),
        Made::Result(..) => None,
    }
}
