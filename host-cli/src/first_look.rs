//! A first short session: what has to be known of a target before a plan for it can be made. Nothing is left changed.

use protocol::LineId;

use crate::error::Error;
use crate::firmware::Firmware;
use crate::plan::Plan;
use crate::proxy::{Proxy, ProxyError};
use crate::result::CpuState;
use crate::session::{self, Event, Observer, Outcome, Restoring, SessionError};
use crate::target::{Looked, Target, verify_layout};

/// Where the session runs.
pub struct Place<'a, 'l> {
    /// The way there.
    pub proxy: &'a mut Proxy<'l>,
    /// What is known of it already.
    pub target: &'a Target,
    /// What runs there.
    pub firmware: &'a Firmware,
    /// A line that may be fired.
    pub line: LineId,
    /// Seed of every random choice.
    pub seed: u64,
}

impl Place<'_, '_> {
    /// Compares the layout of the controller with what the device tree says, as before anything is fired.
    ///
    /// # Errors
    /// What does not fit.
    pub fn verify(&mut self) -> Result<(), Error> {
        let looked = Looked {
            spare: Some(self.line),
            pairs: false,
        };
        verify_layout(self.proxy, self.target, looked)
            .map_err(|e| e.at_step("verifying the controller's layout"))
    }

    /// Runs a plan that is no part of what the user sees.
    ///
    /// # Errors
    /// What ended it early; [`Error::NotRestored`]. Refused cells are an answer.
    pub fn run(&mut self, plan: &Plan, observer: &mut dyn Observer) -> Result<Outcome, Error> {
        let mut quiet = Quiet(observer);
        let ran = session::run(
            self.proxy,
            self.target,
            self.firmware,
            plan,
            self.seed,
            &mut quiet,
        )?;
        settled(ran)
    }

    /// State of every CPU, by logical id: which of them run the firmware.
    ///
    /// # Errors
    /// Those of [`Place::verify`] and [`Place::run`].
    pub fn states(&mut self, observer: &mut dyn Observer) -> Result<Vec<CpuState>, Error> {
        observer.on(Event::Step("a first look: which CPUs run"));
        self.verify()?;
        Ok(self.run(&Plan::of(Vec::new()), observer)?.cpus)
    }
}

/// CPUs that run, of CPUs in these states: logical ids, ascending.
pub fn running(states: &[CpuState]) -> impl Iterator<Item = u8> + '_ {
    let all = (0u8..).zip(states);
    all.filter(|(_, state)| **state == CpuState::Running)
        .map(|(cpu, _)| cpu)
}

/// The first of `named` CPUs that does not run, as an error.
///
/// # Errors
/// [`SessionError::CpuMissing`].
pub fn all_run(
    named: impl IntoIterator<Item = u8>,
    states: &[CpuState],
) -> Result<(), SessionError> {
    for cpu in named {
        let state = states.get(usize::from(cpu)).copied();
        let state = state.unwrap_or(CpuState::Absent);
        if state != CpuState::Running {
            let state = state.name();
            return Err(SessionError::CpuMissing { cpu, state });
        }
    }
    Ok(())
}

/// The outcome, if it came to its end and left the target as found. Refused cells are an answer.
fn settled(mut outcome: Outcome) -> Result<Outcome, Error> {
    if let Some(failure) = outcome.failure.take() {
        return Err(failure);
    }
    if outcome.interrupted {
        let what = "a first look".to_owned();
        return Err(Error::Proxy(ProxyError::Interrupted { what }));
    }
    if let Some(fault) = outcome.answers.fault {
        return Err(SessionError::Fault(fault).into());
    }
    match &outcome.restoring {
        r if r.is_restored() => Ok(outcome),
        Restoring::Checked { differences, .. } => Err(Error::NotRestored(format!(
            "the target is not as it was found: {}",
            differences.join("; ")
        ))),
        _ => Err(Error::NotRestored(
            "nobody could look whether the target is as it was found".to_owned(),
        )),
    }
}

/// Hears and stops as the other, but is not told of the cells: they are no part of the plan that the user sees.
struct Quiet<'o>(&'o mut dyn Observer);

impl Observer for Quiet<'_> {
    fn on(&mut self, event: Event<'_>) {
        if matches!(
            event,
            Event::Step(_) | Event::Console(_) | Event::Log { .. }
        ) {
            self.0.on(event);
        }
    }

    fn stop(&self) -> bool {
        self.0.stop()
    }
}
