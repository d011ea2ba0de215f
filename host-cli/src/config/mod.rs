//! Defaults for options, from files and from the environment.
//!
//! Only what says *which* target, *which* seed and *which* form may come from there, and every result names target and seed: a
//! file cannot make a result that nobody can repeat.

mod file;
mod settings;

pub use file::{ConfigError, ConfigFile};
pub use settings::{From, Places, Setting, Settings};
