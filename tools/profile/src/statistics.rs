//! Medians and their noise.

/// Returns the median: the middle value, or the mean of the two middle ones if their number is even; 0 if there are none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[half],
        _ => 0.5 * (sorted[half - 1] + sorted[half]),
    }
}

/// Returns minimum, median and maximum; zeros if there are no values.
pub fn extremes(values: &[f64]) -> [f64; 3] {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if values.is_empty() { [0.0; 3] } else { [least, median(values), most] }
}

/// Returns the standard error of a median, from the median absolute deviation: `sqrt(pi / 2) 1.4826 MAD / sqrt(n)`, as for samples of a
/// normal distribution, and robust against a few outliers.
pub fn median_error(values: &[f64]) -> f64 {
    let middle = median(values);
    let deviations: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    let deviation = 1.4826 * median(&deviations);
    (std::f64::consts::FRAC_PI_2 / values.len().max(1) as f64).sqrt() * deviation
}

/// Counts how often each value from 0 to the largest occurs.
pub fn histogram(values: &[u32]) -> Vec<u64> {
    let most = values.iter().max().map_or(0, |&most| most as usize + 1);
    let mut counts = vec![0; most];
    for &value in values {
        counts[value as usize] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn medians_of_even_and_odd_numbers() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(&[]), 0.0);
        assert_eq!(extremes(&[4.0, 1.0, 2.0]), [1.0, 2.0, 4.0]);
        assert_eq!(histogram(&[0, 2, 2, 5]), [1, 0, 2, 0, 0, 1]);
    }

    #[test]
    fn the_error_of_a_median_is_that_of_repeated_sampling() {
        // Medians of 25 values, each the sum of 12 uniform variates minus 6: normal with deviation 1.
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let mut normal = || (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
        let (mut medians, mut errors) = (Vec::new(), Vec::new());
        for _ in 0..2000 {
            let sample: Vec<f64> = (0..25).map(|_| normal()).collect();
            medians.push(median(&sample));
            errors.push(median_error(&sample));
        }
        let spread = (medians.iter().map(|m| m * m).sum::<f64>() / medians.len() as f64).sqrt();
        let said = median(&errors);
        assert!((said / spread - 1.0).abs() < 0.1, "{said} for {spread}");
    }
}
