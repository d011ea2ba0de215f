//! Numbers and bars as they are shown.

use std::time::Duration;

use crate::stats::ticks_to_ns;

/// A count in at most six characters.
pub fn short(n: u64) -> String {
    match n {
        0..100_000 => n.to_string(),
        100_000..10_000_000 => format!("{:.1}k", n as f64 / 1e3),
        10_000_000..10_000_000_000 => format!("{:.1}M", n as f64 / 1e6),
        _ => format!("{:.1}G", n as f64 / 1e9),
    }
}

/// Hours, minutes and seconds; days where there are any.
pub fn clock(time: Duration) -> String {
    let s = time.as_secs();
    let (h, m, s) = (s / 3600, s / 60 % 60, s % 60);
    match h {
        0 => format!("{m}:{s:02}"),
        1..100 => format!("{h}:{m:02}:{s:02}"),
        _ => format!("{} d {} h", h / 24, h % 24),
    }
}

/// A time in microseconds, without zeros that say nothing.
pub fn us(us: u32) -> String {
    match us {
        0..1000 => format!("{us} us"),
        _ => format!("{} ms", f64::from(us) / 1e3),
    }
}

/// Ticks as a time, as far as the counter is known.
pub fn ticks(ticks: u64, hz: u64) -> String {
    match ticks_to_ns(ticks, hz) {
        _ if hz == 0 => format!("{ticks} ticks"),
        ns @ 0..100_000 => format!("{ns} ns"),
        ns @ 100_000..100_000_000 => format!("{:.1} us", ns as f64 / 1e3),
        ns => format!("{:.1} ms", ns as f64 / 1e6),
    }
}

/// A bar of `width` cells, `share` of it (0 to 1) full. What is not 0 is seen.
pub fn bar(width: usize, share: f64) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let full = width * 8;
    let mut eighths = ((full as f64 * share.clamp(0.0, 1.0)).round() as usize).min(full);
    if share > 0.0 {
        eighths = eighths.max(1);
    }
    let mut text = "█".repeat(eighths / 8);
    if eighths / 8 < width {
        text.push(EIGHTHS[eighths % 8]);
        text.push_str(&" ".repeat(width - eighths / 8 - 1));
    }
    text
}

/// `part` of `whole`; 0 of nothing.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod words_tests {
    use super::*;

    #[test]
    fn counts_stay_short() {
        for (n, text) in [
            (0, "0"),
            (99_999, "99999"),
            (100_000, "100.0k"),
            (9_999_940, "9999.9k"),
            (10_000_000, "10.0M"),
            (1_234_567_890, "1234.6M"),
            (20_000_000_000, "20.0G"),
        ] {
            assert_eq!(short(n), text);
        }
    }

    #[test]
    fn times() {
        assert_eq!(clock(Duration::from_secs(5)), "0:05");
        assert_eq!(clock(Duration::from_secs(3661)), "1:01:01");
        assert_eq!(clock(Duration::from_secs(100 * 3600)), "4 d 4 h");
        assert_eq!(
            (us(200), us(35_000), us(1_250)),
            ("200 us".into(), "35 ms".into(), "1.25 ms".into())
        );
        assert_eq!(ticks(4, 24_000_000), "167 ns");
        assert_eq!(ticks(4, 0), "4 ticks");
        assert_eq!(ticks(24_000_000, 24_000_000), "1000.0 ms");
    }

    #[test]
    fn bars_are_as_wide_as_they_should_be() {
        for (share, text) in [
            (0.0, "    "),
            (0.001, "▏   "),
            (0.5, "██  "),
            (0.53, "██▏ "),
            (1.0, "████"),
            (7.0, "████"),
            (f64::NAN, "    "),
        ] {
            assert_eq!(bar(4, share), text, "{share}");
        }
        assert_eq!(bar(0, 1.0), "");
    }
}
