//! The loop of every CPU but the boot CPU: wait for the mailbox, serve it, go home when told or forgotten.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use embedded_hal::delay::DelayNs;
use protocol::Message;
use protocol::context::CpuState;
use protocol::message::Reading;

use crate::block::Block;
use crate::delay::CounterDelay;
use crate::mailbox::Operation;
use crate::platform::Platform;
use crate::up_ring;
use crate::{fiq, handover, ipi, load, local, storm};

/// How long a worker sleeps at most before it looks whether it was forgotten, in microseconds.
const HEARTBEAT_US: u64 = 100_000;

/// Serves the mailbox of `cpu` until told to leave, or until no slice has begun for the time in the control word.
/// Returns the state that this CPU leaves behind; its SIQ_CFG is as found by then.
pub fn run<P: Platform>(block: Block<'_>, platform: &P, cpu: usize) -> CpuState {
    let private = block.private(cpu);
    let control = block.control();
    // Read the mailbox before saying Ready: what is posted afterwards is news.
    let mut seen = private.request.word.load(Acquire);
    private.answer.word.store(seen, Relaxed);
    let info = local::introduce(platform, cpu, private);
    up_ring::push(block, cpu, &Message::Cpu(info));
    block
        .words(cpu)
        .state
        .store(CpuState::Ready as u64, Release);
    log!(
        debug,
        "cpu {=usize} ready, mpidr {=u64:#x}",
        cpu,
        info.mpidr
    );

    let patience = platform.ticks(control.worker_timeout_ms.load(Relaxed).saturating_mul(1000));
    let heartbeat = platform.ticks(HEARTBEAT_US).min(patience.max(1));
    let mut slices = control.slices.load(Relaxed);
    let mut last_slice = platform.now();
    let state = loop {
        let (request, until) = (&private.request.word, platform.now() + heartbeat);
        let word = if private.standing.load(Relaxed) != 0 {
            if handover::stand(block, platform, cpu, until) {
                continue;
            }
            seen
        } else if private.level.load(Relaxed) == 1 {
            platform.wait_at_el1(request, seen, until)
        } else {
            load::wait(block, platform, cpu, request, seen, until)
        };
        if word != seen {
            seen = word;
            if serve(block, platform, cpu, word) {
                break CpuState::Leaving;
            }
            continue;
        }
        let now = platform.now();
        let begun = control.slices.load(Relaxed);
        if begun != slices {
            (slices, last_slice) = (begun, now);
        } else if now.wrapping_sub(last_slice) >= patience {
            break CpuState::TimedOut;
        }
    };
    // Of a storm whose conductor is gone.
    storm::serve(block, platform, cpu, storm::Step::Close as u64);
    let _ = local::restore_siq_cfg(platform, private);
    end_stream(block, cpu);
    state
}

/// The last message of a stream, with its totals.
pub fn end_stream(block: Block<'_>, cpu: usize) {
    let private = block.private(cpu);
    let end = Message::End {
        packets: private.packets.load(Relaxed) as u32 + 1,
        dropped: private.dropped.load(Relaxed) as u32,
    };
    up_ring::push(block, cpu, &end);
}

/// Carries out one request; true if it was the last.
pub fn serve<P: Platform>(block: Block<'_>, platform: &P, cpu: usize, word: u64) -> bool {
    let private = block.private(cpu);
    let operand = private.request.operand.load(Relaxed);
    let reading = match Operation::from_word(word) {
        Some(Operation::Fire) => Reading::Value(local::fire(platform, block.shared())),
        Some(Operation::Mask) => {
            platform.irqs(false);
            Reading::Value(0)
        }
        Some(Operation::Sample) => Reading::Value(u64::from(local::irq_offered(platform))),
        Some(Operation::Unmask) => {
            let now = platform.now();
            platform.irqs(true);
            Reading::Value(now)
        }
        Some(Operation::SetSiqCfg) => local::set_siq_cfg(platform, operand),
        Some(Operation::Read) => match local::REGISTERS.get(operand as usize) {
            Some(register) => local::read(platform, *register),
            None => Reading::Value(0),
        },
        Some(Operation::Delay) => {
            CounterDelay(platform).delay_us(operand as u32);
            Reading::Value(0)
        }
        Some(Operation::TakeEvent) => {
            Reading::Value(local::take_event(platform, block.shared(), operand != 0))
        }
        Some(Operation::Level) => {
            private.level.store(operand, Relaxed);
            Reading::Value(0)
        }
        Some(Operation::SendIpi) => ipi::send(platform, operand),
        Some(Operation::IpiMode) => {
            ipi::set_mode(platform, private, operand);
            Reading::Value(0)
        }
        Some(Operation::Wfi) => Reading::Value(platform.wfi(operand).to_word()),
        Some(Operation::WriteBack) => local::write_back(platform),
        Some(Operation::Load) => {
            private.load.store(operand, Relaxed);
            Reading::Value(0)
        }
        Some(Operation::Stand) => {
            handover::take_stand(block, cpu, operand);
            Reading::Value(0)
        }
        Some(Operation::Rewrite) => {
            Reading::Value(local::fire_rewritten(platform, block.shared(), operand))
        }
        Some(Operation::Storm) => storm::serve(block, platform, cpu, operand),
        Some(Operation::Timers) => Reading::Value(fiq::timers(platform, private, operand)),
        Some(Operation::Leave) | None => Reading::Value(0),
    };
    let (value, trap) = match reading {
        Reading::Value(value) => (value, 0),
        Reading::Trapped(esr) => (0, 1 << 63 | esr),
    };
    let answer = &private.answer;
    answer.value.store(value, Relaxed);
    answer.trap.store(trap, Relaxed);
    answer.word.store(word, Release);
    word as u8 == Operation::Leave as u8
}
