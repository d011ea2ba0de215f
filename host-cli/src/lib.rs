//! The host's side of aicprobe: links, the loader's protocol, plans of cells, statistics and results.
//!
//! The layers, from below: [`link`] carries bytes, [`proxy`] speaks the resident loader's protocol on it, [`target`] finds
//! out what is there, [`plan`] says what to measure, [`session`] runs the firmware, [`stats`] and [`result`] make one value
//! of its answers, [`output`] writes that value. [`tree`] shows device trees without a target, [`regs`] registers, [`irqs`]
//! listings of a running Linux. [`route`]
//! puts them together, [`latency`], [`handoff`], [`storm`] and [`soak`] have plans and results of their own; [`verify`] makes the
//! verdict; [`live`] shows a session on
//! a terminal while it runs; [`evidence`] keeps all that a run was and brought, [`raw`]
//! keeps every event of a run and computes its numbers again; [`vm`] serves virtual SoCs to other
//! programs; [`socs`] is what is known of each SoC's routing, [`tables`] makes tables of it,
//! [`allow_list`] says which of them a kernel may rely on;
//! [`doctor`] looks at what stands between this computer and a target, [`info`] tells what is known of one, [`docs`] writes it
//! down; [`config`] has defaults of options, [`diagnose`] the code and the next step of every error;
//! [`cli`] is the command line on top.

pub mod allow_list;
pub mod behaviour;
pub mod cli;
pub mod compare;
pub mod config;
pub mod diagnose;
pub mod docs;
pub mod doctor;
pub mod error;
pub mod evidence;
pub mod fields;
pub mod files;
pub mod firmware;
pub mod first_look;
pub mod handoff;
pub mod info;
pub mod irqs;
pub mod latency;
pub mod link;
pub mod live;
pub mod output;
pub mod plan;
pub mod proxy;
mod random;
pub mod raw;
pub mod regs;
pub mod report;
pub mod result;
pub mod route;
pub mod session;
pub mod soak;
pub mod socs;
mod sound;
pub mod stats;
pub mod storm;
pub mod tables;
pub mod target;
pub mod tree;
pub mod verify;
pub mod vm;

pub use error::{Error, exit};
