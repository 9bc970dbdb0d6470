//! Matter of a particle of the tensor variant, and the operations of the laws on it: carry along, rotate, reorder.

use glam::{DMat3, DQuat, DVec3};
use tuff_plugin::{Stretch, TensorPoint, Variant};
use tuff_reference::strain::{carried, spectrum};
use tuff_reference::symmetric::eigen;
use tuff_reference::tensor::recompose;

use crate::check::samples::{self, Draw, Extreme};

/// Two elastic strains and the deformation gradient, carried along with a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matter {
    /// Elastic strain.
    pub strain: Stretch,
    /// The second elastic strain.
    pub branch: Stretch,
    /// F.
    pub deformation: DMat3,
}

impl Matter {
    /// Undeformed matter.
    pub const REST: Self =
        Self { strain: Stretch::REST, branch: Stretch::REST, deformation: DMat3::IDENTITY };

    /// Returns the arguments of the model's functions.
    pub fn point<'a>(&self, constants: &'a [f64], state: [f64; 4], dt: f64) -> TensorPoint<'a> {
        let Self { strain, branch, deformation } = *self;
        let deformation = deformation.transpose().to_cols_array_2d();
        TensorPoint { constants, state, strain, branch, deformation, dt }
    }

    /// Puts everything that the variant does not ask for at rest, as the engine does.
    pub fn for_variant(self, variant: Variant) -> Self {
        let Variant::Tensor { branch, deformation } = variant else { return self };
        Self {
            branch: if branch { self.branch } else { Stretch::REST },
            deformation: if deformation { self.deformation } else { DMat3::IDENTITY },
            ..self
        }
    }

    /// Carries the matter along with a displacement gradient, as the engine does.
    pub fn carried(&self, displacement: DMat3) -> Self {
        let along = |stretch: &Stretch| {
            let principal = DVec3::from_array(stretch.hencky.map(|eps| (2.0 * eps).exp_m1()));
            let strain = recompose(DMat3::from_cols_array_2d(&stretch.axes), principal);
            let spectrum = spectrum(carried(strain, displacement));
            Stretch { hencky: spectrum.hencky.to_array(), axes: spectrum.axes.to_cols_array_2d() }
        };
        Self {
            strain: along(&self.strain),
            branch: along(&self.branch),
            deformation: self.deformation + displacement * self.deformation,
        }
    }

    /// Rotates the whole matter.
    pub fn turned(&self, turn: DMat3) -> Self {
        let along = |stretch: &Stretch| {
            let axes = turn * DMat3::from_cols_array_2d(&stretch.axes);
            Stretch { axes: axes.to_cols_array_2d(), ..*stretch }
        };
        Self {
            strain: along(&self.strain),
            branch: along(&self.branch),
            deformation: turn * self.deformation,
        }
    }

    /// Rotates the matter before its deformation: elastic strains b = F F^T are unaffected.
    pub fn turned_before(&self, turn: DMat3) -> Self {
        Self { deformation: self.deformation * turn, ..*self }
    }

    /// Returns the same strains with their principal directions in another order and one of them reversed: the engine guarantees neither
    /// order nor sign.
    pub fn reordered(&self) -> Self {
        let along = |Stretch { hencky: [x, y, z], axes: [a, b, c] }: Stretch| Stretch {
            hencky: [y, z, x],
            axes: [b, c.map(|component| -component), a],
        };
        Self { strain: along(self.strain), branch: along(self.branch), ..*self }
    }

    /// Returns the largest absolute Hencky strain, and the logarithm of the largest stretch or volume, at least 0.
    pub fn size(&self) -> [f64; 2] {
        let stretch2 = eigen(self.deformation * self.deformation.transpose()).0.max(DVec3::splat(1e-300));
        let fibers = stretch2.to_array().map(|x| 0.5 * x.ln());
        let all = [self.strain.hencky, self.branch.hencky, fibers];
        let size = all.iter().flatten().fold(0.0_f64, |size, x| size.max(x.abs()));
        let volumes = all.iter().map(|h| h.iter().sum::<f64>());
        [size, all.iter().flatten().copied().chain(volumes).fold(0.0, f64::max)]
    }
}

/// Returns the symmetric matrix of Hencky strains, which does not depend on the order of directions.
pub fn logarithm(stretch: &Stretch) -> DMat3 {
    recompose(DMat3::from_cols_array_2d(&stretch.axes), DVec3::from_array(stretch.hencky))
}

/// Draws a rotation.
pub fn rotation(draw: &mut Draw) -> DMat3 {
    DMat3::from_quat(DQuat::from_xyzw(draw.next(), draw.next(), draw.next(), draw.next()).normalize())
}

fn stretch(hencky: [f64; 3], axes: DMat3) -> Stretch {
    Stretch { hencky, axes: axes.to_cols_array_2d() }
}

/// Returns F with these logarithms of its principal stretches.
fn deformation(hencky: [f64; 3], axes: DMat3, before: DMat3) -> DMat3 {
    recompose(axes, DVec3::from_array(hencky).exp()) * before
}

/// Returns every third of the principal variant's strains, which covers each kind at some size: with a branch and F strained in the same
/// way, or each in its own way.
pub fn ordinary(variant: Variant) -> Vec<Matter> {
    let mut draw = Draw::new(4);
    let mut all = Vec::new();
    for hencky in samples::ordinary().into_iter().step_by(3) {
        let axes = rotation(&mut draw);
        let strain = stretch(hencky, axes);
        let matter = if all.len() % 2 == 0 {
            let deformation = deformation(hencky, axes, rotation(&mut draw));
            Matter { strain, branch: strain, deformation }
        } else {
            let size = hencky.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
            let [branch, fibers] = [(); 2].map(|()| draw.direction().map(|x| size * x));
            let deformation = deformation(fibers, rotation(&mut draw), rotation(&mut draw));
            Matter { strain, branch: stretch(branch, rotation(&mut draw)), deformation }
        };
        all.push(matter.for_variant(variant));
    }
    all
}

/// Returns every combination of zero strain and the limits. Inverted matter has an F with a negative determinant.
pub fn extremes(variant: Variant) -> Vec<(Matter, Extreme)> {
    let mut draw = Draw::new(5);
    let matter = |(hencky, kind)| {
        let axes = rotation(&mut draw);
        let mirror = if kind == Extreme::Flat { DVec3::new(1.0, -1.0, 1.0) } else { DVec3::ONE };
        let strain = stretch(hencky, axes);
        let deformation = deformation(hencky, axes, DMat3::from_diagonal(mirror));
        (Matter { strain, branch: strain, deformation }.for_variant(variant), kind)
    };
    samples::extremes().into_iter().map(matter).collect()
}

/// Returns values that the engine never passes to a model, in the strain, the branch and F in turn.
pub fn impossible(variant: Variant) -> Vec<Matter> {
    let matter = |hencky: [f64; 3]| {
        let driven = Stretch { hencky, ..Stretch::REST };
        let deformation = DMat3::from_diagonal(DVec3::from_array(hencky).exp());
        [
            Matter { strain: driven, ..Matter::REST },
            Matter { branch: driven, ..Matter::REST },
            Matter { deformation, ..Matter::REST },
            Matter { strain: driven, branch: driven, deformation },
        ]
    };
    samples::impossible().into_iter().flat_map(matter).map(|m| m.for_variant(variant)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuff_reference::tensor::norm;

    const ALL: Variant = Variant::Tensor { branch: true, deformation: true };

    #[test]
    fn ordinary_matter_is_of_every_kind_and_the_same_every_time() {
        let all = ordinary(ALL);
        assert_eq!(format!("{all:?}"), format!("{:?}", ordinary(ALL)));
        let own = all.iter().filter(|m| m.strain != m.branch).count();
        assert!(all.len() > 30 && own == all.len() / 2, "{own} of {}", all.len());
        for matter in all {
            assert!(matter.deformation.determinant() > 0.0);
            assert!(matter.size()[0] <= 1.0 + 1e-12);
        }
    }

    /// b' = A b A^T, and the strain accordingly; F' = A F. Rotating is the same as carrying along with a rotation.
    #[test]
    fn matter_is_carried_as_its_deformation() {
        let mut draw = Draw::new(9);
        let (turn, matter) = (rotation(&mut draw), ordinary(ALL)[20]);
        let carried = matter.carried(turn - DMat3::IDENTITY);
        let turned = matter.turned(turn);
        for (a, b) in [(carried.strain, turned.strain), (carried.branch, turned.branch)] {
            assert!(norm(logarithm(&a) - logarithm(&b)) < 1e-14);
        }
        assert!(norm(carried.deformation - turned.deformation) < 1e-15);
        let reordered = matter.reordered();
        assert!(norm(logarithm(&reordered.strain) - logarithm(&matter.strain)) < 1e-16);
    }
}
