//! `aicprobe lines`.

use std::path::Path;
use std::time::Duration;

use protocol::LineId;

use crate::error::{Error, exit};
use crate::output::render;
use crate::result::Mark;
use crate::target::{
    Levels, LineError, LineMap, LineSpace, Objection, Overrides, Place, Registers, SocFacts,
    Target, Watch, generation_number, registers_objections, verify_pairs,
};
use crate::tree::{LinesReport, Looked, Source, verdict};

use super::adt::{parsed, read};
use super::args::LinesArgs;
use super::interrupt;
use super::open::open;
use super::route::read_adt;
use super::write::Sink;

/// Time from one look at HW_STATE to the next.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Most dies that INFO1 can count.
pub(super) const MOST_DIES: u32 = 16;

/// Runs the command.
///
/// # Errors
/// [`Error`] if there is no device tree, no controller or no target; [`Error::Line`] for a line asked for that fails a
/// test, after the report.
pub fn run(args: &LinesArgs) -> Result<u8, Error> {
    let sink = Sink::open(args.output.as_deref())?;
    let seen = match (&args.adt, &args.target) {
        (Some(path), None) => in_file(path, args)?,
        (adt, target) => {
            let target = target.as_deref().unwrap_or("vm:t8140");
            on_target(target, adt.as_deref(), args)?
        }
    };
    sink.write(&render(&seen.report, args.format)?)?;
    if interrupt::requested() {
        // The report is of what was seen until then.
        return Ok(exit::INTERRUPTED);
    }
    // The report answers for every line; the exit code is that of the first refused one.
    let mut refused = seen
        .asked
        .into_iter()
        .filter(|(_, found)| !found.is_empty());
    match refused.next() {
        Some((line, found)) => Err(LineError::Refused { line, found }.into()),
        None => Ok(exit::OK),
    }
}

/// The report, and the tests that lines asked for fail.
struct Seen {
    report: LinesReport,
    asked: Vec<(LineId, Vec<Objection>)>,
}

fn in_file(path: &Path, args: &LinesArgs) -> Result<Seen, Error> {
    let origin = format!("--adt {}", path.display());
    let file = read(&origin, path)?;
    let tree = parsed(&origin, &file)?;
    let mut marks = Vec::new();
    let given = Overrides {
        adt: None,
        aic_base: args.aic_base,
        max_irq: args.max_irq,
    };
    let place = Place::from_tree(&tree, &given, &mut marks)?;
    let (space, from) = numbers(&tree, &place, args.nr_irq, &mut marks)?;
    let map = LineMap::from_tree(&tree, space);
    let source = source(path.display().to_string(), &place, from);
    let asked = args.lines.iter();
    let asked = asked.map(|line| (*line, verdict(&map, None, *line)));
    let asked = asked.collect::<Vec<_>>();
    let soc = SocFacts::from_tree(&tree);
    let report = LinesReport::new(soc, source, &map, None, marks).asked(&asked);
    Ok(Seen { report, asked })
}

/// The numbers of lines that a file can tell, and where NR_IRQ comes from.
fn numbers(
    tree: &adt::Adt<'_>,
    place: &Place,
    given: Option<u32>,
    marks: &mut Vec<Mark>,
) -> Result<(LineSpace, String), Error> {
    // What the tree names tells how many dies and lines there are at least.
    let everything = place.offline(u32::MAX, MOST_DIES);
    let all = LineMap::from_tree(tree, everything);
    let room = everything.max_irq;
    let least = all.least_nr_irq();
    let dies = (least.saturating_sub(1) / room + 1).min(MOST_DIES);
    if dies > 1 {
        let text = format!("the device tree names lines of {dies} dies: so many are assumed");
        marks.push(Mark::inferred("dies", text));
    }
    let (nr_irq, from) = match (given, place.nr_irq) {
        (Some(given), _) if given > room => {
            return Err(Error::Usage(format!(
                "--nr-irq {given}: this controller has room for {room} lines per die"
            )));
        }
        (Some(given), _) => (given, "--nr-irq".to_owned()),
        (None, Some(tree)) => (tree, "ipid-mask of the device tree".to_owned()),
        (None, None) => {
            let least = if dies > 1 { room } else { least };
            let text = format!(
                "the device tree does not say how many lines there are (INFO1 of the controller does): {least} are known \
                 from what it names; --nr-irq N gives the number"
            );
            marks.push(Mark::inferred("nr_irq", text));
            (least.min(room), "at least; --nr-irq N gives it".to_owned())
        }
    };
    Ok((place.offline(nr_irq, dies), from))
}

fn source(name: String, place: &Place, nr_irq_from: String) -> Source {
    Source {
        name,
        generation: generation_number(place.generation),
        base: format!("{:#x}", place.base),
        bus: place.bus.map(|bus| format!("{bus:#x}")),
        nr_irq_from,
    }
}

fn on_target(name: &str, adt: Option<&Path>, args: &LinesArgs) -> Result<Seen, Error> {
    if args.nr_irq.is_some() {
        let text = "--nr-irq goes with --adt alone: a target's controller says it itself";
        return Err(Error::Usage(text.to_owned()));
    }
    let overrides = Overrides {
        adt: adt.map(read_adt).transpose()?,
        aic_base: args.aic_base,
        max_irq: args.max_irq,
    };
    interrupt::install();
    let mut opened = open(name, args.seed, &args.link)?;
    let mut marks = opened.marks.clone();
    let mut proxy = opened.connect()?;
    let target = Target::discover_with(&mut proxy, &overrides)?;
    marks.extend(target.marks.clone());
    verify_pairs(&mut proxy, &target.aic)?;
    let looked = look(&mut proxy, &target, args)?;
    let mut asked = Vec::new();
    for line in &args.lines {
        let mut found = verdict(&target.lines, Some(&looked.levels), *line);
        // A line that is not there has no registers.
        if target.lines.space().contains(*line) {
            found.extend(registers_objections(&mut proxy, &target.aic, *line)?);
        }
        asked.push((*line, found));
    }
    let geometry = &target.aic.geometry;
    let source = Source {
        name: name.to_owned(),
        generation: generation_number(geometry.generation),
        base: format!("{:#x}", target.aic.base),
        bus: target.aic.bus.map(|bus| format!("{bus:#x}")),
        nr_irq_from: "INFO1 of the controller".to_owned(),
    };
    let soc = target.soc.clone();
    let report = LinesReport::new(soc, source, &target.lines, Some(&looked), marks).asked(&asked);
    Ok(Seen { report, asked })
}

/// Looks at the levels of all lines for some time, then at the registers of the best candidates.
fn look(registers: &mut dyn Registers, target: &Target, args: &LinesArgs) -> Result<Looked, Error> {
    let time = Duration::from_millis(args.watch);
    let looks = time.as_millis().div_ceil(LOOK_EVERY.as_millis()) + 1;
    let watch = Watch {
        time,
        // Within the limits of --watch.
        looks: u32::try_from(looks).unwrap_or(u32::MAX).max(2),
    };
    let levels = Levels::of_all(registers, &target.aic, watch, &mut interrupt::requested)?;
    let mut failed = Vec::new();
    for line in LinesReport::best(&target.lines) {
        let mut found = verdict(&target.lines, Some(&levels), line);
        found.extend(registers_objections(registers, &target.aic, line)?);
        failed.push((line, found));
    }
    Ok(Looked {
        levels,
        watch,
        failed,
    })
}
