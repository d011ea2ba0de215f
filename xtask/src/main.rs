//! `cargo xtask …`: everything that is more than one cargo command.
//!
//! The firmware is built with its own toolchain and packed into an image; the host tool carries that image inside, so
//! every task that builds the host tool builds the firmware first and hands over its path.

mod cache;
mod ci;
mod debian;
mod dist;
mod docs;
mod doctor;
mod emulator;
mod firmware;
mod image;
mod packages;
mod plan;
mod process;
mod readme;
mod stdlib;
mod tasks;
mod toolchain;
mod workspace;

use process::{Error, Result};
use std::{env, process::ExitCode};

const HELP: &str = "\
cargo xtask TASK [ARGUMENTS]

  run -- ARGUMENTS     build firmware and tool in release, then `aicprobe ARGUMENTS`
  test [ARGUMENTS]     every test of the workspace (`cargo test ARGUMENTS`)
  firmware             build and pack the firmware image
  clippy               lint host code and firmware, warnings denied
  fmt-check            check the formatting
  doc                  documentation, warnings denied
  oracle [ARGUMENTS]   compare the virtual CPU with an independent emulator (fetched with pip)
  bench [ARGUMENTS]    measurements (`cargo bench ARGUMENTS`)
  dist                 build the release package into target/dist: aicprobe with every feature, completions,
                       manual pages, licences, README
  schemas              renew the JSON Schemas of results under schemas/
  tables               renew the routing tables that are made from socs/ (tables/, docs/routing-tables.md, aic-regs)
  docs                 renew docs/registers.md, docs/errors.md and docs/observed.md
  ci                   all of the above that .ci/run needs
  doctor               how the firmware's toolchain is found here

Environment: FW_TOOLCHAIN (auto, rustup or debian), FW_TOOLCHAIN_DIR (cache folder),
DEFMT_LOG (log level of the firmware; info), ORACLE_LIBRARY (libunicorn.so.2 to use instead).";

fn dispatch(words: &[String]) -> Result<()> {
    let (task, arguments) = words
        .split_first()
        .map_or(("help", &[][..]), |(t, rest)| (t.as_str(), rest));
    let no_arguments = || match arguments.first() {
        None => Ok(()),
        Some(word) => Err(Error::Usage(format!(
            "`{task}` takes no argument, but got `{word}`"
        ))),
    };
    match task {
        "run" => tasks::run(arguments),
        "test" => tasks::test(arguments),
        "oracle" => tasks::oracle(arguments),
        "bench" => tasks::bench(arguments),
        "dist" => no_arguments().and_then(|()| dist::run()),
        "firmware" => no_arguments().and_then(|()| tasks::firmware()),
        "clippy" => no_arguments().and_then(|()| tasks::clippy()),
        "fmt-check" => no_arguments().and_then(|()| tasks::fmt_check()),
        "doc" => no_arguments().and_then(|()| tasks::doc()),
        "schemas" => no_arguments().and_then(|()| tasks::schemas()),
        "tables" => no_arguments().and_then(|()| tasks::tables()),
        "docs" => no_arguments().and_then(|()| docs::run()),
        "ci" => no_arguments().and_then(|()| ci::run()),
        "doctor" => no_arguments().and_then(|()| doctor::run()),
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        other => Err(Error::Usage(format!(
            "there is no task `{other}`\n\n{HELP}"
        ))),
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    match dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
