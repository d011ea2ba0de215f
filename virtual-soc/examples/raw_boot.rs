//! Boot a raw image on a built-in model and show what its serial port says.
//!
//! `raw_boot MODEL IMAGE [virtual milliseconds]`

use std::io::Write as _;
use std::time::{Duration, Instant};

use virtual_soc::{RawOptions, RawTarget, SocModel};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, image, rest @ ..] = &args[..] else {
        return Err("usage: raw_boot MODEL IMAGE [virtual milliseconds]".into());
    };
    let model = SocModel::builtin(name).ok_or("no such model")?;
    let limit = Duration::from_millis(match rest.first() {
        Some(ms) => ms.parse()?,
        None => 1000,
    });
    let mut target = RawTarget::from_image(&model, &std::fs::read(image)?, &RawOptions::default())?;
    let start = Instant::now();
    let mut buf = [0; 4096];
    while target.now() < limit && target.stopped().is_none() {
        let n = target.recv(&mut buf, limit - target.now());
        std::io::stdout().write_all(&buf[..n])?;
    }
    let stats = target.stats();
    eprintln!(
        "\n{:?} virtual, {:?} real, instructions {:?}",
        target.now(),
        start.elapsed(),
        stats.insns
    );
    for core in &target.machine().cores {
        eprintln!("{:?} pc {:#x}", core.state(), core.pc());
    }
    Ok(())
}
