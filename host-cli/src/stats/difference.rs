//! Intervals of a difference between two sides: Welch's for values of runs, Newcombe's for shares of triggers.
//!
//! Quantiles come from `statrs`: it is kept up and tested against published tables, and without its default features it
//! brings no linear algebra.

use statrs::distribution::{ContinuousCDF as _, Normal, StudentsT};

/// From `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Around `middle`, `half` to each side.
    #[must_use]
    pub fn around(middle: f64, half: f64) -> Self {
        Self {
            low: middle - half,
            high: middle + half,
        }
    }

    /// The smallest interval that holds both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Whether `x` lies in it, ends included.
    #[must_use]
    pub fn contains(self, x: f64) -> bool {
        (self.low..=self.high).contains(&x)
    }

    /// Whether no value in it is further from 0 than `margin`.
    #[must_use]
    pub fn is_within(self, margin: f64) -> bool {
        self.low >= -margin && self.high <= margin
    }
}

/// The two-sided quantile of Student's t: a share `confidence` (above 0, below 1) lies between minus and plus this. Infinite
/// where `freedom` is no positive number.
#[must_use]
pub fn student_t(confidence: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(upper(confidence)))
}

/// The same of the standard normal distribution.
#[must_use]
pub fn normal_z(confidence: f64) -> f64 {
    Normal::new(0.0, 1.0).map_or(f64::INFINITY, |z| z.inverse_cdf(upper(confidence)))
}

fn upper(confidence: f64) -> f64 {
    f64::midpoint(1.0, confidence.clamp(0.0, 1.0))
}

/// Mean; 0 of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.iter().sum::<f64>() / values.len() as f64
}

/// Variance of the mean of `values`; at least two are needed.
fn variance_of_mean(values: &[f64]) -> f64 {
    let (n, middle) = (values.len() as f64, mean(values));
    let squares: f64 = values.iter().map(|v| (v - middle).powi(2)).sum();
    squares / (n - 1.0) / n
}

/// Interval of mean(b) - mean(a), both normal with variances of their own (Welch 1947, degrees of freedom after Satterthwaite);
/// `None` with less than two values a side. Values that do not vary at all give a single point.
#[must_use]
pub fn welch(a: &[f64], b: &[f64], confidence: f64) -> Option<Interval> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let difference = mean(b) - mean(a);
    let (va, vb) = (variance_of_mean(a), variance_of_mean(b));
    let both = va + vb;
    if both <= 0.0 {
        return Some(Interval::around(difference, 0.0));
    }
    // As shares of the sum: tiny variances do not underflow when squared.
    let (ra, rb) = (va / both, vb / both);
    let below = ra * ra / (a.len() as f64 - 1.0) + rb * rb / (b.len() as f64 - 1.0);
    let half = student_t(confidence, below.recip()) * both.sqrt();
    Some(Interval::around(difference, half))
}

/// Interval of a rate of which `k` in `n` were seen (Wilson 1927); everything if nothing was tried.
#[must_use]
pub fn wilson(k: u64, n: u64, confidence: f64) -> Interval {
    if n == 0 {
        return Interval {
            low: 0.0,
            high: 1.0,
        };
    }
    let (z, n, k) = (normal_z(confidence), n as f64, k.min(n) as f64);
    let z2 = z * z;
    let middle = 2.0 * k + z2;
    let root = z * (z2 + 4.0 * k * (1.0 - k / n)).sqrt();
    let below = 2.0 * (n + z2);
    // Exact at the ends, where rounding could leave the unit interval.
    Interval {
        low: if k <= 0.0 {
            0.0
        } else {
            (middle - root) / below
        },
        high: if k >= n { 1.0 } else { (middle + root) / below },
    }
}

/// Interval of the rate of `b` minus the rate of `a`, each as (seen, tried): Wilson's intervals combined by squares (Newcombe
/// 1998, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17:873, method 10).
#[must_use]
pub fn newcombe(a: (u64, u64), b: (u64, u64), confidence: f64) -> Interval {
    let (wa, wb) = (wilson(a.0, a.1, confidence), wilson(b.0, b.1, confidence));
    let rate = |(k, n): (u64, u64)| {
        if n == 0 {
            0.5
        } else {
            k.min(n) as f64 / n as f64
        }
    };
    let (ra, rb) = (rate(a), rate(b));
    let difference = rb - ra;
    Interval {
        low: difference - (rb - wb.low).hypot(wa.high - ra),
        high: difference + (wb.high - rb).hypot(ra - wa.low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, "Critical Values of the Student's t Distribution".
    #[test]
    fn t_as_tabulated() {
        let table = [
            (1.0, 12.706, 63.657),
            (2.0, 4.303, 9.925),
            (3.0, 3.182, 5.841),
            (4.0, 2.776, 4.604),
            (5.0, 2.571, 4.032),
            (10.0, 2.228, 3.169),
            (20.0, 2.086, 2.845),
            (30.0, 2.042, 2.750),
            (100.0, 1.984, 2.626),
        ];
        for (freedom, at_95, at_99) in table {
            for (confidence, published) in [(0.95, at_95), (0.99, at_99)] {
                let t = student_t(confidence, freedom);
                assert!((t - published).abs() < 6e-4, "{freedom}: {t}, {published}");
            }
        }
        // 0.998 two-sided is the table's 0.999.
        assert!((student_t(0.998, 4.0) - 7.173).abs() < 6e-4);
        assert!((normal_z(0.95) - 1.959_964).abs() < 1e-6);
        assert!(student_t(0.95, f64::NAN).is_infinite());
    }

    /// Far out, where tests judged together need it: t of 1 degree is the tangent, of 2 has a closed form.
    #[test]
    fn t_far_out() {
        for confidence in [0.9999, 0.999_99, 0.999_999] {
            let t1 = (std::f64::consts::FRAC_PI_2 * confidence).tan();
            let t2 = confidence * (2.0 / (1.0 - confidence * confidence)).sqrt();
            for (freedom, exact) in [(1.0, t1), (2.0, t2)] {
                let t = student_t(confidence, freedom);
                assert!((t / exact - 1.0).abs() < 1e-4, "{freedom}: {t}, {exact}");
            }
        }
    }

    /// Student's data on soporific drugs (1908), as in the examples of R's `t.test`: -3.3654832 to 0.2054832, 17.776 degrees.
    #[test]
    fn welch_as_published() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let i = welch(&second, &first, 0.95).unwrap();
        assert!((i.low + 3.365_483_2).abs() < 1e-6, "{i:?}");
        assert!((i.high - 0.205_483_2).abs() < 1e-6, "{i:?}");
        assert_eq!(welch(&[1.0], &first, 0.95), None);
        assert_eq!(welch(&[], &first, 0.95), None);
    }

    #[test]
    fn runs_that_do_not_vary_give_a_point() {
        let i = welch(&[5.0, 5.0], &[7.0, 7.0, 7.0], 0.95).unwrap();
        assert_eq!((i.low, i.high), (2.0, 2.0));
        // One side that varies has its own degrees of freedom only.
        let i = welch(&[5.0; 9], &[6.0, 8.0], 0.95).unwrap();
        assert!((i.high - 2.0 - 12.706_2).abs() < 1e-3, "{i:?}");
    }

    /// Newcombe 1998, table II, examples (a) to (h), method 10.
    #[test]
    fn newcombe_as_published() {
        let table = [
            ((56, 70), (48, 80), 0.0524, 0.3339),
            ((9, 10), (3, 10), 0.1705, 0.8090),
            ((6, 7), (2, 7), 0.0582, 0.8062),
            ((5, 56), (0, 29), -0.0381, 0.1926),
            ((0, 10), (0, 20), -0.1611, 0.2775),
            ((0, 10), (0, 10), -0.2775, 0.2775),
            ((10, 10), (0, 20), 0.6791, 1.0),
            ((10, 10), (0, 10), 0.6075, 1.0),
        ];
        for (first, second, low, high) in table {
            // Published is the first rate minus the second.
            let i = newcombe(second, first, 0.95);
            assert!((i.low - low).abs() < 6e-5, "{first:?} {second:?}: {i:?}");
            assert!((i.high - high).abs() < 6e-5, "{first:?} {second:?}: {i:?}");
            let turned = newcombe(first, second, 0.95);
            assert_eq!((turned.low, turned.high), (-i.high, -i.low));
        }
    }

    #[test]
    fn nothing_tried_says_nothing() {
        let i = newcombe((0, 0), (0, 0), 0.95);
        assert!(i.contains(0.0) && i.contains(0.7) && i.contains(-0.7));
        assert!(wilson(9, 5, 0.95).high <= 1.0);
    }

    /// Two numbers of a standard normal distribution (Box and Muller).
    fn normal(random: &mut SplitMix64) -> f64 {
        let unit = |x: u64| (x >> 11) as f64 / (1u64 << 53) as f64;
        let (u, v) = (1.0 - unit(random.next()), unit(random.next()));
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    /// How many of `trials` comparisons of equal sides exclude 0, `n` runs a side, the second side `spread` times as noisy.
    fn false_differences(trials: u32, n: usize, spread: f64) -> u32 {
        let mut random = SplitMix64(20_26);
        let mut wrong = 0;
        for _ in 0..trials {
            let a: Vec<f64> = (0..n).map(|_| normal(&mut random)).collect();
            let b: Vec<f64> = (0..n).map(|_| spread * normal(&mut random)).collect();
            wrong += u32::from(!welch(&a, &b, 0.95).unwrap().contains(0.0));
        }
        wrong
    }

    #[test]
    fn equal_sides_differ_in_five_of_a_hundred() {
        // 10,000 trials: 500 expected, standard deviation 22, four of them allowed.
        for spread in [1.0, 3.0] {
            let wrong = false_differences(10_000, 10, spread);
            assert!((412..=588).contains(&wrong), "10 runs, {spread}: {wrong}");
            // With three runs Welch's interval is known to be a little wide for equal spreads, never much too narrow.
            let wrong = false_differences(10_000, 3, spread);
            assert!((200..=600).contains(&wrong), "3 runs, {spread}: {wrong}");
        }
    }

    #[test]
    fn equal_rates_differ_in_at_most_five_of_a_hundred() {
        let mut random = SplitMix64(7);
        for rate in [0.02, 0.3, 0.5] {
            let mut wrong = 0;
            for _ in 0..2_000 {
                let mut side = || {
                    let hits = (0..96).filter(|_| (random.next() as f64) < rate * 2f64.powi(64));
                    (hits.count() as u64, 96)
                };
                let (a, b) = (side(), side());
                wrong += u32::from(!newcombe(a, b, 0.95).contains(0.0));
            }
            // 100 expected, four standard deviations of 9.7 allowed.
            assert!((5..=139).contains(&wrong), "{rate}: {wrong}");
        }
    }
}
