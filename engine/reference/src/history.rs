//! Histories that particles keep for models of the tensor variant, in the form that the models see.

use glam::{DMat3, DVec3};
use tuff_plugin::{Stretch, TensorPoint};

use crate::context::Material;
use crate::scalar::Scalar;
use crate::state::State;
use crate::strain::{Spectrum, carried, spectrum};
use crate::tensor::recompose;

/// Returns a particle carried along with a displacement gradient `Lg`, for a step of length 0, and whether a stretch was clamped:
/// strains as by [`carried`], deformation `F + Lg F`.
pub fn step_point<'a, S: Scalar>(
    material: &'a Material,
    state: &State<S>,
    p: usize,
    displacement: DMat3,
) -> (TensorPoint<'a>, bool) {
    let strain = spectrum(carried(state.strain[p], displacement));
    let branch = spectrum(carried(state.branch[p], displacement));
    let deformation = state.deformation[p] + displacement * state.deformation[p];
    let point = TensorPoint {
        constants: &material.constants,
        state: state.material_state[p],
        strain: stretch(strain),
        branch: stretch(branch),
        deformation: rows(deformation),
        dt: 0.0,
    };
    (point, strain.clamped || branch.clamped)
}

/// Returns a particle in its state between substeps.
pub fn stored_point<'a, S: Scalar>(material: &'a Material, state: &State<S>, p: usize) -> TensorPoint<'a> {
    step_point(material, state, p, DMat3::ZERO).0
}

/// Returns `E = b - I` of a stretch.
pub fn strain_of(stretch: &Stretch) -> DMat3 {
    let principal = stretch.hencky.map(|eps| (2.0 * eps).exp_m1());
    recompose(DMat3::from_cols_array_2d(&stretch.axes), DVec3::from_array(principal))
}

fn stretch(spectrum: Spectrum) -> Stretch {
    Stretch { hencky: spectrum.hencky.to_array(), axes: spectrum.axes.to_cols_array_2d() }
}

/// Returns the rows of a matrix.
fn rows(m: DMat3) -> [[f64; 3]; 3] {
    m.transpose().to_cols_array_2d()
}

/// Returns the matrix with these rows.
pub fn from_rows(rows: [[f64; 3]; 3]) -> DMat3 {
    DMat3::from_cols_array_2d(&rows).transpose()
}
