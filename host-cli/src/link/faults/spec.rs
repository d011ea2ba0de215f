//! Which faults, how often: `drop=0.001,corrupt=0.001,seed=7`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Longest delay where none is named.
const USUAL_DELAY_MS: u64 = 100;
/// Longest delay that may be named, in milliseconds.
const MOST_DELAY_MS: u64 = 60_000;
/// What a specification may hold.
const ALLOWED: &str = "drop, duplicate, corrupt, delay, truncate, disconnect, text (rates from 0 to 1), seed (a number) and delay_ms (1 to 60000), like drop=0.001,corrupt=0.001,seed=7";

/// Rates of faults: the chance of a piece (at most 512 bytes handed over at once) to meet each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaultSpec {
    /// Decides every choice.
    pub seed: u64,
    /// The piece is lost.
    pub drop: f64,
    /// It comes twice.
    pub duplicate: f64,
    /// One bit of it changes.
    pub corrupt: f64,
    /// It comes later, and all that follows in its direction.
    pub delay: f64,
    /// Its end is lost.
    pub truncate: f64,
    /// The link ends, for good.
    pub disconnect: f64,
    /// Text comes before it (from the target only).
    pub text: f64,
    /// A delay is between 1 us and this.
    pub longest_delay: Duration,
}

impl Default for FaultSpec {
    /// A perfect link.
    fn default() -> Self {
        Self {
            seed: 1,
            drop: 0.0,
            duplicate: 0.0,
            corrupt: 0.0,
            delay: 0.0,
            truncate: 0.0,
            disconnect: 0.0,
            text: 0.0,
            longest_delay: Duration::from_millis(USUAL_DELAY_MS),
        }
    }
}

/// Why a specification makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}; allowed are {ALLOWED}")]
pub struct SpecError {
    what: String,
}

impl FromStr for FaultSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut spec = Self::default();
        for item in text.split(',') {
            let bad = |why: &str| SpecError {
                what: format!("{item:?}: {why}"),
            };
            let (key, value) = item
                .split_once('=')
                .ok_or_else(|| bad("not of the form NAME=VALUE"))?;
            let (key, value) = (key.trim(), value.trim());
            match key {
                "seed" => spec.seed = value.parse().map_err(|_| bad("no number"))?,
                "delay_ms" => {
                    let ms = value.parse().map_err(|_| bad("no number"))?;
                    if !(1..=MOST_DELAY_MS).contains(&ms) {
                        return Err(bad("out of range"));
                    }
                    spec.longest_delay = Duration::from_millis(ms);
                }
                name => {
                    let rate = spec.rate(name).ok_or_else(|| bad("no such fault"))?;
                    let given = value.parse().map_err(|_| bad("no number"))?;
                    if !(0.0..=1.0).contains(&given) {
                        return Err(bad("no rate from 0 to 1"));
                    }
                    *rate = given;
                }
            }
        }
        Ok(spec)
    }
}

impl FaultSpec {
    /// The rate of a name.
    fn rate(&mut self, name: &str) -> Option<&mut f64> {
        Some(match name {
            "drop" => &mut self.drop,
            "duplicate" => &mut self.duplicate,
            "corrupt" => &mut self.corrupt,
            "delay" => &mut self.delay,
            "truncate" => &mut self.truncate,
            "disconnect" => &mut self.disconnect,
            "text" => &mut self.text,
            _ => return None,
        })
    }
}

impl fmt::Display for FaultSpec {
    /// Only what is not 0; the form that is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rates = [
            ("drop", self.drop),
            ("duplicate", self.duplicate),
            ("corrupt", self.corrupt),
            ("delay", self.delay),
            ("truncate", self.truncate),
            ("disconnect", self.disconnect),
            ("text", self.text),
        ];
        for (name, rate) in rates.into_iter().filter(|(_, r)| *r > 0.0) {
            write!(f, "{name}={rate},")?;
        }
        if self.delay > 0.0 {
            write!(f, "delay_ms={},", self.longest_delay.as_millis())?;
        }
        write!(f, "seed={}", self.seed)
    }
}
