//! What `aicprobe fields` tries beyond the truth table.

use clap::{Args, ValueEnum};

use crate::error::Error;
use crate::fields::{Cpu, Device, Later, Present, Rule, combinations, experiments};
use crate::firmware::Firmware;
use crate::plan::{Estimate, Plan};
use crate::proxy::Proxy;
use crate::result::Mark;
use crate::session::{self, Event, Observer, Outcome, Survived};
use crate::target::{Core, Looked, Target, Uart, find_spare, verify_layout};

use super::args::{Cli, TargetArgs};
use super::open::open_with;
use super::progress::Progress;
use super::route::{Verdict, exit_code};

/// Further experiments that are made only if asked for.
#[derive(Clone, Debug, Default, Args)]
pub struct FurtherArgs {
    /// See whether the field outlives a stop of its CPU: writes another value on every secondary, stops all of them by the loader, and starts
    /// them. Whether CPUs of M4 and later come back from that nobody has shown; one that does not is lost until a restart.
    #[arg(long)]
    pub stop_cpus: bool,
    /// Compare a device's line, held high by the device, with a line set by software.
    #[arg(long, value_enum, value_name = "DEVICE")]
    pub hw_line: Option<HwLineName>,
}

/// A device whose line can be held high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HwLineName {
    /// The serial port, by its transmit interrupt; it sends one byte. Only where the loader is not reached over it.
    Uart,
}

/// Refuses what cannot be done on a target, before anything is done.
///
/// # Errors
/// [`Error::Uart`]; errors of the link.
pub fn check(proxy: &mut Proxy<'_>, target: &Target, args: &FurtherArgs) -> Result<(), Error> {
    if args.hw_line == Some(HwLineName::Uart) {
        Uart::find(proxy, &target.aic)?;
    }
    Ok(())
}

/// Makes the experiments on a target whose truth table was measured before: its registers are known not to trap. What came of them, and
/// how that counts.
///
/// # Errors
/// What goes wrong before any CPU runs the firmware; later failures are in the verdict.
pub fn run(
    cli: &Cli,
    on: &TargetArgs,
    args: &FurtherArgs,
    rule: Option<&Rule>,
    present: &Present,
    timeout_us: u32,
) -> Result<(Later, Verdict), Error> {
    let firmware = Firmware::load(on.firmware.as_deref())?;
    let mut opened = open_with(&on.target, on.seed, &on.link, on.loader.as_deref())?;
    let hardware = opened.hardware;
    let mut proxy = opened.connect()?;
    let target = Target::discover(&mut proxy)?;
    let line = find_spare(&mut proxy, &target)?;
    let cpus = cpus_of(&target);
    let uart = match args.hw_line {
        Some(HwLineName::Uart) => Some(Uart::find(&mut proxy, &target.aic)?),
        None => None,
    };
    let (chosen, _) = combinations(&present.pick(&clusters(&target)), on.seed);
    let device = uart.as_ref().map(|u| Device {
        path: &u.path,
        line: u.line,
        combinations: &chosen,
    });
    let (plan, made) = experiments(rule, &cpus, present, line, timeout_us, device.as_ref());
    let estimate = Estimate::of(&plan);
    if hardware && estimate.needs_consent() && !on.yes {
        let minutes = estimate.expected_ms.div_ceil(60_000);
        return Err(Error::NeedsConsent { minutes });
    }
    let quiet = Plan::of(Vec::new());
    let mut progress = Progress::new(cli.verbose > 0, cli.quiet, &quiet);
    let count = plan.cells.len() + plan.questions.len();
    progress.on(Event::Step(&format!("{count} further cells, {estimate}")));
    let looked = Looked {
        spare: Some(line),
        pairs: false,
    };
    verify_layout(&mut proxy, &target, looked)?;
    let mut survived = Vec::new();
    if args.stop_cpus {
        progress.on(Event::Step("stopping and starting the secondaries"));
        survived = session::stop_and_start(&mut proxy, &target.cpus)?;
    }
    let raised = match &uart {
        Some(uart) => Some(uart.raise(&mut proxy, &target.aic)?),
        None => None,
    };
    let measured = session::run(
        &mut proxy,
        &target,
        &firmware,
        &plan,
        on.seed,
        &mut Quiet(&mut progress),
    );
    let mut port_restored = true;
    if let (Some(uart), Some(raised)) = (&uart, raised) {
        // Whatever became of the run: a link that is lost is not there for this either, and says so itself.
        port_restored = proxy
            .held(|proxy| uart.put_back(proxy, raised))
            .unwrap_or(false);
    }
    drop(progress);
    let outcome = measured?;
    let mut marks = outcome.marks.clone();
    marks.extend(marks_of(&survived));
    let fields_restored = survived.iter().all(|s| s.restored);
    let restored = outcome.restoring.is_restored() && port_restored && fields_restored;
    let verdict = verdict(&outcome, port_restored, &survived);
    let (further, seen) = made.judge(&outcome, device.as_ref(), survived);
    let complete = further.measured == further.planned;
    if !complete {
        let text = format!(
            "{} of {} further cells ran to their end",
            further.measured, further.planned
        );
        marks.push(Mark::partial("further", text));
    }
    let later = Later {
        further: Some(further),
        seen,
        marks,
        restored,
        complete,
    };
    Ok((later, verdict))
}

/// The progress without a line for each of hundreds of cells.
struct Quiet<'p>(&'p mut Progress);

impl Observer for Quiet<'_> {
    fn on(&mut self, event: Event<'_>) {
        if !matches!(event, Event::Progress { .. } | Event::Done { .. }) {
            self.0.on(event);
        }
    }

    fn stop(&self) -> bool {
        self.0.stop()
    }
}

/// Cluster of every CPU.
pub fn clusters(target: &Target) -> Vec<u64> {
    let all = target.cpus.iter();
    all.map(|c| c.mpidr >> 8 & 0xffff).collect()
}

/// What rules need to know of the CPUs.
pub fn cpus_of(target: &Target) -> Vec<Cpu> {
    let all = target.cpus.iter();
    all.map(|c| Cpu {
        mpidr: c.mpidr,
        p_core: c.core == Core::P,
    })
    .collect()
}

/// CPUs of which nothing could be told.
fn marks_of(survived: &[Survived]) -> Vec<Mark> {
    let untold = survived.iter().filter(|s| s.survived().is_none());
    untold
        .map(|s| {
            let about = format!("survived[{}]", s.cpu);
            let text = match s.after {
                None => "it did not come back from the stop",
                Some(_) => "its field did not take another value",
            };
            Mark::partial(&about, text)
        })
        .collect()
}

fn verdict(outcome: &Outcome, port_restored: bool, survived: &[Survived]) -> Verdict {
    let mut verdict = exit_code(outcome);
    let mut not = |what: String| {
        verdict.messages.push(what);
        verdict.code = crate::error::exit::NOT_RESTORED;
    };
    if !port_restored {
        not("the serial port is not known to be as it was found (UCON)".to_owned());
    }
    for s in survived.iter().filter(|s| !s.restored) {
        not(match s.after {
            None => format!("CPU {} did not come back from the stop", s.cpu),
            Some(_) => format!("SIQ_CFG of CPU {} is not as it was found", s.cpu),
        });
    }
    verdict
}
