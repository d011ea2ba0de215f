//! S5L UART: a transmit FIFO and a receive queue, each byte taking its time on the wire.
//!
//! Offsets, status bits and the bits that enable interrupts are third party (loader sources, and what Linux' driver does with them); the
//! FIFO's depth is that of its four-bit count. UBRDIV is stored and changes nothing: the byte rate is the model's.
//!
//! Three interrupts share one line, which is high while any of them is pending and enabled: enough received, received and waiting for long, and
//! nothing left to send. Each becomes pending at the moment that this happens, if it is enabled then (third party: a driver's
//! remark that the transmit interrupt is missed where it is enabled later), and stays so until a 1 is written to its bit of UTRSTAT. Thresholds and
//! the time that counts as long are model only.

use std::collections::VecDeque;

use crate::cpu::Time;

const UCON: u32 = 0x04;
const UTRSTAT: u32 = 0x10;
const UFSTAT: u32 = 0x18;
const UTXH: u32 = 0x20;
const URXH: u32 = 0x24;
/// Registers kept as plain storage: ULCON, UCON, UFCON, UBRDIV, UFRACVAL.
const STORED: [u32; 5] = [0x00, 0x04, 0x08, 0x28, 0x2c];

const STATUS_TX_EMPTY: u32 = 1 << 2;
const STATUS_TX_BUFFER_EMPTY: u32 = 1 << 1;
const STATUS_RX_DATA: u32 = 1 << 0;
/// Pending interrupts, in UTRSTAT.
const RX_TIMEOUT: u32 = 1 << 9;
const TX_THRESHOLD: u32 = 1 << 5;
const RX_THRESHOLD: u32 = 1 << 4;
/// UCON: what enables them, and the modes that have interrupts at all.
const ENABLE_TX_THRESHOLD: u32 = 1 << 13;
const ENABLE_RX_THRESHOLD: u32 = 1 << 12;
const ENABLE_RX_TIMEOUT: u32 = 1 << 9;
const TX_MODE: u32 = 3 << 2;
const TX_BY_INTERRUPT: u32 = 1 << 2;
const RX_MODE: u32 = 3;
const RX_BY_INTERRUPT: u32 = 1;
/// Received bytes that are enough (model only).
const ENOUGH: usize = 8;
/// Times of a byte that are long (model only).
const LONG_BYTES: u64 = 4;
const FIFO_DEPTH: usize = 16;
const FIFO_COUNT_MAX: usize = 15;

/// The port.
#[derive(Debug, Clone, Default)]
pub struct Uart {
    stored: [u32; 5],
    /// Picoseconds a byte takes; 0 = none.
    byte_ps: u64,
    /// What left the port, by the time its last bit was sent.
    output: VecDeque<(Time, u8)>,
    tx_busy_until: Time,
    input: VecDeque<(Time, u8)>,
    last_arrival: Time,
    /// Status reads in a row by one CPU that gave the same answer, with no other access to a device between them.
    same_polls: u32,
    last_status: u32,
    last_poll: Time,
    poller: usize,
    /// Interrupts that are pending, as bits of UTRSTAT.
    pending: u32,
    /// Something is being sent whose end has not been looked at.
    draining: bool,
    /// Until when arrivals have been looked at.
    looked: Time,
    /// What has arrived is to become old.
    ageing: bool,
}

impl Uart {
    /// Set how fast bytes go; 0 = at once.
    pub fn set_byte_rate(&mut self, bytes_per_second: u64) {
        self.byte_ps = 1_000_000_000_000_u64
            .checked_div(bytes_per_second)
            .unwrap_or(0);
    }

    /// Hand bytes to the line; they arrive one after the other from `now` on.
    pub fn push_input(&mut self, bytes: &[u8], now: Time) {
        self.last_arrival = self.last_arrival.max(now);
        for byte in bytes {
            self.last_arrival = self.last_arrival.after_picos(self.byte_ps);
            self.input.push_back((self.last_arrival, *byte));
        }
    }

    /// The next byte that was sent and has reached the host by `now`.
    pub fn take_output(&mut self, now: Time) -> Option<u8> {
        let (at, byte) = *self.output.front()?;
        if at > now {
            return None;
        }
        self.output.pop_front();
        Some(byte)
    }

    /// When the first byte that nobody has taken reaches the host.
    #[must_use]
    pub fn output_due(&self) -> Option<Time> {
        self.output.front().map(|(at, _)| *at)
    }

    /// Bytes that the guest has not read yet, whether they have arrived or not.
    #[must_use]
    pub fn unread(&self) -> usize {
        self.input.len()
    }

    /// The CPU that looks at the status and sees no change, if it has looked that often.
    pub(crate) fn idle_poller(&self, polls: u32) -> Option<usize> {
        (self.same_polls >= polls).then_some(self.poller)
    }

    /// A CPU did something else than look at the status.
    pub(crate) const fn not_idle(&mut self, cpu: usize) {
        if cpu == self.poller {
            self.same_polls = 0;
        }
    }

    /// When the status changes next by itself, or has changed, since somebody last looked.
    pub(crate) fn next_change(&self) -> Option<Time> {
        let full = self.byte_ps.saturating_mul(FIFO_DEPTH as u64 - 1);
        let room = Time(self.tx_busy_until.0.saturating_sub(full));
        let arrival = self.input.front().map(|(at, _)| *at);
        [Some(room), Some(self.tx_busy_until), arrival]
            .into_iter()
            .flatten()
            .filter(|t| *t > self.last_poll)
            .min()
    }

    /// Interrupts that UCON enables, as bits of UTRSTAT.
    fn enabled(&self) -> u32 {
        let ucon = self.stored[1];
        let (tx, rx) = (
            ucon & TX_MODE == TX_BY_INTERRUPT,
            ucon & RX_MODE == RX_BY_INTERRUPT,
        );
        let bit = |on: bool, enable: u32, bit: u32| if on && ucon & enable != 0 { bit } else { 0 };
        bit(tx, ENABLE_TX_THRESHOLD, TX_THRESHOLD)
            | bit(rx, ENABLE_RX_THRESHOLD, RX_THRESHOLD)
            | bit(rx, ENABLE_RX_TIMEOUT, RX_TIMEOUT)
    }

    fn grows_old(&self) -> Option<Time> {
        let arrived = self.input.iter().take_while(|(at, _)| *at <= self.looked);
        let last = arrived.last().map(|(at, _)| *at)?;
        self.ageing
            .then(|| last.after_picos(LONG_BYTES * self.byte_ps))
    }

    /// What has happened by `now` becomes pending.
    fn latch(&mut self, now: Time) {
        let enabled = self.enabled();
        let (mut arrived, mut fresh) = (0, false);
        for (at, _) in self.input.iter().take_while(|(at, _)| *at <= now) {
            arrived += 1;
            if *at > self.looked {
                fresh = true;
                if arrived >= ENOUGH {
                    self.pending |= enabled & RX_THRESHOLD;
                }
            }
        }
        self.looked = self.looked.max(now);
        self.ageing |= fresh;
        if self.grows_old().is_some_and(|old| old <= now) {
            self.ageing = false;
            self.pending |= enabled & RX_TIMEOUT;
        }
        if self.draining && self.tx_busy_until <= now {
            self.draining = false;
            self.pending |= enabled & TX_THRESHOLD;
        }
    }

    /// Level of the port's line.
    pub(crate) fn line(&mut self, now: Time) -> bool {
        let enabled = self.enabled();
        // Nothing to look at, as in most machines all the time. What happens meanwhile is over when one is enabled.
        if enabled != 0 {
            self.latch(now);
        }
        self.pending & enabled != 0
    }

    /// When the line may rise by itself.
    pub(crate) fn next_interrupt(&self, now: Time) -> Option<Time> {
        if self.enabled() == 0 {
            return None;
        }
        let sent = self.draining.then_some(self.tx_busy_until);
        let arrival = self.input.iter().map(|(at, _)| *at).find(|at| *at > now);
        let times = [sent, arrival, self.grows_old()];
        times.into_iter().flatten().filter(|t| *t > now).min()
    }

    fn received(&self, now: Time) -> usize {
        self.input
            .iter()
            .take(FIFO_COUNT_MAX)
            .take_while(|(at, _)| *at <= now)
            .count()
    }

    /// Bytes in the transmit FIFO and shifter.
    fn sending(&self, now: Time) -> usize {
        let left = self.tx_busy_until.0.saturating_sub(now.0);
        left.checked_div(self.byte_ps).map_or(0, |whole| {
            whole as usize + usize::from(!left.is_multiple_of(self.byte_ps))
        })
    }

    pub(crate) fn read(&mut self, cpu: usize, offset: u32, now: Time) -> u32 {
        match offset {
            UTRSTAT => {
                let sending = self.sending(now);
                let mut status = 0;
                if sending == 0 {
                    status |= STATUS_TX_EMPTY;
                }
                if sending < FIFO_DEPTH {
                    status |= STATUS_TX_BUFFER_EMPTY;
                }
                if self.received(now) != 0 {
                    status |= STATUS_RX_DATA;
                }
                self.latch(now);
                status |= self.pending;
                if status == self.last_status && cpu == self.poller {
                    self.same_polls = self.same_polls.saturating_add(1);
                } else {
                    (self.same_polls, self.last_status, self.poller) = (0, status, cpu);
                }
                self.last_poll = now;
                status
            }
            UFSTAT => {
                let sending = self.sending(now).min(FIFO_COUNT_MAX) as u32;
                let full = u32::from(self.sending(now) >= FIFO_DEPTH) << 9;
                full | sending << 4 | self.received(now) as u32
            }
            URXH => {
                self.not_idle(cpu);
                if self.received(now) == 0 {
                    return 0;
                }
                self.latch(now);
                self.input.pop_front().map_or(0, |(_, byte)| byte.into())
            }
            _ => STORED
                .iter()
                .position(|o| *o == offset)
                .map_or(0, |i| self.stored[i]),
        }
    }

    pub(crate) fn write(&mut self, cpu: usize, offset: u32, value: u32, now: Time) {
        self.not_idle(cpu);
        if offset == UCON {
            self.latch(now);
        }
        if offset == UTRSTAT {
            self.latch(now);
            self.pending &= !value;
        } else if offset == UTXH {
            // A byte written into a full FIFO is lost.
            if self.sending(now) >= FIFO_DEPTH {
                return;
            }
            self.tx_busy_until = self.tx_busy_until.max(now).after_picos(self.byte_ps);
            self.output.push_back((self.tx_busy_until, value as u8));
            self.draining = true;
        } else if let Some(i) = STORED.iter().position(|o| *o == offset) {
            self.stored[i] = value;
        }
    }
}
