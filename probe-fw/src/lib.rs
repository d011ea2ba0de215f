//! The probe firmware's engine: everything that can run on a host.
//!
//! The firmware knows a few operations, a [cell](protocol::Cell) above all, and no experiment: the host makes plans
//! of cells. The boot CPU's [`conductor`] runs them, in bounded slices; every other CPU is a [`worker`] that waits
//! for its mailbox; whichever CPU an interrupt lands on writes a [`state::Record`] in [`irq`]. All state lives in the
//! [`block`] of memory that the host allocates: the image has no writable byte.
//!
//! What touches the machine is behind [`platform::Platform`]; start-up, vectors and the real platform are in the
//! binary.
#![cfg_attr(not(test), no_std)]

#[macro_use]
mod log;

pub mod block;
pub mod conductor;
pub mod delay;
pub mod fiq;
pub mod handover;
pub mod ipi;
pub mod irq;
pub mod load;
pub mod local;
pub mod mailbox;
pub mod platform;
pub mod state;
pub mod storm;
pub mod up_ring;
pub mod worker;
