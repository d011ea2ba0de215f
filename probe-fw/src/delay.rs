//! Delays over the counter, as `embedded-hal` wants them.

use embedded_hal::delay::DelayNs;

use crate::platform::Platform;

/// Busy waiting on CNTPCT: exact to a tick, never asleep, for where being awake is the point.
pub struct CounterDelay<'p, P>(pub &'p P);

impl<P: Platform> DelayNs for CounterDelay<'_, P> {
    fn delay_ns(&mut self, ns: u32) {
        let ticks = (u64::from(ns) * self.0.counter_hz()).div_ceil(1_000_000_000);
        let start = self.0.now();
        while self.0.now().wrapping_sub(start) < ticks {
            core::hint::spin_loop();
        }
    }
}
