//! Which run it was, of what, and how it ended.

use crate::evidence::{Machine, Run, name};

use super::super::ReasonKind;
use super::Reasons;

/// Options by which a run no longer stands for what a target is and says.
const STAND_INS: &[&str] = &[
    "--adt",
    "--aic-base",
    "--max-irq",
    "--link-faults",
    "--force-line",
    "--loader",
    "--firmware",
];

/// Whether hardware answered; else the model, where one is named.
pub(super) fn machine(run: &Run, found: &mut Reasons) -> Option<String> {
    match &run.machine {
        Machine::Hardware if run.target.starts_with("vm:") => {
            let text = format!("the target is called {}", run.target);
            found.add(ReasonKind::NotHardware, name::RUN, &text);
            None
        }
        Machine::Hardware => None,
        Machine::Program => {
            found.add(
                ReasonKind::NotHardware,
                name::RUN,
                "a program answered on a pseudo-terminal: no hardware",
            );
            None
        }
        Machine::Virtual { model, .. } => {
            let text =
                format!("the virtual SoC {model} answered: a model says nothing about hardware");
            found.add(ReasonKind::NotHardware, name::RUN, &text);
            Some(model.clone())
        }
    }
}

/// Which run it was, and how it ended.
pub(super) fn how(run: &Run, found: &mut Reasons) {
    if run.command != "verify" {
        let text = format!("it is evidence of {}: needed is verify", run.command);
        found.add(ReasonKind::OtherRun, name::RUN, &text);
    }
    for option in STAND_INS {
        let given = |word: &String| {
            word == option
                || word
                    .strip_prefix(option)
                    .is_some_and(|rest| rest.starts_with('='))
        };
        if run.argv.iter().any(given) {
            let text = format!("{option} stood in for what the target is or says");
            found.add(ReasonKind::OtherRun, option, &text);
        }
    }
    match &run.ended {
        None => found.add(
            ReasonKind::Interrupted,
            name::RUN,
            "the run did not come to its end",
        ),
        Some(ended) if ended.exit_code == crate::error::exit::INTERRUPTED => {
            found.add(ReasonKind::Interrupted, name::RUN, "the user stopped it");
        }
        Some(ended) if ended.exit_code != crate::error::exit::OK => {
            let text = format!("the run ended with exit code {}", ended.exit_code);
            found.add(ReasonKind::Interrupted, name::RUN, &text);
        }
        Some(_) => {}
    }
    let date = run.started.split('T').next().unwrap_or_default();
    if !crate::socs::is_date(date) {
        let text = format!("it began at {:?}, which is no time", run.started);
        found.add(ReasonKind::Changed, name::RUN, &text);
    }
}
