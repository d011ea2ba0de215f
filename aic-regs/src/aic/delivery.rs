// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of delivery timing whose names are known and whose fields are not: shown, never interpreted.

register_value! {
    /// TIMEOUT, offset 0x28 (also called round-robin delay). Units are unknown.
    pub struct Timeout(u32) {}
}

register_value! {
    /// CLUSTER_PRIO, offset 0x30 (also called cluster enable configuration).
    pub struct ClusterPriority(u32) {}
}

register_value! {
    /// One entry of DELAY_GROUPS, offset 0x100. Units are unknown.
    pub struct DelayGroup(u32) {}
}

register_value! {
    /// LATENCY, offset 0x204.
    pub struct Latency(u32) {}
}

register_value! {
    /// Idle clusters, offset 0x340.
    pub struct IdleClusters(u32) {}
}

register_value! {
    /// A counter, offset 0x3c. What it counts is unknown.
    pub struct Counter(u32) {}
}

register_value! {
    /// First word of the timestamps, offset 0x1800. Their layout is unknown.
    pub struct Timestamp(u32) {}
}
