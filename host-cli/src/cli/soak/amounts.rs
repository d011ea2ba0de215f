//! How long, and how many intervals: values of options.

use super::super::values;

/// Longest duration.
const MAX_DURATION_S: u64 = 30 * 24 * 3600;

/// A time in microseconds.
pub fn duration(text: &str) -> Result<u64, String> {
    let allowed = || {
        format!(
            "\"{text}\" is no duration: allowed is a number and ms, s, m or h, from 1ms to {}h",
            MAX_DURATION_S / 3600
        )
    };
    // "m" of minutes is the end of no other unit but is the beginning of "ms".
    let units = [("ms", 1e3), ("s", 1e6), ("m", 6e7), ("h", 3.6e9)];
    let cut = units
        .iter()
        .find_map(|(unit, us)| text.strip_suffix(unit).map(|n| (n, *us)));
    let (number, unit) = cut.ok_or_else(allowed)?;
    let us = number.parse::<f64>().map_err(|_| allowed())? * unit;
    if (1e3..=MAX_DURATION_S as f64 * 1e6).contains(&us) {
        // In range.
        Ok(us.round() as u64)
    } else {
        Err(allowed())
    }
}

/// How many intervals are kept.
pub fn keep(text: &str) -> Result<usize, String> {
    let n = values::number::<u32>(text, "number of intervals: allowed are 1 to 10000000")?;
    if (1..=10_000_000).contains(&n) {
        Ok(n as usize)
    } else {
        Err(format!("{n} intervals: allowed are 1 to 10000000"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(duration("250ms"), Ok(250_000));
        assert_eq!(duration("1.5s"), Ok(1_500_000));
        assert_eq!(duration("2m"), Ok(120_000_000));
        assert_eq!(duration("720h"), Ok(2_592_000_000_000));
        for bad in [
            "", "5", "s", "0s", "-1s", "nans", "infh", "721h", "1d", "0.5ms",
        ] {
            let said = duration(bad).expect_err(bad);
            assert!(said.contains("ms, s, m or h"), "{said}");
        }
        assert!(keep("0").is_err() && keep("10000001").is_err() && keep("x").is_err());
        assert_eq!(keep("7"), Ok(7));
    }
}
