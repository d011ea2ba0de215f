//! From the name of a target to a link.

use std::path::Path;

use virtual_soc::{SocModel, VirtualTarget};

use crate::error::Error;
use crate::link::{Link, VirtualLink};
use crate::result::Mark;

/// A target that a link leads to.
pub struct OpenTarget {
    /// The link.
    pub link: Box<dyn Link>,
    /// What has to be said about every result.
    pub marks: Vec<Mark>,
    /// Length of a virtual CPU's turn in nanoseconds; `None` on hardware.
    pub slice_ns: Option<f64>,
    /// Whether it is hardware, where time costs and mistakes hurt.
    pub hardware: bool,
}

/// Opens `name`.
///
/// # Errors
/// [`Error::UnknownTarget`], [`Error::SocFile`], [`Error::Model`].
pub fn open(name: &str, seed: u64) -> Result<OpenTarget, Error> {
    let unknown = |what: &str| Error::UnknownTarget {
        given: name.to_owned(),
        what: what.to_owned(),
        allowed: format!(
            "vm:NAME with a NAME of {}, and vm:FILE.toml",
            SocModel::builtin_names().join(", ")
        ),
    };
    let Some(soc) = name.strip_prefix("vm:") else {
        return Err(unknown("no such kind of target"));
    };
    let model = if soc.ends_with(".toml") || soc.contains(['/', '\\']) {
        let path = Path::new(soc);
        let text = std::fs::read_to_string(path).map_err(|why| Error::SocFile {
            path: path.to_owned(),
            why,
        })?;
        SocModel::from_toml(&text, soc)?
    } else {
        SocModel::builtin(soc).ok_or_else(|| unknown("no such virtual SoC"))?
    };
    let timing = &model.timing;
    Ok(OpenTarget {
        slice_ns: Some(f64::from(timing.slice) * f64::from(timing.ps_per_insn) / 1e3),
        marks: vec![Mark::model_only(format!(
            "every number is an answer of the virtual SoC \"{}\" ({}), none is hardware's",
            model.name, model.title
        ))],
        link: Box::new(VirtualLink::new(VirtualTarget::from_model(&model, seed)?)),
        hardware: false,
    })
}
