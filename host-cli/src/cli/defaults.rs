//! Defaults of options that do not come from this program: where they hold, and what is said about them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::ArgPredicate;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, FromArgMatches as _, ValueEnum as _};

use crate::config::{Places, Settings};
use crate::error::Error;
use crate::output::Form;

use super::args::Cli;
use super::examples::definitions;

/// Why there is no command line.
pub enum Failed {
    /// Help, version, or what is wrong with the arguments.
    Arguments(clap::Error),
    /// What is wrong with the defaults.
    Defaults(Error),
}

impl From<clap::Error> for Failed {
    fn from(error: clap::Error) -> Self {
        Self::Arguments(error)
    }
}

/// The arguments, with the defaults that hold where they say nothing.
///
/// # Errors
/// [`Failed`].
pub fn parse(words: &[OsString]) -> Result<(Cli, Settings), Failed> {
    // Which files are read is itself an option. Help shows what is built in, whatever a file says.
    let first = definitions().try_get_matches_from(words)?;
    let given = first.get_one::<PathBuf>("config");
    let places = Places::here(given.map(PathBuf::as_path), first.get_flag("no_config"));
    let settings = Settings::load(&places).map_err(|e| Failed::Defaults(e.into()))?;
    let matches = if settings.is_set() {
        with(definitions(), &settings).try_get_matches_from(words)?
    } else {
        first
    };
    let cli = Cli::from_arg_matches(&matches)?;
    if !cli.quiet {
        let used = used(&matches, &settings);
        if !used.is_empty() {
            say!("aicprobe: not on the command line: {}", used.join(", "));
        }
    }
    Ok((cli, settings))
}

/// The definitions with other defaults, in every command that has such an option.
fn with(command: Command, settings: &Settings) -> Command {
    let name = command.get_name().to_owned();
    command
        .mut_args(|arg| default(&name, arg, settings))
        .mut_subcommands(|inner| with(inner, settings))
}

fn default(command: &str, arg: Arg, settings: &Settings) -> Arg {
    match arg.get_id().as_str() {
        "target" if settings.target.is_set() => {
            let value = settings.target.value.clone();
            match command {
                // To show what is known is no reason to talk to a machine.
                "info" => arg,
                // A file stands in for a target.
                "lines" => arg
                    .default_value_if("adt", ArgPredicate::IsPresent, None::<&str>)
                    .default_value(value),
                _ => arg.default_value(value),
            }
        }
        // The sides of a comparison have to differ in their seeds.
        "seed" if settings.seed.is_set() && command != "compare" => {
            arg.default_value(settings.seed.value.to_string())
        }
        "format" if settings.format.is_set() => form(command, arg, settings.format.value),
        _ => arg,
    }
}

/// Only where there is that form.
fn form(command: &str, arg: Arg, form: Form) -> Arg {
    let Some(value) = form.to_possible_value() else {
        return arg;
    };
    let name = value.get_name().to_owned();
    // An export has no form by default.
    if arg.is_required_set() {
        return arg;
    }
    if !arg
        .get_possible_values()
        .iter()
        .any(|v| v.matches(&name, false))
    {
        return arg;
    }
    let arg = match (command, form) {
        ("route", Form::Csv | Form::Jsonl | Form::Markdown) => {
            // A flag that is not given is "false", and counts as present.
            arg.default_value_if(
                "dry_run",
                ArgPredicate::Equals("true".into()),
                Some("table"),
            )
        }
        _ => arg,
    };
    arg.default_value(name)
}

/// Defaults that the command used and that decide what is measured, each with its place.
fn used(matches: &ArgMatches, settings: &Settings) -> Vec<String> {
    let mut matches = matches;
    while let Some((_, inner)) = matches.subcommand() {
        matches = inner;
    }
    let default = |id: &str| {
        let known = matches.try_contains_id(id).unwrap_or(false);
        known && matches.value_source(id) == Some(ValueSource::DefaultValue)
    };
    let mut used = Vec::new();
    if settings.target.is_set() && default("target") {
        let s = &settings.target;
        used.push(format!("--target {} ({})", s.value, s.from));
    }
    if settings.seed.is_set() && default("seed") {
        let s = &settings.seed;
        used.push(format!("--seed {} ({})", s.value, s.from));
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Command as Of;
    use crate::config::{From as Place, Setting};

    fn settings(target: &str, form: Form) -> Settings {
        let from = || Place::Environment("X");
        Settings {
            target: Setting {
                value: target.to_owned(),
                from: from(),
            },
            seed: Setting {
                value: 7,
                from: from(),
            },
            format: Setting {
                value: form,
                from: from(),
            },
            files: Vec::new(),
        }
    }

    fn parsed(line: &str, settings: &Settings) -> (Cli, Vec<String>) {
        let matches = with(definitions(), settings)
            .try_get_matches_from(line.split(' '))
            .unwrap_or_else(|e| panic!("{line}: {e}"));
        let used = used(&matches, settings);
        (Cli::from_arg_matches(&matches).unwrap(), used)
    }

    #[test]
    fn definitions_stay_sound() {
        with(definitions(), &settings("usb", Form::Csv)).debug_assert();
    }

    #[test]
    fn the_command_line_wins_and_the_rest_is_told() {
        let set = settings("vm:t6020", Form::Csv);
        let (cli, used) = parsed("aicprobe route --seed 3", &set);
        let Of::Route(route) = cli.command else {
            panic!("another command");
        };
        assert_eq!((route.on.target.as_str(), route.on.seed), ("vm:t6020", 3));
        assert_eq!(route.format, Form::Csv);
        assert_eq!(used, ["--target vm:t6020 (X)"]);
        let (cli, used) = parsed("aicprobe fields --target vm:t8140 --format table", &set);
        let Of::Fields(fields) = cli.command else {
            panic!("another command");
        };
        assert_eq!((fields.on.target.as_str(), fields.on.seed), ("vm:t8140", 7));
        assert_eq!(fields.format, Form::Table);
        assert_eq!(used, ["--seed 7 (X)"]);
    }

    #[test]
    fn where_a_default_would_do_harm_it_does_not_hold() {
        let set = settings("usb", Form::Markdown);
        let (cli, used) = parsed("aicprobe lines --adt x.adt", &set);
        let Of::Lines(lines) = cli.command else {
            panic!("another command");
        };
        assert_eq!(lines.target, None, "a file alone stays a file alone");
        assert_eq!(used, ["--seed 7 (X)"]);
        let (cli, _) = parsed("aicprobe lines", &set);
        let Of::Lines(lines) = cli.command else {
            panic!("another command");
        };
        assert_eq!(lines.target.as_deref(), Some("usb"));
        let (cli, used) = parsed("aicprobe compare a.json b.json", &set);
        let Of::Compare(compare) = cli.command else {
            panic!("another command");
        };
        assert_eq!(compare.both.seed, None, "sides differ in their seeds");
        assert!(used.is_empty(), "{used:?}");
        let (cli, _) = parsed("aicprobe route --dry-run", &set);
        let Of::Route(route) = cli.command else {
            panic!("another command");
        };
        assert_eq!(route.format, Form::Table, "plans have no such form");
        // A form that only others have.
        parsed(
            "aicprobe regs export --format svd",
            &settings("usb", Form::Csv),
        );
        let all = with(definitions(), &settings("usb", Form::Json));
        let export = all.try_get_matches_from(["aicprobe", "regs", "export"]);
        assert!(export.is_err(), "an export has no form by default");
    }
}
