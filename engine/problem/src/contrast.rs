//! Bodies of very different stiffness: which of them kernels see, and which get rigid modes in a Newton solve.

use crate::thresholds::SOFT;
use crate::{Class, Problem};

/// The bodies of a scene by their stiffness.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contrast {
    /// Modulus of uniaxial strain of every body, rho c_p^2 [Pa], shape [body_count]; 0 if it overlooks nothing.
    moduli: Vec<f32>,
    /// Number of every body among those with rigid modes, shape [body_count].
    modes: Vec<Option<u32>>,
}

impl Contrast {
    /// Compares the bodies of a problem, by the speed of sound of their materials at rest.
    pub fn of(problem: &Problem) -> Self {
        let class = |body: usize| problem.classes.class(body as u32);
        let modulus = |body: usize| {
            let density = problem.scene.materials[problem.scene.bodies[body].material].density;
            density * (problem.spacing(body) / problem.stable_step(body)).powi(2)
        };
        let bodies = 0..problem.scene.bodies.len();
        let moduli: Vec<Option<f64>> =
            bodies.clone().map(|body| (!class(body).is_linked()).then(|| modulus(body))).collect();
        let softest = moduli.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let mut count = 0;
        let mut number = |body: usize| {
            let stiff = class(body) != Class::Fluid && moduli[body].is_some_and(|own| softest < SOFT * own);
            stiff.then(|| {
                count += 1;
                count - 1
            })
        };
        let modes = bodies.clone().map(&mut number).collect();
        let weighs = |body: usize| if class(body) == Class::Matter { moduli[body] } else { None };
        Self { moduli: bodies.map(|body| weighs(body).unwrap_or(0.0) as f32).collect(), modes }
    }

    /// Returns the modulus of uniaxial strain of every body [Pa], shape [body_count]; 0 for those whose particles see all that they list.
    pub fn moduli(&self) -> &[f32] {
        &self.moduli
    }

    /// Returns true if the kernels of one body do not see another one, which is soft to it.
    pub fn overlooks(&self, body: u32, other: u32) -> bool {
        let of = |body: u32| self.moduli.get(body as usize).copied().unwrap_or(0.0);
        body != other && of(other) > 0.0 && of(other) < SOFT as f32 * of(body)
    }

    /// Returns true if the kernels of a body overlook another one.
    pub fn is_any(&self) -> bool {
        let moduli = self.moduli.iter().copied().filter(|modulus| *modulus > 0.0);
        let (least, most) = moduli.fold((f32::INFINITY, 0.0_f32), |(l, m), own| (l.min(own), m.max(own)));
        least < SOFT as f32 * most
    }

    /// Returns the number of a body among those with rigid modes, if it has them.
    pub fn modes(&self) -> &[Option<u32>] {
        &self.modes
    }

    /// Returns how many bodies have rigid modes.
    pub fn mode_count(&self) -> u32 {
        self.modes.iter().flatten().count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_of_the_modulus_is_soft() {
        let contrast = |moduli: &[f32]| Contrast { moduli: moduli.to_vec(), modes: Vec::new() };
        let two = contrast(&[1e6, 9e4, 1.1e5, 0.0]);
        let overlooked: Vec<_> = (0..4).map(|other| two.overlooks(0, other)).collect();
        assert_eq!(overlooked, [false, true, false, false]);
        assert!(!two.overlooks(1, 0) && !two.overlooks(3, 0) && two.is_any());
        assert!(!contrast(&[1e6, 1.1e5]).is_any() && !contrast(&[]).is_any());
    }
}
