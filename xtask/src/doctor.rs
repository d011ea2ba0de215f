//! `doctor`: how the firmware's toolchain is found on this machine. Looks only; makes and fetches nothing.

use crate::{
    debian,
    plan::{Facts, Plan},
    process::Result,
    toolchain::{TARGET, find_linker},
    workspace,
};
use std::path::Path;

/// Prints the facts, in the order in which they are asked, and what follows from them.
///
/// # Errors
/// A wrong `FW_TOOLCHAIN`, or no folder for the cache.
pub fn run() -> Result<()> {
    let facts = Facts::find()?;
    let yes = |flag: bool| if flag { "yes" } else { "no" };
    let prefix = debian::prefix()?;
    println!("target                            {TARGET}");
    println!("FW_TOOLCHAIN                      {:?}", facts.choice);
    println!(
        "1 installed for your compiler     {} ({})",
        yes(facts.installed),
        release(&workspace::host_rustc())
    );
    println!(
        "2 private toolchain cached        {} ({})",
        yes(facts.cached),
        prefix.display()
    );
    println!("3 can be made from Debian's       {}", yes(facts.apt));
    println!("4 rustup is there                 {}", yes(facts.rustup));
    println!(
        "  RUSTUP_AUTO_INSTALL=0           {}",
        yes(facts.downloads_off)
    );
    let linker = find_linker().map_or_else(
        || "none found; install the package `lld`".to_owned(),
        |path| path.display().to_string(),
    );
    println!("linker for a private toolchain    {linker}");
    let verdict = match facts.plan() {
        Plan::Installed => "your compiler, as it is".to_owned(),
        Plan::Cached => format!("the private toolchain ({})", release(&prefix.join("rustc"))),
        Plan::MakeDebian => "a private toolchain will be made from Debian's packages".to_owned(),
        Plan::RustupAdd => format!("`rustup target add {TARGET}` will be run"),
        Plan::Stop(advice) => format!("nothing works here: {advice}"),
    };
    println!("the firmware is built with        {verdict}");
    Ok(())
}

fn release(rustc: &Path) -> String {
    debian::rustc_release(rustc).map_or_else(
        |_| format!("{} does not run", rustc.display()),
        |release| format!("rustc {release}"),
    )
}
