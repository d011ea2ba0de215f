//! A file of defaults.

use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use toml::Table;

use crate::files::{ReadError, read_limited};
use crate::output::Form;

/// Most bytes of a file that are read.
const MOST: u64 = 64 << 10;
/// Every key.
const KEYS: &str = "target, seed and format";

/// What a file says; nothing where it does not say it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigFile {
    /// As after `--target`.
    pub target: Option<String>,
    /// As after `--seed`.
    pub seed: Option<u64>,
    /// As after `--format`.
    pub format: Option<Form>,
}

/// Why defaults cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: {why}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: ReadError,
    },
    /// It is no TOML.
    #[error("{}, line {line}: {what}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A key that there is not.
    #[error("{}: there is no key \"{key}\"; allowed are {KEYS}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
    },
    /// A value that is not allowed.
    #[error("{from}: {key} = {value} is not allowed: {allowed}")]
    Value {
        /// The file.
        from: String,
        /// The key.
        key: &'static str,
        /// The value.
        value: String,
        /// What would be.
        allowed: String,
    },
    /// An environment variable has a value that is not allowed.
    #[error("environment variable {name} = \"{value}\" is not allowed: {allowed}")]
    Variable {
        /// Its name.
        name: String,
        /// Its value, escaped.
        value: String,
        /// What would be.
        allowed: &'static str,
    },
}

impl ConfigFile {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let bytes = read_limited(path, MOST).map_err(|why| ConfigError::Read {
            path: path.to_owned(),
            why,
        })?;
        Self::parse(path, &String::from_utf8_lossy(&bytes))
    }

    /// The same of a text.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let table: Table = text
            .parse()
            .map_err(|e: toml::de::Error| ConfigError::Syntax {
                path: path.to_owned(),
                line: e.span().map_or(1, |span| {
                    1 + text
                        .bytes()
                        .take(span.start)
                        .filter(|b| *b == b'\n')
                        .count()
                }),
                what: e.message().replace('\n', " "),
            })?;
        let mut file = Self::default();
        for (key, value) in &table {
            let wrong = |key, allowed: &str| ConfigError::Value {
                from: path.display().to_string(),
                key,
                value: value.to_string(),
                allowed: allowed.to_owned(),
            };
            match key.as_str() {
                "target" => {
                    let name = value.as_str().filter(|name| !name.is_empty());
                    let name = name.ok_or_else(|| wrong("target", TARGET))?;
                    file.target = Some(name.to_owned());
                }
                "seed" => {
                    let seed = value.as_integer().and_then(|n| u64::try_from(n).ok());
                    file.seed = Some(seed.ok_or_else(|| wrong("seed", SEED))?);
                }
                "format" => {
                    let form = value
                        .as_str()
                        .and_then(|name| Form::from_str(name, false).ok());
                    file.format = Some(form.ok_or_else(|| wrong("format", &forms()))?);
                }
                _ => {
                    return Err(ConfigError::Key {
                        path: path.to_owned(),
                        key: key.clone(),
                    });
                }
            }
        }
        Ok(file)
    }
}

/// What a target may be.
const TARGET: &str = "a text as after --target, like \"vm:t6020\"";
/// What a seed may be.
const SEED: &str = "a whole number from 0 to 9223372036854775807";

/// A seed out of a variable.
///
/// # Errors
/// [`ConfigError::Variable`].
pub fn seed(variable: &str, text: &str) -> Result<u64, ConfigError> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let seed = text.parse().ok().filter(|_| digits);
    seed.ok_or_else(|| ConfigError::Variable {
        name: variable.to_owned(),
        value: text.escape_debug().to_string(),
        allowed: "a whole number from 0",
    })
}

/// Every form.
fn forms() -> String {
    let all = Form::value_variants().iter();
    let all: Vec<String> = all
        .filter_map(|form| Some(format!("\"{}\"", form.to_possible_value()?.get_name())))
        .collect();
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ConfigFile, String> {
        ConfigFile::parse(Path::new("a.toml"), text).map_err(|e| e.to_string())
    }

    #[test]
    fn what_a_file_says() {
        assert_eq!(parse(""), Ok(ConfigFile::default()));
        let all = parse("# mine\ntarget = \"usb\"\nseed = 7\nformat = \"json\"\n");
        assert_eq!(
            all,
            Ok(ConfigFile {
                target: Some("usb".to_owned()),
                seed: Some(7),
                format: Some(Form::Json),
            })
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_file_and_key() {
        let said = |text: &str| parse(text).unwrap_err();
        assert_eq!(
            said("sed = 1"),
            "a.toml: there is no key \"sed\"; allowed are target, seed and format"
        );
        assert_eq!(
            said("[seed]\nx = 1"),
            format!("a.toml: seed = {{ x = 1 }} is not allowed: {SEED}")
        );
        for bad in ["seed = -1", "seed = \"1\"", "seed = 1.0", "seed = true"] {
            assert!(said(bad).starts_with("a.toml: seed = "), "{}", said(bad));
        }
        for bad in ["target = \"\"", "target = 1", "target = []"] {
            assert!(
                said(bad).contains("is not allowed: a text"),
                "{}",
                said(bad)
            );
        }
        let form = said("format = \"xml\"");
        assert!(
            form.contains("\"xml\"") && form.contains("\"jsonl\""),
            "{form}"
        );
        let syntax = said("seed = 1\ntarget = \n");
        assert!(syntax.starts_with("a.toml, line 2: "), "{syntax}");
        assert!(!syntax.contains('\n'), "{syntax}");
        let twice = said("seed = 1\nseed = 2\n");
        assert!(twice.starts_with("a.toml, line 2: "), "{twice}");
    }
}
