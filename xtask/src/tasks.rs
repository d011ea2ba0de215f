//! The tasks that are a few cargo commands each.

use crate::{
    dist, emulator,
    firmware::{self, Firmware},
    process::{self, Result},
    toolchain::Toolchain,
    workspace,
};
use std::process::Command;

/// The member that needs an emulator library; left out of everything but its own tasks.
const ORACLE: &str = "oracle";

/// Firmware first, told in one line; the host builds that follow carry it.
pub fn built_firmware() -> Result<Firmware> {
    let firmware = firmware::build()?;
    eprintln!("xtask: firmware {}", firmware.summary());
    Ok(firmware)
}

/// `firmware`: prints path, size and build id of the image.
pub fn firmware() -> Result<()> {
    println!("{}", firmware::build()?.summary());
    Ok(())
}

/// `run`: this process becomes aicprobe, so standard output and the exit code are aicprobe's own.
pub fn run(arguments: &[String]) -> Result<()> {
    process::exec(&mut aicprobe(&built_firmware()?, arguments))
}

/// `run` for a caller that goes on afterwards.
pub fn run_and_return(arguments: &[String]) -> Result<()> {
    process::run(&mut aicprobe(&built_firmware()?, arguments))
}

fn aicprobe(firmware: &Firmware, arguments: &[String]) -> Command {
    let arguments = match arguments.split_first() {
        Some((dashes, rest)) if dashes == "--" => rest,
        _ => arguments,
    };
    let mut cargo = workspace::cargo("run");
    cargo
        .args([
            "--quiet",
            "--release",
            "--package",
            "host-cli",
            "--bin",
            "aicprobe",
            "--",
        ])
        .args(arguments);
    firmware.give_to(&mut cargo);
    cargo
}

/// `test`: the default members, with the image that the tests boot.
pub fn test(arguments: &[String]) -> Result<()> {
    let firmware = built_firmware()?;
    process::run_tests(firmware.give_to(workspace::cargo("test").args(arguments)))
}

/// The unit tests of the tool as users have it: compilers have optimised a loop's end away (rust-lang/rust#158206).
pub fn test_optimised() -> Result<()> {
    let firmware = built_firmware()?;
    let mut cargo = workspace::cargo("test");
    cargo.args(["--release", "--package", "host-cli", "--lib"]);
    process::run_tests(firmware.give_to(&mut cargo))
}

/// The one test of what only release packages have (see [`crate::dist`]).
pub fn test_features() -> Result<()> {
    let firmware = built_firmware()?;
    let mut cargo = workspace::cargo("test");
    cargo.args(["--package", "host-cli", "--features", dist::FEATURES]);
    cargo.args(["--test", "raw_events", "parquet_has_every_event"]);
    process::run_tests(firmware.give_to(&mut cargo))
}

/// `bench`: the numbers that the project promises, measured on the finished tool and image.
pub fn bench(arguments: &[String]) -> Result<()> {
    let firmware = built_firmware()?;
    let mut cargo = workspace::cargo("bench");
    cargo
        .args(["--package", "host-cli", "--bench", "numbers"])
        .args(arguments);
    process::run(firmware.give_to(&mut cargo))
}

/// `schemas`: what results look like is generated from their types; the firmware is not in it.
pub fn schemas() -> Result<()> {
    let folder = workspace::root().join("schemas");
    let bad = |source| process::Error::Io {
        doing: format!("renew {}", folder.display()),
        source,
    };
    // Those of results that are no more go.
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(bad)?;
    }
    std::fs::create_dir_all(&folder).map_err(bad)?;
    process::run(dev_tool().args(["schema", "--write"]).arg(&folder))
}

/// `tables`: every file that is generated from `socs/`, at its place in the source tree.
pub fn tables() -> Result<()> {
    let folder = workspace::root().join("tables");
    // Those of SoCs that are no more go.
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(process::Error::io("renew", &folder))?;
    }
    process::run(
        dev_tool()
            .args(["tables", "--write"])
            .arg(workspace::root()),
    )
}

/// The tool in the profile of tests, for files that are renewed; the user's defaults are no part of them. Arguments come behind it.
pub fn dev_tool() -> Command {
    let mut cargo = workspace::cargo("run");
    cargo
        .args(["--quiet", "--package", "host-cli", "--bin", "aicprobe"])
        .args(["--", "--no-config"]);
    cargo
}

/// `clippy`: host code with the image inside, then the firmware with its own compiler's clippy.
pub fn clippy() -> Result<()> {
    const DENY: [&str; 3] = ["--", "-D", "warnings"];
    let firmware = built_firmware()?;
    let mut host = workspace::cargo("clippy");
    host.arg("--all-targets").args(DENY);
    let host = process::run(firmware.give_to(&mut host));
    let mut target = Toolchain::get()?.cargo("clippy");
    // The profile of the image, so that the dependencies' metadata is made once.
    target
        .args(["--bin", "probe-fw", "--profile", "fw"])
        .args(DENY);
    // Both are told, also when the first one fails.
    let target = process::run(&mut target);
    host.and(target)
}

/// `fmt-check`: changes nothing.
pub fn fmt_check() -> Result<()> {
    let mut cargo = Command::new(workspace::cargo_program());
    cargo
        .args(["fmt", "--all", "--check", "--manifest-path"])
        .arg(workspace::root().join("Cargo.toml"));
    process::run(&mut cargo)
}

/// `doc`: every documented item of the default members, private ones too in binaries.
pub fn doc() -> Result<()> {
    let firmware = built_firmware()?;
    let mut cargo = workspace::cargo("doc");
    cargo
        .args(["--no-deps", "--workspace", "--exclude", ORACLE])
        .env("RUSTDOCFLAGS", "-D warnings");
    process::run(firmware.give_to(&mut cargo))
}

/// `oracle`: the differential test, with the emulator library from the cache.
pub fn oracle(arguments: &[String]) -> Result<()> {
    let library = emulator::library()?;
    let mut cargo = workspace::cargo("run");
    cargo
        .args(["--release", "--package", ORACLE, "--"])
        .args(arguments)
        .env(emulator::VARIABLE, library);
    process::run(&mut cargo)
}

/// Clippy of the `oracle` member alone, in release like [`oracle`], so that its dependencies are built for one profile.
pub fn oracle_clippy() -> Result<()> {
    let mut cargo = workspace::cargo("clippy");
    cargo.args([
        "--release",
        "--package",
        ORACLE,
        "--no-deps",
        "--",
        "-D",
        "warnings",
    ]);
    process::run(&mut cargo)
}

/// The oracle's own tests, for the same profile again.
pub fn oracle_test() -> Result<()> {
    process::run_tests(workspace::cargo("test").args(["--release", "--package", ORACLE]))
}
