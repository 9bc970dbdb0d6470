//! Compares two answers of a tensor model, and estimates how much of their difference is due to rounding to f32.

use glam::DMat3;
use serde_json::{Map, Value};
use tuff_plugin::Stretch;
use tuff_reference::tensor::{from_voigt, norm};
use tuff_solver::agreement::ROUNDING;

use super::device::{Answer, Trial};
use super::matter::{Matter, logarithm};
use crate::check::findings::{number, numbers};
use crate::check::glsl::jitter;
use crate::check::journal::Watched;
use crate::check::probe::largest;
use crate::check::samples::Draw;

/// Compared fields: their names and the tolerances of f32.
pub const FIELDS: [(&str, f64); 7] = [
    ("f32 strain", 5e-6),
    ("f32 branch", 5e-6),
    ("f32 stress", 1e-5),
    ("f32 energy", 1e-5),
    ("f32 state", 1e-5),
    ("f32 forget factor", 1e-3),
    ("f32 moduli", 1e-5),
];

/// Position of the stress and the energy in [`FIELDS`].
pub const STRESS: usize = 2;
/// See [`STRESS`].
pub const ENERGY: usize = 3;

/// Units of differences at a trial.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    strain: f64,
    /// Unit of stress and energy \[Pa\].
    pub stress: f64,
    moduli: f64,
    state: [f64; 4],
}

impl Units {
    /// Returns the units of a trial with this f64 answer.
    pub fn new(model: &Watched<'_>, trial: &Trial, expected: &Answer) -> Self {
        let [shear, bulk] = expected.moduli;
        let [size, growth] = trial.matter.size();
        let mut state = [1.0; 4];
        for ((unit, word), value) in
            state.iter_mut().zip(&model.model.descriptor().states).zip(expected.state)
        {
            *unit = if word.unit == "Pa" { 2.0 * shear } else { 1.0 };
            *unit = unit.max(value.abs());
        }
        Self {
            strain: size.max(1.0),
            stress: (2.0 * shear + 3.0 * bulk) * (2.0 * growth).exp() * size.clamp(1e-2, 1.0),
            moduli: shear.max(bulk),
            state,
        }
    }
}

/// Returns the differences of two answers, in the order of [`FIELDS`].
pub fn difference(a: &Answer, b: &Answer, units: &Units) -> [f64; 7] {
    let energies = largest([0, 1, 2].map(|i| (a.energies[i] - b.energies[i]).abs()));
    [
        norm(a.strain - b.strain) / units.strain,
        norm(a.branch - b.branch) / units.strain,
        largest([norm(a.stress - b.stress), a.asymmetry]) / units.stress,
        energies / units.stress,
        largest([0, 1, 2, 3].map(|i| (a.state[i] - b.state[i]).abs() / units.state[i])),
        (a.forget - b.forget).abs(),
        largest([0, 1].map(|i| (a.moduli[i] - b.moduli[i]).abs())) / units.moduli,
    ]
}

/// Returns the f64 answer and its case.
pub fn double(model: &Watched<'_>, trial: &Trial) -> (u32, Answer) {
    let Trial { constants, state, dt, matter } = trial;
    let point = matter.point(constants, *state, *dt);
    let (response, update) = (model.respond(&point), model.advance(&point));
    let after = Matter { strain: update.strain, branch: update.branch, ..*matter };
    let moduli = model.moduli(constants, state);
    let left = model.stored_energy(&after.point(constants, update.state, *dt));
    let answer = Answer {
        stress: from_voigt(response.kirchhoff),
        asymmetry: 0.0,
        energies: [response.energy, model.stored_energy(&point), left],
        strain: logarithm(&update.strain),
        branch: logarithm(&update.branch),
        state: update.state,
        forget: update.forget,
        moduli: [moduli.shear, moduli.bulk],
    };
    (update.case, answer)
}

/// Returns the changes by rounding the arguments in each field; none if rounding leads to another case.
pub fn spread(
    model: &Watched<'_>,
    trial: &Trial,
    (case, expected): (u32, &Answer),
    units: &Units,
    draw: &mut Draw,
) -> Option<[f64; 7]> {
    let mut spread = [0.0_f64; 7];
    for near in neighbors(trial, draw) {
        let (other, answer) = double(model, &near);
        if other != case {
            return None;
        }
        let fields = difference(&answer, expected, units);
        spread = std::array::from_fn(|i| spread[i].max(fields[i]));
    }
    Some(spread)
}

/// Returns trials whose arguments differ by rounding.
fn neighbors(trial: &Trial, draw: &mut Draw) -> Vec<Trial> {
    let mut list = Vec::new();
    let mut push = |change: &mut dyn FnMut(&mut Trial)| {
        let mut near = trial.clone();
        change(&mut near);
        list.push(near);
    };
    for sign in [-ROUNDING, ROUNDING] {
        for axis in 0..3 {
            push(&mut |near| shift(&mut near.matter.strain, axis, sign));
            push(&mut |near| shift(&mut near.matter.branch, axis, sign));
        }
        push(&mut |near| near.state = near.state.map(|x| x * (1.0 + sign)));
        push(&mut |near| {
            near.constants.iter_mut().for_each(|constant| jitter(constant, draw));
        });
        push(&mut |near| {
            let mut noise = || DMat3::from_cols_array(&[(); 9].map(|()| ROUNDING * draw.next()));
            let matter = &mut near.matter;
            for stretch in [&mut matter.strain, &mut matter.branch] {
                let axes = DMat3::from_cols_array_2d(&stretch.axes);
                stretch.axes = (axes + axes * noise()).to_cols_array_2d();
            }
            matter.deformation += matter.deformation * noise();
        });
    }
    list
}

fn shift(stretch: &mut Stretch, axis: usize, share: f64) {
    let size = stretch.hencky.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    stretch.hencky[axis] += share * size;
}

/// Returns an answer for the report, with as many state words as the model has; tensors row by row.
pub fn quantities(answer: &Answer, words: usize) -> Map<String, Value> {
    let Answer { stress, energies, strain, branch, state, forget, moduli, asymmetry: _ } = answer;
    let rows = |matrix: &DMat3| numbers(&matrix.transpose().to_cols_array());
    let list = [
        ("stress", rows(stress)),
        ("energies", numbers(energies)),
        ("strain", rows(strain)),
        ("branch", rows(branch)),
        ("forget", number(*forget)),
        ("moduli", numbers(moduli)),
    ];
    let state = (words > 0).then(|| ("state".to_owned(), numbers(&state[..words])));
    list.map(|(name, value)| (name.to_owned(), value)).into_iter().chain(state).collect()
}

/// Returns whether every number is finite.
pub fn is_finite(answer: &Answer) -> bool {
    let matrices = [answer.stress, answer.strain, answer.branch];
    let numbers = matrices.iter().flat_map(|m| m.to_cols_array()).chain(answer.energies).chain(answer.state);
    numbers.chain(answer.moduli).chain([answer.forget, answer.asymmetry]).all(f64::is_finite)
}
