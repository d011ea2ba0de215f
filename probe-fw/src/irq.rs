//! What a CPU does with an interrupt: claim it, end it, put it on record.

use core::sync::atomic::Ordering::{Relaxed, Release};

use aic_regs::aic::Aic;
use aic_regs::mmio::Mmio;

use crate::state::{Private, RECORDS, STORM, Shared};

/// Events that one exception may bring before the rest waits for the next exception.
const EVENTS_PER_EXCEPTION: usize = 64;

/// Serves one IRQ exception. `now` reads the counter.
///
/// Reading EVENT masks the line that it returns. The line under test is ended (software state dropped, unmasked) and
/// put on record; any other is left masked and counted as spurious, as is an exception without an event.
#[inline]
pub fn serve<M: Mmio>(
    aic: &Aic<M>,
    shared: &Shared,
    private: &Private,
    cpu: u64,
    now: impl Fn() -> u64,
) {
    let mut time = now();
    for i in 0..EVENTS_PER_EXCEPTION {
        let event = aic.event();
        if event.is_none() {
            if i == 0 {
                count(private);
            }
            return;
        }
        match shared.line(aic, event.bits()) {
            Some(line) => {
                aic.sw_clr(&line);
                let index = shared.taken.fetch_add(1, Relaxed);
                if index.wrapping_sub(shared.before.load(Relaxed)) < STORM {
                    aic.unmask(&line);
                }
                let record = &shared.records[index as usize % RECORDS];
                record.cpu.store(cpu, Relaxed);
                record.time.store(time, Relaxed);
                record.valid.store(index + 1, Release);
            }
            None => count(private),
        }
        time = now();
    }
}

#[inline]
fn count(private: &Private) {
    // Only this CPU writes the word, and exceptions do not nest.
    private
        .spurious
        .store(private.spurious.load(Relaxed) + 1, Relaxed);
}
