//! One script of requests, run over anything that speaks the protocol, with answers that do not depend on where things lie.

#![allow(dead_code, reason = "each test file uses its own part")]

#[path = "../soc_common/a64.rs"]
pub mod a64;
#[path = "../soc_common/client.rs"]
pub mod client;
pub mod script;
pub mod tape;

use virtual_soc::{RawOptions, RawTarget, SocModel};

use client::Client;

/// The loader image that `AICPROBE_M1N1_BIN` names; says so when it names none.
pub fn loader_image() -> Option<Vec<u8>> {
    let Some(path) = std::env::var_os("AICPROBE_M1N1_BIN") else {
        eprintln!("skipped: AICPROBE_M1N1_BIN names no loader image");
        return None;
    };
    Some(std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

/// A model whose stand-in is reached over the serial port, as a raw image is, and in which SPRR changes nothing: the cores do not
/// model its permissions.
pub fn model(name: &str) -> SocModel {
    let mut model = SocModel::builtin(name).expect("built in");
    model.loader.link = virtual_soc::model::LinkKind::Uart;
    model.loader.sprr = false;
    model
}

/// The image at its entry. The port is fast, so that tests do not spend their time on polling it.
pub fn boot(name: &str, image: &[u8]) -> Client<RawTarget> {
    let options = RawOptions {
        bytes_per_second: 3_000_000,
        ..RawOptions::default()
    };
    Client::over(RawTarget::from_image(&model(name), image, &options).expect("image"))
}
