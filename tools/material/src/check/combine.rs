//! Several parameters away from their defaults at once: some laws are wrong only where two parameters act together.

use tuff_material_sdk::descriptor::{Parameter, ParameterKind};

use super::samples::Draw;
use super::sets::{Given, guess, label, usual};

/// Maximum number of pairs; if there are more, evenly spaced ones are taken.
const MAX_PAIRS: usize = 120;
/// Number of random sets, some of which the model may refuse.
const DRAWN: usize = 128;
/// Factor by which a random value may differ from a usual one if its range is not bounded on both sides.
const SPREAD: f64 = 5.0;
/// Probability that an optional parameter is given.
const GIVEN: f64 = 0.5;
const SEED: u64 = 7;

/// Returns pairs of parameters away from their defaults (for choices, every word), and the number of pairs left out because there are too
/// many.
pub fn pairs(parameters: &[Parameter], given: &[Given]) -> (Vec<(String, Vec<Given>)>, usize) {
    let free = parameters.iter().enumerate().filter(|&(index, _)| !is_given(given, index));
    let others: Vec<Given> =
        free.flat_map(|(index, p)| others(p).into_iter().map(move |value| (index, value))).collect();
    let mut pairs = Vec::new();
    for (first, &a) in others.iter().enumerate() {
        pairs.extend(others[first + 1..].iter().filter(|b| b.0 != a.0).map(|&b| vec![a, b]));
    }
    let count = pairs.len();
    let kept = count.min(MAX_PAIRS);
    let spread = (0..kept).map(|i| named(parameters, pairs[i * count / kept].clone()));
    (spread.collect(), count - kept)
}

/// Returns sets in which all parameters that are not given are random, the same in every run; none if there are fewer than two such
/// parameters.
pub fn random(parameters: &[Parameter], given: &[Given]) -> Vec<(String, Vec<Given>)> {
    let mut draw = Draw::new(SEED);
    let mut unit = || 0.5 * (draw.next() + 1.0);
    let mut set = || {
        let mut fixed = Vec::new();
        for (index, p) in parameters.iter().enumerate() {
            let (chance, place) = (unit(), unit());
            let taken = p.required || p.default.is_some() || chance < GIVEN;
            if taken && !is_given(given, index) {
                fixed.extend(drawn(p, place).map(|value| (index, value)));
            }
        }
        named(parameters, fixed)
    };
    let sets: Vec<_> = (0..DRAWN).map(|_| set()).collect();
    sets.into_iter().filter(|(_, fixed)| fixed.len() > 1).collect()
}

fn is_given(given: &[Given], index: usize) -> bool {
    given.iter().any(|&(known, _)| known == index)
}

fn named(parameters: &[Parameter], fixed: Vec<Given>) -> (String, Vec<Given>) {
    let words: Vec<_> = fixed.iter().map(|&(index, value)| label(&parameters[index], value)).collect();
    (words.join(", "), fixed)
}

/// Returns values other than the default: every other word, or the typical number, or one between the usual number and an end. Returns
/// nothing for required parameters, which every set has.
fn others(p: &Parameter) -> Vec<f64> {
    if p.required {
        return Vec::new();
    }
    let usual = usual(p);
    let candidates = candidates(p);
    if p.kind != ParameterKind::Number {
        return candidates.into_iter().filter(|&word| word != usual).collect();
    }
    Vec::from_iter(candidates.into_iter().find(|&value| p.default != Some(value)))
}

/// Returns values to try: every word, or the usual number and others in the range.
pub fn candidates(p: &Parameter) -> Vec<f64> {
    if p.kind != ParameterKind::Number {
        return (0..=p.max as u32).map(f64::from).collect();
    }
    let usual = usual(p);
    let others = [guess(p), 2.0 * usual, 0.5 * usual, 0.5 * (usual + p.max), 0.5 * (usual + p.min)];
    let all = std::iter::once(usual).chain(others);
    all.filter(|&value| value.is_finite() && p.accepts(value)).collect()
}

/// Returns the value at `place`, from 0 to 1, of the allowed range of a parameter.
fn drawn(p: &Parameter, place: f64) -> Option<f64> {
    if p.kind != ParameterKind::Number {
        return Some((place * (p.max + 1.0)).floor().min(p.max));
    }
    let value = if p.min.is_finite() && p.max.is_finite() {
        p.min + place * (p.max - p.min)
    } else {
        let center = if usual(p) == 0.0 { guess(p) } else { usual(p) };
        center * SPREAD.powf(2.0 * place - 1.0)
    };
    Some(rounded(value)).filter(|&value| p.accepts(value))
}

/// Rounds a number to three digits, for people who want to try it.
fn rounded(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let unit = 10.0_f64.powi(value.abs().log10().floor() as i32 - 2);
    (value / unit).round() * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter::number("youngs_modulus", "Pa", "").required().above(0.0),
            Parameter::number("cohesion", "Pa", "").default_value(0.0).at_least(0.0),
            Parameter::number("cut_off", "Pa", "").at_least(0.0).typical(300.0),
            Parameter::number("poisson_ratio", "-", "").at_least(0.0).below(0.5),
            Parameter::boolean("hardens", false, ""),
            Parameter::choice("law", &["a", "b", "c"], ""),
        ]
    }

    #[test]
    fn pairs_are_away_from_their_defaults_together() {
        let (all, left_out) = pairs(&parameters(), &[]);
        // Two words other than the default of the choice do not form a pair: 6 values make 15 - 1 pairs.
        assert_eq!((all.len(), left_out), (14, 0));
        assert_eq!(pairs(&parameters(), &[(1, 0.0)]).0.len(), 9);
        assert!(random(&parameters(), &[(1, 0.0)]).iter().all(|set| set.1.iter().all(|given| given.0 != 1)));
        assert!(
            all.iter().any(|(label, fixed)| label == "cohesion = 1000, cut_off = 300" && fixed.len() == 2)
        );
        assert!(all.iter().flat_map(|pair| &pair.1).all(|&(index, value)| {
            let p = &parameters()[index];
            p.accepts(value) && p.default != Some(value)
        }));
    }

    #[test]
    fn sets_that_are_drawn_stay_in_range_and_are_always_the_same() {
        let sets = random(&parameters(), &[]);
        assert_eq!(sets, random(&parameters(), &[]));
        assert_eq!(sets.len(), DRAWN);
        for (index, p) in parameters().iter().enumerate() {
            let values: Vec<f64> = sets
                .iter()
                .flat_map(|set| &set.1)
                .filter(|given| given.0 == index)
                .map(|given| given.1)
                .collect();
            assert!(
                values.len() > 3 && values.iter().all(|&value| p.accepts(value)),
                "{}: {values:?}",
                p.name
            );
            assert!(values.iter().any(|value| *value != values[0]));
        }
    }
}
