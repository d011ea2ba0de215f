//! A first short session: which CPUs run, where interrupts land, and what makes a single CPU take them.

use protocol::LineId;
use protocol::message::Refusal;

use crate::error::Error;
use crate::firmware::Firmware;
use crate::first_look::{Place, running};
use crate::plan::{Plan, Routing};
use crate::proxy::Proxy;
use crate::result::CpuState;
use crate::session::{Event, Measured, Observer, Outcome, describe};
use crate::target::Target;

use super::steering::{Steering, TRIED, cells, is_v1, measured, steering};

/// Timeout of a cell that tries values: most of them lose all of theirs.
const TRIED_US: u32 = 500;

/// The cell whose landing CPUs are wanted.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Who fires.
    pub fire_cpu: u8,
    /// Fields set meanwhile, by CPU; `None` = as found.
    pub fields: Vec<Option<u8>>,
    /// Where the line is sent.
    pub routing: Routing,
    /// How often it is fired.
    pub triggers: u32,
    /// Timeout of a trigger, in microseconds.
    pub timeout_us: u32,
    /// That of the cells that try values.
    pub tried_us: u32,
    /// Timeout of both with which everything is tried once more where nothing is found with theirs.
    pub longest_us: u32,
    /// Whether it is looked for what makes a single CPU take interrupts.
    pub steer: bool,
}

impl Trial {
    /// The state as found; CPU 0 fires, and is targeted on AICv1, whose TARGET_CPU as found is often nobody.
    #[must_use]
    pub fn as_found(target: &Target) -> Self {
        Self {
            fire_cpu: 0,
            fields: vec![None; target.cpus.len()],
            routing: if is_v1(target) {
                Routing::Cpus(vec![0])
            } else {
                Routing::AsFound
            },
            triggers: TRIED,
            timeout_us: TRIED_US,
            tried_us: TRIED_US,
            longest_us: TRIED_US,
            steer: false,
        }
    }
}

/// What the session found out.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// Which CPUs run the firmware, by logical id.
    pub states: Vec<CpuState>,
    /// What makes a single CPU take interrupts.
    pub steering: Steering,
    /// Counts of the [`Trial`].
    pub trial: Measured,
    /// Its timeout, in microseconds.
    pub timeout_us: u32,
    /// Why a cell was not measured: that of the trial, or else of the first that tries values; `None` if all were.
    pub refusal: Option<Refusal>,
    /// Triggers of the cells that try values, and how many of these landed somewhere.
    pub tried: (u64, u64),
    /// CNTFRQ_EL0, in Hz.
    pub counter_hz: u64,
}

impl Calibration {
    /// CPUs that run.
    pub fn running(&self) -> impl Iterator<Item = u8> + '_ {
        running(&self.states)
    }

    /// CPUs on which the trial's interrupts landed, most first.
    #[must_use]
    pub fn landed(&self) -> Vec<u8> {
        let all = (0u8..).zip(&self.trial.landed);
        let mut cpus: Vec<(u8, u64)> = all.map(|(c, n)| (c, *n)).filter(|(_, n)| *n > 0).collect();
        cpus.sort_by_key(|(cpu, n)| (u64::MAX - n, *cpu));
        cpus.into_iter().map(|(cpu, _)| cpu).collect()
    }

    /// Why no CPU can be made the only one that takes interrupts, in words.
    #[must_use]
    pub fn why_not_steered(&self) -> String {
        match self.refusal {
            Some(refusal) if self.tried == (0, 0) => why_refused(refusal),
            _ => "no value of SIQ_CFG's field makes a single CPU take interrupts here".to_owned(),
        }
    }

    /// Why none of the trial's interrupts landed, as far as that is known, in words.
    #[must_use]
    pub fn why_nothing(&self) -> String {
        let (timeout, m) = (self.timeout_us, &self.trial);
        if let Some(refusal) = self.refusal.filter(|_| m.fired == 0) {
            return why_refused(refusal);
        }
        let nothing = format!(
            "none of {} triggers landed within the timeout of {timeout} us",
            m.fired
        );
        match (m.late, self.tried) {
            (0, (_, 1..)) => format!(
                "{}, and {nothing} with the state as found",
                self.why_not_steered()
            ),
            (0, (1.., 0)) => format!(
                "{nothing} with the state as found, nor with any values of SIQ_CFG's field; if delivery takes longer here, raise --timeout"
            ),
            (0, _) => format!("{nothing}; if delivery takes longer here, raise --timeout"),
            (late, _) => format!("{nothing}, and {late} came after it: raise --timeout"),
        }
    }
}

/// Why a cell was not measured.
fn why_refused(refusal: Refusal) -> String {
    match refusal {
        Refusal::NotEnabled => {
            "CONFIG reads back without ENABLE after it was written: the controller delivers nothing"
                .to_owned()
        }
        refusal => format!("the first look was refused: {}", describe(refusal)),
    }
}

/// Runs the session. Nothing is left changed.
///
/// # Errors
/// What ended the session early; [`Error::NotRestored`].
pub fn calibrate(
    proxy: &mut Proxy<'_>,
    target: &Target,
    firmware: &Firmware,
    line: LineId,
    seed: u64,
    trial: &Trial,
    observer: &mut dyn Observer,
) -> Result<Calibration, Error> {
    observer.on(Event::Step("a first look: which CPUs take interrupts"));
    let mut place = Place {
        proxy,
        target,
        firmware,
        line,
        seed,
    };
    // It fires.
    place.verify()?;
    let known = look(&mut place, trial, observer)?;
    let found = if trial.steer {
        known.steering != Steering::Nothing
    } else {
        !known.landed().is_empty()
    };
    if found || known.refusal.is_some() || trial.longest_us <= trial.tried_us {
        return Ok(known);
    }
    // Perhaps only the timeouts were too short.
    let longer = Trial {
        timeout_us: trial.timeout_us.max(trial.longest_us),
        tried_us: trial.tried_us.max(trial.longest_us),
        ..trial.clone()
    };
    look(&mut place, &longer, observer)
}

fn look(
    place: &mut Place<'_, '_>,
    trial: &Trial,
    observer: &mut dyn Observer,
) -> Result<Calibration, Error> {
    let target = place.target;
    let mut cpus: Vec<u8> = (0u8..).take(target.cpus.len()).collect();
    loop {
        let plan = Plan {
            // A cell whose CPUs do not run is left out.
            custom: false,
            ..Plan::of(cells(target, place.line, trial, &cpus))
        };
        let outcome = place.run(&plan, observer)?;
        let running: Vec<u8> = cpus
            .iter()
            .copied()
            .filter(|c| outcome.cpus[usize::from(*c)] == CpuState::Running)
            .collect();
        // A cell that sets the field of a CPU that does not run has not been measured.
        if trial.steer && !is_v1(target) && running != cpus && !running.is_empty() {
            cpus = running;
            continue;
        }
        return Ok(Calibration {
            steering: steering(target, trial, &cpus, &outcome),
            trial: measured(&outcome, 0).cloned().unwrap_or_default(),
            timeout_us: trial.timeout_us,
            refusal: outcome.cells.iter().find_map(|(_, m)| m.refusal),
            tried: tried(&outcome),
            counter_hz: outcome.answers.hello.map_or(1, |h| h.counter_hz),
            states: outcome.cpus,
        });
    }
}

/// Triggers of the cells that try values, and those of them that landed.
fn tried(outcome: &Outcome) -> (u64, u64) {
    let tries = outcome.cells.iter().filter(|(cell, _)| cell.id != 0);
    tries.fold((0, 0), |(fired, landed), (_, m)| {
        (fired + m.fired, landed + m.landed.iter().sum::<u64>())
    })
}
