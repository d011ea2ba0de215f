//! Pictures: scales, axes and the frame that makes a picture readable without seeing it.

use maud::{Markup, html};

/// A picture of `width` by `height`, in a box that scrolls for itself. `id` is unique in the page; `desc` says in words what is to
/// be seen.
pub fn svg(
    id: &str,
    title: &str,
    desc: &str,
    (width, height): (f64, f64),
    body: &Markup,
) -> Markup {
    let (t, d) = (format!("{id}-t"), format!("{id}-d"));
    html! {
        div.scroll.pic tabindex="0" role="region" aria-label=(title) {
            svg role="img" aria-labelledby=(format!("{t} {d}")) width=(px(width)) height=(px(height))
                viewBox=(format!("0 0 {} {}", px(width), px(height))) {
                title id=(t) { (title) }
                desc id=(d) { (desc) }
                (body)
            }
        }
    }
}

/// A coordinate: a tenth of a pixel is enough, and the same on every host.
pub fn px(x: f64) -> String {
    let x = if x.is_finite() {
        x.clamp(-1e5, 1e5)
    } else {
        0.0
    };
    let text = format!("{x:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// Marks that an axis has room for.
const MANY: usize = 10;

/// From values to coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    log: bool,
}

impl Scale {
    /// Equal steps for equal differences, from 0 (or `low`, if that is below) to a little above `high`.
    pub fn linear(low: f64, high: f64, from: f64, to: f64) -> Self {
        let low = if low.is_finite() { low } else { 0.0 };
        let high = if high.is_finite() && high > low {
            high
        } else {
            low + 1.0
        };
        Self {
            low,
            high,
            from,
            to,
            log: false,
        }
    }

    /// Equal steps for equal factors; values below 1 count as 1. Both ends are 1 to 9 times a power of ten.
    pub fn log(low: f64, high: f64, from: f64, to: f64) -> Self {
        let low = if low.is_finite() { low.max(1.0) } else { 1.0 };
        let high = if high.is_finite() { high.max(low) } else { low };
        let below = rungs().take_while(|r| *r <= low).last().unwrap_or(1.0);
        let above = rungs().find(|r| *r >= high && *r > below);
        Self {
            low: below,
            high: above.unwrap_or(below * 10.0),
            from,
            to,
            log: true,
        }
    }

    /// Where `value` is; values beyond the ends are at the ends.
    pub fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let share = if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + share * (self.to - self.from)
    }

    /// Values for marks on the axis.
    pub fn ticks(&self) -> Vec<f64> {
        if self.log {
            let all: Vec<f64> = rungs()
                .skip_while(|r| *r < self.low)
                .take_while(|r| *r <= self.high)
                .collect();
            let decade = |r: &f64| (r.log10() - r.log10().round()).abs() < 1e-9;
            if all.len() <= MANY {
                return all;
            }
            let one_two_five = |r: &f64| {
                let first = r / 10f64.powf(r.log10().floor() + 1e-9).round().max(1.0);
                [1.0, 2.0, 5.0].iter().any(|n| (first - n).abs() < 1e-6)
            };
            let some: Vec<f64> = all.iter().copied().filter(one_two_five).collect();
            if some.len() <= MANY {
                return some;
            }
            return all.into_iter().filter(decade).collect();
        }
        let span = self.high - self.low;
        let rough = span / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|s| s * power);
        let step = step.into_iter().find(|s| *s >= rough).unwrap_or(power);
        let first = (self.low / step).ceil() as i64;
        (first..first + 12)
            .map(|n| n as f64 * step)
            .take_while(|v| *v <= self.high * (1.0 + 1e-9))
            .collect()
    }
}

/// 1, 2, 3, …, 9, 10, 20, … up to what 64 bits hold.
fn rungs() -> impl Iterator<Item = f64> {
    (0..20).flat_map(|power| (1..10).map(move |n| f64::from(n) * 10f64.powi(power)))
}

/// A time, with its unit.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns >= 1e9 => (ns / 1e9, "s"),
        ns if ns >= 1e6 => (ns / 1e6, "ms"),
        ns if ns >= 1e3 => (ns / 1e3, "µs"),
        ns => (ns, "ns"),
    };
    format!("{} {unit}", short(value))
}

/// A number with as many digits as say something.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if size >= 1e6 {
        return format!("{} M", short(value / 1e6));
    }
    let digits = match size {
        s if s == 0.0 || s >= 100.0 => 0,
        s if s >= 10.0 => 1,
        s if s >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales() {
        let log = Scale::log(42.0, 1208.0, 0.0, 100.0);
        assert_eq!(log.ticks(), [50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0]);
        let narrow = Scale::log(125.0, 292.0, 0.0, 100.0);
        assert_eq!(narrow.ticks(), [100.0, 200.0, 300.0]);
        assert_eq!(
            (px(log.at(0.0)), px(log.at(1e300))),
            ("0".into(), "100".into())
        );
        let wide = Scale::log(1.0, 1e9, 0.0, 1.0).ticks();
        assert_eq!(wide.len(), 10, "{wide:?}");
        assert_eq!(
            Scale::linear(0.0, 24.0, 0.0, 1.0).ticks(),
            [0.0, 5.0, 10.0, 15.0, 20.0]
        );
        // Nothing, and nonsense, have scales too.
        for bad in [f64::NAN, f64::INFINITY, 0.0, -3.0] {
            for scale in [
                Scale::log(bad, bad, 0.0, 9.0),
                Scale::linear(0.0, bad, 0.0, 9.0),
            ] {
                assert!(
                    scale.at(5.0).is_finite() && !scale.ticks().is_empty(),
                    "{bad}"
                );
            }
        }
    }

    #[test]
    fn numbers_for_eyes() {
        assert_eq!(
            (time(41.0), time(1500.0), time(2e9)),
            ("41 ns".into(), "1.5 µs".into(), "2 s".into())
        );
        assert_eq!(
            (short(0.0), short(184.2), short(0.25)),
            ("0".into(), "184".into(), "0.25".into())
        );
        assert_eq!(
            (px(-0.01), px(3.0), px(2.25)),
            ("0".into(), "3".into(), "2.2".into())
        );
    }
}
