//! How so many triggers are shared out over cells.

/// Shares `total` out by weight, at least `least` each; the sum is `total` exactly wherever `least` leaves room for it, and what
/// rounding leaves goes to the heaviest.
#[must_use]
pub fn share(total: u64, weights: &[u64], least: u64) -> Vec<u64> {
    let sum: u64 = weights.iter().sum();
    if sum == 0 {
        return vec![0; weights.len()];
    }
    let part = |w: &u64| u64::try_from(u128::from(total) * u128::from(*w) / u128::from(sum));
    let mut shares: Vec<u64> = weights
        .iter()
        .map(|w| part(w).unwrap_or(u64::MAX).max(least))
        .collect();
    let given: u64 = shares.iter().sum();
    let heaviest = (0..weights.len()).max_by_key(|i| (weights[*i], std::cmp::Reverse(*i)));
    if let Some(heaviest) = heaviest {
        let rest = shares[heaviest] + total;
        // More than its own share was given to others only where `least` leaves no room.
        shares[heaviest] = rest.saturating_sub(given).max(least);
    }
    shares
}

/// At most `most` of them, evenly spread, the first among them.
#[must_use]
pub fn thin<T>(all: Vec<T>, most: usize) -> Vec<T> {
    let n = all.len();
    if n <= most || most == 0 {
        return if most == 0 { Vec::new() } else { all };
    }
    let kept = |i: usize| (i * most).div_ceil(n) != ((i + 1) * most).div_ceil(n);
    let of = all.into_iter().enumerate();
    of.filter(|(i, _)| kept(*i)).map(|(_, t)| t).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn everything_is_shared_out(total in 1000u64..2_000_000, weights in prop::collection::vec(1u64..50, 1..200)) {
            let shares = share(total, &weights, 1);
            prop_assert!(shares.iter().all(|s| *s >= 1));
            prop_assert_eq!(shares.iter().sum::<u64>(), total);
        }

        #[test]
        fn so_many_stay_and_the_first_does(n in 1usize..300, most in 1usize..300) {
            let kept = thin((0..n).collect(), most);
            prop_assert_eq!(kept.len(), n.min(most));
            prop_assert_eq!(kept[0], 0);
        }
    }
}
