//! Where this project's own copies of the tables are.

use crate::error::Error;
use crate::output::to_json;
use crate::socs::Soc;

use super::{Tables, c, dts, markdown, rust};

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Its path from the root of the source tree.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// Every file that is generated from `socs`.
///
/// # Errors
/// [`Error::Internal`] if the JSON cannot be written (it goes to memory, so it can).
pub fn every_file(socs: &[&Soc]) -> Result<Vec<Made>, Error> {
    let made = |path: &str, text: String| Made {
        path: path.to_owned(),
        text,
    };
    let mut files = vec![
        made("aic-regs/src/routing/table.rs", rust(socs)),
        made("docs/routing-tables.md", markdown(socs)),
        made("tables/aicprobe-routing.h", c(socs)),
        made("tables/aicprobe-routing.json", to_json(&Tables::new(socs))?),
    ];
    for soc in socs {
        let name = soc.soc.to_lowercase();
        files.push(made(&format!("tables/{name}.dtsi"), dts(soc)));
    }
    Ok(files)
}
