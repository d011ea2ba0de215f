//! Everything that has to hold before a change lands.

use crate::{
    process::{Error, Result},
    readme, tasks, workspace,
};
use std::{fs, time::Instant};

/// One step: its name, which is the command that a person would type, and what it does.
struct Step {
    name: &'static str,
    action: fn() -> Result<()>,
}

/// The step that the ones after it build on.
const FIRMWARE: &str = "cargo xtask firmware";

/// Cheap ones first. The oracle's seed is fixed: a change is judged by what it changes, not by the day's luck.
const STEPS: [Step; 12] = [
    Step {
        name: "cargo xtask fmt-check",
        action: tasks::fmt_check,
    },
    Step {
        name: "the README's commands",
        action: check_readme,
    },
    Step {
        name: FIRMWARE,
        action: tasks::firmware,
    },
    Step {
        name: "cargo xtask clippy",
        action: tasks::clippy,
    },
    Step {
        name: "cargo xtask doc",
        action: tasks::doc,
    },
    Step {
        name: readme::COMMANDS[1],
        // Every test program, also after one has failed.
        action: || tasks::test(&["--no-fail-fast".into()]),
    },
    Step {
        name: "cargo test --release --package host-cli --lib",
        action: tasks::test_optimised,
    },
    Step {
        name: "cargo test --package host-cli --features parquet --test raw_events",
        action: tasks::test_features,
    },
    Step {
        name: readme::COMMANDS[0],
        action: main_job,
    },
    Step {
        name: "cargo clippy --package oracle",
        action: tasks::oracle_clippy,
    },
    Step {
        name: "cargo test --release --package oracle",
        action: tasks::oracle_test,
    },
    Step {
        name: "cargo xtask oracle --seed 1",
        action: || tasks::oracle(&["--seed".into(), "1".into()]),
    },
];

/// Runs every step, also after one has failed, so that one run shows all that is wrong; except that nothing follows a
/// firmware that does not build.
///
/// # Errors
/// Where a step failed, with the names of all that did.
pub fn run() -> Result<()> {
    let mut failed = Vec::new();
    for (number, step) in STEPS.iter().enumerate() {
        println!("\n=== {}/{} {}", number + 1, STEPS.len(), step.name);
        let started = Instant::now();
        let result = (step.action)();
        let seconds = started.elapsed().as_secs();
        match result {
            Ok(()) => println!("=== ok after {seconds} s: {}", step.name),
            Err(error) => {
                println!("=== FAILED after {seconds} s: {}", step.name);
                failed.push((step.name, error.to_string()));
                if step.name == FIRMWARE {
                    let left = STEPS[number + 1..].iter();
                    failed.extend(left.map(|step| (step.name, "needs the firmware".to_owned())));
                    break;
                }
            }
        }
    }
    println!(
        "\nsteps: {} passed, {} failed",
        STEPS.len() - failed.len(),
        failed.len()
    );
    if failed.is_empty() {
        return Ok(());
    }
    // Last, because the end of a long log is what is read.
    for (step, error) in &failed {
        println!("=== FAILED: {step}: {error}");
    }
    let names: Vec<&str> = failed.iter().map(|(step, _)| *step).collect();
    Err(Error::Other(format!("ci failed: {}", names.join("; "))))
}

fn check_readme() -> Result<()> {
    let path = workspace::root().join("README.md");
    let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
    readme::check(&text).map_err(Error::Other)
}

/// The README's first command, word for word.
fn main_job() -> Result<()> {
    let words: Vec<String> = readme::COMMANDS[0]
        .split_whitespace()
        .skip_while(|word| *word != "--")
        .map(str::to_owned)
        .collect();
    tasks::run_and_return(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_commands_are_steps() {
        for command in readme::COMMANDS {
            assert!(STEPS.iter().any(|step| step.name == command), "{command}");
        }
    }

    #[test]
    fn this_readme_passes() {
        check_readme().unwrap();
    }
}
