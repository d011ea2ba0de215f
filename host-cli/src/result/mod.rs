//! The one result value of a command; every output is made from it.

mod assemble;
mod bench;
mod head;
mod mark;
mod route;
mod said;

pub use assemble::{Context, aic, assemble, cells, head, head_before, hex, route_result};
pub use bench::{BenchLink, Times, Transfer};
pub use head::Head;
pub use mark::{Mark, MarkKind};
pub use route::{
    Aic, Build, Cell, Counter, Cpu, CpuState, Line, MissBound, Restore, RouteResult, Summary,
};
