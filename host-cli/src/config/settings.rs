//! Which default holds, and where it comes from.

use std::fmt;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

use crate::output::Form;

use super::file::{self, ConfigError, ConfigFile};

/// File of the folder in which one works.
const PROJECT: &str = "aicprobe.toml";
/// File of the user, in the folder for configuration.
const USER: &str = "aicprobe/config.toml";
/// Variables.
const TARGET: &str = "AICPROBE_TARGET";
const SEED: &str = "AICPROBE_SEED";

/// Where a default comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum From {
    /// This program.
    BuiltIn,
    /// A file.
    File(PathBuf),
    /// A variable of the environment.
    Environment(&'static str),
}

impl fmt::Display for From {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(name) => f.write_str(name),
        }
    }
}

/// A default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting<T> {
    /// Its value.
    pub value: T,
    /// Where it comes from.
    pub from: From,
}

impl<T> Setting<T> {
    const fn built_in(value: T) -> Self {
        let from = From::BuiltIn;
        Self { value, from }
    }

    fn set(&mut self, value: Option<T>, from: From) {
        if let Some(value) = value {
            *self = Self { value, from };
        }
    }

    /// Whether somebody has said it.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.from != From::BuiltIn
    }
}

/// Every default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// For `--target`.
    pub target: Setting<String>,
    /// For `--seed`.
    pub seed: Setting<u64>,
    /// For `--format`.
    pub format: Setting<Form>,
    /// Files that were read, the weakest first.
    pub files: Vec<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            target: Setting::built_in("vm:t8140".to_owned()),
            seed: Setting::built_in(1),
            format: Setting::built_in(Form::Table),
            files: Vec::new(),
        }
    }
}

/// Where defaults are looked for.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Files that need not be there, the weakest first.
    pub optional: Vec<PathBuf>,
    /// A file that has to be there.
    pub given: Option<PathBuf>,
    /// Value of `AICPROBE_TARGET`.
    pub target: Option<String>,
    /// Value of `AICPROBE_SEED`.
    pub seed: Option<String>,
}

impl Places {
    /// Those of this process. A file that is named stands in for both others; with `none` there are no files.
    #[must_use]
    pub fn here(given: Option<&Path>, none: bool) -> Self {
        let variable = |name| std::env::var(name).ok().filter(|text| !text.is_empty());
        let mut optional = Vec::new();
        if given.is_none() && !none {
            // `$XDG_CONFIG_HOME`, or `~/.config`; on Windows the roaming folder.
            if let Ok(places) = etcetera::choose_base_strategy() {
                optional.push(places.config_dir().join(USER));
            }
            optional.push(PathBuf::from(PROJECT));
        }
        Self {
            optional,
            given: given.map(Path::to_owned),
            target: variable(TARGET),
            seed: variable(SEED),
        }
    }
}

impl Settings {
    /// Reads `places`, each stronger than the one before: built in, user's file, project's file, environment.
    ///
    /// # Errors
    /// [`ConfigError`] for a file that is there and cannot be used, and for a variable that makes no sense.
    pub fn load(places: &Places) -> Result<Self, ConfigError> {
        let mut settings = Self::default();
        for path in &places.optional {
            match std::fs::symlink_metadata(path) {
                Ok(_) => settings.take(path)?,
                // A file that cannot be seen is not there; one that is there and cannot be read is told.
                Err(_) => continue,
            }
        }
        if let Some(path) = &places.given {
            settings.take(path)?;
        }
        let target = From::Environment(TARGET);
        settings.target.set(places.target.clone(), target);
        let seed = places.seed.as_deref();
        let seed = seed.map(|text| file::seed(SEED, text)).transpose()?;
        settings.seed.set(seed, From::Environment(SEED));
        Ok(settings)
    }

    fn take(&mut self, path: &Path) -> Result<(), ConfigError> {
        let file = ConfigFile::read(path)?;
        let from = || From::File(path.to_owned());
        self.target.set(file.target, from());
        self.seed.set(file.seed, from());
        self.format.set(file.format, from());
        self.files.push(path.to_owned());
        Ok(())
    }

    /// Whether anything is not as built in.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.target.is_set() || self.seed.is_set() || self.format.is_set()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_stronger_than_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let missing = folder.path().join("missing.toml");
        let user = put(
            "user.toml",
            "target = \"vm:t6020\"\nseed = 2\nformat = \"csv\"\n",
        );
        let project = put("project.toml", "target = \"vm:t8103\"\nseed = 3\n");
        let mut places = Places::default();
        assert_eq!(Settings::load(&places).unwrap(), Settings::default());
        let load = |places: &Places| {
            let s = Settings::load(places).unwrap();
            (s.target.value, s.seed.value, s.format.value, s.target.from)
        };
        places.optional = vec![user.clone(), missing.clone()];
        let of_user = From::File(user.clone());
        assert_eq!(
            load(&places),
            ("vm:t6020".to_owned(), 2, Form::Csv, of_user)
        );
        places.optional = vec![user.clone(), project.clone()];
        let of_project = From::File(project.clone());
        assert_eq!(
            load(&places),
            ("vm:t8103".to_owned(), 3, Form::Csv, of_project)
        );
        places.target = Some("usb".to_owned());
        places.seed = Some("4".to_owned());
        let of_variable = From::Environment(TARGET);
        assert_eq!(load(&places), ("usb".to_owned(), 4, Form::Csv, of_variable));
        for bad in ["", "-1", "+1", "x", "0x1", "99999999999999999999"] {
            places.seed = Some(bad.to_owned());
            let said = Settings::load(&places).unwrap_err().to_string();
            assert!(said.contains(SEED), "{said}");
        }
        // A file that is named has to be there.
        let places = Places {
            given: Some(missing.clone()),
            ..Places::default()
        };
        let said = Settings::load(&places).unwrap_err().to_string();
        assert!(said.contains("missing.toml"), "{said}");
        // One that need not be there and is no file is told.
        let places = Places {
            optional: vec![folder.path().to_owned()],
            ..Places::default()
        };
        assert!(Settings::load(&places).is_err());
    }
}
