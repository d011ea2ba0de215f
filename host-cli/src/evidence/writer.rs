//! Writes evidence while a run goes.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use adt::Adt;
use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::error::{Error, exit};
use crate::plan::Plan;
use crate::proxy::Proxy;
use crate::result::{Context, Head, aic, head_before};
use crate::session::{Answers, Event, Measured, Observer, Outcome};
use crate::target::Target;

use super::folder::Folder;
use super::format::{
    Cell, DeviceId, Ended, Firmware, Geometry, Host, Line, Machine, PlanFile, Run, SCHEMA,
    TargetFile, Tool,
};
use super::loader::{Loader, identify};
use super::registers::Registers;
use super::tree::AdtFile;
use super::{Redactor, name, sha256};

/// Shortest time between two lines that say how far a cell has come.
const SO_FAR: Duration = Duration::from_secs(2);
/// Largest program that is hashed.
const PROGRAM: u64 = 1 << 30;

/// Evidence of a run that goes on.
///
/// [`Evidence::create`] before the target is touched, [`Evidence::look`] when it is known, [`Evidence::begin`] when there is a
/// plan; then it listens to the session ([`Observer`]), [`Evidence::after`] reads what is to be read afterwards, and
/// [`Evidence::end`] takes the result. Whatever is not reached leaves it cut.
pub struct Evidence {
    folder: Folder,
    command: &'static str,
    argv: Vec<String>,
    started: OffsetDateTime,
    registers: Registers,
    device: DeviceId,
    run: Option<Run>,
    target: Option<TargetFile>,
    /// There is a plan.
    begun: bool,
    answers: Answers,
    /// The last line about each cell.
    written: BTreeMap<u32, Measured>,
    replies: usize,
    so_far: Instant,
    /// Why it cannot write any more.
    why: Option<io::Error>,
}

impl Evidence {
    /// Opens `given` for the evidence of `command`: a directory that is not there or empty, or a file that is not there and whose
    /// name ends in .tar.zst.
    ///
    /// # Errors
    /// [`Error::Usage`] for a place that holds something; [`Error::OutputFile`].
    pub fn create(given: &Path, command: &'static str, argv: Vec<String>) -> Result<Self, Error> {
        let now = OffsetDateTime::now_utc();
        Ok(Self {
            folder: Folder::open(given)?,
            command,
            argv,
            started: now.replace_nanosecond(0).unwrap_or(now),
            registers: Registers::default(),
            device: DeviceId::default(),
            run: None,
            target: None,
            begun: false,
            answers: Answers::default(),
            written: BTreeMap::new(),
            replies: 0,
            so_far: Instant::now(),
            why: None,
        })
    }

    /// Reads what is to be known of a target before anything is changed on it: device tree, loader, controller.
    ///
    /// # Errors
    /// Errors of the link, [`Error::OutputFile`].
    pub fn look(
        &mut self,
        proxy: &mut Proxy<'_>,
        context: Context<'_>,
        machine: &Machine,
    ) -> Result<(), Error> {
        let target = context.target;
        let tree = Adt::new(&target.tree)
            .map_err(|e| Error::Internal(format!("the device tree cannot be read again: {e}")))?;
        self.folder.redactor = Redactor::of_tree(&tree);
        let file = AdtFile::of(&target.tree, &tree, &self.folder.redactor);
        self.put(name::ADT, &file)?;
        let run = self.run_of(&context, machine);
        self.put(name::RUN, &run)?;
        self.run = Some(run);
        let loader = match machine {
            Machine::Virtual { loader: None, .. } => Loader::stand_in(),
            _ => {
                let base = proxy.base()?;
                identify(proxy, base)?
            }
        };
        self.put(name::LOADER, &loader)?;
        let board_id = tree.node("/chosen").and_then(|n| n.u32("board-id"));
        self.device = DeviceId {
            board_id,
            model: target.soc.model.clone(),
        };
        self.registers.look(proxy, &target.aic)?;
        self.put_target(context)
    }

    fn run_of(&self, context: &Context<'_>, machine: &Machine) -> Run {
        let image = context.firmware;
        Run {
            schema: SCHEMA.to_owned(),
            command: self.command.to_owned(),
            argv: self.argv.clone(),
            options: Value::Null,
            target: context.target_name.to_owned(),
            seed: context.seed,
            tool: Tool {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                executable_sha256: program(),
            },
            firmware: Firmware {
                build_id: image.build_id(),
                image_sha256: sha256(&image.image),
                protocol: protocol::PROTOCOL_VERSION,
            },
            started: utc(self.started),
            host: Host {
                os: std::env::consts::OS.to_owned(),
                arch: std::env::consts::ARCH.to_owned(),
            },
            machine: machine.clone(),
            ended: None,
        }
    }

    fn put_target(&mut self, context: Context<'_>) -> Result<(), Error> {
        let target = context.target;
        let file = TargetFile {
            soc: target.soc.clone(),
            device: self.device.clone(),
            aic: aic(target, None),
            geometry: Geometry::of(&target.aic),
            head: head_before(context),
        };
        self.put(name::TARGET, &file)?;
        self.target = Some(file);
        let registers = self.registers.file(&self.answers, None);
        self.put(name::REGISTERS, &registers)
    }

    /// Writes the plan, and reads the words of its lines. `options`: see [`Run::options`].
    ///
    /// # Errors
    /// Errors of the link, [`Error::OutputFile`].
    pub fn begin(
        &mut self,
        proxy: &mut Proxy<'_>,
        context: Context<'_>,
        plan: &Plan,
        options: Value,
    ) -> Result<(), Error> {
        let aic = &context.target.aic;
        self.registers.look_at_lines(proxy, aic, &plan.lines())?;
        if let Some(mut run) = self.run.take() {
            run.options = options;
            self.put(name::RUN, &run)?;
            self.run = Some(run);
        }
        self.put_plan(plan).map_err(|why| self.folder.failed(why))?;
        self.begun = true;
        self.put_target(context)
    }

    fn put_plan(&self, plan: &Plan) -> io::Result<()> {
        self.folder
            .replace(name::PLAN, &PlanFile { plan: plan.clone() })
    }

    /// Adds what the run left, with the head of its result: the controller's words, cells that were not over, the comparison.
    /// Call it while the link is still there. What goes wrong is told by [`Evidence::end`].
    pub fn after(
        &mut self,
        proxy: &mut Proxy<'_>,
        target: &Target,
        outcome: &Outcome,
        head: &Head,
    ) {
        if self.why.is_some() {
            return;
        }
        let lost = matches!(&outcome.failure, Some(e) if e.exit_code() == exit::LINK);
        if !lost {
            // Ctrl-C has ended the run already: this is the way out.
            proxy.held(|proxy| self.registers.look_again(proxy));
        }
        self.why = self.write_after(target, outcome, head, lost).err();
    }

    fn write_after(
        &mut self,
        target: &Target,
        outcome: &Outcome,
        head: &Head,
        lost: bool,
    ) -> io::Result<()> {
        for (planned, counts) in &outcome.cells {
            if self.written.get(&planned.id) != Some(counts) {
                self.cell(planned.id, true, counts)?;
            }
        }
        for (at, reply) in outcome.answers.replies.iter().enumerate() {
            if at >= self.replies {
                let reply = reply.clone();
                self.folder.line(&Line::Reply {
                    question: at,
                    reply,
                })?;
            }
        }
        self.folder.sync()?;
        let mut registers = self.registers.file(&outcome.answers, Some(outcome));
        if lost {
            let note = "the link was lost: nothing could be read afterwards";
            registers.notes.push(note.to_owned());
        }
        self.folder.replace(name::REGISTERS, &registers)?;
        if let Some(mut file) = self.target.take() {
            file.head = head.clone();
            file.aic = aic(target, outcome.answers.opened);
            self.folder.replace(name::TARGET, &file)?;
        }
        Ok(())
    }

    /// The run is over: `result` is its JSON, `code` the exit code, `messages` what is said beside it. The evidence is complete
    /// afterwards, and packed if it is to be.
    ///
    /// # Errors
    /// [`Error::OutputFile`] if anything could not be written.
    pub fn end(mut self, result: &str, code: u8, messages: &[String]) -> Result<(), Error> {
        self.finish(result, code, messages)
            .map_err(|why| self.folder.failed(why))
    }

    fn finish(&mut self, result: &str, exit_code: u8, messages: &[String]) -> io::Result<()> {
        if let Some(why) = self.why.take() {
            return Err(why);
        }
        let Some(mut run) = self.run.take() else {
            return Err(io::Error::other("the run never began"));
        };
        if !self.begun {
            // It failed before there was a plan, and that is the result.
            self.put_plan(&Plan::of(Vec::new()))?;
        }
        self.folder.write(name::RESULT, result)?;
        run.ended = Some(Ended {
            at: utc(OffsetDateTime::now_utc()),
            exit_code,
            messages: messages.to_vec(),
        });
        self.folder.replace(name::RUN, &run)?;
        self.folder.seal(self.started.unix_timestamp())
    }

    /// Says in the log why the run failed. Without a result the evidence stays cut.
    pub fn ended_by(&mut self, why: &Error) {
        self.note(&why.to_string());
    }

    /// Says in the log why there is no result.
    pub fn note(&mut self, why: &str) {
        // The caller has something to tell already.
        let _ = self.folder.say(&format!("ended: {why}"));
    }

    fn put(&mut self, file: &str, value: &impl Serialize) -> Result<(), Error> {
        self.folder
            .replace(file, value)
            .map_err(|why| self.folder.failed(why))
    }

    fn cell(&mut self, cell: u32, over: bool, counts: &Measured) -> io::Result<()> {
        let counts = counts.clone();
        self.folder.line(&Line::Cell(Cell {
            cell,
            over,
            counts: counts.clone(),
        }))?;
        if over {
            self.written.insert(cell, counts);
        }
        self.so_far = Instant::now();
        Ok(())
    }

    fn told(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Step(step) => self.folder.say(&format!("step: {step}")),
            Event::Console(text) => self.folder.console(text),
            Event::Log { cpu, text, .. } => {
                self.folder.say(&format!("firmware, CPU {cpu}: {text}"))
            }
            Event::Link { lost: true, .. } => self.folder.say("link: lost"),
            Event::Started { cpus, answers, .. } => {
                self.answers = answers.clone();
                let registers = self.registers.file(answers, None);
                self.folder.replace(name::REGISTERS, &registers)?;
                if let Some(mut file) = self.target.take() {
                    file.head.heard(answers, cpus);
                    self.folder.replace(name::TARGET, &file)?;
                    self.target = Some(file);
                }
                Ok(())
            }
            Event::Progress { cell, so_far, .. } if self.so_far.elapsed() >= SO_FAR => {
                self.cell(cell.id, false, so_far)
            }
            Event::Done { cell, counts, .. } => self.cell(cell.id, true, counts),
            Event::Answered { at, reply, .. } => {
                self.replies = at + 1;
                let reply = reply.clone();
                self.folder.line(&Line::Reply {
                    question: at,
                    reply,
                })
            }
            _ => Ok(()),
        }
    }
}

impl Observer for Evidence {
    fn on(&mut self, event: Event<'_>) {
        // Of an earlier session nothing is kept but what it said: its plan is another.
        let counts = matches!(
            event,
            Event::Step(_) | Event::Console(_) | Event::Log { .. }
        );
        if self.why.is_none() && (self.begun || counts) {
            self.why = self.told(event).err();
        }
    }

    /// A run whose evidence cannot be kept is not what was asked for.
    fn stop(&self) -> bool {
        self.why.is_some()
    }
}

/// Hash of the running program, if it can be read.
fn program() -> Option<String> {
    let path = std::env::current_exe().ok()?;
    let size = fs::metadata(&path).ok()?.len();
    let bytes = (size <= PROGRAM).then(|| fs::read(&path).ok()).flatten()?;
    Some(sha256(&bytes))
}

fn utc(at: OffsetDateTime) -> String {
    let at = at.replace_nanosecond(0).unwrap_or(at);
    at.format(&Rfc3339).unwrap_or_default()
}
