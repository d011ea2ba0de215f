//! What a CPU does with an interrupt: claim it, end it, put it on record.

use core::sync::atomic::Ordering::{Relaxed, Release};

use aic_regs::aic::{Aic, LineHandle};
use aic_regs::mmio::Mmio;

use crate::state::{Ended, HANDED, Private, RECORDS, STORM, Shared, TIMED};
use crate::storm;

/// Events that one exception may bring before the rest waits for the next exception.
const EVENTS_PER_EXCEPTION: usize = 64;

/// Serves one IRQ exception. `now` reads the counter.
///
/// Reading EVENT masks the line that it returns. The line under test is ended (software state dropped, unmasked) and
/// put on record; any other is left masked and counted as spurious, as is an exception without an event. `finish` does what few
/// cells want done at the end ([`crate::handover::finish`]): how the line is ended, the time of entry, the time of the end.
#[inline]
pub fn serve<M: Mmio>(
    aic: &Aic<M>,
    shared: &Shared,
    private: &Private,
    cpu: u64,
    now: impl Fn() -> u64,
    finish: impl Fn(u64, u64) -> u64,
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
        match shared.line_and_ending(aic, event.bits()) {
            Some((line, ending)) => {
                let normal = ending & Ended::MASK == Ended::Normal as u64;
                if normal {
                    aic.sw_clr(&line);
                } else {
                    end_specially(aic, shared, &line, ending);
                }
                let index = shared.taken.fetch_add(1, Relaxed);
                if normal && index.wrapping_sub(shared.before.load(Relaxed)) < STORM {
                    aic.unmask(&line);
                }
                let record = &shared.records[index as usize % RECORDS];
                record.cpu.store(cpu, Relaxed);
                record.time.store(time, Relaxed);
                if ending & (TIMED | HANDED) != 0 {
                    record.end.store(finish(ending, time), Relaxed);
                }
                record.valid.store(index + 1, Release);
            }
            None if end_second(aic, shared, event.bits())
                || storm::take_event(aic, shared, private, event.bits()) => {}
            None => count(private),
        }
        time = now();
    }
}

/// Looks for the event of the second line before its turn is given up.
const SECOND_LOOKS: usize = 32;

#[cold]
fn end_specially<M: Mmio>(aic: &Aic<M>, shared: &Shared, line: &LineHandle, ending: u64) {
    if ending & Ended::MASK == Ended::Disabled as u64 {
        aic.mask(line);
        aic.sw_clr(line);
        return;
    }
    let second = shared.second.load(Relaxed) as u32;
    let second = shared.second_line(aic, second);
    if let Some(second) = &second {
        aic.sw_set(second);
    }
    // It may go to another CPU, which then ends it by itself.
    let came = second
        .is_some_and(|second| (0..SECOND_LOOKS).any(|_| aic.event().bits() == second.hwirq()));
    aic.sw_clr(line);
    aic.unmask(line);
    if let (true, Some(second)) = (came, &second) {
        aic.sw_clr(second);
        aic.unmask(second);
    }
}

/// Ends the second line of a cell; whether it was that.
#[cold]
fn end_second<M: Mmio>(aic: &Aic<M>, shared: &Shared, event: u32) -> bool {
    let Some(line) = shared.second_line(aic, event) else {
        return false;
    };
    aic.sw_clr(&line);
    aic.unmask(&line);
    true
}

#[inline]
fn count(private: &Private) {
    // Only this CPU writes the word, and exceptions do not nest.
    private
        .spurious
        .store(private.spurious.load(Relaxed) + 1, Relaxed);
}
