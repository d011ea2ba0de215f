//! The host's side of aicprobe: links, the loader's protocol, plans of cells, statistics and results.
//!
//! The layers, from below: [`link`] carries bytes, [`proxy`] speaks the resident loader's protocol on it.

pub mod link;
pub mod plan;
pub mod proxy;
pub mod stats;
