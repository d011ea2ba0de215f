//! The virtual machine with its loader and link: what happens when bytes go in and come out.

use std::collections::VecDeque;

use core::time::Duration;

use crate::cpu::Time;
use crate::machine::{Machine, Stop};
use crate::model::{CpuModel, FaultModel, LinkKind, ModelError, SocModel};
use crate::soc::SocBus;

use super::frame::{
    CHECKSUM_FINAL, FEATURE_NO_DATA_CHECKSUMS, NO_CHECKSUM, REPLY_LEN, REQUEST_LEN, Receiver,
    Request, SENTINEL, checksum, kind, reply, status,
};
use super::proxy::Outcome;
use super::state::{FAULT_MARK, GuardMode, Loader};
use super::{RunStats, StateSnapshot};

/// Ids of the loader's I/O devices (third party).
const IODEV_UART: u64 = 0;
const IODEV_USB0: u64 = 4;

const PS_PER_SECOND: u64 = 1_000_000_000_000;
const PS_PER_NS: u64 = 1000;

/// What the loader works on after a request, while the machine runs.
#[derive(Debug)]
pub(super) enum Job {
    /// The boot CPU is in a called function.
    Call,
    /// Until a time.
    Delay { until: Time },
    /// Until a secondary has returned.
    Wait { cpu: usize },
}

/// Where the exchange stands.
#[derive(Debug)]
pub(super) enum Phase {
    /// Waiting for a frame.
    Idle,
    /// A request is on its way.
    Arriving { until: Time, request: Request },
    /// The data of a MEMWRITE are awaited.
    Data { request: Request },
    /// They are on their way.
    DataArriving {
        until: Time,
        request: Request,
        data: Vec<u8>,
    },
    /// A PROXY request takes its time.
    Working { opcode: u64, job: Job },
    /// A reply is on its way.
    Leaving { until: Time, bytes: Vec<u8> },
    /// The reply to a MEMREAD is on its way; the data are read when they are sent, after the checksum was taken.
    ReadLeaving {
        until: Time,
        bytes: Vec<u8>,
        address: u64,
        size: u64,
    },
    /// The loader spins for ever.
    Hung,
    /// Nobody is there.
    Silent,
}

/// What a step of the exchange did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// The exchange is one step further.
    Stepped,
    /// Time passed, or could not.
    Waited,
}

/// A virtual SoC whose loader answers on an in-process link.
///
/// The link's clock is the machine's: [`VirtualTarget::recv`] is the only call that lets time pass.
pub struct VirtualTarget {
    pub(super) machine: Machine<SocBus>,
    pub(super) loader: Loader,
    pub(super) phase: Phase,
    pub(super) call_result: Option<u64>,
    pub(super) mpidrs: Vec<u64>,
    /// By logical id.
    pub(super) cpu_models: Vec<CpuModel>,
    /// SIQ_CFG of a CPU that is stopped and started again is as it was.
    pub(super) siq_survives_stop: bool,
    /// Logical ids in the order of the device tree.
    pub(super) tree_order: Vec<usize>,
    pub(super) counter_hz: u64,
    pub(super) chip_id: u64,
    pub(super) faults: FaultModel,
    pub(super) receiver: Receiver,
    pub(super) output: VecDeque<u8>,
    pub(super) replies: u64,
    pub(super) as_found: StateSnapshot,
}

impl VirtualTarget {
    /// Build the machine and bring it to where the loader waits for requests.
    ///
    /// `seed` feeds every random choice of the model: same model, same seed, same requests, same bytes.
    ///
    /// # Errors
    /// A model that [`SocModel::validate`] refuses.
    pub fn from_model(model: &SocModel, seed: u64) -> Result<Self, ModelError> {
        super::boot::power_on(model, seed)
    }

    /// Host to target: hand over bytes. No time passes.
    pub fn send(&mut self, bytes: &[u8]) {
        self.receiver.push(bytes);
    }

    /// Target to host: wait at most `timeout` of virtual time for bytes; returns how many were put into `buf`.
    ///
    /// 0 means that nothing came within the timeout (or `buf` is empty). The machine runs meanwhile.
    pub fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> usize {
        let deadline = self.machine.now() + timeout;
        loop {
            if buf.is_empty() || !self.output.is_empty() {
                break;
            }
            // Answers that are due now come out even with a timeout of zero.
            if self.advance(deadline) == Progress::Waited && self.machine.now() >= deadline {
                break;
            }
        }
        let count = self.output.len().min(buf.len());
        for (to, from) in buf.iter_mut().zip(self.output.drain(..count)) {
            *to = from;
        }
        count
    }

    /// Virtual time since power-on.
    #[must_use]
    pub fn now(&self) -> Duration {
        Duration::from_nanos(self.machine.now().as_picos() / PS_PER_NS)
    }

    /// The machine, for tests that look at state from outside.
    #[must_use]
    pub const fn machine(&self) -> &Machine<SocBus> {
        &self.machine
    }

    /// The machine, for tests that change state from outside.
    pub const fn machine_mut(&mut self) -> &mut Machine<SocBus> {
        &mut self.machine
    }

    /// Counts since power-on.
    #[must_use]
    pub fn stats(&self) -> RunStats {
        RunStats {
            requests: self.loader.requests,
            guarded_exceptions: self.loader.exceptions_total,
            ..RunStats::of(&self.machine)
        }
    }

    /// Whether the loader has ended: it crashed, or was told to restart the machine. Nobody answers any more.
    #[must_use]
    pub const fn is_gone(&self) -> bool {
        matches!(self.phase, Phase::Silent) && !self.link_is_dead()
    }

    /// The state that a run must leave as it found it.
    #[must_use]
    pub fn snapshot(&self) -> StateSnapshot {
        StateSnapshot::take(&self.machine)
    }

    /// The state as the firmware under test finds it: that at power-on, and of every CPU that the loader has brought up since
    /// the one in which it came up. [`VirtualTarget::snapshot`] at the end of a run must not differ from it.
    #[must_use]
    pub fn as_found(&self) -> &StateSnapshot {
        &self.as_found
    }

    /// The loader itself has changed the state of a CPU.
    pub(super) fn found(&mut self, cpu: usize) {
        let siq_cfg = self.as_found.cpus[cpu].siq_cfg;
        let written = self.loader.model.writes_siq_cfg;
        self.as_found.cpus[cpu] = self.snapshot().cpus.swap_remove(cpu);
        self.as_found.cpus[cpu].siq_cfg = written.unwrap_or(siq_cfg);
    }

    /// Let the exchange go on by one step, at most until `deadline`.
    fn advance(&mut self, deadline: Time) -> Progress {
        let answering = matches!(
            self.phase,
            Phase::Leaving { .. } | Phase::ReadLeaving { .. }
        );
        if self.loader.doomed && !answering {
            self.loader.doomed = false;
            self.crash("Unhandled exception, rebooting");
        }
        let phase = std::mem::replace(&mut self.phase, Phase::Idle);
        let next = match phase {
            Phase::Idle => match self.receiver.request() {
                Some(request) => Phase::Arriving {
                    until: self.after_transfer(REQUEST_LEN),
                    request,
                },
                None => return self.pass_time(Phase::Idle, deadline),
            },
            Phase::Arriving { until, request } => {
                if self.machine.now() < until {
                    return self.pass_time(Phase::Arriving { until, request }, until.min(deadline));
                }
                self.begin(request)
            }
            Phase::Data { request } => match self.receiver.take(self.data_length(&request)) {
                Some(data) => Phase::DataArriving {
                    until: self.after_bytes(data.len()),
                    request,
                    data,
                },
                None => return self.pass_time(Phase::Data { request }, deadline),
            },
            Phase::DataArriving {
                until,
                request,
                data,
            } => {
                if self.machine.now() < until {
                    return self.pass_time(
                        Phase::DataArriving {
                            until,
                            request,
                            data,
                        },
                        until.min(deadline),
                    );
                }
                self.memory_write(&request, &data)
            }
            Phase::Working { opcode, job } => match self.finished(&job) {
                Some(retval) => self.answer_proxy(opcode, 0, retval),
                None => {
                    let until = if let Job::Delay { until } = job {
                        until.min(deadline)
                    } else {
                        deadline
                    };
                    return self.pass_time(Phase::Working { opcode, job }, until);
                }
            },
            Phase::Leaving { until, bytes } => {
                if self.machine.now() < until {
                    return self.pass_time(Phase::Leaving { until, bytes }, until.min(deadline));
                }
                self.output.extend(bytes);
                Phase::Idle
            }
            Phase::ReadLeaving {
                until,
                bytes,
                address,
                size,
            } => {
                if self.machine.now() < until {
                    return self.pass_time(
                        Phase::ReadLeaving {
                            until,
                            bytes,
                            address,
                            size,
                        },
                        until.min(deadline),
                    );
                }
                self.output.extend(bytes);
                // The checksum's pass did not fault, so this one does not either.
                let data = self.load_bytes(address, size).unwrap_or_default();
                self.output.extend(data);
                if self.loader.features & FEATURE_NO_DATA_CHECKSUMS != 0 {
                    self.output.extend(SENTINEL.to_le_bytes());
                }
                Phase::Idle
            }
            Phase::Hung => return self.pass_time(Phase::Hung, deadline),
            Phase::Silent => {
                self.receiver.clear();
                return self.pass_time(Phase::Silent, deadline);
            }
        };
        self.phase = next;
        self.flush_console();
        Progress::Stepped
    }

    /// Run the machine until a time or until a call has returned.
    fn pass_time(&mut self, phase: Phase, until: Time) -> Progress {
        self.phase = phase;
        while self.machine.now() < until {
            match self.machine.run(until) {
                Stop::Deadline | Stop::Limit => break,
                Stop::HostCall { cpu, imm } => self.host_call(cpu, imm),
            }
            if let Phase::Working { job, .. } = &self.phase
                && self.finished(job).is_some()
            {
                break;
            }
        }
        self.hardware_requests();
        self.report_consumed();
        if self.machine.bus.watchdog.bites(self.machine.now()) {
            self.crash("Reset by the watchdog");
        }
        self.flush_console();
        Progress::Waited
    }

    fn flush_console(&mut self) {
        let text = std::mem::take(&mut self.loader.console);
        if !self.link_is_dead() {
            self.output.extend(text);
        }
    }

    /// The return value of a job that is done.
    fn finished(&self, job: &Job) -> Option<u64> {
        match job {
            Job::Call => self.call_result,
            Job::Delay { until } => (self.machine.now() >= *until).then_some(0),
            Job::Wait { cpu } => {
                let secondary = &self.loader.secondaries[*cpu];
                (!secondary.busy).then_some(secondary.retval)
            }
        }
    }

    const fn link_is_dead(&self) -> bool {
        self.faults.link_dies_after != 0 && self.loader.requests > self.faults.link_dies_after
    }

    pub(super) const fn link_id(&self) -> u64 {
        match self.loader.model.link {
            LinkKind::Usb => IODEV_USB0,
            LinkKind::Uart => IODEV_UART,
        }
    }

    fn after_bytes(&self, count: usize) -> Time {
        let ps = (count as u64).saturating_mul(PS_PER_SECOND / 1000)
            / (self.loader.model.bytes_per_second / 1000);
        self.machine.now().after_picos(ps)
    }

    /// When bytes that set out now are there: half a request's time and the time of the bytes.
    fn after_transfer(&self, count: usize) -> Time {
        self.after_bytes(count)
            .after_picos(self.loader.model.request_ns * PS_PER_NS / 2)
    }

    /// A whole request is there.
    fn begin(&mut self, request: Request) -> Phase {
        self.loader.requests += 1;
        if self.link_is_dead() {
            return Phase::Silent;
        }
        if self.loader.requests <= self.faults.deaf_requests {
            return Phase::Idle;
        }
        if !request.intact {
            return self.answer(request.kind, status::CHECKSUM, &[]);
        }
        match request.kind {
            kind::NOP => {
                let usb = self.loader.model.link == LinkKind::Usb;
                self.loader.features = if usb {
                    request.word(0) & FEATURE_NO_DATA_CHECKSUMS
                } else {
                    0
                };
                self.answer(kind::NOP, status::OK, &[self.loader.features])
            }
            kind::PROXY => self.proxy_request(&request),
            kind::MEMREAD => self.memory_read(&request),
            kind::MEMWRITE => self.memory_write_begin(request),
            other => self.answer(other, status::BAD_COMMAND, &[]),
        }
    }

    fn proxy_request(&mut self, request: &Request) -> Phase {
        let opcode = request.word(0);
        let mut args = [0; 6];
        for (n, arg) in args.iter_mut().enumerate() {
            *arg = request.word(n + 1);
        }
        // Whatever guard a request works under, at its end the one from before is back, or the one it set.
        self.loader.guard_after = self.loader.guard;
        match self.proxy(opcode, &args) {
            Outcome::Done(retval) => self.answer_proxy(opcode, 0, retval),
            Outcome::Unknown => self.answer_proxy(opcode, u64::MAX, 0),
            Outcome::Job(job) => Phase::Working { opcode, job },
            Outcome::Hang => Phase::Hung,
            Outcome::Reboot => {
                self.crash("Rebooting");
                Phase::Silent
            }
        }
    }

    /// Data checksum as the negotiated features have it.
    fn data_checksum(&self, data: &[u8]) -> u32 {
        if self.loader.features & FEATURE_NO_DATA_CHECKSUMS != 0 {
            NO_CHECKSUM
        } else {
            checksum(data)
        }
    }

    /// A MEMREAD or MEMWRITE forgets the guard and the count, except in models that say otherwise.
    fn raw_request(&mut self) {
        if self.loader.model.keeps_guard {
            return;
        }
        self.loader.guard = GuardMode::OFF;
        self.loader.exceptions = 0;
    }

    fn memory_read(&mut self, request: &Request) -> Phase {
        let (address, size) = (request.word(0), request.word(1));
        if size == 0 {
            return self.answer(kind::MEMREAD, status::OK, &[]);
        }
        self.raw_request();
        let Ok(data) = self.load_bytes(address, size) else {
            self.guarded_fault("memory read", address);
            // The checksum function returned with the mark, to which its caller does the last step.
            let sum = (FAULT_MARK as u32) ^ CHECKSUM_FINAL;
            return self.answer(kind::MEMREAD, status::TRANSFER, &[sum.into()]);
        };
        let bytes = self.frame(
            kind::MEMREAD,
            status::OK,
            &[self.data_checksum(&data).into()],
        );
        let until = self.after_transfer(REPLY_LEN + data.len());
        Phase::ReadLeaving {
            until,
            bytes,
            address,
            size,
        }
    }

    /// Bytes that follow a MEMWRITE request.
    fn data_length(&self, request: &Request) -> usize {
        let sentinel = if self.loader.features & FEATURE_NO_DATA_CHECKSUMS != 0 {
            4
        } else {
            0
        };
        usize::try_from(request.word(1))
            .unwrap_or(usize::MAX)
            .saturating_add(sentinel)
    }

    /// First the loader writes 0 to the first and the last byte, to see whether they fault.
    fn memory_write_begin(&mut self, request: Request) -> Phase {
        let (address, size) = (request.word(0), request.word(1));
        self.raw_request();
        let before = self.loader.exceptions;
        let ends = [address, address.wrapping_add(size.wrapping_sub(1))];
        for at in ends.into_iter().take(if size == 0 { 0 } else { 2 }) {
            if self.store(at, 1, 0).is_err() {
                self.guarded_fault("memory write", at);
            }
        }
        if self.loader.exceptions != before {
            return self.answer(kind::MEMWRITE, status::TRANSFER, &[]);
        }
        Phase::Data { request }
    }

    fn memory_write(&mut self, request: &Request, data: &[u8]) -> Phase {
        let size = request.word(1) as usize;
        let (data, sentinel) = data.split_at(size.min(data.len()));
        let stored = self.store_bytes(request.word(0), data).is_ok();
        let sum = self.data_checksum(data);
        let intact = sum == request.word(2) as u32
            && (sentinel.is_empty() || sentinel == SENTINEL.to_le_bytes());
        let verdict = if stored && intact {
            status::OK
        } else {
            status::TRANSFER
        };
        self.answer(kind::MEMWRITE, verdict, &[sum.into()])
    }

    fn frame(&mut self, kind: u8, status: i32, data: &[u64]) -> Vec<u8> {
        let mut bytes = reply(kind, status, data);
        self.replies += 1;
        if self.faults.corrupt_reply_every != 0
            && self.replies.is_multiple_of(self.faults.corrupt_reply_every)
        {
            bytes[REPLY_LEN - 1] ^= 0x55;
        }
        bytes
    }

    fn answer_proxy(&mut self, opcode: u64, outcome: u64, retval: u64) -> Phase {
        self.loader.guard = self.loader.guard_after;
        self.answer(kind::PROXY, status::OK, &[opcode, outcome, retval])
    }

    fn answer(&mut self, kind: u8, status: i32, data: &[u64]) -> Phase {
        let bytes = self.frame(kind, status, data);
        Phase::Leaving {
            until: self.after_transfer(REPLY_LEN),
            bytes,
        }
    }
}
