//! A cell from its command to its result.

use core::sync::atomic::Ordering::Relaxed;

use aic_regs::aic::{Line, LineHandle};
use heapless::Vec;
use protocol::command::{Ending, FIELD_AS_FOUND, Special, Stop};
use protocol::event;
use protocol::message::{CellResult, Progress, Reading, Refusal};
use protocol::{Cell, LineId, MAX_CPUS, Message};

use super::{BOOT, Context, ROOM};
use crate::platform::Platform;
use crate::state::{Ended, HANDED, TIMED, UNFIRED};
use crate::{local, up_ring};

/// A field that could not be read back.
const FIELD_UNKNOWN: u8 = 0xff;

/// The cell that is being run.
pub struct Running {
    pub cell: Cell,
    pub handle: LineHandle,
    /// The line that [`Ending::OutOfOrder`] names.
    pub second: Option<LineHandle>,
    pub result: CellResult,
    /// Neither windows nor anything special: known once, not looked for at every trigger.
    pub plain: bool,
    /// Handlers are timed, or hand over.
    pub timed: bool,
    /// Events are sent, or looked at.
    pub noted: bool,
    /// Thresholds of [`protocol::command::Stop`] in ticks; `u64::MAX` = none.
    pub first_limit: u64,
    pub both_limit: u64,
    /// Why the cell will stop, and after how many further triggers.
    pub stopping: Option<(Refusal, u32)>,
    /// When it began, and for how many ticks it may run.
    started: u64,
    limit: u64,
    /// It is over; what is left is to give out its histograms.
    given_out: bool,
    /// Handlers' ticks of every CPU before the cell.
    busy: [u64; MAX_CPUS],
    /// Spurious interrupts of every CPU before the cell.
    pub spurious: u32,
    pub timeout: u64,
    pub grace: u64,
    /// What became of the trigger before, for interrupts that come after its end.
    pub last_landed: bool,
    pub last_late: bool,
}

impl<P: Platform> Context<'_, '_, P> {
    /// Checks a cell, sets the fields, unmasks the line. A cell that cannot run is answered at once.
    pub(super) fn begin_cell(&mut self, cell: &Cell) {
        let mut result = empty_result(cell, self.block.cpus());
        match self.prepare(cell, &mut result) {
            Ok((handle, second)) => {
                let shared = self.block.shared();
                let special = &cell.special;
                let mut how = ended(cell) as u64;
                let handed = special.handover.is_some();
                let timed = special.timed || handed;
                for (bit, on) in [(TIMED, timed), (HANDED, handed), (UNFIRED, special.unfired)] {
                    how |= if on { bit } else { 0 };
                }
                let active = u64::from(handle.hwirq()) | how << 32;
                shared.active.store(active, Relaxed);
                shared
                    .second
                    .store(second.map_or(0, |s| s.hwirq().into()), Relaxed);
                self.me.consumed = shared.taken.load(Relaxed);
                self.set_surroundings(cell, &handle);
                self.unmask_lines(&handle, second.as_ref());
                let watched = special.stop != Stop::default();
                let shape =
                    if timed { event::SECOND } else { 0 } | if handed { event::SERVED } else { 0 };
                self.me.events.start(cell.id, shape);
                let limit = |ns: u32| match ns {
                    0 => u64::MAX,
                    ns => self.platform.ticks(u64::from(ns)) / 1000,
                };
                self.me.running = Some(Running {
                    timed,
                    noted: cell.raw || watched,
                    first_limit: limit(special.stop.first_ns),
                    both_limit: limit(special.stop.both_ns),
                    stopping: None,
                    started: self.platform.now(),
                    limit: match special.limit_us {
                        0 => u64::MAX,
                        us => self.platform.ticks(us.into()),
                    },
                    given_out: false,
                    busy: self.busy(),
                    cell: cell.clone(),
                    handle,
                    second,
                    result,
                    plain: cell.masked.is_empty() && is_plain(&cell.special),
                    spurious: self.spurious(),
                    timeout: self.platform.ticks(cell.timeout_us.into()),
                    grace: self.platform.ticks(cell.grace_us.into()),
                    last_landed: true,
                    last_late: false,
                });
            }
            Err(refusal) => {
                log!(warn, "cell {=u32} refused", cell.id);
                result.refusal = Some(refusal);
                self.say(&Message::Cell(result));
            }
        }
    }

    fn prepare(
        &mut self,
        cell: &Cell,
        result: &mut CellResult,
    ) -> Result<(LineHandle, Option<LineHandle>), Refusal> {
        if !self.me.open {
            return Err(Refusal::NotOpen);
        }
        if self.me.broken {
            return Err(Refusal::WorkerFault(BOOT as u8));
        }
        if self.aborted() {
            return Err(Refusal::Aborted);
        }
        if cell.special.enable.is_none() && self.owns_config() && !self.is_enabled() {
            return Err(Refusal::NotEnabled);
        }
        if cell.triggers == 0 {
            return Err(Refusal::Triggers);
        }
        let handle = self.line_of(cell.line)?;
        let second = match cell.special.ending {
            Ending::OutOfOrder(line) if line != cell.line => Some(self.line_of(line)?),
            Ending::OutOfOrder(_) => return Err(Refusal::Line),
            _ => None,
        };
        if !self.present(cell.fire_cpu.into()) {
            return Err(Refusal::Cpu(cell.fire_cpu));
        }
        let mut masked = 0u32;
        for mask in &cell.masked {
            if !self.present(mask.cpu.into()) {
                return Err(Refusal::Cpu(mask.cpu));
            }
            if masked & 1 << mask.cpu != 0 {
                return Err(Refusal::MaskedTwice(mask.cpu));
            }
            masked |= 1 << mask.cpu;
        }
        self.check_fields(cell)?;
        self.check_special(&cell.special)?;
        self.check_crew(cell)?;
        for handle in [Some(&handle), second.as_ref()].into_iter().flatten() {
            if !cell.special.live {
                self.check_idle(handle)?;
            }
            if !self.note_line(handle) {
                return Err(Refusal::Line);
            }
        }
        for cpu in 0..self.block.cpus() {
            let field = cell.fields.get(cpu).copied().unwrap_or(FIELD_AS_FOUND);
            result.fields[cpu] = self.set_field(cpu, field)?;
        }
        self.set_levels(cell.special.at_el1)?;
        self.set_loads(cell.special.load, cell.special.loaded)?;
        self.begin_handover(&cell.special)?;
        Ok((handle, second))
    }

    fn line_of(&self, line: LineId) -> Result<LineHandle, Refusal> {
        let (die, number) = (line.die, line.number);
        match self.platform.aic().line(Line { die, number }) {
            Some(handle) if number != 0 => Ok(handle),
            _ => Err(Refusal::Line),
        }
    }

    fn check_fields(&self, cell: &Cell) -> Result<(), Refusal> {
        for (cpu, field) in cell.fields.iter().enumerate() {
            match *field {
                FIELD_AS_FOUND => {}
                0..=3 if self.present(cpu) => {}
                0..=3 => return Err(Refusal::Cpu(cpu as u8)),
                _ => return Err(Refusal::Field(cpu as u8)),
            }
        }
        Ok(())
    }

    /// The line must be silent without us.
    fn check_idle(&self, handle: &LineHandle) -> Result<(), Refusal> {
        let aic = self.platform.aic();
        let (software, high) = (aic.sw_state(handle), aic.hw_state(handle));
        if software || high {
            let Line { die, number } = handle.line();
            self.say(&Message::Line {
                line: LineId { die, number },
                software,
                high,
                config: aic.irq_cfg(handle).bits(),
            });
            return Err(Refusal::LineBusy);
        }
        Ok(())
    }

    /// Sets the routing field of a CPU (keeping its other bits) and returns what it reads.
    pub(super) fn set_field(&mut self, cpu: usize, field: u8) -> Result<u8, Refusal> {
        let Some(now) = self.me.siq_now[cpu] else {
            // A CPU that is not here, or whose register traps: nothing was asked of it, nothing is known of it.
            return if field == FIELD_AS_FOUND {
                Ok(FIELD_UNKNOWN)
            } else {
                Err(self.siq_refusal(cpu))
            };
        };
        if !self.present(cpu) {
            return Err(Refusal::Cpu(cpu as u8));
        }
        let found = self.siq_found(cpu).unwrap_or(now);
        let wanted = if field == FIELD_AS_FOUND {
            found
        } else {
            found & !3 | u64::from(field)
        };
        let now = if wanted == now {
            now
        } else {
            match self.set_siq(cpu, wanted)? {
                Reading::Value(value) => value,
                Reading::Trapped(esr) => {
                    return Err(Refusal::SiqCfg {
                        cpu: cpu as u8,
                        esr,
                    });
                }
            }
        };
        self.me.siq_now[cpu] = Some(now);
        Ok((now & 3) as u8)
    }

    pub(super) fn siq_refusal(&self, cpu: usize) -> Refusal {
        match local::found_siq_cfg(self.block.private(cpu)) {
            Reading::Trapped(esr) => Refusal::SiqCfg {
                cpu: cpu as u8,
                esr,
            },
            Reading::Value(_) => Refusal::Cpu(cpu as u8),
        }
    }

    /// Runs triggers until the cell is over (true) or the slice is (false).
    pub(super) fn run_cell(&mut self, until: u64) -> bool {
        let Some(mut running) = self.me.running.take() else {
            return true;
        };
        if self.aborted() {
            running.result.refusal = Some(Refusal::Aborted);
        }
        if !running.given_out {
            if !self.run_triggers(&mut running, until) {
                self.flush_events();
                let result = &running.result;
                self.say(&Message::Progress(Progress {
                    id: result.id,
                    fired: result.fired,
                    landed: result.landed.clone(),
                    lost: result.lost,
                }));
                self.me.running = Some(running);
                return false;
            }
            self.end_triggers(&mut running);
        }
        let over = self.give_out(&running);
        if over {
            self.say(&Message::Cell(running.result));
        } else {
            self.me.running = Some(running);
        }
        over
    }

    /// Whether all triggers are through.
    fn run_triggers(&mut self, r: &mut Running, until: u64) -> bool {
        loop {
            if r.result.refusal.is_some() || r.result.fired >= r.cell.triggers {
                return true;
            }
            if r.cell.raw && up_ring::room(self.block, BOOT) < ROOM {
                return false;
            }
            if let Err(refusal) = self.trigger(r) {
                r.result.refusal = Some(refusal);
                continue;
            }
            if r.noted && self.stops(r) {
                continue;
            }
            let now = self.platform.now();
            if now.wrapping_sub(r.started) >= r.limit {
                return true;
            }
            if now >= until && r.result.fired < r.cell.triggers {
                return false;
            }
        }
    }

    /// The last trigger is through: everything but the line's state is as before the cell.
    fn end_triggers(&mut self, r: &mut Running) {
        r.result.elapsed = self.platform.now().wrapping_sub(r.started);
        self.silence(r);
        self.unmask_all(r);
        self.drain_stragglers(r);
        // A reason to stop in the last triggers of a part is one, too.
        if let (None, Some((why, _))) = (r.result.refusal, r.stopping) {
            r.result.refusal = Some(why);
        }
        let shared = self.block.shared();
        shared.active.store(0, Relaxed);
        shared.second.store(0, Relaxed);
        self.end_handover(&r.cell.special);
        self.reset_surroundings(r);
        r.result.spurious = self.spurious().wrapping_sub(r.spurious);
        if r.timed {
            let busy = self.busy();
            for (now, before) in busy.iter().zip(r.busy).take(self.block.cpus()) {
                let ticks = u32::try_from(now.wrapping_sub(before)).unwrap_or(u32::MAX);
                let _ = r.result.busy.push(ticks);
            }
        }
        if matches!(r.result.refusal, Some(Refusal::Spike | Refusal::Wrong)) && !r.cell.raw {
            self.me.events.show_recent();
        }
        self.flush_events();
        r.given_out = true;
    }

    /// Gives out the histograms as far as there is room; whether that is all.
    fn give_out(&mut self, r: &Running) -> bool {
        for (second, at) in [(false, 0), (true, 1)] {
            loop {
                if up_ring::room(self.block, BOOT) < ROOM / 2 {
                    return false;
                }
                match self.me.histograms[at].take_piece(r.result.id, second) {
                    Some(piece) => self.say(&Message::Latency(piece)),
                    None => break,
                }
            }
        }
        true
    }

    fn busy(&self) -> [u64; MAX_CPUS] {
        core::array::from_fn(|cpu| {
            if cpu < self.block.cpus() {
                self.block.private(cpu).busy.load(Relaxed)
            } else {
                0
            }
        })
    }

    /// The host writes the word between slices only.
    fn aborted(&self) -> bool {
        self.block.control().abort.load(Relaxed) != 0
    }

    pub(super) fn spurious(&self) -> u32 {
        (0..self.block.cpus())
            .map(|cpu| self.block.private(cpu).spurious.load(Relaxed) as u32)
            .fold(0, u32::wrapping_add)
    }
}

fn empty_result(cell: &Cell, cpus: usize) -> CellResult {
    let zeros = || {
        let mut v: Vec<u32, MAX_CPUS> = Vec::new();
        let _ = v.resize(cpus, 0);
        v
    };
    let mut fields = Vec::new();
    let _ = fields.resize(cpus, FIELD_UNKNOWN);
    let mut hits = Vec::new();
    let _ = hits.resize(cell.special.steps.len(), 0);
    CellResult {
        id: cell.id,
        refusal: None,
        fields,
        fired: 0,
        landed: zeros(),
        offered: zeros(),
        lost: 0,
        late: 0,
        duplicate: 0,
        spurious: 0,
        latencies: 0,
        from_unmask: 0,
        min_ticks: 0,
        max_ticks: 0,
        hits,
        left_masked: 0,
        elapsed: 0,
        seconds: 0,
        min_second: 0,
        max_second: 0,
        busy: Vec::new(),
        served: if cell.special.handover.is_some() {
            zeros()
        } else {
            Vec::new()
        },
    }
}

/// Whether triggers of the cell need nothing beside firing: its routing word and ENABLE are set once.
fn is_plain(special: &Special) -> bool {
    special.steps.is_empty()
        && !special.line_masked
        && special.ending == Ending::Normal
        && special.gap_us == 0
        && special.handover.is_none()
        && special.rewrite.is_none()
}

const fn ended(cell: &Cell) -> Ended {
    match cell.special.ending {
        Ending::Normal => Ended::Normal,
        Ending::Disabled => Ended::Disabled,
        Ending::OutOfOrder(_) => Ended::OutOfOrder,
    }
}
