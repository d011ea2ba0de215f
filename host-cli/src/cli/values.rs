//! Values of options that are more than a number.

use clap::ValueEnum;
use protocol::LineId;

use crate::error::Error;
use crate::plan::{MAX_MASK_US, MAX_TIMEOUT_US};

/// A decimal or `0x` number.
pub fn number<T: TryFrom<u64>>(text: &str, what: &str) -> Result<T, String> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    // The library's parser takes a plus sign.
    let all_digits = digits.chars().all(|c| c.is_digit(radix));
    u64::from_str_radix(digits, radix)
        .ok()
        .filter(|_| all_digits)
        .and_then(|n| T::try_from(n).ok())
        .ok_or_else(|| format!("\"{text}\" is no {what}"))
}

/// An address or an offset.
pub fn address(text: &str) -> Result<u64, String> {
    number(text, "address: allowed is a decimal or 0x number")
}

/// Room for lines of a die.
pub fn max_irq(text: &str) -> Result<u32, String> {
    const WHAT: &str = "room for lines: allowed is a multiple of 32 from 32 to 0x1000";
    let n: u32 = number(text, WHAT)?;
    if (32..=0x1000).contains(&n) && n.is_multiple_of(32) {
        Ok(n)
    } else {
        Err(format!("\"{text}\" is no {WHAT}"))
    }
}

/// `NUMBER` or `DIE:NUMBER`.
pub fn line(text: &str) -> Result<LineId, String> {
    const LINE: &str = "line: allowed are NUMBER and DIE:NUMBER, each from 0";
    let (die, line) = match text.split_once(':') {
        Some((die, line)) => (number(die, LINE)?, line),
        None => (0, text),
    };
    let n: u32 = number(line, LINE)?;
    match (u16::try_from(n), aic_regs::aic::Line::from_hwirq(n)) {
        (Ok(number), _) => Ok(LineId { die, number }),
        (Err(_), Some(l)) => Err(format!(
            "line {n} does not exist; as a hwirq it is line {l}"
        )),
        (Err(_), None) => Err(format!("line {n} does not exist: allowed are 0 to 65535")),
    }
}

/// A row of the list of behaviours that has an experiment.
pub fn row(text: &str) -> Result<u8, String> {
    let rows = crate::behaviour::rows();
    let all: Vec<String> = rows.iter().map(u8::to_string).collect();
    let all = all.join(" ");
    let n = number(text, &format!("row: allowed are {all}"))?;
    if rows.contains(&n) {
        Ok(n)
    } else {
        Err(format!("row {n} has no experiment: allowed are {all}"))
    }
}

/// `CPU[,CPU…]`, decimal only: a number with `0x` is meant as a mask of bits, and would be taken for one CPU.
pub fn cpus(text: &str) -> Result<super::args::CpuSet, String> {
    let what = "CPU: allowed are logical ids in decimal with commas between, as in 1,2 (not a mask of bits)";
    let ids = text.split(',').map(|id| {
        let decimal = id.bytes().all(|b| b.is_ascii_digit());
        let id_or_nothing = if decimal { id } else { "" };
        number(id_or_nothing, what).map_err(|_| format!("\"{id}\" is no {what}"))
    });
    ids.collect::<Result<_, _>>().map(super::args::CpuSet)
}

/// `CPU=V`.
pub fn set_field(text: &str) -> Result<(u32, u8), String> {
    let (cpu, value) = text
        .split_once('=')
        .ok_or("allowed is CPU=V, a logical id and a field value")?;
    let cpu = number(cpu, "CPU: allowed is a logical id")?;
    match number::<u64>(value, "field value: allowed are 0, 1, 2 and 3")? {
        // At most 3.
        value @ 0..=3 => Ok((cpu, value as u8)),
        value => Err(format!(
            "field value {value} does not exist: allowed are 0, 1, 2 and 3"
        )),
    }
}

/// `CPU:MS`, as CPU and microseconds.
pub fn mask(text: &str) -> Result<(u32, u32), String> {
    let (cpu, ms) = text
        .split_once(':')
        .ok_or("allowed is CPU:MS, a logical id and milliseconds")?;
    let cpu = number(cpu, "CPU: allowed is a logical id")?;
    Ok((cpu, micros(ms, MAX_MASK_US)?))
}

/// Milliseconds of a timeout.
pub fn timeout_ms(text: &str) -> Result<f64, String> {
    micros(text, MAX_TIMEOUT_US).map(|us| f64::from(us) / 1e3)
}

/// Milliseconds, fractions allowed, as microseconds from 1 to `most`.
fn micros(text: &str, most: u32) -> Result<u32, String> {
    let allowed = || {
        let most = most / 1000;
        format!("{text} ms is not allowed: 0.001 to {most}")
    };
    let ms: f64 = text.parse().map_err(|_| allowed())?;
    let us = (ms * 1e3).round();
    if us >= 1.0 && us <= f64::from(most) {
        // In range, and whole.
        Ok(us as u32)
    } else {
        Err(allowed())
    }
}

/// Every one of `given` is there once.
///
/// # Errors
/// [`Error::Usage`] that names the first that is there twice.
pub fn once<T: PartialEq>(
    option: &str,
    given: &[T],
    name: impl Fn(&T) -> String,
) -> Result<(), Error> {
    let twice = (0..given.len()).find(|at| given[..*at].contains(&given[*at]));
    match twice {
        Some(at) => Err(Error::Usage(format!(
            "{option} names {} twice",
            name(&given[at])
        ))),
        None => Ok(()),
    }
}

/// The same for words that the parser knows.
///
/// # Errors
/// Those of [`once`].
pub fn words_once<T: ValueEnum + PartialEq>(option: &str, given: &[T]) -> Result<(), Error> {
    once(option, given, |word| {
        let value = word.to_possible_value();
        value.map_or_else(String::new, |v| v.get_name().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        assert_eq!(
            line("996"),
            Ok(LineId {
                die: 0,
                number: 996
            })
        );
        assert_eq!(line("3:0x10"), Ok(LineId { die: 3, number: 16 }));
        let hint = "line 66532 does not exist; as a hwirq it is line 0:996";
        assert_eq!(line("66532"), Err(hint.into()));
        let range = "line 131072 does not exist: allowed are 0 to 65535";
        assert_eq!(line("131072"), Err(range.into()));
        for bad in ["", "x", "-1", "1:2:3", "256:1", "1.5"] {
            assert!(line(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sets_of_cpus() {
        let of = |text: &str| cpus(text).map(|set| set.0);
        assert_eq!(of("1,2,10"), Ok(vec![1, 2, 10]));
        for mask in ["0x6", "0x81", "1,0x2"] {
            let said = of(mask).expect_err("a mask of bits");
            assert!(
                said.contains("decimal") && said.contains("not a mask"),
                "{said}"
            );
        }
        for bad in ["", ",", "1,", "-1", "+1", "a", "1 2"] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn addresses() {
        assert!(address("0x10_000").is_err() && address("x").is_err());
        assert_eq!(address("0x10000"), Ok(0x1_0000));
        assert_eq!(address("2048"), Ok(2048));
        let range = "\"-1\" is no address: allowed is a decimal or 0x number";
        assert_eq!(address("-1"), Err(range.into()));
    }

    #[test]
    fn fields_and_masks() {
        assert_eq!(set_field("5=2"), Ok((5, 2)));
        let range = "field value 4 does not exist: allowed are 0, 1, 2 and 3";
        assert_eq!(set_field("5=4"), Err(range.into()));
        assert!(set_field("5").is_err() && set_field("=1").is_err() && set_field("1=").is_err());
        assert_eq!(mask("0:35"), Ok((0, 35_000)));
        assert_eq!(mask("0:0.2"), Ok((0, 200)));
        let range = "0 ms is not allowed: 0.001 to 1000";
        assert_eq!(mask("0:0"), Err(range.into()));
        for bad in ["0:1001", "0:-1", "0:nan", "0:inf", "0", "a:1"] {
            assert!(mask(bad).is_err(), "{bad}");
        }
        assert_eq!(timeout_ms("2.5"), Ok(2.5));
        assert!(timeout_ms("0").is_err() && timeout_ms("1e9").is_err());
    }
}
