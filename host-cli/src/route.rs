//! The steps of `route`, for the command line and for programs that use the library.

use aic_regs::aic::Generation;
use protocol::LineId;

use crate::error::Error;
use crate::firmware::Firmware;
use crate::plan::{self, Plan, Request, Routing};
use crate::proxy::Proxy;
use crate::result::{self, Mark, RouteResult};
use crate::session::{self, Observer, Outcome};
use crate::target::{
    Looked, Objection, Target, check_lines, find_spare, verify_layout, verify_pairs,
};

/// The plan for a request, with every line that it fires checked on the target. Nothing is changed there.
///
/// # Errors
/// [`Error::Plan`] and [`Error::Line`] for what does not fit the target; errors of the link.
pub fn make_plan(proxy: &mut Proxy<'_>, target: &Target, request: &Request) -> Result<Plan, Error> {
    Ok(make_plan_forced(proxy, target, request, false)?.plan)
}

/// A plan, and what was found out on the way to it.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// What has to be said about the lines and where they are targeted.
    pub marks: Vec<Mark>,
    /// What [`measure`] need not look at again.
    pub looked: Looked,
}

/// The same; with `force` also for lines that fail tests, each of which is then marked.
///
/// # Errors
/// Those of [`make_plan`].
pub fn make_plan_forced(
    proxy: &mut Proxy<'_>,
    target: &Target,
    request: &Request,
    force: bool,
) -> Result<Planned, Error> {
    let cpus = target.cpus.len();
    // Wrong CPUs first: that needs no look at the target.
    let generation = target.aic.geometry.generation;
    plan::build_for(request, cpus, generation, LineId { die: 0, number: 1 })?;
    let mut looked = Looked::default();
    if !request.lines.is_empty() {
        // Their registers are judged, so these have to be where they should be. Without a name that comes before the first shot.
        verify_pairs(proxy, &target.aic)?;
        looked.pairs = true;
    }
    let tested = check_lines(proxy, target, &request.lines, force)?;
    let objected = tested.iter().filter(|(_, found)| !found.is_empty());
    let mut marks: Vec<Mark> = objected.map(|(line, found)| forced(*line, found)).collect();
    if generation == Generation::V1 && request.is_custom() && request.targets.is_empty() {
        let text = "no --target-mask on AICv1: every cell targets the boot CPU (CPU 0), whatever TARGET_CPU was as found";
        marks.push(Mark::note("cells", text));
    }
    let good = |(line, found): &&(LineId, Vec<Objection>)| line.die == 0 && found.is_empty();
    looked.spare = tested.iter().find(good).map(|(line, _)| *line);
    let live = |line| {
        let found = tested.iter().find(|(other, _)| *other == line);
        found.is_some_and(|(_, found)| found.iter().any(Objection::is_live))
    };
    let spare = match request.lines.first() {
        Some(line) => *line,
        None => match find_spare(proxy, target) {
            // All high or all set: those may be other registers.
            Err(e @ Error::Line(_)) => {
                verify_pairs(proxy, &target.aic)?;
                return Err(e);
            }
            found => *looked.spare.insert(found?),
        },
    };
    let mut plan = plan::build_for(request, cpus, generation, spare)?;
    for cell in &mut plan.cells {
        cell.special.live = live(cell.line);
    }
    complete_words(proxy, target, &mut plan)?;
    Ok(Planned {
        plan,
        marks,
        looked,
    })
}

/// The other bits of IRQ_CFG, as found, for cells that choose its TARGET nibble.
fn complete_words(proxy: &mut Proxy<'_>, target: &Target, plan: &mut Plan) -> Result<(), Error> {
    let g = &target.aic.geometry;
    for cell in &mut plan.cells {
        if let Routing::Word(word) = &mut cell.routing {
            let (die, number) = (u64::from(cell.line.die), u64::from(cell.line.number));
            let at = u64::from(g.irq_cfg) + die * u64::from(g.cfg_stride) + number * 4;
            *word |= proxy.read32(target.aic.base + at)? & !0xf;
        }
    }
    Ok(())
}

fn forced(line: LineId, found: &[Objection]) -> Mark {
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    let LineId { die, number } = line;
    let text = format!(
        "line {die}:{number} was fired with --force-line, although: {}",
        found.join("; ")
    );
    Mark::note("lines", text)
}

/// Who asks, and what has to be said about every result of this target.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The target as named by the user.
    pub target_name: String,
    /// The seed.
    pub seed: u64,
    /// Marks about the target as a whole.
    pub marks: Vec<Mark>,
    /// On a virtual SoC: length of a CPU's turn in nanoseconds.
    pub slice_ns: Option<f64>,
    /// What was looked at when the plan was made.
    pub looked: Looked,
}

/// Runs a plan, after a look whether the controller is laid out as it should be; the result is there if anything was measured.
///
/// # Errors
/// What goes wrong before any CPU runs the firmware, and counts that cannot be. Later failures are in the [`Outcome`].
pub fn measure(
    proxy: &mut Proxy<'_>,
    target: &Target,
    firmware: &Firmware,
    plan: &Plan,
    setting: &Setting,
    observer: &mut dyn Observer,
) -> Result<(Outcome, Option<RouteResult>), Error> {
    verify_layout(proxy, target, setting.looked)
        .map_err(|e| e.at_step("verifying the controller's layout"))?;
    let outcome = session::run(proxy, target, firmware, plan, setting.seed, observer)?;
    let any = outcome
        .cells
        .iter()
        .any(|(_, m)| m.fired > 0 || m.refusal.is_some());
    let result = any
        .then(|| {
            let context = result::Context {
                target_name: &setting.target_name,
                seed: setting.seed,
                target,
                firmware,
                marks: setting.marks.clone(),
                slice_ns: setting.slice_ns,
            };
            result::assemble(context, &outcome)
        })
        .transpose()?;
    Ok((outcome, result))
}
