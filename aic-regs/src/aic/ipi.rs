// SPDX-License-Identifier: MIT OR Apache-2.0
//! IPI_SEND, IPI_ACK and the IPI masks of AICv1. Later generations have only fast IPIs, in system registers.

use super::Geometry;

register_value! {
    /// What is written to IPI_SEND.
    pub struct IpiSend(u32) {
        /// Bit n: an IPI "from another CPU" to the CPU whose WHOAMI is n, the sender included.
        bits(30, 0, u32) others, set_others [Driver] {};
        /// An IPI "from itself" to the sender.
        bit(31) self_ipi, set_self_ipi [Driver] {};
    }
}

register_value! {
    /// The two IPIs of one CPU: what is written to IPI_ACK, IPI_SET, IPI_CLR, IPI_MASK_SET and IPI_MASK_CLR, and what all
    /// of them and IPI_SEND read. Each pair of addresses reads one state: what is pending, or what is masked.
    pub struct IpiFlags(u32) {
        /// The IPI "from another CPU": event type 4, number 1.
        bit(0) other_ipi, set_other_ipi [Silicon] {};
        /// The IPI "from itself": event type 4, number 2.
        bit(31) self_ipi, set_self_ipi [Driver] {};
    }
}

impl IpiSend {
    /// To the sender, as "from itself".
    pub const SELF: Self = Self(1 << 31);

    /// To the CPU whose WHOAMI is `cpu`; to nobody for numbers that the word has no bit for (31 and more).
    #[inline]
    pub const fn to(cpu: u8) -> Self {
        Self(if (cpu as u32) < Geometry::V1_MAX_CPUS {
            1 << cpu
        } else {
            0
        })
    }

    /// The same and to whom `other` names.
    #[inline]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl IpiFlags {
    /// Neither.
    pub const NONE: Self = Self(0);
    /// "From another CPU".
    pub const OTHER: Self = Self(1);
    /// "From itself".
    pub const SELF: Self = Self(1 << 31);
    /// Both.
    pub const BOTH: Self = Self(1 << 31 | 1);
}
