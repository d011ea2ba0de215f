//! A whole session, from the upload to the last check.

use aic_regs::aic::Generation;
use protocol::message::{Difference, Hello, Item, Reading};
use protocol::{Command, HelloRequest, PROTOCOL_VERSION, SCHEMA_HASH};

use crate::error::{Error, exit};
use crate::firmware::{Firmware, hex};
use crate::plan::{Plan, PlannedCell, Question};
use crate::proxy::{Proxy, ProxyError};
use crate::random::mix;
use crate::result::{CpuState, Mark};
use crate::target::Target;

use super::SessionError;
use super::collect::{Answers, Measured};
use super::cpus::{self, CpuRun};
use super::earlier;
use super::memory::Memory;
use super::observe::{Event, Observer};
use super::schedule::Schedule;
use super::slices::Slices;

/// What a session brought.
pub struct Outcome {
    /// State of every CPU, by logical id.
    pub cpus: Vec<CpuState>,
    /// What firmware and CPUs said of themselves.
    pub answers: Answers,
    /// Cells that were to be measured, and their counts.
    pub cells: Vec<(PlannedCell, Measured)>,
    /// What became of the target's state.
    pub restoring: Restoring,
    /// What was left out.
    pub marks: Vec<Mark>,
    /// The user stopped it.
    pub interrupted: bool,
    /// Why it ended early, if it did.
    pub failure: Option<Error>,
}

/// Whether the target is as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restoring {
    /// Nothing had been changed.
    Untouched,
    /// Everything was put back and read back.
    Checked {
        /// Values compared.
        checked: u32,
        /// How many differ.
        different: u32,
        /// The first of them in words.
        differences: Vec<String>,
    },
    /// Nobody could look.
    Unknown,
}

impl Restoring {
    /// Whether the state is as found.
    #[must_use]
    pub const fn is_restored(&self) -> bool {
        matches!(self, Self::Untouched | Self::Checked { different: 0, .. })
    }
}

/// Uploads the firmware, runs the plan and puts everything back. A stop (see [`Observer::stop`] and [`Proxy::stop_when`])
/// before any CPU is in the firmware ends it at once: nothing has been changed by then.
///
/// # Errors
/// Only what goes wrong before any CPU is in the firmware; later failures are part of the [`Outcome`].
pub fn run(
    proxy: &mut Proxy<'_>,
    target: &Target,
    firmware: &Firmware,
    plan: &Plan,
    seed: u64,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let prepared = match prepare(proxy, target, firmware, plan, observer) {
        Ok(prepared) => prepared,
        Err(Error::Proxy(ProxyError::Interrupted { .. })) => {
            return Ok(Outcome::stopped_early(target, plan));
        }
        Err(e) => return Err(e),
    };
    // From here on a stop has to find its way through the session, so that everything is put back.
    let outcome = proxy
        .held(|proxy| measure_and_end(proxy, target, firmware, plan, seed, observer, prepared));
    Ok(outcome)
}

/// CPUs, memory, and what has to be said about an earlier session.
type Prepared = (Vec<CpuRun>, Memory, Option<Mark>);

/// Starts the secondaries and writes the firmware to memory; no CPU runs it yet.
fn prepare(
    proxy: &mut Proxy<'_>,
    target: &Target,
    firmware: &Firmware,
    plan: &Plan,
    observer: &mut dyn Observer,
) -> Result<Prepared, Error> {
    let check = |observer: &dyn Observer, step: &str| {
        if observer.stop() {
            let what = step.to_owned();
            return Err(Error::Proxy(ProxyError::Interrupted { what }));
        }
        Ok(())
    };
    const STARTING: &str = "starting secondaries";
    observer.on(Event::Step(STARTING));
    check(observer, STARTING)?;
    let earlier = earlier::wait(proxy, &target.cpus, observer).map_err(|e| e.at_step(STARTING))?;
    let runs = cpus::start(proxy, &target.cpus).map_err(|e| e.at_step(STARTING))?;
    const UPLOADING: &str = "uploading firmware";
    observer.on(Event::Step(UPLOADING));
    check(observer, UPLOADING)?;
    let longest = plan
        .cells
        .iter()
        .map(|c| u64::from(c.window_us()) + c.watched_us())
        .max()
        .unwrap_or(0);
    let hammers = plan.hammers();
    let memory = Memory::set_up(proxy, firmware, &target.aic, runs.len(), longest, hammers)
        .map_err(|e| e.at_step(UPLOADING))?;
    Ok((runs, memory, earlier))
}

fn measure_and_end(
    proxy: &mut Proxy<'_>,
    target: &Target,
    firmware: &Firmware,
    plan: &Plan,
    seed: u64,
    observer: &mut dyn Observer,
    (runs, memory, earlier): Prepared,
) -> Outcome {
    let mut session = Session {
        step: "entering the firmware",
        opened: false,
        interrupted: false,
        enough: false,
        marks: earlier.into_iter().collect(),
        s: Slices::new(proxy, observer, memory, runs, firmware),
    };
    let nonce = mix(seed ^ session.s.proxy.salt());
    let measured = session.measure(target, firmware, plan, nonce);
    let mut failure = measured.map_err(|e| e.at_step(session.step)).err();
    let (restoring, ended) = session.end(failure.as_ref());
    if let Err(e) = ended {
        failure.get_or_insert(e.at_step("restoring"));
    }
    let Session {
        s,
        interrupted,
        enough,
        mut marks,
        ..
    } = session;
    let retries = s.proxy.stats().retries;
    if retries > 0 {
        let text =
            format!("{retries} exchanges with the loader were lost or damaged, and repeated");
        marks.push(Mark::note("link", text));
    }
    let cells = s.schedule.cells().to_vec();
    let mut cells: Vec<_> = cells.into_iter().zip(s.measured).collect();
    if enough {
        leave_at_end(&mut cells);
    }
    Outcome {
        cpus: s.cpus.iter().map(|c| c.state).collect(),
        answers: s.answers,
        cells,
        restoring,
        marks,
        interrupted,
        failure,
    }
}

/// Leaves the cells up to the one with which the plan was over, each as complete as it was to be.
fn leave_at_end(cells: &mut Vec<(PlannedCell, Measured)>) {
    let stopped = cells.iter().position(|(_, m)| m.is_stopped());
    let begun = cells.iter().rposition(|(_, m)| m.fired > 0);
    cells.truncate(stopped.or(begun).map_or(0, |last| last + 1));
    for (_, m) in cells {
        m.complete = m.refusal.is_none();
    }
}

impl Outcome {
    /// Nothing has been done.
    fn stopped_early(target: &Target, plan: &Plan) -> Self {
        let cells = plan.cells.iter().cloned();
        Self {
            cpus: vec![CpuState::Absent; target.cpus.len()],
            answers: Answers {
                cpus: vec![None; target.cpus.len()],
                ..Answers::default()
            },
            cells: cells.map(|c| (c, Measured::default())).collect(),
            restoring: Restoring::Untouched,
            marks: Vec::new(),
            interrupted: true,
            failure: None,
        }
    }
}

struct Session<'s, 'l> {
    s: Slices<'s, 'l>,
    /// What is being done.
    step: &'static str,
    /// The firmware was told to open the controller.
    opened: bool,
    interrupted: bool,
    /// The plan was over before its last trigger ([`crate::plan::Until`]).
    enough: bool,
    marks: Vec<Mark>,
}

impl Session<'_, '_> {
    fn measure(
        &mut self,
        target: &Target,
        firmware: &Firmware,
        plan: &Plan,
        nonce: u64,
    ) -> Result<(), Error> {
        // The boot CPU alone first: it makes the block ready for the others.
        self.s.until("its first slice", |s| s.ran > 0)?;
        if self.stopped() {
            return Ok(());
        }
        // Then one worker: with it the firmware finds out whether waiting CPUs can sleep. Until it has, they poll, and to
        // call all the others takes a while.
        cpus::enter_first(self.s.proxy, &self.s.memory, &mut self.s.cpus)?;
        if self.stopped() {
            return Ok(());
        }
        self.step = "greeting";
        self.greet(firmware, nonce)?;
        self.step = "entering the firmware";
        let observer = &*self.s.observer;
        let stop = || observer.stop();
        cpus::enter_others(self.s.proxy, &self.s.memory, &mut self.s.cpus, &stop)?;
        if self.stopped() {
            return Ok(());
        }
        self.step = "greeting";
        self.introductions()?;
        self.note_missing();
        if target.aic.geometry.generation == Generation::V1 {
            self.note_unreadable_siq();
        } else {
            self.check_siq()?;
        }
        let cells = self.cells_that_can_run(plan)?;
        if self.stopped() {
            return Ok(());
        }
        self.step = "measuring";
        self.tell_start();
        self.s.observer.on(Event::Step(self.step));
        self.opened = true;
        self.s.command(&Command::Open)?;
        self.s.until = plan.until;
        self.s.measured = vec![Measured::default(); cells.len()];
        let whoami = self.s.answers.cpus.iter();
        let whoami = whoami.map(|info| info.as_ref().and_then(|i| i.whoami));
        self.s.schedule = Schedule::new(cells, whoami.collect());
        self.s.until("Open", |s| s.answers.opened.is_some())?;
        loop {
            if self.stopped() {
                return self.s.abort();
            }
            if self.s.is_enough() {
                self.enough = true;
                return self.s.abort();
            }
            if self.s.schedule.is_over() {
                return self.ask(&plan.questions);
            }
            self.s.give_cells()?;
            let mut once = false;
            self.s
                .until("a cell", |_| std::mem::replace(&mut once, true))?;
        }
    }

    /// Asks one question after the other.
    fn ask(&mut self, questions: &[Question]) -> Result<(), Error> {
        let of = questions.len();
        for (at, question) in questions.iter().enumerate() {
            if self.stopped() {
                return Ok(());
            }
            self.s.observer.on(Event::Asked { at, of, question });
            let answered = self.s.answers.replies.len();
            self.s.command(&question.to_command())?;
            self.s
                .until("an answer", |s| s.answers.replies.len() > answered)?;
            if let Some(reply) = self.s.answers.replies.get(answered) {
                self.s.observer.on(Event::Answered { at, reply });
            }
        }
        Ok(())
    }

    fn tell_start(&mut self) {
        let counter_hz = self.s.answers.hello.as_ref().map_or(0, |h| h.counter_hz);
        let cpus: Vec<CpuState> = self.s.cpus.iter().map(|c| c.state).collect();
        self.s.observer.on(Event::Started {
            counter_hz,
            cpus: &cpus,
            answers: &self.s.answers,
        });
    }

    fn stopped(&mut self) -> bool {
        self.interrupted |= self.s.observer.stop();
        self.interrupted
    }

    fn greet(&mut self, firmware: &Firmware, nonce: u64) -> Result<(), Error> {
        self.s.command(&Command::Hello(HelloRequest {
            protocol: PROTOCOL_VERSION,
            schema: SCHEMA_HASH,
            nonce,
        }))?;
        self.s.until("HELLO", |s| s.answers.hello.is_some())?;
        let Some(hello) = &self.s.answers.hello else {
            return Err(SessionError::Silent("HELLO".into()).into());
        };
        Ok(check_greeting(hello, &firmware.header.build_id, nonce)?)
    }

    /// Every CPU that runs says what it is.
    fn introductions(&mut self) -> Result<(), Error> {
        let running: Vec<usize> = running(&self.s.cpus).collect();
        self.s.until("the CPUs' greetings", |s| {
            running.iter().all(|i| s.answers.cpus[*i].is_some())
        })
    }

    /// A register that traps ends the run before anything is changed.
    fn check_siq(&self) -> Result<(), SessionError> {
        for info in self.s.answers.cpus.iter().flatten() {
            if let Reading::Trapped(esr) = info.siq_cfg {
                let class = aic_regs::sysreg::Esr(esr).class_name();
                return Err(SessionError::SiqTraps {
                    cpu: info.cpu,
                    mpidr: info.mpidr,
                    esr,
                    class,
                });
            }
        }
        Ok(())
    }

    /// On AICv1 the register gates nothing (inference, strong: M1 takes interrupts at 3): a trap costs only its column.
    fn note_unreadable_siq(&mut self) {
        for info in self.s.answers.cpus.iter().flatten() {
            if let Reading::Trapped(esr) = info.siq_cfg {
                let about = format!("cpus[{}].siq_cfg", info.cpu);
                let text = format!("reading it traps, ESR {esr:#x}: AICv1 does without it");
                self.marks.push(Mark::note(&about, text));
            }
        }
    }

    fn note_missing(&mut self) {
        for cpu in self.s.cpus.iter().filter(|c| c.state != CpuState::Running) {
            let text = match cpu.state {
                CpuState::Dead => "the loader could not start it",
                CpuState::NoMmu => "its MMU stays off: exclusives and coherence do not hold there",
                _ => "it was started and never entered the firmware",
            };
            let about = format!("cpus[{}]", cpu.id);
            self.marks.push(Mark::partial(&about, text));
        }
    }

    /// The cells of the plan whose CPUs all run. A CPU that the user named has to.
    fn cells_that_can_run(&mut self, plan: &Plan) -> Result<Vec<PlannedCell>, SessionError> {
        let state = |cpu: u8| self.s.cpus[usize::from(cpu)].state;
        let runs = |cpu: u8| state(cpu) == CpuState::Running;
        let mut cells = Vec::new();
        let mut left_out = 0;
        for cell in &plan.cells {
            match cell.cpus().find(|cpu| !runs(*cpu)) {
                None => cells.push(cell.clone()),
                Some(cpu) => {
                    let named = plan.custom && (plan.fire_named || cpu != cell.fire_cpu);
                    if named {
                        let state = state(cpu).name();
                        return Err(SessionError::CpuMissing { cpu, state });
                    }
                    left_out += 1;
                }
            }
        }
        if left_out > 0 {
            let text = format!("{left_out} cells left out: their CPUs do not run");
            self.marks.push(Mark::partial("cells", text));
        }
        Ok(cells)
    }

    /// Closes, sends everybody home, checks the totals: as far as the failure that came before allows.
    fn end(&mut self, failure: Option<&Error>) -> (Restoring, Result<(), Error>) {
        // A link that only lost too much at once may still carry the way home.
        let lost = failure.is_some_and(|e| e.exit_code() == exit::LINK);
        if lost && !(may_come_back(failure) && self.s.proxy.recover()) {
            let lost = if self.opened || self.s.cpus.iter().any(|c| c.inside) {
                Restoring::Unknown
            } else {
                Restoring::Untouched
            };
            self.s.tell_link(true);
            return (lost, Ok(()));
        }
        self.s.observer.on(Event::Step("restoring"));
        // A fault that was reported once must not end the way home.
        let fault = self.s.answers.fault.take();
        let ended = self.go_home();
        if fault.is_some() {
            self.s.answers.fault = fault;
        }
        let restoring = match &self.s.answers.restored {
            _ if !self.opened => Restoring::Untouched,
            None => Restoring::Unknown,
            Some(r) => Restoring::Checked {
                checked: r.checked,
                different: r.different,
                differences: r.differences.iter().map(difference).collect(),
            },
        };
        (restoring, ended)
    }

    fn go_home(&mut self) -> Result<(), Error> {
        if self.opened {
            self.s.command(&Command::Close)?;
        }
        self.s.command(&Command::Leave)?;
        if self.opened {
            self.s.until("Close", |s| s.answers.restored.is_some())?;
        }
        self.s.until("Leave", |s| s.boot_ended())?;
        let home = cpus::leave(self.s.proxy, &self.s.memory, &mut self.s.cpus);
        self.s.drain_workers()?;
        self.s.show_console();
        if let Some(fault) = self.s.answers.fault {
            return Err(SessionError::Fault(fault).into());
        }
        home?;
        self.s.check_totals()?;
        let memory = self.s.memory;
        memory.free(self.s.proxy)
    }
}

/// Whether asking once more after a failure of the link makes sense.
fn may_come_back(failure: Option<&Error>) -> bool {
    matches!(
        failure.map(Error::cause),
        Some(Error::Proxy(
            ProxyError::Damaged { .. } | ProxyError::Timeout { .. } | ProxyError::CpuBusy { .. }
        ))
    )
}

/// Whether the greeting is that of the firmware just uploaded.
fn check_greeting(hello: &Hello, build_id: &[u8; 16], nonce: u64) -> Result<(), SessionError> {
    let bad = |what: String| Err(SessionError::Greeting(what));
    if hello.nonce != nonce {
        return bad("its nonce is of another run".into());
    }
    if hello.build_id != *build_id {
        return bad(format!("build {} answers", hex(&hello.build_id)));
    }
    if (hello.protocol, hello.schema) != (PROTOCOL_VERSION, SCHEMA_HASH) {
        return bad(format!(
            "protocol {}, schema {:016x}",
            hello.protocol, hello.schema
        ));
    }
    if hello.counter_hz == 0 {
        return bad("its counter has 0 Hz".into());
    }
    Ok(())
}

fn running(cpus: &[CpuRun]) -> impl Iterator<Item = usize> {
    cpus.iter()
        .filter(|c| c.state == CpuState::Running)
        .map(|c| usize::from(c.id))
}

/// A difference in words.
fn difference(d: &Difference) -> String {
    let Difference {
        item,
        index,
        found,
        now,
    } = d;
    let what = match item {
        Item::SiqCfg => format!("SIQ_CFG of CPU {index}"),
        Item::AicConfig => "AIC CONFIG".to_owned(),
        Item::MaskWord => format!("mask word {index}"),
        Item::SoftwareWord => format!("software state of line {}:{}", index >> 16, index & 0xffff),
        Item::IrqConfig => format!("IRQ_CFG of line {}:{}", index >> 16, index & 0xffff),
        Item::Vbar => format!("VBAR of CPU {index}"),
        Item::Daif => format!("DAIF of CPU {index}"),
        Item::Tpidr => format!("TPIDR_EL0 of CPU {index}"),
        Item::Cnthctl => format!("CNTHCTL of CPU {index}"),
    };
    // All ones is what the firmware writes for a CPU that does not answer any more.
    if *now == u64::MAX {
        return format!("{what}: found {found:#x}, now nobody can read it");
    }
    format!("{what}: found {found:#x}, now {now:#x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_of_somebody_else_are_refused() {
        let good = Hello {
            protocol: PROTOCOL_VERSION,
            schema: SCHEMA_HASH,
            build_id: [1; 16],
            nonce: 5,
            counter_hz: 24_000_000,
            counter_step: 1,
            event_stream: true,
        };
        let check = |change: fn(&mut Hello)| {
            let mut hello = good.clone();
            change(&mut hello);
            check_greeting(&hello, &[1; 16], 5)
        };
        assert_eq!(check(|_| {}), Ok(()));
        let changes: [fn(&mut Hello); 5] = [
            |h| h.nonce = 4,
            |h| h.build_id[3] = 9,
            |h| h.protocol += 1,
            |h| h.schema ^= 1,
            |h| h.counter_hz = 0,
        ];
        for (i, change) in changes.into_iter().enumerate() {
            let got = check(change);
            assert!(
                matches!(got, Err(SessionError::Greeting(_))),
                "{i}: {got:?}"
            );
        }
    }

    #[test]
    fn seeds_are_spread() {
        assert_ne!(mix(0), 0);
        assert!((mix(1) ^ mix(2)).count_ones() > 16);
    }
}
