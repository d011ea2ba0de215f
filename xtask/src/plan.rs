//! Which of the ways to a firmware toolchain is taken.
//!
//! In this order: the target that is installed; the private toolchain in the cache; a private toolchain made now from
//! Debian's packages; `rustup target add`. rustup is never asked to download where `RUSTUP_AUTO_INSTALL=0`.

use crate::{
    debian, packages,
    process::{Error, Result},
    toolchain, workspace,
};
use std::env;

/// What `FW_TOOLCHAIN` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Unset or `auto`: the order of this module.
    Auto,
    /// `rustup`: only the user's own toolchain.
    Rustup,
    /// `debian`: only the private toolchain, even where the target is installed.
    Debian,
}

/// What is there to choose from.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// What the user asks for.
    pub choice: Choice,
    /// The user's compiler has a `core` for the firmware's target.
    pub installed: bool,
    /// A complete private toolchain lies in the cache.
    pub cached: bool,
    /// `RUSTUP_AUTO_INSTALL=0`: rustup must not download.
    pub downloads_off: bool,
    /// rustup is there.
    pub rustup: bool,
    /// Debian's tools are there.
    pub apt: bool,
}

/// What follows from the facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Use the user's compiler as it is.
    Installed,
    /// Use the private toolchain that is there.
    Cached,
    /// Make the private toolchain, then use it.
    MakeDebian,
    /// `rustup target add`, then use the user's compiler.
    RustupAdd,
    /// Nothing can be done; the text says what the user can do.
    Stop(&'static str),
}

impl Facts {
    /// Looks at this machine.
    ///
    /// # Errors
    /// [`Error::Usage`] for a wrong `FW_TOOLCHAIN`; an unusable cache folder.
    pub fn find() -> Result<Self> {
        let choice = match env::var("FW_TOOLCHAIN").as_deref() {
            Err(_) | Ok("" | "auto") => Choice::Auto,
            Ok("rustup") => Choice::Rustup,
            Ok("debian") => Choice::Debian,
            Ok(other) => {
                return Err(Error::Usage(format!(
                    "FW_TOOLCHAIN={other}: allowed are auto, rustup and debian"
                )));
            }
        };
        Ok(Self {
            choice,
            installed: toolchain::installed(),
            cached: toolchain::has_core(&toolchain::lib_dir(&debian::prefix()?)),
            downloads_off: env::var("RUSTUP_AUTO_INSTALL").as_deref() == Ok("0"),
            rustup: workspace::in_path(&["rustup"]).is_some(),
            apt: packages::tools_present(),
        })
    }

    /// The order of this module, as a function of the facts alone.
    pub fn plan(&self) -> Plan {
        let own = self.choice != Choice::Debian;
        let private = self.choice != Choice::Rustup;
        if own && self.installed {
            Plan::Installed
        } else if private && self.cached {
            Plan::Cached
        } else if private && self.apt && (self.downloads_off || !own) {
            Plan::MakeDebian
        } else if own && self.rustup && !self.downloads_off {
            Plan::RustupAdd
        } else if !own {
            Plan::Stop(
                "FW_TOOLCHAIN=debian needs apt-get, apt-cache, dpkg-deb and tar (Debian 12 or later)",
            )
        } else if self.rustup && self.downloads_off {
            Plan::Stop(
                "RUSTUP_AUTO_INSTALL=0 forbids a download: run `rustup target add aarch64-unknown-none-softfloat`, or unset it",
            )
        } else if self.apt && private {
            Plan::Stop(
                "run `FW_TOOLCHAIN=debian cargo xtask firmware`, or install rustup and run `rustup target add aarch64-unknown-none-softfloat`",
            )
        } else {
            Plan::Stop(
                "install rustup and run `rustup target add aarch64-unknown-none-softfloat`, or install your system's package of that target",
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Facts = Facts {
        choice: Choice::Auto,
        installed: false,
        cached: false,
        downloads_off: false,
        rustup: false,
        apt: false,
    };

    #[test]
    fn the_installed_target_comes_first() {
        let all = Facts {
            installed: true,
            cached: true,
            rustup: true,
            apt: true,
            ..NOTHING
        };
        assert_eq!(all.plan(), Plan::Installed);
        let debian = Facts {
            choice: Choice::Debian,
            ..all
        };
        assert_eq!(debian.plan(), Plan::Cached);
        let uncached = Facts {
            cached: false,
            ..debian
        };
        assert_eq!(uncached.plan(), Plan::MakeDebian);
    }

    #[test]
    fn rustup_downloads_only_where_it_may() {
        let may = Facts {
            rustup: true,
            apt: true,
            ..NOTHING
        };
        assert_eq!(may.plan(), Plan::RustupAdd);
        let off = Facts {
            downloads_off: true,
            ..may
        };
        assert_eq!(off.plan(), Plan::MakeDebian);
        let no_apt = Facts { apt: false, ..off };
        assert!(matches!(no_apt.plan(), Plan::Stop(text) if text.contains("RUSTUP_AUTO_INSTALL")));
        let only_rustup = Facts {
            choice: Choice::Rustup,
            cached: true,
            ..off
        };
        assert!(matches!(only_rustup.plan(), Plan::Stop(_)));
    }

    #[test]
    fn a_cached_toolchain_is_used_before_anything_is_fetched() {
        let cached = Facts {
            cached: true,
            rustup: true,
            apt: true,
            ..NOTHING
        };
        assert_eq!(cached.plan(), Plan::Cached);
    }

    #[test]
    fn without_anything_it_stops_with_advice() {
        assert!(matches!(NOTHING.plan(), Plan::Stop(text) if text.contains("rustup target add")));
        let debian = Facts {
            choice: Choice::Debian,
            rustup: true,
            ..NOTHING
        };
        assert!(matches!(debian.plan(), Plan::Stop(text) if text.contains("apt-get")));
        let apt = Facts {
            apt: true,
            ..NOTHING
        };
        assert!(matches!(apt.plan(), Plan::Stop(text) if text.contains("FW_TOOLCHAIN=debian")));
    }
}
