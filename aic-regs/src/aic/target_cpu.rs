// SPDX-License-Identifier: MIT OR Apache-2.0
//! TARGET_CPU of AICv1: one word per line.

register_value! {
    /// TARGET_CPU: bit n allows the CPU whose WHOAMI is n. Drivers set exactly one bit; what several do on silicon is
    /// not published (an emulator offers the line to the lowest of them first).
    pub struct TargetCpu(u32) {
        /// The CPUs, one bit each.
        bits(31, 0, u32) cpus, set_cpus [Driver] { 0 => "no CPU" };
    }
}

impl TargetCpu {
    /// No CPU: the line waits.
    pub const NONE: Self = Self(0);

    /// The CPU whose WHOAMI is `cpu`; [`TargetCpu::NONE`] for numbers that the word has no bit for (32 and more).
    #[inline]
    pub const fn cpu(cpu: u8) -> Self {
        Self(if cpu < 32 { 1 << cpu } else { 0 })
    }

    /// The same with the CPUs of `other` too.
    #[inline]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the CPU whose WHOAMI is `cpu` is among them.
    #[inline]
    pub const fn contains(self, cpu: u8) -> bool {
        self.0 & Self::cpu(cpu).0 != 0
    }
}
