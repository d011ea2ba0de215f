//! What is known of each SoC's interrupt routing: the files under `socs/`, the one source of every table.
//!
//! A file says which CPUs take interrupts as a kernel finds them, what each value of SIQ_CFG's routing field means, who says so,
//! and whether the SoC is on the allow-list. The files are built into this program; [`load`] reads others.

mod check;
mod read;
mod schema;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

pub(crate) use read::read_text;
pub use read::{MOST_BYTES, SocsError, load, parse};
pub use schema::{
    AllowList, Class, Evidence, EvidenceKind, MpidrText, Soc, SocAic, SocCpu, State, Value, Values,
};

// `EMBEDDED: &[(&str, &str)]`: name and text of every file, by name.
include!(concat!(env!("OUT_DIR"), "/socs.rs"));

/// Every SoC that this program knows, by chip id.
///
/// # Errors
/// [`SocsError`] if a file that was built in is wrong: a fault of this program, which its tests find.
pub fn all() -> Result<&'static [Soc], SocsError> {
    static ALL: OnceLock<Result<Vec<Soc>, SocsError>> = OnceLock::new();
    ALL.get_or_init(|| read::all_of(EMBEDDED.iter().copied()))
        .as_deref()
        .map_err(Clone::clone)
}

/// Whether a text is YYYY-MM-DD.
pub(crate) fn is_date(text: &str) -> bool {
    check::is_date(text, true)
}

/// The SoC with this chip id, if it is known.
///
/// # Errors
/// As [`all`].
pub fn of_chip(chip_id: u32) -> Result<Option<&'static Soc>, SocsError> {
    Ok(all()?.iter().find(|soc| soc.chip_id == chip_id))
}
