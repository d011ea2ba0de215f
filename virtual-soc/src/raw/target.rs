//! The running machine: bytes in, bytes out, CPUs started by the start block.

use core::time::Duration;

use crate::cpu::{CoreState, Time};
use crate::loader::{RunStats, StateSnapshot};
use crate::machine::{Machine, Stop, TraceHook};
use crate::model::SocModel;
use crate::soc::SocBus;

use super::boot::{self, RawError, RawOptions};

/// The machine is looked at every microsecond of virtual time; a CPU that was started begins at the next one.
const GRID_PS: u64 = 1_000_000;
/// A CPU that looks at the serial port's status that often and sees no change is put to sleep, as if its next look took longer:
/// until the status changes, an interrupt or an event comes, or this long has passed.
const IDLE_POLLS: u32 = 4;
const SLEEP_PS: u64 = 200_000_000;
/// How long a CPU that is told to stop may go on.
const STOP_PS: u64 = 1_000_000_000;

/// Why the machine does not run any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawStop {
    /// The limit of [`RawOptions::max_insns`].
    MaxInsns,
    /// The image had the watchdog reset the machine.
    Reset,
}

/// A virtual SoC that runs a raw image; see the module's text.
///
/// The same shape as [`VirtualTarget`](crate::VirtualTarget): bytes go through the emulated serial port, and
/// [`RawTarget::recv`] is the only call that lets time pass. Console text and frames share the stream, as they come.
pub struct RawTarget {
    machine: Machine<SocBus>,
    stop: Option<RawStop>,
    /// What callers have waited for since then.
    stood: Duration,
    /// By CPU: when it stops at the latest, if it has been told to.
    stopping: Vec<Option<Time>>,
    /// The CPU that was put to sleep, and until when.
    sleeper: Option<(usize, Time)>,
}

impl RawTarget {
    /// The machine of `model` with `image` in memory, at its first instruction.
    ///
    /// # Errors
    /// [`RawError`]: a model that is refused, an image or a place for it that does not fit.
    pub fn from_image(
        model: &SocModel,
        image: &[u8],
        options: &RawOptions,
    ) -> Result<Self, RawError> {
        let machine = boot::power_on(model, image, options)?;
        Ok(Self {
            stopping: vec![None; machine.cores.len()],
            machine,
            stop: None,
            stood: Duration::ZERO,
            sleeper: None,
        })
    }

    /// Host to target: hand over bytes. No time passes; they arrive at the port's speed.
    pub fn send(&mut self, bytes: &[u8]) {
        let now = self.machine.now();
        self.machine.bus.uart.push_input(bytes, now);
    }

    /// Bytes for the target that it has not read yet.
    #[must_use]
    pub fn unread(&self) -> usize {
        self.machine.bus.uart.unread()
    }

    /// Target to host: wait at most `timeout` of virtual time for bytes; returns how many were put into `buf`.
    ///
    /// 0 means that nothing came within the timeout, that `buf` is empty or that the machine has [stopped](Self::stopped), which lets
    /// the whole timeout pass.
    pub fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> usize {
        if buf.is_empty() {
            return 0;
        }
        let deadline = self.machine.now() + timeout;
        loop {
            let now = self.machine.now();
            let mut count = 0;
            while let Some(place) = buf.get_mut(count)
                && let Some(byte) = self.machine.bus.uart.take_output(now)
            {
                *place = byte;
                count += 1;
            }
            if count == 0 && self.stop.is_some() {
                // Whoever waits on this clock gets to the end of its patience.
                self.stood += timeout;
                return 0;
            }
            if count != 0 || now >= deadline {
                return count;
            }
            self.advance(deadline);
        }
    }

    /// Virtual time since power-on.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.machine.now() - Time::ZERO + self.stood
    }

    /// Why the machine does not run any more; `None` while it does.
    #[must_use]
    pub const fn stopped(&self) -> Option<RawStop> {
        self.stop
    }

    /// The machine, for looking at it from outside.
    #[must_use]
    pub const fn machine(&self) -> &Machine<SocBus> {
        &self.machine
    }

    /// The machine, for changing it from outside.
    pub const fn machine_mut(&mut self) -> &mut Machine<SocBus> {
        &mut self.machine
    }

    /// Call `hook(cpu, pc, word)` before every instruction; `None` switches that off.
    pub fn set_trace(&mut self, hook: Option<TraceHook>) {
        self.machine.set_trace(hook);
    }

    /// Counts since power-on. What only a stand-in can count (requests, guarded exceptions) is 0.
    #[must_use]
    pub fn stats(&self) -> RunStats {
        RunStats::of(&self.machine)
    }

    /// The state that a run must leave as it found it.
    #[must_use]
    pub fn snapshot(&self) -> StateSnapshot {
        StateSnapshot::take(&self.machine)
    }

    /// Run to the next point of the grid, and further while nothing but sleeping CPUs is there.
    fn advance(&mut self, deadline: Time) {
        let now = self.machine.now();
        let grid = Time((now.0 / GRID_PS + 1).saturating_mul(GRID_PS));
        self.put_to_sleep(now);
        let until = match self.wake_time(now) {
            Some(wake)
                if self
                    .machine
                    .cores
                    .iter()
                    .all(|c| c.state() != CoreState::Running) =>
            {
                let sent = self.machine.bus.uart.output_due().unwrap_or(Time::MAX);
                wake.min(sent).min(deadline)
            }
            _ => grid,
        };
        match self.machine.run(until) {
            Stop::Deadline => {}
            Stop::Limit => self.stop = Some(RawStop::MaxInsns),
            // No instruction is a host call here.
            Stop::HostCall { cpu, .. } => self.machine.cores[cpu].set_state(CoreState::Running),
        }
        self.start_and_stop();
        let now = self.machine.now();
        if self.stop.is_none() && self.machine.bus.watchdog.bites(now) {
            self.stop = Some(RawStop::Reset);
        }
    }

    /// A CPU that only waits for the serial port goes to sleep.
    fn put_to_sleep(&mut self, now: Time) {
        if self.sleeper.is_some() {
            return;
        }
        let Some(cpu) = self.machine.bus.uart.idle_poller(IDLE_POLLS) else {
            return;
        };
        self.machine.bus.uart.not_idle(cpu);
        let core = &mut self.machine.cores[cpu];
        if core.state() == CoreState::Running {
            core.set_state(CoreState::Wfe);
            self.sleeper = Some((cpu, now.after_picos(SLEEP_PS)));
        }
    }

    /// When the sleeper is to wake; it is woken if that time has come.
    fn wake_time(&mut self, now: Time) -> Option<Time> {
        let (cpu, limit) = self.sleeper?;
        if self.machine.cores[cpu].state() != CoreState::Wfe {
            self.sleeper = None;
            return None;
        }
        let news = self.machine.bus.uart.next_change();
        let wake = news.unwrap_or(limit).min(limit);
        if wake <= now {
            self.machine.cores[cpu].set_state(CoreState::Running);
            self.sleeper = None;
            return None;
        }
        Some(wake)
    }

    /// Do what the start block was told. A CPU that is to stop does so in its next WFI, and anyhow after [`STOP_PS`]
    /// (model only: loaders first ask for the stop and then send the CPU to sleep).
    fn start_and_stop(&mut self) {
        let (start, stop) = self.machine.bus.take_requests();
        let now = self.machine.now();
        if start | stop == 0 && self.stopping.iter().all(Option::is_none) {
            return;
        }
        for cpu in 0..self.machine.cores.len() {
            let state = self.machine.cores[cpu].state();
            if stop >> cpu & 1 == 1 {
                self.stopping[cpu] = Some(now.after_picos(STOP_PS));
            }
            if let Some(at) = self.stopping[cpu]
                && (now >= at || matches!(state, CoreState::Wfi | CoreState::Off))
            {
                self.stopping[cpu] = None;
                self.machine.cores[cpu].set_state(CoreState::Off);
                self.machine.bus.set_running(cpu, false, now);
            }
            if start >> cpu & 1 == 1 && state == CoreState::Off {
                let entry = self.machine.bus.pmgr.reset_vector(cpu);
                self.machine.cores[cpu].reset(entry, 2, 0);
                self.machine.bus.set_running(cpu, true, now);
            }
        }
    }
}
