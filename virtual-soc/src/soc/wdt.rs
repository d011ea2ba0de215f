//! The watchdog, as far as loaders use it to restart the machine.
//!
//! Third party (loader sources): +0x10 count, +0x14 alarm, +0x1c control; a loader restarts the machine with alarm 0x100000, count 0,
//! control 4, and switches the watchdog off with control 0. That the count goes at the rate of the system counter and that bit 2 of the
//! control is what resets is inference. Other registers and the second watchdog of later SoCs keep what is written and do nothing.

use std::collections::BTreeMap;

use crate::cpu::Time;

const COUNT: u32 = 0x10;
const ALARM: u32 = 0x14;
const CONTROL: u32 = 0x1c;
/// Control: the machine is reset when the count reaches the alarm.
const RESETS: u32 = 1 << 2;
const PS_PER_SECOND: u128 = 1_000_000_000_000;

/// The device.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watchdog {
    base: Option<u64>,
    hz: u64,
    alarm: u32,
    control: u32,
    /// When the count was 0.
    zero: Time,
    others: BTreeMap<u32, u32>,
}

impl Watchdog {
    /// Bytes of its window.
    pub(crate) const SIZE: u64 = 0x4000;

    pub(crate) fn new(base: Option<u64>, hz: u64) -> Self {
        Self {
            base,
            hz: hz.max(1),
            ..Self::default()
        }
    }

    /// Offset of an address in the window.
    pub(crate) fn offset(&self, pa: u64) -> Option<u32> {
        let offset = pa.wrapping_sub(self.base?);
        (offset < Self::SIZE).then_some(offset as u32)
    }

    pub(crate) fn read(&self, offset: u32, now: Time) -> u32 {
        match offset {
            COUNT => self.count(now) as u32,
            ALARM => self.alarm,
            CONTROL => self.control,
            _ => self.others.get(&offset).copied().unwrap_or(0),
        }
    }

    pub(crate) fn write(&mut self, offset: u32, value: u32, now: Time) {
        match offset {
            COUNT => {
                let ago = u128::from(value) * PS_PER_SECOND / u128::from(self.hz);
                self.zero = Time(now.as_picos().saturating_sub(ago as u64));
            }
            ALARM => self.alarm = value,
            CONTROL => self.control = value,
            _ => {
                self.others.insert(offset, value);
            }
        }
    }

    fn count(&self, now: Time) -> u128 {
        let passed = now.as_picos().saturating_sub(self.zero.as_picos());
        u128::from(passed) * u128::from(self.hz) / PS_PER_SECOND
    }

    /// Whether the machine is to be reset at `now`.
    pub(crate) fn bites(&self, now: Time) -> bool {
        self.control & RESETS != 0 && self.count(now) >= self.alarm.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_comes_after_the_alarm_and_only_if_it_was_asked_for() {
        let at = |ticks: u64| Time(ticks * 1_000_000);
        let mut wdt = Watchdog::new(Some(0x1000), 1_000_000);
        assert_eq!(wdt.offset(0x101c), Some(CONTROL));
        assert_eq!(wdt.offset(0xfff), None);
        // As it is at power-on: the alarm has passed, nobody asked for a reset.
        assert!(!wdt.bites(at(5)));
        wdt.write(ALARM, 100, at(7));
        wdt.write(COUNT, 0, at(7));
        wdt.write(CONTROL, 4, at(7));
        assert_eq!(wdt.read(COUNT, at(27)), 20);
        assert!(!wdt.bites(at(106)));
        assert!(wdt.bites(at(107)));
        wdt.write(CONTROL, 0, at(107));
        assert!(!wdt.bites(at(900)));
    }
}
