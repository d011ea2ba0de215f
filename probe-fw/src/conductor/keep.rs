//! Leave it as found: what is saved before the first change, put back, and compared.

use core::sync::atomic::Ordering::Relaxed;

use aic_regs::aic::{Line, LineHandle};
use heapless::Vec;
use protocol::message::{Difference, Item, Reading, Refusal, Restored};
use protocol::{LineId, MAX_CPUS, Message, Register};

use super::{BOOT, Context};
use crate::mailbox::{self, Operation};
use crate::platform::Platform;
use crate::{local, storm};

/// Dies that there is room for (m1n1's own limit, third party).
pub const MAX_DIES: usize = 4;
/// Mask words per die that there is room for: 4096 lines.
pub const MAX_WORDS: usize = 128;
/// Different lines that one session can use.
pub const MAX_LINES: usize = 32;

/// A line that a cell used, as it was found.
#[derive(Clone, Copy)]
struct UsedLine {
    line: LineId,
    irq_config: u32,
    software: bool,
}

/// The controller as it was found.
pub struct Kept {
    config: u32,
    masks: [u32; MAX_DIES * MAX_WORDS],
    unmasked: u32,
    lines: Vec<UsedLine, MAX_LINES>,
}

impl Kept {
    pub const fn new() -> Self {
        Self {
            config: 0,
            masks: [0; MAX_DIES * MAX_WORDS],
            unmasked: 0,
            lines: Vec::new(),
        }
    }

    /// IRQ_CFG (TARGET_CPU) of a line that a cell used, as found.
    pub fn routing(&self, die: u8, number: u16) -> Option<u32> {
        let line = LineId { die, number };
        let used = self.lines.iter().find(|used| used.line == line)?;
        Some(used.irq_config)
    }
}

impl<P: Platform> Context<'_, '_, P> {
    /// Every (index in `masks`, die, word) of the controller.
    fn words(&self) -> impl Iterator<Item = (usize, u8, u32)> + use<P> {
        let geometry = self.platform.aic().geometry();
        let dies = geometry.dies.min(MAX_DIES as u32) as u8;
        let words = geometry.words_per_die().min(MAX_WORDS as u32);
        (0..dies)
            .flat_map(move |die| (0..words).map(move |word| (die, word)))
            .map(move |(die, word)| (usize::from(die) * MAX_WORDS + word as usize, die, word))
    }

    /// Bits of a mask word that stand for lines that exist.
    fn existing(&self, word: u32) -> u32 {
        let lines = self
            .platform
            .aic()
            .geometry()
            .nr_irq
            .saturating_sub(word * 32);
        if lines >= 32 { !0 } else { (1 << lines) - 1 }
    }

    /// Saves, then masks every line and enables the controller.
    pub(super) fn open(&mut self) {
        let aic = self.platform.aic();
        let mut software_pending = 0;
        if !self.me.open {
            self.me.kept = Kept::new();
            self.me.kept.config = aic.config().bits();
            for (at, die, word) in self.words() {
                let mask = aic.mask_word(die, word);
                self.me.kept.masks[at] = mask;
                self.me.kept.unmasked += (!mask & self.existing(word)).count_ones();
                software_pending += aic.sw_word(die, word).count_ones();
            }
            for cpu in 0..self.block.cpus() {
                self.me.siq_now[cpu] = self.siq_found(cpu);
            }
            self.me.siq_boot = self.me.siq_now[BOOT];
            self.me.open = true;
            self.take_over();
        }
        log!(
            info,
            "open, {=u32} lines were unmasked",
            self.me.kept.unmasked
        );
        self.say(&Message::Opened {
            software_pending,
            unmasked: self.me.kept.unmasked,
            config: self.me.kept.config,
        });
    }

    #[inline(never)]
    pub(super) fn siq_found(&self, cpu: usize) -> Option<u64> {
        match local::found_siq_cfg(self.block.private(cpu)) {
            Reading::Value(value) if self.present(cpu) => Some(value),
            _ => None,
        }
    }

    /// Start of a slice: the controller becomes ours again.
    pub(super) fn enter(&mut self) {
        let control = self.block.control();
        control
            .slices
            .store(control.slices.load(Relaxed) + 1, Relaxed);
        if self.me.open {
            self.take_over();
        }
    }

    fn take_over(&mut self) {
        let aic = self.platform.aic();
        if self.me.kept.unmasked != 0 {
            for (_, die, word) in self.words() {
                aic.write_mask_set(die, word, !0);
            }
        }
        self.take_config();
        if self.me.siq_boot != self.me.siq_now[BOOT]
            && let Some(value) = self.me.siq_boot
        {
            self.set_siq_boot(value);
        }
        if let Some(running) = &self.me.running {
            if let Some(on) = running.cell.special.enable {
                self.set_enable(on);
            }
            self.unmask_lines(&running.handle, running.second.as_ref());
        }
    }

    /// CONFIG as cells need it.
    pub(super) fn take_config(&self) {
        if self.owns_config() {
            self.set_enable(true);
        } else {
            self.put_back_config();
        }
    }

    fn put_back_config(&self) {
        let (aic, found) = (self.platform.aic(), self.me.kept.config);
        if self.owns_config() || aic.config().bits() != found {
            aic.set_config(found.into());
        }
    }

    /// End of a slice: the loader finds the boot CPU and the controller as it left them.
    pub(super) fn leave(&mut self) {
        if !self.me.open {
            return;
        }
        if let Some(running) = &self.me.running {
            self.silence(running);
        }
        self.me.siq_boot = self.me.siq_now[BOOT];
        if let Some(found) = self.siq_found(BOOT)
            && self.me.siq_now[BOOT] != Some(found)
        {
            self.set_siq_boot(found);
        }
        self.put_back_aic();
    }

    /// CONFIG first: while the controller delivers, no line but those under test may be unmasked.
    fn put_back_aic(&mut self) {
        let aic = self.platform.aic();
        self.put_back_config();
        if self.me.kept.unmasked != 0 {
            for (at, die, word) in self.words() {
                let mask = self.me.kept.masks[at];
                if mask != !0 {
                    aic.write_mask_clr(die, word, !mask);
                }
            }
        }
    }

    fn set_siq_boot(&mut self, value: u64) {
        if let Reading::Value(now) = local::set_siq_cfg(self.platform, value) {
            self.me.siq_now[BOOT] = Some(now);
        }
    }

    /// Notes a line before its first use.
    pub(super) fn note_line(&mut self, handle: &LineHandle) -> bool {
        let Line { die, number } = handle.line();
        let line = LineId { die, number };
        let aic = self.platform.aic();
        let lines = &mut self.me.kept.lines;
        lines.iter().any(|used| used.line == line)
            || lines
                .push(UsedLine {
                    line,
                    irq_config: aic.irq_cfg(handle).bits(),
                    software: aic.sw_state(handle),
                })
                .is_ok()
    }

    /// Puts everything back in reverse order and compares what is readable with what was found.
    pub(super) fn close(&mut self) {
        let mut report = Report::new();
        self.me.running = None;
        let _ = self.set_levels(0);
        // Of a storm that a fault ended.
        storm::serve(self.block, self.platform, BOOT, storm::Step::Close as u64);
        if self.me.open {
            self.restore_lines(&mut report);
            self.restore_cpus(&mut report);
            self.put_back_aic();
            self.compare_aic(&mut report);
            self.me.open = false;
        }
        log!(
            info,
            "closed, {=u32} of {=u32} differ",
            report.0.different,
            report.0.checked
        );
        self.say(&Message::Restored(report.0));
    }

    fn restore_lines(&mut self, report: &mut Report) {
        let aic = self.platform.aic();
        let shared = self.block.shared();
        shared.active.store(0, Relaxed);
        shared.second.store(0, Relaxed);
        for used in &self.me.kept.lines {
            let line = Line {
                die: used.line.die,
                number: used.line.number,
            };
            let Some(handle) = aic.line(line) else {
                continue;
            };
            aic.mask(&handle);
            if used.software {
                aic.sw_set(&handle);
            } else {
                aic.sw_clr(&handle);
            }
            if aic.irq_cfg(&handle).bits() != used.irq_config {
                aic.set_irq_cfg(&handle, used.irq_config.into());
            }
            let index = u32::from(line.die) << 16 | u32::from(line.number);
            let (software, config) = (aic.sw_state(&handle), aic.irq_cfg(&handle).bits());
            report.compare(
                Item::SoftwareWord,
                index,
                used.software.into(),
                software.into(),
            );
            report.compare(
                Item::IrqConfig,
                index,
                used.irq_config.into(),
                config.into(),
            );
        }
    }

    fn restore_cpus(&mut self, report: &mut Report) {
        for cpu in 0..self.block.cpus().min(MAX_CPUS) {
            // A CPU that cannot be asked is a difference only if we ever changed it.
            let Reading::Value(found) = local::found_siq_cfg(self.block.private(cpu)) else {
                continue;
            };
            let Some(now) = self.me.siq_now[cpu] else {
                continue;
            };
            let now = if now == found {
                self.read(cpu, Register::SiqCfg)
            } else {
                self.set_siq(cpu, found).ok()
            };
            let now = match now {
                Some(Reading::Value(value)) => value,
                _ => !0,
            };
            self.me.siq_now[cpu] = Some(now);
            report.compare(Item::SiqCfg, cpu as u32, found, now);
        }
        self.me.siq_boot = self.me.siq_now[BOOT];
    }

    /// Writes SIQ_CFG of a CPU and reads it back.
    #[inline(never)]
    pub(super) fn set_siq(&mut self, cpu: usize, value: u64) -> Result<Reading, Refusal> {
        if cpu == BOOT {
            Ok(local::set_siq_cfg(self.platform, value))
        } else {
            mailbox::ask(self.block, self.platform, cpu, Operation::SetSiqCfg, value)
        }
    }

    fn compare_aic(&mut self, report: &mut Report) {
        let aic = self.platform.aic();
        let (found, now) = (self.me.kept.config, aic.config().bits());
        report.compare(Item::AicConfig, 0, found.into(), now.into());
        for (at, die, word) in self.words() {
            let (found, now) = (self.me.kept.masks[at], aic.mask_word(die, word));
            report.compare(Item::MaskWord, at as u32, found.into(), now.into());
        }
    }
}

struct Report(Restored);

impl Report {
    const fn new() -> Self {
        Self(Restored {
            checked: 0,
            different: 0,
            differences: Vec::new(),
        })
    }

    fn compare(&mut self, item: Item, index: u32, found: u64, now: u64) {
        self.0.checked += 1;
        if found != now {
            self.0.different += 1;
            let _ = self.0.differences.push(Difference {
                item,
                index,
                found,
                now,
            });
        }
    }
}
