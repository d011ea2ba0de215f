//! The system counter, the generic timers' conditions and the event stream.

use super::bus::Time;
use super::core::Core;
use super::sysreg::R;

/// Picoseconds in a second.
const PS: u64 = 1_000_000_000_000;

/// How the machine's clock becomes CNTPCT.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Ticks per `den` picoseconds, in lowest terms.
    num: u64,
    den: u64,
    step: u64,
    pub hz: u64,
}

impl Clock {
    /// `hz` ticks per second, visible in steps of `step` ticks (0 counts as 1).
    pub fn new(hz: u64, step: u64) -> Self {
        let hz = hz.max(1);
        let g = gcd(hz, PS);
        Clock {
            num: hz / g,
            den: PS / g,
            step: step.max(1),
            hz,
        }
    }

    /// CNTPCT at `now`.
    pub fn count(&self, now: Time) -> u64 {
        let ticks = match now.0.checked_mul(self.num) {
            Some(p) => p / self.den,
            None => (u128::from(now.0) * u128::from(self.num) / u128::from(self.den)) as u64,
        };
        if self.step == 1 {
            ticks
        } else {
            ticks - ticks % self.step
        }
    }

    /// When CNTPCT first shows `count` or more; `None` if beyond the clock's range.
    pub fn reaches(&self, count: u64) -> Option<Time> {
        let count = u128::from(count).div_ceil(u128::from(self.step)) * u128::from(self.step);
        let ps = (count * u128::from(self.den)).div_ceil(u128::from(self.num));
        u64::try_from(ps)
            .ok()
            .filter(|&ps| ps != u64::MAX)
            .map(Time)
    }
}

const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// CNTx_CTL bits.
pub(crate) const ENABLE: u64 = 1;
pub(crate) const IMASK: u64 = 2;
pub(crate) const ISTATUS: u64 = 4;

/// The four timers: control, compare value; in the order of [`super::Bus::timer_fiq_gate`]'s bits.
const TIMERS: [(R, R); 4] = [
    (R::CntpCtlEl0, R::CntpCvalEl0),
    (R::CntvCtlEl0, R::CntvCvalEl0),
    (R::CnthpCtlEl2, R::CnthpCvalEl2),
    (R::CnthvCtlEl2, R::CnthvCvalEl2),
];

impl Core {
    /// What the counter of the timer with control register `ctl` is offset by: only CNTV's has an offset.
    pub(crate) fn timer_offset(&self, ctl: R) -> u64 {
        if ctl == R::CntvCtlEl0 {
            self.reg(R::CntvoffEl2)
        } else {
            0
        }
    }

    /// True if the timer's condition is met at count `count`.
    pub(crate) fn timer_met(&self, ctl: R, count: u64) -> bool {
        let cval = TIMERS
            .iter()
            .find(|t| t.0 == ctl)
            .map_or(0, |t| self.reg(t.1));
        count.wrapping_sub(self.timer_offset(ctl)) >= cval
    }

    /// Re-evaluates the timers at `now`: their FIQ level, and when it will next rise.
    pub(crate) fn update_timers(&mut self, clock: &Clock, now: Time, gate: u8) {
        self.timers_changed = false;
        let (mut fiq, mut due) = (false, Time::MAX);
        let mut count = None;
        for (i, &(ctl, cval)) in TIMERS.iter().enumerate() {
            if self.reg(ctl) & (ENABLE | IMASK) != ENABLE || gate >> i & 1 == 0 {
                continue;
            }
            let count = *count.get_or_insert_with(|| clock.count(now));
            if self.timer_met(ctl, count) {
                fiq = true;
                continue;
            }
            let target = self.reg(cval).wrapping_add(self.timer_offset(ctl));
            if target > count
                && let Some(t) = clock.reaches(target)
            {
                due = due.min(t);
            }
        }
        self.timer_fiq = fiq;
        self.timer_due = due;
    }

    /// CNTHCTL_EL2's or CNTKCTL_EL1's event stream that is on, as (period bit, rising).
    ///
    /// Under VHE an EL2 host enables the stream in CNTHCTL_EL2, a guest in CNTKCTL_EL1 (that one counts CNTVCT).
    fn streams(&self) -> impl Iterator<Item = (u32, bool, u64)> {
        let regs = [(R::CnthctlEl2, 0), (R::CntkctlEl1, self.reg(R::CntvoffEl2))];
        let on = self.cfg.has_event_stream;
        let values = regs.map(|(r, off)| (self.reg(r), off));
        values
            .into_iter()
            .filter(move |(v, _)| on && v & 4 != 0)
            .map(|(v, off)| ((v >> 4 & 15) as u32, v & 8 == 0, off))
    }

    /// True if an event stream has triggered since the last call that said so, or since it was set up.
    pub(crate) fn stream_fired(&mut self, clock: &Clock, now: Time) -> bool {
        let count = clock.count(now);
        let since = std::mem::replace(&mut self.stream_seen, count);
        self.streams().any(|(bit, rising, off)| {
            next_edge(since.wrapping_sub(off), bit, rising) <= count.wrapping_sub(off)
        })
    }

    /// When an event stream triggers next.
    pub(crate) fn stream_due(&self, clock: &Clock) -> Option<Time> {
        self.streams()
            .filter_map(|(bit, rising, off)| {
                let edge = next_edge(self.stream_seen.wrapping_sub(off), bit, rising);
                clock.reaches(edge.wrapping_add(off))
            })
            .min()
    }
}

/// The first count above `from` at which `bit` of the counter rises (or falls).
fn next_edge(from: u64, bit: u32, rising: bool) -> u64 {
    let period = 2u64 << bit;
    let phase = if rising { period / 2 } else { 0 };
    let base = from.wrapping_sub(phase) / period * period;
    let edge = base.wrapping_add(phase);
    // `base` is the last edge at or before `from`, or wrapped when `from` is below the first one.
    if from < phase {
        phase
    } else {
        edge.saturating_add(period)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_and_reaches_agree() {
        for (hz, step) in [
            (24_000_000, 1),
            (1_000_000_000, 1),
            (1_000_000_000, 42),
            (19_200_000, 3),
        ] {
            let c = Clock::new(hz, step);
            for want in [1u64, 5, 41, 42, 43, 1000, 123_456_789, 1 << 40] {
                let Some(t) = c.reaches(want) else {
                    panic!("{want} is within range")
                };
                assert!(c.count(t) >= want);
                assert!(c.count(Time(t.0 - 1)) < want);
                assert_eq!(c.count(t) % step, 0);
            }
        }
    }

    #[test]
    fn count_survives_long_runs() {
        let c = Clock::new(24_000_000, 1);
        assert_eq!(c.count(Time(PS * 10_000_000)), 240_000_000_000_000);
    }

    #[test]
    fn edges() {
        // Bit 3 rises at 8, 24, 40 and falls at 16, 32.
        assert_eq!(next_edge(0, 3, true), 8);
        assert_eq!(next_edge(7, 3, true), 8);
        assert_eq!(next_edge(8, 3, true), 24);
        assert_eq!(next_edge(24, 3, true), 40);
        assert_eq!(next_edge(0, 3, false), 16);
        assert_eq!(next_edge(16, 3, false), 32);
        assert_eq!(next_edge(5, 0, true), 7);
    }
}
