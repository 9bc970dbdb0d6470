//! "Did you mean": the nearest of the allowed words.

/// Returns the candidate nearest to `word`, if it is near enough to be what was meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
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
            let edits = strsim::osa_distance(&word, &candidate);
            // Among contained words, the one with fewest edits.
            ((if contained { 1.min(edits) } else { edits }, edits), c)
        })
        .filter(|((d, _), _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

/// Returns how a table with the keys `allowed` writes the place or rotation that the unknown key `word` asks for.
pub(crate) fn placement(word: &str, allowed: &[&str]) -> Option<String> {
    const PLACES: [&str; 8] =
        ["translate", "translation", "position", "pos", "location", "offset", "origin", "center"];
    const TURNS: [&str; 5] = ["rotate", "rotation", "orientation", "angle", "angles"];
    let turn = TURNS.contains(&word);
    if !turn && !PLACES.contains(&word) {
        return None;
    }
    let has = |key: &&str| allowed.contains(key);
    let help = match (has(&"shape"), has(&"subtract"), turn) {
        (true, _, true) => "its shape sets the rotation: `shape = { ..., rotate = [x, y, z] }`, in degrees",
        (true, _, false) => {
            "its shape sets the position, for example `min` and `max` of a box or `center` of a sphere"
        }
        (_, true, false) => {
            "the geometry sets the position of a shape: `min` and `max` of a box, `center` of a sphere, `from` and `to` of \
             a cylinder, capsule or revolve, `point` of a plane, `translate` of a mesh"
        }
        (_, _, true) if has(&"rotate") => "did you mean `rotate`?",
        (_, _, true) if ["min", "center", "point", "from"].iter().any(has) => {
            "`rotate` goes beside the geometry: `shape = { box = { ... }, rotate = [x, y, z] }`, in degrees"
        }
        (_, _, true) => return None,
        (_, _, false) => {
            let key = ["translate", "center", "point", "eye", "from", "min"].iter().find(|key| has(key))?;
            return Some(match *key {
                "from" => "did you mean `from` and `to`?".to_owned(),
                "min" => "did you mean `min` and `max`?".to_owned(),
                key => format!("did you mean `{key}`?"),
            });
        }
    };
    Some(help.to_owned())
}

/// Returns how to say what the unknown key `word` asks for in a rigid body, the table with the key `hold` among those `allowed`.
pub(crate) fn elsewhere(word: &str, allowed: &[&str]) -> Option<&'static str> {
    match word {
        _ if !allowed.contains(&"hold") => None,
        "motion" => Some("what acts on a rigid body moves it; a `[[collider]]` moves as its `motion` says"),
        "material" => Some("a rigid body has a `density` or a `mass` in place of a material"),
        "pin" | "pinned" | "fixed" => {
            Some("`hold` holds a point or an axis; what never moves is a `[[collider]]`")
        }
        _ => None,
    }
}

/// Formats words as "`a`, `b` or `c`".
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
    use crate::load::keys;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let keys = ["friction_angle", "youngs_modulus", "density", "xsph"];
        assert_eq!(nearest("fricton_angle", keys), Some("friction_angle"));
        assert_eq!(nearest("Youngs-Modulus", keys), Some("youngs_modulus"));
        assert_eq!(nearest("desnity", keys), Some("density"));
        assert_eq!(nearest("friction", keys), Some("friction_angle"));
        assert_eq!(nearest("viscosity", keys), None);
        assert_eq!(nearest("memoryfoam", ["foam", "memory_foam"]), Some("memory_foam"));
    }

    #[test]
    fn a_place_or_a_turn_is_shown_where_it_belongs() {
        for (word, allowed, part) in [
            ("translate", keys::BODY, "`min` and `max` of a box"),
            ("rotate", keys::COLLIDER, "`shape = { ..., rotate"),
            ("translate", keys::SHAPE, "`translate` of a mesh"),
            ("orientation", keys::SHAPE, "did you mean `rotate`?"),
            ("position", keys::MESH, "did you mean `translate`?"),
            ("position", keys::SPHERE, "did you mean `center`?"),
            ("translate", keys::ROUND, "did you mean `from` and `to`?"),
            ("center", keys::BOX, "did you mean `min` and `max`?"),
            ("rotate", keys::BOX, "beside the geometry"),
            ("position", keys::KEYFRAME, "did you mean `translate`?"),
            ("position", keys::CAMERA, "did you mean `eye`?"),
        ] {
            let help = placement(word, allowed).unwrap_or_default();
            assert!(help.contains(part), "{word} among {allowed:?}: {help:?}");
        }
        assert_eq!(placement("origin", keys::SCENE), None);
        assert!(elsewhere("motion", keys::RIGID).is_some_and(|help| help.contains("[[collider]]")));
        assert_eq!(elsewhere("motion", keys::BODY), None);
        assert_eq!(placement("size", keys::BOX), None);
    }

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(listed([]), "nothing");
        assert_eq!(listed(["a"]), "`a`");
        assert_eq!(listed(["a", "b", "c"]), "`a`, `b` or `c`");
    }
}
