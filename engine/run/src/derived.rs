//! Quantities of a frame derived from others.

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use tuff_plugin::{Stretch, TensorPoint, Variant};
use tuff_problem::{Frame, OptionalFields, Problem, packing, packing_limits};
use tuff_reference::strain::{Spectrum, spectrum};
use tuff_reference::tensor::{from_voigt, norm, recompose, trace, voigt};
use tuff_scene::FrameAttribute;

/// Derived quantities that a scene's output needs.
pub struct Derived {
    /// Packing of the bodies at rest; `None` if the output does not show it.
    rest_packing: Option<Vec<f64>>,
    wanted: OptionalFields,
}

impl Derived {
    /// Determines the quantities that frames and pictures of a problem need.
    pub fn of(problem: &Problem) -> Self {
        let packing = problem.scene.output.shows(&FrameAttribute::Packing);
        let rest_packing = packing.then(|| packing_limits(problem));
        Self { rest_packing, wanted: OptionalFields::of(&problem.scene) }
    }

    /// Adds the derived quantities to a frame.
    pub fn add(&self, problem: &Problem, frame: &mut Frame) {
        if let Some(rest) = &self.rest_packing {
            frame.packing = packing(problem, rest, frame);
        }
        if self.wanted.stress {
            let stress = |particle| cauchy(problem, frame, particle);
            let stresses: Vec<DMat3> = (0..frame.position.len()).into_par_iter().map(stress).collect();
            let numbers = |stress: &DMat3| voigt(*stress).map(|component| component as f32);
            frame.stress = stresses.iter().map(numbers).collect();
            frame.pressure = stresses.iter().map(|stress| (-trace(*stress) / 3.0) as f32).collect();
            frame.von_mises = stresses.iter().map(|stress| von_mises(*stress) as f32).collect();
        }
    }
}

/// `sqrt(3/2) |dev sigma|` [Pa].
fn von_mises(stress: DMat3) -> f64 {
    1.5_f64.sqrt() * norm(stress - trace(stress) / 3.0 * DMat3::IDENTITY)
}

/// Returns the Cauchy stress `tau / J` of a particle from the f64 functions of its model [Pa]; zero for grains.
fn cauchy(problem: &Problem, frame: &Frame, particle: usize) -> DMat3 {
    let material = &problem.materials[frame.material[particle] as usize];
    let model = &problem.models[material.model];
    let state = frame.state[particle].map(f64::from);
    let elastic = spectrum(from_voigt(frame.strain[particle].map(f64::from)));
    let kirchhoff = match model.descriptor().variant {
        Variant::Principal => {
            let principal = model.kirchhoff(&material.constants, &state, elastic.hencky.to_array());
            recompose(elastic.axes, DVec3::from_array(principal))
        }
        Variant::Tensor { .. } => {
            let branch = frame.branch.get(particle).map_or([0.0; 6], |branch| branch.map(f64::from));
            let deformation =
                frame.deformation.get(particle).map_or(DMat3::IDENTITY.to_cols_array_2d(), |f| {
                    std::array::from_fn(|row| std::array::from_fn(|column| f64::from(f[3 * row + column])))
                });
            let stretch =
                |s: Spectrum| Stretch { hencky: s.hencky.to_array(), axes: s.axes.to_cols_array_2d() };
            let point = TensorPoint {
                constants: &material.constants,
                state,
                strain: stretch(elastic),
                branch: stretch(spectrum(from_voigt(branch))),
                deformation,
                dt: 0.0,
            };
            from_voigt(model.respond(&point).kirchhoff)
        }
    };
    kirchhoff * (1.0 / f64::from(frame.volume_ratio[particle]))
}
