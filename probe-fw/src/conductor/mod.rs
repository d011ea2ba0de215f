//! The boot CPU's part: take commands, run cells in bounded slices, report.

mod cell;
mod commands;
mod crew;
mod events;
mod fiq;
mod handed;
mod histogram;
mod ipi;
mod keep;
mod special;
mod storm;
mod trigger;

use core::sync::atomic::Ordering::{Relaxed, Release};

use protocol::context::SliceStatus;
use protocol::frame::Decoder;
use protocol::{MAX_CPUS, Message};

use crate::block::Block;
use crate::platform::Platform;
use crate::up_ring;
use cell::Running;
use events::Events;
use histogram::Histogram;
use keep::Kept;

/// The boot CPU's logical id.
pub const BOOT: usize = 0;
/// Room that the up ring must have before anything is begun, in bytes: the few longest messages that it can bring.
const ROOM: u64 = 0x2000;

/// What the conductor remembers between slices. It lives in the block, for the boot CPU alone.
pub struct Conductor {
    decoder: Decoder,
    kept: Kept,
    open: bool,
    running: Option<Running>,
    /// First and second latencies of the running cell.
    histograms: [Histogram; 2],
    /// Its events.
    events: Events,
    /// Records looked at so far.
    consumed: u64,
    /// What SIQ_CFG of each CPU reads now, where it is known.
    siq_now: [Option<u64>; MAX_CPUS],
    /// What SIQ_CFG of the boot CPU should read during a slice.
    siq_boot: Option<u64>,
    ended: bool,
    /// Workers that wait at EL1, one bit each.
    at_el1: u32,
    /// The boot CPU faulted: cells are refused from then on.
    broken: bool,
}

impl Conductor {
    /// A conductor before its first slice.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            decoder: Decoder::new(),
            kept: Kept::new(),
            open: false,
            running: None,
            histograms: [const { Histogram::new() }; 2],
            events: Events::new(),
            consumed: 0,
            siq_now: [None; MAX_CPUS],
            siq_boot: None,
            ended: false,
            at_el1: 0,
            broken: false,
        }
    }

    /// Runs commands and triggers for about `us` microseconds. A trigger that has begun is finished, so that the
    /// slice ends clean: no window open, nothing of ours pending, the lines of cells masked, this CPU's SIQ_CFG and
    /// the controller's words as found.
    pub fn slice<P: Platform>(&mut self, block: Block<'_>, platform: &P, us: u64) -> SliceStatus {
        let mut ctx = Context {
            me: self,
            block,
            platform,
        };
        let until = platform.now() + platform.ticks(us);
        ctx.enter();
        let status = ctx.work(until);
        ctx.leave();
        status
    }
}

impl Conductor {
    /// After a fault of the boot CPU in the middle of anything: the line under test is silenced, this CPU and the
    /// controller are left as at the end of any slice, and no cell runs any more.
    pub fn after_fault<P: Platform>(&mut self, block: Block<'_>, platform: &P) {
        self.broken = true;
        self.running = None;
        let shared = block.shared();
        let aic = platform.aic();
        let first = shared.line(aic, shared.active.load(Relaxed) as u32);
        let second = shared.second_line(aic, shared.second.load(Relaxed) as u32);
        for line in [first, second].into_iter().flatten() {
            aic.mask(&line);
            aic.sw_clr(&line);
        }
        shared.active.store(0, Relaxed);
        shared.second.store(0, Relaxed);
        let mut ctx = Context {
            me: self,
            block,
            platform,
        };
        ctx.leave();
    }
}

impl Default for Conductor {
    fn default() -> Self {
        Self::new()
    }
}

/// A conductor at work.
struct Context<'c, 'm, P> {
    me: &'c mut Conductor,
    block: Block<'m>,
    platform: &'c P,
}

impl<P: Platform> Context<'_, '_, P> {
    fn work(&mut self, until: u64) -> SliceStatus {
        loop {
            if up_ring::room(self.block, BOOT) < ROOM && !self.me.ended {
                return SliceStatus::NeedDrain;
            }
            if self.me.running.is_some() {
                if self.run_cell(until) {
                    continue;
                }
                return if up_ring::room(self.block, BOOT) < ROOM {
                    SliceStatus::NeedDrain
                } else {
                    SliceStatus::Busy
                };
            }
            match self.next_command() {
                None => return SliceStatus::Idle,
                Some(Ok(command)) => self.handle(&command),
                Some(Err(at)) => self.say(&Message::BadCommand { at }),
            }
            if self.platform.now() >= until {
                return if self.me.running.is_some() || self.has_command() {
                    SliceStatus::Busy
                } else {
                    SliceStatus::Idle
                };
            }
        }
    }

    fn say(&self, message: &Message) {
        up_ring::push(self.block, BOOT, message);
    }

    /// CPUs that answer: the boot CPU and every worker that is ready.
    #[inline(never)]
    fn present(&self, cpu: usize) -> bool {
        use protocol::context::CpuState;
        cpu < self.block.cpus()
            && (cpu == BOOT || self.block.words(cpu).state.load(Relaxed) == CpuState::Ready as u64)
    }
}

/// Leaves what the host reads between slices.
#[inline(never)]
pub fn publish<P: Platform>(block: Block<'_>, platform: &P, status: SliceStatus) {
    let (published, control) = (block.published(), block.control());
    published.status.store(status as u64, Relaxed);
    published
        .down_tail
        .store(control.down_tail.load(Relaxed), Relaxed);
    published.counter.store(platform.now(), Relaxed);
    for cpu in 0..block.cpus() {
        let words = block.words(cpu);
        published.up_heads[cpu].store(words.up_head.load(Relaxed), Relaxed);
        published.states[cpu].store(words.state.load(Relaxed), Relaxed);
    }
    published.slice.store(control.slices.load(Relaxed), Release);
}
