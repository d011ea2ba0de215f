//! Upper confidence bound of a miss rate (Clopper and Pearson, one-sided).
//!
//! The bound is the rate at which seeing as few misses as were seen has a probability of just 5 %. That probability is a
//! regularized incomplete beta function; the forty lines here (continued fraction, Stirling series) spare a statistics
//! package with its linear algebra.

/// Confidence of [`upper_bound`].
pub const CONFIDENCE: f64 = 0.95;

/// Upper bound of the rate behind `misses` in `n` trials; 1 if nothing was tried.
#[must_use]
pub fn upper_bound(misses: u64, n: u64) -> f64 {
    if n == 0 || misses >= n {
        return 1.0;
    }
    if misses == 0 {
        return -((1.0 - CONFIDENCE).ln() / n as f64).exp_m1();
    }
    // P(at most `misses` in n | rate) = 1 - I_rate(misses + 1, n - misses), which falls with the rate.
    let (a, b) = (misses as f64 + 1.0, (n - misses) as f64);
    let (mut low, mut high) = (misses as f64 / n as f64, 1.0);
    while high - low > low * 1e-12 {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if incomplete_beta(a, b, middle) < CONFIDENCE {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Lower bound of the rate behind `hits` in `n` trials, of the same confidence; 0 if nothing was tried.
#[must_use]
pub fn lower_bound(hits: u64, n: u64) -> f64 {
    if n == 0 {
        return 0.0;
    }
    1.0 - upper_bound(n.saturating_sub(hits), n)
}

/// I_x(a, b), for 0 < x < 1.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    // The fraction converges fast on the near side of the mean; the function is symmetric.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, x) / a
    } else {
        1.0 - front * fraction(b, a, 1.0 - x) / b
    }
}

/// Continued fraction of the incomplete beta function, evaluated from the front (Lentz).
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for m in 1..100_000 {
        let m = f64::from(m);
        for term in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            value *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// ln of the gamma function for x >= 1: Stirling's series, after moving x to where five terms give 15 digits.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0);
    while x < 12.0 {
        product *= x;
        x += 1.0;
    }
    let r = 1.0 / x;
    let r2 = r * r;
    let series = r
        * (1.0 / 12.0
            - r2 * (1.0 / 360.0 - r2 * (1.0 / 1260.0 - r2 * (1.0 / 1680.0 - r2 / 1188.0))));
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - f64::ln(product)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * b.abs().max(1e-300)
    }

    #[test]
    fn no_miss_in_192_and_in_a_million() {
        // The seed text: 1.55 % and 3 ppm.
        assert_eq!(format!("{:.2}", upper_bound(0, 192) * 100.0), "1.55");
        assert_eq!(format!("{:.1}", upper_bound(0, 1_000_000) * 1e6), "3.0");
    }

    #[test]
    fn ln_gamma_of_factorials() {
        let mut factorial = 1.0_f64;
        for n in 1..30 {
            assert!(
                (ln_gamma(f64::from(n)) - factorial.ln()).abs() < 1e-12 * factorial.ln().max(1.0)
            );
            factorial *= f64::from(n);
        }
    }

    #[test]
    fn nothing_tried_or_everything_missed_bounds_nothing() {
        assert!(close(upper_bound(0, 0), 1.0));
        assert!(close(upper_bound(5, 5), 1.0));
    }

    #[test]
    fn the_lower_bound_mirrors_the_upper_one() {
        assert!(close(lower_bound(0, 32), 0.0));
        assert!(close(lower_bound(0, 0), 0.0));
        // All of n: 0.05^(1/n).
        assert!(close(lower_bound(32, 32), 0.05f64.powf(1.0 / 32.0)));
    }

    /// P(X <= k) summed term by term, the terms as logarithms.
    fn binomial_cdf(k: u64, n: u64, p: f64) -> f64 {
        let (mut term, mut sum) = (n as f64 * (-p).ln_1p(), 0.0);
        for i in 0..=k {
            sum += f64::exp(term);
            term += ((n - i) as f64 / (i + 1) as f64 * p / (1.0 - p)).ln();
        }
        sum
    }

    proptest! {
        #[test]
        fn the_bound_is_where_so_few_misses_have_five_percent(n in 1u64..600, part in 0.0f64..1.0) {
            let k = ((n - 1) as f64 * part) as u64;
            let p = upper_bound(k, n);
            prop_assert!((binomial_cdf(k, n, p) - 0.05).abs() < 1e-7, "{k}/{n}: {p}");
        }
    }
}
