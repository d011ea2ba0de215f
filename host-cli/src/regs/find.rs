//! Registers by name, and the names that somebody may have meant.

use super::model::{Register, registers};

/// How alike two names must be for one to be offered for the other.
const ALIKE: f64 = 0.75;
/// Most names that are offered.
const MOST_OFFERED: usize = 3;

/// No register has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no register is called \"{name}\"{}; `aicprobe regs list` shows all",
    offer(near)
)]
pub struct FindError {
    /// What was asked for.
    pub name: String,
    /// Names like it, the most alike first.
    pub near: Vec<&'static str>,
}

fn offer(near: &[&str]) -> String {
    match near {
        [] => String::new(),
        near => format!(": did you mean {}?", near.join(", ")),
    }
}

/// Every register called `name`, in any case; the one whose own name it is comes first.
///
/// # Errors
/// [`FindError`] with the names nearest to it.
pub fn find(name: &str) -> Result<Vec<Register>, FindError> {
    let all = registers();
    let mut found: Vec<_> = all.iter().filter(|r| r.is_called(name)).cloned().collect();
    found.sort_by_key(|register| !register.name.eq_ignore_ascii_case(name));
    if found.is_empty() {
        Err(FindError {
            name: name.to_owned(),
            near: near(name, &all),
        })
    } else {
        Ok(found)
    }
}

/// The registers that a value may be of: the one whose own name is `name`, or else all that are called so.
///
/// # Errors
/// As [`find`].
pub fn find_for_value(name: &str) -> Result<Vec<Register>, FindError> {
    let mut found = find(name)?;
    if found[0].name.eq_ignore_ascii_case(name) {
        found.truncate(1);
    }
    Ok(found)
}

/// Names of registers like `name`, the most alike first. A name that begins with it counts as alike.
fn near(name: &str, all: &[Register]) -> Vec<&'static str> {
    let asked = name.to_ascii_uppercase();
    let likeness = |register: &Register| {
        register
            .names()
            .map(|known| {
                let known = known.to_ascii_uppercase();
                let begins = asked.len() >= 2 && known.starts_with(&asked);
                strsim::jaro_winkler(&asked, &known) + f64::from(u8::from(begins))
            })
            .fold(0.0, f64::max)
    };
    let mut scored: Vec<_> = all
        .iter()
        .map(|register| (likeness(register), register.name))
        .filter(|(alike, _)| *alike >= ALIKE)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored
        .into_iter()
        .map(|(_, name)| name)
        .take(MOST_OFFERED)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Vec<&'static str> {
        find(name).unwrap().iter().map(|r| r.name).collect()
    }

    #[test]
    fn names_aliases_stems_and_generic_names() {
        assert_eq!(names("siq_cfg"), ["SIQ_CFG_EL1"]);
        assert_eq!(names("S3_4_c15_c10_4"), ["SIQ_CFG_EL1"]);
        assert_eq!(names("APL_IRQ_CR_EL1"), ["SIQ_CFG_EL1"]);
        assert_eq!(names("CONFIG"), ["CONFIG", "GLB_CFG"]);
        assert_eq!(names("CNTV_CTL"), ["CNTV_CTL_EL0", "CNTV_CTL_EL02"]);
        let of_value = find_for_value("CONFIG").unwrap();
        assert_eq!(of_value.len(), 1, "its own name is the one meant");
        assert_eq!(find_for_value("CFG").unwrap().len(), 2);
    }

    #[test]
    fn names_that_may_have_been_meant() {
        let near = |name| find(name).unwrap_err().near;
        assert_eq!(near("SIQ"), ["SIQ_CFG_EL1"]);
        assert_eq!(near("EVNT")[0], "EVENT");
        let near_two = near("PMCR9");
        assert!(near_two.contains(&"PMC9_EL1") && near_two.contains(&"PMCR0_EL1"));
        assert!(near("IPI_RR").len() >= 2);
        assert_eq!(near("qqqq"), [""; 0]);
        assert_eq!(near(""), [""; 0]);
        let text = find("SIQ").unwrap_err().to_string();
        assert!(text.contains("did you mean SIQ_CFG_EL1?"), "{text}");
    }
}
