//! `aicprobe compare`.

mod args;
mod live;

use std::path::{Path, PathBuf};

use crate::compare::{CompareResult, Run, Settings, WhichSide, compare, read};
use crate::error::{Error, exit};
use crate::output::{Form, render};

use super::args::Cli;
use super::interrupt;
use super::write::Sink;

pub use args::{CompareArgs, SideArgs};
use live::Live;

/// Where a side's runs come from.
enum Source {
    /// Saved results.
    Saved(Vec<PathBuf>),
    /// A target to be measured.
    Target,
}

/// Runs the command; the exit code if it came to a result.
///
/// # Errors
/// [`Error`] if it did not.
pub fn run(cli: &Cli, args: &CompareArgs) -> Result<u8, Error> {
    // Everything that can be wrong with the request is found before a target is touched.
    let settings = [("--a", &args.for_a), ("--b", &args.for_b)].map(|(option, text)| {
        let own = text.as_deref().map(|t| SideArgs::parse(option, t));
        own.transpose().map(|own| (option, own))
    });
    let [(_, own_a), (_, own_b)] = match settings {
        [Ok(a), Ok(b)] => [a, b],
        [Err(e), _] | [_, Err(e)] => return Err(e),
    };
    let (a, b) = (source(&args.a), source(&args.b));
    for (option, own, source) in [("--a", &own_a, &a), ("--b", &own_b, &b)] {
        if own.is_some() && matches!(source, Source::Saved(_)) {
            return Err(Error::Usage(format!(
                "{option}: that side is a saved result, which has its settings already"
            )));
        }
    }
    let both_saved = matches!((&a, &b), (Source::Saved(_), Source::Saved(_)));
    if both_saved && (args.both != SideArgs::default() || args.keep.is_some()) {
        return Err(Error::Usage(
            "both sides are saved results: options that say how to measure, and --keep, go only with a target"
                .to_owned(),
        ));
    }
    let sets = [own_a, own_b].map(|own| args.both.overlaid(&own.unwrap_or_default()));
    let mut ignored = args.ignored.clone();
    let live = match (&a, &b) {
        (Source::Target, Source::Target) => {
            let differing = sets[0].differing(&sets[1]);
            ignored.extend(differing.into_iter().filter(|d| !args.ignored.contains(d)));
            true
        }
        _ => false,
    };
    let mut saved = [saved(WhichSide::A, &a)?, saved(WhichSide::B, &b)?];
    let sink = Sink::open(args.output.as_deref())?;
    let mut code = exit::OK;
    if !both_saved {
        interrupt::install_telling(cli.quiet);
        let custom = live && sets.iter().any(|s| s.request().is_custom());
        let [set_a, set_b] = &sets;
        let sides = [
            matches!(a, Source::Target)
                .then(|| Live::new(WhichSide::A, &args.a, set_a, 1, custom))
                .transpose()?,
            matches!(b, Source::Target)
                .then(|| {
                    Live::new(
                        WhichSide::B,
                        &args.b,
                        set_b,
                        second_seed(args, set_a, &a),
                        custom,
                    )
                })
                .transpose()?,
        ];
        let measured = live::alternate(cli, args, &sides)?;
        for line in &measured.messages {
            say!("aicprobe: {line}");
        }
        code = measured.code;
        let unnamed = sets.iter().all(|s| s.lines.is_empty());
        if live
            && unnamed
            && live::lines_differ(&measured.runs)
            && !ignored.iter().any(|d| d == "line")
        {
            // Each target has its own spare line, and nobody asked for one.
            ignored.push("line".to_owned());
        }
        for (slot, runs) in saved.iter_mut().zip(measured.runs) {
            if let Some(runs) = runs {
                *slot = runs;
            }
        }
        if code != exit::OK && saved.iter().any(Vec::is_empty) {
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
    let [runs_a, runs_b] = &saved;
    let mut result = compare((&name_a, runs_a), (&name_b, runs_b), &settings)?;
    result.brief = !args.all && matches!(args.format, Form::Table | Form::Markdown);
    sink.write(&render(&result, args.format)?)?;
    Ok(match code {
        exit::OK if args.fail_on_difference => found(&result),
        code => code,
    })
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
