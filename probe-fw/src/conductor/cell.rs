//! A cell from its command to its result.

use core::sync::atomic::Ordering::Relaxed;

use aic_regs::aic::{Line, LineHandle};
use heapless::Vec;
use protocol::command::{Ending, FIELD_AS_FOUND, Special};
use protocol::message::{CellResult, Progress, Reading, Refusal};
use protocol::{Cell, LineId, MAX_CPUS, Message};

use super::{BOOT, Context, ROOM};
use crate::platform::Platform;
use crate::state::Ended;
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
    /// Spurious interrupts of every CPU before the cell.
    spurious: u32,
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
                let active = u64::from(handle.hwirq()) | (ended(cell) as u64) << 32;
                shared.active.store(active, Relaxed);
                shared
                    .second
                    .store(second.map_or(0, |s| s.hwirq().into()), Relaxed);
                self.me.consumed = shared.taken.load(Relaxed);
                self.set_surroundings(cell, &handle);
                self.unmask_lines(&handle, second.as_ref());
                self.me.running = Some(Running {
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
        let over = loop {
            if running.result.refusal.is_some() {
                break true;
            }
            if running.result.fired >= running.cell.triggers {
                break true;
            }
            if running.cell.raw && up_ring::room(self.block, BOOT) < ROOM {
                break false;
            }
            if let Err(refusal) = self.trigger(&mut running) {
                running.result.refusal = Some(refusal);
                continue;
            }
            if self.platform.now() >= until && running.result.fired < running.cell.triggers {
                break false;
            }
        };
        if over {
            self.finish_cell(running);
        } else {
            let result = &running.result;
            self.say(&Message::Progress(Progress {
                id: result.id,
                fired: result.fired,
                landed: result.landed.clone(),
                lost: result.lost,
            }));
            self.me.running = Some(running);
        }
        over
    }

    fn finish_cell(&mut self, mut running: Running) {
        self.silence(&running);
        self.unmask_all(&running);
        self.drain_stragglers(&mut running);
        let shared = self.block.shared();
        shared.active.store(0, Relaxed);
        shared.second.store(0, Relaxed);
        self.reset_surroundings(&running);
        let mut result = running.result;
        result.spurious = self.spurious().wrapping_sub(running.spurious);
        let (block, id) = (self.block, result.id);
        self.me.histogram.drain(id, false, |chunk| {
            up_ring::push(block, BOOT, &Message::Latency(chunk));
        });
        self.say(&Message::Cell(result));
    }

    /// The host writes the word between slices only.
    fn aborted(&self) -> bool {
        self.block.control().abort.load(Relaxed) != 0
    }

    fn spurious(&self) -> u32 {
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
        served: Vec::new(),
    }
}

/// Whether triggers of the cell need nothing beside firing: its routing word and ENABLE are set once.
fn is_plain(special: &Special) -> bool {
    special.steps.is_empty() && !special.line_masked && special.ending == Ending::Normal
}

const fn ended(cell: &Cell) -> Ended {
    match cell.special.ending {
        Ending::Normal => Ended::Normal,
        Ending::Disabled => Ended::Disabled,
        Ending::OutOfOrder(_) => Ended::OutOfOrder,
    }
}
