//! The virtual timer of a CPU as a source of FIQs.

use core::sync::atomic::Ordering::Acquire;

use crate::platform::{Platform, rest};
use crate::state::Private;

/// How far ahead a timer is armed, in microseconds.
pub const AHEAD_US: u64 = 10;
/// CTL of a timer: on, not masked; the vector masks it when it fires.
const ON: u64 = 1;

/// Arms the virtual timer of this CPU, which nothing else uses, as often as the upper half of `operand` says, each time when the
/// one before was taken or is given up after as many microseconds as the lower half says. How often its FIQ came; the
/// timer's control register is as before.
#[cold]
#[inline(never)]
pub fn timers<P: Platform>(platform: &P, private: &Private, operand: u64) -> u64 {
    let found = platform.set_timer(0, 0);
    let ahead = platform.ticks(AHEAD_US);
    let timeout = platform.ticks(operand & 0xffff_ffff);
    let mut taken = 0;
    for _ in 0..operand >> 32 {
        let before = private.timers.load(Acquire);
        platform.set_timer(ahead, ON);
        let until = platform.now() + ahead + timeout;
        taken += u64::from(rest(platform, &private.timers, before, until) != before);
        platform.set_timer(0, 0);
    }
    platform.set_timer(0, found);
    taken
}
