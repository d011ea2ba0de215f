// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which CPUs of each SoC take interrupts of the controller, and what the values of SIQ_CFG's routing field mean there.
//!
//! [`ROUTING`] is generated from the files under `socs/`. Most of it is no measurement: look at [`SocRouting::listed`] and
//! [`SocRouting::standing`] before relying on an entry.
//!
//! ```
//! use aic_regs::routing::{Class, SocRouting};
//!
//! let soc = SocRouting::of_chip(0x8140).unwrap();
//! assert_eq!(soc.class(0x8001_0100), Some(Class::Normal));
//! assert!(!soc.online_refresh);
//! ```

#[rustfmt::skip] // Generated.
mod table;

pub use table::ROUTING;

/// Who says so, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Standing {
    /// Concluded from other facts: to be tested.
    Inference,
    /// A driver, a device tree, a log or a document states it.
    ThirdParty,
    /// Measured on the machine.
    Silicon,
}

impl Standing {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inference => "inference",
            Self::ThirdParty => "third party",
            Self::Silicon => "silicon",
        }
    }
}

/// In which class a CPU takes interrupts, the first that is asked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Takes them before any CPU of another class.
    Preferred,
    /// Takes them.
    Normal,
    /// Takes them where no CPU of the classes above does.
    Fallback,
    /// Takes none.
    Never,
}

impl Class {
    /// Whether a CPU of this class takes interrupts at all.
    pub const fn accepts(self) -> bool {
        !matches!(self, Self::Never)
    }
}

/// What a value of the routing field means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldValue {
    /// Class of a CPU whose field has it.
    pub class: Class,
    /// Standing of that.
    pub standing: Standing,
}

/// A CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutedCpu {
    /// MPIDR_EL1.
    pub mpidr: u64,
    /// SIQ_CFG bits \[1:0\] as a kernel finds them.
    pub field: u8,
    /// Standing of `field`.
    pub standing: Standing,
}

/// Routing of a SoC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocRouting {
    /// Its name: "T8140".
    pub soc: &'static str,
    /// `chip-id` of its device tree.
    pub chip_id: u32,
    /// Its controller in Linux device trees. SoCs may share one.
    pub compatible: &'static str,
    /// Generation of the controller, 1 to 3. On 1 the field has no effect (inference) and every class is [`Class::Normal`].
    pub generation: u8,
    /// Standing of the whole: not better than its weakest part.
    pub standing: Standing,
    /// Whether it is on the allow-list: measured on hardware, and fit to be relied on.
    pub listed: bool,
    /// Whether effective affinities have to be read again when a CPU comes online: where more than one CPU accepts.
    pub online_refresh: bool,
    /// What the field means, by value.
    pub values: [FieldValue; 4],
    /// CPUs by logical id: the boot CPU first, then in device-tree order. A machine may lack some.
    pub cpus: &'static [RoutedCpu],
}

impl SocRouting {
    /// The entry of this chip id.
    pub fn of_chip(chip_id: u32) -> Option<&'static Self> {
        ROUTING.iter().find(|soc| soc.chip_id == chip_id)
    }

    /// The class of a CPU as a kernel finds it; `None` for a CPU that the SoC has not.
    pub fn class(&self, mpidr: u64) -> Option<Class> {
        let cpu = self.cpus.iter().find(|cpu| cpu.mpidr == mpidr)?;
        self.class_of_field(cpu.field)
    }

    /// What a value of the field means; `None` above 3.
    pub fn class_of_field(&self, field: u8) -> Option<Class> {
        self.values.get(usize::from(field)).map(|value| value.class)
    }

    /// CPUs that take interrupts as a kernel finds them.
    pub fn accepting(&self) -> impl Iterator<Item = &'static RoutedCpu> {
        let values = self.values;
        let cpus = self.cpus.iter();
        cpus.filter(move |cpu| {
            let value = values.get(usize::from(cpu.field));
            value.is_some_and(|value| value.class.accepts())
        })
    }

    /// The CPU that takes every interrupt, where there is just one.
    pub fn sole_acceptor(&self) -> Option<&'static RoutedCpu> {
        let mut accepting = self.accepting();
        accepting.next().filter(|_| accepting.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aic::Generation;
    use crate::facts::Controller;

    #[test]
    fn one_cpu_takes_everything_on_t8140() {
        let soc = SocRouting::of_chip(0x8140).unwrap();
        assert_eq!(soc.sole_acceptor().unwrap().mpidr, 0x8001_0100);
        assert_eq!(soc.class(0x8000_0000), Some(Class::Never));
        assert_eq!(soc.class(0x8000_0007), None);
        assert_eq!(soc.class_of_field(1), Some(Class::Preferred));
        assert_eq!(soc.class_of_field(4), None);
        assert_eq!(SocRouting::of_chip(0), None);
    }

    #[test]
    fn entries_agree_with_themselves() {
        for (i, soc) in ROUTING.iter().enumerate() {
            let first = ROUTING.iter().position(|s| s.chip_id == soc.chip_id);
            assert_eq!(first, Some(i), "{} twice", soc.soc);
            let accepting = soc.accepting().count();
            assert!(accepting > 0, "{}", soc.soc);
            assert_eq!(soc.online_refresh, accepting > 1, "{}", soc.soc);
            assert_eq!(soc.sole_acceptor().is_some(), accepting == 1);
            let parts = soc.values.iter().map(|v| v.standing);
            let weakest = parts.chain(soc.cpus.iter().map(|c| c.standing)).min();
            assert!(Some(soc.standing) <= weakest, "{}", soc.soc);
            assert!(!soc.listed || soc.standing == Standing::Silicon);
            let controller = Controller::of(soc.soc).unwrap();
            let generation = match controller.generation {
                Generation::V1 => 1,
                Generation::V2 => 2,
                Generation::V3 => 3,
            };
            assert_eq!(soc.generation, generation, "{}", soc.soc);
        }
    }
}
