//! Client of m1n1's proxy protocol: what a host says to the loader that stays resident on the target.
//!
//! Byte layouts, opcodes and test vectors are facts about m1n1 (third party: AsahiLinux/m1n1 `main` @7c7716b6,
//! `src/uartproxy.c`, `src/proxy.h`), stated here in our own words and code.

mod checksum;
mod client;
mod connect;
mod error;
mod exchange;
mod frame;
mod ops;
mod pause;
mod receiver;
#[cfg(test)]
pub(crate) mod tests;

pub use checksum::checksum;
pub use client::{Proxy, ProxyStats};
pub use connect::ConnectOptions;
pub use error::{ProxyError, Status};
pub use frame::{FEATURE_NO_DATA_CHECKSUMS, Kind, request};
pub use ops::Op;
