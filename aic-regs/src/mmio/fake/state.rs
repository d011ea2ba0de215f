// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is behind [`super::FakeMmio`]: cells at canonical offsets, and what reads and writes do to them.

use super::Access;
use crate::aic::{
    Bank, EventKind, EventWord, Generation, Geometry, Info1, Info3, IpiFlags, IpiSend, Line,
};
use crate::guard::Trap;
use std::collections::{HashMap, VecDeque};
use std::vec::Vec;

#[derive(Debug)]
pub(super) struct State {
    pub(super) geometry: Geometry,
    pub(super) cells: HashMap<u32, u32>,
    pub(super) queued: VecDeque<u32>,
    pub(super) traps: HashMap<u32, Trap>,
    pub(super) log: Vec<Access>,
}

/// What an offset is.
#[derive(Clone, Copy)]
enum Place {
    Bank(Bank, u8, u32),
    /// A CPU's block of AICv1: the CPU, the offset in its block, and whether it is the accessing CPU's own.
    View(u8, u32, bool),
    Event,
    Plain,
}

impl State {
    pub(super) fn new(geometry: Geometry) -> Self {
        let mut info1 = Info1(0);
        info1.set_nr_irq(geometry.nr_irq as u16);
        info1.set_last_die(geometry.dies.saturating_sub(1) as u8);
        let mut info3 = Info3(0);
        info3.set_max_irq(geometry.max_irq as u16);
        info3.set_max_die(geometry.dies as u8);
        let mut cells = HashMap::from([(geometry.info1, info1.0)]);
        if geometry.generation != Generation::V1 {
            cells.insert(geometry.info3, info3.0);
        }
        Self {
            geometry,
            cells,
            queued: VecDeque::new(),
            traps: HashMap::new(),
            log: Vec::new(),
        }
    }

    fn locate(&self, off: u32, cpu: u8) -> Place {
        if self.geometry.generation == Generation::V1 {
            let own = off.wrapping_sub(Geometry::V1_SELF);
            if own < Geometry::VIEW_STRIDE {
                return Place::View(cpu, own, true);
            }
            let view = off.wrapping_sub(Geometry::V1_VIEWS);
            if (Geometry::V1_VIEWS..Geometry::V1_VIEWS_END).contains(&off) {
                let (cpu, in_block) = (view / Geometry::VIEW_STRIDE, view % Geometry::VIEW_STRIDE);
                return Place::View(cpu as u8, in_block, false);
            }
        }
        if off == self.geometry.event {
            return Place::Event;
        }
        for die in 0..self.geometry.dies as u8 {
            for bank in Bank::ALL {
                let Some(start) = self.geometry.bank_offset(bank, die, 0) else {
                    continue;
                };
                let word = off.wrapping_sub(start) / 4;
                if off >= start && word < self.geometry.words_per_die() {
                    return Place::Bank(bank, die, word);
                }
            }
        }
        Place::Plain
    }

    /// Where the state behind `off` is kept: SET and CLR share one cell, and a CPU's own block is its view.
    pub(super) fn cell(&self, off: u32, cpu: u8) -> u32 {
        let home = match self.locate(off, cpu) {
            Place::Bank(Bank::SwClr, die, word) => {
                self.geometry.bank_offset(Bank::SwSet, die, word)
            }
            Place::Bank(Bank::MaskClr, die, word) => {
                self.geometry.bank_offset(Bank::MaskSet, die, word)
            }
            Place::View(cpu, in_block, _) => Some(view_cell(cpu, in_block)),
            _ => None,
        };
        home.unwrap_or(off)
    }

    pub(super) fn word(&self, cell: u32) -> u32 {
        self.cells.get(&cell).copied().unwrap_or(0)
    }

    fn bank(&self, bank: Bank, die: u8, word: u32) -> u32 {
        self.geometry
            .bank_offset(bank, die, word)
            .map_or(0, |off| self.word(off))
    }

    pub(super) fn read(&mut self, off: u32, cpu: u8) -> u32 {
        match self.locate(off, cpu) {
            Place::Event => self.take_event(cpu),
            Place::View(of, Geometry::VIEW_EVENT, _) => self.take_event(of),
            Place::View(of, Geometry::VIEW_WHOAMI, _) => u32::from(of),
            _ => self.word(self.cell(off, cpu)),
        }
    }

    pub(super) fn write(&mut self, off: u32, value: u32, cpu: u8) {
        let home = self.cell(off, cpu);
        match self.locate(off, cpu) {
            Place::Bank(Bank::SwSet | Bank::MaskSet, ..) => {
                *self.cells.entry(home).or_default() |= value;
            }
            Place::Bank(Bank::SwClr | Bank::MaskClr, ..) => {
                *self.cells.entry(home).or_default() &= !value;
            }
            Place::Bank(Bank::HwState, ..) | Place::Event => {}
            Place::View(cpu, Geometry::VIEW_IPI_SET, true) => self.send(cpu, IpiSend(value)),
            Place::View(_, Geometry::VIEW_IPI_SET | Geometry::VIEW_IPI_MASK_SET, _) => {
                *self.cells.entry(home).or_default() |= value & IpiFlags::BOTH.0;
            }
            Place::View(_, Geometry::VIEW_IPI_CLR | Geometry::VIEW_IPI_MASK_CLR, _) => {
                *self.cells.entry(home).or_default() &= !value;
            }
            Place::View(_, Geometry::VIEW_WHOAMI | Geometry::VIEW_EVENT, _) => {}
            Place::View(..) | Place::Plain => {
                self.cells.insert(home, value);
            }
        }
    }

    fn send(&mut self, from: u8, to: IpiSend) {
        for cpu in 0..Geometry::V1_MAX_CPUS as u8 {
            if to.0 & IpiSend::to(cpu).0 != 0 {
                let pending = view_cell(cpu, Geometry::VIEW_IPI_SET);
                *self.cells.entry(pending).or_default() |= IpiFlags::OTHER.0;
            }
        }
        if to.self_ipi() {
            let pending = view_cell(from, Geometry::VIEW_IPI_SET);
            *self.cells.entry(pending).or_default() |= IpiFlags::SELF.0;
        }
    }

    pub(super) fn is_pending(&self, cpu: u8) -> bool {
        !self.queued.is_empty() || self.next_ipi(cpu).is_some() || self.next_line(cpu).is_some()
    }

    fn is_enabled(&self) -> bool {
        self.word(self.geometry.config) & 1 != 0
    }

    fn next_ipi(&self, cpu: u8) -> Option<IpiFlags> {
        if self.geometry.generation != Generation::V1 || !self.is_enabled() {
            return None;
        }
        let open = self.word(view_cell(cpu, Geometry::VIEW_IPI_SET))
            & !self.word(view_cell(cpu, Geometry::VIEW_IPI_MASK_SET));
        [IpiFlags::SELF, IpiFlags::OTHER]
            .into_iter()
            .find(|ipi| open & ipi.0 != 0)
    }

    fn next_line(&self, cpu: u8) -> Option<Line> {
        if !self.is_enabled() {
            return None;
        }
        for die in 0..self.geometry.dies as u8 {
            for word in 0..self.geometry.words_per_die() {
                let high = self.bank(Bank::SwSet, die, word) | self.bank(Bank::HwState, die, word);
                let mut open = high & !self.bank(Bank::MaskSet, die, word);
                while open != 0 {
                    let number = word * 32 + open.trailing_zeros();
                    if self.may_take(cpu, number) {
                        return Some(Line {
                            die,
                            number: number as u16,
                        });
                    }
                    open &= open - 1;
                }
            }
        }
        None
    }

    /// Whether a line that is high and open is for `cpu`.
    fn may_take(&self, cpu: u8, number: u32) -> bool {
        self.geometry.generation != Generation::V1
            || cpu < 32 && self.word(self.geometry.irq_cfg + 4 * number) >> cpu & 1 != 0
    }

    fn take_event(&mut self, cpu: u8) -> u32 {
        if let Some(word) = self.queued.pop_front() {
            return word;
        }
        if let Some(ipi) = self.next_ipi(cpu) {
            let mask = view_cell(cpu, Geometry::VIEW_IPI_MASK_SET);
            *self.cells.entry(mask).or_default() |= ipi.0;
            let mut word = EventWord(0);
            word.set_kind(EventKind::IPI);
            word.set_number(if ipi == IpiFlags::SELF { 2 } else { 1 });
            return word.0;
        }
        let Some(line) = self.next_line(cpu) else {
            return 0;
        };
        if let Some(off) =
            self.geometry
                .bank_offset(Bank::MaskSet, line.die, u32::from(line.number / 32))
        {
            *self.cells.entry(off).or_default() |= 1 << (line.number % 32);
        }
        line.hwirq()
    }
}

/// Where a word of a CPU's block is kept: pending IPIs at IPI_SET, masks at IPI_MASK_SET.
fn view_cell(cpu: u8, in_block: u32) -> u32 {
    let home = match in_block {
        Geometry::VIEW_IPI_CLR => Geometry::VIEW_IPI_SET,
        Geometry::VIEW_IPI_MASK_CLR => Geometry::VIEW_IPI_MASK_SET,
        other => other,
    };
    Geometry::V1_VIEWS + Geometry::VIEW_STRIDE * u32::from(cpu) + home
}
