// SPDX-License-Identifier: MIT OR Apache-2.0
//! IPI_RR_LOCAL and IPI_RR_GLOBAL: send a fast IPI.

use super::Mpidr;

system_register! {
    /// Sends a fast IPI within the CPU's own cluster. Absent on T8015 (A11).
    IPI_RR_LOCAL: IpiRequest = "IPI_RR_LOCAL_EL1" (3, 5, 15, 0, 0) [Driver] w guarded
}

system_register! {
    /// Sends a fast IPI to any cluster.
    IPI_RR_GLOBAL: IpiRequest = "IPI_RR_GLOBAL_EL1" (3, 5, 15, 0, 1) [Driver] w guarded
}

register_value! {
    /// What IPI_RR_LOCAL and IPI_RR_GLOBAL take. Notes describe narrower targets (core 3:0, cluster 20:16); drivers
    /// use these.
    pub struct IpiRequest(u64) {
        /// Affinity level 0 of the target.
        bits(7, 0, u8) core, set_core [Driver] {};
        /// Affinity level 1 of the target; only IPI_RR_GLOBAL uses it.
        bits(23, 16, u8) cluster, set_cluster [Driver] {};
        /// How to deliver.
        bits(29, 28, u8) kind, set_kind [Notes] {
            0 => "immediate",
            1 => "retract a deferred one",
            2 => "deferred, after the countdown of IPI_CR",
            3 => "no wake: waits until the target runs",
        };
    }
}

/// Values of [`IpiRequest::kind`] (source: notes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum IpiType {
    /// Deliver now.
    Immediate = 0,
    /// Take back a deferred one.
    Retract = 1,
    /// Deliver after the countdown of [`super::IPI_CR`].
    Deferred = 2,
    /// Do not wake a sleeping target.
    NoWake = 3,
}

impl IpiRequest {
    /// A request for [`IPI_RR_LOCAL`]: the target must be in the sender's cluster.
    #[inline]
    pub const fn local(target: Mpidr, kind: IpiType) -> Self {
        Self(target.0 & 0xff | (kind as u64) << 28)
    }

    /// A request for [`IPI_RR_GLOBAL`].
    #[inline]
    pub const fn global(target: Mpidr, kind: IpiType) -> Self {
        Self(target.0 & 0xff | (target.0 & 0xff00) << 8 | (kind as u64) << 28)
    }
}
