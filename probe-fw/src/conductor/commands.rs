//! Commands: out of the down ring, and what each does.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use protocol::context::{CpuState, DOWN_RING_SIZE};
use protocol::message::{self, Reading};
use protocol::{Command, Message, PROTOCOL_VERSION, Register, SCHEMA_HASH, command, ring};

use super::{BOOT, Context};
use crate::mailbox::{self, Operation, PATIENCE_US};
use crate::platform::{Platform, rest};
use crate::state::Stream;
use crate::{local, worker};

/// How long a worker stays awake while the event stream is tried, in microseconds.
const TRIAL_US: u64 = 200;
/// Wakes that prove it: the fastest useful pace gives about 150 in that time at 24 MHz.
const TRIAL_WAKES: u32 = 10;

impl<P: Platform> Context<'_, '_, P> {
    pub(super) fn has_command(&self) -> bool {
        let control = self.block.control();
        control.down_head.load(Acquire) != control.down_tail.load(Relaxed)
    }

    /// Next command; `Err` with the number of bytes consumed before it if it is no command.
    pub(super) fn next_command(&mut self) -> Option<Result<Command, u64>> {
        let control = self.block.control();
        let head = control.down_head.load(Acquire);
        let start = control.down_tail.load(Relaxed);
        let filled = ring::filled(head, start, DOWN_RING_SIZE)?;
        for i in 0..filled {
            let at = start + i;
            // SAFETY: inside the ring, and below the host's index: the host does not write there now.
            let byte = unsafe {
                self.block
                    .down_ring()
                    .add((at & (DOWN_RING_SIZE - 1)) as usize)
                    .read()
            };
            if let Some(result) = self.me.decoder.push_command(byte) {
                control.down_tail.store(at + 1, Release);
                return Some(result.map_err(|_| start));
            }
        }
        control.down_tail.store(head, Release);
        None
    }

    pub(super) fn handle(&mut self, command: &Command) {
        match command {
            Command::Hello(hello) => self.hello(hello),
            Command::Open => self.open(),
            Command::Cell(cell) => self.begin_cell(cell),
            Command::Read { cpu, register } => {
                let reading = self.read(usize::from(*cpu), *register);
                self.say(&Message::Register {
                    cpu: *cpu,
                    register: *register,
                    reading,
                });
            }
            Command::WriteBack { cpu } => self.write_back(*cpu),
            Command::Ipi(cell) => self.ipi_cell(cell),
            Command::Wfi { cpu, us } => self.wfi(*cpu, *us),
            Command::Storm(cell) => self.storm_cell(cell),
            Command::Fiq(cell) => self.fiq_cell(cell),
            Command::Close => self.close(),
            Command::Leave => self.send_home(),
        }
    }

    fn hello(&mut self, hello: &command::Hello) {
        let works = self.try_event_stream();
        let stream = if works { Stream::Works } else { Stream::Absent };
        self.block.shared().stream.store(stream as u64, Relaxed);
        let counter_step = self.counter_step();
        log!(
            info,
            "event stream {=bool}, counter step {=u32}",
            works,
            counter_step
        );
        self.say(&Message::Hello(message::Hello {
            protocol: PROTOCOL_VERSION,
            schema: SCHEMA_HASH,
            build_id: self.platform.build_id(),
            nonce: hello.nonce,
            counter_hz: self.platform.counter_hz(),
            counter_step,
            event_stream: works,
        }));
    }

    /// Nobody has shown the event stream on these cores, and a WFE that nothing wakes is for ever: so a worker is
    /// asked to answer a little later, and whoever wakes this CPU before that was the stream. Without a worker the
    /// question stays open and everybody polls.
    fn try_event_stream(&mut self) -> bool {
        let Some(cpu) = (1..self.block.cpus()).find(|cpu| self.present(*cpu)) else {
            return false;
        };
        let answer = &self.block.private(cpu).answer.word;
        let before = answer.load(Acquire);
        let Ok(posted) = mailbox::post(self.block, cpu, Operation::Delay, TRIAL_US) else {
            return false;
        };
        let wakes = self.platform.count_wakes(answer, before);
        mailbox::collect(self.block, self.platform, posted).is_ok() && wakes >= TRIAL_WAKES
    }

    /// Smallest step that CNTPCT was seen to make.
    fn counter_step(&self) -> u32 {
        let mut least = u64::MAX;
        let mut last = self.platform.now();
        let until = last + self.platform.ticks(20);
        while last < until {
            let now = self.platform.now();
            if now != last {
                least = least.min(now - last);
                last = now;
            }
        }
        u32::try_from(least).unwrap_or(u32::MAX)
    }

    #[inline(never)]
    pub(super) fn read(&mut self, cpu: usize, register: Register) -> Option<Reading> {
        if !self.present(cpu) {
            return None;
        }
        if cpu == BOOT {
            return Some(local::read(self.platform, register));
        }
        let number = local::REGISTERS.iter().position(|r| *r == register)?;
        mailbox::ask(
            self.block,
            self.platform,
            cpu,
            Operation::Read,
            number as u64,
        )
        .ok()
    }

    /// Sends every worker home and ends the boot CPU's stream.
    fn send_home(&mut self) {
        for cpu in 1..self.block.cpus() {
            if !self.present(cpu) {
                continue;
            }
            let state = &self.block.words(cpu).state;
            if mailbox::ask(self.block, self.platform, cpu, Operation::Leave, 0).is_ok() {
                let until = self.platform.now() + self.platform.ticks(PATIENCE_US);
                rest(self.platform, state, CpuState::Ready as u64, until);
            }
        }
        if !self.me.ended {
            self.me.ended = true;
            worker::end_stream(self.block, BOOT);
        }
    }
}
