//! Events packed into few bytes.
//!
//! A byte of kind and CPU, then numbers of seven bits a byte, lowest first: the difference of its time from the one before
//! (zigzag), its latency where it has one, and what [`Batch::shape`] says. Triggers are not sent: each landed or lost event is
//! the next one's. A fast delivery on a 24 MHz counter takes 4 bytes.

use crate::message::{BATCH_BYTES, Batch, Event, EventKind};

/// [`Batch::shape`]: events with a latency carry a second one.
pub const SECOND: u8 = 1;
/// [`Batch::shape`]: events with a latency carry the serving CPU.
pub const SERVED: u8 = 2;

/// Longest packed event: kind, three numbers of 64 bits, serving CPU.
const LONGEST: usize = 1 + 3 * 10 + 1;
const KIND_SHIFT: u32 = 5;
const CPU_MASK: u8 = 0x1f;

/// Why a [`Batch`] cannot be unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl core::fmt::Display for Malformed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("a batch of events is malformed")
    }
}

impl core::error::Error for Malformed {}

impl EventKind {
    const fn from_bits(bits: u8) -> Option<Self> {
        Some(match bits {
            0 => Self::Landed,
            1 => Self::Unmasked,
            2 => Self::Lost,
            3 => Self::Late,
            4 => Self::Duplicate,
            _ => return None,
        })
    }

    /// Whether it was taken in time and so has a latency.
    #[must_use]
    pub const fn has_latency(self) -> bool {
        matches!(self, Self::Landed | Self::Unmasked)
    }

    /// Whether it is what became of its trigger, not a further event of it.
    #[must_use]
    pub const fn opens_trigger(self) -> bool {
        matches!(self, Self::Landed | Self::Unmasked | Self::Lost)
    }
}

impl Batch {
    /// An empty one of this shape.
    #[must_use]
    pub const fn new(shape: u8) -> Self {
        Self {
            id: 0,
            trigger: 0,
            time: 0,
            shape,
            count: 0,
            data: heapless::Vec::new(),
        }
    }
}

/// Fills batches.
pub struct Packer {
    batch: Batch,
    last: u64,
}

impl Packer {
    /// One that has nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            batch: Batch::new(0),
            last: 0,
        }
    }

    /// Starts over, for the cell `id`.
    pub fn start(&mut self, id: u32, shape: u8) {
        self.batch.data.clear();
        self.batch.id = id;
        self.batch.shape = shape;
        self.batch.count = 0;
    }

    /// Whether another event fits for certain.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.batch.data.len() + LONGEST <= BATCH_BYTES
    }

    /// Adds an event; without room it is not added and the answer is false.
    #[must_use]
    pub fn add(&mut self, event: &Event) -> bool {
        if !self.has_room() {
            return false;
        }
        if self.batch.count == 0 {
            self.batch.trigger = event.trigger;
            self.batch.time = event.time;
            self.last = event.time;
        }
        let difference = event.time.wrapping_sub(self.last) as i64;
        self.last = event.time;
        let data = &mut self.batch.data;
        let head = (event.kind as u8) << KIND_SHIFT | event.cpu & CPU_MASK;
        let _ = data.push(head);
        put(data, (difference << 1 ^ difference >> 63) as u64);
        if event.kind.has_latency() {
            put(data, event.first);
            if self.batch.shape & SECOND != 0 {
                put(data, event.second);
            }
            if self.batch.shape & SERVED != 0 {
                let _ = data.push(event.served);
            }
        }
        self.batch.count += 1;
        true
    }

    /// The batch, if it has any events; the next event begins another.
    #[must_use]
    pub fn take(&mut self) -> Option<Batch> {
        if self.batch.count == 0 {
            return None;
        }
        let full = self.batch.clone();
        self.start(full.id, full.shape);
        Some(full)
    }
}

impl Default for Packer {
    fn default() -> Self {
        Self::new()
    }
}

fn put(data: &mut heapless::Vec<u8, BATCH_BYTES>, mut value: u64) {
    while value >= 0x80 {
        let _ = data.push(value as u8 | 0x80);
        value >>= 7;
    }
    let _ = data.push(value as u8);
}

/// The events of a batch. After an error there are no more.
pub struct Events<'b> {
    bytes: &'b [u8],
    shape: u8,
    left: u16,
    /// Trigger that the next landed or lost event is of.
    next: u32,
    last: u64,
}

/// Unpacks a batch.
#[must_use]
pub fn unpack(batch: &Batch) -> Events<'_> {
    let kind = batch.data.first().map(|head| head >> KIND_SHIFT);
    let opens = kind
        .and_then(EventKind::from_bits)
        .is_none_or(EventKind::opens_trigger);
    Events {
        bytes: &batch.data,
        shape: batch.shape,
        left: batch.count,
        // One that opens no trigger is of the trigger before the next.
        next: batch.trigger.wrapping_add(u32::from(!opens)),
        last: batch.time,
    }
}

impl Events<'_> {
    #[inline]
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    #[inline]
    fn number(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    #[inline]
    fn event(&mut self) -> Option<Event> {
        let head = self.byte()?;
        let kind = EventKind::from_bits(head >> KIND_SHIFT)?;
        let cpu = head & CPU_MASK;
        let zigzag = self.number()?;
        self.last = self
            .last
            .wrapping_add(zigzag >> 1 ^ (zigzag & 1).wrapping_neg());
        if kind.opens_trigger() {
            self.next = self.next.wrapping_add(1);
        }
        let mut event = Event {
            trigger: self.next.wrapping_sub(1),
            kind,
            cpu,
            served: cpu,
            time: self.last,
            first: 0,
            second: 0,
        };
        if kind.has_latency() {
            event.first = self.number()?;
            if self.shape & SECOND != 0 {
                event.second = self.number()?;
            }
            if self.shape & SERVED != 0 {
                event.served = self.byte()?;
            }
        }
        Some(event)
    }
}

impl Iterator for Events<'_> {
    type Item = Result<Event, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            if self.bytes.is_empty() {
                return None;
            }
            self.bytes = &[];
            return Some(Err(Malformed));
        }
        let event = self.event();
        self.left -= 1;
        match event {
            Some(event) => Some(Ok(event)),
            None => {
                (self.left, self.bytes) = (0, &[]);
                Some(Err(Malformed))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(trigger: u32, kind: EventKind, time: u64) -> Event {
        Event {
            trigger,
            kind,
            cpu: 3,
            served: 3,
            time,
            first: 0,
            second: 0,
        }
    }

    #[test]
    fn events_come_back_in_whatever_order_of_times() {
        let events = [
            event(6, EventKind::Duplicate, u64::MAX),
            event(7, EventKind::Lost, 5),
            event(7, EventKind::Late, 3),
            Event {
                first: u64::MAX,
                second: 1 << 40,
                served: 23,
                ..event(8, EventKind::Unmasked, 1 << 62)
            },
        ];
        let mut packer = Packer::new();
        packer.start(9, SECOND | SERVED);
        for e in &events {
            assert!(packer.add(e));
        }
        let batch = packer.take().unwrap();
        assert_eq!((batch.id, batch.trigger, batch.count), (9, 6, 4));
        assert!(unpack(&batch).eq(events.map(Ok)));
        assert_eq!(packer.take(), None);
    }

    #[test]
    fn what_is_cut_or_too_long_is_told() {
        let mut packer = Packer::new();
        packer.start(0, 0);
        assert!(packer.add(&event(0, EventKind::Landed, 1 << 20)));
        let batch = packer.take().unwrap();
        let mut cut = batch.clone();
        cut.data.pop();
        assert_eq!(unpack(&cut).last(), Some(Err(Malformed)));
        let mut long = batch;
        long.data.push(0).unwrap();
        assert_eq!(unpack(&long).last(), Some(Err(Malformed)));
    }

    #[test]
    fn a_fast_delivery_takes_four_bytes() {
        let mut packer = Packer::new();
        packer.start(0, SECOND);
        let mut n = 0;
        loop {
            let e = Event {
                first: 100,
                second: 60,
                ..event(n, EventKind::Landed, u64::from(n) * 60)
            };
            if !packer.add(&e) {
                break;
            }
            n += 1;
        }
        let batch = packer.take().unwrap();
        assert!(batch.data.len() <= 4 * batch.count as usize + 1);
        assert!(batch.count >= 90);
    }
}
