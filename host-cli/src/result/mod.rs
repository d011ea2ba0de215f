//! The one result value of a command; every output is made from it.

mod assemble;
mod mark;
mod route;

pub use assemble::{Context, assemble, hex};
pub use mark::{Mark, MarkKind};
pub use route::{
    Aic, Build, Cell, Counter, Cpu, CpuState, Line, MissBound, Restore, RouteResult, Summary,
};
