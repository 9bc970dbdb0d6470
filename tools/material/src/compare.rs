//! Compares answers with expectations, field by field.

use tuff_material::device::Answer;
use tuff_material_sdk::descriptor::Descriptor;

use crate::args::{Borders, Field};
use crate::vectors::Case;

/// Tolerance near a border, where a root amplifies rounding.
const AT_A_BORDER: f64 = 5e-4;

/// Tolerances on the answers.
#[derive(Clone, Debug)]
pub struct Tolerances {
    strain: f64,
    stress: f64,
    energy: f64,
    /// Tolerance of each state word.
    state: [f64; 4],
    borders: Borders,
}

/// The largest deviation of one field.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the field.
    pub field: String,
    /// Deviation in the field's unit; infinite if an answer is not a number.
    pub deviation: f64,
    /// Tolerance.
    pub allowed: f64,
    /// Item with this deviation.
    pub item: String,
}

impl Row {
    /// Returns whether every item is within the tolerance.
    pub fn passed(&self) -> bool {
        self.deviation <= self.allowed
    }
}

impl Tolerances {
    /// Returns the same tolerance for every field and item.
    pub fn uniform(value: f64) -> Self {
        Self { strain: value, stress: value, energy: value, state: [value; 4], borders: Borders::Strict }
    }

    /// Returns the tolerances that f32 can meet, with changes.
    pub fn single(model: &Descriptor, borders: Borders, changes: &[(Field, f64)]) -> Self {
        let mut tolerances = Self { strain: 5e-6, borders, ..Self::uniform(1e-5) };
        for (tolerance, word) in tolerances.state.iter_mut().zip(&model.states) {
            if word.unit == "Pa" {
                *tolerance = 1e-6;
            }
        }
        for &(field, value) in changes {
            match field {
                Field::Strain => tolerances.strain = value,
                Field::Stress => tolerances.stress = value,
                Field::Energy => tolerances.energy = value,
                Field::State => tolerances.state = [value; 4],
            }
        }
        tolerances
    }
}

/// Returns the largest deviation of every field for which the cases have values.
pub fn compare(model: &Descriptor, cases: &[Case], answers: &[Answer], tolerances: &Tolerances) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (case, answer) in cases.iter().zip(answers) {
        let borders = if case.near_border { tolerances.borders } else { Borders::Strict };
        if borders == Borders::Skip {
            continue;
        }
        let is_loose = borders == Borders::Loose;
        let mut enter = |field: &str, deviation: f64, allowed: f64| {
            let field = if is_loose { format!("{field} at borders") } else { field.to_owned() };
            let allowed = if is_loose { allowed.max(AT_A_BORDER) } else { allowed };
            let deviation = if deviation.is_nan() { f64::INFINITY } else { deviation };
            let row = Row { field, deviation, allowed, item: case.name.clone() };
            match rows.iter_mut().find(|known| known.field == row.field) {
                Some(known) if known.deviation < row.deviation => *known = row,
                Some(_) => {}
                None => rows.push(row),
            }
        };
        enter("ln s'", distance(answer.hencky, case.hencky), tolerances.strain);
        if let Some(stress) = case.stress {
            enter("tau", distance(answer.stress, stress) / case.stress_unit, tolerances.stress);
        }
        if let Some(energy) = case.energy {
            enter("psi", (answer.energy - energy).abs() / case.stress_unit, tolerances.energy);
        }
        for (index, word) in model.states.iter().enumerate().filter(|_| !is_loose) {
            if let Some(expected) = case.state[index] {
                let deviation = (answer.state[index] - expected).abs() / case.state_units[index];
                enter(&word.name, deviation, tolerances.state[index]);
            }
        }
    }
    rows.sort_by_key(|row| row.field.ends_with("at borders"));
    rows
}

/// Returns the largest absolute difference; NaN if one of them is NaN.
fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3)
        .map(|i| (a[i] - b[i]).abs())
        .fold(0.0, |worst, d| if worst.is_nan() || d <= worst { worst } else { d })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuff_material::device::Trial;
    use tuff_material_sdk::descriptor::{Claims, StateWord, Variant};

    fn model() -> Descriptor {
        Descriptor {
            id: "m".into(),
            version: String::new(),
            author: String::new(),
            help: String::new(),
            reference: String::new(),
            parameters: Vec::new(),
            states: vec![StateWord::new("w", "Pa", 0.0, "")],
            claims: Claims::default(),
            variant: Variant::Principal,
            constant_count: 0,
        }
    }

    fn case(name: &str, near_border: bool) -> Case {
        Case {
            name: name.into(),
            near_border,
            trial: Trial { constants: Vec::new(), state: [0.0; 4], hencky: [0.0; 3], dt: 0.0 },
            hencky: [0.0; 3],
            stress: Some([0.0; 3]),
            energy: None,
            state: [Some(1.0), None, None, None],
            stress_unit: 10.0,
            state_units: [2.0; 4],
        }
    }

    fn answer(strain: f64, stress: f64, word: f64) -> Answer {
        Answer {
            hencky: [0.0, strain, 0.0],
            state: [word, 0.0, 0.0, 0.0],
            forget: 1.0,
            stress: [0.0, stress, 0.0],
            energy: 0.0,
            moduli: [1.0; 2],
        }
    }

    /// Returns (field, deviation, item, passed) of each row.
    fn rows(borders: Borders, changes: &[(Field, f64)]) -> Vec<(String, f64, String, bool)> {
        let cases = [case("a", false), case("b", false), case("c", true)];
        let answers = [answer(1e-6, 5e-5, 1.0 + 4e-6), answer(-2e-6, f64::NAN, 1.0), answer(1e-4, 1e-3, 9.0)];
        let tolerances = Tolerances::single(&model(), borders, changes);
        let rows = compare(&model(), &cases, &answers, &tolerances);
        rows.into_iter().map(|r| (r.field.clone(), r.deviation, r.item.clone(), r.passed())).collect()
    }

    #[test]
    fn not_a_number_is_the_largest_deviation() {
        let rows = rows(Borders::Skip, &[(Field::State, 3e-6)]);
        assert_eq!(rows[0], ("ln s'".into(), 2e-6, "b".into(), true));
        assert_eq!(rows[1], ("tau".into(), f64::INFINITY, "b".into(), false));
        assert!((rows[2].1 - 2e-6).abs() < 1e-15 && rows[2].2 == "a" && rows[2].3, "{rows:?}");
        assert_eq!(rows.len(), 3);
    }

    #[test]
    fn items_at_borders_are_held_as_asked() {
        let loose = rows(Borders::Loose, &[]);
        assert_eq!(loose[3], ("ln s' at borders".into(), 1e-4, "c".into(), true));
        assert_eq!(loose[4], ("tau at borders".into(), 1e-4, "c".into(), true));
        // A state word in Pa has the tolerance 1e-6.
        assert!(loose.len() == 5 && !loose[2].3, "{loose:?}");
        let strict = rows(Borders::Strict, &[]);
        assert_eq!(strict[0], ("ln s'".into(), 1e-4, "c".into(), false));
        assert_eq!(strict[2], ("w".into(), 4.0, "c".into(), false));
    }
}
