//! Everything outside the cores: interrupt controller, routing, fast IPIs, UART, power manager, watchdog.
//!
//! Register maps and encodings are stated here from public facts, a second time: the firmware's own crate is not used, so that a wrong
//! offset on one side shows as a failure. What silicon does beyond those facts is not known; where a model has to choose, the choice is a
//! key of its file, with a source mark, and odd machines show the other ways (`models/README.md`).

mod aic;
mod bus;
mod ipi;
mod pmgr;
mod rng;
mod sysreg_name;
mod uart;
mod wdt;

pub use aic::{Aic, AicLayout};
pub use bus::SocBus;
pub(crate) use bus::{Consumed, InLoader};
pub use sysreg_name::parse_sysreg;
pub use uart::Uart;
pub(crate) use wdt::Watchdog;
