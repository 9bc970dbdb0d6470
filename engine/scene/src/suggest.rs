//! "Did you mean": the nearest of the allowed words.

/// The candidate nearest to `word`, if one is near enough to be what was meant.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let fold = |s: &str| s.to_lowercase().replace(['-', ' '], "_");
    let word = fold(word);
    let limit = word.chars().count().div_ceil(3);
    candidates
        .into_iter()
        .map(|c| {
            let candidate = fold(c);
            let contained = word.len() >= 4
                && (candidate.contains(&word) || word.contains(&candidate))
                && candidate.len() >= 4;
            (if contained { 1.min(distance(&word, &candidate)) } else { distance(&word, &candidate) }, c)
        })
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

/// Edits (insert, delete, replace, swap of neighbors) between two words.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(rows[i - 2][j - 2] + 1);
            }
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// "`a`, `b` or `c`".
pub(crate) fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|w| format!("`{w}`")).collect();
    match words.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let keys = ["friction_angle", "youngs_modulus", "density", "xsph"];
        assert_eq!(nearest("fricton_angle", keys), Some("friction_angle"));
        assert_eq!(nearest("Youngs-Modulus", keys), Some("youngs_modulus"));
        assert_eq!(nearest("desnity", keys), Some("density"));
        assert_eq!(nearest("friction", keys), Some("friction_angle"));
        assert_eq!(nearest("viscosity", keys), None);
        assert_eq!(distance("ca", "ac"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(listed([]), "nothing");
        assert_eq!(listed(["a"]), "`a`");
        assert_eq!(listed(["a", "b", "c"]), "`a`, `b` or `c`");
    }
}
