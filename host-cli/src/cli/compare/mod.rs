//! `aicprobe compare`.

mod args;
mod live;

use std::path::{Path, PathBuf};

use crate::compare::{CompareResult, Run, Settings, WhichSide, compare, read};
use crate::error::{Error, exit};
use crate::output::{Form, render};
use crate::result::RouteResult;

use super::args::Cli;
use super::interrupt;
use super::tell::tell;
use super::write::{Sink, no_input};

pub use args::{CompareArgs, SideArgs};
use live::Live;

/// Where a side's runs come from.
enum Source {
    /// Saved results.
    Saved(Vec<PathBuf>),
    /// A target to be measured.
    Target,
}

impl Source {
    const fn is_saved(&self) -> bool {
        matches!(self, Self::Saved(_))
    }
}

/// Runs the command; the exit code if it came to a result.
///
/// # Errors
/// [`Error`] if it did not.
pub fn run(cli: &Cli, args: &CompareArgs) -> Result<u8, Error> {
    // Everything that can be wrong with the request is found before a target is touched.
    let sources = [source(&args.a), source(&args.b)];
    let own = [
        own("--a", args.for_a.as_deref(), &sources[0])?,
        own("--b", args.for_b.as_deref(), &sources[1])?,
    ];
    let saved_only = sources.iter().all(Source::is_saved);
    if saved_only && (args.both != SideArgs::default() || args.keep.is_some() || args.live) {
        return Err(Error::Usage(
            "both sides are saved results: options that say how to measure, --keep and --live go only with a target"
                .to_owned(),
        ));
    }
    let sets = own.map(|own| args.both.overlaid(&own));
    let mut runs = [
        saved(WhichSide::A, &sources[0])?,
        saved(WhichSide::B, &sources[1])?,
    ];
    if !saved_only {
        as_measured(&runs)?;
    }
    let saved: Vec<&Path> = [&args.a, &args.b]
        .into_iter()
        .flat_map(|side| side.split(','))
        .map(Path::new)
        .collect();
    no_input(args.output.as_deref(), &saved)?;
    let sink = Sink::open(args.output.as_deref())?;
    let mut ignored = args.ignored.clone();
    let mut code = exit::OK;
    let mut interrupted = None;
    if !saved_only {
        if args.live && cli.quiet {
            let why = "--live cannot be used with --quiet".to_owned();
            return Err(Error::Usage(why));
        }
        interrupt::install_telling(cli.quiet);
        let both_live = !sources.iter().any(Source::is_saved);
        (code, interrupted) = measure(cli, args, &sources, &sets, &mut runs)?;
        if let Some(name) = &interrupted {
            if both_live {
                // A run without its other one would weigh one side more.
                let pairs = runs[0].len().min(runs[1].len());
                runs.iter_mut().for_each(|runs| runs.truncate(pairs));
            }
            say!("aicprobe: {}", stopped(name, &runs));
        }
        if both_live {
            for dimension in not_paired_by(&sets, &runs) {
                if !ignored.contains(&dimension) {
                    ignored.push(dimension);
                }
            }
        }
        if code != exit::OK && runs.iter().any(Vec::is_empty) {
            // Why is told already, and there is nothing to compare with.
            return Ok(code);
        }
    }
    let settings = Settings {
        margin_percent: args.margin,
        ignored,
    };
    let name = |spec: &str, own: &Option<String>| match own {
        Some(own) => format!("{spec} {own}"),
        None => spec.to_owned(),
    };
    let (name_a, name_b) = (name(&args.a, &args.for_a), name(&args.b, &args.for_b));
    let [runs_a, runs_b] = &runs;
    let mut result = compare((&name_a, runs_a), (&name_b, runs_b), &settings)?;
    if let Some(name) = &interrupted {
        result.complete = false;
        result.notes.push(stopped(name, &runs));
    }
    result.brief = !args.all && matches!(args.format, Form::Table | Form::Markdown);
    sink.write(&render(&result, args.format)?)?;
    Ok(match code {
        exit::OK if args.fail_on_difference => found(&result),
        code => code,
    })
}

/// Whether saved runs can be compared with a target that is to be measured.
fn as_measured(runs: &[Vec<Run>; 2]) -> Result<(), Error> {
    let route = RouteResult::SCHEMA;
    match runs.iter().flatten().find(|run| run.schema != route) {
        None => Ok(()),
        Some(run) => Err(Error::Usage(format!(
            "{} is {}, and a target is measured as by route ({route}): give saved results of both sides",
            run.origin, run.schema
        ))),
    }
}

/// What the user's stop leaves, in words.
fn stopped(name: &str, runs: &[Vec<Run>; 2]) -> String {
    match [runs[0].len(), runs[1].len()] {
        [0, _] | [_, 0] => format!(
            "interrupted in {name}, before each side had a complete run: there is nothing to compare"
        ),
        [a, b] if a == b => {
            format!(
                "interrupted in {name}: compared is what the {a} complete runs of each side say"
            )
        }
        [a, b] => format!(
            "interrupted in {name}: compared is what {a} complete runs of side A and {b} of side B say"
        ),
    }
}

/// The settings that a side alone has.
fn own(option: &str, text: Option<&str>, source: &Source) -> Result<SideArgs, Error> {
    let Some(text) = text else {
        return Ok(SideArgs::default());
    };
    if source.is_saved() {
        return Err(Error::Usage(format!(
            "{option}: that side is a saved result, which has its settings already"
        )));
    }
    SideArgs::parse(option, text)
}

/// Measures the sides that are targets, and tells what went wrong; the exit code is the worst of it, beside it the run in which
/// the user stopped it.
fn measure(
    cli: &Cli,
    args: &CompareArgs,
    sources: &[Source; 2],
    sets: &[SideArgs; 2],
    runs: &mut [Vec<Run>; 2],
) -> Result<(u8, Option<String>), Error> {
    let both_live = !sources.iter().any(Source::is_saved);
    let custom = both_live && sets.iter().any(|s| s.request().is_custom());
    let live = |which, name, set, source: &Source, seed| {
        let is_live = !source.is_saved();
        is_live
            .then(|| Live::new(which, name, set, seed, custom))
            .transpose()
    };
    let seed_b = second_seed(args, &sets[0], &sources[0]);
    let sides = [
        live(WhichSide::A, args.a.as_str(), &sets[0], &sources[0], 1)?,
        live(WhichSide::B, args.b.as_str(), &sets[1], &sources[1], seed_b)?,
    ];
    let measured = live::alternate(cli, args, &sides)?;
    for line in &measured.messages {
        tell(line);
    }
    for (slot, measured) in runs.iter_mut().zip(measured.runs) {
        if let Some(measured) = measured {
            *slot = measured;
        }
    }
    Ok((measured.code, measured.interrupted))
}

/// What two measured sides differ in by request: it is what is compared, and cells are not paired by it.
fn not_paired_by(sets: &[SideArgs; 2], runs: &[Vec<Run>; 2]) -> Vec<String> {
    let mut dimensions = sets[0].differing(&sets[1]);
    let unnamed = sets.iter().all(|s| s.lines.is_empty());
    if unnamed && live::lines_differ(runs) {
        // Each target has its own spare line, and nobody asked for one.
        dimensions.push("line".to_owned());
    }
    dimensions
}

/// The seed of side B's first run, so that no run of it is a copy of one of side A.
fn second_seed(args: &CompareArgs, a: &SideArgs, source: &Source) -> u64 {
    match source {
        Source::Target => a.seed.unwrap_or(1).wrapping_add(args.alternate.into()),
        Source::Saved(_) => 1,
    }
}

const fn found(result: &CompareResult) -> u8 {
    if result.summary.found() {
        exit::RULE
    } else if result.summary.undecided() {
        exit::INCONCLUSIVE
    } else {
        exit::OK
    }
}

/// Files and pipes, and what is named like a file of JSON, are saved results; the rest are targets.
fn source(spec: &str) -> Source {
    let is_saved = |path: &Path| {
        let named = path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("json"));
        named || is_file_or_pipe(path)
    };
    if spec.starts_with("vm:") {
        return Source::Target;
    }
    // A comma may be part of a name.
    if is_file_or_pipe(Path::new(spec)) {
        return Source::Saved(vec![spec.into()]);
    }
    let files: Vec<PathBuf> = spec.split(',').map(PathBuf::from).collect();
    if files.iter().any(|f| is_saved(f)) {
        Source::Saved(files)
    } else {
        Source::Target
    }
}

fn is_file_or_pipe(path: &Path) -> bool {
    let Ok(about) = std::fs::metadata(path) else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        about.is_file() || about.file_type().is_fifo()
    }
    #[cfg(not(unix))]
    about.is_file()
}

fn saved(which: WhichSide, source: &Source) -> Result<Vec<Run>, Error> {
    let Source::Saved(files) = source else {
        return Ok(Vec::new());
    };
    let one = |path: &PathBuf| {
        read(path).map_err(|why| Error::Side {
            side: which.name(),
            why: Box::new(Error::Saved {
                path: path.clone(),
                why,
            }),
        })
    };
    files.iter().map(one).collect()
}
