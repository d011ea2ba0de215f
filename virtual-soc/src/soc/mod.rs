//! Everything outside the cores: interrupt controller, routing, fast IPIs, UART, power manager, watchdog.

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
